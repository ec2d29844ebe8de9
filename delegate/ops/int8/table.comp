// A lookup table (LUT) over one byte, with 256 results: RELU, RELU6, LOGISTIC, EXP and
// requantization give bytes, four in a word of the table; DEQUANTIZE gives f16 or f32, one in a
// word.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/integer.glsl"
#include "delegate/shaders/count.args.h"
#include "delegate/ops/int8/table.args.h"

WRITES_WORDS(0, dst);
READS(1, src);
READS_WORDS(2, table);

layout(constant_id = TABLE_SPEC_WORDS) const uint WORDS = 1u;

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint word = src[i];
    const uvec4 q =
        uvec4(byte_at(word, 0u), byte_at(word, 1u), byte_at(word, 2u), byte_at(word, 3u));
    if (WORDS == 1u) {
        dst[i] = byte_at(table[q.x / 4u], q.x % 4u) | byte_at(table[q.y / 4u], q.y % 4u) << 8u |
                 byte_at(table[q.z / 4u], q.z % 4u) << 16u |
                 byte_at(table[q.w / 4u], q.w % 4u) << 24u;
    } else if (WORDS == 2u) {
        dst[2u * i] = table[q.x] | table[q.y] << 16u;
        dst[2u * i + 1u] = table[q.z] | table[q.w] << 16u;
    } else {
        for (uint lane = 0u; lane < 4u; lane++)
            dst[4u * i + lane] = table[q[lane]];
    }
}
