/* Every op after every other one, for channels that do not fill their slices: the second op must
 * not see what the first one leaves in padded lanes.  The case is about the
 * second op; the tensor between the two is judged as well. */
#include "conformance/suite/cases/graph_builder.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/cases/sweep.h"
#include "conformance/suite/suites/gaps.h"

struct row {
    struct op_case base;
    struct shape in;
    const struct link *first, *second;
};

/* One of the two ops.  x is an image; a first op also returns an image. */
struct link {
    const char *op; /* name of the member, for a second op */
    struct value (*make)(struct case_builder *m, struct value x);
    int32_t version; /* 0: 1 */
};

/* The data sets: values around 0, and values above it. */
enum { SETS = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE) };

#define MEMBER(name, code_) GAP_MEMBER(name, code_, TYPE_BIT(CASE_F32) | TYPES_BYTES, SETS)
static const struct suite_member members[] = {
    MEMBER("conv_2d", CONV_2D),
    MEMBER("depthwise_conv_2d", DEPTHWISE_CONV_2D),
    MEMBER("transpose_conv", TRANSPOSE_CONV),
    MEMBER("fully_connected", FULLY_CONNECTED),
    MEMBER("mean", MEAN),
    MEMBER("softmax", SOFTMAX),
    MEMBER("average_pool_2d", AVERAGE_POOL_2D),
    MEMBER("max_pool_2d", MAX_POOL_2D),
    MEMBER("pad", PAD),
    MEMBER("concatenation", CONCATENATION),
    MEMBER("strided_slice", STRIDED_SLICE),
    MEMBER("reshape", RESHAPE),
    MEMBER("resize_bilinear", RESIZE_BILINEAR),
    MEMBER("add", ADD),
    MEMBER("sub", SUB),
    MEMBER("mul", MUL),
    MEMBER("maximum", MAXIMUM),
    MEMBER("minimum", MINIMUM),
    MEMBER("prelu", PRELU),
    MEMBER("relu", RELU),
    MEMBER("relu6", RELU6),
    MEMBER("exp", EXP),
    MEMBER("logistic", LOGISTIC),
};

/* ---- ops ---- */

static const struct shape scalar = SCALAR;

static struct value conv3(struct case_builder *m, struct value x)
{
    return graph_add_conv_2d(m, x, &(struct graph_window){ .out = 5, .h = 3, .w = 3 });
}

static struct value conv1(struct case_builder *m, struct value x)
{
    return graph_add_conv_2d(m, x, &(struct graph_window){ .out = 6, .h = 1, .w = 1 });
}

static struct value depthwise(struct case_builder *m, struct value x)
{
    return graph_add_depthwise_conv_2d(m, x, &(struct graph_window){ .h = 3, .w = 3 });
}

static struct value transpose_conv(struct case_builder *m, struct value x)
{
    return graph_add_transpose_conv(
        m, x, &(struct graph_window){ .out = 3, .h = 2, .w = 2, .stride = 2 });
}

static struct value dense(struct case_builder *m, struct value x)
{
    return graph_add_fully_connected(m, x, 7, false, ACTIVATION_NONE);
}

static struct value dense_pixels(struct case_builder *m, struct value x)
{
    return graph_add_fully_connected(m, x, 7, true, ACTIVATION_NONE);
}

static struct value mean_c(struct case_builder *m, struct value x)
{
    return graph_add_mean(m, x, 8, false);
}

static struct value mean_hw(struct case_builder *m, struct value x)
{
    return graph_add_mean(m, x, 6, false);
}

static struct value mean_w_keep(struct case_builder *m, struct value x)
{
    return graph_add_mean(m, x, 4, true);
}

static struct value softmax(struct case_builder *m, struct value x)
{
    return graph_add_softmax(m, x);
}

static struct value average_pool(struct case_builder *m, struct value x)
{
    return graph_add_pool(m, BUILTIN_AVERAGE_POOL_2D, x, &(struct graph_window){ .h = 3, .w = 3 });
}

static struct value max_pool(struct case_builder *m, struct value x)
{
    return graph_add_pool(m, BUILTIN_MAX_POOL_2D, x, &(struct graph_window){ .h = 3, .w = 3 });
}

static struct value pad(struct case_builder *m, struct value x)
{
    return graph_add_pad(m, x, 1, 1);
}

/* Two channels after those of x. */
static struct value concat(struct case_builder *m, struct value x)
{
    struct shape more = x.shape;

    more.d[3] = 2;
    return graph_add_concatenation(
        m, 2, (const struct value[]){ x, graph_add_input(m, "more", &more) }, 3);
}

/* All channels but the first; of one channel, the rows but the first. */
static struct value slice(struct case_builder *m, struct value x)
{
    const int axis = graph_channels(x) > 1 ? 3 : 1;

    return x.shape.d[axis] > 1 ? graph_add_strided_slice(m, x, axis, 1, x.shape.d[axis] - 1, 1)
                               : graph_add_strided_slice(m, x, 2, 0, x.shape.d[2], 1);
}

