/* Runs of elementwise ops, which a delegate may compute in one dispatch, as nets spell LayerNorm,
 * GELU and hard swish out; circumstances in which two ops of a run must not become one; and the end
 * of a classifier, whose SOFTMAX a delegate may compute with the product before it. */
#include "conformance/suite/cases/graph_builder.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/gaps.h"

struct row {
    struct op_case base;
    struct value (*make)(struct case_builder *m, const struct row *r);
    struct shape in;
    int ops; /* of make_length */
};

#define MEMBER(name, code_, types_)                                                                \
    GAP_MEMBER(name, code_, TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16) | (types_),                    \
               SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE))
static const struct suite_member members[] = {
    MEMBER("add", ADD, 0),
    MEMBER("sub", SUB, 0),
    MEMBER("mul", MUL, 0),
    MEMBER("softmax", SOFTMAX, TYPES_BYTES),
    MEMBER("hard_swish", HARD_SWISH, 0),
};

static struct value input(struct case_builder *m, const struct row *r)
{
    return graph_add_input(m, "x", &r->in);
}

/* Another tensor of the row's shape or broadcast to it, as the result of an op. */
static struct value another(struct case_builder *m, const struct shape *shape)
{
    return graph_add_unary(m, BUILTIN_LOGISTIC, graph_add_input(m, "z", shape));
}

static struct value add(struct case_builder *m, struct value a, struct value b)
{
    return graph_add_binary(m, BUILTIN_ADD, a, b, ACTIVATION_NONE);
}

static struct value sub(struct case_builder *m, struct value a, struct value b)
{
    return graph_add_binary(m, BUILTIN_SUB, a, b, ACTIVATION_NONE);
}

static struct value mul(struct case_builder *m, struct value a, struct value b)
{
    return graph_add_binary(m, BUILTIN_MUL, a, b, ACTIVATION_NONE);
}

static struct value number(struct case_builder *m, float v)
{
    return graph_add_number(m, &(struct shape)SCALAR, v);
}

static struct value plus(struct case_builder *m, struct value x, float v)
{
    return add(m, x, number(m, v));
}

static struct value times(struct case_builder *m, struct value x, float v)
{
    return mul(m, x, number(m, v));
}

/* One number for each channel, the first of which is another. */
static struct value numbers(struct case_builder *m, const struct row *r, float first, float v)
{
    const int32_t channels = r->in.d[r->in.rank - 1];
    const struct value one = graph_add_number(m, &(struct shape)DIMS(1), first);
    const struct value rest = graph_add_number(m, &(struct shape)DIMS(channels - 1), v);

    return graph_add_concatenation(m, 2, (const struct value[]){ one, rest }, 0);
}

/* ---- as nets spell them, with the nearest numbers that f16 has ---- */

static struct value make_norm(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r);
    const unsigned channels = 1u << (r->in.rank - 1);
    const struct value d = sub(m, x, graph_add_mean(m, x, channels, true));
    const struct value variance = graph_add_mean(m, mul(m, d, d), channels, true);
    const struct value scale = graph_add_unary(m, BUILTIN_RSQRT, plus(m, variance, 0x1.47cp-7f));
    const struct value beta = graph_add_per_channel(m, x), gamma = graph_add_per_channel(m, x);

    return add(m, mul(m, mul(m, d, scale), gamma), beta);
}

static struct value make_gelu(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r);
    const struct value cube = times(m, mul(m, mul(m, x, x), x), 0x1.6e4p-5f);
    const struct value t = graph_add_unary(m, BUILTIN_TANH, times(m, add(m, cube, x), 0x1.988p-1f));
    const struct value half = times(m, x, 0.5f);

    return mul(m, plus(m, t, 1), half);
}

static struct value make_hard_swish(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r);
    const struct value gate = graph_add_unary(m, BUILTIN_RELU6, plus(m, x, 3));

    return mul(m, x, times(m, gate, 0x1.554p-3f));
}

