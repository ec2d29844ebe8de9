/* SVDF of i8, with time weights and state of i16: new results are requantized to steps of the
 * state, sums to steps of y.  Meaning: reference/ops/svdf.c */
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/requantize.h"
#include "delegate/ops/recurrent/svdf.h"
#include "tensorflow/lite/c/builtin_op_data.h"

static float scale_of(const struct graph *g, const struct graph_node *n, int i)
{
    return graph_input(g, n, i)->quant.scale[0];
}

/* As on the CPU, the scales are multiplied in f32. */
static double state_factor(const struct graph *g, const struct graph_node *n)
{
    return (double)(scale_of(g, n, SVDF_X) * scale_of(g, n, SVDF_FEATURE) /
                    scale_of(g, n, SVDF_STATE));
}

static double out_factor(const struct graph *g, const struct graph_node *n)
{
    return (double)(scale_of(g, n, SVDF_STATE) * scale_of(g, n, SVDF_TIME) /
                    graph_output(g, n, 0)->quant.scale[0]);
}

static bool check_type(struct check *c, int tensor, TfLiteType type, bool zero)
{
    const struct graph_tensor *const t = &c->graph->tensors[tensor];

    if (t->type != type)
        return refuse(c, RULE_SVDF_QUANT, tensor, "type", "the CPU kernel takes no other",
                      runtime_type_name(type), "%s", runtime_type_name(t->type));
    return !zero || (t->quant.count == 1 && tensor_zero_point(t) == 0) ||
           refuse(c, RULE_SVDF_QUANT, tensor, "scales, zero point", "the CPU kernel takes no other",
                  "1 scale, 0", "%zu, %d", t->quant.count,
                  t->quant.count ? tensor_zero_point(t) : 0);
}

static bool accept_svdf(struct check *c)
{
    const TfLiteSVDFParams *const params = c->node->params;
    const int *const in = c->node->inputs;

    if (params->activation != kTfLiteActRelu)
        return refuse(c, RULE_SVDF_QUANT, -1, "activation", "the CPU kernel takes no other",
                      "1 (relu)", "%d", (int)params->activation);
    return check_type(c, in[SVDF_X], kTfLiteInt8, false) &&
           check_type(c, in[SVDF_FEATURE], kTfLiteInt8, true) &&
           check_type(c, in[SVDF_TIME], kTfLiteInt16, true) &&
           (!graph_input(c->graph, c->node, SVDF_BIAS) ||
            check_type(c, in[SVDF_BIAS], kTfLiteInt32, false)) &&
           check_type(c, in[SVDF_STATE], kTfLiteInt16, true) &&
           check_type(c, c->node->outputs[0], kTfLiteInt8, false) &&
           check_multiplier(c, in[SVDF_FEATURE], "input scale * feature scale / state scale",
                            state_factor(c->graph, c->node)) &&
           check_multiplier(c, in[SVDF_TIME], "state scale * time scale / output scale",
                            out_factor(c->graph, c->node));
}

static uint32_t value_of(const struct planner *p, const struct graph_node *n, int input, uint64_t i)
{
    return (uint32_t)graph_constant_int(p->graph, n->inputs[input], i);
}

static enum status pack_feature(struct planner *p, const struct graph_node *n,
                                const struct svdf_args *args, struct packed *packed)
{
    TRY(planner_pack_words(p, (uint64_t)args->x_slices * args->filters, packed));
    for (uint32_t f = 0; f < args->filters && planner_packs(p); f++)
        for (uint32_t s = 0; s < args->x_slices; s++) {
            uint32_t word = 0;

            for (uint32_t k = 4 * s; k < args->depth && k < 4 * s + 4; k++)
                word |= (value_of(p, n, SVDF_FEATURE, (uint64_t)f * args->depth + k) & 0xff)
                        << 8 * (k % 4);
            planner_put_word(p, packed, (uint64_t)s * args->filters + f, word);
        }
    return STATUS_OK;
}

static enum status pack_time(struct planner *p, const struct graph_node *n,
                             const struct svdf_args *args, struct packed *packed)
{
    const uint64_t weights = (uint64_t)args->filters * args->memory;

    TRY(planner_pack_words(p, weights + args->units, packed));
    for (uint64_t i = 0; i < weights && planner_packs(p); i++)
        planner_put_word(p, packed, i, value_of(p, n, SVDF_TIME, i));
    for (uint32_t u = 0; u < args->units && graph_input(p->graph, n, SVDF_BIAS) && planner_packs(p);
         u++)
        planner_put_word(p, packed, weights + u, value_of(p, n, SVDF_BIAS, u));
    return STATUS_OK;
}

static enum status plan_svdf(struct planner *p, const struct graph_node *n)
{
    const struct fixed_multiplier m = requantize_multiplier(state_factor(p->graph, n));
    const struct fixed_multiplier out = requantize_multiplier(out_factor(p->graph, n));
    const struct svdf_args args = svdf_args_of(p->graph, n);
    struct svdf_step move = { .shader = "svdf_state_int8", .args = args };
    struct svdf_step sum = { .shader = "svdf_int8", .args = args };

    move.args.x_zero = tensor_zero_point(graph_input(p->graph, n, SVDF_X));
    move.args.factor = m.q;
    move.args.shift = m.e;
    sum.args.out_zero = tensor_zero_point(graph_output(p->graph, n, 0));
    sum.args.factor = out.q;
    sum.args.shift = out.e;
    TRY(pack_feature(p, n, &args, &move.constants));
    TRY(pack_time(p, n, &args, &sum.constants));
    return svdf_plan(p, n, &move, &sum);
}

const struct gpu_exact exact_svdf = { accept_svdf, plan_svdf };
