/* What a product of matrices is made of, for all kernels that matmul.c chooses from. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_MATMUL_OPERANDS_H
#define ASSAY_DELEGATE_OPS_PRODUCT_MATMUL_OPERANDS_H

#include "delegate/ops/operand.h"
#include "delegate/ops/window.h"

#include <stdbool.h>
#include <stdint.h>

struct matmul {
    int src, dst; /* plan tensors [.., C], [.., O] */
    const struct window *window;
    struct window_args args;              /* of the window */
    const struct operand *weights, *bias; /* packed with whole slices of C */
    uint32_t activation;                  /* TfLiteFusedActivation */
    bool has_residual;                    /* what dst holds is added before the activation */
    bool transposed;                      /* TRANSPOSE_CONV: the window takes dst to src */
    uint32_t groups;                      /* of CONV_2D; 0: one */
};

#endif
