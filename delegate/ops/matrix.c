#include "delegate/ops/matrix.h"

#include "delegate/ops/matrix.args.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>

enum {
    UNIT_BYTES = 16,
    UNIT_ELEMENTS = 8, /* of f16 */
    /* Workgroups that keep a large device busy: the largest tile of which there are so many is
     * chosen, on an H200 of 132 multiprocessors. */
    GROUPS_WANTED = 80,
    AHEAD = 8 /* tiles of weights that an invocation loads ahead */
};

/* From large to small.  On an H200 a grid just below one workgroup for each multiprocessor is the
 * fastest, and shares of the sum fill it better than small tiles with all of it. */
static const struct matrix_tile tiles[] = {
    { 2, 2, 2, 4, 1, 0 }, /* 64 x 128 */
    { 1, 2, 4, 2, 1, 0 }, /* 64 x 64 */
    { 1, 2, 2, 2, 2, 0 }, /* 32 x 64 */
    { 1, 1, 4, 2, 1, 0 }, /* 64 x 32 */
    { 1, 1, 2, 2, 2, 0 }, /* 32 x 32 */
    { 2, 2, 1, 2, 4, 0 }, /* 32 x 64 */
    { 1, 1, 1, 2, 4, 0 }, /* 16 x 32 */
    { 1, 1, 1, 1, 4, 0 }, /* 16 x 16 */
};

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

/* All of the sum, or whole loops of the shader: as much as the invocations can stage at once, and
 * as shared memory holds. */
static bool set_chunk(struct matrix_tile *t, const struct device_limits *limits, uint64_t k_tiles)
{
    const struct device_matrix *m = &limits->matrix;
    const uint32_t loop = AHEAD / t->block_n * t->shares;
    const uint32_t units = MATRIX_STAGED * threads_of(t, m) / (m->tile * t->block_m * t->rows);
    const uint32_t most = units / (m->tile / UNIT_ELEMENTS);

    t->chunk = k_tiles <= most ? (uint32_t)k_tiles : most / loop * loop;
    if (shared_bytes(t, m) > limits->max_shared_memory_bytes)
        t->chunk = most / loop * loop;
    while (t->chunk > 0 && shared_bytes(t, m) > limits->max_shared_memory_bytes)
        t->chunk -= loop;
    return t->chunk > 0;
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

/* The largest tile of which there are enough; shares: with so many shares of the sum, 0: any. */
static bool choose(struct matrix_tile *tile, const struct device_limits *limits,
                   const struct matrix_shape *shape, uint64_t pixels, uint32_t shares)
{
    const struct device_matrix *m = &limits->matrix;
    bool found = false;

    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
        struct matrix_tile t = tiles[i];
        const uint64_t columns = (uint64_t)m->tile * t.block_n * t.columns;

        if ((shares > 0 && t.shares != shares) || !allowed(&t, limits, pixels, shape->outputs) ||
            !set_chunk(&t, limits, quotient_up(shape->depth, m->tile)))
            continue;
        *tile = t;
        found = true;
        /* A tile half of which is past the last output gives way to a narrower one. */
        if (groups_of(&t, m, pixels, shape->outputs) >= GROUPS_WANTED &&
            quotient_up(shape->outputs, columns) * columns < shape->outputs + columns / 2)
            break;
    }
    return found;
}

bool matrix_tile_of(struct matrix_tile *tile, const struct device_limits *limits,
                    const struct matrix_shape *shape)
{
    const struct device_matrix *m = &limits->matrix;

    if (m->kind == MATRIX_NONE || (m->tile != 8 && m->tile != MATRIX_TILE_MAX) ||
        m->tile * m->tile > UNIT_ELEMENTS * m->subgroup_size)
        return false;
    return choose(tile, limits, shape, shape->image_pixels, 0) &&
           choose(tile, limits, shape, shape->pixels, tile->shares);
}

static bool is_dense(const struct matmul *m)
{
    const struct window *w = m->window;

    return w->filter_h == 1 && w->filter_w == 1 && w->stride_h == 1 && w->stride_w == 1 &&
           m->args.pad_h == 0 && m->args.pad_w == 0;
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
                                  .dense = is_dense(m) };
}

