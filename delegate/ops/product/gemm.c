#include "delegate/ops/product/gemm.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/ops/product/gemm.args.h"
#include "delegate/ops/product/gemm_sum.args.h"
#include "delegate/ops/product/half_sums.h"

const struct gemm_tile gemm_tiles[] = {
    { 16, 14, 2, 7, 1, 8 }, /* 98 x 64 */
    { 16, 8, 4, 7, 1, 16 }, /* 56 x 64 */
    { 4, 16, 4, 7, 1, 8 },  /* 112 x 16 */
    { 8, 4, 8, 7, 2, 16 },  /* 28 x 64 */
    { 8, 8, 4, 4, 1, 16 },  /* 32 x 32 */
    { 8, 8, 4, 7, 1, 32 },  /* 56 x 32 */
    { 8, 4, 16, 7, 1, 32 }, /* 28 x 32 */
    { 4, 4, 16, 7, 1, 64 }, /* 28 x 16 */
    { 4, 4, 8, 2, 1, 24 },  /* 8 x 16 */
};
const size_t gemm_tile_count = sizeof gemm_tiles / sizeof gemm_tiles[0];

static uint32_t tile_rows(const struct gemm_tile *t)
{
    return t->y * t->rows;
}

static uint32_t tile_columns(const struct gemm_tile *t)
{
    return t->x * t->columns;
}

static uint32_t threads_of(const struct gemm_tile *t)
{
    return t->x * t->y * t->planes;
}

/* Bytes of the chunks of A, with rows of an odd pitch, and B. */
static uint32_t staged_bytes(const struct gemm_tile *t)
{
    return 16 * (tile_rows(t) * (t->depth + 1u) + 4u * t->depth * tile_columns(t));
}

static uint32_t plane_bytes(const struct gemm_tile *t)
{
    return 16 * tile_rows(t) * tile_columns(t);
}

/* Of the sums of half of the planes there is room on most devices. */
static bool is_halved(const struct gemm_tile *t)
{
    return t->planes > 1 && t->planes * plane_bytes(t) > 32768;
}

static uint32_t sum_bytes(const struct gemm_tile *t)
{
    return t->planes == 1 ? 0 : (is_halved(t) ? t->planes / 2 : t->planes) * plane_bytes(t);
}

uint32_t gemm_shared_bytes(const struct gemm_tile *t)
{
    return staged_bytes(t) > sum_bytes(t) ? staged_bytes(t) : sum_bytes(t);
}

static uint64_t quotient_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static bool is_allowed(const struct gemm_tile *t, const struct device_limits *limits)
{
    return t->x <= limits->max_workgroup_size[0] && t->y <= limits->max_workgroup_size[1] &&
           t->planes <= limits->max_workgroup_size[2] &&
           threads_of(t) <= limits->max_workgroup_invocations &&
           gemm_shared_bytes(t) <= limits->max_shared_memory_bytes;
}

enum { ROWS_MIN = 4 };        /* of an image, for tiles */
enum { PLANE_DEPTH_MIN = 4 }; /* input slices for which a plane pays */

bool gemm_fit(struct gemm_tile *t, const struct gemm_shape *shape,
              const struct device_limits *limits)
{
    while (t->planes > 1 && (t->planes * PLANE_DEPTH_MIN > shape->depth ||
                             t->planes > limits->max_workgroup_size[2] ||
                             threads_of(t) > limits->max_workgroup_invocations ||
                             sum_bytes(t) > limits->max_shared_memory_bytes))
        t->planes /= 2;
    if (t->depth > shape->depth)
        t->depth = (uint32_t)quotient_up(shape->depth, t->planes) * t->planes;
    while (t->depth > t->planes && !is_allowed(t, limits))
        t->depth = (uint32_t)quotient_up(t->depth / 2, t->planes) * t->planes;
    return is_allowed(t, limits);
}

static uint64_t workgroups_of(const struct gemm_tile *t, const struct gemm_shape *shape)
{
    return shape->products * quotient_up(shape->rows, tile_rows(t)) *
           quotient_up(shape->columns, tile_columns(t));
}

/* Input slices of each part: whole chunks. */
static uint32_t part_depth(const struct gemm_choice *c, const struct gemm_shape *shape)
{
    const uint64_t chunks = quotient_up(shape->depth, c->tile.depth);

    return (uint32_t)(quotient_up(chunks, c->parts) * c->tile.depth);
}

enum { PARTS_MAX = 8, PARTED_DEPTH_MIN = 512, PART_DEPTH_MIN = 128, PART_BYTES_MAX = 1 << 24 };

