/* FULLY_CONNECTED: weights [U,K], optional bias [U], constant or computed; the input is taken as
 * rows of K. */
#include "delegate/ops/product/fully_connected.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/dot.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/packed_weights.h"
#include "delegate/ops/product/fully_connected.args.h"
#include "delegate/ops/product/matmul.h"
#include "delegate/ops/product/matrix.h"
#include "delegate/ops/product/packed_product.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <inttypes.h>
#include <string.h>

/* A workgroup: output slices, and shares of the sum over K. */
enum { SLICES_X = 8, SHARES_Y = 8 };

/* Weights from which on many rows are a product in tiles. */
enum { TILED_PRODUCTS_MIN = 65536 };

struct weights_shape fully_connected_weights(const struct graph_tensor *weights)
{
    return (struct weights_shape){ .outputs = (uint32_t)weights->dims[0],
                                   .taps = 1,
                                   .inputs = (uint32_t)weights->dims[1],
                                   .depth = ((uint32_t)weights->dims[1] + 3) / 4 * 4 };
}

/* -1: none. */
static int bias_of(const struct graph_node *n)
{
    return n->input_count > 2 ? n->inputs[2] : -1;
}

static bool table_of(const struct graph *g, const struct graph_node *n,
                     const struct gpu_options *options, struct gpu_table *table)
{
    const bool exact = options->quantized == QUANTIZED_EXACT && graph_is_quantized(g, n);
    const uint64_t depth = ((uint64_t)graph_input(g, n, 1)->dims[1] + 3) / 4 * 4;
    const uint64_t floats = depth * (options_half(options) ? 2 : 4);
    const uint64_t integers = depth < DOT_CHANNEL_BYTES ? DOT_CHANNEL_BYTES : depth;

    *table = (struct gpu_table){
        .input = 1, .row_bytes = exact ? integers : floats, .step = 4, .makes_channels = true
    };
    if (!exact)
        packed_weights_table(g, options, n->inputs[1], table);
    return graph_is_constant(g, n->inputs[1]) &&
           (bias_of(n) < 0 || graph_is_constant(g, bias_of(n)));
}

struct weights_shape fully_connected_accepted(const struct check *c)
{
    struct weights_shape shape = fully_connected_weights(graph_input(c->graph, c->node, 1));
    struct gpu_table table;

    if (gpu_op_cut(c->graph, c->node, c->options, c->limits, &table))
        shape.outputs = table.rows;
    return shape;
}

bool check_fully_connected_loop(struct check *c, uint64_t k)
{
    return check_loop_iterations(c, (k + 3) / 4 / SHARES_Y);
}

static bool accept_fully_connected(struct check *c)
{
    const TfLiteFullyConnectedParams *params = c->node->params;
    const struct graph_tensor *x, *w, *y;
    struct weights_shape shape;

    if (!check_counts(c, 2, 3, 1) || !check_params(c) ||
        !check_computed_input(c, 0, 1, GRAPH_MAX_RANK) || !check_input(c, 1, 2, 2) ||
        !check_output(c, 0, 1, GRAPH_MAX_RANK) || !check_activation(c, params->activation))
        return false;
    x = graph_input(c->graph, c->node, 0);
    w = graph_input(c->graph, c->node, 1);
    y = graph_output(c->graph, c->node, 0);
    if (params->weights_format != kTfLiteFullyConnectedWeightsFormatDefault)
        return refuse(c, RULE_FULLY_CONNECTED_WEIGHTS_FORMAT, -1, "weights_format",
                      "convert without shuffled weights", "0 (default)", "%d",
                      (int)params->weights_format);
    if (w->dims[0] < 1 || w->dims[1] < 1 || x->elements % (size_t)w->dims[1] != 0)
        return refuse(c, RULE_FULLY_CONNECTED_DEPTH, c->node->inputs[1], "dims[1]",
                      "the model is malformed", "a divisor of the input's elements",
                      "[%d,%d], the input has %zu elements", w->dims[0], w->dims[1], x->elements);
    if (params->keep_num_dims && x->dims[x->rank - 1] != w->dims[1])
        return refuse(c, RULE_FULLY_CONNECTED_KEEP_NUM_DIMS, c->node->inputs[0], "last dim",
                      "the model is malformed", "dims[1] of the weights", "%d, the weights have %d",
                      x->dims[x->rank - 1], w->dims[1]);
    if (y->dims[y->rank - 1] != w->dims[0] ||
        y->elements != x->elements / (size_t)w->dims[1] * (size_t)w->dims[0])
        return refuse(c, RULE_FULLY_CONNECTED_OUTPUT_SHAPE, c->node->outputs[0], "elements",
                      "the model is malformed", "rows of dims[0] of the weights",
                      "%zu, last dim %d", y->elements, y->dims[y->rank - 1]);
    if (!check_bias(c, 2, w->dims[0], RULE_FULLY_CONNECTED_BIAS, "dims[0] of the weights"))
        return false;
    shape = fully_connected_accepted(c);
    if (packed_product_may(c, c->node->inputs[1], bias_of(c->node), shape.outputs))
        return true;
    return check_fully_connected_loop(c, shape.inputs) &&
           check_storable(c, 1, weights_vec4s(&shape));
}

static bool shape_fully_connected(const struct graph *g, const struct graph_node *n, int i,
                                  struct graph_shape *s)
{
    const TfLiteFullyConnectedParams *params = n->params;
    const struct graph_tensor *x = graph_input(g, n, 0), *w = graph_input(g, n, 1);
    size_t rows;

