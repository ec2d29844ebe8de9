/* BATCH_MATMUL: the dims before the last two broadcast; either operand may be constant.  f32 with
 * i8 constants stays on the CPU, which quantizes x for it; i16 has i16 or i8 for y.  Meaning:
 * reference/ops/batch_matmul.c */
#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/int8/packing.h"
#include "delegate/ops/int8/requantize.h"
#include "delegate/ops/operand.h"
#include "delegate/ops/product/attention.h"
#include "delegate/ops/product/batch_matmul.args.h"
#include "delegate/plan/planner.h"
#include "reference/base/fixed_point16.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <inttypes.h>

enum { DIMS = BATCH_MATMUL_DIMS, RANK_MIN = 2, RANK_MAX = DIMS + 2 };

/* Dim i of DIMS before the last two, aligned at the last one. */
static uint32_t batch_dim(const struct graph_tensor *t, int i)
{
    const int d = i - DIMS + t->rank - 2;

    return d < 0 ? 1 : (uint32_t)t->dims[d];
}

/* The rows (0) or columns (1) of the operand's matrices, as they are multiplied. */
static int32_t matrix_dim(const struct graph_tensor *t, bool swapped, int i)
{
    return t->dims[t->rank - 2 + (swapped ? 1 - i : i)];
}

static uint64_t slices_of(const struct graph_tensor *t)
{
    const uint64_t channels = (uint64_t)t->dims[t->rank - 1];

    return t->elements / channels * ((channels + 3) / 4);
}

/* The low words of the products of i16 have 16 bits, and are summed in 32. */
enum { SHORTS_DEPTH_MAX = 60000 };

/* y has the type of x, or where this is i16 also i8 with a zero point of 0. */
static bool check_y(struct check *c)
{
    const struct graph_tensor *const z = graph_output(c->graph, c->node, 0);
    const struct graph_tensor *const y = graph_input(c->graph, c->node, 1);

    if (!z || !y || z->type != kTfLiteInt16 || y->type != kTfLiteInt8)
        return check_input(c, 1, RANK_MIN, RANK_MAX);
    if (!check_scales(c, c->node->inputs[1]) ||
        !check_rank(c, c->node->inputs[1], RANK_MIN, RANK_MAX))
        return false;
    return y->quant.zero_point[0] == 0 ||
           refuse(c, RULE_QUANT_SCALE, c->node->inputs[1], "zero point",
                  "the CPU kernel refuses it, too", "0 beside i16", "%d", y->quant.zero_point[0]);
}

static bool accept_batch_matmul(struct check *c)
{
    const TfLiteBatchMatMulParams *params = c->node->params;

    if (!check_counts(c, 2, 2, 1) || !check_params(c) || !check_input(c, 0, RANK_MIN, RANK_MAX) ||
        !check_y(c) || !check_output(c, 0, RANK_MIN, RANK_MAX))
        return false;
    if (graph_is_constant(c->graph, c->node->inputs[1]) &&
        !check_computed_input(c, 0, RANK_MIN, RANK_MAX))
        return false;
    for (int i = 0; i < 2; i++) {
        const struct graph_tensor *t = graph_input(c->graph, c->node, i);

        if (t->elements > 0 && graph_is_constant(c->graph, c->node->inputs[i]) &&
            !check_storable(c, i, slices_of(t)))
            return false;
    }
    return check_loop_iterations(
        c, (uint64_t)matrix_dim(graph_input(c->graph, c->node, 0), params->adj_x, 1) / 4);
}

static bool shape_batch_matmul(const struct graph *g, const struct graph_node *n, int i,
                               struct graph_shape *s)
{
    const TfLiteBatchMatMulParams *params = n->params;
    const struct graph_tensor *x = graph_input(g, n, 0), *y = graph_input(g, n, 1);

    (void)i;
    if (x->rank < RANK_MIN || x->rank > RANK_MAX || y->rank < RANK_MIN || y->rank > RANK_MAX ||
        matrix_dim(x, params->adj_x, 1) != matrix_dim(y, params->adj_y, 0))
        return false;
    s->rank = x->rank > y->rank ? x->rank : y->rank;
    for (int d = 0; d < s->rank - 2; d++) {
        const uint32_t a = batch_dim(x, d + RANK_MAX - s->rank),
                       b = batch_dim(y, d + RANK_MAX - s->rank);

        if (a != b && a != 1 && b != 1)
            return false;
        s->dims[d] = (int32_t)(a == 1 ? b : a);
    }
    s->dims[s->rank - 2] = matrix_dim(x, params->adj_x, 0);
    s->dims[s->rank - 1] = matrix_dim(y, params->adj_y, 1);
    return true;
}