/* Batch normalization and a clamp that are not part of the convolution before them. */
static struct value make_batch_norm(struct case_builder *m, const struct row *r)
{
    const struct value x = graph_add_unary(m, BUILTIN_LOGISTIC, input(m, r));
    const struct value scale = graph_add_per_channel(m, x);
    const struct value y = mul(m, sub(m, x, graph_add_per_channel(m, x)), scale);

    return graph_add_binary(m, BUILTIN_ADD, y, graph_add_per_channel(m, x), ACTIVATION_RELU6);
}

/* ---- how long, and of which operands ---- */

/* Fifteen ops: more than one dispatch takes. */
static struct value make_long(struct case_builder *m, const struct row *r)
{
    struct value y = input(m, r);

    for (int i = 0; i < 5; i++) {
        y = graph_add_binary(m, BUILTIN_MUL, y, graph_add_per_channel(m, y),
                             i == 2 ? ACTIVATION_RELU_N1 : ACTIVATION_NONE);
        y = graph_add_unary(m, i % 2 ? BUILTIN_LOGISTIC : BUILTIN_TANH, y);
        y = plus(m, y, -0.25f);
    }
    return y;
}

/* As many ops as the row says: kernels have a step for each, up to some number. */
static struct value make_length(struct case_builder *m, const struct row *r)
{
    struct value y = input(m, r);

    for (int i = 0; i < r->ops - 1; i++)
        y = i % 3 == 0   ? mul(m, y, graph_add_per_channel(m, y))
            : i % 3 == 1 ? graph_add_unary(m, BUILTIN_TANH, y)
                         : plus(m, y, 0.25f);
    return plus(m, y, -0.5f);
}

/* Three operands that are computed, all of the result's shape. */
static struct value make_tensors(struct case_builder *m, const struct row *r)
{
    const struct value a = another(m, &r->in), b = another(m, &r->in), c = another(m, &r->in);

    return sub(m, c, mul(m, add(m, input(m, r), a), b));
}

/* The value of the run is the second operand of each op, one of them a clamped difference. */
static struct value make_second_operand(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r), z = another(m, &r->in), product = mul(m, z, x);
    const struct value d =
        graph_add_binary(m, BUILTIN_SUB, graph_add_per_channel(m, x), product, ACTIVATION_RELU_N1);

    return sub(m, number(m, 0.75f), d);
}

/* Both operands of an op are the value of the run. */
static struct value make_square(struct case_builder *m, const struct row *r)
{
    const struct value y = plus(m, input(m, r), 0.5f), shift = graph_add_per_channel(m, y);

    return add(m, mul(m, y, y), shift);
}

/* ---- broadcasting ---- */

/* The value is one for each channel until an image meets it. */
static struct value make_grows(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r);
    const struct value s = graph_add_unary(m, BUILTIN_LOGISTIC, graph_add_mean(m, x, 6, true));

    return mul(m, x, plus(m, times(m, s, 2), 0.125f));
}

/* Six operands, no two of which are broadcast over the same dimensions. */
static struct value make_ways(struct case_builder *m, const struct row *r)
{
    const int32_t n = r->in.d[0], h = r->in.d[1], w = r->in.d[2], c = r->in.d[3];
    const struct value z = another(m, &(struct shape)DIMS(n, 1, w, 1));
    struct value y = add(m, input(m, r), z);

    y = mul(m, y, graph_add_constant(m, &(struct shape)DIMS(1, h, 1, c)));
    y = sub(m, y, graph_add_constant(m, &(struct shape)DIMS(n, h, 1, 1)));
    y = add(m, graph_add_constant(m, &(struct shape)DIMS(w, c)), y);
    return add(m, y, graph_add_constant(m, &(struct shape)DIMS(h, w, 1)));
}

/* The same in front of a SUB, which is the op of LARGE_RUN. */
static struct value make_ways_less(struct case_builder *m, const struct row *r)
{
    const struct value none = number(m, 0);

    return sub(m, make_ways(m, r), none);
}

/* Computed operands that have one value for each pixel, and one for each channel. */
static struct value make_pixels(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r), mean = graph_add_mean(m, x, 8, true);
    const struct value y = sub(m, times(m, x, 2), mean);

    return mul(m, y, graph_add_mean(m, x, 6, true));
}

