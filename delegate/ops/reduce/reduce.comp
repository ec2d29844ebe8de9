// MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD.  The dims of src but the last are given as up to
// 4 kept and 4 reduced groups, outermost first, with their strides in rows; the last dim, the
// channels, is kept or reduced as a whole.  A workgroup computes one slice of dst, or a part of it:
// its invocations share out the elements, then combine what they found.  Words are i32; sums and
// products wrap.
// Variants: f32 f16 word
#version 450
#extension GL_GOOGLE_include_directive : require
#include "delegate/shaders/slice.glsl"
#if ELEMENT == WORD
#define SUM     ivec4
#define LOWEST  int(0x80000000)
#define HIGHEST 0x7fffffff
#else
#define SUM     vec4
#define HIGHEST 3.402823466e38
#endif
#include "delegate/ops/reduce/reduce_sums.glsl"

WRITES(0, dst);
READS(1, src);

// NaN is neither larger nor smaller: as nothing() it replaces nothing, wherever it is.
SUM load(uint row, uint s)
{
    const SUM v = SUM(src[row * in_slices() + s]);
#if ELEMENT != WORD
    if (OP == REDUCE_MAX)
        return mix(nothing(), v, greaterThan(v, nothing()));
    if (OP == REDUCE_MIN)
        return mix(nothing(), v, lessThan(v, nothing()));
#endif
    return v;
}

void main()
{
    uint i;
    SUM sum;
    if (!is_whole(i, sum))
        return;
#if ELEMENT != WORD
    if (OP == REDUCE_MEAN)
        sum /= args.terms;
#endif
    dst[i] = STORE(sum);
}
