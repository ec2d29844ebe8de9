/* Which arithmetic makes outputs of the sums of a node: the short one is for sums and multipliers
 * that it is exact for. */
#include "reference/tests/kit/test.h"

#include "delegate/ops/int8/dot.h"

enum { OUTPUTS = 2 };

struct sums {
    uint32_t mode;
    TfLiteType type; /* of the weights */
    int32_t inputs;
    int32_t bias; /* of the last output */
    float multipliers[OUTPUTS];
    bool in_double;
};

static uint32_t mode_of(const struct sums *s)
{
    static const int32_t zeros[OUTPUTS];
    static const float one = 1;
    static const int nodes_in[] = { 0, 1, 2 }, nodes_out[] = { 3 };
    const bool per_channel = s->type == kTfLiteInt8;
    const int32_t bias[OUTPUTS] = { 0, s->bias };
    struct graph_tensor t[] = {
        { .type = s->type, .quant = { .scale = &one, zeros, 1, 1, 0 } },
        { .type = s->type,
          .rank = 2,
          .dims = { OUTPUTS, s->inputs },
          .elements = OUTPUTS * (size_t)s->inputs,
          .quant = { .scale = s->multipliers, zeros, per_channel ? OUTPUTS : 1, 1, 0 } },
        { .type = kTfLiteInt32, .rank = 1, .dims = { OUTPUTS }, .elements = OUTPUTS, .data = bias },
        { .type = s->type, .quant = { .scale = &one, zeros, 1, 1, 0 } },
    };
    const struct graph_node n = {
        .inputs = nodes_in, .outputs = nodes_out, .input_count = 3, .output_count = 1
    };
    const struct graph g = { .tensors = t, .tensor_count = 4 };
    const struct dot d = {
        .x = 0, .weights = 1, .bias = 2, .channel = 0, .in_double = s->in_double
    };

    for (int i = 0; i < 4; i++) {
        t[i].name = "";
        t[i].dequantized_from = t[i].producer = -1;
    }
    return dot_requantize(&g, &n, &d);
}

TEST(modes)
{
    /* Of i8 a product is at most 255 * 128, of u8 255 * 255; 2^29 is 536870912. */
    static const struct sums rows[] = {
        { REQUANTIZE_SMALL, kTfLiteInt8, 9, 0, { 0.001f, 0.4999f }, false },
        { REQUANTIZE_SMALL, kTfLiteInt8, 16448, 0, { 0.001f, 0.01f }, false },
        { REQUANTIZE_FIXED, kTfLiteInt8, 16449, 0, { 0.001f, 0.01f }, false },
        { REQUANTIZE_SMALL, kTfLiteUInt8, 8256, 0, { 0.001f }, false },
        { REQUANTIZE_FIXED, kTfLiteUInt8, 8257, 0, { 0.001f }, false },
        { REQUANTIZE_SMALL, kTfLiteInt8, 1, 536870911 - 255 * 128, { 0.001f, 0.01f }, false },
        { REQUANTIZE_FIXED, kTfLiteInt8, 1, 536870912 - 255 * 128, { 0.001f, 0.01f }, false },
        { REQUANTIZE_SMALL, kTfLiteInt8, 1, -536870911 + 255 * 128, { 0.001f, 0.01f }, false },
        { REQUANTIZE_FIXED, kTfLiteInt8, 1, -536870912 + 255 * 128, { 0.001f, 0.01f }, false },
        { REQUANTIZE_FIXED, kTfLiteInt8, 1, INT32_MIN, { 0.001f, 0.01f }, false },
        { REQUANTIZE_FIXED, kTfLiteInt8, 9, 0, { 0.001f, 0.5f }, false },
        { REQUANTIZE_FIXED, kTfLiteInt8, 9, 0, { 0.001f, 7.0f }, false },
        { REQUANTIZE_SMALL, kTfLiteInt8, 9, 0, { 0x1p-31f, 0.01f }, false },
        { REQUANTIZE_DOUBLE, kTfLiteInt8, 9, 0, { 0.001f, 0.01f }, true },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (mode_of(&rows[i]) != rows[i].mode)
            fail_msg("row %zu: expected mode %u, found %u", i, rows[i].mode, mode_of(&rows[i]));
}
