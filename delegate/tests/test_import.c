/* What the delegate makes of a host's tensors and nodes: constants, results that the host computes
 * when it prepares a graph, and outputs that are absent. */
#include "delegate/tests/kit/gpu_kit.h"
#include "delegate/tests/kit/memory_faults.h"
#include "reference/tests/kit/test.h"

#include "delegate/graph/import.h"
#include "reference/base/builtin.h"

#include <limits.h>
#include <math.h>

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

/* clang-format off */
static const struct prepared_case prepared_cases[] = {
    { "of nothing but constants", "cp", { { BUILTIN_DEQUANTIZE, IO((0), 1) } }, 1, ".." },
    { "of two constants", "ccp", { { BUILTIN_ADD, IO((0, 1), 2) } }, 1, "..." },
    { "of a constant and an absent input", "cp", { { BUILTIN_ADD, IO((0, ABSENT), 1) } }, 1, ".." },
    { "of an input's shape", "rp", { { BUILTIN_SHAPE, IO((0), 1) } }, 1, ".p" },
    { "of a shape", "rpcp",
      { { BUILTIN_SHAPE, IO((0), 1) }, { BUILTIN_STRIDED_SLICE, IO((1, 2, 2, 2), 3) } }, 2,
      ".p.p" },
    { "of constants first, and of a shape last", "rpcp",
      { { BUILTIN_SHAPE, IO((0), 1) }, { BUILTIN_MUL, IO((2, 1), 3) } }, 2, ".p.p" },
    { "of what follows from a shape", "rpcpp",
      { { BUILTIN_SHAPE, IO((0), 1) }, { BUILTIN_MUL, IO((1, 2), 3) }, { BUILTIN_ADD, IO((3, 2), 4) } },
      3, ".p.pp" },
    { "of what follows from constants", "cpcp",
      { { BUILTIN_DEQUANTIZE, IO((0), 1) }, { BUILTIN_ADD, IO((1, 2), 3) } }, 2, "...p" },
    { "constants and shapes side by side", "rpcpp",
      { { BUILTIN_DEQUANTIZE, IO((2), 3) }, { BUILTIN_SHAPE, IO((0), 1) }, { BUILTIN_ADD, IO((1, 2), 4) } },
      3, ".p..p" },
    { "two outputs of constants", "cpp", { { BUILTIN_SPLIT, IO((0, 0), 1, 2) } }, 1, "..." },
    { "computed in invoke", "rcr", { { BUILTIN_ADD, IO((0, 1), 2) } }, 1, "..." },
    /* A reader of shapes whose own result comes in invoke may be taken. */
    { "a reader", "rpr", { { BUILTIN_SHAPE, IO((0), 1) }, { BUILTIN_NEG, IO((1), 2) } }, 2, ".p." },
};
/* clang-format on */

static void check_prepared(const struct prepared_case *c, const struct graph *g, const char *how)
{
    for (int t = 0; t < g->tensor_count; t++)
        if (g->tensors[t].is_prepared != (c->prepared[t] == 'p'))
            fail_msg("%s, %s: tensor %d is %sprepared", c->what, how, t,
                     g->tensors[t].is_prepared ? "" : "not ");
}

TEST(results_of_shapes_and_of_constants)
{
    for (size_t i = 0; i < sizeof prepared_cases / sizeof prepared_cases[0]; i++) {
        const struct prepared_case *const c = &prepared_cases[i];
        struct host *const h = host_open(c->types, c->nodes, c->node_count);
        struct graph g, again;

        KIT_OK(graph_import(&g, &h->context, &err));
        check_prepared(c, &g, "imported");
        KIT_OK(graph_import_again(&again, &g, &h->context, &err));
        check_prepared(c, &again, "imported again");
        graph_close(&again);
        graph_close(&g);
        host_close(h);
    }
}

/* s = SHAPE(x), n = -s and r = -n, of which the host has s and n when it prepares; and
 * f = DEQUANTIZE(c), which it may have too, y = x + f. */
