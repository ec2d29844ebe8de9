#include "delegate/ops/product/depthwise_tile.h"

#include "delegate/ops/product/depthwise_tile.args.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <inttypes.h>

enum {
    TAPS_MAX = 49,  /* beyond, the code of the shader would be long */
    SLICES_MAX = 64 /* of a workgroup */
};

/* Pixels of an invocation and invocations of a workgroup. */
struct shape {
    uint32_t rows, columns, workgroup;
};

/* Tests choose one on any device. */
static const struct shape shapes[] = {
    { 1, 1, 256 }, { 4, 1, 64 }, { 1, 4, 32 }, { 2, 2, 128 }, { 3, 3, 32 },
};

static uint32_t quotient_up(uint32_t a, uint32_t b)
{
    return a / b + (a % b != 0);
}

/* The largest divisor of the slices, so that no invocation idles; if there is only a small one, a
 * size of which some idle in the last workgroup. */
static uint32_t slices_of_workgroup(uint32_t slices)
{
    if (slices <= SLICES_MAX)
        return slices;
    for (uint32_t x = SLICES_MAX; x >= SLICES_MAX / 4; x--)
        if (slices % x == 0)
            return x;
    return SLICES_MAX / 2;
}

static void set_workgroup(struct depthwise_tile *t, const struct window_args *args, uint32_t most)
{
    const uint32_t runs = quotient_up(args->out_w, t->columns);

    t->x = slices_of_workgroup(args->out_slices);
    while (t->x > most)
        t->x = quotient_up(t->x, 2);
    /* As many workgroups as the largest ones would be, with runs shared out evenly. */
    t->y = most / t->x < runs ? most / t->x : runs;
    t->y = quotient_up(runs, quotient_up(runs, t->y));
}

static uint64_t grid_z(const struct depthwise_tile *t, const struct window_args *args,
                       uint32_t images)
{
    return (uint64_t)images * quotient_up(args->out_h, t->rows);
}

static bool allowed(const struct planner *p, const struct depthwise_tile *t,
                    const struct window_args *args, uint32_t images)
{
    const struct device_limits *l = p->limits;

    return t->x <= l->max_workgroup_size[0] && t->y <= l->max_workgroup_size[1] &&
           t->x * t->y <= l->max_workgroup_invocations &&
           quotient_up(args->out_slices, t->x) <= l->max_workgroup_count[0] &&
           quotient_up(quotient_up(args->out_w, t->columns), t->y) <= l->max_workgroup_count[1] &&
           grid_z(t, args, images) <= l->max_workgroup_count[2];
}

static bool find_shape(const struct planner *p, uint64_t outputs, const struct reason_of *why,
                       struct shape *shape)
{
    const struct device_costs *const costs = device_costs_of(p->limits);
    /* Option kernel, on a class without a shape of its own, has the first. */
    const int forced = p->options->depthwise_tile > 0 ? p->options->depthwise_tile
                                                      : costs->depthwise.workgroup == 0;

    *shape = (struct shape){ costs->depthwise.rows, costs->depthwise.columns,
                             costs->depthwise.workgroup };
    if (forced > 0)
        *shape = shapes[(size_t)(forced - 1) % DEPTHWISE_TILES];
    return forced > 0 || outputs >= costs->depthwise.outputs_min ||
           reasons_add(why, "%" PRIu64 " slices of outputs: from %" PRIu32 " on it is faster",
                       outputs, costs->depthwise.outputs_min);
}

bool depthwise_tile_find(const struct planner *p, const struct graph_node *n,
                         const struct window *window, const struct window_args *args,
                         uint32_t multiplier, uint32_t images, struct depthwise_tile *t)
{
    const uint64_t outputs = (uint64_t)images * args->out_h * args->out_w * args->out_slices;
    const uint32_t most = p->limits->max_workgroup_invocations;
    const struct reason_of why = planner_reason(p, KERNEL_depthwise, n);
    struct shape shape;

    if (!planner_kernel(p, &why) || !find_shape(p, outputs, &why, &shape))
        return false;
    if (multiplier != 1)
        return reasons_add(&why, "%" PRIu32 " results of each channel", multiplier);
    if ((uint64_t)window->filter_h * (uint64_t)window->filter_w > TAPS_MAX)
        return reasons_add(&why, "a window of %d x %d, more than %d taps", window->filter_h,
                           window->filter_w, TAPS_MAX);
    *t = (struct depthwise_tile){ .rows = shape.rows, .columns = shape.columns };
    /* Windows that are dilated, or do not touch, share no loads. */
    if (window->dilation_h > 1 || window->stride_h > window->filter_h)
        t->rows = 1;
    if (window->dilation_w > 1 || window->stride_w > window->filter_w)
        t->columns = 1;
    set_workgroup(t, args, shape.workgroup < most ? shape.workgroup : most);
    return allowed(p, t, args, images) ||
           reasons_add(&why, "its workgroups exceed the limits of the device");
}

enum status depthwise_tile_step(struct planner *p, const struct graph_node *n,
                                const struct depthwise_tile *t, const struct window *window,
                                const struct window_args *args, uint32_t images,
                                struct plan_step **step)
{
    const TfLiteDepthwiseConvParams *params = n->params;
    const struct depthwise_tile_args push = { .window = *args, .steps = n->steps };
    struct plan_step *s = planner_step(p, "depthwise_tile", n, t->x, t->y, 1);

    if (!s)
        return STATUS_NO_MEMORY;
    *step = s;
    window_specs(s, window);
    step_spec(s, DEPTHWISE_TILE_SPEC_ROWS, t->rows);
    step_spec(s, DEPTHWISE_TILE_SPEC_COLUMNS, t->columns);
    step_spec(s, DEPTHWISE_TILE_SPEC_ACTIVATION, (uint32_t)params->activation);
    step_spec(s, DEPTHWISE_TILE_SPEC_ROUNDED, n->steps.scale > 0);
    step_push(s, &push, sizeof push);
    step_freezable(s);
    s->groups[0] = quotient_up(args->out_slices, t->x);
    s->groups[1] = quotient_up(quotient_up(args->out_w, t->columns), t->y);
    s->groups[2] = (uint32_t)grid_z(t, args, images);
    return STATUS_OK;
}
