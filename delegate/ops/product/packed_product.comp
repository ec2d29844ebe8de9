// FULLY_CONNECTED with constant weights of 8, 4 or 2 bits, which stay packed in memory and become
// floats in registers.  src [rows][slices of inputs], dst [rows][slices of outputs]; weights as
// packed_weights.h has them, `sides` the biases and then the scales.
//
//     y[r,o] = act(b[o] + sum over blocks scale[o,block] * sum over its inputs x[r,k] w[o,k])
//
// An invocation computes OUTPUTS outputs, all 4 of a slice or one, of ROWS rows: each weight
// becomes a float once for all of them, each slice of src is loaded once for those outputs.
// Neighbouring invocations have neighbouring outputs, so that they load one run of bytes, and the
// same src; the planes of a workgroup share out the chunks, which an invocation loads with their
// scales before it multiplies.  The sums of the planes are added in their order.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "delegate/ops/product/packed_product.args.h"
#include "delegate/shaders/slice.glsl"

layout(constant_id = PACKED_PRODUCT_SPEC_BITS) const uint BITS = 4u;
layout(constant_id = PACKED_PRODUCT_SPEC_ROWS) const uint ROWS = 1u;
layout(constant_id = PACKED_PRODUCT_SPEC_COLUMNS) const uint COLUMNS = 8u;
layout(constant_id = PACKED_PRODUCT_SPEC_PLANES) const uint PLANES = 1u;
layout(constant_id = PACKED_PRODUCT_SPEC_OUTPUTS) const uint OUTPUTS = 4u;
layout(constant_id = PACKED_PRODUCT_SPEC_RESIDUAL) const bool RESIDUAL = false;
layout(constant_id = PACKED_PRODUCT_SPEC_ACTIVATION) const uint ACTIVATION = 0u;
layout(constant_id = PACKED_PRODUCT_SPEC_BLOCKS) const uint BLOCKS = 0u;
layout(constant_id = PACKED_PRODUCT_SPEC_WHOLE) const bool WHOLE = false;

#include "delegate/ops/packed_weights.glsl"

WRITES(0, dst);
READS(0, residual); // the same memory: an element is read and written by one invocation
READS(1, src);
layout(set = 0, binding = 2) readonly buffer ReadsWeights { uvec4 weights[]; };
layout(set = 0, binding = 3) readonly buffer ReadsSides { uvec2 sides[]; };

shared vec4 part[ROWS * PLANES * COLUMNS];

vec4 side(uint at) { return vec4(uintBitsToFloat(sides[at]), uintBitsToFloat(sides[at + 1u])); }

// Scales of the block that weight `first` of a chunk is in, in halves.
uvec2 block_scales(uint group, uint column, uint chunk, uint first)
{
    const uint block = min(chunk * CHUNK_WEIGHTS + first, args.in_channels - 1u) / args.block;
    return sides[args.scales_at + (group * args.row_scales + block) * COLUMNS + column];
}

