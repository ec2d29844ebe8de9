#include "delegate/ops/product/conv_tile.h"

#include "delegate/ops/product/conv_tile.args.h"

enum {
    INVOCATIONS = 128, /* of a workgroup: every device allows them */
    ROWS = 4,          /* pixels of a run */
    ROWS_FEW = 2,      /* where 8-bit weights are few, and few loads are shared by the pixels */
    SHARE_MIN = 4,     /* input slices of a share */
    SHARES_MAX = 16,
    SUMS_MAX = 1 << 17, /* of all shares, 8 bits: as many as keep a large device busy */
};

static uint32_t power_of_two_up_to(uint64_t n, uint32_t most)
{
    uint32_t p = 1;

    while (2 * p <= n && 2 * p <= most)
        p *= 2;
    return p;
}

/* Where loads are dear: more pixels and output slices share what is loaded, and sums have no
 * shares, which only add loads. */
enum { TWO_COLUMNS_MIN = 16 };

static struct conv_tile wide_tile(const struct plan_tensor *y)
{
    return (struct conv_tile){
        .x = 8, .y = 4, .z = 1, .rows = 8, .columns = y->slices >= TWO_COLUMNS_MIN ? 2 : 1
    };
}

/* Of a plan that shares pipelines: few tiles lie outside of a small result.  A workgroup is a
 * vector of llvmpipe, and shares nothing: its compiler is slow where there is a barrier. */
static struct conv_tile small_tile(const struct plan_tensor *y)
{
    if (y->rows < ROWS)
        return (struct conv_tile){ .x = 8, .y = 1, .z = 1, .rows = 1, .columns = 1 };
    return (struct conv_tile){ .x = 4, .y = 2, .z = 1, .rows = ROWS, .columns = 1 };
}

/* More shares of a sum are more invocations where there are few pixels, as in the last layers. */
struct conv_tile conv_tile_of(const struct planner *p, int src, int dst)
{
    const struct plan_tensor *x = &p->plan->tensors[src], *y = &p->plan->tensors[dst];
    const bool bytes = y->format == FORMAT_BYTES;
    const uint32_t wide_min = device_costs_of(p->limits)->wide_runs_min;
    struct conv_tile t = { .x = y->slices > 4 ? 8 : 2, .rows = ROWS, .columns = 1 };
    uint32_t shares = SHARES_MAX;

    if (p->thaws)
        return small_tile(y);
    if (y->rows < ROWS) { /* one pixel, as a rule: a product with a vector */
        t.rows = 1;
        t.x /= 2;
        shares *= 2;
    } else if (bytes && x->slices < 2 * SHARE_MIN) {
        t.rows = ROWS_FEW;
    }
    t.z = power_of_two_up_to(x->slices / SHARE_MIN, shares);
    if (bytes)
        t.z = power_of_two_up_to(SUMS_MAX / ((uint64_t)(y->rows / t.rows) * y->slices), t.z);
    t.y = INVOCATIONS / t.x / t.z;
    if (!bytes && wide_min > 0 && (uint64_t)y->rows * y->slices >= wide_min)
        return wide_tile(y);
    return t;
}

void conv_tile_specs(struct plan_step *s, const struct conv_tile *tile, const struct window *window,
                     const struct window_args *args)
{
    window_specs(s, window);
    step_spec(s, CONV_TILE_SPEC_ROWS, tile->rows);
    step_spec(s, CONV_TILE_SPEC_DENSE, window_is_dense(window, args));
}

enum status conv_tile_grid(struct planner *p, struct plan_step *s, const struct conv_tile *tile,
                           int dst)
{
    const struct plan_tensor *y = &p->plan->tensors[dst];
    const uint64_t runs = ((uint64_t)y->rows + tile->rows - 1) / tile->rows;

    /* Each invocation has its sums, a vector of 16 bytes for each pixel, in shared memory. */
    return step_tiles(p, s, (y->slices + tile->columns - 1) / tile->columns, runs,
                      tile->z > 1 ? 16 * tile->rows : 0);
}
