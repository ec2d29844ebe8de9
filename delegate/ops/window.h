/* Windows over an image: output size and padding, for convolutions and pools.
 * Meaning: SAME gives ceil(in / stride) outputs, padded evenly with the odd one behind; VALID those
 * whose window lies inside. */
#ifndef ASSAY_DELEGATE_OPS_WINDOW_H
#define ASSAY_DELEGATE_OPS_WINDOW_H

#include "delegate/accept/refusal.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <stdbool.h>
#include <stdint.h>

struct window {
    TfLitePadding padding;
    int filter_h, filter_w, stride_h, stride_w, dilation_h, dilation_w;
};

/* The padding before; the sizes were checked by check_window. */
struct window_pads {
    int32_t top, left;
};
struct window_pads window_pads(const struct window *w, const struct graph_tensor *in,
                               const struct graph_tensor *out);

/* The window is positive, and takes the H and W of `in` to those of `out` (both NHWC). */
bool check_window(struct check *c, const struct window *w, int in, int out);

#endif
