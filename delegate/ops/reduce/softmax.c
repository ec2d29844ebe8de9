/* SOFTMAX over the last dimension; a workgroup computes a row. */
#include "delegate/ops/reduce/softmax.h"

#include "delegate/ops/int8/exact.h"
#include "delegate/ops/product/matvec.args.h"
#include "delegate/ops/reduce/tail.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>
#include <string.h>

bool softmax_is_wide(const struct graph *g, const struct graph_node *n)
{
    return n->code == BUILTIN_SOFTMAX && graph_is_8bit(graph_input(g, n, 0)) &&
           graph_output(g, n, 0)->type == kTfLiteInt16;
}

/* Results of i16 of 8 bits have a scale, which exact_softmax checks, and its least zero point. */
static bool check_result(struct check *c)
{
    const int y = c->node->outputs[0];

    if (c->options->quantized != QUANTIZED_EXACT || !softmax_is_wide(c->graph, c->node))
        return check_output(c, 0, 1, GRAPH_MAX_RANK);
    return c->graph->tensors[y].quant.count == 1
               ? check_rank(c, y, 1, GRAPH_MAX_RANK)
               : refuse(c, RULE_QUANT_SCALE, y, "number of scales", "quantize the tensor", "1",
                        "%zu", c->graph->tensors[y].quant.count);
}

bool check_rows(struct check *c)
{
    const struct graph_tensor *x;

    if (!check_computed_input(c, 0, 1, GRAPH_MAX_RANK) || !check_result(c) ||
        !check_same_shape(c, RULE_SOFTMAX_OUTPUT_SHAPE))
        return false;
    x = graph_input(c->graph, c->node, 0);
    /* That of integers reads a row three times: for its maximum, the sum, and the quotients. */
    return check_loop_iterations(c, 3 * (((uint64_t)x->dims[x->rank - 1] + 3) / 4) / WORKGROUP);
}

static bool accept_softmax(struct check *c)
{
    const TfLiteSoftmaxParams *params = c->node->params;

    if (!check_counts(c, 1, 1, 1) || !check_params(c) || !check_rows(c))
        return false;
    return fabsf(params->beta) <= 1e6f ||
           refuse(c, RULE_SOFTMAX_BETA, -1, "beta", "the model is malformed", "finite, at most 1e6",
                  "%g", params->beta);
}

enum { ALONE_SLICES_MAX = 8, ALONE_ROWS_MIN = 1024 };

bool softmax_alone(const struct planner *p, const struct graph_node *n, int dst)
{
    const struct plan_tensor *t = &p->plan->tensors[dst];

    return t->slices <= ALONE_SLICES_MAX &&
           t->rows / graph_images(graph_output(p->graph, n, 0)) >= ALONE_ROWS_MIN;
}

uint32_t softmax_invocations(const struct device_limits *limits, uint32_t slices)
{
    const uint32_t most = device_costs_of(limits)->softmax_workgroup;
    uint32_t n = WORKGROUP;

    while (n < slices && n < most && 2 * n <= limits->max_workgroup_size[0] &&
           2 * n <= limits->max_workgroup_invocations)
        n *= 2;
    return n;
}

enum status softmax_plan(struct planner *p, const struct graph_node *n, uint32_t op, float beta)
{
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct softmax_args args;
    struct plan_step *s;
    uint32_t width;
    bool alone;

    if (src < 0 || dst < 0)
        return STATUS_NO_MEMORY;
    alone = softmax_alone(p, n, dst);
    width = softmax_invocations(p->limits, p->plan->tensors[dst].slices);
    if (!(s = planner_step(p, "softmax", n, width, 1, 1)))
        return STATUS_NO_MEMORY;
    args = (struct softmax_args){ .count = p->plan->tensors[dst].rows,
                                  .channels = p->plan->tensors[dst].channels,
                                  .slices = p->plan->tensors[dst].slices,
                                  .beta = beta };
    step_spec(s, SOFTMAX_SPEC_OP, op);
    step_spec(s, SOFTMAX_SPEC_ALONE, alone);
    step_thawable(s, SOFTMAX_SPEC_OP, SOFTMAX_SPEC_ALONE);
    step_shared(s, width * (uint32_t)sizeof(float));
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    return step_groups(p, s, alone ? (args.count + width - 1) / width : args.count);
}

/* By the last workgroup of the product, with as many invocations as a step of its own would have,
 * so that sums have the same bits. */
static enum status plan_tail(struct planner *p, const struct graph_node *n,
                             struct plan_step *product, float beta)
{
    uint32_t *const invocations = &product->spec[SPEC_WORKGROUP_X];
    const uint32_t part_bytes = product->shared_bytes;
    struct matvec_args args;
    struct packed none;
    uint32_t width;

    memcpy(&args, product->push, sizeof args);
    width = softmax_invocations(p->limits, args.out_slices);
    TRY(tail_plan(p, n, product, 0, &args.tail, &none));
    args.beta = beta;
    step_push(product, &args, sizeof args);
    step_spec(product, MATVEC_SPEC_TAIL, width);
    if (*invocations < width)
        *invocations = width;
    step_shared(product, part_bytes + *invocations * (uint32_t)sizeof(float));
    return STATUS_OK;
}

static enum status plan_softmax(struct planner *p, const struct graph_node *n)
{
    const TfLiteSoftmaxParams *params = n->params;
    struct plan_step *const product = tail_product(p, n, "matvec", 0);

    return product ? plan_tail(p, n, product, params->beta)
                   : softmax_plan(p, n, SOFTMAX_POWERS, params->beta);
}

static const struct gpu_op ops[] = {
    { GPU_OP(SOFTMAX, 4), .exact = &exact_softmax, .shorts = true, .magnitude = 1,
      .accept = accept_softmax, .plan = plan_softmax },
};
const struct gpu_family gpu_softmax = { ops, sizeof ops / sizeof ops[0] };
