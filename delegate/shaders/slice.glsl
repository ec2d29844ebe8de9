// What all shaders share: workgroup size, storage type, slices of 4 channels.
//
// Tensors are rows of channels, padded to slices of 4 (one vec4).  Lanes past the last channel hold
// anything, infinity and NaN too: select them away, since 0 * inf is NaN.  Storage is f32 or f16
// (HALF); arithmetic and sums are f32.
#if HALF
#extension GL_EXT_shader_16bit_storage : require
#define STORED f16vec4
#else
#define STORED vec4
#endif

#include "delegate/shaders/args.h"

layout(local_size_x_id = SPEC_WORKGROUP_X, local_size_y_id = SPEC_WORKGROUP_Y,
       local_size_z_id = SPEC_WORKGROUP_Z) in;

// Declares buffer `name` of slices at a binding.
#define READS(bind, name)                                                                          \
    layout(set = 0, binding = bind) readonly buffer Reads##name { STORED name[]; }
#define WRITES(bind, name)                                                                         \
    layout(set = 0, binding = bind) writeonly buffer Writes##name { STORED name[]; }
// Constants are f32 in both precisions, but for weights.
#define CONSTANTS(bind, name)                                                                      \
    layout(set = 0, binding = bind) readonly buffer Constants##name { vec4 name[]; }

// The grid is laid out in x and y, since a device may allow only 65535 workgroups in x.
uint group() { return gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x; }
uint item() { return group() * gl_WorkGroupSize.x + gl_LocalInvocationID.x; }

// Which lanes of slice s hold one of `channels` channels.
bvec4 lanes(uint s, uint channels)
{
    return lessThan(uvec4(4u * s) + uvec4(0u, 1u, 2u, 3u), uvec4(channels));
}

// v where the slice has channels, else 0.
vec4 masked(vec4 v, uint s, uint channels) { return mix(vec4(0.0), v, lanes(s, channels)); }

// Float view: reals to the steps of an 8-bit tensor, whose integers less the zero point are low to
// high.
vec4 clamped(vec4 v, float low, float high);
vec4 on_steps(vec4 v, float scale, float low, float high)
{
    return clamped(round(v / scale), low, high) * scale;
}

// Fused activations, numbered as in the file: none, relu, relu_n1_to_1, relu6.  Selected, not
// clamped: min and max of NaN are anything, and NaN should stay what it is.
vec4 clamped(vec4 v, float low, float high)
{
    v = mix(v, vec4(low), lessThan(v, vec4(low)));
    return mix(v, vec4(high), greaterThan(v, vec4(high)));
}

vec4 activate(vec4 v, uint activation)
{
    if (activation == 1u)
        return mix(v, vec4(0.0), lessThan(v, vec4(0.0)));
    if (activation == 2u)
        return clamped(v, -1.0, 1.0);
    if (activation == 3u)
        return clamped(v, 0.0, 6.0);
    return v;
}