static struct value reverse(struct case_builder *m, struct value x)
{
    return graph_add_strided_slice(m, x, 3, graph_channels(x) - 1, graph_channels(x), -1);
}

/* Columns become channels. */
static struct value regroup(struct case_builder *m, struct value x)
{
    return graph_add_reshape(
        m, x, &(struct shape)DIMS(x.shape.d[0], x.shape.d[1], x.shape.d[3], x.shape.d[2]));
}

static struct value flatten(struct case_builder *m, struct value x)
{
    const int32_t n = x.shape.d[0];

    return graph_add_reshape(m, x, &(struct shape)DIMS(n, (int32_t)shape_elements(&x.shape) / n));
}

static struct value resize(struct case_builder *m, struct value x)
{
    return graph_add_resize_bilinear(m, x, 5, 3, false);
}

static struct value add(struct case_builder *m, struct value x)
{
    return graph_add_binary(m, BUILTIN_ADD, x,
                            graph_add_constant(m, &(struct shape)DIMS(graph_channels(x))),
                            ACTIVATION_NONE);
}

static struct value sub(struct case_builder *m, struct value x)
{
    return graph_add_binary(m, BUILTIN_SUB, x, graph_add_constant(m, &scalar), ACTIVATION_NONE);
}

/* A constant less the image. */
static struct value sub_from(struct case_builder *m, struct value x)
{
    return graph_add_binary(m, BUILTIN_SUB, graph_add_constant(m, &scalar), x, ACTIVATION_RELU6);
}

/* The image times a factor for each image of the batch, which is computed at run time. */
static struct value mul(struct case_builder *m, struct value x)
{
    const struct shape one = DIMS(x.shape.d[0], 1, 1, 1);

    return graph_add_binary(m, BUILTIN_MUL, graph_add_input(m, "factor", &one), x, ACTIVATION_NONE);
}

static struct value maximum(struct case_builder *m, struct value x)
{
    return graph_add_binary(m, BUILTIN_MAXIMUM, x, graph_add_constant(m, &scalar), ACTIVATION_NONE);
}

static struct value minimum(struct case_builder *m, struct value x)
{
    return graph_add_binary(m, BUILTIN_MINIMUM, graph_add_constant(m, &scalar), x, ACTIVATION_NONE);
}

static struct value prelu(struct case_builder *m, struct value x)
{
    return graph_add_prelu(m, x);
}

static struct value relu(struct case_builder *m, struct value x)
{
    return graph_add_unary(m, BUILTIN_RELU, x);
}

static struct value relu6(struct case_builder *m, struct value x)
{
    return graph_add_unary(m, BUILTIN_RELU6, x);
}

static struct value exponential(struct case_builder *m, struct value x)
{
    return graph_add_unary(m, BUILTIN_EXP, x);
}

static struct value logistic(struct case_builder *m, struct value x)
{
    return graph_add_unary(m, BUILTIN_LOGISTIC, x);
}

/* ---- the axes ---- */

/* X(name, member, function, version), where version 0 is 1.  The ops before CONV1 return an image,
 * so they can be first. */
#define LINKS(X)                                                                                   \
    X(SUB, "sub", sub, 0)                                                                          \
    X(SUB_FROM, "sub", sub_from, 0)                                                                \
    X(ADD, "add", add, 0)                                                                          \
    X(EXPONENTIAL, "exp", exponential, 0)                                                          \
    X(LOGISTIC, "logistic", logistic, 0)                                                           \
    X(MAXIMUM, "maximum", maximum, 0)                                                              \
    X(MINIMUM, "minimum", minimum, 0)                                                              \
    X(MUL, "mul", mul, 0)                                                                          \
    X(PRELU, "prelu", prelu, 0)                                                                    \
    X(CONV3, "conv_2d", conv3, 0)                                                                  \
    X(DEPTHWISE, "depthwise_conv_2d", depthwise, 0)                                                \
    X(TRANSPOSE_CONV, "transpose_conv", transpose_conv, 3)                                         \
    X(DENSE_PIXELS, "fully_connected", dense_pixels, 5)                                            \
    X(MEAN_W_KEEP, "mean", mean_w_keep, 0)                                                         \
    X(SOFTMAX, "softmax", softmax, 0)                                                              \
    X(AVERAGE_POOL, "average_pool_2d", average_pool, 0)                                            \
    X(MAX_POOL, "max_pool_2d", max_pool, 0)                                                        \
    X(PAD, "pad", pad, 0)                                                                          \
    X(CONCAT, "concatenation", concat, 0)                                                          \
    X(SLICE, "strided_slice", slice, 0)                                                            \
    X(REGROUP, "reshape", regroup, 0)                                                              \
    X(RESIZE, "resize_bilinear", resize, 0)                                                        \
    X(CONV1, "conv_2d", conv1, 0)                                                                  \
    X(DENSE, "fully_connected", dense, 0)                                                          \
    X(MEAN_C, "mean", mean_c, 0)                                                                   \
    X(MEAN_HW, "mean", mean_hw, 0)                                                                 \
    X(REVERSE, "strided_slice", reverse, 0)                                                        \
    X(FLATTEN, "reshape", flatten, 0)                                                              \
    X(RELU, "relu", relu, 0)                                                                       \
    X(RELU6, "relu6", relu6, 0)

