// Elements, slices and workgroups: what all shaders share.
//
// A tensor is rows of channels, padded to slices of 4; lanes of the last slice past the last
// channel hold anything, infinity and NaN too.  The Makefile compiles a shader once for each
// word in its line "// Variants: ...", else for f32 and f16; "fast" is F16 with f16 arithmetic
// beside it (factor.glsl).  One that moves bits names byte, short and word alone, and moves f16 as
// SHORT and f32 as WORD:
//
//     ELEMENT  in memory: STORED  in registers: SLICE  one element: VALUE
//     F32      vec4               vec4                 float
//     F16      f16vec4            vec4                 float
//     BYTE     uint               uint                 uint: 8 bits
//     SHORT    uvec2              uvec2                uint: 16 bits
//     WORD     uvec4              uvec4                uint: 32 bits
//
// The first channel of a word of integers is in the low bits.
#ifndef ELEMENT_GLSL
#define ELEMENT_GLSL

#define F32   0
#define F16   1
#define BYTE  2
#define SHORT 3
#define WORD  4

#if ELEMENT == F32
#define STORED       vec4
#define ELEMENT_BITS 32u
#elif ELEMENT == F16
#extension GL_EXT_shader_16bit_storage : require
#define STORED       f16vec4
#define ELEMENT_BITS 16u
#elif ELEMENT == BYTE
#define STORED       uint
#define ELEMENT_BITS 8u
#elif ELEMENT == SHORT
#define STORED       uvec2
#define ELEMENT_BITS 16u
#elif ELEMENT == WORD
#define STORED       uvec4
#define ELEMENT_BITS 32u
#else
#error ELEMENT is none of F32, F16, BYTE, SHORT, WORD
#endif

#if ELEMENT == F32 || ELEMENT == F16
#define SLICE vec4
#define VALUE float
#else
#define SLICE STORED
#define VALUE uint
#endif

#include "delegate/shaders/args.h"

// A finite number beyond the range of f16 becomes the largest one, infinities and NaN stay.  Of an
// infinity what follows could make NaN, as its difference from another or its product with 0, where
// in f32 there is a number (TOLERANCES.md 6).  Bits are compared, as drivers may take it that there
// are no infinities.
vec4 in_half_range(vec4 v)
{
    const bvec4 finite = lessThan(floatBitsToUint(v) & 0x7fffffffu, uvec4(0x7f800000u));
    return mix(v, clamp(v, -65504.0, 65504.0), finite);
}

// What memory gets of a result.  No function: one that returns f16 needs the capability Float16.
#if ELEMENT == F16
#define STORE(v) STORED(in_half_range(v))
#else
#define STORE(v) STORED(v)
#endif

layout(local_size_x_id = SPEC_WORKGROUP_X, local_size_y_id = SPEC_WORKGROUP_Y,
       local_size_z_id = SPEC_WORKGROUP_Z) in;

// Declares buffer `name` of slices at a binding.
#define READS(bind, name)                                                                          \
    layout(set = 0, binding = bind) readonly buffer Reads##name { STORED name[]; }
#define WRITES(bind, name)                                                                         \
    layout(set = 0, binding = bind) writeonly buffer Writes##name { STORED name[]; }
#define UPDATES(bind, name)                                                                        \
    layout(set = 0, binding = bind) buffer Updates##name { STORED name[]; }
// The same of words, whatever is in them.
#define READS_WORDS(bind, name)                                                                    \
    layout(set = 0, binding = bind) readonly buffer ReadsWords##name { uint name[]; }
#define WRITES_WORDS(bind, name)                                                                   \
    layout(set = 0, binding = bind) writeonly buffer WritesWords##name { uint name[]; }

// The number of the workgroup, and that of the invocation.  The grid is laid out in x and y, since
// a device may allow only 65535 workgroups in x; it may have more than are needed.
uint group() { return gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x; }
uint item() { return group() * gl_WorkGroupSize.x + gl_LocalInvocationID.x; }

// Which lanes of slice s hold one of `channels` channels.
bvec4 lanes(uint s, uint channels)
{
    return lessThan(uvec4(4u * s) + uvec4(0u, 1u, 2u, 3u), uvec4(channels));
}

uint byte_at(uint word, uint lane) { return word >> 8u * lane & 0xffu; }
uint with_byte(uint word, uint lane, uint byte)
{
    return (word & ~(0xffu << 8u * lane)) | byte << 8u * lane;
}
uint short_at(uint word, uint lane) { return word >> 16u * lane & 0xffffu; }
uint with_short(uint word, uint lane, uint bits)
{
    return (word & ~(0xffffu << 16u * lane)) | bits << 16u * lane;
}

// An element of a slice, and the slice with another one.
#if ELEMENT == BYTE
uint element_at(uint slice, uint lane) { return byte_at(slice, lane); }
uint with_element(uint slice, uint lane, uint v) { return with_byte(slice, lane, v); }
#elif ELEMENT == SHORT
uint element_at(uvec2 slice, uint lane) { return short_at(slice[lane / 2u], lane % 2u); }
uvec2 with_element(uvec2 slice, uint lane, uint v)
{
    slice[lane / 2u] = with_short(slice[lane / 2u], lane % 2u, v);
    return slice;
}
#elif ELEMENT == WORD
uint element_at(uvec4 slice, uint lane) { return slice[lane]; }
uvec4 with_element(uvec4 slice, uint lane, uint v)
{
    slice[lane] = v;
    return slice;
}
#else
float element_at(vec4 slice, uint lane) { return slice[lane]; }
vec4 with_element(vec4 slice, uint lane, float v)
{
    slice[lane] = v;
    return slice;
}
#endif

#endif