bool matrix_fits(const struct planner *p, const struct graph_node *n, const struct matmul *m,
                 int weights, const struct weights_shape *w)
{
    enum { IMAGE_PIXELS_MIN = 4 }; /* fewer are a product with a vector */
    const struct plan_tensor *x = &p->plan->tensors[m->src], *y = &p->plan->tensors[m->dst];
    const struct matrix_shape shape = shape_of(p, n, m, w);
    struct matrix_tile tile;

    return p->plan->half && options_kernel(p->options, KERNEL_matrix) &&
           graph_is_constant(p->graph, weights) && n->steps.scale <= 0 &&
           x->format == FORMAT_STORED && y->format == FORMAT_STORED &&
           shape.image_pixels >= IMAGE_PIXELS_MIN && matrix_tile_of(&tile, p->limits, &shape) &&
           operand_tiled_vec4s(w, &p->limits->matrix) <=
               p->limits->max_storage_buffer_range / UNIT_ELEMENTS;
}

/* The bounds of an activation that only clamps; false: it is another one. */
static bool set_bounds(struct matrix_args *args, uint32_t activation)
{
    args->activation = activation;
    args->low = activation == kTfLiteActReluN1To1                               ? -1
                : activation == kTfLiteActRelu || activation == kTfLiteActRelu6 ? 0
                                                                                : -INFINITY;
    args->high = activation == kTfLiteActReluN1To1 ? 1
                 : activation == kTfLiteActRelu6   ? 6
                                                   : INFINITY;
    return activation <= kTfLiteActRelu6;
}

static const char *shader_of(const struct matrix_tile *t, enum matrix_kind kind)
{
    if (t->block_n == 1)
        return kind == MATRIX_NV ? "matrix.nv11" : "matrix.khr11";
    if (t->block_m == 1)
        return kind == MATRIX_NV ? "matrix.nv12" : "matrix.khr12";
    return kind == MATRIX_NV ? "matrix.nv22" : "matrix.khr22";
}

enum status matrix_plan(struct planner *p, const struct graph_node *n, const struct matmul *m,
                        int weights, const struct weights_shape *w)
{
    const struct device_matrix *units = &p->limits->matrix;
    const struct plan_tensor *x = &p->plan->tensors[m->src], *y = &p->plan->tensors[m->dst];
    const struct matrix_shape shape = shape_of(p, n, m, w);
    struct matrix_args args = { .pixels = y->rows,
                                .window = m->args,
                                .has_residual = m->has_residual };
    const bool curved = !set_bounds(&args, m->activation);
    struct matrix_tile t = { 0 };
    struct operand tiled;
    struct plan_step *s;

    (void)matrix_tile_of(&t, p->limits, &shape);
    TRY(operand_tiled(p, weights, w, units, &tiled));
    if (!(s = planner_step(p, shader_of(&t, units->kind), n, threads_of(&t, units), 1, 1)))
        return STATUS_NO_MEMORY;
    window_specs(s, m->window);
    step_spec(s, MATRIX_SPEC_TILE, units->tile);
    step_spec(s, MATRIX_SPEC_ROWS, t.rows);
    step_spec(s, MATRIX_SPEC_COLUMNS, t.columns);
    step_spec(s, MATRIX_SPEC_SHARES, t.shares);
    step_spec(s, MATRIX_SPEC_CHUNK, t.chunk);
    step_spec(s, MATRIX_SPEC_CHANNELS, x->channels);
    step_spec(s, MATRIX_SPEC_FLAGS,
              (shape.dense ? MATRIX_DENSE : 0) | (units->fragments ? MATRIX_FRAGMENTS : 0) |
                  (x->slices % 2 == 0 ? MATRIX_EVEN : 0) | (curved ? MATRIX_CURVED : 0));
    step_shared(s, (uint32_t)shared_bytes(&t, units));
    step_push(s, &args, sizeof args);
    step_products(p, s, m->dst, m->src, &tiled, m->bias);
    s->groups[0] =
        (uint32_t)quotient_up(shape.outputs, (uint64_t)units->tile * t.block_n * t.columns);
    s->groups[1] = (uint32_t)quotient_up(shape.pixels, (uint64_t)units->tile * t.block_m * t.rows);
    s->groups[2] = 1;
    return STATUS_OK;
}
