#include "delegate/ops/packed_weights.h"

#include "delegate/plan/packing.h"
#include "reference/base/builtin.h"

#include <string.h>

enum {
    CHUNK_BITS = 128,
    SCALES_AT = 8,                      /* bytes of a unit of packed_weights.scales_at */
    GROUP_ROWS = 4 * PACKED_COLUMNS_MAX /* of a group */
};

struct sizes {
    uint32_t rows, k, bits, chunks, groups, row_scales;
    uint64_t bias_units, scale_units;
};

static struct sizes sizes_of(const struct graph_tensor *t, uint32_t rows, uint32_t columns)
{
    struct sizes s = { .rows = rows,
                       .k = (uint32_t)(t->elements / (size_t)t->dims[0]),
                       .bits = runtime_type_bits(t->type) };

    s.chunks = s.k / (CHUNK_BITS / s.bits) + (s.k % (CHUNK_BITS / s.bits) != 0);
    s.groups = s.rows / (4 * columns) + (s.rows % (4 * columns) != 0);
    s.row_scales = t->quant.block_scales ? s.k / (uint32_t)t->quant.block : 1;
    s.bias_units = (uint64_t)s.groups * columns * 2;
    s.scale_units = (uint64_t)s.groups * columns * (t->quant.block_scales ? s.row_scales : 2);
    return s;
}

int packed_weights_of(const struct graph *g, int tensor)
{
    const struct graph_tensor *t = &g->tensors[tensor];

    if (t->dequantized_from >= 0) {
        tensor = t->dequantized_from;
        t = &g->tensors[tensor];
    }
    if (!t->data || t->rank < 2 || t->elements == 0 || !graph_has_few_bits(t))
        return -1;
    if (t->quant.block_scales)
        return tensor;
    if (!t->quant.scale || (t->quant.count > 1 && t->quant.dimension != 0))
        return -1;
    for (size_t i = 0; i < t->quant.count; i++)
        if (t->quant.zero_point[i] != 0)
            return -1;
    return tensor;
}

bool packed_weights_fit(const struct graph *g, const struct device_limits *limits, int weights,
                        uint32_t rows)
{
    const struct sizes s = sizes_of(&g->tensors[weights], rows, PACKED_COLUMNS_MAX);

    return (uint64_t)s.groups * s.chunks * GROUP_ROWS * (CHUNK_BITS / 8) <=
               limits->max_storage_buffer_range &&
           (s.bias_units + s.scale_units) * SCALES_AT <= limits->max_storage_buffer_range;
}

void packed_weights_table(const struct graph *g, const struct gpu_options *options, int tensor,
                          struct gpu_table *table)
{
    const int of = packed_weights_of(g, tensor);
    struct sizes group;
    uint64_t weights, sides;

    if (of < 0 || g->tensors[of].rank != 2 || g->tensors[of].type == kTfLiteInt8 ||
        !options_kernel(options, KERNEL_packed))
        return;
    group = sizes_of(&g->tensors[of], GROUP_ROWS, PACKED_COLUMNS_MAX);
    weights = group.chunks * (CHUNK_BITS / 8);
    sides = (group.bias_units + group.scale_units) * SCALES_AT / GROUP_ROWS;
    table->row_bytes = weights > sides ? weights : sides;
    table->step = GROUP_ROWS;
}

static void put_scales(struct planner *p, const struct graph_tensor *t, const struct sizes *s,
                       const struct packed_weights *to)
{
    const struct graph_quant *q = &t->quant;

    if (!planner_packs(p))
        return;
    for (uint32_t row = 0; row < s->rows; row++) {
        const uint32_t slice = row / 4, group = slice / to->columns, column = slice % to->columns;
        uint8_t *const base = p->plan->constants + to->sides.offset;

        if (!q->block_scales)
            planner_put(p, &to->sides, 2 * s->bias_units + row, q->scale[q->count > 1 ? row : 0]);
        for (uint32_t b = 0; b < s->row_scales && q->block_scales; b++) {
            const uint64_t unit =
                s->bias_units + ((uint64_t)group * s->row_scales + b) * to->columns + column;

            memcpy(base + unit * SCALES_AT + row % 4 * sizeof(uint16_t),
                   (const char *)q->block_scales +
                       ((size_t)row * s->row_scales + b) * sizeof(uint16_t),
                   sizeof(uint16_t));
        }
    }
}

enum status packed_weights_pack(struct planner *p, int weights, int bias, uint32_t columns,
                                struct packed_weights *packed)
{
    const struct graph_tensor *t = &p->graph->tensors[weights];
    const struct sizes s = sizes_of(t, (uint32_t)t->dims[0], columns);

    *packed = (struct packed_weights){ .bits = s.bits,
                                       .columns = columns,
                                       .chunks = s.chunks,
                                       .scales_at = (uint32_t)s.bias_units,
                                       .block = s.k / s.row_scales,
                                       .row_scales = s.row_scales,
                                       .has_blocks = t->quant.block_scales != NULL };
    TRY(packing_chunks(p, weights,
                       &(struct packing_chunks_shape){ s.rows, s.k, s.bits, s.chunks, columns },
                       &packed->weights));
    TRY(planner_pack(p, (s.bias_units + s.scale_units + 1) / 2, false, &packed->sides));
    for (uint32_t i = 0; i < s.rows && bias >= 0 && planner_packs(p); i++)
        planner_put(p, &packed->sides, i, graph_constant_float(p->graph, bias, i));
    put_scales(p, t, &s, packed);
    return STATUS_OK;
}
