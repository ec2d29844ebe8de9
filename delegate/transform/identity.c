/* Nodes whose result is their input, bit for bit: RESHAPE to the same shape, and one that only
 * another RESHAPE reads; PAD by nothing; CONCATENATION of one; STRIDED_SLICE of everything; MUL by
 * 1, ADD of -0 and SUB of +0 (x + 0 is not x where x is -0), PRELU with slopes of 1;
 * RESIZE_BILINEAR to the same size (but for an infinity, which the op's 0 weights make NaN). */
#include "delegate/graph/gpu_op.h"
#include "delegate/transform/rewrite.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>

/* Input i is a constant, all of whose elements are this value, and this zero. */
static bool all_are(const struct graph *g, const struct graph_node *n, int i, float value)
{
    const struct graph_tensor *t = graph_input(g, n, i);

    if (!t || !graph_is_constant(g, n->inputs[i]))
        return false;
    for (size_t k = 0; k < t->elements; k++) {
        const float f = graph_constant_float(g, n->inputs[i], k);

        if (f != value || !signbit(f) != !signbit(value))
            return false;
    }
    return true;
}

/* All of these ints are this value. */
static bool all_ints(const struct graph *g, int tensor, int64_t value)
{
    for (size_t k = 0; k < g->tensors[tensor].elements; k++)
        if (graph_constant_int(g, tensor, k) != value)
            return false;
    return true;
}

/* Of a pair of operands, the one that the other leaves as it is; -1: none. */
static int kept_operand(const struct graph *g, const struct graph_node *n)
{
    switch (n->code) {
    case BUILTIN_MUL:
        if (((const TfLiteMulParams *)n->params)->activation != kTfLiteActNone)
            return -1;
        return all_are(g, n, 1, 1) ? 0 : all_are(g, n, 0, 1) ? 1 : -1;
    case BUILTIN_ADD:
        if (((const TfLiteAddParams *)n->params)->activation != kTfLiteActNone)
            return -1;
        return all_are(g, n, 1, -0.0f) ? 0 : all_are(g, n, 0, -0.0f) ? 1 : -1;
    case BUILTIN_SUB:
        if (((const TfLiteSubParams *)n->params)->activation != kTfLiteActNone)
            return -1;
        return all_are(g, n, 1, 0) ? 0 : -1;
    case BUILTIN_PRELU: return all_are(g, n, 1, 1) ? 0 : -1;
    default: return -1;
    }
}

static bool takes_everything(const struct graph *g, const struct graph_node *n)
{
    const TfLiteStridedSliceParams *params = n->params;

    /* With strides of 1 and all dims kept, the same shape is the same elements. */
    return params->shrink_axis_mask == 0 && params->new_axis_mask == 0 &&
           all_ints(g, n->inputs[3], 1);
}

/* The input that is the result; -1: there is none.  All nodes were accepted, so their parameters
 * are there and what must be constant is. */
static int result_of(const struct graph *g, const struct graph_node *n)
{
    int i = -1;

    if ((graph_is_quantized(g, n) && !n->op->raw && !n->op->moves) || n->steps.scale > 0)
        return -1;
    switch (n->code) {
    case BUILTIN_RESHAPE:
    case BUILTIN_RESIZE_BILINEAR: i = 0; break;
    case BUILTIN_PAD: i = all_ints(g, n->inputs[1], 0) ? 0 : -1; break;
    case BUILTIN_CONCATENATION: i = n->input_count == 1 ? 0 : -1; break;
    case BUILTIN_STRIDED_SLICE: i = takes_everything(g, n) ? 0 : -1; break;
    default: i = kept_operand(g, n);
    }
    if (i < 0 || graph_is_constant(g, n->inputs[i]) ||
        graph_input(g, n, i)->type != graph_output(g, n, 0)->type ||
        (graph_is_quantized(g, n) && n->code == BUILTIN_CONCATENATION &&
         !graph_same_quant(graph_input(g, n, i), graph_output(g, n, 0))) ||
        !rewrite_same_shape(graph_input(g, n, i), graph_output(g, n, 0)))
        return -1;
    return i;
}

/* A RESHAPE that only a RESHAPE reads. */
static enum status skip_reshape(struct rewrite *w, int node, bool *fired)
{
    const struct graph_node *n = &w->graph.nodes[node];
    const int reader = rewrite_only_reader(w, n->outputs[0]);

    if (n->code != BUILTIN_RESHAPE || reader < 0 ||
        w->graph.nodes[reader].code != BUILTIN_RESHAPE ||
        w->graph.nodes[reader].inputs[0] != n->outputs[0] ||
        rewrite_is_overwritten(w, n->inputs[0]))
        return STATUS_OK;
    TRY(rewrite_input(w, reader, 0, n->inputs[0]));
    rewrite_remove(w, node);
    *fired = true;
    return STATUS_OK;
}

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph *g = &w->graph;
    const struct graph_node *n = &g->nodes[node];
    const int i = result_of(g, n);
    int from, to;

    if (i < 0)
        return skip_reshape(w, node, fired);
    from = n->inputs[i];
    to = n->outputs[0];
    if (rewrite_is_overwritten(w, from) || rewrite_is_overwritten(w, to))
        return STATUS_OK;
    if (!w->exposed[to]) {
        TRY(rewrite_redirect(w, to, from));
    } else {
        /* The result leaves the partition: then whoever computes the input writes it there. */
        const int producer = g->tensors[from].producer;
        int output = 0;

        if (producer < 0 || w->exposed[from])
            return STATUS_OK;
        while (g->nodes[producer].outputs[output] != from)
            output++;
        TRY(rewrite_output(w, producer, output, to));
        TRY(rewrite_redirect(w, from, to));
    }
    rewrite_remove(w, node);
    *fired = true;
    return STATUS_OK;
}

const struct transform transform_identity = { apply };
