/* Plans of all ops where each allocation fails once: some cases of each op and type are decided and
 * planned in each precision, exactly, and for matrix units.  The failure is said, and nothing is
 * left. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/tests/kit/cases_kit.h"
#include "delegate/tests/kit/gpu_kit.h"
#include "delegate/tests/kit/memory_faults.h"
#include "delegate/tests/kit/world.h"
#include "reference/tests/kit/test.h"

#include "delegate/accept/decide.h"
#include "delegate/graph/import.h"
#include "reference/format/read.h"
#include "reference/runtime/interpreter.h"

#include <stdlib.h>
#include <string.h>

/* Which cases of an op and type are planned, counted in the order of the list. */
static const int picked[] = { 0, 7, 31 };

/* How a graph is planned. */
static const struct way {
    const char *pairs[5];
    bool by_units;
} ways[] = {
    { { NULL }, false },
    { { "precision", "fp16", "quantized", "float_view", NULL }, false },
    { { "precision", "fast", "quantized", "exact", NULL }, true },
};

struct attempt {
    const struct graph *graph;
    const struct way *way;
    bool refused;
    int steps; /* of the whole plan; -1: not known yet */
};

static size_t plans, said;

static enum status plan(void *user, struct diag *diag)
{
    struct attempt *const a = user;
    const struct graph *const g = a->graph;
    struct device_limits limits = gpu_large_limits();
    struct gpu_options options CLOSED_BY(options_close) = gpu_options_of(a->way->pairs);
    int *lists CLOSED_BY(kit_free) =
        calloc((size_t)g->node_count + 2 * (size_t)g->tensor_count + 1, sizeof(int));
    struct plan_request r = { .graph = g, .options = &options, .limits = &limits };
    struct decision d CLOSED_BY(decision_close) = { 0 };
    struct plan p;
    enum status s;

    assert_non_null(lists);
    if (a->way->by_units) {
        limits.device_class = DEVICE_NVIDIA;
        limits.matrix = (struct device_matrix){
            .kind = MATRIX_NV, .tile = 16, .subgroup_size = 32, .fragments = true
        };
    }
    s = decision_make(&d, g, &options, &limits, diag);
    a->refused = s == STATUS_OK && d.refusal_count > 0;
    if (s == STATUS_OK && !a->refused) {
        gpu_request_all(&r, g, lists, lists + g->node_count,
                        lists + g->node_count + g->tensor_count);
        if ((s = plan_make(&p, &r, diag)) == STATUS_OK) {
            /* A plan that was made in spite of a failure lacks nothing. */
            if (a->steps < 0)
                a->steps = p.step_count;
            assert_int_equal(p.step_count, a->steps);
            plan_close(&p);
        }
    }
    return s;
}

static void try_graph(const struct graph *g, const char *name)
{
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct attempt a = { .graph = g, .way = &ways[i], .steps = -1 };
        const struct memory_scene scene = { name, plan, &a, false };

        if (plan(&a, &err) != STATUS_OK || a.refused)
            continue; /* the rules leave it to the CPU, or the plan does */
        plans++;
        said += memory_faults_try(&scene, MEMORY_BLOCKS);
        said += memory_faults_try(&scene, MEMORY_ARENAS);
    }
}

/* A decision that has to keep why a node is refused. */
static enum status refuse_one(void *user, struct diag *diag)
{
    const struct device_limits limits = gpu_large_limits();
    OPTIONS(options, NULL);
    struct decision d CLOSED_BY(decision_close) = { 0 };
    const enum status s = decision_make(&d, user, &options, &limits, diag);

    if (s == STATUS_OK) {
        assert_int_equal(d.refusal_count, 1);
        assert_int_equal(d.refusals[0].host_node, RELU);
        assert_false(d.take[RELU]);
    }
    return s;
}

TEST(test_refusals)
{
    static struct world w;
    const struct memory_scene scene = { "a refusal", refuse_one, &w.graph, false };

    world_make(&w);
    w.nodes[RELU].code = BUILTIN_DELEGATE;
    graph_count_readers(&w.graph);
    memory_faults_all(&scene, false);
}

static TfLiteStatus prepare(TfLiteContext *context, TfLiteDelegate *delegate)
{
    struct graph g CLOSED_BY(graph_close);

    KIT_OK(graph_import(&g, context, &err));
    try_graph(&g, delegate->data_);
    return kTfLiteOk;
}

static void try_case(const struct test_case *c)
{
    const struct case_request request = { SET_RANDOM, 1, false };
    TfLiteDelegate delegate = { .data_ = (void *)(uintptr_t)c->name,
                                .Prepare = prepare,
                                .flags = kTfLiteDelegateFlagsAllowDynamicTensors };
    const struct interpreter_options host = { .num_threads = -1 };
    struct interpreter *in = NULL;
    struct case_instance x CLOSED_BY(case_instance_close);
    struct model m = { 0 };

    if (case_build(c, &request, &x, &err) != STATUS_OK)
        fail_msg("%s: %s", c->name, err.text);
    if (x.file.count < 1 << 18) { /* larger ones take long, and have no op of their own */
        KIT_OK(tflite_read(&m, x.file.bytes, x.file.count, &err));
        KIT_OK(interpreter_open(&in, &m, &host, &err));
        interpreter_apply_delegate(in, &delegate, NULL, NULL);
        interpreter_close(in);
        model_close(&m);
    }
}

TEST(every_allocation_of_a_plan_fails_once)
{
    static struct {
        const struct test_case *first;
        int count;
    } kinds[512]; /* of op and type */

    for (size_t i = 0; i < kit_case_count; i++) {
        const struct test_case *const c = &kit_cases[i];
        size_t kind = 0;

        while (kinds[kind].first && (strcmp(kinds[kind].first->op, c->op) != 0 ||
                                     strcmp(kinds[kind].first->type_name, c->type_name) != 0))
            kind++;
        assert_true(kind < sizeof kinds / sizeof kinds[0] - 1);
        kinds[kind].first = c;
        const int before = kinds[kind].count++;
        for (size_t k = 0; k < sizeof picked / sizeof picked[0]; k++)
            if (before == picked[k])
                try_case(c);
    }
    print_message("%zu plans, %zu failures were said\n", plans, said);
    assert_true(plans > 300 && said > 10 * plans);
}

TEST_FILE(.setup = kit_cases_open, .teardown = kit_cases_close);