/* The run begins with one value for each pixel, and ends in an image. */
static struct value make_pixels_first(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r), shift = graph_add_per_channel(m, x);

    return add(m, sub(m, graph_add_mean(m, x, 8, true), shift), x);
}

/* ---- in which two ops must not become one ---- */

static struct value make_shown(struct case_builder *m, const struct row *r)
{
    const struct value y = times(m, input(m, r), 3);

    graph_add_output(m, y);
    return plus(m, y, -0.5f);
}

static struct value make_read_twice(struct case_builder *m, const struct row *r)
{
    const struct value y = times(m, input(m, r), 3);

    graph_add_output(m, graph_add_unary(m, BUILTIN_TANH, y));
    return plus(m, y, -0.5f);
}

/* Two runs meet. */
static struct value make_meet(struct case_builder *m, const struct row *r)
{
    const struct value a = times(m, input(m, r), 2), b = plus(m, another(m, &r->in), 0.25f);
    const struct value t = graph_add_unary(m, BUILTIN_TANH, b);

    return sub(m, times(m, a, 1.5f), t);
}

/* A reshape between two ops. */
static struct value make_view(struct case_builder *m, const struct row *r)
{
    const int32_t rows = (int32_t)(shape_elements(&r->in) / (size_t)r->in.d[r->in.rank - 1]);
    const struct shape flat = DIMS(rows, r->in.d[r->in.rank - 1]);

    return plus(m, graph_add_reshape(m, times(m, input(m, r), 3), &flat), 0.5f);
}

/* The sum behind a convolution may overwrite u, which the product reads before the sum that reads
 * the product. */
static struct value make_overwritten(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r), u = another(m, &r->in), t = mul(m, x, u);
    const struct graph_window w = { .out = graph_channels(x), .h = 1, .w = 1 };

    return add(m, t, add(m, graph_add_conv_2d(m, x, &w), u));
}

/* The sum of two constants, one broadcast in the middle, is folded with its RELU. */
static struct value make_constants(struct case_builder *m, const struct row *r)
{
    const int32_t h = r->in.d[1], w = r->in.d[2], c = r->in.d[3];
    const struct value b = graph_add_constant(m, &(struct shape)DIMS(1, w, c));
    const struct value a = graph_add_constant(m, &(struct shape)DIMS(h, 1, c));
    const struct value sum = graph_add_binary(m, BUILTIN_ADD, a, b, ACTIVATION_RELU);

    return mul(m, sum, times(m, input(m, r), 3));
}

/* Constants of each channel whose first value is neutral, and no other. */
static struct value make_neutral(struct case_builder *m, const struct row *r)
{
    const struct value x = graph_add_unary(m, BUILTIN_LOGISTIC, input(m, r));
    const struct value y = sub(m, x, numbers(m, r, 0, 0.75f));
    const struct value shift = numbers(m, r, -0.0f, 0.25f);

    return add(m, mul(m, numbers(m, r, 1, 3), y), shift);
}

static struct value make_negative(struct case_builder *m, const struct row *r)
{
    const struct value x = graph_add_unary(m, BUILTIN_LOGISTIC, input(m, r));

    return sub(m, number(m, 0), x);
}

/* RELU behind RELU6 leaves 6 the most, and RELU6 behind RELU makes it so. */
static struct value make_clamped(struct case_builder *m, const struct row *r)
{
    const struct value x = times(m, input(m, r), 8);
    const struct value a =
        graph_add_binary(m, BUILTIN_ADD, x, another(m, &r->in), ACTIVATION_RELU6);
    const struct value b = graph_add_binary(m, BUILTIN_SUB, x, another(m, &r->in), ACTIVATION_RELU);
    const struct value clamped = graph_add_unary(m, BUILTIN_RELU6, b);

    return add(m, graph_add_unary(m, BUILTIN_RELU, a), clamped);
}

