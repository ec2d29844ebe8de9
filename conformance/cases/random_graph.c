/* Draws random graphs, and builds them. */
#include "conformance/cases/random_graph.h"

#include "reference/base/memory.h"
#include "reference/base/op_facts.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    INPUTS_MAX = 4,
    NODE_TRIES = 40,     /* before a graph is left with fewer nodes */
    ELEMENTS_MAX = 2500, /* of a tensor */
    RANK_MAX = 5,
    PEAK_MAX = 400, /* of values, well below the largest f16 */
    STREAMS = 16,   /* of the tensors of one item: its constants */
    PEAK = 4,       /* of inputs and constants */
    OUTPUTS_MAX_DRAWN = 6
};

/* ---- building ---- */

static bool can_take(const struct suite_member *member, enum random_kind kind)
{
    const uint32_t kinds = member->random.kinds ? member->random.kinds : 1u << RANDOM_VALUES;

    return kinds >> kind & 1;
}

/* Adds a node; false when it does not fit its operands. */
static bool add_node(struct case_builder *m, const struct random_item *item,
                     struct random_shared *shared, const struct random_operand *results,
                     struct random_operand *out)
{
    struct random_call call = { .member = item->member,
                                .count = item->operand_count,
                                .shared = shared };

    memcpy(call.choice, item->choice, sizeof call.choice);
    for (size_t i = 0; i < call.count; i++) {
        call.in[i] = results[item->operands[i]];
        if (!can_take(item->member, call.in[i].kind))
            return false;
        if (call.in[i].peak > call.out.peak)
            call.out.peak = call.in[i].peak;
    }
    if (!item->member->random.add(m, &call))
        return false;
    *out = call.out;
    return call.out.value.shape.rank <= RANK_MAX &&
           shape_elements(&call.out.value.shape) <= ELEMENTS_MAX && call.out.peak <= PEAK_MAX;
}

/* Adds item i; false when it does not fit. */
static bool add_item(struct case_builder *m, const struct random_graph *graph, size_t i,
                     struct random_shared *shared, struct random_operand *results)
{
    const struct random_item *const item = &graph->items[i];

    m->filled = (unsigned)item->number * STREAMS;
    results[i] = (struct random_operand){ .peak = PEAK };
    switch (item->kind) {
    case RANDOM_INPUT: results[i].value = graph_add_input(m, "x", &item->shape); return true;
    case RANDOM_CONSTANT: results[i].value = graph_add_constant(m, &item->shape); return true;
    case RANDOM_NODE: break;
    }
    return add_node(m, item, shared, results, &results[i]);
}

/* A builder that has failed before: the functions of graph_builder.h give shapes, and add nothing.
 */
struct dry_run {
    struct case_request request;
    struct case_instance instance; /* stays empty */
    struct case_builder m;
};

static void dry_init(struct dry_run *d, const struct test_case *c)
{
    *d = (struct dry_run){ .request = { .set = SET_RANDOM } };
    d->m = (struct case_builder){
        .c = c, .request = &d->request, .out = &d->instance, .status = STATUS_USAGE
    };
}

bool random_graph_check(const struct test_case *c, const struct random_graph *graph,
                        struct random_operand results[RANDOM_ITEMS_MAX])
{
    struct random_shared shared = { .count = 0 };
    size_t outputs = 0, inputs = 0;
    struct dry_run dry;

    dry_init(&dry, c);
    for (size_t i = 0; i < graph->count; i++) {
        if (!add_item(&dry.m, graph, i, &shared, results))
            return false;
        outputs += graph->items[i].output;
        inputs += graph->items[i].kind == RANDOM_INPUT;
    }
    return outputs > 0 && outputs <= CASE_OUTPUTS_MAX && inputs > 0 && inputs <= CASE_INPUTS_MAX;
}

static void build(struct case_builder *m)
{
    const struct random_row *const row = (const struct random_row *)m->c->row;
    struct random_operand results[RANDOM_ITEMS_MAX];
    struct random_shared shared = { .count = 0 };
    struct random_graph graph;

    if (row->graph)
        graph = *row->graph;
    else
        random_graph_draw(m->c, &graph);
    for (size_t i = 0; i < graph.count && m->status == STATUS_OK; i++) {
        if (!add_item(m, &graph, i, &shared, results))
            m->status =
                diag_fail(m->diag, STATUS_INVALID, "%s: item %zu does not fit", m->c->name, i);
    }
    for (size_t i = 0; i < graph.count && m->status == STATUS_OK; i++) {
        if (graph.items[i].output)
            graph_add_output(m, results[i].value);
    }
}

