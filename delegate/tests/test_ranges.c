/* How large elements can be, by the ops that compute them (graph/ranges.h): a row for each way in
 * which it is known, or is not. */
#include "delegate/tests/kit/plan_look.h"
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/graph/ranges.h"

#include <math.h>

typedef struct kit_tensor build(struct builder *b, struct kit_tensor x);

#define UNARY(name, code)                                                                          \
    static struct kit_tensor name(struct builder *b, struct kit_tensor x)                          \
    {                                                                                              \
        return kit_unary(b, BUILTIN_##code, x);                                                    \
    }
UNARY(relu, RELU)
UNARY(relu6, RELU6)
UNARY(relu_n1, RELU_N1_TO_1)
UNARY(relu_01, RELU_0_TO_1)
UNARY(logistic, LOGISTIC)
UNARY(hyperbolic, TANH)
UNARY(hard_swish, HARD_SWISH)
UNARY(exponential, EXP)
UNARY(square, SQUARE)
UNARY(negative, NEG)

static struct kit_tensor hard_swish_of_6(struct builder *b, struct kit_tensor x)
{
    return hard_swish(b, relu6(b, x));
}

static struct kit_tensor exponential_of_6(struct builder *b, struct kit_tensor x)
{
    return exponential(b, relu6(b, x));
}

static struct kit_tensor square_of_6(struct builder *b, struct kit_tensor x)
{
    return square(b, relu6(b, x));
}

static struct kit_tensor negative_of_6(struct builder *b, struct kit_tensor x)
{
    return negative(b, relu6(b, x));
}

static struct kit_tensor relu_of_1(struct builder *b, struct kit_tensor x)
{
    return relu(b, hyperbolic(b, x));
}

static struct kit_tensor softmax(struct builder *b, struct kit_tensor x)
{
    const struct kit_tensor y = kit_tensor(b, "s", x.rank, x.dims);
    struct options o;

    options_init(&o, OPTIONS_SoftmaxOptions);
    builder_op(b, BUILTIN_SOFTMAX, 1, &o, 1, &x.index, 1, &y.index);
    return y;
}

static struct kit_tensor pool(struct builder *b, struct kit_tensor x, int code)
{
    const struct kit_tensor y = kit_tensor(b, "p", x.rank, x.dims);
    struct options o;

    options_init(&o, OPTIONS_Pool2DOptions);
    options_set_int(&o, "stride_h", 1);
    options_set_int(&o, "stride_w", 1);
    options_set_int(&o, "filter_height", 2);
    options_set_int(&o, "filter_width", 2);
    builder_op(b, code, 1, &o, 1, &x.index, 1, &y.index);
    return y;
}

static struct kit_tensor pools_of_6(struct builder *b, struct kit_tensor x)
{
    return pool(b, pool(b, relu6(b, x), BUILTIN_AVERAGE_POOL_2D), BUILTIN_MAX_POOL_2D);
}

static struct kit_tensor pool_of_input(struct builder *b, struct kit_tensor x)
{
    return pool(b, x, BUILTIN_AVERAGE_POOL_2D);
}

static struct kit_tensor moved_6(struct builder *b, struct kit_tensor x)
{
    const struct kit_tensor p =
        kit_pad(b, relu6(b, x), (const int32_t[]){ 0, 0, 1, 0, 0, 1, 0, 0 });

    return kit_reshape(b, p, KIT_DIMS(1, p.dims[1] * p.dims[2], 1, p.dims[3]));
}

static struct kit_tensor conv(struct builder *b, struct kit_tensor x, int activation)
{
    return kit_conv_2d(b, x, (struct kit_conv){ .activation = activation });
}

static struct kit_tensor conv_none(struct builder *b, struct kit_tensor x)
{
    return conv(b, relu6(b, x), kTfLiteActNone);
}

static struct kit_tensor conv_relu(struct builder *b, struct kit_tensor x)
{
    return conv(b, x, kTfLiteActRelu);
}

static struct kit_tensor conv_relu6(struct builder *b, struct kit_tensor x)
{
    return conv(b, x, kTfLiteActRelu6);
}

static struct kit_tensor conv_n1(struct builder *b, struct kit_tensor x)
{
    return conv(b, x, kTfLiteActReluN1To1);
}

static struct kit_tensor maximum(struct builder *b, struct kit_tensor x, float constant)
{
    return kit_binary(b, BUILTIN_MAXIMUM, x, kit_filled(b, 0, NULL, constant), kTfLiteActNone);
}

static struct kit_tensor maximum_of_9(struct builder *b, struct kit_tensor x)
{
    return maximum(b, relu6(b, x), -9);
}

static struct kit_tensor maximum_of_nan(struct builder *b, struct kit_tensor x)
{
    return maximum(b, relu6(b, x), NAN);
}

static struct kit_tensor sum_of_6(struct builder *b, struct kit_tensor x)
{
    const struct kit_tensor y = relu6(b, x);

    return kit_binary(b, BUILTIN_ADD, y, y.index, kTfLiteActNone);
}

static struct kit_tensor negative_of_9(struct builder *b, struct kit_tensor x)
{
    return negative(b, maximum_of_9(b, x));
}

/* More constants than are looked at. */
static struct kit_tensor maximum_of_many(struct builder *b, struct kit_tensor x)
{
    const int many = kit_filled(b, x.rank, x.dims, 2);

    return kit_binary(b, BUILTIN_MAXIMUM, relu6(b, x), many, kTfLiteActNone);
}

static const struct row {
    build *build;
    float magnitude;
    int32_t pixels; /* along a side; 0: 3 */
} rows[] = {
    { relu, INFINITY, 0 },
    { relu6, 6, 0 },
    { relu_n1, 1, 0 },
    { relu_01, 1, 0 },
    { logistic, 1, 0 },
    { hyperbolic, 1, 0 },
    { softmax, 1, 0 },
    { hard_swish, INFINITY, 0 },
    { hard_swish_of_6, 6, 0 },
    { exponential_of_6, INFINITY, 0 },
    { square_of_6, INFINITY, 0 },
    { negative_of_6, 6, 0 },
    { negative_of_9, 9, 0 },
    { relu_of_1, 1, 0 },
    { pools_of_6, 6, 0 },
    { pool_of_input, INFINITY, 0 },
    { moved_6, 6, 0 },
    { conv_none, INFINITY, 0 },
    { conv_relu, INFINITY, 0 },
    { conv_relu6, 6, 0 },
    { conv_n1, 1, 0 },
    { sum_of_6, INFINITY, 0 },
    { maximum_of_9, 9, 0 },
    { maximum_of_nan, INFINITY, 0 },
    { maximum_of_many, 6, 32 }, /* 4096 of them */
    { maximum_of_many, INFINITY, 33 },
};

/* Rewrites that make a chain, or a longer one. */
enum { CHAINS = 11 };

struct look {
    const struct model *m;
    float magnitude, rewritten; /* of the graph, and of what the rewrites make of it */
    int chains;
};

static void look_at_rewritten(struct graph *g, struct look *look)
{
    static const char *const none[] = { NULL };
    struct gpu_options o = gpu_options_of(none);
    const struct device_limits limits = gpu_large_limits();
    const struct model_subgraph *s = &look->m->subgraphs[0];
    int nodes[KIT_TENSORS];
    const struct transform_request r = { .graph = g,
                                         .options = &o,
                                         .limits = &limits,
                                         .nodes = nodes,
                                         .node_count = g->node_count,
                                         .outputs = s->outputs.data,
                                         .output_count = (int)s->outputs.count };
    float magnitude[KIT_TENSORS];
    struct diag diag = { 0 };
    struct rewrite w;

    for (int i = 0; i < g->node_count; i++)
        nodes[i] = g->nodes[i].host_node;
    KIT_OK(transform_partition(&w, &r, &diag));
    assert_true(w.graph.tensor_count <= KIT_TENSORS);
    ranges_find(&w.graph, magnitude);
    look->rewritten = magnitude[rewrite_find(&w, s->outputs.data[0])];
    look->chains += w.applied[TRANSFORM_chain];
    rewrite_close(&w);
    options_close(&o);
}

static void look_at(struct graph *g, void *user)
{
    struct look *const look = user;
    float magnitude[KIT_TENSORS];

    assert_true(g->tensor_count <= KIT_TENSORS);
    look_at_rewritten(g, look);
    ranges_find(g, magnitude);
    look->magnitude = magnitude[look->m->subgraphs[0].outputs.data[0]];
    for (size_t i = 0; i < look->m->subgraphs[0].inputs.count; i++)
        assert_true(isinf(magnitude[look->m->subgraphs[0].inputs.data[i]]));
    /* Float view: the steps may end above what the op gives. */
    g->nodes[g->node_count - 1].steps.scale = 0.5f;
    ranges_find(g, magnitude);
    assert_true(isinf(magnitude[look->m->subgraphs[0].outputs.data[0]]));
}

static build *built;

static void build_row(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                      struct kit_tensor out[3])
{
    (void)z;
    out[0] = built(b, x);
}

/* A chain has the bound of the nodes that it is made of. */
TEST(by_op)
{
    int chains = 0;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const int32_t pixels = rows[i].pixels ? rows[i].pixels : 3;
        const struct transform_case c = { .build = build_row, .dims = { 1, pixels, pixels, 4 } };
        struct model m;
        struct look look = { .m = &m };

        built = rows[i].build;
        transform_model(&c, &m);
        gpu_look(&m, look_at, &look);
        model_close(&m);
        if (look.magnitude != rows[i].magnitude)
            fail_msg("row %zu: expected %g, found %g", i, (double)rows[i].magnitude,
                     (double)look.magnitude);
        if (look.rewritten != rows[i].magnitude)
            fail_msg("row %zu: expected %g, found %g after rewrites", i, (double)rows[i].magnitude,
                     (double)look.rewritten);
        chains += look.chains;
    }
    assert_int_equal(chains, CHAINS);
}

static double largest_sum(const float *values, int outputs, int terms)
{
    struct graph_tensor t = { .name = "w",
                              .type = kTfLiteFloat32,
                              .rank = 4,
                              .dims = { outputs, 1, 1, terms },
                              .elements = (size_t)outputs * (size_t)terms,
                              .data = values,
                              .producer = -1,
                              .dequantized_from = -1 };
    const struct graph g = { .tensors = &t, .tensor_count = 1 };

    return ranges_largest_sum(&g, 0);
}

TEST(of_weights)
{
    assert_true(largest_sum((const float[]){ 1, -2, 3, -4, -5, 6 }, 2, 3) == 15);
    assert_true(largest_sum((const float[]){ 1, -9, 3, -4, -5, 2 }, 2, 3) == 13);
    assert_true(largest_sum((const float[]){ 1, -2, 3, -4, -5, 6 }, 3, 2) == 11);
    assert_true(largest_sum((const float[]){ 0, 0 }, 2, 1) == 0);
    assert_true(isnan(largest_sum((const float[]){ 1, NAN, 3, 4 }, 2, 2)));
    assert_true(isinf(largest_sum((const float[]){ 1, INFINITY, 3, 4 }, 2, 2)));
}
