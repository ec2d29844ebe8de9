#include "delegate/ops/move/rope.h"

#include "delegate/ops/move/rope.args.h"
#include "delegate/plan/planner.h"

/* A half of the rows of x, times the cosines or sines. */
struct product {
    int node, slice, factor;
};

static bool read_product(const struct graph *g, int tensor, struct product *p)
{
    const struct graph_node *n;

    if ((p->node = gpu_op_producer(g, tensor, BUILTIN_MUL)) < 0)
        return false;
    n = &g->nodes[p->node];
    for (int i = 0; i < 2; i++) {
        p->slice = gpu_op_producer(g, n->inputs[i], BUILTIN_SLICE);
        p->factor = n->inputs[1 - i];
        if (p->slice >= 0)
            return true;
    }
    return false;
}

/* The slice is the first or second half of the last dimension, with all of the others. */
static bool is_half(const struct graph *g, int slice, int second)
{
    const struct graph_node *const n = &g->nodes[slice];
    const struct graph_tensor *const x = graph_input(g, n, 0), *const y = graph_output(g, n, 0);
    const int last = x->rank - 1;

    if (last < 0 || y->rank != x->rank || 2 * (int64_t)y->dims[last] != x->dims[last] ||
        y->dims[last] % 4 != 0 || !g->tensors[n->inputs[1]].data)
        return false;
    for (int d = 0; d < last; d++)
        if (y->dims[d] != x->dims[d])
            return false;
    return graph_constant_int(g, n->inputs[1], (size_t)last) == second * y->dims[last];
}

/* The angles are those of neighbouring dimensions of the rows, and the same along the others. */
static bool read_angles(const struct graph *g, struct gpu_rope *rope)
{
    const struct graph_tensor *const x = &g->tensors[rope->x], *const c =
                                                                   &g->tensors[rope->cosines];
    const struct graph_tensor *const s = &g->tensors[rope->sines];
    bool inside = false, past = false;

    rope->inner = rope->positions = 1;
    if (!graph_same_shape(c, s) || c->rank != x->rank ||
        2 * (int64_t)c->dims[c->rank - 1] != x->dims[x->rank - 1])
        return false;
    for (int d = x->rank - 2; d >= 0; d--) {
        if (c->dims[d] == 1 && !inside) {
            rope->inner *= (uint32_t)x->dims[d];
        } else if (c->dims[d] == x->dims[d] && !past) {
            inside = true;
            rope->positions *= (uint32_t)x->dims[d];
        } else if (c->dims[d] == 1) {
            past = true;
        } else {
            return false;
        }
    }
    return true;
}

bool rope_of(const struct graph *g, const struct graph_node *n, struct gpu_rope *rope)
{
    const TfLiteConcatenationParams *const params = n->params;
    const int axis = graph_output(g, n, 0)->rank - 1;
    const struct graph_node *difference, *sum;
    struct product p[4];
    int k[2];

    if (n->input_count != 2 || params->activation != kTfLiteActNone || n->steps.scale > 0 ||
        (params->axis != -1 && params->axis != axis) ||
        (k[0] = gpu_op_producer(g, n->inputs[0], BUILTIN_SUB)) < 0 ||
        (k[1] = gpu_op_producer(g, n->inputs[1], BUILTIN_ADD)) < 0)
        return false;
    difference = &g->nodes[k[0]];
    sum = &g->nodes[k[1]];
    for (int i = 0; i < 2; i++)
        if (!read_product(g, difference->inputs[i], &p[i]) ||
            !read_product(g, sum->inputs[i], &p[2 + i]))
            return false;
    /* a cos - b sin, and b cos + a sin in either order. */
    if (p[2].slice == p[0].slice) {
        const struct product first = p[2];

        p[2] = p[3];
        p[3] = first;
    }
    rope->x = g->nodes[p[0].slice].inputs[0];
    rope->cosines = p[0].factor;
    rope->sines = p[1].factor;
    if (p[2].slice != p[1].slice || p[3].slice != p[0].slice || p[2].factor != rope->cosines ||
        p[3].factor != rope->sines || g->nodes[p[1].slice].inputs[0] != rope->x ||
        !is_half(g, p[0].slice, 0) || !is_half(g, p[1].slice, 1) ||
        !graph_same_shape(graph_output(g, n, 0), &g->tensors[rope->x]))
        return false;
    rope->fused.count = 0;
    for (int i = 0; i < 4; i++) {
        gpu_fused_add(&rope->fused, p[i].node);
        gpu_fused_add(&rope->fused, i < 2 ? p[i].slice : k[i - 2]);
    }
    return read_angles(g, rope);
}

static enum status plan_rope(struct planner *p, const struct graph_node *n)
{
    const struct gpu_rope *const rope = n->params;
    const int dst = planner_tensor(p, n->outputs[0]);
    struct rope_args args;
    struct plan_step *s;

    if (dst < 0 || !(s = planner_step(p, "rope", n, WORKGROUP, 1, 1)))
        return STATUS_NO_MEMORY;
    args = (struct rope_args){ .slices = p->plan->tensors[dst].slices / 2,
                               .inner = rope->inner,
                               .positions = rope->positions };
    args.count = p->plan->tensors[dst].rows * args.slices;
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    for (int i = 0; i < 3; i++) {
        const int tensor = planner_tensor(p, n->inputs[i]);

        if (tensor < 0)
            return STATUS_NO_MEMORY;
        step_read(p, s, 1 + i, tensor);
    }
    return step_items(p, s, args.count);
}

const struct gpu_op gpu_rope = { .plan = plan_rope };
