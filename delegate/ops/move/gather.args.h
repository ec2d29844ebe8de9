/* Arguments of gather.comp. */
#ifndef ASSAY_DELEGATE_OPS_MOVE_GATHER_ARGS_H
#define ASSAY_DELEGATE_OPS_MOVE_GATHER_ARGS_H

#include "delegate/shaders/args.h"

#define GATHER_SPEC_WHOLE 3 /* whole slices move */
#define GATHER_SPEC_DEPTH 4 /* indices of a tuple; GATHER: 1 */

#define GATHER_DEPTH_MAX 8

/* Elements are counted densely, without padding: of the source [batches, outer, extent, inner], of
 * the indices [batches, count, depth], of the result [batches, outer, count, inner]. */
PUSH_CONSTANTS(gather_args)
    uint slices; /* of the output, in all rows */
    uint out_channels, out_slices, in_channels, in_slices;
    uint index_channels, index_pitch; /* a row of indices, and words from one to the next */
    uint outer, extent, count, inner;
    uint first; /* of a run of a larger source, of which src is `extent`; else 0 */
    uint size[GATHER_DEPTH_MAX],
        stride[GATHER_DEPTH_MAX]; /* of an index, and what it steps in extent */
END_PUSH_CONSTANTS
ARGS_SIZE(gather_args, 112)

#endif
