/* SELECT, SELECT_V2 of elements of any type. */
#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/elementwise/select.args.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/plan/planner.h"

#include <math.h>

enum { CONDITION, A, B, INPUTS };
enum { OUTER = SELECT_OUTER, MAX_RANK = OUTER + 1 };

static bool aligned_right(const struct graph_node *n)
{
    return n->code == BUILTIN_SELECT_V2;
}

/* Dim d of input i among `rank` dims.  The condition of SELECT begins at the first dim. */
static int32_t dim_at(const struct graph *g, const struct graph_node *n, int i, int rank, int d)
{
    const struct graph_tensor *t = graph_input(g, n, i);
    const int at = aligned_right(n) ? d - (rank - t->rank) : d;

    return at < 0 || at >= t->rank ? 1 : t->dims[at];
}

static bool all_single(const struct graph *g, const struct graph_node *n)
{
    for (int i = 0; i < INPUTS; i++)
        if (graph_input(g, n, i)->elements != 1)
            return false;
    return true;
}

static bool shape_select(const struct graph *g, const struct graph_node *n, int o,
                         struct graph_shape *s)
{
    const struct graph_tensor *c = graph_input(g, n, CONDITION), *a = graph_input(g, n, A);
    const struct graph_tensor *y = graph_output(g, n, 0);

    (void)o;
    s->rank = 0;
    for (int i = 0; i < INPUTS; i++) {
        const int rank = graph_input(g, n, i)->rank;

        if (rank < 0)
            return false;
        if (rank > s->rank)
            s->rank = rank;
    }
    if (all_single(g, n) && y->elements == 1 &&
        y->rank >= 0) { /* the CPU keeps the model's shape */
        s->rank = y->rank;
        for (int d = 0; d < y->rank; d++)
            s->dims[d] = y->dims[d];
        return true;
    }
    /* SELECT: a condition of rank 0, of rank 1 for the first dim, or of the whole shape. */
    if (!aligned_right(n) && (!graph_same_shape(a, graph_input(g, n, B)) || c->rank > a->rank ||
                              (c->rank > 1 && c->rank != a->rank)))
        return false;
    for (int d = 0; d < s->rank; d++) {
        s->dims[d] = 1;
        for (int i = 0; i < INPUTS; i++) {
            const int32_t dim = dim_at(g, n, i, s->rank, d);

            if (dim != 1 && s->dims[d] != 1 && dim != s->dims[d])
                return false;
            if (dim != 1)
                s->dims[d] = dim;
        }
        /* SELECT stretches nothing: a condition of rank 1 has all elements of the dim. */
        if (!aligned_right(n) &&
            (s->dims[d] != a->dims[d] || (d < c->rank && c->dims[d] != a->dims[d])))
            return false;
    }
    return true;
}

static bool accept(struct check *c)
{
    const struct graph_tensor *y;
    struct graph_shape s;
    int constants = 0;
    bool same;

    if (!check_counts(c, INPUTS, INPUTS, 1) ||
        !check_data_input(c, CONDITION, 0, MAX_RANK, CHECK_BOOL) ||
        !check_data_input(c, A, 0, MAX_RANK, CHECK_ALL) ||
        !check_data_input(c, B, 0, MAX_RANK, CHECK_ALL) ||
        !check_data_output(c, 0, 0, MAX_RANK, CHECK_ALL) ||
        !check_tensor_type(c, c->node->inputs[B], graph_input(c->graph, c->node, A)->type) ||
        !check_tensor_type(c, c->node->outputs[0], graph_input(c->graph, c->node, A)->type))
        return false;
    for (int i = 0; i < INPUTS; i++)
        constants += graph_is_constant(c->graph, c->node->inputs[i]);
    if (constants == INPUTS)
        return refuse(c, RULE_BINARY_CONSTANTS, c->node->inputs[0], "data",
                      "the result is a constant: fold it when the model is converted",
                      "at least one computed input", "none");
    y = graph_output(c->graph, c->node, 0);
    same = shape_select(c->graph, c->node, 0, &s) && s.rank == y->rank;
    for (int d = 0; same && d < y->rank; d++)
        same = s.dims[d] == y->dims[d];
    return same ||
           refuse(c, RULE_SELECT_SHAPE, c->node->outputs[0], "dims", "the model is malformed",
                  "the shape that follows from the inputs", "another one of rank %d", y->rank);
}

/* A condition of SELECT for each index of the first of several dims: rows of one channel. */
static bool has_rows(const struct graph *g, const struct graph_node *n, int i)
{
    return !aligned_right(n) && graph_input(g, n, i)->rank == 1 && graph_output(g, n, 0)->rank > 1;
}

/* Strides of input i over y's dims but the last, in slices; broadcast dims have 0. */
static void strides(const struct graph *g, const struct graph_node *n, int i, uint32_t out[])
{
    const struct graph_tensor *y = graph_output(g, n, 0), *t = graph_input(g, n, i);
    const int32_t channels = t->rank > 0 ? t->dims[t->rank - 1] : 1;
    uint32_t pitch = (uint32_t)(channels / 4 + (channels % 4 != 0));

    if (has_rows(g, n, i))
        pitch = 1;
    for (int k = OUTER - 1; k >= 0; k--) {
        const int d = y->rank - 1 - OUTER + k;
        const int32_t dim = d < 0 || t->elements == 1 ? 1 : dim_at(g, n, i, y->rank, d);

        out[k] = dim == 1 ? 0 : pitch;
        pitch *= (uint32_t)dim;
    }
}

