/* SPACE_TO_DEPTH, DEPTH_TO_SPACE, and with constant blocks, paddings and crops SPACE_TO_BATCH_ND
 * and BATCH_TO_SPACE_ND.  Paddings are added by a step before the move, and crops cut off by a step
 * after it. */
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/move/move.h"
#include "delegate/ops/move/pad.args.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <string.h>

enum { SPACE_TO_DEPTH, DEPTH_TO_SPACE, SPACE_TO_BATCH, BATCH_TO_SPACE };

/* Blocks of H and W, and the paddings or crops around these; [N,H,C] has none of W. */
struct blocks {
    int64_t size[2], before[2], after[2];
};

static bool is_batch(const struct graph_node *n)
{
    return n->op->variant == SPACE_TO_BATCH || n->op->variant == BATCH_TO_SPACE;
}

/* False: a size below 1 or a padding below 0, or any above 2^31 - 1. */
static bool read_blocks(const struct graph *g, const struct graph_node *n, struct blocks *b)
{
    const int spatial = graph_input(g, n, 0)->rank - 2;

    *b = (struct blocks){ .size = { 1, 1 } };
    if (!is_batch(n)) {
        b->size[0] = b->size[1] = n->op->variant == SPACE_TO_DEPTH
                                      ? ((const TfLiteSpaceToDepthParams *)n->params)->block_size
                                      : ((const TfLiteDepthToSpaceParams *)n->params)->block_size;
        return spatial == 2 && b->size[0] >= 1;
    }
    if (spatial < 1 || spatial > 2 || graph_input(g, n, 1)->elements != (size_t)spatial ||
        graph_input(g, n, 2)->elements != 2 * (size_t)spatial)
        return false;
    for (int d = 0; d < spatial; d++) {
        b->size[d] = graph_constant_int(g, n->inputs[1], (size_t)d);
        b->before[d] = graph_constant_int(g, n->inputs[2], 2 * (size_t)d);
        b->after[d] = graph_constant_int(g, n->inputs[2], 2 * (size_t)d + 1);
        if (b->size[d] < 1 || b->before[d] < 0 || b->after[d] < 0)
            return false;
    }
    return true;
}

static bool put(struct graph_shape *s, int d, int64_t size)
{
    s->dims[d] = (int32_t)size;
    return size >= 0 && size <= INT32_MAX;
}

static bool map_to_depth(const struct graph_tensor *x, const struct blocks *b,
                         struct graph_shape *s)
{
    const int64_t size = b->size[0];

    return x->dims[1] % size == 0 && x->dims[2] % size == 0 && size <= INT16_MAX &&
           put(s, 1, x->dims[1] / size) && put(s, 2, x->dims[2] / size) &&
           put(s, 3, x->dims[3] * size * size);
}

static bool map_from_depth(const struct graph_tensor *x, const struct blocks *b,
                           struct graph_shape *s)
{
    const int64_t size = b->size[0];

    return x->dims[3] % (size * size) == 0 && put(s, 1, x->dims[1] * size) &&
           put(s, 2, x->dims[2] * size) && put(s, 3, x->dims[3] / (size * size));
}

static bool map_to_batch(const struct graph_tensor *x, const struct blocks *b,
                         struct graph_shape *s)
{
    for (int d = 1; d < x->rank - 1; d++) {
        const int64_t padded = x->dims[d] + b->before[d - 1] + b->after[d - 1];

        if (padded > INT32_MAX || padded % b->size[d - 1] != 0 ||
            !put(s, d, padded / b->size[d - 1]) || !put(s, 0, s->dims[0] * b->size[d - 1]))
            return false;
    }
    return true;
}

static bool map_to_space(const struct graph_tensor *x, const struct blocks *b,
                         struct graph_shape *s)
{
    for (int d = 1; d < x->rank - 1; d++) {
        if (s->dims[0] % b->size[d - 1] != 0 || x->dims[d] * b->size[d - 1] > INT32_MAX ||
            !put(s, d, x->dims[d] * b->size[d - 1] - b->before[d - 1] - b->after[d - 1]))
            return false;
        s->dims[0] /= (int32_t)b->size[d - 1];
    }
    return true;
}

/* Without the move: that depends on paddings and crops. */
static bool map(const struct graph *g, const struct graph_node *n, int i, struct graph_shape *s,
                struct move *m)
{
    const struct graph_tensor *x = graph_input(g, n, 0);
    struct blocks b;

