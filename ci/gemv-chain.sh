#!/bin/sh
# Writes the text of a model: a vector times COUNT matrices of SIZE x SIZE with 4-bit weights in blocks of
# 32, one after the other: gemv-chain.sh [SIZE [COUNT]].  16 of 4096 are 151 MB, more than any cache:
#
#     ci/gemv-chain.sh >chain.txt
#     assay model chain.txt -o chain.tflite
#     assay bench chain.tflite --roofline
#
# The bytes of all matrices, SIZE * SIZE * COUNT * 9 / 16, over the time of `device` are the bandwidth.
set -eu
awk -v size="${1:-4096}" -v count="${2:-16}" 'BEGIN {
    for (i = 1; i <= count; i++) # scales that keep the size of the elements from matrix to matrix
        printf "tensors s%d:f16[%d,%d]=0.0031,0.0035,0.0037,0.0029\n", i, size, size / 32
    printf "tensors x0:f32[1,%d]; inputs x0\n", size
    for (i = 1; i <= count; i++)
        printf "FULLY_CONNECTED {} x%d i4[%d,%d]=~%d(-8..7)blocks(s%d,32) - -> %s\n", i - 1, size, size, i,
               i, i < count ? "x" i : "y"
}'
