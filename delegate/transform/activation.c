/* RELU and RELU6 become the fused activation of the node that computes their input, if no other
 * node reads it.  The result has the same bits in both precisions, since rounding to f16 is
 * monotone and 0 and 6 are f16 numbers; only a negative number that f16 would round to -0 now gives
 * +0. */
#include "delegate/graph/gpu_op.h"
#include "delegate/transform/rewrite.h"

/* The activation that equals one after the other; kTfLiteActSignBit, which no accepted node has, if
 * there is none. */
static TfLiteFusedActivation combine(TfLiteFusedActivation first, TfLiteFusedActivation second)
{
    if (first == kTfLiteActNone || first == second)
        return second;
    if ((first == kTfLiteActRelu && second == kTfLiteActRelu6) ||
        (first == kTfLiteActRelu6 && second == kTfLiteActRelu))
        return kTfLiteActRelu6;
    return kTfLiteActSignBit;
}

static enum status apply(struct rewrite *w, int node, bool *fired)
{
    const struct graph *g = &w->graph;
    const struct graph_node *n = &g->nodes[node], *before;
    TfLiteFusedActivation activation;
    int producer;

    if (n->op->as_activation == kTfLiteActNone)
        return STATUS_OK;
    producer = g->tensors[n->inputs[0]].producer;
    if (producer < 0)
        return rewrite_decline(w, node, "no node of the partition computes its input");
    if (!rewrite_reads_alone(w, node, n->inputs[0]))
        return STATUS_OK;
    before = &g->nodes[producer];
    if (!before->op->has_activation || before->output_count != 1)
        return rewrite_decline(w, node, "%s has no fused activation",
                               rewrite_node_name(w, producer).text);
    if (graph_input(g, n, 0)->type != graph_output(g, n, 0)->type || graph_is_quantized(g, n))
        return rewrite_decline(w, node, "quantized: it is computed in integers");
    if (before->steps.scale > 0)
        return rewrite_decline(w, node, "float view: %s rounds its result to quantization steps",
                               rewrite_node_name(w, producer).text);
    if (!graph_same_shape(graph_input(g, n, 0), graph_output(g, n, 0)))
        return rewrite_decline(w, node, "its input has another shape");
    activation = combine(gpu_op_activation(before), n->op->as_activation);
    if (activation == kTfLiteActSignBit)
        return rewrite_decline(w, node, "%s has another activation already",
                               rewrite_node_name(w, producer).text);
    if (!rewrite_may(w, node))
        return STATUS_OK;
    TRY(rewrite_activation(w, producer, activation));
    TRY(rewrite_name(w, producer, before->name, n->name));
    rewrite_output(w, producer, 0, n->outputs[0]);
    rewrite_remove(w, node);
    *fired = true;
    return STATUS_OK;
}

const struct transform transform_activation = { .apply = apply };