    (void)i;
    if (x->rank < 1 || w->rank != 2 || w->dims[1] < 1 || x->elements % (size_t)w->dims[1] != 0)
        return false;
    rows = x->elements / (size_t)w->dims[1];
    if (!params->keep_num_dims) {
        *s = (struct graph_shape){ 2, { (int32_t)rows, w->dims[0] } };
        return rows <= INT32_MAX;
    }
    s->rank = x->rank;
    memcpy(s->dims, x->dims, sizeof s->dims);
    s->dims[s->rank - 1] = w->dims[0];
    return x->dims[x->rank - 1] == w->dims[1];
}

enum status fully_connected_plan(struct planner *p, const struct graph_node *n,
                                 const struct fully_connected *f)
{
    const struct plan_tensor *src = &p->plan->tensors[f->src], *dst = &p->plan->tensors[f->dst];
    const struct fully_connected_args args = {
        .count = dst->rows * ((dst->slices + SLICES_X - 1) / SLICES_X),
        .in_channels = src->channels,
        .in_slices = src->slices,
        .out_slices = dst->slices,
    };
    struct plan_step *s = planner_step(p, "fully_connected", n, SLICES_X, SHARES_Y, 1);

    if (!s)
        return STATUS_NO_MEMORY;
    step_spec(s, FULLY_CONNECTED_SPEC_ACTIVATION, f->activation);
    step_spec(s, FULLY_CONNECTED_SPEC_WIDE, f->wide);
    step_spec(s, FULLY_CONNECTED_SPEC_RESIDUAL, f->has_residual);
    step_thawable(s, FULLY_CONNECTED_SPEC_ACTIVATION, FULLY_CONNECTED_SPEC_RESIDUAL);
    step_shared(s, SLICES_X * SHARES_Y * 4 * (uint32_t)sizeof(float));
    step_push(s, &args, sizeof args);
    step_products(p, s, f->dst, f->src, f->weights, f->bias);
    return step_groups(p, s, args.count);
}

/* With fewer weights fully_connected.comp is as fast. */
static bool is_large(const struct planner *p, const struct graph_node *n,
                     const struct weights_shape *shape)
{
    const uint64_t weights = (uint64_t)shape->inputs * shape->outputs;
    const struct reason_of why = planner_reason(p, KERNEL_gemm, n);

    return weights >= TILED_PRODUCTS_MIN ||
           reasons_add(&why, "%" PRIu64 " weights, fewer than %d", weights, TILED_PRODUCTS_MIN);
}

static enum status plan_fully_connected(struct planner *p, const struct graph_node *n)
{
    const TfLiteFullyConnectedParams *params = n->params;
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const struct graph_tensor *w = graph_input(p->graph, n, 1);
    const uint32_t rows = (uint32_t)(x->elements / (size_t)w->dims[1]);
    const int src = planner_rows(p, n, planner_tensor(p, n->inputs[0]), rows, (uint32_t)w->dims[1]);
    const int dst = n->has_residual ? planner_view(p, n->outputs[0], planner_tensor(p, n->residual))
                                    : planner_tensor(p, n->outputs[0]);
    const struct weights_shape shape = fully_connected_weights(w);
    struct operand weights, bias;
    struct matmul m = { .src = src,
                        .dst = dst,
                        .window = &window_1x1,
                        .weights = &weights,
                        .bias = &bias,
                        .activation = (uint32_t)params->activation,
                        .has_residual = n->has_residual };

    if (src < 0 || dst < 0)
        return STATUS_NO_MEMORY;
    if (packed_product_fits(p, n, n->inputs[1], bias_of(n), rows))
        return packed_product_plan(p, n,
                                   &(struct packed_product){
                                       .src = src,
                                       .dst = dst,
                                       .weights = n->inputs[1],
                                       .bias = bias_of(n),
                                       .activation = (uint32_t)params->activation,
                                       .has_residual = n->has_residual,
                                   });
    m.args = window_args_1x1(p->plan, src, dst);
    TRY(operand_bias(p, n, bias_of(n), shape.outputs, &bias));
    if (matrix_fits(p, n, &m, n->inputs[1], &shape))
        return matrix_plan(p, n, &m, n->inputs[1], &shape);
    TRY(operand_weights(p, n, n->inputs[1], &shape, &weights));
    /* Whatever the rows are, so that a row has the same bits in a batch. */
    if (n->as_conv_1x1 || (is_large(p, n, &shape) && matmul_is_tiled(p, n, &m)))
        return matmul_plan(p, n, &m);
    return fully_connected_plan(p, n,
                                &(struct fully_connected){
                                    .src = src,
                                    .dst = dst,
                                    .weights = &weights,
                                    .bias = &bias,
                                    .activation = (uint32_t)params->activation,
                                    .has_residual = n->has_residual,
                                });
}

static bool takes_residual(const struct graph *g, const struct graph_node *n)
{
    (void)g;
    return gpu_op_activation(n) == kTfLiteActNone;
}

static const struct gpu_op ops[] = {
    { GPU_OP(FULLY_CONNECTED, 14), GPU_ACTIVATION(TfLiteFullyConnectedParams),
      .accept = accept_fully_connected, .plan = plan_fully_connected,
      .shape = shape_fully_connected, .exact = &exact_fully_connected, .shorts = true,
      .table = table_of, .few_bits = true, .has_conv_1x1 = true, .takes_residual = takes_residual },
};
const struct gpu_family gpu_fully_connected = { ops, sizeof ops / sizeof ops[0] };
