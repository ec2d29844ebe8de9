#include "delegate/ops/int8/matmul.h"

struct conv_args {
    uint32_t count, pixels;
    uint32_t in_h, in_w, in_channels, in_slices;
    uint32_t out_h, out_w, out_slices;
    int32_t pad_h, pad_w;
    uint32_t outside;
    int32_t weight_zero;
    struct dot_output output;
};
_Static_assert(sizeof(struct conv_args) == 64, "conv_2d_int8.comp");

void window_specs(struct plan_step *s, const struct window *w)
{
    step_spec(s, 3, (uint32_t)w->filter_h);
    step_spec(s, 4, (uint32_t)w->filter_w);
    step_spec(s, 5, (uint32_t)w->stride_h);
    step_spec(s, 6, (uint32_t)w->stride_w);
    step_spec(s, 7, (uint32_t)w->dilation_h);
    step_spec(s, 8, (uint32_t)w->dilation_w);
}

/* As in delegate/ops/conv_2d.c: 128 invocations, which every device allows. */
struct tile {
    uint32_t x, y, z; /* output slices, runs of pixels, shares of a sum */
    uint32_t rows;    /* pixels of a run */
};
enum { INVOCATIONS = 128, SHARE_MIN = 4, SHARES_MAX = 16, ROWS = 4, FEW = 2, ENOUGH = 1 << 17 };

static uint32_t power_of_two_up_to(uint64_t n, uint32_t most)
{
    uint32_t p = 1;

    while (2 * p <= n && 2 * p <= most)
        p *= 2;
    return p;
}

/* No more shares than fill a large device. */
static struct tile tile_of(const struct plan_tensor *src, const struct plan_tensor *dst)
{
    struct tile t = { .x = dst->slices > 4 ? 8 : 2, .rows = ROWS };
    uint32_t shares = SHARES_MAX;
    uint64_t sums;

    if (dst->rows < ROWS) { /* one pixel, as a rule: a product with a vector */
        t.rows = 1;
        t.x /= 2;
        shares *= 2;
    } else if (src->slices < 2 * SHARE_MIN) { /* few weights */
        t.rows = FEW;
    }
    sums = (uint64_t)(dst->rows / t.rows) * dst->slices;
    t.z = power_of_two_up_to(src->slices / SHARE_MIN, shares);
    t.z = power_of_two_up_to(ENOUGH / sums, t.z);
    t.y = INVOCATIONS / t.x / t.z;
    return t;
}

static bool is_dense(const struct window *w, const struct window_pads *pads)
{
    return w->filter_h == 1 && w->filter_w == 1 && w->stride_h == 1 && w->stride_w == 1 &&
           pads->top == 0 && pads->left == 0;
}

enum status dot_product_plan(struct planner *p, const struct graph_node *n, const struct dot *d,
                             const struct dot_product *product)
{
    const struct graph_tensor *x = graph_input(p->graph, n, d->x);
    const struct graph_tensor *w = graph_input(p->graph, n, d->weights);
    const int src = product->src, dst = planner_tensor(p, n->outputs[0]);
    struct packed weights, channels;
    struct conv_args args;
    struct plan_step *s;
    struct tile tile;

    TRY(dot_pack_weights(p, n->inputs[d->weights], &product->shape, &weights));
    TRY(dot_pack_channels(p, n, d, true, &channels));
    if (src < 0 || dst < 0)
        return STATUS_NO_MEMORY;
    tile = tile_of(&p->plan->tensors[src], &p->plan->tensors[dst]);
    if (!(s = planner_step(p, "conv_2d_int8", n, tile.x, tile.y, tile.z)))
        return STATUS_NO_MEMORY;
    step_dot(p, s);
    window_specs(s, &product->window);
    step_spec(s, 9, d->in_double);
    step_spec(s, 10, tile.rows);
    step_spec(s, 11, is_dense(&product->window, &product->pads));
    step_spec(s, 12, dot_flip(x));
    step_spec(s, 13, dot_zero(w) != 0);
    step_spec(s, 14, p->plan->tensors[src].slices % 4 == 0);
    args = (struct conv_args){
        .pixels = p->plan->tensors[dst].rows,
        .in_h = product->in_h,
        .in_w = product->in_w,
        .in_channels = product->shape.inputs,
        .in_slices = p->plan->tensors[src].slices,
        .out_h = product->out_h,
        .out_w = product->out_w,
        .out_slices = p->plan->tensors[dst].slices,
        .pad_h = product->pads.top,
        .pad_w = product->pads.left,
        .outside = dot_outside(x),
        .weight_zero = dot_zero(w),
        .output = dot_output_of(graph_output(p->graph, n, 0), d->activation),
    };
    step_push(s, &args, sizeof args); /* step_tiles sets the count */
    step_write(p, s, 0, dst);
    step_read(p, s, 1, src);
    step_constants(s, 2, &weights);
    step_constants(s, 3, &channels);
    return step_tiles(p, s, args.out_slices, ((uint64_t)args.pixels + tile.rows - 1) / tile.rows,
                      tile.z > 1 ? 16 * tile.rows : 0);
}
