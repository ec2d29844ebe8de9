/* RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR to a constant size.  Of the latter the host computes
 * the coordinates, as the CPU does. */
#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/int8/exact.h"
#include "delegate/ops/move/resize.args.h"
#include "delegate/ops/move/take.h"
#include "delegate/plan/planner.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>

/* Coordinates are f32, in which not every integer above is exact. */
enum { COORDINATE_MAX = 1 << 24 };

static bool check_size(struct check *c)
{
    const struct graph_tensor *size = graph_input(c->graph, c->node, 1);
    const struct graph_tensor *y = graph_output(c->graph, c->node, 0);

    if (!size || !size->data || size->type != kTfLiteInt32)
        return refuse(c, RULE_RESIZE_SIZE_CONSTANT, size ? c->node->inputs[1] : -1, "size",
                      "make it a constant of the model", "constant i32", "%s",
                      !size         ? "absent"
                      : !size->data ? "computed at run time"
                                    : runtime_type_name(size->type));
    if (size->rank != 1 || size->dims[0] != 2)
        return refuse(c, RULE_RESIZE_SIZE_SHAPE, c->node->inputs[1], "dims",
                      "the model is malformed", "[2]", "rank %d, %zu elements", size->rank,
                      size->elements);
    for (int i = 0; i < 2; i++) {
        const int64_t value = graph_constant_int(c->graph, c->node->inputs[1], (size_t)i);

        if (value > COORDINATE_MAX || value != y->dims[i + 1])
            return refuse(c, RULE_RESIZE_SIZE_RANGE, c->node->inputs[1], "size",
                          "the model is malformed", "1 to 16777216, the output's height and width",
                          "%lld on dim %d, the output has %d", (long long)value, i + 1,
                          y->dims[i + 1]);
    }
    return true;
}

/* An image, whose batch and channels stay.  Types and ranks were checked. */
static bool check_resize(struct check *c)
{
    const struct graph_tensor *x = graph_input(c->graph, c->node, 0);
    const struct graph_tensor *y = graph_output(c->graph, c->node, 0);

    if (x->dims[0] != y->dims[0] || x->dims[3] != y->dims[3])
        return refuse(c, RULE_RESIZE_OUTPUT_SHAPE, c->node->outputs[0], "dims",
                      "the model is malformed", "the input's batch and channels",
                      "%d, %d, the input has %d, %d", y->dims[0], y->dims[3], x->dims[0],
                      x->dims[3]);
    for (int d = 1; d <= 2; d++)
        if (x->dims[d] > COORDINATE_MAX)
            return refuse(c, RULE_RESIZE_INPUT_SIZE, c->node->inputs[0], "dims",
                          "resize in two steps", "1 to 16777216", "%d on dim %d", x->dims[d], d);
    return check_size(c);
}

static bool accept_bilinear(struct check *c)
{
    const TfLiteResizeBilinearParams *params = c->node->params;

    if (!check_counts(c, 2, 2, 1) || !check_params(c) || !check_computed_input(c, 0, 4, 4) ||
        !check_output(c, 0, 4, 4))
        return false;
    if (params->align_corners && params->half_pixel_centers)
        return refuse(c, RULE_RESIZE_FLAGS, -1, "align_corners, half_pixel_centers",
                      "the CPU kernel refuses it, too", "one of them at most", "both");
    return check_resize(c);
}

static bool shape_of(const struct graph *g, const struct graph_node *n, int i,
                     struct graph_shape *s)
{
    const struct graph_tensor *x = graph_input(g, n, 0);

    (void)i;
    if (x->rank != 4)
        return false;
    *s = (struct graph_shape){ 4,
                               { x->dims[0], (int32_t)graph_constant_int(g, n->inputs[1], 0),
                                 (int32_t)graph_constant_int(g, n->inputs[1], 1), x->dims[3] } };
    return true;
}

/* Computed in f32, as the CPU does, since the coordinates must have the same bits. */
static float scale_of(bool align_corners, int32_t in, int32_t out)
{
    return align_corners && out > 1 ? (float)(in - 1) / (float)(out - 1) : (float)in / (float)out;
}

static enum status plan_bilinear(struct planner *p, const struct graph_node *n)
{
    const TfLiteResizeBilinearParams *params = n->params;
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const struct graph_tensor *y = graph_output(p->graph, n, 0);
    const int src = planner_tensor(p, n->inputs[0]);
    const int dst = planner_tensor(p, n->outputs[0]);
    struct plan_step *s = planner_step(p, "resize", n, WORKGROUP, 1, 1);
    struct resize_args args;

    if (src < 0 || dst < 0 || !s)
        return STATUS_NO_MEMORY;
    args = (struct resize_args){
        .in_h = (uint32_t)x->dims[1],
        .in_w = (uint32_t)x->dims[2],
        .out_h = (uint32_t)y->dims[1],
        .out_w = (uint32_t)y->dims[2],
        .slices = p->plan->tensors[dst].slices,
        .scale_h = scale_of(params->align_corners, x->dims[1], y->dims[1]),
        .scale_w = scale_of(params->align_corners, x->dims[2], y->dims[2]),
        .offset = params->half_pixel_centers ? 0.5f : 0.0f,
    };
    args.count = p->plan->tensors[dst].rows * args.slices;
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    return step_items(p, s, args.count);
}

static bool accept_nearest(struct check *c)
{
    return check_counts(c, 2, 2, 1) && check_params(c) && check_computed_input(c, 0, 4, 4) &&
           check_output(c, 0, 4, 4) && check_resize(c) && take_check(c);
}

/* The arithmetic is f32 and rounds as the CPU's: a pixel must fall on the same side of an integer.
 */
static int32_t index_of(const struct graph *g, const struct graph_node *n, int d, int32_t i)
{
    const TfLiteResizeNearestNeighborParams *params = n->params;
    const int32_t in = graph_input(g, n, 0)->dims[d], out = graph_output(g, n, 0)->dims[d];
    float at, whole;

    if (d == 0 || d == 3)
        return i;
    at = ((float)i + (params->half_pixel_centers ? 0.5f : 0.0f)) *
         scale_of(params->align_corners, in, out);
    whole = params->align_corners ? roundf(at) : floorf(at);
    return whole < (float)in ? (int32_t)whole : in - 1;
}

static enum status plan_nearest(struct planner *p, const struct graph_node *n)
{
    return take_plan(p, n, index_of, -1);
}

/* The kept input: a resize to the same size changes nothing, but an infinity, which a weight of 0
 * makes NaN. */
static const struct gpu_op ops[] = {
    { GPU_OP(RESIZE_BILINEAR, 4), .same_quant = true, .within_inputs = true, .exact = &exact_resize,
      .shorts = true, .accept = accept_bilinear, .plan = plan_bilinear, .shape = shape_of,
      .kept_input = gpu_first_input },
    { GPU_OP(RESIZE_NEAREST_NEIGHBOR, 4), GPU_MOVES, .accept = accept_nearest, .plan = plan_nearest,
      .shape = shape_of, .kept_input = gpu_first_input },
};
const struct gpu_family gpu_resize = { ops, sizeof ops / sizeof ops[0] };
