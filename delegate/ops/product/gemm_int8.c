#include "delegate/ops/product/gemm_int8.h"

#include "delegate/ops/product/gemm_int8.args.h"

#include <inttypes.h>

enum {
    QUAD_BYTES = 16,   /* of shared memory */
    CHUNK_MAX = 64,    /* quads */
    NARROW_SLICES = 4, /* of outputs, by which what is staged is multiplied */
    NARROW_ROWS = 32768,
    CHUNK_REGISTERS = 8, /* quads that an invocation loads ahead, of inputs and of weights */
};

/* Tiles by x, y, z of the workgroup and rows of an invocation.  Many rows share the loads of the
 * weights; many shares keep a compute unit busy that has one workgroup. */
static const struct gemm_int8_tile tiles[] = {
    { 8, 4, 8, 7, 0 },  /* 28 x 32 */
    { 8, 8, 4, 7, 0 },  /* 56 x 32 */
    { 16, 8, 2, 7, 0 }, /* 56 x 64 */
    { 4, 4, 16, 7, 0 }, /* 28 x 16 */
    { 8, 8, 4, 2, 0 },  /* 16 x 32 */
    { 8, 16, 2, 2, 0 }, /* 32 x 32 */
    { 8, 4, 4, 2, 0 },  /* 8 x 32 */
    { 4, 4, 8, 2, 0 },  /* 8 x 16 */
    { 8, 16, 1, 4, 0 }, /* 64 x 32 */
    { 4, 1, 32, 1, 0 }, /* 1 x 16 */
};
enum { TILES = sizeof tiles / sizeof tiles[0] };

static uint64_t quotient_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

struct product {
    uint64_t rows, slices, quads; /* of dst; of a sum */
};

static struct product product_of(const struct planner *p, const struct matmul_int8 *m)
{
    const uint64_t words = (uint64_t)m->shape.taps * m->args.in_slices;

    return (struct product){ .rows = p->plan->tensors[m->dst].rows,
                             .slices = m->args.out_slices,
                             .quads = quotient_up(words, 4) };
}

static uint64_t shared_bytes(const struct gemm_int8_tile *t)
{
    const uint64_t rows = (uint64_t)t->y * t->rows;
    const uint64_t staged = rows * (t->chunk + 1) + 4 * (uint64_t)t->chunk * t->x;
    const uint64_t sums = t->z > 1 ? t->z * rows * t->x : 0;

    return QUAD_BYTES * (sums > staged ? sums : staged);
}

/* Chunks of one length, as few as shared memory and registers allow. */
static bool fit_chunk(const struct device_limits *limits, const struct product *product,
                      struct gemm_int8_tile *t)
{
    const uint32_t invocations = t->x * t->y * t->z;

    if (t->x > limits->max_workgroup_size[0] || t->y > limits->max_workgroup_size[1] ||
        t->z > limits->max_workgroup_size[2] || invocations > limits->max_workgroup_invocations)
        return false;
    for (uint64_t chunks = quotient_up(product->quads, CHUNK_MAX);; chunks++) {
        const uint64_t chunk = quotient_up(product->quads, chunks);

        t->chunk = (uint32_t)(quotient_up(chunk, t->z) * t->z);
        if (t->chunk > CHUNK_MAX)
            t->chunk = (uint32_t)chunk;
        if (t->y * t->rows * t->chunk <= CHUNK_REGISTERS * invocations &&
            4 * t->chunk * t->x <= CHUNK_REGISTERS * invocations &&
            shared_bytes(t) <= limits->max_shared_memory_bytes)
            return true;
        if (chunk <= t->z || chunk <= 4)
            return false;
    }
}

/* Clocks of a product by a tile on a device of so many compute units, each with the rates of
 * current discrete devices.  The factors are fitted to times of all tiles for the layers of
 * MobileNet v1 and ResNet50 on an H200. */
static uint64_t cost(const struct product *product, const struct gemm_int8_tile *t, uint32_t units)
{
    const uint64_t invocations = (uint64_t)t->x * t->y * t->z, rows = (uint64_t)t->y * t->rows;
    const uint64_t groups = quotient_up(product->rows, rows) * quotient_up(product->slices, t->x);
    const uint64_t waves = quotient_up(groups, units);
    /* Shares that have less to do wait for the first one. */
    const uint64_t quads = quotient_up(product->quads, t->z);
    const uint64_t dots = invocations * quads * t->rows / 4;
    const uint64_t reads = invocations * quads * (t->rows + 4) / 16;
    const uint64_t loads = product->quads * (rows + 4 * (uint64_t)t->x) / 8;
    const uint64_t ends = (t->z > 1 ? t->z + 1 : 0) * rows * t->x / 8;
    const uint64_t resident = waves * invocations < 2048 ? waves * invocations : 2048;
    const uint64_t busy = waves * (dots + reads + loads + ends);
    /* Loads of one invocation: a quad is loaded by words. */
    const uint64_t staged = quotient_up(rows * t->chunk, invocations) * 4;

    /* A unit is busy with some 256 invocations; all that it has at a time wait for their loads
     * together. */
    return busy * (resident < 256 ? 256 : resident) / resident +
           400 * staged * quotient_up(product->quads, t->chunk) *
               quotient_up(waves * invocations, 2048);
}