TEST(shapes_stay_with_the_host)
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
    struct decision d;
    struct graph g;
    int named = 0;

    for (int i = 0; i < 7; i++)
        h->tensors[i].type = kTfLiteFloat32; /* as a SHAPE's is not, but NEG takes floats */
    h->tensors[C].type = kTfLiteFloat16;
    h->tensors[C].bytes = 4;
    h->nodes[4].builtin_data = &add;
    KIT_OK(graph_import(&g, &h->context, &err));
    KIT_OK(decision_make(&d, &g, &o, &limits, &err));
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

TEST(absent_outputs)
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

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct host_node node = { .code = BUILTIN_SPLIT, .inputs = { 0, 0, STOP } };
        struct host *h;
        struct graph g;

        memcpy(node.outputs, cases[i].outputs, sizeof node.outputs);
        h = host_open("rrr", &node, 1);
        KIT_OK(graph_import(&g, &h->context, &err));
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

TEST(indices_out_of_range)
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

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct host *const h = host_open("rrr", &cases[i].node, 1);
        struct diag diag = { 0 };
        struct graph g;

        assert_int_equal(graph_import(&g, &h->context, &diag), STATUS_INVALID);
        assert_string_equal(diag.text, cases[i].text);
        host_close(h);
    }
}

/* Hosts that say what makes no sense. */
static const struct host_node add = { BUILTIN_ADD, { 0, 0, STOP }, { 1, STOP } };

struct scales {
    const char *what;
    TfLiteQuantizationType type;
    int scale_count, zero_count; /* -1: no such array */
    float scale;                 /* the last one; the others are 1 */
    int dimension;
    bool kept;
};

static const struct scales scales_of[] = {
    { "one scale", kTfLiteAffineQuantization, 1, 1, 0.5F, 7, true },
    { "a scale a channel, one zero point", kTfLiteAffineQuantization, 2, 1, 0.5F, 0, true },
    { "a scale and a zero point a channel", kTfLiteAffineQuantization, 2, 2, 0.5F, 0, true },
    { "another kind", kTfLiteNoQuantization, 1, 1, 0.5F, 0, false },
    { "no scales", kTfLiteAffineQuantization, -1, 1, 0.5F, 0, false },
    { "no zero points", kTfLiteAffineQuantization, 1, -1, 0.5F, 0, false },
    { "an empty list", kTfLiteAffineQuantization, 0, 0, 0.5F, 0, false },
    { "more zero points", kTfLiteAffineQuantization, 2, 3, 0.5F, 0, false },
    { "a dimension below 0", kTfLiteAffineQuantization, 2, 2, 0.5F, -1, false },
    { "a dimension that is not there", kTfLiteAffineQuantization, 2, 2, 0.5F, 1, false },
    { "a scale too many", kTfLiteAffineQuantization, 3, 3, 0.5F, 0, false },
    { "a scale of 0", kTfLiteAffineQuantization, 2, 2, 0, 0, false },
    { "a scale below 0", kTfLiteAffineQuantization, 2, 2, -1, 0, false },
    { "an infinite scale", kTfLiteAffineQuantization, 1, 1, INFINITY, 0, false },
    { "no number", kTfLiteAffineQuantization, 1, 1, NAN, 0, false },
};

/* Malformed scales are none: then the rules leave the nodes of the tensor to the CPU. */
TEST(malformed_scales_are_none)
{
    for (size_t i = 0; i < sizeof scales_of / sizeof scales_of[0]; i++) {
        const struct scales *const x = &scales_of[i];
        struct host *const h = host_open("rr", &add, 1);
        TfLiteFloatArray *scale CLOSED_BY(kit_free) = calloc(1, sizeof *scale + 4 * sizeof(float));
        TfLiteIntArray *zero CLOSED_BY(kit_free) = calloc(1, sizeof *zero + 4 * sizeof(int));
        TfLiteAffineQuantization q = { .scale = x->scale_count < 0 ? NULL : scale,
                                       .zero_point = x->zero_count < 0 ? NULL : zero,
                                       .quantized_dimension = x->dimension };
        struct graph g;

        scale->size = x->scale_count;
        zero->size = x->zero_count;
        for (int k = 0; k < 4; k++) {
            scale->data[k] = k + 1 == x->scale_count ? x->scale : 1;
            zero->data[k] = 5 + k;
        }
        h->tensors[0].quantization = (TfLiteQuantization){ x->type, &q };
        KIT_OK(graph_import(&g, &h->context, &err));
        if ((g.tensors[0].quant.scale != NULL) != x->kept)
            fail_msg("%s: expected that it is %s", x->what, x->kept ? "kept" : "left out");
        if (x->kept) {
            const int last = x->scale_count - 1;

            assert_int_equal(g.tensors[0].quant.count, x->scale_count);
            assert_true(g.tensors[0].quant.scale[last] == x->scale);
            assert_int_equal(g.tensors[0].quant.zero_point[last], x->zero_count > 1 ? 5 + last : 5);
        }
        graph_close(&g);
        host_close(h);
    }
}

