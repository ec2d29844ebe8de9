/* Arguments of gemm.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_GEMM_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_GEMM_ARGS_H

#include "delegate/graph/steps.h"
#include "delegate/ops/window.args.h"

/* Specialization constants; the ids below are those of window.args.h. */
#define GEMM_SPEC_ACTIVATION 9  /* TfLiteFusedActivation */
#define GEMM_SPEC_FLAGS      10 /* GEMM_RESIDUAL, ... */
#define GEMM_SPEC_ROWS       11 /* of an invocation */
#define GEMM_SPEC_COLUMNS    12 /* of an invocation: output slices */
#define GEMM_SPEC_DEPTH      13 /* input slices of a chunk, a multiple of the workgroup size z */
#define GEMM_SPEC_SOURCE     14 /* GEMM_DENSE, GEMM_TAPS, or GEMM_SLICES + input slices of a tap */
#define GEMM_SPEC_GROUPS     15 /* of CONV_2D: a product for each */

#define GEMM_RESIDUAL 1  /* what dst holds is added */
#define GEMM_ROUNDED  2  /* to `steps` */
#define GEMM_MASKED   4  /* the last input slice has lanes without a channel */
#define GEMM_TAIL     8  /* the last chunk ends past the depth */
#define GEMM_PART     16 /* dst are f32 sums of a part of the depth, without bias */
#define GEMM_PHASES   32 /* TRANSPOSE_CONV: a product for each phase */
#define GEMM_HALVED   64 /* shared memory has room for the sums of half of the planes */
#define GEMM_JOINED                                                                                \
    128 /* the last workgroup of a tile adds up the parts, which are at binding 3                  \
         */

/* Variant "fast": input slices of which an invocation adds up the products in f16, 4 each. */
#define GEMM_RUN 8u

#define GEMM_DENSE  0 /* 1x1, stride 1, no padding: row p is made of pixel p of src */
#define GEMM_TAPS   1 /* each chunk is of one tap */
#define GEMM_SLICES 2 /* a chunk has slices of several taps */

PUSH_CONSTANTS(gemm_args)
    uint count;  /* workgroups: tiles * parts of the depth */
    uint tiles;  /* blocks of rows * products * blocks of output slices */
    uint pixels; /* N * OH * OW */
    ARGS_STRUCT(window_args) window;
    uint in_channels;
    uint depth;      /* input slices of all taps of a product; of phases, the most that one has */
    uint part_depth; /* of them in a part, a multiple of GEMM_SPEC_DEPTH unless there is one part */
    /* GEMM_JOINED: where binding 2 has the weights and the biases, in elements of either, and the
     * counters of the tiles, in words. */
    uint weights_at, bias_at, counters_at;
    ARGS_STRUCT(graph_steps) steps;
END_PUSH_CONSTANTS
ARGS_SIZE(gemm_args, 80)

#endif
