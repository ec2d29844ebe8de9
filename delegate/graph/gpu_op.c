/* The delegate's ops: the rows of reference/ops.def that run on the GPU. */
#include "delegate/graph/gpu_op.h"

#include <float.h>
#include <math.h>
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

bool gpu_op_cut(const struct graph *g, const struct graph_node *n,
                const struct gpu_options *options, const struct device_limits *limits,
                struct gpu_table *table)
{
    const struct graph_tensor *t;
    uint64_t fit;

    if (!n->op->table || !n->op->table(g, n, options, table))
        return false;
    t = graph_input(g, n, table->input);
    fit = limits->max_storage_buffer_range / table->row_bytes;
    table->rows = (uint32_t)(fit < INT32_MAX ? fit : INT32_MAX) / table->step * table->step;
    return table->rows > 0 && table->rows < (uint32_t)t->dims[0] &&
           (t->dequantized_from < 0 || graph_same_shape(t, &g->tensors[t->dequantized_from]));
}

int gpu_op_producer(const struct graph *g, int tensor, int32_t code)
{
    const int i = tensor >= 0 ? g->tensors[tensor].producer : -1;
    const struct graph_node *const n = i >= 0 ? &g->nodes[i] : NULL;

    /* What transforms made of several nodes has no accept, and the code of the last one. */
    return n && n->op && n->op->accept && n->code == code &&
                   gpu_op_activation(n) == kTfLiteActNone && n->steps.scale == 0 &&
                   g->tensors[tensor].type == kTfLiteFloat32
               ? i
               : -1;
}

bool gpu_fused_add(struct gpu_fused *fused, int node)
{
    for (int i = 0; i < fused->count; i++)
        if (fused->nodes[i] == node)
            return true;
    if (fused->count == GPU_FUSED_MAX)
        return false;
    fused->nodes[fused->count++] = node;
    return true;
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

float gpu_op_activate_fused(TfLiteFusedActivation activation, float v)
{
    return gpu_op_activate(activation, isinf(v) ? copysignf(FLT_MAX, v) : v);
}

const struct gpu_exact gpu_exact_moves = { NULL, NULL };

int gpu_first_input(const struct graph *g, const struct graph_node *n)
{
    (void)g;
    (void)n;
    return 0;
}