void main()
{
    const uint me = gl_LocalInvocationIndex, of_plane = COLUMNS * (4u / OUTPUTS);
    const uint column = me % COLUMNS, plane = me / of_plane;
    const uint lane = OUTPUTS == 4u ? 0u : me % of_plane / COLUMNS; // the first of its outputs
    const uint work = min(group(), args.count - 1u);
    const uint columns = work / args.row_runs, row = work % args.row_runs * ROWS;
    const uint base = (columns * args.chunks * 4u + lane) * COLUMNS + column;
    float sum[ROWS * OUTPUTS];

    [[unroll]] for (uint i = 0u; i < ROWS * OUTPUTS; i++) sum[i] = 0.0;
    for (uint c = plane; c < args.chunks; c += PLANES) {
        uvec4 w[OUTPUTS];
        uvec2 halves[2];
        float some[ROWS * OUTPUTS];

        [[unroll]] for (uint m = 0u; m < OUTPUTS; m++) w[m] =
            weights[base + (4u * c + m) * COLUMNS];
        if (BLOCKS == PACKED_BLOCKS_WHOLE || BLOCKS == PACKED_BLOCKS_HALF)
            halves[0] = block_scales(columns, column, c, 0u);
        if (BLOCKS == PACKED_BLOCKS_HALF)
            halves[1] = block_scales(columns, column, c, CHUNK_WEIGHTS / 2u);
        [[unroll]] for (uint i = 0u; i < ROWS * OUTPUTS; i++) some[i] = 0.0;
        [[unroll]] for (uint q = 0u; q < CHUNK_WEIGHTS / 4u; q++)
        {
            const uint of_word = WORD_WEIGHTS / 4u;
            const uint s = c * (CHUNK_WEIGHTS / 4u) + q;
            const uint s_inside = WHOLE ? s : min(s, args.in_slices - 1u);
            vec4 of_x[OUTPUTS]; // an output's weights of a slice of x

            [[unroll]] for (uint m = 0u; m < OUTPUTS; m++) of_x[m] =
                weights_of(w[m][q / of_word], q % of_word);
            if (BLOCKS == PACKED_BLOCKS_ANY) [[unroll]]
                for (uint i = 0u; i < 4u; i++) {
                    const vec4 scale = scales_of(block_scales(columns, column, c, 4u * q + i));
                    [[unroll]] for (uint m = 0u; m < OUTPUTS; m++) of_x[m][i] *= scale[lane + m];
                }
            if (BLOCKS == PACKED_BLOCKS_HALF && q == CHUNK_WEIGHTS / 8u) {
                const vec4 scale = scales_of(halves[0]);
                [[unroll]] for (uint i = 0u; i < ROWS * OUTPUTS; i++)
                {
                    sum[i] += scale[lane + i % OUTPUTS] * some[i];
                    some[i] = 0.0;
                }
            }
            [[unroll]] for (uint r = 0u; r < ROWS; r++)
            {
                const uint at = min(row + r, args.rows - 1u) * args.in_slices + s_inside;
                vec4 x = vec4(src[at]);
                if (!WHOLE)
                    x = masked(x, s, args.in_channels);
                [[unroll]] for (uint k = 0u; k < 4u * OUTPUTS; k++)
                {
                    const uint i = k / OUTPUTS, m = k % OUTPUTS;
                    some[r * OUTPUTS + m] += x[i] * of_x[m][i];
                }
            }
        }
        const bool alike = BLOCKS == PACKED_BLOCKS_NONE || BLOCKS == PACKED_BLOCKS_ANY;
        const vec4 scale =
            alike ? vec4(1.0) : scales_of(halves[BLOCKS == PACKED_BLOCKS_HALF ? 1u : 0u]);
        [[unroll]] for (uint i = 0u; i < ROWS * OUTPUTS; i++) sum[i] +=
            scale[lane + i % OUTPUTS] * some[i];
    }
    [[unroll]] for (uint i = 0u; i < ROWS * OUTPUTS; i++)
        part[(i / OUTPUTS * PLANES + plane) * COLUMNS + column][lane + i % OUTPUTS] = sum[i];
    barrier();
    if (RESIDUAL && group() >= args.count)
        return; // a surplus workgroup: the residual is added once
    for (uint i = me; i < ROWS * COLUMNS; i += PLANES * of_plane) {
        const uint r = i / COLUMNS, slice = columns * COLUMNS + i % COLUMNS;
        const uint at = (row + r) * args.out_slices + slice;
        if (row + r >= args.rows || slice >= args.out_slices)
            continue;
        vec4 v = vec4(0.0);
        for (uint p = 0u; p < PLANES; p++)
            v += part[(r * PLANES + p) * COLUMNS + i % COLUMNS];
        if (BLOCKS == PACKED_BLOCKS_NONE)
            v *= side(args.scales_at + 2u * slice);
        v += side(2u * slice);
        if (RESIDUAL)
            v = added(v, vec4(residual[at]));
        dst[at] = STORE(activate(v, ACTIVATION));
    }
}