/* Sizes that are none make a tensor of no rank, which no rule takes. */
TEST(malformed_tensors_have_no_rank)
{
    static const int bad[][10] = { { -1, STOP },
                                   { 1, 1, 1, 1, 1, 1, 1, 1, 1, STOP },
                                   { INT_MAX, INT_MAX, INT_MAX, STOP } };

    for (int i = 0; i < 5; i++) {
        struct host *const h = host_open("cr", &add, 1);
        TfLiteIntArray *const dims = i < 3 ? list_of(bad[i], STOP) : NULL;
        struct graph g;

        h->tensors[0].name = NULL;
        h->tensors[0].dims = dims;
        if (i == 4) { /* bytes that are not those of its shape */
            h->tensors[0].dims = h->dims;
            h->tensors[0].bytes++;
        }
        KIT_OK(graph_import(&g, &h->context, &err));
        assert_string_equal(g.tensors[0].name, "");
        assert_int_equal(g.tensors[0].rank, i == 4 ? 1 : -1);
        assert_int_equal(g.tensors[0].has_wrong_bytes, i == 4);
        assert_null(g.tensors[0].data);
        graph_close(&g);
        free(dims);
        host_close(h);
    }
}

/* A constant string of no bytes has scales, but no elements that DEQUANTIZE could make floats. */
TEST(strings_are_not_dequantized)
{
    static const struct host_node dequantize = { BUILTIN_DEQUANTIZE, { 0, STOP }, { 1, STOP } };
    TfLiteFloatArray *scale CLOSED_BY(kit_free) = calloc(1, sizeof *scale + sizeof(float));
    TfLiteIntArray *zero CLOSED_BY(kit_free) = list_of((int[]){ 0, STOP }, STOP);
    TfLiteAffineQuantization q = { .scale = scale, .zero_point = zero };

    scale->size = 1;
    scale->data[0] = 0.5F;
    for (int string = 0; string < 2; string++) {
        struct host *const h = host_open("cr", &dequantize, 1);
        struct graph g;

        h->tensors[0].type = string ? kTfLiteString : kTfLiteInt4;
        h->tensors[0].bytes = string ? 0 : 1;
        h->tensors[0].quantization = (TfLiteQuantization){ kTfLiteAffineQuantization, &q };
        h->tensors[1].type = kTfLiteFloat32;
        KIT_OK(graph_import(&g, &h->context, &err));
        assert_int_equal(g.tensors[1].dequantized_from, string ? -1 : 0);
        graph_close(&g);
        host_close(h);
    }
}

static enum { FAILS, LACKS_NODE, LACKS_REGISTRATION } node_fault;

static TfLiteStatus faulty_plan(TfLiteContext *context, TfLiteIntArray **plan)
{
    host_plan(context, plan);
    return kTfLiteError;
}

static TfLiteStatus faulty_node(TfLiteContext *context, int index, TfLiteNode **node,
                                TfLiteRegistration **registration)
{
    host_node(context, index, node, registration);
    if (node_fault == LACKS_NODE)
        *node = NULL;
    if (node_fault == LACKS_REGISTRATION)
        *registration = NULL;
    return node_fault == FAILS ? kTfLiteError : kTfLiteOk;
}

static void expect_invalid(struct host *h, const char *text)
{
    struct diag diag = { 0 };
    struct graph g;

    assert_int_equal(graph_import(&g, &h->context, &diag), STATUS_INVALID);
    assert_string_equal(diag.text, text);
    assert_null(g.nodes);
}

