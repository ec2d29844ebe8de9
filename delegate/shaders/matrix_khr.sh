#!/bin/sh
# Prints "khr" if the SPIR-V tools that are installed know GL_KHR_cooperative_matrix: glslang from
# version 14 on.
set -eu
spv=$(mktemp)
trap 'rm -f "$spv"' EXIT
cat <<'END' | glslangValidator -V --stdin -S comp --target-env vulkan1.1 -o "$spv" >/dev/null 2>&1 || exit 0
#version 450
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_cooperative_matrix : require
coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sum;
void main() { sum = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0); }
END
spirv-opt --compact-ids "$spv" -o "$spv" 2>/dev/null || exit 0
echo khr
