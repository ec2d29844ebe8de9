/* Windows over an image: output size and padding, for convolutions and pools.
 * Meaning: SAME gives ceil(in / stride) outputs, padded evenly with the odd one behind; VALID those
 * whose window lies inside. */
#ifndef ASSAY_DELEGATE_OPS_WINDOW_H
#define ASSAY_DELEGATE_OPS_WINDOW_H

#include "delegate/accept/refusal.h"
#include "delegate/ops/window.args.h"
#include "delegate/plan/plan.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <stdbool.h>
#include <stdint.h>

struct window {
    TfLitePadding padding;
    int filter_h, filter_w, stride_h, stride_w, dilation_h, dilation_w;
};

/* The window of a convolution, whose filter is dimensions 1 and 2 of the weights. */
struct window window_of_conv(const TfLiteConvParams *params, const struct graph_tensor *weights);
struct window window_of_depthwise(const TfLiteDepthwiseConvParams *params,
                                  const struct graph_tensor *weights);
struct window window_of_transpose(const TfLiteTransposeConvParams *params,
                                  const struct graph_tensor *weights);
/* 1x1: what a matrix product is. */
extern const struct window window_1x1;

/* The output of a window with so many channels.  False: `in` is no image, or smaller than the
 * window. */
bool window_shape(const struct window *w, const struct graph_tensor *in, int32_t channels,
                  struct graph_shape *s);

/* The padding before the first row and column.  check_window has accepted the sizes. */
struct window_pads {
    int32_t top, left;
};
struct window_pads window_pads(const struct window *w, const struct graph_tensor *in,
                               const struct graph_tensor *out);
/* The padding of a node with input 0 and output 0: that of a PAD that was merged into it, else that
 * of its window. */
struct window_pads window_pads_of_node(const struct graph *g, const struct graph_node *n,
                                       const struct window *w);

/* The shader's arguments; x and y are the graph tensors of the plan tensors src and dst. */
struct window_args window_args_of(const struct plan *plan, int src, int dst,
                                  const struct graph_tensor *x, const struct graph_tensor *y,
                                  struct window_pads pads);
/* The same of a matrix product, whose rows are pixels. */
struct window_args window_args_1x1(const struct plan *plan, int src, int dst);
/* Pixel p of dst is made of pixel p of src alone.  Padding behind the last row or column, which
 * args do not have, makes dst larger. */
bool window_is_dense(const struct window *w, const struct window_args *args);
/* Sets the specialization constants of window.glsl. */
void window_specs(struct plan_step *s, const struct window *w);

/* CONV_2D, DEPTHWISE_CONV_2D: image, weights and output have 4 dimensions, a bias may follow, and
 * the fused activation is one that the shaders have. */
bool check_conv_operands(struct check *c);
/* The sizes of the window are positive, and it takes the H and W of `in` to those of `out`, tensors
 * of the graph (both NHWC). */
bool check_window(struct check *c, const struct window *w, int in, int out);

#endif
