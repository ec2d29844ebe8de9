#include "delegate/ops/product/matrix_int8.h"

#include "delegate/ops/product/matrix.args.h"
#include "delegate/ops/product/matrix_int8.args.h"

#include <inttypes.h>
#include <string.h>

enum {
    ROWS = 2 * MATRIX_TILE_MAX, /* of a tile of weights: terms of the sum */
    COLUMNS = MATRIX_TILE_MAX,  /* outputs */
    TILE_BYTES = ROWS * COLUMNS,
    TILE_WORDS = TILE_BYTES / 4
};

static uint64_t quotient_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Terms of a sum, each tap padded to slices. */
static uint64_t depth_of(const struct matmul_int8 *m)
{
    return (uint64_t)m->shape.taps * m->args.in_slices * 4;
}

static uint64_t tile_count(const struct matmul_int8 *m)
{
    return quotient_up(m->shape.outputs, COLUMNS) * quotient_up(depth_of(m), ROWS);
}

static struct matrix_shape shape_of(const struct planner *p, const struct graph_node *n,
                                    const struct dot *d, const struct matmul_int8 *m)
{
    const struct graph_tensor *x = graph_input(p->graph, n, d->x);
    const struct plan_tensor *y = &p->plan->tensors[m->dst];
    const uint32_t batch = x->rank > 1 && x->dims[0] > 0 ? (uint32_t)x->dims[0] : 1;

    return (struct matrix_shape){ .pixels = y->rows,
                                  .image_pixels = quotient_up(y->rows, batch),
                                  .depth = depth_of(m) / 2,
                                  .outputs = y->channels,
                                  .channels = m->shape.inputs,
                                  .dense = window_is_dense(m->window, &m->args) };
}

/* Subgroups of a workgroup, each with one matrix: what was fastest on an H200 for the layers of
 * MobileNet v1, v2 and ResNet50, each of which was timed with 18 tiles.  Small ones have the least
 * code, which a device reads slowly when it has not run for long. */
static const struct matrix_tile wide = { .block_m = 1, .block_n = 1, .rows = 1, .columns = 2 };
static const struct matrix_tile square = { .block_m = 1, .block_n = 1, .rows = 1, .columns = 1 };

/* A device of many multiprocessors that wide tiles do not fill has more shares of each sum. */
static bool choose_tile(struct matrix_tile *tile, const struct device_limits *limits,
                        const struct matrix_shape *shape, int variant)
{
    enum { LONG_SUM = 128 };
    const uint64_t workgroups =
        quotient_up(shape->pixels, COLUMNS) * quotient_up(shape->outputs, 2 * COLUMNS);
    const uint64_t deep = quotient_up(shape->depth, COLUMNS);
    uint32_t shares = 4;

    *tile = wide;
    if (variant > 0) {
        *tile = variant % 2 ? square : wide;
        shares = 1u << variant / 2 % 5;
    } else if (workgroups <= device_costs_of(limits)->fitted_multiprocessors) {
        *tile = shape->dense || deep >= LONG_SUM ? square : wide;
        shares = deep >= LONG_SUM ? 16 : 8;
    }
    for (; shares > 0; shares /= 2) {
        tile->shares = shares;
        if (matrix_tile_fit(tile, limits, shape))
            return true;
    }
    return false;
}

bool matrix_int8_tile_of(const struct planner *p, const struct graph_node *n, const struct dot *d,
                         const struct matmul_int8 *m, struct matrix_tile *tile)
{
    enum { INPUTS_MIN = 16 }; /* with fewer most of a unit of 16 bytes is padding */
    const struct device_costs *const costs = device_costs_of(p->limits);
    const uint32_t depth_min = costs->matrix_int8_depth_min;
    const struct matrix_shape shape = shape_of(p, n, d, m);
    const struct reason_of why = planner_reason(p, KERNEL_matrix_int8, n);
    const int variant = p->options->workgroup_variant;

    if (!planner_kernel(p, &why))
        return false;
    if (p->limits->matrix.kind != MATRIX_NV || !p->limits->matrix.bytes)
        return reasons_add(&why, "the device has no matrix units for bytes that were tested");
    if (graph_input(p->graph, n, d->x)->type != kTfLiteInt8 ||
        dot_zero_point(graph_input(p->graph, n, d->weights)) != 0)
        return reasons_add(&why, "it multiplies i8, by weights whose zero point is 0");
    if (m->shape.inputs < INPUTS_MIN)
        return reasons_add(&why, "%" PRIu32 " input channels, fewer than %d", m->shape.inputs,
                           INPUTS_MIN);
    if (variant == 0 && (depth_of(m) < depth_min || shape.pixels * depth_of(m) * shape.outputs <
                                                        costs->matrix_int8_products_min))
        return reasons_add(&why,
                           "%" PRIu64 " products of %" PRIu64 " terms: from %" PRIu32
                           ", of %" PRIu32 " terms, on it is faster",
                           shape.pixels * shape.outputs, depth_of(m),
                           costs->matrix_int8_products_min / depth_min, depth_min);
    if (!choose_tile(tile, p->limits, &shape, variant))
        return reasons_add(&why,
                           "no tile of it fits the device: %" PRIu32
                           " bytes of shared memory, %" PRIu32 " invocations of a workgroup",
                           p->limits->max_shared_memory_bytes,
                           p->limits->max_workgroup_invocations);
    if (tile_count(m) > p->limits->max_storage_buffer_range / TILE_BYTES)
        return reasons_add(&why,
                           "its weights exceed a storage buffer of the device, %" PRIu64 " bytes",
                           p->limits->max_storage_buffer_range);
    return true;
}

