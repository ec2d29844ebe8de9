// A lookup table (LUT) over one element: RELU, RELU6, LOGISTIC, EXP and requantization give
// elements of the same size, packed in words of the table; DEQUANTIZE gives f16 or f32, one in a
// word.
// Elements: byte short
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/shaders/count.args.h"
#include "delegate/ops/int8/table.args.h"

WRITES_WORDS(0, dst);
READS(1, src);
READS_WORDS(2, table);

layout(constant_id = TABLE_SPEC_WORDS) const uint WORDS = 1u;

const uint IN_WORD = 32u / ELEMENT_BITS, SLICE_WORDS = ELEMENT_BITS / 8u;
const uint MASK = (1u << ELEMENT_BITS) - 1u;

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const STORED slice = src[i];
    const uvec4 q = uvec4(element_at(slice, 0u), element_at(slice, 1u), element_at(slice, 2u),
                          element_at(slice, 3u));
    if (WORDS == 1u) {
        for (uint word = 0u; word < SLICE_WORDS; word++) {
            uint results = 0u;
            for (uint k = 0u; k < IN_WORD; k++) {
                const uint v = q[word * IN_WORD + k];
                results |= (table[v / IN_WORD] >> ELEMENT_BITS * (v % IN_WORD) & MASK)
                           << ELEMENT_BITS * k;
            }
            dst[SLICE_WORDS * i + word] = results;
        }
    } else if (WORDS == 2u) {
        dst[2u * i] = table[q.x] | table[q.y] << 16u;
        dst[2u * i + 1u] = table[q.z] | table[q.w] << 16u;
    } else {
        for (uint lane = 0u; lane < 4u; lane++)
            dst[4u * i + lane] = table[q[lane]];
    }
}
