/* Push constants of the shaders that more than one op, or none, uses. */
#ifndef ASSAY_DELEGATE_PLAN_SHADER_ARGS_H
#define ASSAY_DELEGATE_PLAN_SHADER_ARGS_H

#include "delegate/graph/graph.h"

#include <stdint.h>

struct io_args {    /* load, store, load_half, store_half */
    uint32_t count; /* slices of all rows; store_half: pairs of elements */
    uint32_t channels, slices;
    uint32_t elements; /* of the dense tensor */
};
_Static_assert(sizeof(struct io_args) == 16, "load.comp, store.comp and those for f16");

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

struct unary_args { /* unary, widen, narrow */
    uint32_t count; /* slices */
};
_Static_assert(sizeof(struct unary_args) == 4, "unary.comp, widen.comp, narrow.comp");

struct simulate_args {
    uint32_t count; /* slices */
    struct graph_steps steps;
};
_Static_assert(sizeof(struct simulate_args) == 16, "simulate.comp");

struct fully_connected_args { /* FULLY_CONNECTED, LSTM */
    uint32_t count;           /* workgroups: rows * blocks of output slices */
    uint32_t in_channels, in_slices, out_slices;
};
_Static_assert(sizeof(struct fully_connected_args) == 16, "fully_connected.comp");

struct pack_args {
    uint32_t count; /* vec4s of the result */
    uint32_t outputs, out_slices, taps, inputs, in_slices, depth;
};
_Static_assert(sizeof(struct pack_args) == 28, "pack_weights.comp");

#endif
