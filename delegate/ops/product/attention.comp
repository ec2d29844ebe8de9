// SOFTMAX(logits of q and k + mask) v, of which transform `attention` makes one node: logits are
// scale * q k, or cap * TANH(scale * q k).  dst [rows][v_slices]; or, of a part of the slots, what
// attention_merge.comp reads.
//
// A workgroup computes ROWS rows that have the same keys and values, and goes over their slots, or
// a part of them, in blocks.  Rows come in quads: lane r of a vector is row r of a quad.  A team of
// invocations multiplies a key by all rows, neighbours with neighbouring slices, and one invocation
// for each quad and slot of a block adds up what the team has; then each invocation mixes a slice
// of v of every so many slots.  The largest logit and the sum of exponentials so far, and what is
// mixed of v, move to each new maximum.  All sums are f32.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "delegate/ops/product/attention.args.h"
#include "delegate/shaders/slice.glsl"

layout(constant_id = ATTENTION_SPEC_ROWS) const uint ROWS = 4u;
layout(constant_id = ATTENTION_SPEC_TEAM) const uint TEAM = 1u;
layout(constant_id = ATTENTION_SPEC_PARTS) const uint PARTS = 1u;
layout(constant_id = ATTENTION_SPEC_HELD) const uint HELD = 0u;

WRITES(0, dst);
layout(set = 0, binding = 0) writeonly buffer WritesParts { vec4 parts[]; }; // PARTS > 1
READS(1, q);
READS(2, k);
READS(3, v);
READS(4, mask);

#define INVOCATIONS gl_WorkGroupSize.x
const uint QUADS = ROWS / 4u;
const uint BLOCK = INVOCATIONS / TEAM;  // slots
const uint TOPS = 4u;                   // in how many runs the reductions over a block are cut
const uint AHEAD = TEAM > 1u ? 4u : 1u; // loads of a team's invocation that are under way at once

shared vec4 held[HELD + 1u];
shared uint q_rows[ROWS], mask_rows[ROWS];
// What the invocations of a team have, [quad][invocation][slot], rows of an odd pitch; then parts
// of results, [invocation].
shared vec4 exchanged[QUADS * (INVOCATIONS + TEAM)];
shared vec4 shares[QUADS * BLOCK]; // [quad][slot]: logits, then exponentials
shared vec4 tops[QUADS * TOPS];

// Where a row has its q, k, v and mask, in rows of the tensors.
uvec4 places_of(uint row)
{
    uvec4 at = uvec4(0u);
    for (int d = ATTENTION_DIMS - 1; d >= 0; d--) {
        at += row % args.size[d] *
              uvec4(args.q_stride[d], args.k_stride[d], args.v_stride[d], args.mask_stride[d]);
        row /= args.size[d];
    }
    return at;
}

vec4 query(uint at) { return masked(vec4(q[at]), at % args.q_slices, args.depth); }

// The logits of a quad with a slot, of the sums of products.
vec4 logits_of(vec4 l, uint quad, uint slot)
{
    l *= args.scale;
    if (args.cap != 0.0)
        l = args.cap * hyperbolic_tangent(l);
    if (args.mask_slices == 0u)
        return l;
    vec4 m;
    for (uint r = 0u; r < 4u; r++)
        m[r] = vec4(mask[mask_rows[4u * quad + r] * args.mask_slices + slot / 4u])[slot % 4u];
    return added(l, m);
}

