/* Draws random graphs: item after item, each of which is tried without building a model. */
#include "conformance/suite/cases/random_graph.h"

#include "reference/base/op_facts.h"

#include <assert.h>
#include <string.h>

enum {
    INPUTS_MAX = 4,
    NODE_TRIES = 40, /* before a graph is left with fewer nodes */
    OUTPUTS_MAX_DRAWN = 6,
    LATER_MAX = 3,
    LATER_BIT = 8 /* of the index */
};

/* A graph that is being drawn. */
struct drawing {
    const struct test_case *c;
    struct random_stream stream;
    struct random_graph *graph;
    struct random_dry_run dry;
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
    *fits = random_add_item(&d->dry.m, d->graph, i, &d->shared, d->results);
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
    return d->graph->items[i].kind != RANDOM_CONSTANT &&
           random_can_take(member, d->results[i].kind);
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

static bool same_shape(const struct shape *a, const struct shape *b)
{
    return a->rank == b->rank && memcmp(a->d, b->d, (size_t)a->rank * sizeof a->d[0]) == 0;
}

static bool differs_once(const struct shape *a, const struct shape *b)
{
    int differing = 0;

    for (int i = 0; i < a->rank && a->rank == b->rank; i++)
        differing += a->d[i] != b->d[i];
    return a->rank == b->rank && differing <= 1;
}

/* An item that goes with the first operand; -1 where there is none.  Half of the time one of the
 * same shape is preferred, as residuals are. */
static int pick_partner(struct drawing *d, const struct suite_member *member, size_t first)
{
    const size_t count = d->graph->count, from = below(d, count);
    const bool joined = member->random.operands == RANDOM_JOINED;
    const bool itself = below(d, 8) == 0, same = below(d, 2);

    for (size_t k = same ? 0 : count; k < 2 * count; k++) {
        const size_t i = (from + k) % count;
        const struct shape *const a = &d->results[first].value.shape;
        const struct shape *const b = &d->results[i].value.shape;

        if ((i != first || itself) && random_can_take(member, d->results[i].kind) &&
            (is_operand(d, i, member) || !joined) && (k >= count || same_shape(a, b)) &&
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

/* A constant operand: most of the time one that the graph has; -1 when it has no room for one. */
static int draw_constant(struct drawing *d, size_t first)
{
    const int old = below(d, 4) ? pick_constant(d, first) : -1;
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

/* A group first, a suite or a part of it, then one of its members: families of many ops are not
 * drawn more often.  Ops that join branches are, as the rest makes branches. */
static const struct suite_member *draw_member(struct drawing *d)
{
    enum { GROUPS_MAX = 256 };
    struct {
        const struct suite_member *members;
        size_t count;
    } groups[GROUPS_MAX];
    const struct suite *suite;
    size_t count = 0;

    for (size_t i = 0; (suite = suite_at(i)); i++) {
        for (size_t k = 0; !suite->undrawn && k < suite->member_count; k++) {
            if (suite->members[k].named_alone)
                continue;
            assert(count < GROUPS_MAX);
            if (k == 0 || suite->members[k].draws_apart) {
                groups[count].count = 0;
                groups[count++].members = &suite->members[k];
            }
            groups[count - 1].count++;
        }
    }
    for (;;) {
        const size_t from = below(d, count);
        const struct suite_member *const member =
            &groups[from].members[below(d, groups[from].count)];

        if (!is_drawn(d->c, member))
            continue;
        if (member->random.operands == RANDOM_ONE && below(d, 3) == 0)
            continue;
        return member;
    }
}

static void draw_choices(struct drawing *d, struct random_item *item)
{
    for (int k = 0; k < RANDOM_CHOICES; k++)
        item->choice[k] = below(d, 840); /* a multiple of 1 ... 8 and 10 */
}

/* Appends a node with drawn choices; false when it does not fit. */
static bool append_item(struct drawing *d, struct random_item *item)
{
    bool fits = false;

    draw_choices(d, item);
    if (d->graph->count < RANDOM_ITEMS_MAX)
        append(d, item, &fits);
    for (size_t k = 0; k < item->operand_count && fits; k++)
        d->read[item->operands[k]] = true;
    return fits;
}

/* Appends one node; false when NODE_TRIES did not fit. */
static bool append_node(struct drawing *d)
{
    for (int i = 0; i < NODE_TRIES; i++) {
        struct random_item item = { .kind = RANDOM_NODE, .member = draw_member(d) };

        if (draw_operands(d, &item) && append_item(d, &item))
            return true;
    }
    return false;
}

/* Draws a member that joins two operands, in half of the draws one of ADD's kind, or one that has
 * one operand and in half of the draws weights. */
static const struct suite_member *draw_block_member(struct drawing *d, bool joins)
{
    const bool special = below(d, 2);

    for (int i = 0; i < 20 * NODE_TRIES; i++) {
        const struct suite_member *const member = draw_member(d);
        const struct op_facts *const facts = op_facts_find(member->code);

        if (member->random.operands != (joins ? RANDOM_BROADCAST : RANDOM_ONE))
            continue;
        if (!special || (joins ? facts->ties == OP_TIES_SUM : facts->weights != OP_NONE))
            return member;
    }
    return draw_member(d);
}

/* Appends a residual block: an op that keeps the shape of its operand, and one that joins the
 * result and the operand.  False when none fits. */
static bool append_block(struct drawing *d)
{
    struct random_item first = { .kind = RANDOM_NODE, .operand_count = 1 };
    struct random_item join = { .kind = RANDOM_NODE, .operand_count = 2 };

    for (int i = 0; i < NODE_TRIES; i++) {
        const size_t before = d->graph->count, shared = d->shared.count;
        const uint8_t swapped = (uint8_t)below(d, 2);
        int x;

        first.member = draw_block_member(d, false);
        join.member = draw_block_member(d, true);
        x = pick_first(d, join.member);
        if (x < 0 || before + 2 > RANDOM_ITEMS_MAX)
            return false;
        first.operands[0] = (uint8_t)x;
        if (!append_item(d, &first))
            continue;
        join.operands[swapped] = (uint8_t)before;
        join.operands[1 - swapped] = (uint8_t)x;
        if (same_shape(&d->results[x].value.shape, &d->results[before].value.shape) &&
            random_can_take(join.member, d->results[before].kind) && append_item(d, &join))
            return true;
        d->graph->count = before;
        d->shared.count = shared;
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

/* Appends nodes of random_later.c; the last ones are outputs, if they fit beside the others. */
static void append_later(struct drawing *d, uint64_t seed, uint32_t index)
{
    const size_t before = d->graph->count;
    size_t nodes, outputs = 0;

    random_init(&d->stream, seed, "later", index, 0, 0);
    nodes = 1 + below(d, LATER_MAX);
    for (int tries = 0; tries < NODE_TRIES && nodes > 0; tries++) {
        struct random_item item = { .kind = RANDOM_NODE, .operand_count = 1 };
        int first;

        item.member = &random_later[below(d, random_later_count)];
        first = is_drawn(d->c, item.member) ? pick_first(d, item.member) : -1;
        item.operands[0] = (uint8_t)first;
        nodes -= first >= 0 && append_item(d, &item);
    }
    for (size_t i = 0; i < before; i++)
        outputs += d->graph->items[i].output;
    for (size_t i = d->graph->count; i-- > before && outputs < CASE_OUTPUTS_MAX; outputs++)
        d->graph->items[i].output = true;
}

void random_graph_draw(const struct test_case *c, struct random_graph *graph)
{
    const struct random_row *const row = (const struct random_row *)c->row;
    struct drawing d = { .c = c, .graph = graph };
    size_t nodes, inputs;

    random_dry_init(&d.dry, c);
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
    for (size_t i = 0; i < nodes;) {
        if (i + 2 <= nodes && below(&d, 4) == 0 && append_block(&d))
            i += 2;
        else if (append_node(&d))
            i++;
        else
            break;
    }
    choose_outputs(&d);
    if (row->index & LATER_BIT)
        append_later(&d, row->seed, row->index);
    random_graph_prune(graph);
}
