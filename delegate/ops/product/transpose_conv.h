/* What TRANSPOSE_CONV in floats and in 8 bits shares. */
#ifndef ASSAY_DELEGATE_OPS_PRODUCT_TRANSPOSE_CONV_H
#define ASSAY_DELEGATE_OPS_PRODUCT_TRANSPOSE_CONV_H

#include "delegate/ops/product/conv_tile.args.h"
#include "delegate/ops/window.h"

/* The tiles of a row of the output y. */
struct transpose_conv_row transpose_conv_row_of(const struct window *w,
                                                const struct graph_tensor *y);

#endif