/* More workgroups for a deep product of few tiles: parts of the depth, as long as all of them run
 * at once and their sums are small. */
static uint32_t parts_of(const struct gemm_tile *t, const struct gemm_shape *shape,
                         uint32_t multiprocessors)
{
    const uint64_t tiles = workgroups_of(t, shape);
    uint32_t parts = 1;

    while (2 * parts <= PARTS_MAX && 2 * parts * tiles <= multiprocessors &&
           shape->depth >= PARTED_DEPTH_MIN && shape->depth >= 2 * parts * PART_DEPTH_MIN &&
           2 * parts * shape->products * shape->rows * shape->columns * 16 <= PART_BYTES_MAX)
        parts *= 2;
    return parts;
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
    return quotient_up(n, to) * to;
}

/* Whether the tile has a third more columns than narrower ones would have; or is one for narrow
 * products, of which a wide one would have many. */
static bool is_of_other_width(const struct gemm_tile *t, const struct gemm_shape *shape)
{
    const uint64_t wide = round_up(shape->columns, tile_columns(t));
    const uint64_t third_more = 4 * round_up(shape->columns, 4);

    return 3 * wide > third_more ||
           (3 * wide == third_more && round_up(shape->columns, tile_columns(t) / 2) < wide) ||
           (tile_columns(t) == 4 && tile_rows(t) > 28 && shape->columns > 4);
}

/* The tile of 28 x 64 is for deep products, and that of 32 x 32 for shallow ones of many rows.  On
 * an H200, f32, in us: 3x3, 56 x 56 x 64: 28 x 64 14.2, 56 x 32 15.3; 1x1, 14 x 14 x 1024 of 256:
 * 10.5, 10.0; 56 x 56 x 144 of 24: 32 x 32 5.4, 56 x 32 6.0, 14 x 14 x 576 of 96: 5.6, 28 x 32
 * 5.0. */
static bool is_of_other_depth(const struct gemm_tile *t, const struct gemm_shape *shape)
{
    if (t->columns > 1)
        return shape->depth <= 128;
    return tile_rows(t) == 32 && (shape->depth > 48 || shape->rows < 512);
}

/* Whether most multiprocessors have a workgroup. */
static bool keeps_busy(const struct gemm_choice *c, const struct gemm_shape *shape,
                       uint32_t multiprocessors)
{
    return 5 * workgroups_of(&c->tile, shape) * c->parts >= 3ull * multiprocessors;
}

/* Whether the tile is too small for a product that can have parts: each of its workgroups would
 * load a deep block for a few sums.  On an H200, 3x3, f32: 7 x 7 x 512: 35.8 us by 8 x 16; 14 x 14
 * x 256: 17.5 us by 28 x 16, 16.6 by 4 parts of 28 x 64. */
static bool is_too_small(const struct gemm_tile *t, const struct gemm_shape *shape)
{
    return (tile_rows(t) < 28 || (tile_columns(t) == 4 && shape->columns > 4)) &&
           shape->depth >= PARTED_DEPTH_MIN;
}

/* The largest tile that keeps the device busy, that is, the one that loads least; else one whose
 * depth is shared by workgroups; else the smallest.  On an H200, f32, in us: 28 x 28 pixels, 128 to
 * 256 channels: 56 x 32 5.2, 28 x 32 6.4.  3x3, 7 x 7 x 512: 28 x 16 29.4, 8 parts of 56 x 32 18.5.
 */
bool gemm_choose(const struct gemm_shape *shape, const struct device_limits *limits,
                 struct gemm_choice *choice)
{
    const uint32_t multiprocessors = device_costs_of(limits)->multiprocessors;
    bool found = false;

    for (int parted = 0; parted < 2; parted++)
        for (size_t i = 0; i < gemm_tile_count; i++) {
            struct gemm_choice c = { gemm_tiles[i], 1 };

            if (!gemm_fit(&c.tile, shape, limits) || is_of_other_width(&c.tile, shape) ||
                is_of_other_depth(&c.tile, shape))
                continue;
            if (found && is_too_small(&c.tile, shape))
                continue;
            if (parted)
                c.parts = parts_of(&c.tile, shape, multiprocessors);
            if (!parted || (c.parts > 1 && keeps_busy(&c, shape, multiprocessors)))
                *choice = c;
            found = true;
            if (keeps_busy(&c, shape, multiprocessors))
                return true;
        }
    return found;
}

