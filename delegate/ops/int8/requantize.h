/* Output multipliers and clamps of quantized nodes, computed on the host when a plan is made;
 * delegate/shaders/integer.glsl and delegate/ops/int8/requantize.glsl apply them. */
#ifndef ASSAY_DELEGATE_OPS_INT8_REQUANTIZE_H
#define ASSAY_DELEGATE_OPS_INT8_REQUANTIZE_H

#include "delegate/accept/refusal.h"
#include "delegate/graph/graph.h"
#include "reference/base/fixed_point.h"

#include <stdbool.h>
#include <stdint.h>

/* The real multiplier fits fixed_quantize_multiplier: it is 0 to below 2^31.  The refusal names
 * `tensor` and `what` the multiplier is: "input scale / output scale". */
bool check_multiplier(struct check *c, int tensor, const char *what, double real);
/* fixed_quantize_multiplier of a multiplier that check_multiplier has accepted. */
struct fixed_multiplier requantize_multiplier(double real);

/* Output i has scales, and the bounds of the fused activation, in its steps, fit 32 bits. */
bool check_activation_range(struct check *c, int i, int activation);
/* quantized_activation_min and _max of an 8-bit or i16 output: the range of its type, clamped by
 * the fused activation (a TfLiteFusedActivation). */
struct fixed_range requantize_range(const struct graph_tensor *y, int activation);

/* Scale and zero point of a per-tensor quantized tensor (the first ones of a per-channel one). */
static inline double tensor_scale(const struct graph_tensor *t)
{
    return t->quant.scale[0];
}
static inline int32_t tensor_zero_point(const struct graph_tensor *t)
{
    return t->quant.zero_point[0];
}

#endif
