#include "delegate/ops/product/matrix.h"

#include "delegate/ops/product/gemm.h"
#include "delegate/ops/product/matrix.args.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <inttypes.h>
#include <math.h>

enum {
    UNIT_BYTES = 16,
    UNIT_ELEMENTS = 8 /* of f16 */
};

/* What a workgroup computes with matrices of 16 x 16. */
static const struct matrix_tile tiles[] = {
    { .block_m = 2, .block_n = 2, .rows = 2, .columns = 4, .shares = 1 },  /* 64 x 128 */
    { .block_m = 1, .block_n = 2, .rows = 4, .columns = 2, .shares = 1 },  /* 64 x 64 */
    { .block_m = 1, .block_n = 2, .rows = 2, .columns = 4, .shares = 1 },  /* 32 x 128 */
    { .block_m = 1, .block_n = 1, .rows = 4, .columns = 2, .shares = 1 },  /* 64 x 32 */
    { .block_m = 1, .block_n = 2, .rows = 2, .columns = 2, .shares = 2 },  /* 32 x 64 */
    { .block_m = 1, .block_n = 1, .rows = 2, .columns = 4, .shares = 2 },  /* 32 x 64 */
    { .block_m = 1, .block_n = 1, .rows = 2, .columns = 2, .shares = 2 },  /* 32 x 32 */
    { .block_m = 1, .block_n = 1, .rows = 1, .columns = 4, .shares = 2 },  /* 16 x 64 */
    { .block_m = 1, .block_n = 1, .rows = 1, .columns = 1, .shares = 2 },  /* 16 x 16 */
    { .block_m = 2, .block_n = 2, .rows = 1, .columns = 2, .shares = 4 },  /* 32 x 64 */
    { .block_m = 1, .block_n = 2, .rows = 2, .columns = 1, .shares = 4 },  /* 32 x 32 */
    { .block_m = 1, .block_n = 2, .rows = 1, .columns = 2, .shares = 4 },  /* 16 x 64 */
    { .block_m = 1, .block_n = 1, .rows = 1, .columns = 4, .shares = 4 },  /* 16 x 64 */
    { .block_m = 1, .block_n = 1, .rows = 1, .columns = 2, .shares = 4 },  /* 16 x 32 */
    { .block_m = 1, .block_n = 1, .rows = 1, .columns = 1, .shares = 4 },  /* 16 x 16 */
    { .block_m = 1, .block_n = 1, .rows = 1, .columns = 2, .shares = 8 },  /* 16 x 32 */
    { .block_m = 1, .block_n = 1, .rows = 1, .columns = 1, .shares = 8 },  /* 16 x 16 */
    { .block_m = 1, .block_n = 1, .rows = 1, .columns = 1, .shares = 16 }, /* 16 x 16 */
};
enum { TILES = sizeof tiles / sizeof tiles[0] };

static uint64_t quotient_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static uint32_t threads_of(const struct matrix_tile *t, const struct device_matrix *m)
{
    return t->rows * t->columns * t->shares * m->subgroup_size;
}

static uint64_t groups_of(const struct matrix_tile *t, const struct device_matrix *m,
                          uint64_t pixels, uint64_t outputs)
{
    return quotient_up(pixels, (uint64_t)m->tile * t->block_m * t->rows) *
           quotient_up(outputs, (uint64_t)m->tile * t->block_n * t->columns);
}

/* Shared memory of a workgroup: staged rows, in whose place the sums come, and windows. */
static uint64_t shared_bytes(const struct matrix_tile *t, const struct device_matrix *m)
{
    const uint64_t rows = (uint64_t)m->tile * t->block_m * t->rows;
    const uint64_t columns = (uint64_t)m->tile * t->block_n * t->columns / 4;
    const uint64_t staged = rows * (t->chunk * m->tile / UNIT_ELEMENTS + 1);
    const uint64_t sums = t->shares * rows * (columns + 1);

    return (staged > sums ? staged : sums) * UNIT_BYTES + rows * UNIT_BYTES;
}

/* Tiles of the sum of a workgroup. */
static uint64_t part_of(const struct matrix_tile *t, uint64_t k_tiles)
{
    return quotient_up(k_tiles, t->parts);
}

/* Of a chunk, of which each invocation stages one unit of every row that it has; UINT32_MAX: a row
 * has more units than there are invocations. */
static uint32_t staged_rows(const struct matrix_tile *t, const struct device_matrix *m)
{
    const uint32_t pass = threads_of(t, m) / (t->chunk * (m->tile / UNIT_ELEMENTS));

    return pass > 0 ? (uint32_t)quotient_up(m->tile * t->block_m * t->rows, pass) : UINT32_MAX;
}

/* The fewest chunks, of about the same size, that the invocations can stage at once and shared
 * memory holds; and for each whole rounds of loads of weights, as few as there can be.  False: not
 * even one tile for each share fits. */
