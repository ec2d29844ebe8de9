/* How large elements can be, by the ops that compute them (graph/ranges.h): a row for each way in
 * which it is known, or is not. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/graph/ranges.h"

#include <math.h>

/* clang-format off */
#define POOL(code, x, y)                                                                           \
    code "_POOL_2D {stride_w=1 stride_h=1 filter_width=2 filter_height=2} " x " -> " y "; "
#define CONV(activation, x)                                                                        \
    "CONV_2D {padding=VALID stride_w=1 stride_h=1 fused_activation_function=" activation "} " x    \
    " f32[4,1,1,4]=~3(-2..2) f32[4]=~4(-2..2) -> y"

static const struct row {
    const char *nodes; /* they read x, f32 [1,pixels,pixels,4] */
    float magnitude;
    int32_t pixels; /* 0: 3 */
} rows[] = {
    { "RELU x -> y", INFINITY, 0 },
    { "RELU6 x -> y", 6, 0 },
    { "RELU_N1_TO_1 x -> y", 1, 0 },
    { "RELU_0_TO_1 x -> y", 1, 0 },
    { "LOGISTIC x -> y", 1, 0 },
    { "TANH x -> y", 1, 0 },
    { "SOFTMAX {} x -> y", 1, 0 },
    { "HARD_SWISH x -> y", INFINITY, 0 },
    { "RELU6 x -> t; HARD_SWISH t -> y", 6, 0 },
    { "RELU6 x -> t; EXP t -> y", INFINITY, 0 },
    { "RELU6 x -> t; SQUARE t -> y", INFINITY, 0 },
    { "RELU6 x -> t; NEG t -> y", 6, 0 },
    { "RELU6 x -> t; MAXIMUM t f32[]=-9 -> u; NEG u -> y", 9, 0 },
    { "TANH x -> t; RELU t -> y", 1, 0 },
    { "RELU6 x -> t; " POOL("AVERAGE", "t", "u") POOL("MAX", "u", "y"), 6, 0 },
    { POOL("AVERAGE", "x", "y"), INFINITY, 0 },
    { "RELU6 x -> t; PAD t i32[4,2]=0,0,1,0,0,1,0,0 -> p; RESHAPE {} p i32[4]=1,16,1,4 -> y", 6, 0 },
    { "RELU6 x -> t; " CONV("NONE", "t"), INFINITY, 0 },
    { CONV("RELU", "x"), INFINITY, 0 },
    { CONV("RELU6", "x"), 6, 0 },
    { CONV("RELU_N1_TO_1", "x"), 1, 0 },
    { "RELU6 x -> t; ADD {} t t -> y", INFINITY, 0 },
    { "RELU6 x -> t; MAXIMUM t f32[]=-9 -> y", 9, 0 },
    { "RELU6 x -> t; MAXIMUM t f32[]=nan -> y", INFINITY, 0 },
    /* 4096 constants, and more than are looked at. */
    { "RELU6 x -> t; MAXIMUM t f32[1,32,32,4]=2 -> y", 6, 32 },
    { "RELU6 x -> t; MAXIMUM t f32[1,33,33,4]=2 -> y", INFINITY, 33 },
};
/* clang-format on */

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
    struct gpu_options o CLOSED_BY(options_close) = gpu_options_of(none);
    const struct device_limits limits = gpu_large_limits();
    const struct model_subgraph *s = &look->m->subgraphs[0];
    int nodes[KIT_TENSORS];
    struct transform_request r = transform_request_all(g, &o, &limits, nodes);
    float magnitude[KIT_TENSORS];

    r.outputs = s->outputs.data;
    r.output_count = (int)s->outputs.count;
    struct rewrite w CLOSED_BY(rewrite_close);
    KIT_OK(transform_partition(&w, &r, &err));
    assert_true(w.graph.tensor_count <= KIT_TENSORS);
    ranges_find(&w.graph, magnitude);
    look->rewritten = magnitude[rewrite_find(&w, s->outputs.data[0])];
    look->chains += w.applied[TRANSFORM_chain];
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

/* A chain has the bound of the nodes that it is made of. */
TEST(by_op)
{
    int chains = 0;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const int32_t pixels = rows[i].pixels ? rows[i].pixels : 3;
        const struct transform_case c = { .text = rows[i].nodes, .dims = { 1, pixels, pixels, 4 } };
        struct model m;
        struct look look = { .m = &m };

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
