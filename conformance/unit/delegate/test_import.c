/* What the delegate makes of a host's tensors and nodes: constants, results that the host computes
 * when it prepares a graph, and outputs that are absent. */
#include "conformance/unit/kit/gpu_kit.h"

#include "delegate/graph/import.h"
#include "reference/base/builtin.h"

enum { TENSORS = 9, NODES = 5, ENDS = 4, ABSENT = -1, STOP = -2 };

/* A host whose tensors are i32 or f32 [2]. */
struct host {
    TfLiteContext context; /* first: the host is found by its context */
    TfLiteTensor tensors[TENSORS];
    TfLiteNode nodes[NODES];
    TfLiteRegistration registrations[NODES];
    TfLiteIntArray *dims, *plan, *inputs[NODES], *outputs[NODES];
    int node_count;
};

struct host_node {
    int code;
    int inputs[ENDS + 1], outputs[ENDS + 1]; /* ended by STOP */
};

static TfLiteStatus host_plan(TfLiteContext *context, TfLiteIntArray **plan)
{
    *plan = ((struct host *)(void *)context)->plan;
    return kTfLiteOk;
}

static TfLiteStatus host_node(TfLiteContext *context, int index, TfLiteNode **node,
                              TfLiteRegistration **registration)
{
    struct host *const h = (struct host *)(void *)context;

    assert_in_range(index, 0, h->node_count - 1);
    *node = &h->nodes[index];
    *registration = &h->registrations[index];
    return kTfLiteOk;
}

static TfLiteIntArray *list_of(const int *ints, int end)
{
    TfLiteIntArray *list;
    int size = 0;

    while (ints[size] != end)
        size++;
    list = calloc(1, sizeof *list + (size_t)size * sizeof list->data[0]);
    assert_non_null(list);
    list->size = size;
    memcpy(list->data, ints, (size_t)size * sizeof list->data[0]);
    return list;
}

/* types: of each tensor, 'c' a constant of the file, 'p' computed when the host prepares, 'r'
 * computed in invoke. */
static struct host *host_open(const char *types, const struct host_node *nodes, int count)
{
    static int32_t words[2] = { 1, 2 };
    struct host *const h = calloc(1, sizeof *h);
    int order[NODES + 1];

    assert_non_null(h);
    h->dims = list_of((int[]){ 2, STOP }, STOP);
    h->node_count = count;
    for (size_t i = 0; types[i]; i++) {
        assert_true(i < TENSORS);
        h->tensors[i] = (TfLiteTensor){ .type = kTfLiteInt32,
                                        .dims = h->dims,
                                        .bytes = sizeof words,
                                        .name = "t",
                                        .data.raw = types[i] == 'r' ? NULL : (char *)words,
                                        .allocation_type = types[i] == 'c'   ? kTfLiteMmapRo
                                                           : types[i] == 'p' ? kTfLitePersistentRo
                                                                             : kTfLiteArenaRw };
    }
    for (int i = 0; i < count; i++) {
        order[i] = i;
        h->inputs[i] = list_of(nodes[i].inputs, STOP);
        h->outputs[i] = list_of(nodes[i].outputs, STOP);
        h->nodes[i] = (TfLiteNode){ .inputs = h->inputs[i], .outputs = h->outputs[i] };
        h->registrations[i] = (TfLiteRegistration){ .builtin_code = nodes[i].code, .version = 1 };
    }
    order[count] = STOP;
    h->plan = list_of(order, STOP);
    h->context = (TfLiteContext){ .tensors = h->tensors,
                                  .tensors_size = strlen(types),
                                  .GetExecutionPlan = host_plan,
                                  .GetNodeAndRegistration = host_node };
    return h;
}

static void host_close(struct host *h)
{
    for (int i = 0; i < h->node_count; i++) {
        free(h->inputs[i]);
        free(h->outputs[i]);
    }
    free(h->plan);
    free(h->dims);
    free(h);
}

/* ---- results that the host has when it prepares ---- */

struct prepared_case {
    const char *what, *types;
    struct host_node nodes[NODES];
    int node_count;
    const char *prepared; /* of each tensor: 'p' if its node has to stay with the host */
};

#define IO(in, ...)                                                                                \
    { UNPAREN in, STOP },                                                                          \
    {                                                                                              \
        __VA_ARGS__, STOP                                                                          \
    }