/* Where the element of a row and column of a tile lies in it. */
static void find_places(const struct device_matrix *units, uint16_t place[TILE_BYTES])
{
    for (uint32_t i = 0; i < TILE_BYTES; i++)
        place[units->byte_fragments ? units->byte_order[i] : i % ROWS * COLUMNS + i / ROWS] =
            (uint16_t)i;
}

/* Tiles [outputs / COLUMNS][sum / ROWS]; what is past the last of either is 0. */
static enum status pack_weights(struct planner *p, int tensor, const struct matmul_int8 *m,
                                struct packed *packed)
{
    const uint64_t deep = quotient_up(depth_of(m), ROWS);
    const uint32_t tap_depth = m->args.in_slices * 4;
    uint16_t place[TILE_BYTES];

    find_places(&p->limits->matrix, place);
    TRY(planner_pack_words(p, tile_count(m) * TILE_WORDS, packed));
    for (uint64_t t = 0; t < tile_count(m) && planner_packs(p); t++) {
        const uint32_t first = (uint32_t)(t / deep) * COLUMNS;
        uint8_t bytes[TILE_BYTES] = { 0 };

        for (uint32_t row = 0; row < ROWS; row++) {
            const uint64_t k = t % deep * ROWS + row;
            const uint64_t tap = k / tap_depth, input = k % tap_depth;

            for (uint32_t c = 0; c < COLUMNS && first + c < m->shape.outputs &&
                                 tap < m->shape.taps && input < m->shape.inputs;
                 c++) {
                const uint64_t at =
                    ((uint64_t)(first + c) * m->shape.taps + tap) * m->shape.inputs + input;

                bytes[place[row * COLUMNS + c]] =
                    (uint8_t)graph_constant_int(p->graph, tensor, (size_t)at);
            }
        }
        for (uint32_t i = 0; i < TILE_WORDS; i++) {
            const uint8_t *b = bytes + 4 * i;

            planner_put_word(p, packed, t * TILE_WORDS + i,
                             b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
                                 (uint32_t)b[3] << 24);
        }
    }
    return STATUS_OK;
}

enum status matrix_int8_plan(struct planner *p, const struct graph_node *n, const struct dot *d,
                             const struct matmul_int8 *m, const struct matrix_tile *tile)
{
    const struct matrix_shape shape = shape_of(p, n, d, m);
    const struct matrix_int8_args args = {
        .pixels = (uint32_t)shape.pixels,
        .window = m->args,
        .stride_h = (uint32_t)m->window->stride_h,
        .stride_w = (uint32_t)m->window->stride_w,
        .padding = dot_padding(graph_input(p->graph, n, d->x)),
        .output_range = dot_output_range(graph_output(p->graph, n, 0), d->activation),
    };
    struct packed weights, channels;
    struct plan_step *s;

    TRY(pack_weights(p, n->inputs[d->weights], m, &weights));
    TRY(dot_pack_channels(p, n, d, true, &channels));
    if (!(s = planner_step(p, "matrix.nvbytes", n, matrix_threads(tile, p->limits), 1, 1)))
        return STATUS_NO_MEMORY;
    step_push(s, &args, sizeof args);
    step_dot_products(p, s, m->dst, m->src, &weights, &channels);
    matrix_step(p, s, m->dst, tile, &shape, m->window,
                (p->limits->matrix.byte_fragments ? MATRIX_FRAGMENTS : 0) |
                    (m->args.in_slices % 4 == 0 ? MATRIX_EVEN : 0) |
                    dot_requantize(p->graph, n, d) << MATRIX_REQUANTIZE_SHIFT);
    return STATUS_OK;
}
