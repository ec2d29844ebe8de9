/* What an invocation of a convolution computes. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_CONV_TILE_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_CONV_TILE_ARGS_H

#include "delegate/shaders/args.h"

/* Specialization constants of conv_tile.glsl; the ids below are those of window.args.h. */
#define CONV_TILE_SPEC_ROWS  9
#define CONV_TILE_SPEC_DENSE 10

/* Neighbouring pixels of an invocation of conv_2d_grouped.glsl. */
#define CONV_2D_GROUPED_TILE 4

/* Pixels of an invocation of transpose_conv.glsl, `stride` apart; and how many such tiles a row of
 * dst has.  phases: tiles whose first pixels are neighbours, up to `stride` of them. */
#define TRANSPOSE_CONV_TILE 4
struct transpose_conv_row {
    uint tiles, phases;
};

#endif
