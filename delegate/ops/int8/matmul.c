#include "delegate/ops/int8/matmul.h"

#include "delegate/ops/product/conv_2d_int8.args.h"
#include "delegate/ops/product/conv_tile.h"
#include "delegate/ops/product/gemm_int8.h"
#include "delegate/ops/product/matrix_int8.h"

enum status matmul_int8_plan(struct planner *p, const struct graph_node *n, const struct dot *d,
                             const struct matmul_int8 *m)
{
    const struct graph_tensor *x = graph_input(p->graph, n, d->x);
    const struct graph_tensor *w = graph_input(p->graph, n, d->weights);
    const struct conv_tile tile = conv_tile_of(p, m->src, m->dst);
    const struct conv_2d_int8_args args = {
        .pixels = p->plan->tensors[m->dst].rows,
        .window = m->args,
        .in_channels = m->shape.inputs,
        .padding = dot_padding(x),
        .weight_zero = dot_zero_point(w),
        .output_range = dot_output_range(graph_output(p->graph, n, 0), d->activation),
    };
    const struct reason_of why = planner_reason(p, KERNEL_gemm_int8, n);
    struct matrix_tile matrix;
    struct gemm_int8_tile gemm;
    struct packed weights, channels;
    struct plan_step *s;

    if (matrix_int8_tile_of(p, n, d, m, &matrix))
        return matrix_int8_plan(p, n, d, m, &matrix);
    if (planner_kernel(p, &why) &&
        gemm_int8_tile_of(p, m, p->options->workgroup_variant, &gemm, &why))
        return gemm_int8_plan(p, n, d, m, &gemm);
    TRY(dot_pack_weights(p, n->inputs[d->weights], &m->shape, &weights));
    TRY(dot_pack_channels(p, n, d, true, &channels));
    if (!(s = planner_step(p, "conv_2d_int8", n, tile.x, tile.y, tile.z)))
        return STATUS_NO_MEMORY;
    step_packed_dot(p, s);
    conv_tile_specs(s, &tile, m->window, &m->args);
    step_spec(s, CONV_2D_INT8_SPEC_REQUANTIZE, dot_requantize(p->graph, n, d));
    step_spec(s, CONV_2D_INT8_SPEC_SIGN_FLIP, dot_sign_flip(x));
    step_spec(s, CONV_2D_INT8_SPEC_SUM_X, args.weight_zero != 0);
    step_spec(s, CONV_2D_INT8_SPEC_QUADS, args.window.in_slices % 4 == 0);
    step_spec(s, CONV_2D_INT8_SPEC_TAIL, CONV_2D_INT8_NO_TAIL);
    step_thawable(s, WINDOW_SPEC_KERNEL_H, WINDOW_SPEC_DILATION_W);
    step_thawable(s, CONV_TILE_SPEC_DENSE, CONV_2D_INT8_SPEC_QUADS);
    step_push(s, &args, sizeof args);
    step_freezable(s);
    step_dot_products(p, s, m->dst, m->src, &weights, &channels);
    return conv_tile_grid(p, s, &tile, m->dst);
}