#define UNPAREN(...) __VA_ARGS__

static const struct prepared_case prepared_cases[] = {
    { "of nothing but constants", "cp", { { BUILTIN_DEQUANTIZE, IO((0), 1) } }, 1, ".." },
    { "of two constants", "ccp", { { BUILTIN_ADD, IO((0, 1), 2) } }, 1, "..." },
    { "of a constant and an absent input", "cp", { { BUILTIN_ADD, IO((0, ABSENT), 1) } }, 1, ".." },
    { "of an input's shape", "rp", { { BUILTIN_SHAPE, IO((0), 1) } }, 1, ".p" },
    { "of a shape",
      "rpcp",
      { { BUILTIN_SHAPE, IO((0), 1) }, { BUILTIN_STRIDED_SLICE, IO((1, 2, 2, 2), 3) } },
      2,
      ".p.p" },
    { "of constants first, and of a shape last",
      "rpcp",
      { { BUILTIN_SHAPE, IO((0), 1) }, { BUILTIN_MUL, IO((2, 1), 3) } },
      2,
      ".p.p" },
    { "of what follows from a shape",
      "rpcpp",
      { { BUILTIN_SHAPE, IO((0), 1) },
        { BUILTIN_MUL, IO((1, 2), 3) },
        { BUILTIN_ADD, IO((3, 2), 4) } },
      3,
      ".p.pp" },
    { "of what follows from constants",
      "cpcp",
      { { BUILTIN_DEQUANTIZE, IO((0), 1) }, { BUILTIN_ADD, IO((1, 2), 3) } },
      2,
      "...p" },
    { "constants and shapes side by side",
      "rpcpp",
      { { BUILTIN_DEQUANTIZE, IO((2), 3) },
        { BUILTIN_SHAPE, IO((0), 1) },
        { BUILTIN_ADD, IO((1, 2), 4) } },
      3,
      ".p..p" },
    { "two outputs of constants", "cpp", { { BUILTIN_SPLIT, IO((0, 0), 1, 2) } }, 1, "..." },
    { "computed in invoke", "rcr", { { BUILTIN_ADD, IO((0, 1), 2) } }, 1, "..." },
    /* A reader of shapes whose own result comes in invoke may be taken. */
    { "a reader", "rpr", { { BUILTIN_SHAPE, IO((0), 1) }, { BUILTIN_NEG, IO((1), 2) } }, 2, ".p." },
};

static void check_prepared(const struct prepared_case *c, const struct graph *g, const char *how)
{
    for (int t = 0; t < g->tensor_count; t++)
        if (g->tensors[t].is_prepared != (c->prepared[t] == 'p'))
            fail_msg("%s, %s: tensor %d is %sprepared", c->what, how, t,
                     g->tensors[t].is_prepared ? "" : "not ");
}

static void results_of_shapes_and_of_constants(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof prepared_cases / sizeof prepared_cases[0]; i++) {
        const struct prepared_case *const c = &prepared_cases[i];
        struct host *const h = host_open(c->types, c->nodes, c->node_count);
        struct diag diag = { 0 };
        struct graph g, again;

        KIT_OK(graph_import(&g, &h->context, &diag));
        check_prepared(c, &g, "imported");
        KIT_OK(graph_import_again(&again, &g, &h->context, &diag));
        check_prepared(c, &again, "imported again");
        graph_close(&again);
        graph_close(&g);
        host_close(h);
    }
}

/* s = SHAPE(x), n = -s and r = -n, of which the host has s and n when it prepares; and
 * f = DEQUANTIZE(c), which it may have too, y = x + f. */
