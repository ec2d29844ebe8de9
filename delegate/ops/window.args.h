/* Where the windows of a convolution lie on its input: a member of the shaders' push constants, and
 * the ids of the specialization constants of window.glsl. */
#ifndef ASSAY_DELEGATE_OPS_WINDOW_ARGS_H
#define ASSAY_DELEGATE_OPS_WINDOW_ARGS_H

#include "delegate/shaders/args.h"

#define WINDOW_SPEC_KERNEL_H   3
#define WINDOW_SPEC_KERNEL_W   4
#define WINDOW_SPEC_STRIDE_H   5
#define WINDOW_SPEC_STRIDE_W   6
#define WINDOW_SPEC_DILATION_H 7
#define WINDOW_SPEC_DILATION_W 8

struct window_args {
    uint in_h, in_w, in_slices;    /* src */
    uint out_h, out_w, out_slices; /* dst */
    int pad_h, pad_w;              /* before the first row and column */
};

#endif