static uint32_t groups_of(const struct matmul *m)
{
    return m->groups ? m->groups : 1;
}

/* Input slices of a tap of a product. */
static uint32_t tap_slices(const struct matmul *m)
{
    return m->args.in_slices / groups_of(m);
}

static struct gemm_shape shape_of_rows(const struct planner *p, const struct matmul *m,
                                       uint64_t rows)
{
    return (struct gemm_shape){ .rows = rows,
                                .columns = p->plan->tensors[m->dst].slices / groups_of(m),
                                .depth = (uint32_t)(m->window->filter_h * m->window->filter_w) *
                                         tap_slices(m),
                                .products = groups_of(m) };
}

/* The largest phase: the first one has as many outputs as any, another one may have more taps. */
static struct gemm_shape shape_of_phases(const struct planner *p, const struct matmul *m,
                                         uint64_t images)
{
    const struct window *w = m->window;
    const struct window_args *a = &m->args;
    const uint32_t down = (uint32_t)w->stride_h, across = (uint32_t)w->stride_w;
    const uint64_t taps =
        quotient_up((uint32_t)w->filter_h, down) * quotient_up((uint32_t)w->filter_w, across);

    return (struct gemm_shape){
        .rows = images * quotient_up(a->out_h, down) * quotient_up(a->out_w, across),
        .columns = p->plan->tensors[m->dst].slices,
        .depth = (uint32_t)taps * p->plan->tensors[m->src].slices,
        .products = (down < a->out_h ? down : a->out_h) * (across < a->out_w ? across : a->out_w)
    };
}

/* The products of all images. */
static struct gemm_shape shape_of(const struct planner *p, const struct matmul *m)
{
    const uint32_t rows = p->plan->tensors[m->dst].rows;

    return m->transposed ? shape_of_phases(p, m, rows / (m->args.out_h * m->args.out_w))
                         : shape_of_rows(p, m, rows);
}

/* Those for which the tile is chosen: of one image, so that an image has the same bits in a batch;
 * of FULLY_CONNECTED always as many rows. */
static struct gemm_shape shape_of_image(const struct planner *p, const struct matmul *m)
{
    if (m->transposed)
        return shape_of_phases(p, m, 1);
    if (m->window == &window_1x1)
        return shape_of_rows(p, m, p->plan->tensors[m->dst].rows < ROWS_MIN ? 1 : 64);
    return shape_of_rows(p, m, (uint64_t)m->args.out_h * m->args.out_w);
}

/* Tests choose the tile, and past the last one three parts of it. */
static bool choose(const struct planner *p, const struct matmul *m, struct gemm_choice *c)
{
    const struct gemm_shape shape = shape_of_image(p, m);
    const int forced = p->options->gemm_tile - 1;

    if (forced < 0) {
        const struct plan_tensor *dst = &p->plan->tensors[m->dst];

        if (shape.rows < ROWS_MIN || !gemm_choose(&shape, p->limits, c))
            return false;
        if ((uint64_t)dst->rows * dst->slices * c->parts * 16 > p->limits->max_storage_buffer_range)
            c->parts = 1;
        return true;
    }
    *c = (struct gemm_choice){ gemm_tiles[(size_t)forced % gemm_tile_count],
                               (size_t)forced < gemm_tile_count ? 1 : 3 };
    return gemm_fit(&c->tile, &shape, p->limits);
}

/* Each group is made of slices of its own. */
static bool has_whole_slices(const struct planner *p, const struct matmul *m)
{
    const uint32_t groups = groups_of(m);

    return groups == 1 || (p->plan->tensors[m->src].channels / groups % 4 == 0 &&
                           p->plan->tensors[m->dst].channels / groups % 4 == 0);
}

/* Convolutions with f16 storage and f32 sums are faster without tiles: ResNet50 on an H200 without
 * matrix units takes 0.98 ms with them and 0.92 with conv_2d.comp, which has no f16 sums. */
static bool is_fast(const struct planner *p, const struct graph_node *n, const struct matmul *m)
{
    return !p->plan->half || m->window == &window_1x1 || m->transposed || groups_of(m) > 1 ||
           half_sums_fit(p, n);
}

/* Of a narrower group the narrowest tile would be in part idle. */
enum { GROUP_COLUMNS_MIN = 4 };