bool random_graph_prune(struct random_graph *graph)
{
    bool needed[RANDOM_ITEMS_MAX] = { false };
    uint8_t place[RANDOM_ITEMS_MAX];
    size_t kept = 0, nodes = 0;

    for (size_t i = graph->count; i-- > 0;) {
        const struct random_item *const item = &graph->items[i];

        needed[i] = needed[i] || item->output;
        for (size_t k = 0; needed[i] && k < item->operand_count; k++)
            needed[item->operands[k]] = true;
    }
    for (size_t i = 0; i < graph->count; i++) {
        if (!needed[i])
            continue;
        place[i] = (uint8_t)kept;
        graph->items[kept] = graph->items[i];
        for (size_t k = 0; k < graph->items[kept].operand_count; k++)
            graph->items[kept].operands[k] = place[graph->items[kept].operands[k]];
        nodes += graph->items[kept].kind == RANDOM_NODE;
        kept++;
    }
    graph->count = kept;
    return nodes > 0;
}

/* ---- drawing ---- */

/* A graph that is being drawn. */
struct drawing {
    const struct test_case *c;
    struct random_stream stream;
    struct random_graph *graph;
    struct dry_run dry;
    struct random_shared shared;
    struct random_operand results[RANDOM_ITEMS_MAX];
    bool read[RANDOM_ITEMS_MAX];
};

static uint32_t below(struct drawing *d, size_t n)
{
    return (uint32_t)random_below(&d->stream, n);
}

/* Appends an item.  Returns its index; false in *fits takes it away again. */
static size_t append(struct drawing *d, const struct random_item *item, bool *fits)
{
    const size_t i = d->graph->count;
    const size_t shared = d->shared.count;

    assert(i < RANDOM_ITEMS_MAX);
    d->graph->items[i] = *item;
    d->graph->items[i].number = (uint16_t)i;
    *fits = add_item(&d->dry.m, d->graph, i, &d->shared, d->results);
    if (!*fits) {
        d->shared.count = shared;
        return i;
    }
    d->read[i] = false;
    d->graph->count++;
    return i;
}

static size_t append_source(struct drawing *d, enum random_item_kind kind,
                            const struct shape *shape)
{
    bool fits;

    return append(d, &(struct random_item){ .kind = kind, .shape = *shape }, &fits);
}

/* An image most of the time; sometimes rows, or a sequence of them. */
static struct shape draw_input_shape(struct drawing *d)
{
    static const int32_t batches[] = { 1, 1, 1, 2, 3 };
    static const int32_t channels[] = { 3, 4, 1, 5, 2, 8, 7, 6, 9, 13, 16, 17 };
    /* Each draw is a statement of its own: C may evaluate operands in either order. */
    const int32_t n = batches[below(d, 5)];
    const int32_t c = channels[below(d, 12)];
    const int32_t h = 1 + (int32_t)below(d, 9);
    const int32_t w = 1 + (int32_t)below(d, 9);

    switch (below(d, 8)) {
    case 0: return (struct shape)DIMS(n, c);
    case 1: return (struct shape)DIMS(n, h, c);
    default: return (struct shape)DIMS(n, h, w, c);
    }
}

/* A constant operand for a tensor: for each channel, one for all, of the same shape, for each row.
 */
static struct shape draw_constant_shape(struct drawing *d, const struct shape *x)
{
    const struct shape scalar = SCALAR;
    struct shape y = *x;

    switch (below(d, 4)) {
    case 0: return scalar;
    case 1: return y;
    case 2:
        for (int i = 0; i < y.rank; i++)
            y.d[i] = below(d, 2) ? y.d[i] : 1;
        return y;
    default:
        if (x->rank > 0)
            y = (struct shape)DIMS(x->d[x->rank - 1]);
        return y;
    }
}

static bool is_operand(const struct drawing *d, size_t i, const struct suite_member *member)
{
    return d->graph->items[i].kind != RANDOM_CONSTANT && can_take(member, d->results[i].kind);
}

/* An item for the first operand: one that nobody reads yet, or one of the last ones, or any; -1
 * where none can be read. */
static int pick_first(struct drawing *d, const struct suite_member *member)
{
    const size_t count = d->graph->count;
    const uint32_t way = below(d, 4);
    const size_t from = way == 3 ? below(d, count) : count - 1 - below(d, count < 3 ? count : 3);

    for (size_t k = 0; k < count; k++) {
        const size_t i = (from + count - k) % count;

        if (is_operand(d, i, member) && (way != 0 || !d->read[i]))
            return (int)i;
    }
    return -1;
}

static bool differs_once(const struct shape *a, const struct shape *b)
{
    int differing = 0;

    for (int i = 0; i < a->rank && a->rank == b->rank; i++)
        differing += a->d[i] != b->d[i];
    return a->rank == b->rank && differing <= 1;
}

