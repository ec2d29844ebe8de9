/* The delegate's ops: the rows of reference/ops.def that run on the GPU. */
#include "delegate/graph/gpu_op.h"

#include <string.h>

#define HOST(code_, stem)
#define OP(code_, stem, runs, ...) runs(code_, stem)
#define GPU(code_, stem)           extern const struct gpu_family gpu_##stem;
#include "reference/ops.def"
#undef GPU

static const struct {
    int32_t code;
    const struct gpu_family *family;
} rows[] = {
#define GPU(code_, stem) { BUILTIN_##code_, &gpu_##stem },
#include "reference/ops.def"
#undef GPU
#undef OP
#undef HOST
};

const struct gpu_op *gpu_op_find(int32_t code)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].code != code)
            continue;
        for (size_t j = 0; j < rows[i].family->count; j++)
            if (rows[i].family->ops[j].code == code)
                return &rows[i].family->ops[j];
    }
    return NULL;
}

TfLiteFusedActivation gpu_op_activation(const struct graph_node *n)
{
    TfLiteFusedActivation activation = kTfLiteActNone;

    if (n->op->has_activation)
        memcpy(&activation, (const uint8_t *)n->params + n->op->activation_at, sizeof activation);
    return activation;
}

float gpu_op_activate(TfLiteFusedActivation activation, float v)
{
    const float low = activation == kTfLiteActReluN1To1 ? -1.0f : 0.0f;

    if (activation == kTfLiteActNone)
        return v;
    if (v < low)
        return low;
    if (activation == kTfLiteActReluN1To1 && v > 1.0f)
        return 1.0f;
    return activation == kTfLiteActRelu6 && v > 6.0f ? 6.0f : v;
}
