#include "delegate/plan/packing.h"

#include "delegate/base/parallel.h"
#include "delegate/base/stored_half.h"

#include <string.h>

enum { TILE = 16 };               /* 16 floats are one line of the cache */
enum { PART_ELEMENTS = 1 << 16 }; /* of one job: some 50 us */

/* Rows of packed weights: row `tap * depth + input` holds that weight of all outputs. */
struct packing {
    struct packing *next;
    int tensor;
    struct packing_shape shape;
    struct packed to;
    uint64_t rows, part_rows;
    size_t first_job, jobs;
    uint32_t tile;                      /* of the matrix units; 0: rows of outputs */
    struct packing_chunks_shape chunks; /* of weights that stay integers; else all 0 */
    uint8_t place[MATRIX_ELEMENTS_MAX]; /* by row and column of such a tile */
};

static enum status add_packing(struct planner *p, int tensor, const struct packing_shape *shape,
                               const struct packed *to, struct packing **packing)
{
    const uint64_t slices = ((uint64_t)shape->outputs + 3) / 4;
    struct packing *new = ARENA_NEW(&p->plan->arena, 1, struct packing);

    if (!new)
        return diag_fail(p->diag, STATUS_NO_MEMORY, "plan: out of memory");
    *new = (struct packing){ .next = p->packings,
                             .tensor = tensor,
                             .shape = *shape,
                             .to = *to,
                             .rows = (uint64_t)shape->taps * shape->depth,
                             .part_rows = PART_ELEMENTS / (4 * slices) / TILE * TILE + TILE };
    new->jobs = (size_t)((new->rows + new->part_rows - 1) / new->part_rows);
    p->packings = *packing = new;
    return STATUS_OK;
}

enum status packing_weights(struct planner *p, int tensor, const struct packing_shape *shape,
                            struct packed *packed)
{
    const uint64_t slices = ((uint64_t)shape->outputs + 3) / 4;
    struct packing *new;

    TRY(planner_reserve(p, (uint64_t)shape->taps * shape->depth * slices, packed));
    if (!planner_packs(p) || packed->bytes == 0)
        return STATUS_OK;
    return add_packing(p, tensor, shape, packed, &new);
}

static uint64_t tiles_deep(const struct packing_shape *shape, uint32_t tile)
{
    return ((uint64_t)shape->taps * shape->depth + tile - 1) / tile;
}

uint64_t packing_tiled_vec4s(const struct packing_shape *shape, const struct device_matrix *m)
{
    return ((uint64_t)shape->outputs + m->tile - 1) / m->tile * tiles_deep(shape, m->tile) *
           (m->tile * m->tile / 4);
}

enum status packing_tiled(struct planner *p, int tensor, const struct packing_shape *shape,
                          const struct device_matrix *m, struct packed *packed)
{
    const uint32_t tile = m->tile;
    struct packing *new;

    /* Zeroed: tiles may go on past the last row. */
    TRY(planner_pack(p, packing_tiled_vec4s(shape, m), true, packed));
    if (!planner_packs(p) || packed->bytes == 0)
        return STATUS_OK;
    TRY(add_packing(p, tensor, shape, packed, &new));
    new->tile = tile;
    for (uint32_t i = 0; i < tile * tile; i++)
        new->place[m->fragments ? m->order[i] : i % tile * tile + i / tile] = (uint8_t)i;
    return STATUS_OK;
}

enum { CHUNK_BYTES = 16 };

static uint64_t chunks_of_group(const struct packing_chunks_shape *s)
{
    return (uint64_t)s->chunks * 4 * s->columns;
}

enum status packing_chunks(struct planner *p, int tensor, const struct packing_chunks_shape *shape,
                           struct packed *packed)
{
    const uint64_t groups =
        ((uint64_t)shape->outputs + 4 * shape->columns - 1) / (4 * (uint64_t)shape->columns);
    const void *const data = p->graph->tensors[tensor].data;
    struct packing *new;

