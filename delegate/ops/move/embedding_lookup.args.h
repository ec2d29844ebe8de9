/* Arguments of embedding_lookup.comp. */
#ifndef ASSAY_DELEGATE_OPS_MOVE_EMBEDDING_LOOKUP_ARGS_H
#define ASSAY_DELEGATE_OPS_MOVE_EMBEDDING_LOOKUP_ARGS_H

#include "delegate/shaders/args.h"

#define EMBEDDING_LOOKUP_SPEC_BITS   3 /* of an element of the table: 8, 4 or 2 */
#define EMBEDDING_LOOKUP_SPEC_BLOCKS 4 /* a scale for each block of a row */

PUSH_CONSTANTS(embedding_lookup_args)
    uint count;  /* slices of dst, in all rows */
    uint slices; /* of a row */
    uint all;    /* rows of the table, of which are here: */
    uint first, rows;
    /* of struct packed_weights: */
    uint columns, chunks, scales_at, block, row_scales;
END_PUSH_CONSTANTS
ARGS_SIZE(embedding_lookup_args, 40)

#endif
