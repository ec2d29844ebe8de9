/* Arguments of resize.comp. */
#ifndef ASSAY_DELEGATE_OPS_MOVE_RESIZE_ARGS_H
#define ASSAY_DELEGATE_OPS_MOVE_RESIZE_ARGS_H

#include "delegate/shaders/args.h"

PUSH_CONSTANTS(resize_args)
    uint count; /* pixels * slices of the output */
    uint in_h, in_w, out_h, out_w, slices;
    float scale_h, scale_w; /* from output to input */
    float offset;           /* of a pixel's centre: 0, or 0.5 with half_pixel_centers */
END_PUSH_CONSTANTS
ARGS_SIZE(resize_args, 36)

#endif