/* A constant of i16 as slices of two words. */
static enum status pack_shorts(struct planner *p, int tensor, struct packed *packed)
{
    const struct graph_tensor *const t = &p->graph->tensors[tensor];
    const size_t channels = (size_t)t->dims[t->rank - 1], pitch = (channels + 3) / 4 * 4;

    TRY(planner_pack_words(p, 2 * slices_of(t), packed));
    for (size_t i = 0; i < 2 * slices_of(t) && planner_packs(p); i++) {
        uint32_t word = 0;

        for (size_t lane = 0; lane < 2; lane++) {
            const size_t c = (2 * i + lane) % pitch;

            if (c < channels)
                word |=
                    ((uint32_t)graph_constant_int(p->graph, tensor, 2 * i / pitch * channels + c) &
                     0xffff)
                    << 16 * lane;
        }
        planner_put_word(p, packed, i, word);
    }
    return STATUS_OK;
}

/* A constant as rows of channels in the storage type. */
static enum status pack_constant(struct planner *p, int tensor, struct operand *o)
{
    const struct graph_tensor *t = &p->graph->tensors[tensor];
    const uint64_t channels = (uint64_t)t->dims[t->rank - 1], pitch = (channels + 3) / 4 * 4;

    if (graph_is_8bit(t) && p->options->quantized == QUANTIZED_EXACT)
        return bytes_pack_tensor(p, tensor, NULL, &o->packed);
    if (t->type == kTfLiteInt16)
        return pack_shorts(p, tensor, &o->packed);
    TRY(planner_pack(p, slices_of(t), true, &o->packed));
    for (size_t i = 0; i < t->elements && planner_packs(p); i++)
        planner_put(p, &o->packed, i / channels * pitch + i % channels,
                    graph_constant_float(p->graph, tensor, i));
    return STATUS_OK;
}

static enum status open_operand(struct planner *p, int tensor, struct operand *o)
{
    *o = (struct operand){ .constant = graph_is_constant(p->graph, tensor), .tensor = -1 };
    if (o->constant)
        return pack_constant(p, tensor, o);
    o->tensor = planner_tensor(p, tensor);
    return o->tensor < 0 ? STATUS_NO_MEMORY : STATUS_OK;
}

static double factor_of(const struct graph *g, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(g, n, 0), *y = graph_input(g, n, 1);

    /* TensorFlow Lite multiplies the scales in f32. */
    return x->quant.scale[0] * y->quant.scale[0] / tensor_scale(graph_output(g, n, 0));
}

static void set_quantized(struct batch_matmul_args *args, const struct graph *g,
                          const struct graph_node *n)
{
    const struct graph_tensor *z = graph_output(g, n, 0);
    const struct fixed_multiplier m = requantize_multiplier(factor_of(g, n));
    const struct fixed_range range = requantize_range(z, kTfLiteActNone);
    const bool shorts = z->type == kTfLiteInt16;

    args->x_zero = tensor_zero_point(graph_input(g, n, 0));
    args->y_zero = tensor_zero_point(graph_input(g, n, 1));
    args->out_zero = tensor_zero_point(z);
    args->multiplier = shorts ? fixed16_mantissa(m.q) : m.q;
    args->shift = shorts ? 15 - m.e : m.e;
    args->low = range.low - args->out_zero;
    args->high = range.high - args->out_zero;
}

/* The batch: strides are those of an operand's own dims, or 0. */
static void set_batch(struct batch_matmul_args *args, const struct graph_tensor *x,
                      const struct graph_tensor *y)
{
    uint32_t x_pitch = 1, y_pitch = 1;

    for (int i = DIMS - 1; i >= 0; i--) {
        const uint32_t a = batch_dim(x, i), b = batch_dim(y, i);

        args->size[i] = a == 1 ? b : a;
        args->x_stride[i] = a == 1 ? 0 : x_pitch;
        args->y_stride[i] = b == 1 ? 0 : y_pitch;
        x_pitch *= a;
        y_pitch *= b;
    }
}

enum { SHARES_MAX = 8, SHARE_DEPTH_MIN = 8, SHARES_COLUMNS = 16 };

/* By how many invocations a sum is made.  It depends on nothing but the depth, so that a matrix has
 * the same bits in any batch. */
static uint32_t shares_of(const struct planner *p, const struct graph_node *n, uint32_t depth)
{
    const struct reason_of why = planner_reason(p, KERNEL_matmul_shares, n);
    uint32_t shares = 1;

    if (!planner_kernel(p, &why))
        return 1;
    while (shares < SHARES_MAX && 2 * shares * SHARE_DEPTH_MIN <= depth)
        shares *= 2;
    if (shares == 1)
        reasons_add(&why, "a depth of %" PRIu32 ", less than %d", depth, 2 * SHARE_DEPTH_MIN);
    return shares;
}