/* The f32 number nearest to 1 / 6, which f16 has not: folded out of numbers that it has. */
static struct value sixth(struct case_builder *m)
{
    const struct value high = plus(m, number(m, 0x1.554p1f), 0x1.554p-11f);

    return times(m, plus(m, high, 0x1p-22f), 0x1p-4f);
}

/* No hard sigmoid: RELU has no upper end. */
static struct value make_open_gate(struct case_builder *m, const struct row *r)
{
    const struct value x = times(m, input(m, r), 8), by = sixth(m);

    return mul(m, graph_add_binary(m, BUILTIN_ADD, x, number(m, 3), ACTIVATION_RELU), by);
}

/* A hard sigmoid whose 3 has more places than what it is added to. */
static struct value make_gate_grows(struct case_builder *m, const struct row *r)
{
    const struct value x = times(m, input(m, r), 3);
    const struct value three = graph_add_number(m, &(struct shape)DIMS(1, 2, 3, 1), 3);
    const struct value by = sixth(m);

    return mul(m, graph_add_binary(m, BUILTIN_ADD, x, three, ACTIVATION_RELU6), by);
}

/* The same behind a convolution, which could compute a hard sigmoid of its own shape. */
static struct value make_conv_gate_grows(struct case_builder *m, const struct row *r)
{
    const struct graph_window window = { .out = 7, .h = 1, .w = 1 };
    const struct value x = graph_add_conv_2d(m, input(m, r), &window);
    const struct value three = graph_add_number(m, &(struct shape)DIMS(1, 2, 3, 1), 3);
    const struct value by = sixth(m);

    return mul(m, graph_add_binary(m, BUILTIN_ADD, x, three, ACTIVATION_RELU6), by);
}

/* The op, as MobileNet v3 has it. */
static struct value make_conv_hard_swish(struct case_builder *m, const struct row *r)
{
    const struct graph_window window = { .out = 7, .h = 3, .w = 3 };

    return graph_add_unary(m, BUILTIN_HARD_SWISH, graph_add_conv_2d(m, input(m, r), &window));
}

static struct value make_run_hard_swish(struct case_builder *m, const struct row *r)
{
    const struct value y = input(m, r), x = sub(m, another(m, &r->in), y);

    return graph_add_unary(m, BUILTIN_HARD_SWISH, mul(m, x, graph_add_per_channel(m, x)));
}

/* ---- the end of a classifier ---- */

static struct value dense(struct case_builder *m, struct value x, int32_t classes)
{
    return graph_add_fully_connected(m, x, classes, false, ACTIVATION_NONE);
}

static struct value make_dense(struct case_builder *m, const struct row *r)
{
    return graph_add_softmax(m, dense(m, input(m, r), 10));
}

/* More classes than a workgroup has invocations, which leave lanes of the last slice free. */
static struct value make_dense_wide(struct case_builder *m, const struct row *r)
{
    return graph_add_softmax(m, dense(m, input(m, r), 301));
}

/* A 1x1 convolution and a reshape in place of the dense layer. */
static struct value make_pixel(struct case_builder *m, const struct row *r)
{
    const struct graph_window w = { .out = 11, .h = 1, .w = 1 };
    const struct value y = graph_add_conv_2d(m, input(m, r), &w);

    return graph_add_softmax(m, graph_add_reshape(m, y, &(struct shape)DIMS(r->in.d[0], w.out)));
}

/* More of them, of many channels. */
static struct value pixel_to(struct case_builder *m, const struct row *r, int32_t classes)
{
    const struct graph_window w = { .out = classes, .h = 1, .w = 1 };
    const struct value y = graph_add_conv_2d(m, input(m, r), &w);

    return graph_add_softmax(m, graph_add_reshape(m, y, &(struct shape)DIMS(r->in.d[0], w.out)));
}

static struct value make_pixel_wide(struct case_builder *m, const struct row *r)
{
    return pixel_to(m, r, 302);
}

/* What the SOFTMAX reads lies behind 67,080 words of weights. */
static struct value make_pixel_far(struct case_builder *m, const struct row *r)
{
    return pixel_to(m, r, 520);
}