bool gemm_fits(const struct planner *p, const struct graph_node *n, const struct matmul *m)
{
    const struct reason_of why = planner_reason(p, KERNEL_gemm, n);
    const uint32_t groups = groups_of(m);
    struct gemm_choice c;

    if (!planner_kernel(p, &why))
        return false;
    if (p->options->gemm_tile <= 0 && !is_fast(p, n, m))
        return reasons_add(&why, "precision=fp16: a convolution is faster without it");
    if (!has_whole_slices(p, m))
        return reasons_add(&why, "its groups are not of a multiple of 4 channels");
    if (p->options->gemm_tile <= 0 && groups > 1 &&
        p->plan->tensors[m->dst].slices / groups < GROUP_COLUMNS_MIN)
        return reasons_add(&why, "groups of fewer than %d output channels", 4 * GROUP_COLUMNS_MIN);
    if (p->plan->tensors[m->src].format != FORMAT_STORED ||
        p->plan->tensors[m->dst].format != FORMAT_STORED)
        return reasons_add(&why, "its input or result stays f32, since integers are made of it");
    if (!choose(p, m, &c))
        return reasons_add(&why, "fewer than %d rows, or no tile of it fits the device", ROWS_MIN);
    return true;
}

/* Output p of each phase is made of pixel p of src, or of none. */
static bool has_dense_phases(const struct matmul *m)
{
    const struct window *w = m->window;
    const struct window_args *a = &m->args;

    return w->filter_h <= w->stride_h && w->filter_w <= w->stride_w && a->pad_h == 0 &&
           a->pad_w == 0 && a->out_h == (uint64_t)a->in_h * (uint32_t)w->stride_h &&
           a->out_w == (uint64_t)a->in_w * (uint32_t)w->stride_w;
}

static uint32_t source_of(const struct matmul *m, const struct gemm_tile *t)
{
    if (m->transposed ? has_dense_phases(m) : window_is_dense(m->window, &m->args))
        return GEMM_DENSE;
    return tap_slices(m) % t->depth == 0 ? GEMM_TAPS : GEMM_SLICES + tap_slices(m);
}

/* Weights, biases and the counters of the tiles in one buffer, so that there is a binding for the
 * parts of the depth. */
struct joined {
    struct packed all;
    uint32_t weights_at, bias_at, counters_at;
    int parts; /* a plan tensor */
};

static uint32_t place_in(const struct packed *all, const struct packed *packed, size_t element)
{
    return (uint32_t)((packed->offset - all->offset) / element);
}

/* joined->parts: -1 where weights or biases are computed, or the buffer would be too large. */
static enum status join(struct planner *p, const struct matmul *m, uint64_t tiles, int parts,
                        struct joined *joined)
{
    const struct packed *weights = &m->weights->packed, *bias = &m->bias->packed;
    struct packed counters;

    joined->parts = -1;
    if (!m->weights->constant || !m->bias->constant)
        return STATUS_OK;
    TRY(planner_pack_words(p, tiles, &counters));
    joined->all.offset = weights->offset < bias->offset ? weights->offset : bias->offset;
    joined->all.bytes = counters.offset + counters.bytes - joined->all.offset;
    if (joined->all.bytes > p->limits->max_storage_buffer_range)
        return STATUS_OK;
    joined->weights_at = place_in(&joined->all, weights, p->plan->half ? 8 : 16);
    joined->bias_at = place_in(&joined->all, bias, 16);
    joined->counters_at = place_in(&joined->all, &counters, 4);
    joined->parts = parts;
    return STATUS_OK;
}

static uint32_t flags_of(const struct planner *p, const struct graph_node *n,
                         const struct matmul *m, const struct gemm_choice *c)
{
    const struct gemm_shape shape = shape_of(p, m);
    /* The depth of any phase is a number of taps. */
    const uint32_t least = m->transposed ? m->args.in_slices : shape.depth;

    return (p->plan->tensors[m->src].channels % 4 != 0 ? GEMM_MASKED : 0) |
           (least % c->tile.depth != 0 ? GEMM_TAIL : 0) | (m->transposed ? GEMM_PHASES : 0) |
           (is_halved(&c->tile) ? GEMM_HALVED : 0) | (m->has_residual ? GEMM_RESIDUAL : 0) |
           (n->steps.scale > 0 ? GEMM_ROUNDED : 0);
}

/* parts: a plan tensor for the sums of all parts of the depth; -1: there is one part.  *summed: the
 * step has made m->dst of them. */
