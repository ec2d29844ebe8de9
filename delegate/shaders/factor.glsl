// Factors of products: f32, or, in the variant of a shader that the Makefile calls "fast"
// (precision=fast), f16, in which they are multiplied and added up too.  FACTOR_BITS is what shared
// memory has, of which a device need not allow f16.
#ifndef FACTOR_GLSL
#define FACTOR_GLSL

#ifndef FAST
#define FAST 0
#endif

#if FAST
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define FACTOR       f16vec4
#define FACTOR_BITS  uvec2
#define FACTOR_BYTES 8u

FACTOR factor_of(FACTOR_BITS bits)
{
    return FACTOR(unpackFloat2x16(bits.x), unpackFloat2x16(bits.y));
}
FACTOR_BITS factor_bits(FACTOR v) { return FACTOR_BITS(packFloat2x16(v.xy), packFloat2x16(v.zw)); }
#else
#define FACTOR       vec4
#define FACTOR_BITS  vec4
#define FACTOR_BYTES 16u
#endif

#endif