    (void)i;
    (void)m;
    if (!read_blocks(g, n, &b))
        return false;
    s->rank = x->rank;
    memcpy(s->dims, x->dims, sizeof s->dims);
    switch (n->op->variant) {
    case SPACE_TO_DEPTH: return map_to_depth(x, &b, s);
    case DEPTH_TO_SPACE: return map_from_depth(x, &b, s);
    case SPACE_TO_BATCH: return map_to_batch(x, &b, s);
    default: return map_to_space(x, &b, s);
    }
}

static bool accept_depth(struct check *c)
{
    return check_counts(c, 1, 1, 1) && check_params(c) && check_moved(c, 0, 4, 4) &&
           check_move_map(c, map, 0, -1, "block_size");
}

static bool accept_batch(struct check *c)
{
    const struct graph_tensor *margins;
    int spatial;

    if (!check_counts(c, 3, 3, 1) || !check_moved(c, 0, 3, 4))
        return false;
    spatial = graph_input(c->graph, c->node, 0)->rank - 2;
    if (!check_move_vector(c, 1, "block_shape", false, spatial) ||
        !check_move_constant(c, 2, "paddings, crops", false))
        return false;
    margins = graph_input(c->graph, c->node, 2);
    if (margins->rank != 2 || margins->dims[0] != spatial || margins->dims[1] != 2)
        return refuse(c, RULE_MOVE_RANGE, c->node->inputs[2], "dims", "the model is malformed",
                      "[H and W, 2]", "rank %d, %zu elements", margins->rank, margins->elements);
    return check_move_map(c, map, 0, 2, "paddings, crops");
}

static bool shape_blocks(const struct graph *g, const struct graph_node *n, int i,
                         struct graph_shape *s)
{
    return map(g, n, i, s, NULL);
}

/* The input with its paddings, [N,H,W,C]. */
static enum status plan_padded(struct planner *p, const struct graph_node *n,
                               const struct blocks *b, int32_t dims[4], int *src)
{
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    const int from = *src;
    struct pad_args args = { .in_channels = (uint32_t)dims[3],
                             .in_slices = ((uint32_t)dims[3] + 3) / 4,
                             .out_slices = ((uint32_t)dims[3] + 3) / 4 };
    struct plan_step *s;

    if (b->before[0] + b->after[0] + b->before[1] + b->after[1] == 0 || from < 0)
        return STATUS_OK;
    for (int i = 0; i < PAD_OUTER; i++) { /* dims at the end of the arrays */
        const int d = i - (PAD_OUTER - 3);

        args.in_size[i] = args.out_size[i] = d < 0 ? 1 : (uint32_t)dims[d];
        if (d < 1)
            continue;
        args.before[i] = (uint32_t)b->before[d - 1];
        dims[d] += (int32_t)(b->before[d - 1] + b->after[d - 1]);
        args.out_size[i] = (uint32_t)dims[d];
    }
    if (graph_is_8bit(y) && y->quant.scale)
        args.fill = ((uint32_t)y->quant.zero_point[0] & 0xff) * 0x01010101;
    *src = planner_temp(p, (uint32_t)dims[0] * (uint32_t)dims[1] * (uint32_t)dims[2],
                        (uint32_t)dims[3], p->plan->tensors[from].format);
    if (*src < 0 || !(s = planner_step(p, planner_moving_shader(p, *src, MOVING_SHADER("pad")), n,
                                       WORKGROUP, 1, 1)))
        return STATUS_NO_MEMORY;
    args.count = p->plan->tensors[*src].rows * p->plan->tensors[*src].slices;
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, *src);
    step_read(p, s, 1, from);
    return step_items(p, s, args.count);
}

static enum status plan_to_batch(struct planner *p, const struct graph_node *n,
                                 const struct blocks *b, int32_t dims[4], int src)
{
    struct move m;

    TRY(plan_padded(p, n, b, dims, &src));
    move_init(&m, 4, dims, false);
    move_dim(&m, b->size[0], 1, 1);
    move_dim(&m, b->size[1], 2, 1);
    move_dim(&m, dims[0], 0, 1);
    move_dim(&m, dims[1] / b->size[0], 1, b->size[0]);
    move_dim(&m, dims[2] / b->size[1], 2, b->size[1]);
    move_dim(&m, dims[3], 3, 1);
    return move_plan_output(p, n, 0, src, &m);
}

