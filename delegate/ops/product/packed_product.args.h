/* Arguments of packed_product.comp. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_PACKED_PRODUCT_ARGS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_PACKED_PRODUCT_ARGS_H

#include "delegate/shaders/args.h"

#define PACKED_PRODUCT_SPEC_BITS       3  /* of a weight: 8, 4 or 2 */
#define PACKED_PRODUCT_SPEC_ROWS       4  /* of a workgroup */
#define PACKED_PRODUCT_SPEC_COLUMNS    5  /* output slices of a workgroup */
#define PACKED_PRODUCT_SPEC_PLANES     6  /* that share out the chunks */
#define PACKED_PRODUCT_SPEC_ACTIVATION 7  /* TfLiteFusedActivation */
#define PACKED_PRODUCT_SPEC_BLOCKS     8  /* PACKED_BLOCKS_NONE, ... */
#define PACKED_PRODUCT_SPEC_WHOLE      9  /* chunks hold inputs alone */
#define PACKED_PRODUCT_SPEC_RESIDUAL   10 /* what dst holds is added */
#define PACKED_PRODUCT_SPEC_OUTPUTS    11 /* of an invocation: a slice's 4, or 1 */

#define PACKED_BLOCKS_NONE  0 /* a scale an output */
#define PACKED_BLOCKS_WHOLE 1 /* of whole chunks */
#define PACKED_BLOCKS_HALF  2 /* some end in the middle of a chunk */
#define PACKED_BLOCKS_ANY   3 /* of any size: each weight is scaled alone */

PUSH_CONSTANTS(packed_product_args)
    uint count;    /* workgroups: row_runs * groups of COLUMNS output slices */
    uint rows;     /* of src and dst */
    uint row_runs; /* of ROWS rows */
    uint in_channels, in_slices, out_slices;
    uint chunks;     /* of a row of weights */
    uint scales_at;  /* where in `sides` */
    uint block;      /* inputs of a scale */
    uint row_scales; /* of an output */
END_PUSH_CONSTANTS
ARGS_SIZE(packed_product_args, 40)

#endif
