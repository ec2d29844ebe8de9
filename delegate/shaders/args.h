/* Lets C and GLSL include the same X.args.h: the push constants of shader X and the ids of its
 * specialization constants, each written once.
 *
 *     #define X_SPEC_BETA 3
 *     PUSH_CONSTANTS(x_args)
 *         uint count; (slices)
 *         float scale;
 *     END_PUSH_CONSTANTS
 *     ARGS_SIZE(x_args, 8)
 *
 * C sees `struct x_args { ... };`, GLSL (compiled with -DGLSL) the push constant block `args`.
 * Members are uint, int and float, arrays of them, and structs declared with ARGS_STRUCT: all are
 * aligned to 4 bytes in both languages (std430), so the offsets are the same.  A file has at most
 * one block, since a shader has one.  ARGS_SIZE is the size in bytes, at most the 128 that Vulkan
 * guarantees. */
#ifndef ASSAY_DELEGATE_SHADERS_ARGS_H
#define ASSAY_DELEGATE_SHADERS_ARGS_H

/* Specialization constants of every shader: the workgroup size.  The ids of its own begin at 3. */
#define SPEC_WORKGROUP_X 0
#define SPEC_WORKGROUP_Y 1
#define SPEC_WORKGROUP_Z 2

#ifdef GLSL

#define PUSH_CONSTANTS(name)                                                                       \
    layout(push_constant) uniform name                                                             \
    {
#define END_PUSH_CONSTANTS                                                                         \
    }                                                                                              \
    args;
#define ARGS_SIZE(name, size_bytes)
#define ARGS_STRUCT(name) name

#else

#include <stdint.h>

typedef uint32_t uint; /* the type's name in GLSL */

#define PUSH_CONSTANTS(name) struct name {
#define END_PUSH_CONSTANTS                                                                         \
    }                                                                                              \
    ;
#define ARGS_SIZE(name, size_bytes)                                                                \
    _Static_assert(sizeof(struct name) == (size_bytes) && (size_bytes) <= 128, #name);
#define ARGS_STRUCT(name) struct name

#endif
#endif
