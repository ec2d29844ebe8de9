/* Nodes whose inputs are all constants: their results are computed here, once, in f32, and their
 * readers read constants, as they do behind a DEQUANTIZE of f16 weights.  RESHAPE, PAD,
 * CONCATENATION, ADD, SUB, MUL, MAXIMUM, MINIMUM, PRELU, RELU, RELU6: those whose results are the
 * CPU's bit for bit.
 *
 * This comes before the nodes are decided on, since the ops want an input that is computed.  A
 * node's shapes and parameters are checked by its own op, as if its data came at run time. */
#include "delegate/transform/fold.h"

#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/transform/rewrite.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <string.h>

struct fold {
    struct graph *g;
    struct graph_node *node;
    const struct graph_tensor *y;
    float *values;
};

/* The first inputs that are data, not shape or paddings; 0: not an op that is folded. */
static int data_inputs(const struct graph_node *n)
{
    switch (n->code) {
    case BUILTIN_RESHAPE:
    case BUILTIN_PAD:
    case BUILTIN_RELU:
    case BUILTIN_RELU6: return 1;
    case BUILTIN_ADD:
    case BUILTIN_SUB:
    case BUILTIN_MUL:
    case BUILTIN_MAXIMUM:
    case BUILTIN_MINIMUM:
    case BUILTIN_PRELU: return 2;
    case BUILTIN_CONCATENATION: return n->input_count;
    default: return 0;
    }
}

/* The index, over all of y, as an index of t, whose dims are aligned at the last: -1 off t when
 * `before` moves it outside. */
static int64_t index_in(const struct graph_tensor *t, const struct graph_tensor *y, size_t i,
                        const int64_t before[])
{
    int64_t at = 0, pitch = 1;

    for (int d = y->rank - 1; d >= 0; d--) {
        const int of = d - (y->rank - t->rank);
        const int64_t k = (int64_t)(i % (size_t)y->dims[d]) - (before ? before[d] : 0);

        i /= (size_t)y->dims[d];
        if (of < 0)
            continue;
        if (before && (k < 0 || k >= t->dims[of]))
            return -1;
        at += (t->dims[of] == 1 ? 0 : k) * pitch;
        pitch *= t->dims[of];
    }
    return at;
}

static float input_at(const struct fold *f, int input, size_t i)
{
    return graph_constant_float(f->g, f->node->inputs[input], i);
}

static void fold_pad(struct fold *f)
{
    int64_t before[GRAPH_MAX_RANK];

    for (int d = 0; d < f->y->rank; d++)
        before[d] = graph_constant_int(f->g, f->node->inputs[1], 2 * (size_t)d);
    for (size_t i = 0; i < f->y->elements; i++) {
        const int64_t at = index_in(graph_input(f->g, f->node, 0), f->y, i, before);

        f->values[i] = at < 0 ? 0 : input_at(f, 0, (size_t)at);
    }
}

static void fold_concatenation(struct fold *f)
{
    const int given = ((const TfLiteConcatenationParams *)f->node->params)->axis;
    const int axis = given < 0 ? given + f->y->rank : given;
    size_t outer = 1, inner = 1, at = 0;

    for (int d = 0; d < f->y->rank; d++)
        *(d < axis ? &outer : &inner) *= d == axis ? 1 : (size_t)f->y->dims[d];
    for (size_t o = 0; o < outer; o++)
        for (int k = 0; k < f->node->input_count; k++) {
            const size_t run = (size_t)graph_input(f->g, f->node, k)->dims[axis] * inner;

            for (size_t i = 0; i < run; i++)
                f->values[at++] = input_at(f, k, o * run + i);
        }
}

/* As slice.glsl: NaN stays what it is. */
static float clamped(float v, TfLiteFusedActivation activation)
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

static float of_two(int32_t code, float a, float b)
{
    switch (code) {
    case BUILTIN_SUB: return a - b;
    case BUILTIN_MUL: return a * b;
    case BUILTIN_MAXIMUM: return a > b ? a : b;
    case BUILTIN_MINIMUM: return a < b ? a : b;
    case BUILTIN_PRELU: return a >= 0 ? a : a * b;
    default: return a + b;
    }
}

