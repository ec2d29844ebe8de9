#!/bin/sh
# Writes the SPIR-V files given as one C file: an array each and the table of spirv.h.
set -eu
echo '#include "delegate/spirv.h"'
i=0
for file; do
    echo "static const uint32_t shader_$i[] = {"
    od -An -v -tx4 "$file" | sed 's/ \([0-9a-f]\{8\}\)/0x\1,/g'
    echo '};'
    i=$((i + 1))
done
echo 'const struct spirv spirv_shaders[] = {'
i=0
for file; do
    echo "    { \"$(basename "$file" .spv)\", shader_$i, sizeof shader_$i },"
    i=$((i + 1))
done
echo '};'
echo 'const size_t spirv_shader_count = sizeof spirv_shaders / sizeof spirv_shaders[0];'