/* Windows over so few channels that the plain kernel cannot load quads, as in first layers: staging
 * gathers them once for all outputs.  Elsewhere the plain kernel's loads through the cache were as
 * fast or faster on an H200; also of few outputs where pixels alone fill the device: 9 x 9 taps of
 * 384 x 384 pixels by 3 outputs 64 us in place of 156, by 8 28 in place of 57, 3 x 3 of 192 x 192
 * by 16 8.9 in place of 10.5. */
bool gemm_int8_tile_of(const struct planner *p, const struct matmul_int8 *m, int variant,
                       struct gemm_int8_tile *tile, const struct reason_of *why)
{
    const struct product product = product_of(p, m);
    const uint32_t units = device_costs_of(p->limits)->fitted_multiprocessors;
    struct gemm_int8_tile possible[TILES];
    int count = 0, best = 0;

    if (m->args.in_slices % 4 == 0 || m->shape.taps == 1)
        return reasons_add(why, "the plain kernel loads 16 inputs at once, which is as fast");
    for (int i = 0; i < TILES; i++) {
        possible[count] = tiles[i];
        count += fit_chunk(p->limits, &product, &possible[count]);
    }
    if (count == 0)
        return reasons_add(why,
                           "no tile of it fits the device: %" PRIu32
                           " bytes of shared memory, %" PRIu32 " invocations of a workgroup",
                           p->limits->max_shared_memory_bytes,
                           p->limits->max_workgroup_invocations);
    for (int i = 1; i < count; i++)
        if (cost(&product, &possible[i], units) < cost(&product, &possible[best], units))
            best = i;
    *tile = possible[variant > 0 ? (variant - 1) % count : best];
    return variant > 0 || product.slices > NARROW_SLICES || product.rows < NARROW_ROWS ||
           reasons_add(why, "%" PRIu64 " pixels of %" PRIu32 " output channels, at most %d",
                       product.rows, m->shape.outputs, 4 * NARROW_SLICES);
}

enum status gemm_int8_plan(struct planner *p, const struct graph_node *n, const struct dot *d,
                           const struct matmul_int8 *m, const struct gemm_int8_tile *tile)
{
    const struct graph_tensor *x = graph_input(p->graph, n, d->x);
    const struct graph_tensor *w = graph_input(p->graph, n, d->weights);
    const struct product product = product_of(p, m);
    const uint64_t groups = quotient_up(product.rows, (uint64_t)tile->y * tile->rows) *
                            quotient_up(product.slices, tile->x);
    const struct gemm_int8_args args = {
        .count = (uint32_t)groups,
        .pixels = (uint32_t)product.rows,
        .window = m->args,
        .in_channels = m->shape.inputs,
        .padding = dot_padding(x),
        .weight_zero = dot_zero_point(w),
        .output_range = dot_output_range(graph_output(p->graph, n, 0), d->activation),
    };
    struct packed weights, channels;
    struct plan_step *s;

    TRY(dot_pack_weights(p, n->inputs[d->weights], &m->shape, &weights));
    TRY(dot_pack_channels(p, n, d, true, &channels));
    if (!(s = planner_step(p, "gemm_int8", n, tile->x, tile->y, tile->z)))
        return STATUS_NO_MEMORY;
    step_packed_dot(p, s);
    window_specs(s, m->window);
    step_spec(s, GEMM_INT8_SPEC_ROWS, tile->rows);
    step_spec(s, GEMM_INT8_SPEC_CHUNK, tile->chunk);
    step_spec(s, GEMM_INT8_SPEC_REQUANTIZE, dot_requantize(p->graph, n, d));
    step_spec(s, GEMM_INT8_SPEC_SIGN_FLIP, dot_sign_flip(x));
    step_spec(s, GEMM_INT8_SPEC_SUM_X, args.weight_zero != 0);
    step_push(s, &args, sizeof args);
    step_freezable(s);
    step_shared(s, (uint32_t)shared_bytes(tile));
    step_dot_products(p, s, m->dst, m->src, &weights, &channels);
    return step_groups(p, s, groups);
}
