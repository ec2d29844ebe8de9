/* SVDF: a layer of low rank over the last steps of a sequence, whose state is written back to the
 * host's tensor.  One step puts the new results of the feature weights into the state, another sums
 * up the state by the time weights.  Meaning: reference/ops/svdf.c */
#include "delegate/ops/recurrent/svdf.h"

#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/recurrent/lstm_full.h"
#include "tensorflow/lite/c/builtin_op_data.h"

/* Input i is a constant; of a float node weights may be i8. */
static bool check_constant(struct check *c, int i, int rank)
{
    const int tensor = c->node->inputs[i];
    const struct graph_tensor *const t = graph_input(c->graph, c->node, i);
    const bool hybrid = i == SVDF_TIME && t && t->type == kTfLiteInt8 && t->data &&
                        !graph_is_quantized(c->graph, c->node);

    if (hybrid ? !check_scales(c, tensor) || !check_rank(c, tensor, rank, rank)
               : !check_input(c, i, rank, rank))
        return false;
    if (!graph_is_constant(c->graph, tensor))
        return refuse(c, RULE_SVDF_WEIGHTS, tensor, "data", "store weights and bias in the model",
                      "a constant", "computed");
    return t->type != kTfLiteInt8 || (t->quant.count == 1 && t->quant.zero_point[0] == 0) ||
           refuse(c, RULE_SVDF_QUANT, tensor, "scales, zero point", "the CPU kernel takes no other",
                  "1 scale, 0", "%zu, %d", t->quant.count, t->quant.zero_point[0]);
}

/* d1 is 0: rank 1. */
static bool check_dims(struct check *c, int tensor, int64_t d0, int64_t d1)
{
    const struct graph_tensor *const t = &c->graph->tensors[tensor];

    return (t->dims[0] == d0 && (d1 == 0 || t->dims[1] == d1)) ||
           refuse(c, RULE_SVDF_SHAPE, tensor, "dims", "the model is malformed",
                  "what batch, depth, filters, rank and memory give",
                  "[%d,%d], expected [%lld,%lld]", t->dims[0], d1 == 0 ? 0 : t->dims[1],
                  (long long)d0, (long long)d1);
}

/* vec4 of the feature weights, each of a filter. */
static uint64_t feature_vec4s(int64_t filters, int64_t depth)
{
    return (uint64_t)filters * (((uint64_t)depth + 3) / 4);
}

static bool check_shapes(struct check *c, int64_t rank)
{
    const struct graph_node *const n = c->node;
    const struct graph_tensor *const feature = graph_input(c->graph, n, SVDF_FEATURE);
    const int64_t batch = graph_input(c->graph, n, SVDF_X)->dims[0], filters = feature->dims[0];
    const int64_t depth = feature->dims[1], memory = graph_input(c->graph, n, SVDF_TIME)->dims[1];

    if (rank < 1 || filters < 1 || memory < 1 || filters % rank != 0)
        return refuse(c, RULE_SVDF_SHAPE, n->inputs[SVDF_FEATURE], "rank", "the model is malformed",
                      "a divisor of the filters", "%lld of %lld filters", (long long)rank,
                      (long long)filters);
    return check_dims(c, n->inputs[SVDF_X], batch, depth) &&
           check_dims(c, n->inputs[SVDF_TIME], filters, memory) &&
           check_dims(c, n->inputs[SVDF_STATE], batch, filters * memory) &&
           check_dims(c, n->outputs[0], batch, filters / rank) &&
           (!graph_input(c->graph, n, SVDF_BIAS) ||
            check_dims(c, n->inputs[SVDF_BIAS], filters / rank, 0)) &&
           /* An invocation has the new results in a slice of the state, or four units. */
           check_loop_iterations(c, (uint64_t)((memory + 3) / memory * ((depth + 3) / 4) + 4)) &&
           check_loop_iterations(c, 4 * (uint64_t)(rank * memory)) &&
           check_storable(c, SVDF_FEATURE, feature_vec4s(filters, depth));
}

static bool check_state(struct check *c)
{
    const int tensor = c->node->inputs[SVDF_STATE];

    return c->graph->tensors[tensor].is_variable
               ? lstm_check_state(c, SVDF_STATE)
               : refuse(c, RULE_SVDF_STATE, tensor, "is_variable", "the CPU kernel refuses it, too",
                        "a variable tensor", "false");
}

static bool accept_svdf(struct check *c)
{
    const TfLiteSVDFParams *const params = c->node->params;

    return check_counts(c, SVDF_INPUTS, SVDF_INPUTS, 1) && check_params(c) &&
           check_activation(c, params->activation) && check_computed_input(c, SVDF_X, 2, 2) &&
           check_constant(c, SVDF_FEATURE, 2) && check_constant(c, SVDF_TIME, 2) &&
           (!graph_input(c->graph, c->node, SVDF_BIAS) || check_constant(c, SVDF_BIAS, 1)) &&
           check_computed_input(c, SVDF_STATE, 2, 2) && check_output(c, 0, 2, 2) &&
           check_shapes(c, params->rank) && check_state(c);
}

static bool shape_svdf(const struct graph *g, const struct graph_node *n, int i,
                       struct graph_shape *s)
{
    const TfLiteSVDFParams *const params = n->params;
    const struct graph_tensor *const x = graph_input(g, n, SVDF_X);
    const struct graph_tensor *const feature = graph_input(g, n, SVDF_FEATURE);

