// LSTM with the full kernel: steps `first` to `last` of a sequence.  x [rows,D], y [rows,O]; row b
// of step t is b * row_pitch + t * step_pitch.  A workgroup computes the cells of one row, or a
// part of them in one step, gl_WorkGroupSize.x at a time; invocation y adds up its share of the
// products. A vec4 of weights or sums has the gates i, f, c, o of one cell.  constants: W [D padded
// to 4][A], R [O][A], bias [A], peephole weights [A] (0 for c), then of the projection the weights
// [A][slices of O] and the bias.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#include "delegate/ops/recurrent/lstm_full.args.h"

WRITES(0, y);
READS(1, x);
READS(2, constants);
layout(set = 0, binding = 3) coherent buffer State { float state[]; };

layout(constant_id = LSTM_FULL_SPEC_CIFG) const bool CIFG = false;
layout(constant_id = LSTM_FULL_SPEC_PEEPHOLE) const bool PEEPHOLE = false;
layout(constant_id = LSTM_FULL_SPEC_PROJECTION) const bool PROJECTION = false;
layout(constant_id = LSTM_FULL_SPEC_ACTIVATION) const uint ACTIVATION = 4u;

const uint TANH = 4u, LOGISTIC = 6u; // TfLiteFusedActivation

vec4 activated(vec4 v)
{
    return ACTIVATION == TANH       ? hyperbolic_tangent(v)
           : ACTIVATION == LOGISTIC ? logistic(v)
                                    : activate(v, ACTIVATION);
}

shared vec4 part[gl_WorkGroupSize.x * gl_WorkGroupSize.y];

// Adds up the shares of column gl_LocalInvocationID.x.
vec4 total(vec4 sum)
{
    barrier();
    part[gl_LocalInvocationIndex] = sum;
    barrier();
    sum = vec4(0.0);
    for (uint i = 0u; i < gl_WorkGroupSize.y; i++)
        sum += part[i * gl_WorkGroupSize.x + gl_LocalInvocationID.x];
    return sum;
}

float clipped(float v, float clip)
{
    // Selected, not clamped: NaN stays NaN.
    return clip > 0.0 && abs(v) > clip ? sign(v) * clip : v;
}

// The share of the sums of a cell.
vec4 sums(uint cell, uint row, uint h)
{
    const uint recurrent = 4u * args.in_slices * args.cells;
    vec4 sum = vec4(0.0);
    for (uint s = gl_LocalInvocationID.y; s < args.in_slices; s += gl_WorkGroupSize.y) {
        const vec4 v = masked(vec4(x[row * args.in_slices + s]), s, args.depth);
        for (uint lane = 0u; lane < 4u; lane++)
            sum += vec4(constants[(4u * s + lane) * args.cells + cell]) * v[lane];
    }
    for (uint o = gl_LocalInvocationID.y; o < args.outputs; o += gl_WorkGroupSize.y)
        sum += vec4(constants[recurrent + o * args.cells + cell]) * state[h + o];
    return sum;
}

// The new cell, and what it shows.
float update(uint cell, uint c, vec4 z)
{
    const uint bias = (4u * args.in_slices + args.outputs) * args.cells;
    const vec4 peephole = PEEPHOLE ? vec4(constants[bias + args.cells + cell]) : vec4(0.0);
    const float before = state[c + cell];
    z += vec4(constants[bias + cell]) + vec4(peephole.xyz * before, 0.0);
    const vec4 gates = logistic(z);
    const float fresh = activated(z).z;
    const float now =
        clipped(gates.y * before + (CIFG ? 1.0 - gates.y : gates.x) * fresh, args.cell_clip);
    state[c + cell] = now;
    return logistic(z + peephole * now).w * activated(vec4(now)).x;
}

// Slice s of the projection.
vec4 projected(uint s, uint m)
{
    const uint weights = (4u * args.in_slices + args.outputs + 2u) * args.cells;
    vec4 sum = vec4(0.0);
    for (uint a = gl_LocalInvocationID.y; s < args.out_slices && a < args.cells;
         a += gl_WorkGroupSize.y)
        sum += vec4(constants[weights + a * args.out_slices + s]) * state[m + a];
    sum = total(sum);
    if (s < args.out_slices)
        sum += vec4(constants[weights + args.cells * args.out_slices + s]);
    return vec4(clipped(sum.x, args.proj_clip), clipped(sum.y, args.proj_clip),
                clipped(sum.z, args.proj_clip), clipped(sum.w, args.proj_clip));
}

void sync()
{
    memoryBarrierBuffer();
    barrier();
}

void main()
{
    if (group() >= args.count)
        return;
    const uint b = group() / args.parts;
    const uint base = 4u * b * (2u * args.out_slices + 2u * args.cell_slices);
    const uint c = base + 8u * args.out_slices, m = c + 4u * args.cell_slices;
    const uint stride = args.parts * gl_WorkGroupSize.x;
    const uint begin = group() % args.parts * gl_WorkGroupSize.x;
    for (uint t = args.first; t < args.last; t++) {
        const uint row = b * args.row_pitch + t * args.step_pitch;
        const uint h = base + (t & 1u) * 4u * args.out_slices;
        const uint next = base + (~t & 1u) * 4u * args.out_slices;
        const uint to = PROJECTION ? m : next;
        for (uint block = begin; block < args.cells; block += stride) {
            const uint cell = block + gl_LocalInvocationID.x;
            const vec4 z = total(cell < args.cells ? sums(cell, row, h) : vec4(0.0));
            if (cell < args.cells && gl_LocalInvocationID.y == 0u)
                state[to + cell] = update(cell, c, z);
        }
        sync();
        for (uint s = gl_LocalInvocationID.x;
             PROJECTION && s - gl_LocalInvocationID.x < args.out_slices; s += gl_WorkGroupSize.x) {
            const vec4 v = projected(s, m);
            for (uint lane = 0u; s < args.out_slices && lane < 4u; lane++)
                if (gl_LocalInvocationID.y == 0u)
                    state[next + 4u * s + lane] = v[lane];
        }
        sync();
        // A workgroup has whole slices of cells.
        for (uint s = begin / 4u + gl_LocalInvocationIndex; s < args.out_slices;
             s += gl_WorkGroupSize.x * gl_WorkGroupSize.y) {
            if (args.parts > 1u && 4u * s >= begin + gl_WorkGroupSize.x)
                break;
            const uint from = next + 4u * s;
            y[row * args.out_slices + s] =
                STORE(vec4(state[from], state[from + 1u], state[from + 2u], state[from + 3u]));
        }
    }
}
