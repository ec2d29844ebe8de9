// CONV_2D of 1x1 pixels, and FULLY_CONNECTED, for so few rows that each weight is used once or
// little more.  src [rows][slices of inputs], dst [rows][slices of outputs]; weights and bias as in
// conv_2d.comp.
//
// What takes time is the way of the weights from memory, so as many loads as possible are under way
// at once: a workgroup computes COLUMNS output slices of a row, its planes share out the input
// slices, and an invocation loads TURNS of them, with 4 weights each, before it multiplies.  The
// sums of the planes are added in a fixed order.
//
// With MATVEC_SPEC_TAIL the last workgroup computes the SOFTMAX of the rows (tail.glsl).
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "delegate/shaders/reduce_in_workgroup.glsl"
#include "delegate/shaders/slice.glsl"
#include "delegate/ops/product/matvec.args.h"
#include "delegate/ops/reduce/softmax_op.args.h"
#include "delegate/ops/reduce/tail.glsl"

WRITES(0, dst);
READS(0, residual); // the same memory: an element is read and written by one invocation
READS(1, src);
READS(2, weights);
CONSTANTS(3, bias);

layout(constant_id = MATVEC_SPEC_ACTIVATION) const uint ACTIVATION = 0u;
layout(constant_id = MATVEC_SPEC_RESIDUAL) const bool RESIDUAL = false;
layout(constant_id = MATVEC_SPEC_ROUNDED) const bool ROUNDED = false;
layout(constant_id = MATVEC_SPEC_COLUMNS) const uint COLUMNS = 2u;
layout(constant_id = MATVEC_SPEC_TURNS) const uint TURNS = 1u;
layout(constant_id = MATVEC_SPEC_PLANES) const uint PLANES = 1u;
layout(constant_id = MATVEC_SPEC_TAIL) const uint TAIL = 0u;

shared vec4 part[PLANES * COLUMNS];

shared float reduced[TAIL > 0u ? REDUCERS : 1u];
const uint OP = SOFTMAX_POWERS;
const bool ALONE = false;
#define INVOCATIONS     TAIL
#define SLICE_OF_ROW(i) product_at(i)
#include "delegate/ops/reduce/softmax.glsl"

// The products of input slices `plane`, plane + PLANES, ... with one output slice.
vec4 sum_of(uint row, uint plane, uint column)
{
    const uint last = args.in_slices - 1u;
    vec4 sum = vec4(0.0), x[TURNS], w[4u * TURNS];

    for (uint from = plane; from <= last; from += PLANES * TURNS) {
        [[unroll]] for (uint t = 0u; t < TURNS; t++)
        {
            const uint s = min(from + t * PLANES, last);
            x[t] = vec4(src[row * args.in_slices + s]);
            [[unroll]] for (uint lane = 0u; lane < 4u; lane++) w[4u * t + lane] =
                vec4(weights[(4u * s + lane) * args.out_slices + column]);
        }
        [[unroll]] for (uint t = 0u; t < TURNS; t++)
        {
            const uint s = from + t * PLANES;
            if (s > last)
                continue;
            const vec4 v = masked(x[t], s, args.in_channels);
            [[unroll]] for (uint lane = 0u; lane < 4u; lane++) sum += v[lane] * w[4u * t + lane];
        }
    }
    return sum;
}

void write_element(uint at, vec4 v)
{
    if (RESIDUAL)
        v = added(v, vec4(residual[at]));
    v = activate(v, ACTIVATION);
    if (ROUNDED)
        v = on_steps(v, args.steps.scale, args.steps.low, args.steps.high);
    if (TAIL > 0u)
        products[first_product() + at] = STORE(v);
    else
        dst[at] = STORE(v);
}

void write_rows()
{
    for (uint row = 0u; row < args.count / args.blocks; row++) {
        const uint to = row * args.out_slices, base = first_product() + to;
        keep_product(base + min(gl_LocalInvocationIndex, args.out_slices - 1u));
        softmax_row(Row(base, args.out_slices, args.tail.channels, args.beta), to, true);
        barrier(); // every invocation has read the sum
    }
}

void main()
{
    const uint me = gl_LocalInvocationID.x, plane = me / COLUMNS;
    const uint work = min(group(), args.count - 1u);
    const uint row = work / args.blocks;
    const uint column = work % args.blocks * COLUMNS + me % COLUMNS;
    const uint inside = min(column, args.out_slices - 1u);
    const vec4 b = bias[inside]; // early, where nobody waits for it

    if (plane < PLANES)
        part[me] = sum_of(row, plane, inside);
    for (uint n = PLANES / 2u; n > 0u; n /= 2u) {
        barrier();
        if (plane < n)
            part[me] += part[me + n * COLUMNS];
    }
    // A surplus workgroup computes the last block once more, and does not write it: the residual is
    // added once.
    if (plane == 0u && column < args.out_slices && group() < args.count)
        write_element(row * args.out_slices + column, part[me] + b);
    if (TAIL > 0u && is_tail())
        write_rows();
}
