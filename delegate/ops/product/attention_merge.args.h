/* Arguments of attention_merge.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_ATTENTION_MERGE_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_ATTENTION_MERGE_ARGS_H

#include "delegate/shaders/args.h"

PUSH_CONSTANTS(attention_merge_args)
    uint count; /* slices of dst */
    uint out_slices;
    uint parts;
END_PUSH_CONSTANTS
ARGS_SIZE(attention_merge_args, 12)

#endif