static void fold_elementwise(struct fold *f)
{
    const struct graph_node *n = f->node;
    TfLiteFusedActivation activation = n->code == BUILTIN_RELU    ? kTfLiteActRelu
                                       : n->code == BUILTIN_RELU6 ? kTfLiteActRelu6
                                                                  : kTfLiteActNone;

    if (n->op->params_bytes)
        memcpy(&activation, (const uint8_t *)n->params + n->op->activation_at, sizeof activation);
    for (size_t i = 0; i < f->y->elements; i++) {
        float v[2] = { 0 };

        for (int k = 0; k < data_inputs(n); k++)
            v[k] = input_at(f, k, (size_t)index_in(graph_input(f->g, n, k), f->y, i, NULL));
        f->values[i] =
            clamped(data_inputs(n) == 2 ? of_two(n->code, v[0], v[1]) : v[0], activation);
    }
}

static void compute(struct fold *f)
{
    switch (f->node->code) {
    case BUILTIN_RESHAPE:
        for (size_t i = 0; i < f->y->elements; i++)
            f->values[i] = input_at(f, 0, i);
        break;
    case BUILTIN_PAD: fold_pad(f); break;
    case BUILTIN_CONCATENATION: fold_concatenation(f); break;
    default: fold_elementwise(f);
    }
}

static bool is_constant_float(const struct graph *g, int tensor)
{
    return tensor >= 0 && graph_is_constant(g, tensor) && g->tensors[tensor].rank >= 0 &&
           g->tensors[tensor].type == kTfLiteFloat32;
}

/* What the op says of the node when its data is computed: then shapes and parameters are right. */
static enum status accepts(struct graph *g, const struct graph_node *n,
                           const struct gpu_options *options, const struct device_limits *limits,
                           bool *yes, struct diag *diag)
{
    const size_t count = (size_t)data_inputs(n);
    struct arena arena = { 0 };
    struct graph_tensor *saved = ARENA_NEW(&arena, count, struct graph_tensor);
    struct refusal refusal;
    struct check c = {
        .graph = g, .node = n, .options = options, .limits = limits, .refusal = &refusal
    };

    if (!saved)
        return diag_fail(diag, STATUS_NO_MEMORY, "folding node %d: out of memory", n->host_node);
    /* One tensor may be several inputs: save all, change all, put all back. */
    for (size_t i = 0; i < count; i++)
        saved[i] = g->tensors[n->inputs[i]];
    for (size_t i = 0; i < count; i++) {
        g->tensors[n->inputs[i]].data = NULL;
        g->tensors[n->inputs[i]].source = -1;
    }
    *yes = n->op->accept(&c);
    for (size_t i = 0; i < count; i++)
        g->tensors[n->inputs[i]] = saved[i];
    arena_close(&arena);
    return STATUS_OK;
}

static bool is_folded_op(const struct graph *g, const struct graph_node *n,
                         const struct device_limits *limits)
{
    const int count = data_inputs(n);
    const struct graph_tensor *y;
    size_t bytes;

    if (!n->op || count == 0 || count > n->input_count || n->output_count != 1 || n->version < 1 ||
        n->version > n->op->max_version)
        return false;
    for (int i = 0; i < count; i++)
        if (!is_constant_float(g, n->inputs[i]))
            return false;
    y = &g->tensors[n->outputs[0]];
    return y->type == kTfLiteFloat32 && y->elements > 0 && !y->is_variable && !y->is_dynamic &&
           !y->data && graph_tensor_fits(y, limits, &bytes);
}

enum status fold_constants(struct graph *g, const struct gpu_options *options,
                           const struct device_limits *limits, struct diag *diag)
{
    if (options->no_transform & 1u << TRANSFORM_fold)
        return STATUS_OK;
    for (int i = 0; i < g->node_count; i++) {
        struct fold f = { .g = g, .node = &g->nodes[i] };
        bool yes;

        if (!is_folded_op(g, f.node, limits))
            continue;
        TRY(accepts(g, f.node, options, limits, &yes, diag));
        if (!yes)
            continue;
        f.y = &g->tensors[f.node->outputs[0]];
        if (!(f.values = ARENA_NEW(&g->arena, f.y->elements, float)))
            return diag_fail(diag, STATUS_NO_MEMORY, "folding node %d: out of memory",
                             f.node->host_node);
        compute(&f);
        g->tensors[f.node->outputs[0]].data = f.values;
        f.node->folded = true;
    }
    return STATUS_OK;
}

/* In a partition nothing is left to do for them, nor for the widening of f16 constants. */
static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph_node *n = &w->graph.nodes[node];

    for (int i = 0; i < n->output_count; i++)
        if (!graph_is_constant(&w->graph, n->outputs[i]))
            return STATUS_OK;
    rewrite_remove(w, node);
    *fired = true;
    return STATUS_OK;
}

const struct transform transform_fold = { apply };