    /* An embedding's table may be the weights of the last product, too. */
    for (const struct packing *w = p->packings; w; w = w->next)
        if (p->graph->tensors[w->tensor].data == data &&
            memcmp(&w->chunks, shape, sizeof *shape) == 0) {
            *packed = w->to;
            return STATUS_OK;
        }
    TRY(planner_pack_words(p, groups * chunks_of_group(shape) * (CHUNK_BYTES / 4), packed));
    TRY(add_packing(p, tensor, &(struct packing_shape){ shape->outputs, 1, shape->inputs, 0 },
                    packed, &new));
    new->chunks = *shape;
    new->rows = groups;
    new->part_rows = PART_ELEMENTS / (chunks_of_group(shape) * CHUNK_BYTES) + 1;
    new->jobs = planner_packs(p) ? (size_t)((new->rows + new->part_rows - 1) / new->part_rows) : 0;
    return STATUS_OK;
}

/* 16 bytes from bit `at` of the weights on, into zeros; bits from `end` on stay 0. */
static void read_chunk(const uint8_t *weights, uint64_t at, uint64_t end, uint8_t *chunk)
{
    const uint64_t bits = end - at < 8 * CHUNK_BYTES ? end - at : 8 * CHUNK_BYTES;

    if (at % 8 == 0) {
        memcpy(chunk, weights + at / 8, (size_t)(bits / 8));
        if (bits % 8 != 0)
            chunk[bits / 8] = weights[(at + bits) / 8] & ((1u << bits % 8) - 1);
        return;
    }
    for (uint64_t i = 0; i < bits; i += 2) /* every row begins at an even bit */
        chunk[i / 8] |= (uint8_t)((weights[(at + i) / 8] >> (at + i) % 8 & 3) << i % 8);
}

/* Packs one group of outputs. */
static void pack_group(const struct planner *p, const struct packing *w, uint64_t group)
{
    const struct packing_chunks_shape *const s = &w->chunks;
    const uint8_t *const weights = p->graph->tensors[w->tensor].data;
    const uint8_t zero = s->bits == 8 ? 0x80 : s->bits == 4 ? 0x88 : 0xaa;
    const uint64_t chunks = chunks_of_group(s);
    uint8_t *to = p->plan->constants + w->to.offset + group * chunks * CHUNK_BYTES;

    for (uint64_t i = 0; i < chunks; i++, to += CHUNK_BYTES) {
        const uint64_t column = i % s->columns, lane = i / s->columns % 4;
        const uint64_t row = (group * s->columns + column) * 4 + lane;
        const uint64_t chunk = i / (4 * s->columns);

        memset(to, 0, CHUNK_BYTES);
        if (row < s->outputs)
            read_chunk(weights, row * s->inputs * s->bits + chunk * 8 * CHUNK_BYTES,
                       (row + 1) * s->inputs * s->bits, to);
        for (int b = 0; b < CHUNK_BYTES; b++)
            to[b] ^= zero;
    }
}

/* A square of weights of one tap, read along the inputs and written along the outputs. */
struct tile {
    uint32_t tap, input, output, inputs, outputs; /* its corner, and how much of it there is */
    float values[TILE][TILE];                     /* [input][output], zero past the ends */
};

static void read_tile(const struct planner *p, const struct packing *w, struct tile *t)
{
    const struct graph_tensor *tensor = &p->graph->tensors[w->tensor];
    const bool plain = tensor->type == kTfLiteFloat32 && tensor->dequantized_from < 0;

    memset(t->values, 0, sizeof t->values);
    for (uint32_t o = 0; o < t->outputs; o++) {
        const size_t from =
            ((size_t)(t->output + o) * w->shape.taps + t->tap) * w->shape.inputs + t->input;
        float line[TILE];

        if (plain)
            memcpy(line, (const char *)tensor->data + from * sizeof line[0],
                   t->inputs * sizeof line[0]);
        for (uint32_t i = 0; i < t->inputs; i++)
            t->values[i][o] = plain ? line[i] : graph_constant_float(p->graph, w->tensor, from + i);
    }
}

