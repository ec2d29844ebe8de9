/* Arguments of reduce.comp and reduce_int8.comp. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_REDUCE_ARGS_H
#define ASSAY_DELEGATE_OPS_REDUCE_REDUCE_ARGS_H

#include "delegate/shaders/args.h"

#define REDUCE_SPEC_OVER_CHANNELS 3 /* the channels are reduced, too */
#define REDUCE_SPEC_OP            4 /* REDUCE_MEAN, REDUCE_SUM, ... */
#define REDUCE_SPEC_STAGE         5 /* REDUCE_WHOLE, REDUCE_PARTS, ... */
#define REDUCE_SPEC_SIGNED        6 /* reduce_int8.comp: i8; else u8 */
#define REDUCE_SPEC_AVERAGE       7 /* reduce_int8.comp: AVERAGE_POOL_2D; else MEAN or SUM */

/* In bytes REDUCE_MEAN and REDUCE_SUM differ in their multiplier alone.  ANY is the larger one of
 * false and true, ALL the smaller one. */
#define REDUCE_MEAN 0
#define REDUCE_SUM  1
#define REDUCE_MAX  2
#define REDUCE_MIN  3
#define REDUCE_PROD 4

/* Few results of many elements are made in two steps: of parts of the elements, by as many
 * workgroups as fill a device, and of what these have found. */
#define REDUCE_WHOLE    0
#define REDUCE_PARTS    1
#define REDUCE_OF_PARTS 2
/* Many results of few elements: an invocation makes a slice of them. */
#define REDUCE_ALONE 3

/* Neighbouring dims but the channels that are all kept, or all reduced, are a group. */
#define REDUCE_GROUPS 4

PUSH_CONSTANTS(reduce_args)
    uint count; /* slices of the output */
    uint in_channels, out_channels;
    float terms; /* reduce.comp: elements of a sum */
    uint rows;   /* of a sum: product of the reduced groups */
    uint parts;
    /* Outermost first; strides in rows of the input. */
    uint kept_size[REDUCE_GROUPS], kept_stride[REDUCE_GROUPS];
    uint reduced_size[REDUCE_GROUPS], reduced_stride[REDUCE_GROUPS];
    /* reduce_int8.comp.  The multiplier of AVERAGE is the number of elements. */
    int in_zero, out_zero;
    int multiplier, shift;
    int low, high; /* of the output, less its zero point */
END_PUSH_CONSTANTS
ARGS_SIZE(reduce_args, 112)

#endif
