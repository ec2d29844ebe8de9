/* Feeds the loop of shrink.h with reductions of a random graph. */
#include "conformance/suite/shrink/shrink_graph.h"

#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_graph.h"
#include "conformance/suite/shrink/shrink.h"

#include <string.h>

enum { DIMENSIONS = 5 }; /* of inputs and constants, at most */

struct shrinker {
    const struct shrink_graph_request *q;
    struct shrunk *out;
    struct random_graph graph, tried;
    struct random_operand results[RANDOM_ITEMS_MAX]; /* of the current graph */
    struct case_instance instance;                   /* of the graph that was tried last */
    struct case_result result;
    enum status status;
    struct diag *diag;
};

/* ---- reductions: each changes a copy of the graph; false where it does not apply ---- */

struct graph_step {
    size_t item;
    int which; /* a dimension or a choice */
};

/* The result of one node alone, which drops all that it does not need. */
static bool keep_one_output(const struct shrinker *s, struct random_graph *g,
                            const struct graph_step *r)
{
    size_t outputs = 0;

    (void)s;
    if (g->items[r->item].kind != RANDOM_NODE)
        return false;
    for (size_t i = 0; i < g->count; i++) {
        outputs += g->items[i].output;
        g->items[i].output = i == r->item;
    }
    return outputs > 1 || !s->graph.items[r->item].output;
}

/* A node becomes an input. */
static bool replace_by_input(const struct shrinker *s, struct random_graph *g,
                             const struct graph_step *r)
{
    struct random_item *const item = &g->items[r->item];

    if (item->kind != RANDOM_NODE || item->output || s->results[r->item].kind != RANDOM_VALUES)
        return false;
    item->kind = RANDOM_INPUT;
    item->shape = s->results[r->item].value.shape;
    item->operand_count = 0;
    return true;
}

/* The readers of a node read its first operand instead. */
static bool leave_out(const struct shrinker *s, struct random_graph *g, const struct graph_step *r)
{
    const struct random_item *const item = &g->items[r->item];
    bool is_read = false;

    (void)s;
    if (item->kind != RANDOM_NODE || item->output)
        return false;
    for (size_t i = r->item + 1; i < g->count; i++) {
        for (size_t k = 0; k < g->items[i].operand_count; k++) {
            if (g->items[i].operands[k] == r->item) {
                g->items[i].operands[k] = item->operands[0];
                is_read = true;
            }
        }
    }
    return is_read;
}

static bool drop_output(const struct shrinker *s, struct random_graph *g,
                        const struct graph_step *r)
{
    const bool had = g->items[r->item].output;

    (void)s;
    g->items[r->item].output = false;
    return had;
}

/* A dimension of an input or a constant becomes 1, half as large, or one less. */
static bool cut_to(struct random_graph *g, const struct graph_step *r, int32_t extent)
{
    struct random_item *const item = &g->items[r->item];

    if (item->kind == RANDOM_NODE || r->which >= item->shape.rank || extent < 1 ||
        extent >= item->shape.d[r->which])
        return false;
    item->shape.d[r->which] = extent;
    return true;
}

static bool cut_to_one(const struct shrinker *s, struct random_graph *g, const struct graph_step *r)
{
    (void)s;
    return cut_to(g, r, 1);
}

static bool cut_to_half(const struct shrinker *s, struct random_graph *g,
                        const struct graph_step *r)
{
    (void)s;
    return r->which < SHAPE_RANK_MAX && cut_to(g, r, g->items[r->item].shape.d[r->which] / 2);
}

static bool cut_by_one(const struct shrinker *s, struct random_graph *g, const struct graph_step *r)
{
    (void)s;
    return r->which < SHAPE_RANK_MAX && cut_to(g, r, g->items[r->item].shape.d[r->which] - 1);
}

/* The plainest attribute. */
static bool make_plain(const struct shrinker *s, struct random_graph *g, const struct graph_step *r)
{
    struct random_item *const item = &g->items[r->item];

    (void)s;
    if (item->kind != RANDOM_NODE || item->choice[r->which] == 0)
        return false;
    item->choice[r->which] = 0;
    return true;
}