static struct value make_dense_shown(struct case_builder *m, const struct row *r)
{
    const struct value y = dense(m, input(m, r), 7);

    graph_add_output(m, y);
    return graph_add_softmax(m, y);
}

static struct value make_dense_read_twice(struct case_builder *m, const struct row *r)
{
    const struct value y = dense(m, input(m, r), 7);

    graph_add_output(m, graph_add_unary(m, BUILTIN_RELU, y));
    return graph_add_softmax(m, y);
}

static struct value make_dense_twice(struct case_builder *m, const struct row *r)
{
    return graph_add_softmax(m, graph_add_softmax(m, dense(m, input(m, r), 9)));
}

/* What is added to the dense layer has the result's shape. */
static struct value make_dense_residual(struct case_builder *m, const struct row *r)
{
    const struct value x = input(m, r);

    return graph_add_softmax(m, add(m, dense(m, x, graph_channels(x)), x));
}

#define GRAPH(name, why, op, make_, ...)                                                           \
    {                                                                                              \
        ROW(name, why, .only = op, .gap = GAP_FUSION), .make = (make_), .in = DIMS(__VA_ARGS__)    \
    }
/* An image whose channels leave a lane free, and a batch whose channels fill their slices. */
#define GRAPHS(name, why, op, make_)                                                               \
    GRAPH(name "_c6", why, op, make_, 1, 4, 5, 6), GRAPH(name "_n2_c8", why, op, make_, 2, 5, 4, 8)
/* A batch of 1, 2, 3 and 5. */
#define BATCHES(name, why, make_, ...)                                                             \
    BYTES(name, why, make_, 1, __VA_ARGS__), BYTES(name "_n2", why, make_, 2, __VA_ARGS__),        \
        BYTES(name "_n3", why, make_, 3, __VA_ARGS__),                                             \
        BYTES(name "_n5", why, make_, 5, __VA_ARGS__)
#define BYTES(name, why, make_, ...)                                                               \
    {                                                                                              \
        ROW(name, why, .only = "softmax", .gap = GAP_FUSION,                                       \
            .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_F16) | TYPES_BYTES),                       \
            .make = (make_), .in = DIMS(__VA_ARGS__)                                               \
    }

#define LENGTH(n)                                                                                  \
    {                                                                                              \
        ROW("run_length" #n, #n " elementwise ops in a row", .only = "add", .gap = GAP_FUSION,     \
            .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM)),                             \
            .make = make_length, .in = DIMS(1, 4, 5, 6), .ops = (n)                                \
    }

#define LARGE_RUN(name, why, make_, ...)                                                           \
    {                                                                                              \
        ROW(name, why, .only = "sub", .gap = GAP_FUSION, LARGE_F32), .make = (make_),              \
                                                                     .in = DIMS(__VA_ARGS__)       \
    }