static enum status plan_product(struct planner *p, const struct graph_node *n,
                                const struct matmul *m, const struct gemm_choice *c, int parts,
                                bool *summed)
{
    const struct gemm_tile *t = &c->tile;
    const struct gemm_shape shape = shape_of(p, m);
    const uint64_t tiles = workgroups_of(t, &shape);
    struct gemm_args args = { .count = (uint32_t)(tiles * c->parts),
                              .tiles = (uint32_t)tiles,
                              .pixels = p->plan->tensors[m->dst].rows,
                              .window = m->args,
                              .in_channels = p->plan->tensors[m->src].channels,
                              .depth = shape.depth,
                              .part_depth = part_depth(c, &shape),
                              .steps = n->steps };
    struct joined joined = { .parts = -1 };
    uint32_t flags = flags_of(p, n, m, c);
    struct plan_step *s;

    if (parts >= 0)
        TRY(join(p, m, tiles, parts, &joined));
    s = planner_step(p, half_sums_fit(p, n) ? "gemm.fast" : "gemm", n, t->x, t->y, t->planes);
    if (!s)
        return STATUS_NO_MEMORY;
    *summed = parts < 0 || joined.parts >= 0;
    flags |= joined.parts >= 0 ? GEMM_JOINED : 0;
    if (!*summed)
        flags = (flags & ~(uint32_t)(GEMM_RESIDUAL | GEMM_ROUNDED)) | GEMM_PART;
    args.weights_at = joined.weights_at;
    args.bias_at = joined.bias_at;
    args.counters_at = joined.counters_at;
    window_specs(s, m->window);
    if (m->transposed) {
        step_spec(s, WINDOW_SPEC_DILATION_H, (uint32_t)-1);
        step_spec(s, WINDOW_SPEC_DILATION_W, (uint32_t)-1);
    }
    step_spec(s, GEMM_SPEC_ACTIVATION, *summed ? m->activation : 0);
    step_spec(s, GEMM_SPEC_FLAGS, flags);
    step_spec(s, GEMM_SPEC_ROWS, t->rows);
    step_spec(s, GEMM_SPEC_COLUMNS, t->columns);
    step_spec(s, GEMM_SPEC_DEPTH, t->depth);
    step_spec(s, GEMM_SPEC_SOURCE, source_of(m, t));
    step_spec(s, GEMM_SPEC_GROUPS, groups_of(m));
    step_push(s, &args, sizeof args);
    step_freezable(s);
    step_shared(s, gemm_shared_bytes(t));
    step_products(p, s, *summed ? m->dst : parts, m->src, m->weights, m->bias);
    if (joined.parts >= 0) {
        step_constants(s, 2, &joined.all);
        step_write(p, s, 3, parts);
    }
    if (!m->transposed) /* whose workgroups write rows that are apart */
        step_first_rows(p, s, *summed ? m->dst : parts, tile_rows(t));
    return step_groups(p, s, args.count);
}

enum status gemm_plan_sum(struct planner *p, const struct graph_node *n, const struct matmul *m,
                          uint32_t parts, int sums)
{
    const struct plan_tensor *dst = &p->plan->tensors[m->dst];
    const struct gemm_sum_args args = { .count = dst->rows * dst->slices,
                                        .out_slices = dst->slices,
                                        .steps = n->steps };
    struct plan_step *s = planner_step(p, "gemm_sum", n, WORKGROUP, 1, 1);

    if (!s)
        return STATUS_NO_MEMORY;
    step_spec(s, GEMM_SUM_SPEC_ACTIVATION, m->activation);
    step_spec(s, GEMM_SUM_SPEC_RESIDUAL, m->has_residual);
    step_spec(s, GEMM_SUM_SPEC_ROUNDED, n->steps.scale > 0);
    step_spec(s, GEMM_SUM_SPEC_PARTS, parts);
    step_push(s, &args, sizeof args);
    step_write(p, s, 0, m->dst);
    step_read(p, s, 1, sums);
    step_operand(p, s, 2, m->bias);
    return step_items(p, s, args.count);
}

enum status gemm_plan(struct planner *p, const struct graph_node *n, const struct matmul *m)
{
    const uint32_t rows = p->plan->tensors[m->dst].rows;
    struct gemm_choice c;
    bool summed;
    int parts;

    if (!choose(p, m, &c))
        return STATUS_UNSUPPORTED;
    if (c.parts == 1)
        return plan_product(p, n, m, &c, -1, &summed);
    parts = planner_temp(p, c.parts * rows, p->plan->tensors[m->dst].channels, FORMAT_WIDE);
    if (parts < 0)
        return STATUS_NO_MEMORY;
    TRY(plan_product(p, n, m, &c, parts, &summed));
    return summed ? STATUS_OK : gemm_plan_sum(p, n, m, c.parts, parts);
}
