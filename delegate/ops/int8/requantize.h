/* From real factors and ranges to integers: the host's half of the fixed-point arithmetic that
 * delegate/shaders/integer.glsl has for the device. */
#ifndef ASSAY_DELEGATE_OPS_INT8_REQUANTIZE_H
#define ASSAY_DELEGATE_OPS_INT8_REQUANTIZE_H

#include "delegate/accept/refusal.h"
#include "delegate/graph/graph.h"
#include "reference/base/fixed_point.h"

#include <stdbool.h>
#include <stdint.h>

/* The factor is one that 32-bit arithmetic has: 0 to below 2^31; what names it in the refusal:
 * "input scale / output scale", of which tensor. */
bool check_factor(struct check *c, int tensor, const char *what, double real);
/* It as q * 2^(e - 31); call it of what check_factor has passed. */
struct fixed_multiplier requantize_multiplier(double real);

/* The bounds of a fused activation are numbers of 32 bits in steps of output i. */
bool check_steps(struct check *c, int i, int activation);
/* The values that an 8-bit output with a fused activation has; 0: none. */
struct fixed_range requantize_range(const struct graph_tensor *y, int activation);

/* Of a tensor that has scales. */
static inline double tensor_scale(const struct graph_tensor *t)
{
    return t->quant.scale[0];
}
static inline int32_t tensor_zero_point(const struct graph_tensor *t)
{
    return t->quant.zero_point[0];
}

#endif
