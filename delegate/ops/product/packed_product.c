#include "delegate/ops/product/packed_product.h"

#include "delegate/ops/packed_weights.h"
#include "delegate/ops/product/packed_product.args.h"
#include "reference/base/builtin.h"

#include <inttypes.h>

enum {
    ROWS_MAX = 8,        /* of a workgroup: their sums are in registers */
    FEW_ROWS = 3,        /* from one more on, weights of 8 bits are packed as floats */
    WEIGHTS_MIN = 65536, /* of 8 bits: other kernels are as fast for fewer */
    COLUMNS_MIN = 2,     /* 32 bytes, which a load of less fetches as a whole */
    INVOCATIONS = 512,
    SPARSE = 256, /* invocations of 4 outputs for a multiprocessor: with fewer, of 1 output */
    DEPTH_MAX = 1 << 20, /* terms of a sum: a loop of some 65,000 turns, as drivers allow */
};

/* of: what packed_weights_of gave, which is not -1. */
static bool may(const struct graph *g, const struct device_limits *limits, int of, int bias,
                uint32_t rows)
{
    return g->tensors[of].rank == 2 && g->tensors[of].dims[1] <= DEPTH_MAX &&
           (bias < 0 || graph_is_constant(g, bias)) && packed_weights_fit(g, limits, of, rows);
}

bool packed_product_may(const struct check *c, int weights, int bias, uint32_t rows)
{
    const int of = packed_weights_of(c->graph, weights);

    return options_kernel(c->options, KERNEL_packed) && of >= 0 &&
           c->graph->tensors[of].type != kTfLiteInt8 && may(c->graph, c->limits, of, bias, rows);
}

bool packed_product_fits(const struct planner *p, const struct graph_node *n, int weights, int bias,
                         uint32_t rows)
{
    const int of = packed_weights_of(p->graph, weights);
    const struct reason_of why = planner_reason(p, KERNEL_packed, n);

    if (of < 0)
        return false; /* no reason: it is about weights of few bits */
    if (!planner_kernel(p, &why))
        return false;
    if (!may(p->graph, p->limits, of, bias, (uint32_t)p->graph->tensors[of].dims[0]))
        return reasons_add(&why,
                           "its bias is computed, or a sum has more than %d terms, or the "
                           "weights do not fit one buffer",
                           DEPTH_MAX);
    if (p->graph->tensors[of].type != kTfLiteInt8)
        return true;
    /* Other kernels have more use of what a workgroup has loaded, as floats. */
    const struct reason_of shares = planner_reason(p, KERNEL_packed_shares, n);

    if (rows > FEW_ROWS)
        return reasons_add(&why, "8-bit weights for %u rows, more than %d", rows, FEW_ROWS);
    if (p->graph->tensors[of].elements < WEIGHTS_MIN)
        return reasons_add(&why, "%zu 8-bit weights, fewer than %d", p->graph->tensors[of].elements,
                           WEIGHTS_MIN);
    return planner_kernel(p, &shares);
}

/* How a workgroup is made up. */
struct choice {
    uint32_t rows, columns, planes;
    uint32_t outputs; /* of an invocation */
};

/* One row: what takes time is the way of the weights from memory, so that all of a workgroup's
 * should be under way at once: planes take a chunk each, as many as there are.  Invocations with
 * several chunks under way were slower: 16 products of 4096 x 4096 took 196 us of an H200 with 256
 * of 4 chunks, 146 us with 512 of one.  Of narrow matrices a workgroup has fewer outputs, so that 3
 * of 4 multiprocessors have one at least, and an invocation one: 2048 outputs of 640 inputs take
 * 3.9 us with 320 invocations of one chunk, 5.8 with 64 of two with 4 outputs.  Several rows: the
 * arithmetic takes time. */