static bool set_chunk(struct matrix_tile *t, const struct device_limits *limits, uint64_t k_tiles)
{
    const struct device_matrix *m = &limits->matrix;
    const uint32_t ahead_max = MATRIX_AHEAD / t->block_n;
    const uint64_t part = part_of(t, k_tiles);

    for (uint64_t chunks = 1; chunks <= part; chunks++) {
        const uint64_t tiles_of_share = quotient_up(quotient_up(part, chunks), t->shares);
        const uint64_t rounds = quotient_up(tiles_of_share, ahead_max);

        t->ahead = (uint32_t)quotient_up(tiles_of_share, rounds);
        t->chunk = (uint32_t)(rounds * t->ahead * t->shares);
        if (chunks == 1 && t->chunk > part)
            t->chunk = (uint32_t)part;
        if (staged_rows(t, m) <= MATRIX_STAGED &&
            shared_bytes(t, m) <= limits->max_shared_memory_bytes)
            return true;
    }
    return false;
}

static bool allowed(const struct matrix_tile *t, const struct device_limits *limits,
                    uint64_t pixels, uint64_t outputs)
{
    const struct device_matrix *m = &limits->matrix;
    const uint32_t threads = threads_of(t, m), columns = m->tile * t->block_n * t->columns;

    return threads <= limits->max_workgroup_size[0] &&
           threads <= limits->max_workgroup_invocations && threads % (columns / 4) == 0 &&
           quotient_up(outputs, columns) <= limits->max_workgroup_count[0] &&
           quotient_up(pixels, m->tile * t->block_m * t->rows) <= limits->max_workgroup_count[1];
}

/* Microseconds that the product takes on an H200, fitted to 154 measured products of 1x1 and 3x3
 * convolutions, each with 7 to 12 tiles: 6 % off on average.  What counts is how often all wait for
 * memory (chunks and rounds of weights), and what a multiprocessor loads, stages, multiplies and
 * adds up. */
static double cost_of(const struct matrix_tile *t, const struct device_limits *limits,
                      const struct matrix_shape *shape, uint64_t pixels)
{
    enum { INVOCATIONS = 2048, SHARED_BYTES = 220000 };
    const struct device_matrix *m = &limits->matrix;
    const uint64_t threads = threads_of(t, m), shared = shared_bytes(t, m);
    const uint64_t rows = (uint64_t)m->tile * t->block_m * t->rows;
    const uint64_t columns = (uint64_t)m->tile * t->block_n * t->columns;
    const uint64_t part = part_of(t, quotient_up(shape->depth, m->tile));
    const uint64_t groups = groups_of(t, m, pixels, shape->outputs) * t->parts;
    const uint64_t of_one = quotient_up(groups, device_costs_of(limits)->fitted_multiprocessors);
    const uint64_t by_threads = INVOCATIONS / threads, by_memory = SHARED_BYTES / shared;
    const uint64_t resident = by_threads < by_memory ? by_threads : by_memory;
    const uint64_t waits =
        quotient_up(of_one, resident ? resident : 1) * quotient_up(part, t->chunk);
    const uint64_t rounds = quotient_up(t->chunk, (uint64_t)t->ahead * t->shares);
    const uint64_t staged =
        quotient_up(part, t->chunk) * staged_rows(t, m) * (shape->dense ? 1 : 2);

    return 0.55 * (double)waits + 0.11 * (double)(waits * rounds) +
           4.2e-6 * (double)(of_one * (rows + columns) * part * m->tile * 2) +
           0.00016 * (double)(of_one * staged * threads) + 0.00026 * (double)(of_one * threads) +
           2.2e-5 * (double)(of_one * rows * columns * t->shares * 4) +
           1.9e-5 * (double)(of_one * part * rows * columns) + (t->parts > 1 ? 3.2 : 0);
}

static bool sums_fit(const struct matrix_tile *t, const struct device_limits *limits,
                     const struct matrix_shape *shape, uint64_t pixels)
{
    return t->parts == 1 || t->parts * pixels * quotient_up(shape->outputs, 4) * UNIT_BYTES <=
                                limits->max_storage_buffer_range;
}

/* Parts of the sum are for products of few tiles, each of which has a long one. */
static bool parts_pay(const struct matrix_tile *t, const struct device_limits *limits,
                      const struct matrix_shape *shape, uint64_t pixels, uint64_t k_tiles)
{
    enum { PART_TILES_MIN = 32 };

    return t->parts == 1 || (k_tiles >= (uint64_t)t->parts * PART_TILES_MIN &&
                             groups_of(t, &limits->matrix, pixels, shape->outputs) * t->parts <=
                                 2 * device_costs_of(limits)->fitted_multiprocessors);
}

