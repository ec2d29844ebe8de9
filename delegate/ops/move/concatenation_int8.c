/* CONCATENATION of u8 with inputs of several scales.
 * Meaning: reference/ops/concatenation.c */
#include "delegate/ops/move/concatenation_int8.h"

#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/requantize.h"

bool concatenation_table(const struct graph_tensor *x, const struct graph_tensor *y,
                         struct byte_table *table)
{
    float scale, offset;

    if (y->type != kTfLiteUInt8 || !x->quant.scale || !y->quant.scale || graph_same_quant(x, y))
        return false;
    /* TensorFlow Lite computes this in f32, and each operation rounds. */
    scale = x->quant.scale[0] * (1 / y->quant.scale[0]);
    offset = -(float)tensor_zero_point(x) * scale;
    for (int q = 0; q < 256; q++) {
        const float steps = (float)q * scale + offset;

        table->to[q] = (uint8_t)fixed_clamp((int64_t)fixed_round(steps) + tensor_zero_point(y),
                                            (struct fixed_range){ 0, UINT8_MAX });
    }
    return true;
}

static bool accept_concatenation(struct check *c)
{
    for (int i = 0; i < c->node->input_count; i++)
        if (!check_per_tensor(c, c->node->inputs[i]))
            return false;
    return true;
}

const struct gpu_exact exact_concatenation = { accept_concatenation, NULL };
