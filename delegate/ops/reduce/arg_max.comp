// ARG_MAX, ARG_MIN: the index of the first of the largest (smallest) elements along one axis, as
// i32. An invocation computes one slice of dst.  NaN is skipped as the CPU's kernels do on x86:
// along the channels they, too, find the largest of each of 4 lanes first
// (reference/ops/arg_max.c).
// Variants: f32 f16 byte word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/ops/reduce/arg_max.args.h"
#include "delegate/shaders/element.glsl"
#if ELEMENT == F32 || ELEMENT == F16
#include "delegate/shaders/slice.glsl"
#define VEC       vec4
#define IS_NAN(v) isnan(v)
#else
#include "delegate/shaders/integer.glsl"
#define VEC       ivec4
#define IS_NAN(v) bvec4(false)
#endif

layout(set = 0, binding = 0) writeonly buffer WritesIndices { uvec4 dst[]; };
READS(1, src);

layout(constant_id = ARG_MAX_SPEC_OVER_CHANNELS) const bool OVER_CHANNELS = false;
layout(constant_id = ARG_MAX_SPEC_LEAST) const bool LEAST = false;
layout(constant_id = ARG_MAX_SPEC_SIGNED) const bool SIGNED = false;

VEC load(uint i)
{
#if ELEMENT == BYTE
    return unpacked(src[i], SIGNED);
#else
    return VEC(src[i]);
#endif
}

bvec4 larger(VEC a, VEC b) { return LEAST ? lessThan(a, b) : greaterThan(a, b); }

// Where v replaces the best so far.
bvec4 better(VEC v, VEC best)
{
    const bvec4 is_larger = larger(v, best), best_nan = IS_NAN(best), v_nan = IS_NAN(v);
    return bvec4(is_larger.x || (best_nan.x && !v_nan.x), is_larger.y || (best_nan.y && !v_nan.y),
                 is_larger.z || (best_nan.z && !v_nan.z), is_larger.w || (best_nan.w && !v_nan.w));
}

uvec4 along_rows(uint row, uint s)
{
    const uint first = (row / args.inner * args.extent * args.inner + row % args.inner);
    VEC best = load(first * args.in_slices + s);
    uvec4 at = uvec4(0u);
    for (uint k = 1u; k < args.extent; k++) {
        const VEC v = load((first + k * args.inner) * args.in_slices + s);
        const bvec4 replaces = better(v, best);
        best = mix(best, v, replaces);
        at = mix(at, uvec4(k), replaces);
    }
    return at;
}

// The larger one; a NaN on the left wins, and one on the right loses.
VEC not_less(VEC a, VEC b) { return mix(a, b, larger(b, a)); }

uint along_channels(uint row)
{
    const uint base = row * args.in_slices, whole = args.extent / 4u;
    VEC peak = load(base).xxxx;
    uint best = 0u, from = 1u;
    if (whole > 0u) {
        VEC lane = load(base);
        uvec4 at = uvec4(0u, 1u, 2u, 3u);
        for (uint s = 1u; s < whole; s++) {
            const VEC v = load(base + s);
            const bvec4 replaces = better(v, lane);
            lane = mix(lane, v, replaces);
            at = mix(at, uvec4(4u * s) + uvec4(0u, 1u, 2u, 3u), replaces);
        }
        peak = not_less(not_less(lane.xxxx, lane.yyyy), not_less(lane.zzzz, lane.wwww));
        bool found = false;
        for (uint i = 0u; i < 4u; i++)
            if (lane[i] == peak.x && (!found || at[i] < best)) {
                best = at[i];
                found = true;
            }
        from = 4u * whole;
    }
    for (uint c = from; c < args.extent; c++) {
        const VEC v = VEC(load(base + c / 4u)[c % 4u]);
        if (better(v, peak).x) {
            peak = v;
            best = c;
        }
    }
    return best;
}

void main()
{
    const uint i = item();
    if (i >= args.count)
        return;
    const uint row = i / args.out_slices, s = i % args.out_slices;
    if (!OVER_CHANNELS) {
        dst[i] = along_rows(row, s);
        return;
    }
    uvec4 at = uvec4(0u);
    for (uint lane = 0u; lane < min(4u, args.out_channels - 4u * s); lane++)
        at[lane] = along_channels(row * args.out_channels + 4u * s + lane);
    dst[i] = at;
}
