/* What a product of bytes is made of, for all kernels that matmul.c chooses from. */
#ifndef ASSAY_DELEGATE_OPS_INT8_MATMUL_OPERANDS_H
#define ASSAY_DELEGATE_OPS_INT8_MATMUL_OPERANDS_H

#include "delegate/ops/int8/dot.h"
#include "delegate/ops/window.h"

struct matmul_int8 {
    int src, dst; /* plan tensors [.., C], [.., O] */
    const struct window *window;
    struct window_args args; /* of the window */
    struct dot_shape shape;  /* of the weights */
};

#endif
