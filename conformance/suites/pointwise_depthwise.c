/* A 1x1 convolution and the depthwise one behind it, which delegates compute in one: channels,
 * windows and strides of both, and circumstances in which they must not. */
#include "conformance/cases/graph_builder.h"
#include "conformance/cases/suite.h"
#include "conformance/suites/gaps.h"

struct row {
    struct op_case base;
    void (*make)(struct case_builder *m, const struct row *r);
    struct shape in;
    struct graph_window window; /* of the depthwise one, but for the outputs */
};

/* A member without bound and ranges: those of the op's own suite hold (suite_find_member). */
#define MEMBER(name, code_)                                                                        \
    {                                                                                              \
        .op = name, .code = code_, .version = 1, .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16), \
        .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_INTEGERS)                                        \
    }
static const struct suite_member members[] = {
    MEMBER("depthwise_conv_2d", BUILTIN_DEPTHWISE_CONV_2D),
    MEMBER("add", BUILTIN_ADD),
};

/* A result of an op, so that it is not an input of the graph. */
static struct value computed(struct case_builder *m, const struct row *r)
{
    return graph_add_unary(m, BUILTIN_RELU, graph_add_input(m, "x", &r->in));
}

static void judge_add(struct case_builder *m, struct value a, struct value b)
{
    graph_add_judged_output(m, graph_add_binary(m, BUILTIN_ADD, a, b, ACTIVATION_NONE));
}

static struct value pointwise(struct case_builder *m, const struct row *r, struct value x)
{
    return graph_add_conv_2d(
        m, x,
        &(struct graph_window){
            .out = r->window.out, .h = 1, .w = 1, .activation = ACTIVATION_RELU6 });
}

static void make_pair(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r);

    graph_add_judged_output(m, graph_add_depthwise_conv_2d(m, pointwise(m, r, x), &r->window));
}

/* What is between the two is read elsewhere, too, or is an output. */
static void make_pair_read_twice(struct case_builder *m, const struct row *r)
{
    const struct value between = pointwise(m, r, computed(m, r));

    judge_add(m, graph_add_depthwise_conv_2d(m, between, &r->window), between);
}

static void make_pair_shown(struct case_builder *m, const struct row *r)
{
    const struct value between = pointwise(m, r, computed(m, r));

    graph_add_output(m, between);
    graph_add_judged_output(m, graph_add_depthwise_conv_2d(m, between, &r->window));
}

/* x is read by the 1x1, and overwritten by the sum behind the depthwise one. */
static void make_pair_in_block(struct case_builder *m, const struct row *r)
{
    const struct value x = computed(m, r);
    const struct value y = graph_add_depthwise_conv_2d(m, pointwise(m, r, x), &r->window);
    const struct graph_window back = { .out = r->in.d[3], .h = 1, .w = 1 };

    judge_add(m, x, graph_add_conv_2d(m, y, &back));
}

/* Window: outputs of the 1x1, then height, width, stride and so on of the depthwise one. */
#define PAIR(name, why, op, make_, window_, ...)                                                   \
    {                                                                                              \
        ROW("pointwise_depthwise_" name, why, .only = op, .gap = GAP_FUSION, .scale = 0.25),       \
            .make = (make_), .in = DIMS(__VA_ARGS__), .window = window_                            \
    }
#define WINDOW(...)                                                                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define DEPTHWISE_PAIR(name, window_, ...)                                                         \
    PAIR(name, "a depthwise convolution is all that reads a 1x1 convolution", "depthwise_conv_2d", \
         make_pair, WINDOW window_, __VA_ARGS__)

static const struct row rows[] = {
    DEPTHWISE_PAIR("c32", (.out = 32, .h = 3, .w = 3), 1, 6, 6, 32),
    DEPTHWISE_PAIR("c6", (.out = 6, .h = 3, .w = 3), 1, 5, 4, 6),
    DEPTHWISE_PAIR("c3_stride2", (.out = 9, .h = 3, .w = 3, .stride = 2), 1, 7, 5, 3),
    DEPTHWISE_PAIR("n3_c5", (.out = 7, .h = 3, .w = 3), 3, 3, 2, 5),
    DEPTHWISE_PAIR("valid", (.out = 36, .h = 3, .w = 3, .stride = 1, .valid = true), 1, 5, 7, 12),
    DEPTHWISE_PAIR("valid_stride2", (.out = 4, .h = 3, .w = 3, .stride = 2, .valid = true), 2, 8, 6,
                   4),
    DEPTHWISE_PAIR("window2x4", (.out = 5, .h = 2, .w = 4), 1, 4, 6, 9),
    DEPTHWISE_PAIR("window1x1", (.out = 8, .h = 1, .w = 1), 1, 3, 5, 7),
    DEPTHWISE_PAIR("window5x5", (.out = 8, .h = 5, .w = 5), 1, 6, 6, 8),
    DEPTHWISE_PAIR("one_row", (.out = 5, .h = 3, .w = 3), 1, 1, 9, 6),
    DEPTHWISE_PAIR("one_column", (.out = 5, .h = 3, .w = 3), 1, 9, 1, 6),
    DEPTHWISE_PAIR("deep", (.out = 16, .h = 3, .w = 3), 1, 3, 3, 1028),
    DEPTHWISE_PAIR("wide", (.out = 36, .h = 3, .w = 3, .stride = 2), 1, 4, 61, 20),
    PAIR("twice", "a depthwise convolution and a sum read a 1x1 convolution", "add",
         make_pair_read_twice, WINDOW(.out = 6, .h = 3, .w = 3), 1, 4, 5, 6),
    PAIR("shown", "a 1x1 convolution before a depthwise one is an output", "depthwise_conv_2d",
         make_pair_shown, WINDOW(.out = 6, .h = 3, .w = 3), 1, 4, 5, 6),
    PAIR("block", "a block's input is added to its result", "add", make_pair_in_block,
         WINDOW(.out = 20, .h = 3, .w = 3), 1, 4, 5, 6),
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;

    r->make(m, r);
}

SUITE(pointwise_depthwise, members, rows, build);
