// A lookup table (LUT) over one element, with a result for each: RELU, RELU6, LOGISTIC, EXP and
// requantization give elements of the same size, DEQUANTIZE f16 or f32.
// Variants: int i16
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/shaders/count.args.h"
#include "delegate/ops/int8/table.args.h"

WRITES_WORDS(0, dst);
READS(1, src);
READS_WORDS(2, table);

layout(constant_id = TABLE_SPEC_BITS) const uint BITS = 8u;

const uint IN_WORD = 32u / BITS, SLICE_WORDS = BITS / 8u;
const uint MASK = 0xffffffffu >> 32u - BITS;

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const STORED slice = src[i];
    const uvec4 q = uvec4(element_at(slice, 0u), element_at(slice, 1u), element_at(slice, 2u),
                          element_at(slice, 3u));
    for (uint word = 0u; word < SLICE_WORDS; word++) {
        uint results = 0u;
        for (uint k = 0u; k < IN_WORD; k++) {
            const uint v = q[word * IN_WORD + k];
            results |= (table[v / IN_WORD] >> BITS * (v % IN_WORD) & MASK) << BITS * k;
        }
        dst[SLICE_WORDS * i + word] = results;
    }
}
