/* Builds random graphs item after item. */
#include "conformance/suite/cases/random_graph.h"

#include <string.h>

enum {
    ELEMENTS_MAX = 2500, /* of a tensor */
    RANK_MAX = 5,
    PEAK_MAX = 400, /* of values, well below the largest f16 */
    STREAMS = 16,   /* of the tensors of one item: its constants */
    PEAK = 4,       /* of inputs and constants */
};

bool random_can_take(const struct suite_member *member, enum random_kind kind)
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
        if (!random_can_take(item->member, call.in[i].kind))
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

bool random_add_item(struct case_builder *m, const struct random_graph *graph, size_t i,
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

void random_dry_init(struct random_dry_run *d, const struct test_case *c)
{
    *d = (struct random_dry_run){ .request = { .set = SET_RANDOM } };
    d->m = (struct case_builder){
        .c = c, .request = &d->request, .out = &d->instance, .status = STATUS_USAGE
    };
}

bool random_graph_check(const struct test_case *c, const struct random_graph *graph,
                        struct random_operand results[RANDOM_ITEMS_MAX])
{
    struct random_shared shared = { .count = 0 };
    size_t outputs = 0, inputs = 0;
    struct random_dry_run dry;

    random_dry_init(&dry, c);
    for (size_t i = 0; i < graph->count; i++) {
        if (!random_add_item(&dry.m, graph, i, &shared, results))
            return false;
        outputs += graph->items[i].output;
        inputs += graph->items[i].kind == RANDOM_INPUT;
    }
    return outputs > 0 && outputs <= CASE_OUTPUTS_MAX && inputs > 0 && inputs <= CASE_INPUTS_MAX;
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