static enum status plan_batch_matmul(struct planner *p, const struct graph_node *n)
{
    const TfLiteBatchMatMulParams *params = n->params;
    const struct graph_tensor *x = graph_input(p->graph, n, 0), *y = graph_input(p->graph, n, 1);
    const int dst = planner_tensor(p, n->outputs[0]);
    const TfLiteType type = graph_output(p->graph, n, 0)->type;
    const bool bytes = type == kTfLiteInt8 || type == kTfLiteUInt8, shorts = type == kTfLiteInt16;
    struct batch_matmul_args args = { 0 };
    const uint32_t depth = (uint32_t)matrix_dim(x, params->adj_x, 1);
    const uint32_t shares = shorts ? 1 : shares_of(p, n, depth);
    struct operand a, b;
    struct plan_step *s;

    TRY(open_operand(p, n->inputs[0], &a));
    TRY(open_operand(p, n->inputs[1], &b));
    s = planner_step(p,
                     shorts  ? "batch_matmul_int16.i16"
                     : bytes ? "batch_matmul_int8"
                             : "batch_matmul",
                     n, shares > 1 ? SHARES_COLUMNS : WORKGROUP, shares, 1);
    if (dst < 0 || !s)
        return STATUS_NO_MEMORY;
    args.rows = (uint32_t)matrix_dim(x, params->adj_x, 0);
    args.depth = depth;
    args.columns = (uint32_t)matrix_dim(y, params->adj_y, 1);
    args.row_tiles = (args.rows + BATCH_MATMUL_ROWS - 1) / BATCH_MATMUL_ROWS;
    args.out_slices = (args.columns + 3) / 4;
    args.x_rows = (uint32_t)x->dims[x->rank - 2];
    args.y_rows = (uint32_t)y->dims[y->rank - 2];
    args.x_slices = ((uint32_t)x->dims[x->rank - 1] + 3) / 4;
    args.y_slices = ((uint32_t)y->dims[y->rank - 1] + 3) / 4;
    set_batch(&args, x, y);
    args.count = args.size[0] * args.size[1] * args.size[2] *
                 (shorts ? args.rows : args.row_tiles) * args.out_slices;
    if (bytes || shorts)
        set_quantized(&args, p->graph, n);
    step_spec(s, BATCH_MATMUL_SPEC_ADJ_X, params->adj_x);
    step_spec(s, BATCH_MATMUL_SPEC_ADJ_Y, params->adj_y);
    if (shorts)
        step_spec(s, BATCH_MATMUL_SPEC_Y_BYTES, y->type == kTfLiteInt8);
    step_thawable(s, BATCH_MATMUL_SPEC_ADJ_X,
                  shorts ? BATCH_MATMUL_SPEC_Y_BYTES : BATCH_MATMUL_SPEC_ADJ_Y);
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_operand(p, s, 1, &a);
    step_operand(p, s, 2, &b);
    if (shares == 1)
        return step_items(p, s, args.count);
    step_shared(s, SHARES_COLUMNS * shares * BATCH_MATMUL_ROWS * 4 * (uint32_t)sizeof(float));
    return step_groups(p, s, ((uint64_t)args.count + SHARES_COLUMNS - 1) / SHARES_COLUMNS);
}

static bool accept_exact(struct check *c)
{
    const struct graph_tensor *const x = graph_input(c->graph, c->node, 0);
    const TfLiteBatchMatMulParams *const params = c->node->params;
    const int32_t depth = matrix_dim(x, params->adj_x, 1);

    if (x->type == kTfLiteInt16 && depth > SHORTS_DEPTH_MAX)
        return refuse(c, RULE_QUANT_SUM, c->node->inputs[0], "columns of a matrix", "split the sum",
                      "60000", "%d", depth);
    return check_per_tensor(c, c->node->inputs[0]) && check_per_tensor(c, c->node->inputs[1]) &&
           check_multiplier(c, c->node->outputs[0], "scale of x * scale of y / output scale",
                            factor_of(c->graph, c->node));
}

const struct gpu_exact exact_batch_matmul = { accept_exact, NULL };

static const struct gpu_op ops[] = {
    { GPU_OP(BATCH_MATMUL, 4), .exact = &exact_batch_matmul, .shorts = true,
      .accept = accept_batch_matmul, .plan = plan_batch_matmul, .multiplies_matrices = true,
      .attention = attention_of, .shape = shape_batch_matmul },
};
const struct gpu_family gpu_batch_matmul = { ops, sizeof ops / sizeof ops[0] };
