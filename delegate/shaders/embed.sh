#!/bin/sh
# Writes the SPIR-V files given as one C file, for spirv.h: their names and sizes, and all their
# words in the packed form that spirv.h describes.  zopfli packs them a twelfth smaller than gzip,
# which takes its place where it is not installed; both formats are gzip's.
set -eu
heads=$(mktemp)
trap 'rm -f "$heads"' EXIT
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
# shellcheck disable=SC2059 # octal escapes of all bytes
printf "$(for file; do
    echo shader
    od -An -v -tu4 "$file"
done | awk '
    function add(w,   s) {
        if (header > 0 || operands == 0) { # a word of the header, or the first of an instruction
            heads[head_count++] = w
            if (header > 0) {
                header--
            } else {
                op = w % 1024
                operands = int(w / 65536) - 1
                position = 0
            }
            return
        }
        distance = newest + 1 - w
        if (distance < 0)
            distance += 4294967296
        if (distance == 0)
            newest = w
        s = 5 * op + (position < 4 ? position : 4)
        plain[s, length_of[s] + 0] = w
        distant[s, length_of[s]++] = distance
        if (!((s, w) in plain_seen)) { plain_seen[s, w]; plain_values[s]++ }
        if (!((s, distance) in distant_seen)) { distant_seen[s, distance]; distant_values[s]++ }
        position++
        operands--
    }
    /shader/ { header = 5; operands = 0; newest = 0; next }
    { for (i = 1; i <= NF; i++) add($i) }
    END {
        n = head_count
        for (s = 0; s < 5 * 1024; s++) {
            if (!(s in length_of))
                continue
            distances = distant_values[s] < plain_values[s]
            heads[n++] = distances + 0
            for (i = 0; i < length_of[s]; i++)
                heads[n++] = distances ? distant[s, i] : plain[s, i]
        }
        for (unit = 1; unit < 4294967296; unit *= 256)
            for (i = 0; i < n; i++)
                printf "\\%o", int(heads[i] / unit) % 256
    }')" >"$heads"
if command -v zopfli >/dev/null; then zopfli --i5 -c "$heads"; else gzip -9nc "$heads"; fi |
    od -An -v -tu1 | sed 's/ *\([0-9][0-9]*\)/\1,/g'
echo '};'
echo 'const size_t spirv_packed_bytes = sizeof spirv_packed;'
