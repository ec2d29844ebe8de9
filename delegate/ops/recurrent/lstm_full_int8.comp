// LSTM i8 with the full kernel, bit for bit reference/kernels/lstm_int8.c.  Rows, workgroups and
// the turns of h are those of lstm_full.comp; the state has a 32-bit integer for each element.
// constants, of ivec4 of the gates i, f, c, o of a cell: weights of x [in_slices][A], of which each
// integer has the bytes of four inputs; of h [out_slices][A]; what is added to the sum over x, with
// the bias [A], and over h [A]; peephole weights [A]; factors and shifts of the three sums [6].
// Then integers of the projection: weights [cell_slices][O], of four cells each; what is added [O].
//
// Variants: int
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/fixed16.glsl"
#include "delegate/ops/recurrent/lstm_full_int8.args.h"

WRITES_WORDS(0, y);
READS_WORDS(1, x);
layout(set = 0, binding = 2) readonly buffer Constants { ivec4 constants[]; };
layout(set = 0, binding = 3) coherent buffer State { int state[]; };

layout(constant_id = LSTM_FULL_SPEC_CIFG) const bool CIFG = false;
layout(constant_id = LSTM_FULL_SPEC_PEEPHOLE) const bool PEEPHOLE = false;
layout(constant_id = LSTM_FULL_SPEC_PROJECTION) const bool PROJECTION = false;

shared ivec4 part[gl_WorkGroupSize.x * gl_WorkGroupSize.y];

// Adds up the shares of column gl_LocalInvocationID.x.
ivec4 total(ivec4 sum)
{
    barrier();
    part[gl_LocalInvocationIndex] = sum;
    barrier();
    sum = ivec4(0);
    for (uint i = 0u; i < gl_WorkGroupSize.y; i++)
        sum += part[i * gl_WorkGroupSize.x + gl_LocalInvocationID.x];
    return sum;
}

int dot_of(int weights, ivec4 v)
{
    const ivec4 p = unpacked(uint(weights), true) * v;
    return p.x + p.y + p.z + p.w;
}

ivec4 dots(ivec4 weights, ivec4 v)
{
    return ivec4(dot_of(weights.x, v), dot_of(weights.y, v), dot_of(weights.z, v),
                 dot_of(weights.w, v));
}

// Weights of lanes past the last one are 0.
ivec4 state_slice(uint at)
{
    return ivec4(state[at], state[at + 1u], state[at + 2u], state[at + 3u]);
}

ivec4 x_share(uint cell, uint row)
{
    ivec4 sum = ivec4(0);
    for (uint s = gl_LocalInvocationID.y; s < args.in_slices; s += gl_WorkGroupSize.y)
        sum += dots(constants[s * args.cells + cell], unpacked(x[row * args.in_slices + s], true));
    return sum;
}

ivec4 h_share(uint cell, uint h)
{
    ivec4 sum = ivec4(0);
    for (uint s = gl_LocalInvocationID.y; s < args.out_slices; s += gl_WorkGroupSize.y)
        sum += dots(constants[(args.in_slices + s) * args.cells + cell], state_slice(h + 4u * s));
    return sum;
}

uint table(uint i) { return (args.in_slices + args.out_slices + i) * args.cells; }

// v times the factor of sum i, added to z in 16 bits.
ivec4 added(ivec4 z, ivec4 v, uint i)
{
    const uint factors = table(3u) + 2u * i;
    const ivec4 m = fixed_multiply(v, constants[factors], constants[factors + 1u]);
    return clamp(z + clamp(m, -0x40000000, 0x40000000), -32768, 32767);
}

int clipped(int v, int clip) { return clip > 0 ? clamp(v, -clip, clip) : v; }

// The new cell, and what it shows.
int update(uint cell, uint c, ivec4 wx, ivec4 uh)
{
    const ivec4 peephole = PEEPHOLE ? constants[table(2u) + cell] : ivec4(0);
    const int before = state[c + cell];
    ivec4 z = added(ivec4(0), wx + constants[table(0u) + cell], 0u);
    z = added(z, uh + constants[table(1u) + cell], 1u);
    if (PEEPHOLE)
        z = ivec4(added(z, peephole * before, 2u).xy, z.zw);
    const int f = fixed16_logistic(z.y);
    const int i = CIFG ? 32767 - f : fixed16_logistic(z.x);
    const int kept = fixed_rounding_shift_right(f * before, 15);
    const int fresh = fixed_rounding_shift_right(i * fixed16_tanh(z.z, 3), 15 + args.cell_bits);
    const int now = clipped(fixed16_saturate(kept + fresh), args.cell_clip);
    state[c + cell] = now;
    if (PEEPHOLE)
        z.w = added(z, peephole * now, 2u).w;
    const int shown = fixed16_logistic(z.w) * fixed16_tanh(now, args.cell_bits);
    return clamp(fixed_multiply(shown, args.hidden_factor, args.hidden_shift) + args.hidden_zero,
                 -128, 127);
}

int projection_at(uint i)
{
    const uint at = 4u * (table(3u) + 6u) + i;
    return constants[at / 4u][at % 4u];
}

// Result o of the projection.
int projected(uint o, uint m)
{
    int sum = 0;
    for (uint s = gl_LocalInvocationID.y; o < args.outputs && s < args.cell_slices;
         s += gl_WorkGroupSize.y)
        sum += dot_of(projection_at(s * args.outputs + o), state_slice(m + 4u * s));
    sum = total(ivec4(sum)).x;
    if (o < args.outputs)
        sum += projection_at(args.cell_slices * args.outputs + o);
    const int v = clamp(fixed_multiply(sum, args.projection_factor, args.projection_shift),
                        -0x40000000, 0x40000000);
    return clipped(clamp(v + args.out_zero, -128, 127), args.proj_clip);
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
        for (uint block = begin; block < args.cells; block += stride) {
            const uint cell = block + gl_LocalInvocationID.x;
            const bool live = cell < args.cells;
            const ivec4 wx = total(live ? x_share(cell, row) : ivec4(0));
            const ivec4 uh = total(live ? h_share(cell, h) : ivec4(0));
            if (live && gl_LocalInvocationID.y == 0u)
                state[(PROJECTION ? m : next) + cell] = update(cell, c, wx, uh);
        }
        sync();
        for (uint at = 0u; PROJECTION && at < args.outputs; at += gl_WorkGroupSize.x) {
            const uint o = at + gl_LocalInvocationID.x;
            const int v = projected(o, m);
            if (o < args.outputs && gl_LocalInvocationID.y == 0u)
                state[next + o] = v;
        }
        sync();
        // A workgroup has whole slices of cells.
        for (uint s = begin / 4u + gl_LocalInvocationIndex; s < args.out_slices;
             s += gl_WorkGroupSize.x * gl_WorkGroupSize.y) {
            if (args.parts > 1u && 4u * s >= begin + gl_WorkGroupSize.x)
                break;
            y[row * args.out_slices + s] = packed_bytes(state_slice(next + 4u * s));
        }
    }
}