static const struct {
    bool (*apply)(const struct shrinker *s, struct random_graph *g, const struct graph_step *r);
    int which; /* how many dimensions or choices it is tried for */
} kinds[] = {
    { keep_one_output, 1 },     { replace_by_input, 1 },        { leave_out, 1 },
    { drop_output, 1 },         { cut_to_one, DIMENSIONS },     { cut_to_half, DIMENSIONS },
    { cut_by_one, DIMENSIONS }, { make_plain, RANDOM_CHOICES },
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Makes reduction `number` of the current graph in s->tried.  Last items come first: most of a
 * graph is not needed by what fails. */
static enum shrink_answer make(struct shrinker *s, size_t number)
{
    for (size_t k = 0; k < KINDS; k++) {
        const size_t which = (size_t)kinds[k].which, count = s->graph.count * which;

        if (number < count) {
            const struct graph_step r = { s->graph.count - 1 - number / which,
                                          (int)(number % which) };
            struct random_operand results[RANDOM_ITEMS_MAX];

            s->tried = s->graph;
            return kinds[k].apply(s, &s->tried, &r) && random_graph_prune(&s->tried) &&
                           random_graph_check(s->q->test_case, &s->tried, results)
                       ? SHRINK_OTHER
                       : SHRINK_SKIP;
        }
        number -= count;
    }
    return SHRINK_END;
}

/* ---- judging ---- */

/* Builds a graph; *instance is freed before. */
static enum status build(const struct shrinker *s, const struct random_graph *graph,
                         struct case_instance *instance, struct diag *diag)
{
    struct random_row row = *(const struct random_row *)s->q->test_case->row;
    struct test_case c = *s->q->test_case;

    row.graph = graph;
    c.row = &row.base;
    case_instance_close(instance);
    return case_build(&c, s->q->request, instance, diag);
}

/* Whether an instance fails as the first one did. */
static bool fails_alike(struct shrinker *s, const struct case_instance *x, struct case_result *r)
{
    if (s->status == STATUS_OK)
        s->status = s->q->judge(s->q->user, x, r, s->diag);
    return s->status == STATUS_OK && result_fails_alike(s->q->result, r);
}

static enum shrink_answer try(void *user, size_t number)
{
    struct shrinker *const s = user;
    const enum shrink_answer made = make(s, number);

    if (s->status != STATUS_OK)
        return SHRINK_END;
    if (made != SHRINK_OTHER)
        return made;
    if (build(s, &s->tried, &s->instance, NULL) != STATUS_OK)
        return SHRINK_SKIP;
    return fails_alike(s, &s->instance, &s->result) ? SHRINK_FAILS_ALIKE : SHRINK_OTHER;
}

static void accept(void *user)
{
    struct shrinker *const s = user;

    s->graph = s->tried;
    random_graph_check(s->q->test_case, &s->graph, s->results);
    case_instance_close(&s->out->instance);
    s->out->instance = s->instance;
    s->out->result = s->result;
    s->instance = (struct case_instance){ .input_count = 0 };
}

static bool judge(void *user)
{
    struct shrinker *const s = user;
    struct case_result r;

    return fails_alike(s, &s->out->instance, &r);
}

enum status shrink_graph(const struct shrink_graph_request *request, struct shrunk *out,
                         struct diag *diag)
{
    struct shrinker s = { .q = request, .out = out, .diag = diag };
    const struct shrink_problem problem = {
        .try = try, .accept = accept, .judge = judge, .user = &s
    };

    *out = (struct shrunk){ .result = *request->result };
    random_graph_draw(request->test_case, &s.graph);
    random_graph_check(request->test_case, &s.graph, s.results);
    TRY(build(&s, &s.graph, &out->instance, diag));
    shrink_run(&problem, request->step_limit, &out->outcome);
    case_instance_close(&s.instance);
    if (s.status != STATUS_OK)
        shrunk_close(out);
    return s.status;
}