/* The tile of the least cost; like: with as many shares and parts of the sum, NULL: any. */
static bool choose(struct matrix_tile *tile, const struct device_limits *limits,
                   const struct matrix_shape *shape, uint64_t pixels,
                   const struct matrix_tile *like)
{
    enum { PARTS_MAX = 8 };
    const uint64_t k_tiles = quotient_up(shape->depth, limits->matrix.tile);
    double least = INFINITY;

    for (size_t i = 0; i < TILES; i++)
        for (uint32_t parts = 1; parts <= PARTS_MAX; parts *= 2) {
            struct matrix_tile t = tiles[i];
            double cost;

            t.parts = parts;
            if ((like ? t.shares != like->shares || parts != like->parts
                      : !parts_pay(&t, limits, shape, pixels, k_tiles)) ||
                !allowed(&t, limits, pixels, shape->outputs) || !set_chunk(&t, limits, k_tiles) ||
                !sums_fit(&t, limits, shape, pixels))
                continue;
            cost = cost_of(&t, limits, shape, pixels);
            if (cost < least) {
                least = cost;
                *tile = t;
            }
        }
    return least < INFINITY;
}

bool matrix_tile_fit(struct matrix_tile *t, const struct device_limits *limits,
                     const struct matrix_shape *shape)
{
    const struct device_matrix *m = &limits->matrix;

    t->parts = 1;
    return allowed(t, limits, shape->pixels, shape->outputs) &&
           set_chunk(t, limits, quotient_up(shape->depth, m->tile));
}

bool matrix_tile_of(struct matrix_tile *tile, const struct device_limits *limits,
                    const struct matrix_shape *shape)
{
    const struct device_matrix *m = &limits->matrix;
    struct matrix_tile of_image;

    if (m->kind == MATRIX_NONE || (m->tile != 8 && m->tile != MATRIX_TILE_MAX) ||
        m->tile * m->tile > UNIT_ELEMENTS * m->subgroup_size)
        return false;
    return choose(&of_image, limits, shape, shape->image_pixels, NULL) &&
           choose(tile, limits, shape, shape->pixels, &of_image);
}

static struct matrix_shape shape_of(const struct planner *p, const struct graph_node *n,
                                    const struct matmul *m, const struct weights_shape *w)
{
    const struct graph_tensor *x = graph_input(p->graph, n, 0);
    const struct plan_tensor *y = &p->plan->tensors[m->dst];
    const uint32_t batch = x->rank > 1 && x->dims[0] > 0 ? (uint32_t)x->dims[0] : 1;

    return (struct matrix_shape){ .pixels = y->rows,
                                  .image_pixels = quotient_up(y->rows, batch),
                                  .depth = (uint64_t)w->taps * m->args.in_slices * 4,
                                  .outputs = y->channels,
                                  .channels = p->plan->tensors[m->src].channels,
                                  .dense = window_is_dense(m->window, &m->args) };
}

bool matrix_fits(const struct planner *p, const struct graph_node *n, const struct matmul *m,
                 int weights, const struct weights_shape *w)
{
    enum { IMAGE_PIXELS_MIN = 4 }; /* fewer are a product with a vector */
    const struct plan_tensor *x = &p->plan->tensors[m->src], *y = &p->plan->tensors[m->dst];
    const struct matrix_shape shape = shape_of(p, n, m, w);
    const struct reason_of why = planner_reason(p, KERNEL_matrix, n);
    struct matrix_tile tile;

    if (!p->plan->half)
        return reasons_add(&why, "precision=fp32: it computes in f16");
    if (!planner_kernel(p, &why))
        return false;
    if (p->limits->matrix.kind == MATRIX_NONE)
        return reasons_add(&why, "the device has no matrix units that were tested");
    if (!graph_is_constant(p->graph, weights))
        return reasons_add(&why, "the weights are computed");
    if (n->steps.scale > 0)
        return reasons_add(&why, "float view: it does not round to quantization steps");
    if (x->format != FORMAT_STORED || y->format != FORMAT_STORED)
        return reasons_add(&why, "its input or result stays f32, since integers are made of it");
    if (shape.image_pixels < IMAGE_PIXELS_MIN)
        return reasons_add(&why, "%" PRIu64 " rows of an image, fewer than %d", shape.image_pixels,
                           IMAGE_PIXELS_MIN);
    if (!matrix_tile_of(&tile, p->limits, &shape))
        return reasons_add(&why,
                           "no tile of it fits the device: %" PRIu64
                           " bytes of shared memory, %" PRIu32 " invocations of a workgroup",
                           (uint64_t)p->limits->max_shared_memory_bytes,
                           p->limits->max_workgroup_invocations);
    if (operand_tiled_vec4s(w, &p->limits->matrix) >
        p->limits->max_storage_buffer_range / UNIT_ELEMENTS)
        return reasons_add(&why,
                           "its weights exceed a storage buffer of the device, %" PRIu64 " bytes",
                           (uint64_t)p->limits->max_storage_buffer_range);
    return true;
}

