// TOPK_V2: the k largest elements of a row, largest first, and their indices as i32; of equal ones
// the first comes first.  A workgroup computes a row: k times the best of those that come after the
// one before.
// Variants: f32 f16 byte word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/reduce/topk_v2.args.h"
#include "delegate/shaders/element.glsl"
#include "delegate/shaders/reduce_in_workgroup.glsl"
#if ELEMENT == F32 || ELEMENT == F16
#define NUMBER float
#else
#include "delegate/shaders/integer.glsl"
#define NUMBER int
#endif

WRITES(0, dst);
READS(1, src);
layout(set = 0, binding = 2) writeonly buffer WritesIndices { uvec4 indices[]; };

layout(constant_id = TOPK_V2_SPEC_SIGNED) const bool SIGNED = false;

const uint NONE = 0xffffffffu;

struct Candidate {
    NUMBER value;
    uint at; // its index; NONE
};

// Whether a comes before b, both of which are there.
bool is_before(Candidate a, Candidate b)
{
    return b.value < a.value || (!(b.value > a.value) && a.at < b.at);
}

Candidate first_of(Candidate a, Candidate b)
{
    return a.at == NONE || (b.at != NONE && is_before(b, a)) ? b : a;
}

REDUCE_MEMORY(Candidate)
REDUCE_IN_WORKGROUP(Candidate, first_of_all, first_of)

NUMBER element(uint row, uint c)
{
#if ELEMENT == BYTE
    return unpacked(src[row * args.slices + c / 4u], SIGNED)[c % 4u];
#else
    const SLICE v = SLICE(src[row * args.slices + c / 4u]);
    return NUMBER(v[c % 4u]);
#endif
}

void main()
{
    const uint row = min(group(), args.count - 1u);
    Candidate before = Candidate(NUMBER(0), NONE);
    SLICE values = SLICE(0);
    uvec4 at = uvec4(0u);
    for (uint k = 0u; k < args.k; k++) {
        Candidate best = Candidate(NUMBER(0), NONE);
        for (uint c = gl_LocalInvocationIndex; c < args.channels; c += REDUCERS) {
            const Candidate v = Candidate(element(row, c), c);
            if (before.at == NONE || is_before(before, v))
                best = first_of(best, v);
        }
        before = first_of_all(best);
        barrier();
#if ELEMENT == F32 || ELEMENT == F16
        values = with_element(values, k % 4u, before.value);
#elif ELEMENT == BYTE
        values = with_element(values, k % 4u, uint(before.value) & 0xffu);
#else
        values = with_element(values, k % 4u, uint(before.value));
#endif
        at[k % 4u] = before.at;
        if ((k % 4u == 3u || k + 1u == args.k) && gl_LocalInvocationIndex == 0u &&
            group() < args.count) {
            dst[row * args.out_slices + k / 4u] = STORED(values);
            indices[row * args.out_slices + k / 4u] = at;
        }
    }
}