static enum status plan_to_space(struct planner *p, const struct graph_node *n,
                                 const struct blocks *b, const int32_t dims[4], int src)
{
    const int64_t images = dims[0] / b->size[0] / b->size[1];
    const int32_t whole[] = { (int32_t)images, (int32_t)(dims[1] * b->size[0]),
                              (int32_t)(dims[2] * b->size[1]), dims[3] };
    struct move m;
    int temp;

    move_init(&m, 4, dims, false);
    move_dim(&m, images, 0, 1);
    move_dim(&m, dims[1], 1, 1);
    move_dim(&m, b->size[0], 0, images * b->size[1]);
    move_dim(&m, dims[2], 2, 1);
    move_dim(&m, b->size[1], 0, images);
    move_dim(&m, dims[3], 3, 1);
    if (b->before[0] + b->after[0] + b->before[1] + b->after[1] == 0)
        return move_plan_output(p, n, 0, src, &m);
    if (src < 0 || (temp = planner_temp(p, (uint32_t)(whole[0] * whole[1] * whole[2]),
                                        (uint32_t)dims[3], p->plan->tensors[src].format)) < 0)
        return STATUS_NO_MEMORY;
    TRY(move_plan_step(p, n, temp, src, &m));
    move_init(&m, 4, whole, false);
    for (int d = 0; d < 4; d++) {
        const int64_t cut = d == 1 || d == 2 ? b->before[d - 1] + b->after[d - 1] : 0;

        move_begin(&m, d, cut > 0 ? b->before[d - 1] : 0);
        move_dim(&m, whole[d] - cut, d, 1);
    }
    return move_plan_output(p, n, 0, temp, &m);
}

static enum status plan_depth(struct planner *p, const struct graph_node *n, const struct blocks *b,
                              const int32_t dims[4], int src)
{
    const int64_t size = b->size[0], channels = dims[3] / (size * size);
    struct move m;

    move_init(&m, 4, dims, false);
    move_dim(&m, dims[0], 0, 1);
    if (n->op->variant == SPACE_TO_DEPTH) {
        move_dim(&m, dims[1] / size, 1, size);
        move_dim(&m, dims[2] / size, 2, size);
        move_dim(&m, size, 1, 1);
        move_dim(&m, size, 2, 1);
        move_dim(&m, dims[3], 3, 1);
    } else {
        move_dim(&m, dims[1], 1, 1);
        move_dim(&m, size, 3, size * channels);
        move_dim(&m, dims[2], 2, 1);
        move_dim(&m, size, 3, channels);
        move_dim(&m, channels, 3, 1);
    }
    return move_plan_output(p, n, 0, src, &m);
}

static enum status plan_blocks(struct planner *p, const struct graph_node *n)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const int src = planner_tensor(p, n->inputs[0]);
    int32_t dims[4] = { x->dims[0], x->dims[1], 1, x->dims[x->rank - 1] };
    struct blocks b;

    if (x->rank == 4)
        dims[2] = x->dims[2];
    if (!read_blocks(p->graph, n, &b))
        return diag_fail(p->diag, STATUS_INVALID, "the blocks do not fit the input");
    if (n->op->variant == SPACE_TO_BATCH)
        return plan_to_batch(p, n, &b, dims, src);
    if (n->op->variant == BATCH_TO_SPACE)
        return plan_to_space(p, n, &b, dims, src);
    return plan_depth(p, n, &b, dims, src);
}

#define ROW(code_, version, variant_, accept_)                                                     \
    {                                                                                              \
        GPU_OP(code_, version), .variant = (variant_), GPU_MOVES, .accept = (accept_),             \
                                .plan = plan_blocks, .shape = shape_blocks                         \
    }
static const struct gpu_op ops[] = {
    ROW(SPACE_TO_DEPTH, 2, SPACE_TO_DEPTH, accept_depth),
    ROW(DEPTH_TO_SPACE, 2, DEPTH_TO_SPACE, accept_depth),
    ROW(SPACE_TO_BATCH_ND, 4, SPACE_TO_BATCH, accept_batch),
    ROW(BATCH_TO_SPACE_ND, 4, BATCH_TO_SPACE, accept_batch),
};
const struct gpu_family gpu_space_to_depth = { ops, sizeof ops / sizeof ops[0] };
