#!/bin/sh
# Writes the SPIR-V files given as one C file, for spirv.h: their names and sizes, and all their
# words in one gzip file of four planes of bytes.
set -eu
echo '#include "delegate/shaders/spirv.h"'
echo 'const struct spirv spirv_shaders[] = {'
words=0
for file; do
    count=$(($(wc -c <"$file") / 4))
    echo "    { \"$(basename "$file" .spv)\", $words, $count },"
    words=$((words + count))
done
echo '};'
echo 'const size_t spirv_shader_count = sizeof spirv_shaders / sizeof spirv_shaders[0];'
echo "uint32_t spirv_words[$words];"
echo "const size_t spirv_word_count = $words;"
echo 'const uint8_t spirv_packed[] = {'
for byte in 1 2 3 4; do
    # shellcheck disable=SC2059 # octal escapes of all bytes of the plane
    printf "$(cat "$@" | od -An -v -to1 |
        awk -v byte=$byte '{ for (i = byte; i <= NF; i += 4) printf "\\%s", $i }')"
done | gzip -9n | od -An -v -tu1 | sed 's/ *\([0-9][0-9]*\)/\1,/g'
echo '};'
echo 'const size_t spirv_packed_bytes = sizeof spirv_packed;'