static void shapes_stay_with_the_host(void **state)
{
    enum { X, S, N, R, C, F, Y };
    const struct host_node nodes[] = { { BUILTIN_SHAPE, IO((X), S) },
                                       { BUILTIN_NEG, IO((S), N) },
                                       { BUILTIN_NEG, IO((N), R) },
                                       { BUILTIN_DEQUANTIZE, IO((C), F) },
                                       { BUILTIN_ADD, IO((X, F), Y) } };
    const bool taken[] = { false, false, true, true, true };
    const struct device_limits limits = gpu_large_limits();
    struct gpu_options o = gpu_options_of((const char *const[]){ "max_partitions", "0", NULL });
    struct host *const h = host_open("rpprcpr", nodes, 5);
    TfLiteAddParams add = { .activation = kTfLiteActNone };
    struct diag diag = { 0 };
    struct decision d;
    struct graph g;
    int named = 0;

    (void)state;
    for (int i = 0; i < 7; i++)
        h->tensors[i].type = kTfLiteFloat32; /* as a SHAPE's is not, but NEG takes floats */
    h->tensors[C].type = kTfLiteFloat16;
    h->tensors[C].bytes = 4;
    h->nodes[4].builtin_data = &add;
    KIT_OK(graph_import(&g, &h->context, &diag));
    KIT_OK(decision_make(&d, &g, &o, &limits, &diag));
    for (int i = 0; i < 5; i++)
        assert_int_equal(d.take[i], taken[i]);
    for (int i = 0; i < d.refusal_count; i++)
        if (d.refusals[i].host_node == 1) {
            assert_string_equal(d.refusals[i].rule, "tensor.prepared");
            named++;
        }
    assert_int_equal(named, 1);
    decision_close(&d);
    graph_close(&g);
    options_close(&o);
    host_close(h);
}

/* ---- absent outputs ---- */

struct absent_case {
    int outputs[ENDS + 1];
    int kept[ENDS], kept_count;
    bool has_op;
};

static void absent_outputs(void **state)
{
    const struct absent_case cases[] = {
        { { 1, STOP }, { 1 }, 1, true },
        { { 1, 2, STOP }, { 1, 2 }, 2, true },
        { { ABSENT, STOP }, { 0 }, 0, false },
        { { ABSENT, 1, STOP }, { 1 }, 1, false },
        { { 1, ABSENT, STOP }, { 1 }, 1, false },
        { { 2, ABSENT, 1, STOP }, { 2, 1 }, 2, false },
        { { ABSENT, ABSENT, 2, STOP }, { 2 }, 1, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct host_node node = { .code = BUILTIN_SPLIT, .inputs = { 0, 0, STOP } };
        struct diag diag = { 0 };
        struct host *h;
        struct graph g;

        memcpy(node.outputs, cases[i].outputs, sizeof node.outputs);
        h = host_open("rrr", &node, 1);
        KIT_OK(graph_import(&g, &h->context, &diag));
        assert_int_equal(g.nodes[0].output_count, cases[i].kept_count);
        for (int j = 0; j < cases[i].kept_count; j++) {
            assert_int_equal(g.nodes[0].outputs[j], cases[i].kept[j]);
            assert_int_equal(g.tensors[cases[i].kept[j]].producer, 0);
        }
        assert_int_equal(g.nodes[0].op != NULL, cases[i].has_op);
        assert_string_equal(g.nodes[0].name, "SPLIT");
        /* The host's own list is as it was. */
        for (int j = 0; cases[i].outputs[j] != STOP; j++)
            assert_int_equal(h->outputs[0]->data[j], cases[i].outputs[j]);
        graph_close(&g);
        host_close(h);
    }
}

static void indices_out_of_range(void **state)
{
    const struct {
        struct host_node node;
        const char *text;
    } cases[] = {
        { { BUILTIN_ADD, { 0, 0, STOP }, { 3, STOP } },
          "node 0 (ADD): outputs[0]: expected a tensor below 3, found 3" },
        { { BUILTIN_ADD, { 0, 0, STOP }, { -3, STOP } },
          "node 0 (ADD): outputs[0]: expected a tensor below 3, found -3" },
        { { BUILTIN_ADD, { 0, 3, STOP }, { 1, STOP } },
          "node 0 (ADD): inputs[1]: expected a tensor below 3, found 3" },
        { { BUILTIN_ADD, { -3, 0, STOP }, { 1, STOP } },
          "node 0 (ADD): inputs[0]: expected a tensor below 3, found -3" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct host *const h = host_open("rrr", &cases[i].node, 1);
        struct diag diag = { 0 };
        struct graph g;

        assert_int_equal(graph_import(&g, &h->context, &diag), STATUS_INVALID);
        assert_string_equal(diag.text, cases[i].text);
        host_close(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_of_shapes_and_of_constants),
        cmocka_unit_test(shapes_stay_with_the_host),
        cmocka_unit_test(absent_outputs),
        cmocka_unit_test(indices_out_of_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
