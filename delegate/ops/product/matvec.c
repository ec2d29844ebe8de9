#include "delegate/ops/product/matvec.h"

#include "delegate/ops/product/matvec.args.h"

enum {
    ROWS_MAX = 3,       /* conv_2d.comp shares the weights of 4 rows */
    IN_SLICES_MIN = 16, /* below, a workgroup would have few planes */
    INVOCATIONS = 256,
    SECTOR_BYTES = 32, /* of a cache line, that a load of less fetches as a whole */
    TURNS_MAX = 8,
};

bool matvec_fits(const struct planner *p, const struct graph_node *n, const struct matmul *m)
{
    const struct plan_tensor *src = &p->plan->tensors[m->src], *dst = &p->plan->tensors[m->dst];
    const struct reason_of why = planner_reason(p, KERNEL_matvec, n);

    /* Of one image, so that an image has the same bits in a batch. */
    if ((m->window == &window_1x1 ? dst->rows : m->args.out_h * m->args.out_w) > ROWS_MAX)
        return false; /* no reason: it is about products of few rows */
    if (!planner_kernel(p, &why))
        return false;
    if (!window_is_dense(m->window, &m->args))
        return reasons_add(&why, "its window is no single pixel");
    if (src->slices < IN_SLICES_MIN)
        return reasons_add(&why, "%u input channels, fewer than %d", src->channels,
                           4 * IN_SLICES_MIN);
    if (src->format != FORMAT_STORED || dst->format != FORMAT_STORED)
        return reasons_add(&why, "its input or result stays f32, since integers are made of it");
    return true;
}

/* How a workgroup is made up: a sector of each row of weights, and as many planes as there are
 * input slices for. */
struct choice {
    uint32_t columns, planes, turns;
};

static struct choice choose(const struct planner *p, uint32_t in_slices)
{
    const uint32_t slice_bytes = p->plan->half ? 8 : 16;
    const uint32_t allowed = p->limits->max_workgroup_invocations;
    const uint32_t invocations = allowed < INVOCATIONS ? allowed : INVOCATIONS;
    struct choice c = { .columns = SECTOR_BYTES / slice_bytes, .planes = 1 };

    while (2 * c.planes <= in_slices && 2 * c.planes * c.columns <= invocations)
        c.planes *= 2;
    c.turns = (in_slices + c.planes - 1) / c.planes;
    if (c.turns > TURNS_MAX)
        c.turns = TURNS_MAX;
    return c;
}

enum status matvec_plan(struct planner *p, const struct graph_node *n, const struct matmul *m)
{
    const struct plan_tensor *src = &p->plan->tensors[m->src], *dst = &p->plan->tensors[m->dst];
    const struct choice c = choose(p, src->slices);
    const uint32_t blocks = (dst->slices + c.columns - 1) / c.columns;
    const struct matvec_args args = { .count = dst->rows * blocks,
                                      .blocks = blocks,
                                      .in_channels = src->channels,
                                      .in_slices = src->slices,
                                      .out_slices = dst->slices,
                                      .steps = n->steps };
    struct plan_step *s = planner_step(p, "matvec", n, c.columns * c.planes, 1, 1);

    if (!s)
        return STATUS_NO_MEMORY;
    step_spec(s, MATVEC_SPEC_ACTIVATION, m->activation);
    step_spec(s, MATVEC_SPEC_RESIDUAL, m->has_residual);
    step_spec(s, MATVEC_SPEC_ROUNDED, n->steps.scale > 0);
    step_spec(s, MATVEC_SPEC_COLUMNS, c.columns);
    step_spec(s, MATVEC_SPEC_TURNS, c.turns);
    step_spec(s, MATVEC_SPEC_PLANES, c.planes);
    step_spec(s, MATVEC_SPEC_TAIL, 0);
    step_shared(s, c.columns * c.planes * 4 * (uint32_t)sizeof(float));
    step_push(s, &args, sizeof args);
    step_freezable(s);
    step_products(p, s, m->dst, m->src, m->weights, m->bias);
    return step_groups(p, s, args.count);
}