static const struct row rows[] = {
    GRAPHS("norm", "LayerNorm of the channels, op by op", "add", make_norm),
    GRAPH("norm_rank3_c9", "LayerNorm of tokens, op by op", "add", make_norm, 2, 7, 9),
    GRAPH("norm_c65", "LayerNorm of many channels, op by op", "add", make_norm, 1, 3, 65),
    GRAPHS("gelu", "GELU by TANH, op by op", "mul", make_gelu),
    GRAPHS("hard_swish", "hard swish, op by op", "mul", make_hard_swish),
    GRAPHS("batch_norm", "batch normalization behind LOGISTIC, op by op", "add", make_batch_norm),
    GRAPHS("run_long", "fifteen elementwise ops in a row", "add", make_long),
    GRAPH("run_rank1", "fifteen elementwise ops in a row, of a vector", "add", make_long, 13),
    GRAPHS("run_tensors", "three more tensors come in along a run", "sub", make_tensors),
    GRAPHS("run_second", "the run is the second operand", "sub", make_second_operand),
    GRAPHS("run_square", "the run is both operands", "add", make_square),
    GRAPHS("run_grows", "a run of one value for each channel meets an image", "mul", make_grows),
    GRAPHS("run_ways", "operands of a run are broadcast in six ways", "add", make_ways),
    GRAPHS("run_pixels", "operands of a run: a value for each pixel, each channel", "mul",
           make_pixels),
    GRAPHS("run_pixels_first", "a run begins with a value for each pixel", "add",
           make_pixels_first),
    GRAPHS("run_shown", "what is inside a run is an output", "add", make_shown),
    GRAPHS("run_read_twice", "what is inside a run is read twice", "add", make_read_twice),
    GRAPHS("run_meet", "two runs meet", "sub", make_meet),
    GRAPHS("run_view", "a reshape inside a run", "add", make_view),
    GRAPHS("run_overwritten", "an operand inside a run is overwritten by a residual", "add",
           make_overwritten),
    BATCHES("dense", "a dense layer, then SOFTMAX", make_dense, 13),
    BATCHES("dense_wide", "a dense layer of 301 classes, then SOFTMAX", make_dense_wide, 20),
    BATCHES("pixel", "a 1x1 convolution of one pixel, then SOFTMAX", make_pixel, 1, 1, 14),
    BYTES("dense_shown", "a dense layer before SOFTMAX is an output", make_dense_shown, 2, 13),
    BYTES("dense_read_twice", "SOFTMAX and RELU read a dense layer", make_dense_read_twice, 2, 13),
    BYTES("dense_twice", "SOFTMAX of SOFTMAX of a dense layer", make_dense_twice, 2, 13),
    BYTES("dense_residual", "a sum between a dense layer and SOFTMAX", make_dense_residual, 2, 6),
    BATCHES("pixel_deep", "a 1x1 convolution of many channels, then SOFTMAX", make_pixel, 1, 1, 70),
    BATCHES("pixel_wide", "of many channels to many classes, then SOFTMAX", make_pixel_wide, 1, 1,
            129),
    { ROW("pixel_to520", "over 65,535 words of weights, then SOFTMAX", .only = "softmax",
          .types = TYPE_BIT(CASE_I8)),
      .make = make_pixel_far, .in = DIMS(1, 1, 1, 516) },
    GRAPH("run_constants", "a sum of two constants with RELU is folded", "mul", make_constants, 1,
          3, 5, 4),
    GRAPHS("run_neutral", "constants that are neutral in the first channel only", "add",
           make_neutral),
    GRAPH("run_negative", "0 - x", "sub", make_negative, 1, 4, 5, 6),
    GRAPH("run_clamped", "RELU behind RELU6, RELU6 behind RELU", "add", make_clamped, 1, 4, 5, 6),
    GRAPH("run_open_gate", "max(x + 3, 0) / 6 has no upper end", "mul", make_open_gate, 1, 4, 5, 6),
    GRAPH("run_gate_grows", "a hard sigmoid of a tensor that is broadcast", "mul", make_gate_grows,
          1, 1, 1, 6),
    GRAPH("run_conv_gate_grows", "a convolution whose hard sigmoid is broadcast", "mul",
          make_conv_gate_grows, 1, 1, 1, 6),
    LENGTH(2),
    LENGTH(3),
    LENGTH(4),
    LENGTH(5),
    LENGTH(6),
    LENGTH(7),
    LENGTH(8),
    LENGTH(9),
    GRAPHS("after_conv", "HARD_SWISH behind a convolution", "hard_swish", make_conv_hard_swish),
    GRAPHS("after_run", "HARD_SWISH behind a run", "hard_swish", make_run_hard_swish),
    LARGE_RUN("run_places66001", "a run of 66,001 places", make_tensors, 1, 1, 66001, 1),
    LARGE_RUN("run_rows66001", "a run of 66,001 rows, broadcast in six ways", make_ways_less, 2,
              33001, 1, 1),
    LARGE_RUN("run_channels66001", "a run of 66,001 channels", make_second_operand, 1, 1, 2, 66001),
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;

    graph_add_judged_output(m, r->make(m, r));
}

SUITE_UNDRAWN(chains, members, rows, build);
