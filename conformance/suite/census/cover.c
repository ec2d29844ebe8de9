#include "conformance/suite/census/cover.h"

#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_list.h"
#include "conformance/util/progress.h"
#include "reference/base/memory.h"
#include "reference/base/op_facts.h"
#include "reference/format/read.h"

#include <string.h>

static bool is_special(const struct model *m, size_t graph, size_t node)
{
    const uint32_t code = m->subgraphs[graph].operators[node].opcode_index;

    return !op_facts_find(model_opcode_row(&m->opcodes[code]));
}

/* Of a case the judged node counts: those around it only make what it takes, unless they are such
 * that no case is about them alone, as those of resource variables. */
static bool is_counted(const struct case_instance *x, const struct model *m, size_t graph,
                       size_t node)
{
    const bool is_judged = graph == 0 && x->judged_node >= 0 && node == (size_t)x->judged_node;

    return x->judged_node < 0 || is_judged || is_special(m, graph, node);
}

static enum status add_case(struct census *cases, const struct test_case *c, struct diag *diag)
{
    struct case_instance x;
    struct model m;
    enum status s = STATUS_OK;

    TRY(case_open(c, 1, &x, &m, diag));
    for (size_t g = 0; s == STATUS_OK && g < m.subgraph_count; g++)
        for (size_t i = 0; s == STATUS_OK && i < m.subgraphs[g].operator_count; i++)
            if (is_counted(&x, &m, g, i))
                s = census_add_node(cases, &m, g, i, CENSUS_OPTIONS + 1, diag);
    model_close(&m);
    case_instance_close(&x);
    return s;
}

enum status cover_open(struct census *cases, bool quiet, struct diag *diag)
{
    struct test_case *list;
    struct progress p;
    size_t count;
    enum status s = cases_list(&list, &count, diag);

    *cases = (struct census){ .count = 0 };
    progress_begin(&p, "cases", (double)count, quiet);
    for (size_t i = 0; i < count && s == STATUS_OK; i++) {
        progress_update(&p, (double)i, "%s", list[i].name);
        s = add_case(cases, &list[i], diag);
    }
    progress_end(&p);
    mem_free(list);
    census_sort_by_text(cases);
    if (s != STATUS_OK)
        census_close(cases);
    return s;
}

/* Whether a case has a kind that begins so; a tab is less than what fields have. */
static bool has(const struct census *cases, const char *kind, size_t length)
{
    size_t low = 0, high = cases->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (strncmp(cases->kinds[middle].text, kind, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < cases->count && strncmp(cases->kinds[low].text, kind, length) == 0 &&
           (cases->kinds[low].text[length] == '\t' || cases->kinds[low].text[length] == '\0');
}

int cover_shared(const struct census *cases, const char *kind)
{
    int fields = 0;

    while (fields <= CENSUS_OPTIONS && has(cases, kind, census_prefix(kind, fields + 1)))
        fields++;
    return fields;
}

bool cover_leaves_out(const char *kind)
{
    static const char custom[] = CENSUS_CUSTOM;
    char name[64];

    if (strncmp(kind, custom, sizeof custom - 1) != 0)
        return false;
    kind += sizeof custom - 1;
    snprintf(name, sizeof name, "%.*s", (int)census_prefix(kind, 1), kind);
    return builtin_custom_row(name) == BUILTIN_CUSTOM;
}

struct cover_sum cover_sum(const struct census *cases, const struct census *c)
{
    struct cover_sum sum = { .nodes = 0 };

    for (size_t i = 0; i < c->count; i++) {
        const struct census_kind *const k = &c->kinds[i];

        if (cover_leaves_out(k->text))
            continue;
        sum.nodes += k->nodes;
        for (int n = cover_shared(cases, k->text); n > 0; n--)
            sum.shared[n] += k->nodes;
    }
    return sum;
}

double cover_share(const struct cover_sum *sum, int fields)
{
    return sum->nodes > 0 ? (double)sum->shared[fields] / (double)sum->nodes : 1;
}
