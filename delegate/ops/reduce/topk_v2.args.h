/* Arguments of topk_v2.comp. */
#ifndef ASSAY_DELEGATE_OPS_REDUCE_TOPK_V2_ARGS_H
#define ASSAY_DELEGATE_OPS_REDUCE_TOPK_V2_ARGS_H

#include "delegate/shaders/args.h"

/* More elements than a sort would pay for: each costs a pass over the row. */
#define TOPK_V2_MOST 64

#define TOPK_V2_SPEC_SIGNED 3 /* bytes are i8; else u8 */

PUSH_CONSTANTS(topk_v2_args)
    uint count;            /* rows */
    uint channels, slices; /* of src */
    uint k, out_slices;
END_PUSH_CONSTANTS
ARGS_SIZE(topk_v2_args, 20)

#endif