static const char *shader_of(const struct matrix_tile *t, enum matrix_kind kind)
{
    if (t->block_n == 1)
        return kind == MATRIX_NV ? "matrix.nv11" : "matrix.khr11";
    if (t->block_m == 1)
        return kind == MATRIX_NV ? "matrix.nv12" : "matrix.khr12";
    return kind == MATRIX_NV ? "matrix.nv22" : "matrix.khr22";
}

void matrix_step(struct planner *p, struct plan_step *s, int dst, const struct matrix_tile *t,
                 const struct matrix_shape *shape, const struct window *window, uint32_t flags)
{
    const struct device_matrix *units = &p->limits->matrix;
    const uint64_t rows = (uint64_t)units->tile * t->block_m * t->rows;
    const uint64_t columns = (uint64_t)units->tile * t->block_n * t->columns;
    struct window unit = *window;

    /* The stride is an argument, so that the convolutions of a stage share a pipeline. */
    unit.stride_h = unit.stride_w = 1;
    window_specs(s, &unit);
    step_spec(s, MATRIX_SPEC_TILE, units->tile);
    step_spec(s, MATRIX_SPEC_SUBGROUPS, t->rows | t->columns << 8 | t->shares << 16);
    step_spec(s, MATRIX_SPEC_CHUNK, t->chunk);
    step_spec(s, MATRIX_SPEC_AHEAD, t->ahead);
    step_spec(s, MATRIX_SPEC_PART, (uint32_t)part_of(t, quotient_up(shape->depth, units->tile)));
    step_spec(s, MATRIX_SPEC_CHANNELS, shape->channels);
    step_spec(s, MATRIX_SPEC_FLAGS,
              (shape->dense ? MATRIX_DENSE : 0) | (t->parts > 1 ? MATRIX_PARTED : 0) | flags);
    step_shared(s, (uint32_t)shared_bytes(t, units));
    step_freezable(s);
    step_first_rows(p, s, dst, rows);
    s->groups[0] = (uint32_t)quotient_up(shape->outputs, columns);
    s->groups[1] = (uint32_t)quotient_up(shape->pixels, rows);
    s->groups[2] = t->parts;
}

uint32_t matrix_threads(const struct matrix_tile *t, const struct device_limits *limits)
{
    return threads_of(t, &limits->matrix);
}

static enum status plan_product(struct planner *p, const struct graph_node *n,
                                const struct matmul *m, const struct matrix_tile *t,
                                const struct matrix_shape *shape, const struct operand *tiled,
                                int dst)
{
    const struct device_matrix *units = &p->limits->matrix;
    const struct plan_tensor *x = &p->plan->tensors[m->src];
    struct matrix_args args = { .pixels = (uint32_t)shape->pixels,
                                .window = m->args,
                                .stride_h = (uint32_t)m->window->stride_h,
                                .stride_w = (uint32_t)m->window->stride_w,
                                .has_residual = m->has_residual,
                                .activation = m->activation };
    const bool curved = m->activation > kTfLiteActRelu6;
    struct plan_step *s = planner_step(p, shader_of(t, units->kind), n, threads_of(t, units), 1, 1);

    if (!s)
        return STATUS_NO_MEMORY;
    step_push(s, &args, sizeof args);
    step_products(p, s, dst, m->src, tiled, m->bias);
    matrix_step(p, s, dst, t, shape, m->window,
                (units->fragments ? MATRIX_FRAGMENTS : 0) | (x->slices % 2 == 0 ? MATRIX_EVEN : 0) |
                    (curved ? MATRIX_CURVED : 0));
    return STATUS_OK;
}

enum status matrix_plan(struct planner *p, const struct graph_node *n, const struct matmul *m,
                        int weights, const struct weights_shape *w)
{
    const struct plan_tensor *y = &p->plan->tensors[m->dst];
    const struct matrix_shape shape = shape_of(p, n, m, w);
    struct matrix_tile t = { 0 };
    struct operand tiled;
    int sums;

    (void)matrix_tile_of(&t, p->limits, &shape);
    TRY(operand_tiled(p, weights, w, &p->limits->matrix, &tiled));
    if (t.parts == 1)
        return plan_product(p, n, m, &t, &shape, &tiled, m->dst);
    sums = planner_temp(p, t.parts * y->rows, y->channels, FORMAT_WIDE);
    if (sums < 0)
        return STATUS_NO_MEMORY;
    TRY(plan_product(p, n, m, &t, &shape, &tiled, sums));
    return gemm_plan_sum(p, n, m, t.parts, sums);
}
