#include "delegate/ops/product/matmul.h"

#include "delegate/ops/product/conv_2d.args.h"
#include "delegate/ops/product/conv_tile.h"
#include "delegate/ops/product/gemm.h"
#include "delegate/ops/product/matvec.h"

static enum status plan_runs(struct planner *p, const struct graph_node *n, const struct matmul *m)
{
    const struct conv_tile tile = conv_tile_of(p, m->src, m->dst);
    const struct conv_2d_args args = { .pixels = p->plan->tensors[m->dst].rows,
                                       .window = m->args,
                                       .in_channels = p->plan->tensors[m->src].channels,
                                       .steps = n->steps };
    struct plan_step *s = planner_step(p, "conv_2d", n, tile.x, tile.y, tile.z);

    if (!s)
        return STATUS_NO_MEMORY;
    conv_tile_specs(s, &tile, m->window, &m->args);
    step_spec(s, CONV_2D_SPEC_ACTIVATION, m->activation);
    step_spec(s, CONV_2D_SPEC_RESIDUAL, m->has_residual);
    step_spec(s, CONV_2D_SPEC_ROUNDED, n->steps.scale > 0);
    step_spec(s, CONV_2D_SPEC_COLUMNS, tile.columns);
    step_thawable(s, WINDOW_SPEC_KERNEL_H, WINDOW_SPEC_DILATION_W);
    step_thawable(s, CONV_TILE_SPEC_DENSE, CONV_2D_SPEC_ROUNDED);
    step_push(s, &args, sizeof args);
    step_freezable(s);
    step_products(p, s, m->dst, m->src, m->weights, m->bias);
    return conv_tile_grid(p, s, &tile, m->dst);
}

bool matmul_is_tiled(const struct planner *p, const struct graph_node *n, const struct matmul *m)
{
    return matvec_fits(p, n, m) || gemm_fits(p, n, m);
}

enum status matmul_plan(struct planner *p, const struct graph_node *n, const struct matmul *m)
{
    if (matvec_fits(p, n, m))
        return matvec_plan(p, n, m);
    if (gemm_fits(p, n, m))
        return gemm_plan(p, n, m);
    return plan_runs(p, n, m);
}