/* An item that goes with the first operand; -1 where there is none. */
static int pick_partner(struct drawing *d, const struct suite_member *member, size_t first)
{
    const size_t count = d->graph->count, from = below(d, count);
    const bool joined = member->random.operands == RANDOM_JOINED;
    const bool itself = below(d, 8) == 0;

    for (size_t k = 0; k < count; k++) {
        const size_t i = (from + k) % count;
        const struct shape *const a = &d->results[first].value.shape;
        const struct shape *const b = &d->results[i].value.shape;

        if ((i != first || itself) && can_take(member, d->results[i].kind) &&
            (is_operand(d, i, member) || !joined) &&
            (joined ? differs_once(a, b) : random_can_broadcast(a, b)))
            return (int)i;
    }
    return -1;
}

/* A constant that a node of the graph reads already and that broadcasts; -1 where there is none. */
static int pick_constant(const struct drawing *d, size_t first)
{
    for (size_t i = d->graph->count; i-- > 0;) {
        if (d->graph->items[i].kind == RANDOM_CONSTANT &&
            random_can_broadcast(&d->results[first].value.shape, &d->results[i].value.shape))
            return (int)i;
    }
    return -1;
}

/* A constant operand: half of the time one that the graph has; -1 when it has no room for one. */
static int draw_constant(struct drawing *d, size_t first)
{
    const int old = below(d, 2) ? pick_constant(d, first) : -1;
    struct shape shape;

    if (old >= 0 || d->graph->count + 2 > RANDOM_ITEMS_MAX)
        return old;
    shape = draw_constant_shape(d, &d->results[first].value.shape);
    return (int)append_source(d, RANDOM_CONSTANT, &shape);
}

/* Chooses the operands of a node; false where there are none. */
static bool draw_operands(struct drawing *d, struct random_item *item)
{
    const struct suite_member *const member = item->member;
    const int first = pick_first(d, member);
    size_t count = 1;

    if (first < 0)
        return false;
    item->operands[0] = (uint8_t)first;
    item->operand_count = 1;
    if (member->random.operands == RANDOM_BROADCAST)
        count = 2;
    else if (member->random.operands == RANDOM_JOINED)
        count = 2 + below(d, 3);
    while (item->operand_count < count) {
        int other = below(d, 4) == 0 && member->random.operands == RANDOM_BROADCAST
                        ? -1
                        : pick_partner(d, member, (size_t)first);

        if (other < 0 && member->random.operands == RANDOM_JOINED)
            return item->operand_count > 1;
        if (other < 0)
            other = draw_constant(d, (size_t)first);
        if (other < 0)
            return false;
        item->operands[item->operand_count++] = (uint8_t)other;
    }
    if (count == 2 && below(d, 4) == 0) { /* the other way round */
        const uint8_t a = item->operands[0];

        item->operands[0] = item->operands[1];
        item->operands[1] = a;
    }
    return true;
}

/* The type of the suites' rows that members must have. */
static enum case_type type_needed(const struct test_case *c, const struct suite_member *member)
{
    if (!c->quantized)
        return CASE_F32;
    if (c->type == TENSOR_UINT8)
        return CASE_U8;
    return c->by_channel && op_facts_find(member->code)->weights != OP_NONE ? CASE_I8PC : CASE_I8;
}

static bool is_drawn(const struct test_case *c, const struct suite_member *member)
{
    return member->random.add && member->types & TYPE_BIT(type_needed(c, member));
}

/* A suite first, then one of its members: families of many ops are not drawn more often.  Ops that
 * join branches are, as the rest makes branches. */
static const struct suite_member *draw_member(struct drawing *d)
{
    size_t suites = 0;

    while (suite_at(suites))
        suites++;
    for (;;) {
        const struct suite *const suite = suite_at(below(d, suites));
        const struct suite_member *const member = &suite->members[below(d, suite->member_count)];

        if (!is_drawn(d->c, member))
            continue;
        if (member->random.operands == RANDOM_ONE && below(d, 3) == 0)
            continue;
        return member;
    }
}

/* Appends one node; false when NODE_TRIES did not fit. */
static bool append_node(struct drawing *d)
{
    for (int i = 0; i < NODE_TRIES; i++) {
        struct random_item item = { .kind = RANDOM_NODE, .member = draw_member(d) };
        bool fits = false;

        for (int k = 0; k < RANDOM_CHOICES; k++)
            item.choice[k] = below(d, 840); /* a multiple of 1 ... 8 and 10 */
        if (draw_operands(d, &item) && d->graph->count < RANDOM_ITEMS_MAX)
            append(d, &item, &fits);
        if (!fits)
            continue;
        for (size_t k = 0; k < item.operand_count; k++)
            d->read[item.operands[k]] = true;
        return true;
    }
    return false;
}