TEST(calls_that_fail)
{
    static const char plan_text[] = "TfLiteContext.GetExecutionPlan failed";
    static const char node_text[] = "node 0: TfLiteContext.GetNodeAndRegistration failed";
    struct host *const h = host_open("rr", &add, 1);
    TfLiteIntArray *const plan = h->plan;

    h->context.GetExecutionPlan = faulty_plan;
    expect_invalid(h, plan_text);
    h->context.GetExecutionPlan = host_plan;
    plan->size = -1;
    expect_invalid(h, plan_text);
    plan->size = 1;
    h->plan = NULL;
    expect_invalid(h, plan_text);
    h->plan = plan;
    h->context.GetNodeAndRegistration = faulty_node;
    for (node_fault = FAILS; node_fault <= LACKS_REGISTRATION; node_fault++)
        expect_invalid(h, node_text);
    h->context.GetNodeAndRegistration = host_node;
    h->inputs[0]->size = -2;
    expect_invalid(h, "node 0 (ADD): expected 0 or more inputs, found -2");
    h->inputs[0]->size = 2;
    h->context.tensors_size = (size_t)INT32_MAX + 1;
    expect_invalid(h, "expected at most 2147483647 tensors, found 2147483648");
    host_close(h);
}

TEST(names_of_ops)
{
    static const struct host_node nodes[] = { { BUILTIN_CUSTOM, { 0, STOP }, { 1, STOP } },
                                              { BUILTIN_CUSTOM, { 0, STOP }, { 1, STOP } },
                                              { 9999, { 0, STOP }, { 1, STOP } } };
    struct host *const h = host_open("rr", nodes, 3);
    struct graph g;

    h->registrations[0].custom_name = "Own";
    h->nodes[1].inputs = NULL; /* a node may have none */
    KIT_OK(graph_import(&g, &h->context, &err));
    assert_string_equal(g.nodes[0].name, "Own");
    assert_string_equal(g.nodes[1].name, "unknown");
    assert_int_equal(g.nodes[1].input_count, 0);
    assert_string_equal(g.nodes[2].name, "unknown");
    assert_null(g.nodes[2].op);
    graph_close(&g);
    host_close(h);
}

/* A context that has lost tensors since the graph was imported. */
TEST(fewer_tensors)
{
    struct host *const h = host_open("rr", &add, 1);
    struct graph g, again;

    KIT_OK(graph_import(&g, &h->context, &err));
    h->context.tensors_size = 1;
    assert_int_equal(graph_import_again(&again, &g, &h->context, &err), STATUS_INVALID);
    assert_string_equal(err.text, "expected at least 2 tensors, found 1");
    graph_close(&g);
    host_close(h);
}

static enum status import_all(void *user, struct diag *diag)
{
    struct host *const h = user;
    struct graph g;
    const enum status s = graph_import(&g, &h->context, diag);

    if (s != STATUS_OK)
        return s;
    assert_non_null(g.tensors[0].quant.scale);
    assert_true(g.tensors[0].quant.scale[0] == 0.5f && g.tensors[0].quant.zero_point[0] == 3);
    assert_string_equal(g.nodes[0].name, "Own");
    assert_non_null(g.nodes[0].inputs);
    assert_non_null(g.nodes[0].outputs);
    assert_int_equal(g.nodes[0].inputs[0], 0);
    assert_int_equal(g.nodes[0].outputs[0], 1);
    graph_close(&g);
    return STATUS_OK;
}

TEST(no_memory)
{
    static const struct host_node node = { BUILTIN_CUSTOM, { 0, STOP }, { 1, STOP } };
    struct host *const h = host_open("rr", &node, 1);
    TfLiteFloatArray *const scale = calloc(1, sizeof *scale + sizeof(float));
    TfLiteIntArray *const zero = calloc(1, sizeof *zero + sizeof(int));
    TfLiteAffineQuantization q = { .scale = scale, .zero_point = zero };

    scale->size = zero->size = 1;
    scale->data[0] = 0.5f;
    zero->data[0] = 3;
    h->tensors[0].quantization = (TfLiteQuantization){ kTfLiteAffineQuantization, &q };
    h->registrations[0].custom_name = "Own";
    memory_faults_all(&(struct memory_scene){ "import", import_all, h, false }, false);
    free(scale);
    free(zero);
    host_close(h);
}