void main()
{
    const uint work = min(group(), args.count - 1u), me = gl_LocalInvocationIndex;
    const uint tile = work / PARTS, first = tile % args.tiles * ROWS;
    const uint row = tile / args.tiles * args.run + first;
    const uint rows = min(args.run - first, ROWS);
    const uint of_part = (args.slots + PARTS - 1u) / PARTS;
    const uint begin = min(work % PARTS * of_part, args.slots);
    const uint end = min(begin + of_part, args.slots);
    // The slice of the results that the invocation computes, and its share of the slots: those
    // without a slot have nothing that is to be added up.
    const uint slice = me % args.v_slices, share = me / args.v_slices;
    const uint sharers = min(INVOCATIONS / args.v_slices, min(of_part, BLOCK));
    // Of a team; of a block.
    const uint member = me % TEAM, of_team = me / TEAM;
    const uint quad = me / BLOCK, of_block = me % BLOCK;
    const uvec4 place = places_of(row); // of keys and values, that of all rows

    if (me < ROWS) {
        const uvec4 of_row = places_of(row + min(me, rows - 1u));
        q_rows[me] = of_row.x * args.q_slices;
        mask_rows[me] = of_row.w;
    }
    barrier();
    for (uint i = me; i < HELD; i += INVOCATIONS)
        held[i] = query(q_rows[i / args.q_slices] + i % args.q_slices);
    if (HELD > 0u)
        barrier();

    vec4 peak[QUADS], mixed[ROWS], sum = vec4(0.0);
    [[unroll]] for (uint i = 0u; i < QUADS; i++) peak[i] = vec4(LOWEST);
    [[unroll]] for (uint r = 0u; r < ROWS; r++) mixed[r] = vec4(0.0);
    for (uint from = begin; from < end; from += BLOCK) {
        vec4 products[QUADS];
        [[unroll]] for (uint i = 0u; i < QUADS; i++) products[i] = vec4(0.0);
        if (from + of_team < end) {
            const uint key = (place.y + (from + of_team) * args.k_step) * args.q_slices;
            for (uint i = member; i < args.q_slices; i += AHEAD * TEAM) {
                vec4 x[AHEAD];
                [[unroll]] for (uint a = 0u; a < AHEAD; a++)
                {
                    const uint s = i + a * TEAM;
                    if (s < args.q_slices)
                        x[a] = masked(vec4(k[key + s]), s, args.depth);
                }
                [[unroll]] for (uint a = 0u; a < AHEAD; a++)
                {
                    const uint s = i + a * TEAM;
                    if (s < args.q_slices) [[unroll]]
                        for (uint r = 0u; r < ROWS; r++) {
                            const vec4 y =
                                HELD > 0u ? held[r * args.q_slices + s] : query(q_rows[r] + s);
                            products[r / 4u][r % 4u] += dot(y, x[a]);
                        }
                }
            }
        }
        vec4 l = products[0];
        if (TEAM > 1u) {
            [[unroll]] for (uint i = 0u; i < QUADS; i++)
                exchanged[(i * TEAM + member) * (BLOCK + 1u) + of_team] = products[i];
            barrier();
            l = vec4(0.0);
            for (uint t = 0u; t < TEAM && quad < QUADS; t++)
                l += exchanged[(quad * TEAM + t) * (BLOCK + 1u) + of_block];
        }
        const bool live = quad < QUADS && from + of_block < end;
        l = live ? logits_of(l, quad, from + of_block) : vec4(LOWEST);
        if (quad < QUADS)
            shares[me] = l;
        barrier();
        if (me < QUADS * TOPS) {
            vec4 top = vec4(LOWEST);
            for (uint s = me % TOPS; s < BLOCK; s += TOPS)
                top = max(top, shares[me / TOPS * BLOCK + s]);
            tops[me] = top;
        }
        barrier();
        vec4 peak_of_mine = vec4(LOWEST), moved_of_mine = vec4(0.0);
        [[unroll]] for (uint i = 0u; i < QUADS; i++)
        {
            const vec4 before = peak[i];
            for (uint t = 0u; t < TOPS; t++)
                peak[i] = max(peak[i], tops[i * TOPS + t]);
            const vec4 moved = exp(before - peak[i]);
            [[unroll]] for (uint r = 0u; r < 4u; r++) mixed[4u * i + r] *= moved[r];
            if (i == quad) {
                peak_of_mine = peak[i];
                moved_of_mine = moved;
            }
        }
        const vec4 e = live ? exp(l - peak_of_mine) : vec4(0.0);
        sum = sum * moved_of_mine + e;
        if (quad < QUADS)
            shares[me] = e;
        barrier();
        const uint slots = min(end - from, BLOCK);
        for (uint s = share; share < sharers && s < slots; s += sharers) {
            const vec4 x = vec4(v[(place.z + (from + s) * args.v_step) * args.v_slices + slice]);
            [[unroll]] for (uint i = 0u; i < QUADS; i++)
            {
                const vec4 f = shares[i * BLOCK + s];
                [[unroll]] for (uint r = 0u; r < 4u; r++) mixed[4u * i + r] += f[r] * x;
            }
        }
        if (TEAM == 1u)
            barrier(); // every invocation has read the shares
    }
    barrier();

    if (quad < QUADS)
        shares[me] = sum;
    barrier();
    if (me < QUADS * TOPS) {
        vec4 some = vec4(0.0);
        for (uint s = me % TOPS; s < BLOCK; s += TOPS)
            some += shares[me / TOPS * BLOCK + s];
        tops[me] = some;
    }
    [[unroll]] for (uint r = 0u; r < ROWS; r++)
    {
        exchanged[me] = mixed[r];
        barrier();
        float all = 0.0;
        for (uint t = 0u; t < TOPS; t++)
            all += tops[r / 4u * TOPS + t][r % 4u];
        if (share == 0u && r < rows && group() < args.count) {
            vec4 y = exchanged[slice];
            for (uint s = 1u; s < sharers; s++)
                y += exchanged[s * args.v_slices + slice];
            if (PARTS == 1u) {
                dst[(row + r) * args.v_slices + slice] = STORE(y / all);
            } else {
                const uint at = ((row + r) * PARTS + work % PARTS) * (args.v_slices + 1u);
                parts[at + slice] = y;
                if (slice == 0u)
                    parts[at + args.v_slices] = vec4(peak[r / 4u][r % 4u], all, 0.0, 0.0);
            }
        }
        barrier();
    }
}
