/* RESIZE_NEAREST_NEIGHBOR to a constant size: the host computes the coordinates, as the CPU does.
 */
#include "delegate/accept/refusal.h"
#include "delegate/graph/gpu_op.h"
#include "delegate/ops/move/resize.h"
#include "delegate/ops/move/take.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>

static bool accept_resize(struct check *c)
{
    return check_counts(c, 2, 2, 1) && check_params(c) && check_computed_input(c, 0, 4, 4) &&
           check_output(c, 0, 4, 4) && resize_check(c) && take_check(c);
}

/* The arithmetic is f32 and rounds as the CPU's: a pixel must fall on the same side of an integer.
 */
static int32_t index_of(const struct graph *g, const struct graph_node *n, int d, int32_t i)
{
    const TfLiteResizeNearestNeighborParams *params = n->params;
    const int32_t in = graph_input(g, n, 0)->dims[d], out = graph_output(g, n, 0)->dims[d];
    float scale, at, whole;

    if (d == 0 || d == 3)
        return i;
    scale = params->align_corners && out > 1 ? (float)(in - 1) / (float)(out - 1)
                                             : (float)in / (float)out;
    at = ((float)i + (params->half_pixel_centers ? 0.5f : 0.0f)) * scale;
    whole = params->align_corners ? roundf(at) : floorf(at);
    return whole < (float)in ? (int32_t)whole : in - 1;
}

static enum status plan_resize(struct planner *p, const struct graph_node *n)
{
    return take_plan(p, n, index_of, -1);
}

/* A resize to the same size changes nothing. */
static int kept_input(const struct graph *g, const struct graph_node *n)
{
    (void)g;
    (void)n;
    return 0;
}

/* Quantized nodes need no check and no plan of their own: integers are moved as floats are. */
static const struct gpu_exact exact = { NULL, NULL };

static const struct gpu_op ops[] = {
    { .code = BUILTIN_RESIZE_NEAREST_NEIGHBOR,
      .max_version = 4,
      .same_quant = true,
      .selects = true,
      .exact = &exact,
      .shorts = true,
      .accept = accept_resize,
      .plan = plan_resize,
      .shape = resize_shape,
      .kept_input = kept_input },
};
const struct gpu_family gpu_resize_nearest = { ops, sizeof ops / sizeof ops[0] };
