#include "delegate/accept/placement.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/graph/variables.h"
#include "reference/base/builtin.h"
#include "reference/base/op_facts.h"

/* An element that is read or written takes about as long as so many multiply-adds. */
static const double element_macs = 8;

static double elements_of(const struct graph *g, int tensor)
{
    return tensor < 0 || graph_is_constant(g, tensor) ? 0 : (double)g->tensors[tensor].elements;
}

static bool is_data(const struct op_facts *facts, int i)
{
    return i >= facts->first && (facts->data == OP_ALL || i < facts->first + facts->data);
}

/* Elements of the matrices by which a node multiplies its data.  Biases have rank 1, and a state is
 * as small.  An op that has weights without ops.def saying which (several of them) has a version
 * with hybrid ones. */
static double weights_of(const struct graph *g, const struct graph_node *n,
                         const struct op_facts *facts)
{
    double sum = 0;

    if (facts->weights == OP_NONE && facts->hybrid == OP_NONE)
        return 0;
    for (int i = 0; i < n->input_count; i++) {
        const struct graph_tensor *t = graph_input(g, n, i);

        if (t && t->rank > 1 && !is_data(facts, i) && !(facts->state >> i & 1))
            sum += (double)t->elements;
    }
    return sum;
}

/* Of [.., rows, depth] by [.., depth, columns], one of which may be the same for each of the batch.
 */
static double matrix_macs(const struct graph *g, const struct graph_node *n,
                          const struct graph_tensor *y)
{
    const struct graph_tensor *a = graph_input(g, n, 0), *b = graph_input(g, n, 1);
    const double by_a = a && y->rank > 1 ? (double)a->elements * y->dims[y->rank - 1] : 0;
    const double by_b = b && y->rank > 1 ? (double)b->elements * y->dims[y->rank - 2] : 0;

    return by_a > by_b ? by_a : by_b;
}

static void add_node(struct placement *p, const struct graph *g, const struct graph_node *n)
{
    const struct op_facts *facts = op_facts_find(n->code);
    const struct graph_tensor *y = n->output_count > 0 ? graph_output(g, n, 0) : NULL;
    double weights;
    int channels;

    if (!facts || !y || graph_is_constant(g, n->outputs[0]))
        return;
    weights = weights_of(g, n, facts);
    channels = y->rank > 0 && y->dims[y->rank - 1] > 0 ? y->dims[y->rank - 1] : 1;
    if (weights > 0) {
        p->macs += (double)y->elements * weights / channels;
    } else if (n->op && n->op->multiplies_matrices) {
        p->macs += matrix_macs(g, n, y);
    } else {
        for (int i = 0; i < n->input_count; i++)
            p->elements += elements_of(g, n->inputs[i]);
        for (int i = 0; i < n->output_count; i++)
            p->elements += elements_of(g, n->outputs[i]);
    }
}

double placement_macs(const struct graph *g, const struct graph_node *n)
{
    const struct op_facts *facts = op_facts_find(n->code);
    const struct graph_tensor *y = n->output_count > 0 ? graph_output(g, n, 0) : NULL;
    double weights = 0;

    if (!facts || !y)
        return 0;
    if (n->op && n->op->multiplies_matrices)
        return matrix_macs(g, n, y);
    if (facts->weights == OP_NONE && facts->hybrid == OP_NONE)
        return 0;
    for (int i = 0; i < n->input_count; i++) {
        const struct graph_tensor *t = graph_input(g, n, i);

        if (t && t->rank > 1 && graph_is_constant(g, n->inputs[i]))
            weights += (double)t->elements;
    }
    return y->rank > 0 && y->dims[y->rank - 1] > 0
               ? (double)y->elements * weights / y->dims[y->rank - 1]
               : 0;
}

static double bytes_of(const struct graph *g, int tensor)
{
    return tensor < 0 || tensor >= g->tensor_count
               ? 0
               : elements_of(g, tensor) * runtime_type_bits(g->tensors[tensor].type) / 8;
}

static double sum_bytes(const struct graph *g, const TfLiteIntArray *tensors)
{
    double bytes = 0;

    for (int i = 0; tensors && i < tensors->size; i++)
        bytes += bytes_of(g, tensors->data[i]);
    return bytes;
}

struct placement placement_of(const struct graph *g, const TfLiteDelegateParams *partition,
                              const struct device_rates *rates, int cpu_macs_per_us)
{
    const TfLiteIntArray *nodes = partition->nodes_to_replace;
    struct placement p = { .first_node = nodes->size > 0 ? nodes->data[0] : -1,
                           .bytes_in = sum_bytes(g, partition->input_tensors),
                           .bytes_out = sum_bytes(g, partition->output_tensors) };
    double work;

    for (int i = 0; i < nodes->size; i++) {
        const struct graph_node *n = graph_find_node(g, nodes->data[i]);

        if (n && n->variable) {
            *(n->variable->assigns ? &p.bytes_out : &p.bytes_in) += bytes_of(g, variable_tensor(n));
        } else if (!n || !n->known) {
            p.nodes++;
            if (n)
                add_node(&p, g, n);
        }
    }
    work = p.macs + p.elements * element_macs;
    p.cpu_us = work / cpu_macs_per_us;
    p.device_us = rates->submit_us + rates->step_us * p.nodes +
                  (p.bytes_in + p.bytes_out) / rates->bytes_per_us + work / rates->macs_per_us;
    return p;
}

double placement_saved_us(const struct placement *p)
{
    return p->cpu_us - p->device_us;
}
