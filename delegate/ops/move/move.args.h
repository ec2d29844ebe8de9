/* Arguments of move.comp. */
#ifndef ASSAY_DELEGATE_OPS_MOVE_MOVE_ARGS_H
#define ASSAY_DELEGATE_OPS_MOVE_MOVE_ARGS_H

#include "delegate/shaders/args.h"

#define MOVE_SPEC_MODE 3
#define MOVE_LANES     0 /* element by element */
#define MOVE_WHOLE     1 /* slices of the input become slices of the output */
#define MOVE_BLOCKS    2 /* blocks of 4 slices are transposed */

#define MOVE_DIMS 11

PUSH_CONSTANTS(move_args)
    uint count; /* slices of the output, or blocks of 4 slices */
    uint channels, slices;
    /* Places count elements of the padded rows of the input.  Steps may be negative; sums wrap. */
    uint first;
    /* The first `inner` dims are the output's channels, the others its rows; innermost first. */
    uint inner, dims;
    /* Of blocks: the size of the dim of rows whose neighbours are neighbours in the input, and the
     * rows inside that dim. */
    uint across, below;
    uint size_of[MOVE_DIMS], step_of[MOVE_DIMS];
END_PUSH_CONSTANTS
ARGS_SIZE(move_args, 120)

#endif