enum link_name {
#define LINK_NAME(name, ...) name,
    LINKS(LINK_NAME) LINK_COUNT
};
static const struct link links[LINK_COUNT] = {
#define LINK_ROW(name, op_, make_, version_) [name] = { op_, make_, version_ },
    LINKS(LINK_ROW)
};

/* In both axes x is an enum link_name. */
static const struct pairwise_level firsts[] = {
    { "after_sub", SUB, 0 },
    { "after_sub_from", SUB_FROM, 0 },
    { "after_add", ADD, 0 },
    { "after_exp", EXPONENTIAL, 0 },
    { "after_logistic", LOGISTIC, 0 },
    { "after_maximum", MAXIMUM, 0 },
    { "after_minimum", MINIMUM, 0 },
    { "after_mul", MUL, 0 },
    { "after_prelu", PRELU, 0 },
    { "after_conv", CONV3, 0 },
    { "after_depthwise", DEPTHWISE, 0 },
    { "after_transpose", TRANSPOSE_CONV, 0 },
    { "after_dense", DENSE_PIXELS, 0 },
    { "after_mean", MEAN_W_KEEP, 0 },
    { "after_softmax", SOFTMAX, 0 },
    { "after_average", AVERAGE_POOL, 0 },
    { "after_max_pool", MAX_POOL, 0 },
    { "after_pad", PAD, 0 },
    { "after_concat", CONCAT, 0 },
    { "after_slice", SLICE, 0 },
    { "after_reshape", REGROUP, 0 },
    { "after_resize", RESIZE, 0 },
};
static const struct pairwise_level seconds[] = {
    { "k3", CONV3, 0 },          { "k1", CONV1, 0 },      { "k3", DEPTHWISE, 0 },
    { "k2", TRANSPOSE_CONV, 0 }, { "flat", DENSE, 0 },    { "rows", DENSE_PIXELS, 0 },
    { "c", MEAN_C, 0 },          { "hw", MEAN_HW, 0 },    { "last", SOFTMAX, 0 },
    { "same", AVERAGE_POOL, 0 }, { "same", MAX_POOL, 0 }, { "all", PAD, 0 },
    { "two", CONCAT, 0 },        { "first", SLICE, 0 },   { "back", REVERSE, 0 },
    { "flat", FLATTEN, 0 },      { "up", RESIZE, 0 },     { "linear", ADD, 0 },
    { "scalar", SUB, 0 },        { "image", MUL, 0 },     { "scalar", MAXIMUM, 0 },
    { "linear", PRELU, 0 },      { "f", RELU, 0 },        { "f", LOGISTIC, 0 },
};
static const struct pairwise_level channels[] = {
    { "c1", 1, 0 }, { "c2", 2, 0 }, { "c3", 3, 0 }, { "c4", 4, 0 },   { "c5", 5, 0 },
    { "c6", 6, 0 }, { "c7", 7, 0 }, { "c9", 9, 0 }, { "c17", 17, 0 },
};
static const struct pairwise_level batches[] = { { "", 1, 0 }, { "n2", 2, 0 }, { "n3", 3, 0 } };
enum { FIRST, SECOND, CHANNEL, BATCH };
static const struct pairwise_axis axes[] = { PAIRWISE_AXIS(firsts), PAIRWISE_AXIS(seconds),
                                             PAIRWISE_AXIS(channels), PAIRWISE_AXIS(batches) };

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;

    graph_add_judged_output(m,
                            r->second->make(m, r->first->make(m, graph_add_input(m, "x", &r->in))));
}

static struct row swept_row(const struct pairwise_row *p)
{
    const struct pairwise_level *const *const level = p->level;
    const struct link *const second = &links[level[SECOND]->x];
    struct row r = {
        .base = { .name = p->name,
                  .why = "the second op must not see what the first leaves in padding lanes",
                  .only = second->op,
                  .types = TYPE_BIT(CASE_F32),
                  .version = second->version,
                  .scale = 0.5, /* three sums of products in a row stay below 65504 */
                  .gap = GAP_LANES },
        .in = DIMS(level[BATCH]->x, 4, 5, level[CHANNEL]->x),
        .first = &links[level[FIRST]->x],
        .second = second,
    };

    if (p->index % 20 == 0)
        r.base.types |= TYPE_BIT(CASE_I8);
    if (p->index % 20 == 10 && level[SECOND]->x != EXPONENTIAL) /* EXP has no u8 */
        r.base.types |= TYPE_BIT(CASE_U8);
    return r;
}

SUITE_SWEEP(sweep, SWEEP_PART(swept_row, axes))

static const struct row none[1];
const struct suite suite_pairs = {
    .stem = "pairs",
    .members = members,
    .member_count = sizeof members / sizeof members[0],
    .rows = none,
    .row_bytes = sizeof none[0],
    .build = build,
    .sweep = sweep,
};
