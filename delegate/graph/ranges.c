#include "delegate/graph/ranges.h"

#include "delegate/graph/chain.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/shaders/activation.args.h"

#include <math.h>

/* Infinity: the activation has no bound of its own. */
static float activation_magnitude(uint32_t activation)
{
    switch (activation) {
    case kTfLiteActRelu6: return 6;
    case kTfLiteActReluN1To1:
    case ACTIVATION_LOGISTIC:
    case ACTIVATION_HARD_SIGMOID: return 1;
    default: return INFINITY;
    }
}

/* Constants among data are few numbers; of more the range is not known. */
enum { CONSTANT_MAX = 4096 };

static float constant_magnitude(const struct graph *g, int tensor)
{
    const size_t elements = g->tensors[tensor].elements;
    float most = 0;

    if (elements > CONSTANT_MAX)
        return INFINITY;
    for (size_t i = 0; i < elements; i++) {
        const float v = fabsf(graph_constant_float(g, tensor, i));

        if (!(v <= most)) /* NaN, too */
            most = isnan(v) ? INFINITY : v;
    }
    return most;
}

static float tensor_magnitude(const struct graph *g, int tensor, const float *magnitude)
{
    return graph_is_constant(g, tensor) ? constant_magnitude(g, tensor) : magnitude[tensor];
}

static float inputs_magnitude(const struct graph *g, const struct graph_node *n,
                              const float *magnitude)
{
    float most = 0;

    for (int i = 0; i < n->input_count; i++) {
        const int tensor = n->inputs[i];

        if (tensor >= 0 && g->tensors[tensor].type == kTfLiteFloat32) /* no shapes, indices */
            most = fmaxf(most, tensor_magnitude(g, tensor, magnitude));
    }
    return most;
}

static bool is_within_inputs(const struct graph_node *n)
{
    return n->op->selects || n->op->within_inputs;
}

/* inputs: of the inputs, where is_within_inputs. */
static float result_magnitude(const struct graph_node *n, float inputs)
{
    float most = is_within_inputs(n) ? inputs : INFINITY;

    if (n->steps.scale > 0) /* rounded to steps, it may grow */
        return INFINITY;
    if (n->op->magnitude > 0)
        most = n->op->magnitude;
    most = fminf(most, activation_magnitude((uint32_t)n->op->as_activation));
    return fminf(most, activation_magnitude((uint32_t)gpu_op_activation(n)));
}

/* From link to link, as it was of the nodes. */
static float chain_magnitude(const struct graph *g, const struct graph_node *n,
                             const float *magnitude)
{
    const struct chain *const c = n->params;
    float most = tensor_magnitude(g, n->inputs[0], magnitude);

    for (int i = 0; i < c->count; i++) {
        const struct chain_link *const link = &c->links[i];

        if (link->beside >= 0 && is_within_inputs(&link->node))
            most = fmaxf(most, tensor_magnitude(g, n->inputs[link->beside], magnitude));
        most = result_magnitude(&link->node, most);
    }
    return most;
}

static float node_magnitude(const struct graph *g, const struct graph_node *n,
                            const float *magnitude)
{
    if (chain_is_made(n))
        return chain_magnitude(g, n, magnitude);
    return result_magnitude(n, is_within_inputs(n) ? inputs_magnitude(g, n, magnitude) : 0);
}

void ranges_find(const struct graph *g, float *magnitude)
{
    for (int t = 0; t < g->tensor_count; t++)
        magnitude[t] = INFINITY;
    for (int i = 0; i < g->node_count; i++) {
        const struct graph_node *n = &g->nodes[i];
        const float most = node_magnitude(g, n, magnitude);

        for (int j = 0; j < n->output_count; j++)
            if (n->outputs[j] >= 0 && g->tensors[n->outputs[j]].type == kTfLiteFloat32)
                magnitude[n->outputs[j]] = most;
    }
}

double ranges_largest_sum(const struct graph *g, int weights)
{
    const struct graph_tensor *t = &g->tensors[weights];
    const size_t outputs = (size_t)t->dims[0], terms = t->elements / outputs;
    double most = 0;

    for (size_t o = 0; o < outputs; o++) {
        double sum = 0;

        for (size_t i = 0; i < terms; i++)
            sum += fabs((double)graph_constant_float(g, weights, o * terms + i));
        if (!(sum <= most))
            most = sum;
        if (isnan(sum))
            break;
    }
    return most;
}
