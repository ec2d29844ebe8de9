// EMBEDDING_LOOKUP in a table of 8, 4 or 2 bits, which stays packed in memory (packed_weights.h),
// or in a run of its rows: results of other rows stay as they are.
// dst [ids][slices of a row].  An invocation computes one slice.  The CPU reports an id outside of
// the table; here it is clamped, so that nothing else is read.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/move/embedding_lookup.args.h"
#include "delegate/shaders/slice.glsl"

layout(constant_id = EMBEDDING_LOOKUP_SPEC_BITS) const uint BITS = 4u;
layout(constant_id = EMBEDDING_LOOKUP_SPEC_BLOCKS) const bool BLOCKS = false;

#include "delegate/ops/packed_weights.glsl"

WRITES(0, dst);
READS_WORDS(1, ids);
READS_WORDS(2, weights);
READS_WORDS(3, sides);

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint row = uint(clamp(int(ids[i / args.slices]), 0, int(args.all) - 1)) - args.first;
    if (row >= args.rows) // of another run; those before it have become large numbers
        return;
    const uint group = row / (4u * args.columns), column = row / 4u % args.columns, lane = row % 4u;
    const uint first = i % args.slices * 4u;
    const uint chunk = (group * args.chunks + first / CHUNK_WEIGHTS) * 4u + lane;
    const uint word = first % CHUNK_WEIGHTS / WORD_WEIGHTS;
    const vec4 v =
        weights_of(weights[(chunk * args.columns + column) * 4u + word], first % WORD_WEIGHTS / 4u);
    vec4 scale;
    for (uint l = 0u; l < 4u; l++) { // a block may end within a slice
        const uint block = group * args.row_scales +
                           (BLOCKS ? min((first + l) / args.block, args.row_scales - 1u) : 0u);
        const uint at = (block * args.columns + column) * 4u + lane; // of all scales
        const uint bits = sides[2u * args.scales_at + (BLOCKS ? at / 2u : at)];
        scale[l] = BLOCKS ? scale_of(short_at(bits, at % 2u)) : uintBitsToFloat(bits);
    }
    dst[i] = STORE(v * scale);
}