static struct choice choose(const struct planner *p, const struct graph_node *n, uint32_t rows,
                            uint32_t slices, uint32_t chunks)
{
    const struct reason_of why = planner_reason(p, KERNEL_packed_shares, n);
    const uint32_t allowed = p->limits->max_workgroup_invocations;
    const uint32_t invocations = allowed < INVOCATIONS ? allowed : INVOCATIONS;
    const uint64_t wanted = device_costs_of(p->limits)->fitted_multiprocessors;
    struct choice c = { .rows = 1, .columns = PACKED_COLUMNS_MAX, .planes = 1, .outputs = 4 };
    uint32_t most, turns;
    uint64_t runs;

    if (!planner_kernel(p, &why)) { /* few pipelines, and no barrier that matters */
        c.rows = rows > 1 ? 4 : 1;
        return c;
    }
    while (c.rows < rows && c.rows < ROWS_MAX)
        c.rows *= 2;
    runs = (rows + c.rows - 1) / c.rows;
    while (c.columns > COLUMNS_MIN && 4 * runs * slices < 3 * wanted * c.columns)
        c.columns /= 2;
    if (rows == 1 && (uint64_t)slices * chunks < SPARSE * wanted)
        c.outputs = 1;
    most = invocations / (c.rows * c.columns * (4 / c.outputs));
    turns = most > 1 ? (chunks + most - 1) / most : chunks;
    c.planes = (chunks + turns - 1) / turns;
    return c;
}

static uint32_t blocks_of(const struct packed_weights *w, uint32_t chunk_weights)
{
    if (!w->has_blocks)
        return PACKED_BLOCKS_NONE;
    if (w->block % chunk_weights == 0)
        return PACKED_BLOCKS_WHOLE;
    return w->block % (chunk_weights / 2) == 0 ? PACKED_BLOCKS_HALF : PACKED_BLOCKS_ANY;
}

enum status packed_product_plan(struct planner *p, const struct graph_node *n,
                                const struct packed_product *m)
{
    const int of = packed_weights_of(p->graph, m->weights);
    const struct graph_tensor *w = &p->graph->tensors[of];
    const struct plan_tensor *src = &p->plan->tensors[m->src], *dst = &p->plan->tensors[m->dst];
    const uint32_t chunk_weights = 128 / runtime_type_bits(w->type);
    const uint32_t chunks = (src->channels + chunk_weights - 1) / chunk_weights;
    const struct choice c = choose(p, n, dst->rows, dst->slices, chunks);
    const uint32_t row_runs = (dst->rows + c.rows - 1) / c.rows;
    const uint32_t groups = (dst->slices + c.columns - 1) / c.columns;
    struct packed_product_args args;
    struct packed_weights packed;
    struct plan_step *s;

    TRY(packed_weights_pack(p, of, m->bias, c.columns, &packed));
    args = (struct packed_product_args){ .count = row_runs * groups,
                                         .rows = dst->rows,
                                         .row_runs = row_runs,
                                         .in_channels = src->channels,
                                         .in_slices = src->slices,
                                         .out_slices = dst->slices,
                                         .chunks = packed.chunks,
                                         .scales_at = packed.scales_at,
                                         .block = packed.block,
                                         .row_scales = packed.row_scales };
    if (!(s = planner_step(p, "packed_product", n, c.columns * (4 / c.outputs) * c.planes, 1, 1)))
        return STATUS_NO_MEMORY;
    step_spec(s, PACKED_PRODUCT_SPEC_BITS, packed.bits);
    step_spec(s, PACKED_PRODUCT_SPEC_ROWS, c.rows);
    step_spec(s, PACKED_PRODUCT_SPEC_COLUMNS, c.columns);
    step_spec(s, PACKED_PRODUCT_SPEC_PLANES, c.planes);
    step_spec(s, PACKED_PRODUCT_SPEC_ACTIVATION, m->activation);
    step_spec(s, PACKED_PRODUCT_SPEC_BLOCKS, blocks_of(&packed, chunk_weights));
    step_spec(s, PACKED_PRODUCT_SPEC_WHOLE, src->channels % chunk_weights == 0);
    step_spec(s, PACKED_PRODUCT_SPEC_RESIDUAL, m->has_residual);
    step_spec(s, PACKED_PRODUCT_SPEC_OUTPUTS, c.outputs);
    step_thawable(s, PACKED_PRODUCT_SPEC_ACTIVATION, PACKED_PRODUCT_SPEC_RESIDUAL);
    step_shared(s, c.rows * c.columns * c.planes * 4 * (uint32_t)sizeof(float));
    step_push(s, &args, sizeof args);
    step_freezable(s);
    step_write(p, s, 0, m->dst);
    step_read(p, s, 1, m->src);
    step_constants(s, 2, &packed.weights);
    step_constants(s, 3, &packed.sides);
    return step_groups(p, s, args.count);
}
