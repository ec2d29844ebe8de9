/* Speed: all channels, at each start */
#include "delegate/ops/int8/requantize.h"

#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>

bool check_multiplier(struct check *c, int tensor, const char *what, double real)
{
    struct fixed_multiplier m;

    return fixed_quantize_multiplier(real, &m) ||
           refuse(c, RULE_QUANT_SCALE, tensor, what, "quantize the node again", "below 2^31", "%g",
                  real);
}

struct fixed_multiplier requantize_multiplier(double real)
{
    struct fixed_multiplier m = { 0, 0 };

    fixed_quantize_multiplier(real, &m);
    return m;
}

/* A bound of an activation in steps of the tensor; false: it does not fit 32 bits. */
static bool bound_of(const struct graph_tensor *t, float real, int64_t *q)
{
    const float steps = roundf(real / t->quant.scale[0]); /* f32, as the runtime */

    if (!(steps >= (float)INT32_MIN && steps <= (float)INT32_MAX))
        return false;
    *q = (int64_t)steps + tensor_zero_point(t);
    return true;
}

static bool range_of(const struct graph_tensor *y, int activation, struct fixed_range *range)
{
    const bool both = activation == kTfLiteActRelu6 || activation == kTfLiteActReluN1To1;
    int64_t low, high;

    *range = y->type == kTfLiteInt16  ? (struct fixed_range){ INT16_MIN, INT16_MAX }
             : y->type == kTfLiteInt8 ? (struct fixed_range){ INT8_MIN, INT8_MAX }
                                      : (struct fixed_range){ 0, UINT8_MAX };
    high = range->high;
    if (activation != kTfLiteActRelu && !both)
        return true;
    if (!bound_of(y, activation == kTfLiteActReluN1To1 ? -1 : 0, &low) ||
        (both && !bound_of(y, activation == kTfLiteActRelu6 ? 6 : 1, &high)))
        return false;
    range->low = fixed_clamp(low, *range);
    range->high = fixed_clamp(high, *range);
    return true;
}

bool check_activation_range(struct check *c, int i, int activation)
{
    const int tensor = c->node->outputs[i];
    struct fixed_range range;

    return check_scales(c, tensor) &&
           (range_of(&c->graph->tensors[tensor], activation, &range) ||
            refuse(c, RULE_QUANT_SCALE, tensor, "scale", "quantize the output again",
                   "bounds of the activation are below 2^31 steps", "%g",
                   tensor_scale(&c->graph->tensors[tensor])));
}

struct fixed_range requantize_range(const struct graph_tensor *y, int activation)
{
    struct fixed_range range;

    range_of(y, activation, &range);
    return range;
}
