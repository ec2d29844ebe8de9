/* Push constants of the shaders that are not of an op: load, store,
 * poison, repack. */
#ifndef ASSAY_DELEGATE_SHADER_ARGS_H
#define ASSAY_DELEGATE_SHADER_ARGS_H

#include <stdint.h>

struct io_args {    /* load, store */
    uint32_t count; /* slices of all rows */
    uint32_t channels, slices;
};
_Static_assert(sizeof(struct io_args) == 12, "load.comp, store.comp");

struct poison_args {
    uint32_t count; /* rows */
    uint32_t channels, slices;
    uint32_t pattern; /* bits of one f32, or of two f16 */
};
_Static_assert(sizeof(struct poison_args) == 16, "poison.comp");

struct repack_args {
    uint32_t count; /* slices of all rows of the result */
    uint32_t channels, slices;
    uint32_t source_channels, source_slices;
};
_Static_assert(sizeof(struct repack_args) == 20, "repack.comp");

#endif