    (void)i;
    if (x->rank != 2 || !feature || feature->rank != 2 || params->rank < 1)
        return false;
    *s = (struct graph_shape){ 2, { x->dims[0], feature->dims[0] / params->rank } };
    return true;
}

struct svdf_args svdf_args_of(const struct graph *g, const struct graph_node *n)
{
    const TfLiteSVDFParams *const params = n->params;
    const struct graph_tensor *const feature = graph_input(g, n, SVDF_FEATURE);
    const uint32_t filters = (uint32_t)feature->dims[0], depth = (uint32_t)feature->dims[1];
    const uint32_t memory = (uint32_t)graph_input(g, n, SVDF_TIME)->dims[1];
    const uint32_t rank = (uint32_t)params->rank;

    return (struct svdf_args){ .depth = depth,
                               .x_slices = (depth + 3) / 4,
                               .filters = filters,
                               .memory = memory,
                               .state_slices = (filters * memory + 3) / 4,
                               .units = filters / rank,
                               .out_slices = (filters / rank + 3) / 4,
                               .terms = rank * memory };
}

static enum status plan_step(struct planner *p, const struct graph_node *n,
                             const struct svdf_step *step, const int tensors[3], int constants)
{
    const struct plan_tensor *const dst = &p->plan->tensors[tensors[0]];
    struct plan_step *const s = planner_step(p, step->shader, n, WORKGROUP, 1, 1);
    struct svdf_args args = step->args;

    if (!s)
        return STATUS_NO_MEMORY;
    args.count = dst->rows * dst->slices;
    if (step->activates) {
        step_spec(s, SVDF_SPEC_ACTIVATION, step->activation);
        step_thawable(s, SVDF_SPEC_ACTIVATION, SVDF_SPEC_ACTIVATION);
    }
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, tensors[0]);
    for (int i = 1; i < constants; i++)
        step_read(p, s, i, tensors[i]);
    step_constants(s, constants, &step->constants);
    return step_items(p, s, args.count);
}

enum status svdf_plan(struct planner *p, const struct graph_node *n, const struct svdf_step *move,
                      const struct svdf_step *sum)
{
    const int x = planner_tensor(p, n->inputs[SVDF_X]);
    const int state = planner_tensor(p, n->inputs[SVDF_STATE]);
    const int y = planner_tensor(p, n->outputs[0]);
    const int next = x < 0 || state < 0 || y < 0 ? -1
                                                 : planner_temp(p, p->plan->tensors[state].rows,
                                                                p->plan->tensors[state].channels,
                                                                p->plan->tensors[state].format);

    if (next < 0)
        return STATUS_NO_MEMORY;
    TRY(plan_step(p, n, move, (const int[]){ next, state, x }, 3));
    TRY(plan_step(p, n, sum, (const int[]){ y, next, -1 }, 2));
    return planner_write_back(p, n->inputs[SVDF_STATE], next);
}

/* The feature weights as [slices of K][F] vec4 of four inputs. */
static enum status pack_feature(struct planner *p, int tensor, const struct svdf_args *args,
                                struct packed *packed)
{
    TRY(planner_pack(p, feature_vec4s(args->filters, args->depth), true, packed));
    for (uint32_t f = 0; f < args->filters && planner_packs(p); f++)
        for (uint32_t k = 0; k < args->depth; k++)
            planner_put(p, packed, ((uint64_t)(k / 4) * args->filters + f) * 4 + k % 4,
                        graph_constant_float(p->graph, tensor, (size_t)f * args->depth + k));
    return STATUS_OK;
}

/* The time weights [F,M], then the bias [U] or zeros, one behind the other. */
static enum status pack_time(struct planner *p, const struct graph_node *n,
                             const struct svdf_args *args, struct packed *packed)
{
    const uint64_t weights = (uint64_t)args->filters * args->memory;

    TRY(planner_pack(p, (weights + args->units + 3) / 4, false, packed));
    for (uint64_t i = 0; i < weights && planner_packs(p); i++)
        planner_put(p, packed, i, graph_constant_float(p->graph, n->inputs[SVDF_TIME], i));
    for (uint32_t u = 0; u < args->units && graph_input(p->graph, n, SVDF_BIAS) && planner_packs(p);
         u++)
        planner_put(p, packed, weights + u,
                    graph_constant_float(p->graph, n->inputs[SVDF_BIAS], u));
    return STATUS_OK;
}

static enum status plan_svdf(struct planner *p, const struct graph_node *n)
{
    const TfLiteSVDFParams *const params = n->params;
    const struct svdf_args args = svdf_args_of(p->graph, n);
    struct svdf_step move = { .shader = "svdf_state", .args = args };
    struct svdf_step sum = { .shader = "svdf",
                             .args = args,
                             .activates = true,
                             .activation = (uint32_t)params->activation };

    TRY(pack_feature(p, n->inputs[SVDF_FEATURE], &args, &move.constants));
    TRY(pack_time(p, n, &args, &sum.constants));
    return svdf_plan(p, n, &move, &sum);
}

static const struct gpu_op ops[] = {
    { GPU_OP(SVDF, 4), GPU_ACTIVATION(TfLiteSVDFParams), .wide_inputs = 1 << SVDF_STATE,
      .no_float_view = true, .exact = &exact_svdf, .accept = accept_svdf, .plan = plan_svdf,
      .shape = shape_svdf },
};
const struct gpu_family gpu_svdf = { ops, sizeof ops / sizeof ops[0] };
