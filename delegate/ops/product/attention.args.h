/* Arguments of attention.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_ATTENTION_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_ATTENTION_ARGS_H

#include "delegate/shaders/args.h"

#define ATTENTION_DIMS     4
#define ATTENTION_ROWS_MAX 16

#define ATTENTION_SPEC_ROWS  3 /* of a workgroup: 4, 8 or ATTENTION_ROWS_MAX */
#define ATTENTION_SPEC_TEAM  4 /* invocations of a key: a power of two, at least ROWS / 4 */
#define ATTENTION_SPEC_PARTS 5 /* workgroups that share out the slots; 1: it writes the results */
#define ATTENTION_SPEC_HELD  6 /* slices of q in shared memory: ROWS * q_slices; 0: none */

PUSH_CONSTANTS(attention_args)
    uint count;           /* workgroups */
    uint run, tiles;      /* rows with the same k and v, one after the other; tiles of them */
    uint slots;           /* rows of k and of v */
    uint depth, q_slices; /* of q and k */
    uint v_slices;        /* of v and dst */
    uint mask_slices;     /* 0: no mask */
    uint k_step, v_step;  /* rows from a slot to the next */
    float scale, cap;     /* cap 0: none */
    /* Dims of the rows, outermost first; strides in rows of the tensors. */
    uint size[ATTENTION_DIMS];
    uint q_stride[ATTENTION_DIMS], k_stride[ATTENTION_DIMS];
    uint v_stride[ATTENTION_DIMS], mask_stride[ATTENTION_DIMS];
END_PUSH_CONSTANTS
ARGS_SIZE(attention_args, 128)

#endif