/* What no node reads is an output, the last ones first, and sometimes one that is read, too. */
static void choose_outputs(struct drawing *d)
{
    size_t outputs = 0;

    for (size_t i = d->graph->count; i-- > 0 && outputs < OUTPUTS_MAX_DRAWN;) {
        if (d->graph->items[i].kind != RANDOM_NODE)
            continue;
        d->graph->items[i].output = !d->read[i] || below(d, 12) == 0;
        outputs += d->graph->items[i].output;
    }
}

void random_graph_draw(const struct test_case *c, struct random_graph *graph)
{
    const struct random_row *const row = (const struct random_row *)c->row;
    struct drawing d = { .c = c, .graph = graph };
    size_t nodes, inputs;

    dry_init(&d.dry, c);
    graph->count = 0;
    random_init(&d.stream, row->seed, "graph", row->index, 0, 0);
    /* Half of the graphs are small: their failures need no shrinking. */
    nodes = RANDOM_NODES_MIN +
            (below(&d, 2) ? below(&d, RANDOM_NODES_MAX - RANDOM_NODES_MIN + 1) : below(&d, 8));
    inputs = 1 + below(&d, INPUTS_MAX);
    for (size_t i = 0; i < inputs; i++) {
        const struct shape shape = draw_input_shape(&d);

        append_source(&d, RANDOM_INPUT, &shape);
    }
    for (size_t i = 0; i < nodes && append_node(&d); i++) {
    }
    choose_outputs(&d);
    random_graph_prune(graph);
}

/* ---- cases ---- */

static const struct suite_member members[] = {
    { .op = "graph",
      .code = BUILTIN_PLACEHOLDER_FOR_GREATER_OP_CODES,
      .version = 1,
      .sets = SET_BIT(SET_RANDOM) },
};
static const struct suite suite_random = { .stem = "graph",
                                           .members = members,
                                           .member_count = 1,
                                           .row_bytes = sizeof(struct random_row),
                                           .build = build };

bool random_is_graph(const struct test_case *c)
{
    return c->suite == &suite_random;
}

uint32_t random_index(const struct test_case *c)
{
    return ((const struct random_row *)c->row)->index;
}

static void make_case(struct test_case *c, struct random_row *row, uint64_t seed, uint32_t index)
{
    static const enum case_type types[] = { CASE_F32, CASE_I8,   CASE_F16,     CASE_U8,
                                            CASE_F32, CASE_I8PC, CASE_DYNAMIC, CASE_I8 };
    const enum case_type type = types[index % (sizeof types / sizeof types[0])];

    snprintf(row->name, sizeof row->name, "s%" PRIu64 "_%" PRIu32, seed, index);
    row->base = (struct op_case){ .name = row->name, .why = "a random graph", .unit_gain = true };
    row->seed = seed;
    row->index = index;
    *c = (struct test_case){
        .suite = &suite_random,
        .row = &row->base,
        .type = case_types[type].tensor_type,
        .type_name = case_types[type].name,
        .quantized = TYPE_BIT(type) & TYPES_QUANTIZED && type != CASE_DYNAMIC,
        .dynamic = type == CASE_DYNAMIC,
        .by_channel = type == CASE_I8PC || type == CASE_DYNAMIC,
        .op = members[0].op,
        .code = members[0].code,
        .version = 1,
    };
    snprintf(c->name, sizeof c->name, "%s.%s.%s", c->op, c->type_name, row->name);
}

enum status random_cases(uint64_t seed, size_t count, struct test_case **cases,
                         struct random_row **rows, struct diag *diag)
{
    *cases = mem_alloc(count ? count : 1, sizeof **cases);
    *rows = mem_alloc(count ? count : 1, sizeof **rows);
    if (!*cases || !*rows) {
        mem_free(*cases);
        mem_free(*rows);
        *cases = NULL;
        *rows = NULL;
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu graphs: out of memory", count);
    }
    for (size_t i = 0; i < count; i++)
        make_case(&(*cases)[i], &(*rows)[i], seed, (uint32_t)i);
    return STATUS_OK;
}

enum status random_cases_append(uint64_t seed, size_t graphs, struct test_case **cases,
                                size_t *count, struct random_row **rows, struct diag *diag)
{
    struct test_case *more, *all;

    *rows = NULL;
    if (graphs == 0)
        return STATUS_OK;
    TRY(random_cases(seed, graphs, &more, rows, diag));
    all = mem_resize(*cases, *count + graphs, sizeof *all);
    if (all) {
        memcpy(all + *count, more, graphs * sizeof *all);
        *cases = all;
        *count += graphs;
    }
    mem_free(more);
    return all ? STATUS_OK : diag_fail(diag, STATUS_NO_MEMORY, "%zu graphs: out of memory", graphs);
}
