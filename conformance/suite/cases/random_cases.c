/* Lists the cases of random graphs, and builds their models. */

#include "conformance/suite/cases/random_graph.h"
#include "reference/base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
        if (!random_add_item(m, &graph, i, &shared, results))
            m->status =
                diag_fail(m->diag, STATUS_INVALID, "%s: item %zu does not fit", m->c->name, i);
    }
    for (size_t i = 0; i < graph.count && m->status == STATUS_OK; i++) {
        if (graph.items[i].output)
            graph_add_output(m, results[i].value);
    }
}

static const struct suite_member members[] = {
    { SUITE_OP("graph", PLACEHOLDER_FOR_GREATER_OP_CODES, 1), .sets = SET_BIT(SET_RANDOM) },
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
        diag_fail(diag, STATUS_NO_MEMORY, "%zu graphs: out of memory", count);
        return STATUS_NO_MEMORY;
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