/* Packs a constant of floats as the plan's tensors are stored.  Numbers beyond the range of f16,
 * such as those that mask logits, become the largest. */
static enum status pack_floats(struct planner *p, int tensor, struct packed *packed)
{
    const struct graph_tensor *t = &p->graph->tensors[tensor];
    const size_t channels = t->rank > 0 ? (size_t)t->dims[t->rank - 1] : 1;
    const size_t slices = (channels + 3) / 4, rows = t->elements / channels;

    TRY(planner_pack(p, (uint64_t)rows * slices, true, packed));
    for (size_t i = 0; i < t->elements && planner_packs(p); i++) {
        const float v = graph_constant_float(p->graph, tensor, i);
        const float most = p->plan->half && !isinf(v) ? 65504 : INFINITY;

        planner_put(p, packed, i / channels * slices * 4 + i % channels,
                    isnan(v) ? v : fminf(fmaxf(v, -most), most));
    }
    return STATUS_OK;
}

static enum status pack_rows(struct planner *p, int tensor, struct packed *packed)
{
    const size_t count = p->graph->tensors[tensor].elements;

    TRY(planner_pack_words(p, count, packed));
    for (size_t i = 0; i < count && planner_packs(p); i++)
        planner_put_word(p, packed, i, graph_constant_int(p->graph, tensor, i) != 0);
    return STATUS_OK;
}

static enum status pack(struct planner *p, const struct graph_node *n, int i, bool floats,
                        struct packed *packed)
{
    if (has_rows(p->graph, n, i))
        return pack_rows(p, n->inputs[i], packed);
    if (i != CONDITION && floats)
        return pack_floats(p, n->inputs[i], packed);
    if (graph_is_8bit(graph_input(p->graph, n, i)))
        return bytes_pack_tensor(p, n->inputs[i], NULL, packed);
    return planner_pack_integers(p, n->inputs[i], packed);
}

/* The plan tensors of the inputs that are computed, each with the steps that it needs. */
static enum status find_inputs(struct planner *p, const struct graph_node *n, int src[INPUTS])
{
    for (int i = 0; i < INPUTS; i++) {
        if (graph_is_constant(p->graph, n->inputs[i]))
            continue;
        src[i] = planner_tensor(p, n->inputs[i]);
        if (has_rows(p->graph, n, i))
            src[i] = planner_rows(p, n, src[i], (uint32_t)graph_input(p->graph, n, i)->dims[0], 1);
        if (src[i] < 0)
            return STATUS_NO_MEMORY;
    }
    return STATUS_OK;
}

static const char *shader_of(const struct planner *p, int dst)
{
    switch (p->plan->tensors[dst].format) {
    case FORMAT_BYTES: return "select.byte";
    case FORMAT_SHORTS: return "select.short";
    case FORMAT_STORED: return p->plan->half ? "select.short" : "select.word";
    default: return "select.word";
    }
}

static enum status plan(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct select_args args = { .count = 0 };
    struct plan_step *s;
    uint32_t *const stride_of[INPUTS] = { args.stride_c, args.stride_a, args.stride_b };
    const bool floats = dst >= 0 && p->plan->tensors[dst].format == FORMAT_STORED;
    struct packed packed;
    int src[INPUTS];

    if (dst < 0)
        return STATUS_NO_MEMORY;
    TRY(find_inputs(p, n, src));
    if (!(s = planner_step(p, shader_of(p, dst), n, WORKGROUP, 1, 1)))
        return STATUS_NO_MEMORY;
    args.slices = p->plan->tensors[dst].slices;
    args.count = p->plan->tensors[dst].rows * args.slices;
    for (int k = 0; k < OUTER; k++) {
        const int d = y->rank - 1 - OUTER + k;

        args.size[k] = d < 0 ? 1 : (uint32_t)y->dims[d];
    }
    step_write(p, s, 0, dst);
    for (int i = 0; i < INPUTS; i++) {
        const struct graph_tensor *t = graph_input(p->graph, n, i);
        const bool one = dim_at(p->graph, n, i, y->rank, y->rank - 1) == 1 || t->elements == 1;

        strides(p->graph, n, i, stride_of[i]);
        if (graph_is_constant(p->graph, n->inputs[i])) {
            TRY(pack(p, n, i, floats, &packed));
            step_constants(s, i + 1, &packed);
        } else {
            step_read(p, s, i + 1, src[i]);
        }
        step_spec(s, SELECT_SPEC_BROADCAST_C + (uint32_t)i,
                  one && p->plan->tensors[dst].channels != 1);
    }
    step_thawable(s, SELECT_SPEC_BROADCAST_C, SELECT_SPEC_BROADCAST_C + 2);
    step_push(s, &args, sizeof args);
    return step_items(p, s, args.count);
}

static const struct gpu_op ops[] = {
    { GPU_OP(SELECT, 4), GPU_MOVES, .accept = accept, .plan = plan, .shape = shape_select },
    { GPU_OP(SELECT_V2, 2), GPU_MOVES, .accept = accept, .plan = plan, .shape = shape_select },
};
const struct gpu_family gpu_select = { ops, sizeof ops / sizeof ops[0] };