/* Writes `rows` rows of the tile, the first of which is row `row`. */
static void write_tile(const struct planner *p, const struct packing *w, const struct tile *t,
                       uint64_t row, uint32_t rows)
{
    const uint64_t pitch = ((uint64_t)w->shape.outputs + 3) / 4 * 4;
    const uint32_t columns = pitch - t->output < TILE ? (uint32_t)(pitch - t->output) : TILE;
    uint8_t *const base = p->plan->constants + w->to.offset;

    for (uint32_t i = 0; i < rows; i++) {
        const size_t at = (size_t)((row + i) * pitch + t->output);
        uint16_t halves[TILE];

        if (!w->to.half) {
            memcpy(base + at * sizeof t->values[i][0], t->values[i],
                   columns * sizeof t->values[i][0]);
            continue;
        }
        for (uint32_t o = 0; o < columns; o++)
            halves[o] = stored_half(t->values[i][o]);
        memcpy(base + at * sizeof halves[0], halves, columns * sizeof halves[0]);
    }
}

/* The same where tiles of the matrix units are written. */
static void write_places(const struct planner *p, const struct packing *w, const struct tile *t,
                         uint64_t row, uint32_t rows)
{
    const uint32_t tile = w->tile;
    const uint64_t deep = tiles_deep(&w->shape, tile);
    uint8_t *const base = p->plan->constants + w->to.offset;

    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t o = 0; o < t->outputs; o++) {
            const uint64_t at = (t->output + o) / tile * deep + (row + i) / tile;
            const uint32_t element = (uint32_t)((row + i) % tile) * tile + (t->output + o) % tile;
            const uint16_t half = stored_half(t->values[i][o]);

            memcpy(base + (at * tile * tile + w->place[element]) * sizeof half, &half, sizeof half);
        }
}

/* Packs rows from `row` on, up to TILE of them, of one tap; returns how many. */
static uint32_t pack_rows(const struct planner *p, const struct packing *w, uint64_t row,
                          uint64_t end)
{
    const uint32_t input = (uint32_t)(row % w->shape.depth);
    struct tile t = { .tap = (uint32_t)(row / w->shape.depth), .input = input };
    uint64_t rows = w->shape.depth - input;

    if (rows > TILE)
        rows = TILE;
    if (rows > end - row)
        rows = end - row;
    if (input < w->shape.inputs)
        t.inputs = rows < w->shape.inputs - input ? (uint32_t)rows : w->shape.inputs - input;
    for (; t.output < w->shape.outputs; t.output += TILE) {
        t.outputs = w->shape.outputs - t.output < TILE ? w->shape.outputs - t.output : TILE;
        read_tile(p, w, &t);
        (w->tile > 0 ? write_places : write_tile)(p, w, &t, row, (uint32_t)rows);
    }
    return (uint32_t)rows;
}

/* Jobs write disjoint rows, and read nothing that another one writes. */
static void pack_part(void *user, size_t job)
{
    const struct planner *const p = user;
    const struct packing *w = p->packings;
    uint64_t row, end;

    while (job < w->first_job)
        w = w->next;
    row = (job - w->first_job) * w->part_rows;
    end = w->rows - row < w->part_rows ? w->rows : row + w->part_rows;
    for (; w->chunks.bits > 0 && row < end; row++)
        pack_group(p, w, row);
    while (row < end)
        row += pack_rows(p, w, row, end);
}

void packing_finish(struct planner *p)
{
    size_t jobs = 0, left;

    for (const struct packing *w = p->packings; w; w = w->next)
        jobs += w->jobs;
    left = jobs; /* the list begins with the newest, which gets the last jobs */
    for (struct packing *w = p->packings; w; w = w->next)
        w->first_job = left -= w->jobs;
    parallel_run(jobs, jobs / 4, pack_part, p);
}
