/* Limits along a graph: from the inputs of an op to its outputs. */
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "conformance/suite/bounds/bound.h"
#include "conformance/suite/judge/hidden_limits.h"

#include "reference/runtime/interpreter.h"

#include <math.h>
#include <string.h>

enum { N = 6 };
static float x[N] = { 1, -2, 3, 0.5f, -4, 8 };

/* x + 1, and one op behind it. */
struct graph {
    struct model model;
    struct interpreter *in;
    struct case_instance instance;
};

enum { SUM = 2 };
#define PRODUCT "MUL {} sum f32[1,6]=3,-0.5,7,1,2,-5 -> y"

/* Makes the sum tensor 0, as the first of a file may be what lies between nodes. */
static void swap_first(const struct model_subgraph *m)
{
    struct model_tensor *const tensors = (struct model_tensor *)m->tensors, first = tensors[0];
    const struct model_ints *const lists[] = { &m->inputs,
                                               &m->outputs,
                                               &m->operators[0].inputs,
                                               &m->operators[0].outputs,
                                               &m->operators[1].inputs,
                                               &m->operators[1].outputs };

    tensors[0] = tensors[SUM];
    tensors[SUM] = first;
    for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++)
        for (size_t i = 0; i < lists[l]->count; i++) {
            int32_t *const t = (int32_t *)&lists[l]->data[i];

            *t = *t == 0 ? SUM : *t == SUM ? 0 : *t;
        }
}

static void open_graph_of(struct graph *g, const char *op, bool first)
{
    const struct interpreter_options options = { .preserve_all = true, .num_threads = -1 };

    *g = (struct graph){ .in = NULL };
    kit_text(&g->model, "ADD {} x:f32[1,6] one:f32[1,6]=1 -> sum; %s", op);
    if (first)
        swap_first(&g->model.subgraphs[0]);
    if (interpreter_open(&g->in, &g->model, &options, &err) != STATUS_OK ||
        interpreter_allocate(g->in, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    g->instance.input_count = 1;
    g->instance.inputs[0].type = kTfLiteFloat32;
    g->instance.inputs[0].bytes = sizeof x;
    g->instance.inputs[0].data[0] = x;
}

static void open_graph(struct graph *g, const char *op)
{
    open_graph_of(g, op, false);
}

static void close_graph(struct graph *g)
{
    interpreter_close(g->in);
    model_close(&g->model);
}

static uint64_t not_judged; /* elements, in margin_of */

static void fill_states(struct interpreter *in)
{
    for (int t = 0; t < (int)interpreter_tensor_count(in); t++) {
        TfLiteTensor *const state = interpreter_tensor(in, t);

        for (size_t i = 0; state->is_variable && i < state->bytes / sizeof(float); i++)
            state->data.f[i] = 0.25F;
    }
}

/* The result with element i moved by `off`; the margin that this takes, infinite when it fails. */
static double margin_of(struct graph *g, enum bounds bounds, int i, double off)
{
    const struct node_compare_request q = { .instance = &g->instance,
                                            .bounds = bounds,
                                            .set = SET_RANDOM };
    struct case_result r = { .status = CASE_PASS };
    struct outputs got;
    double margin = 0;

    assert_int_equal(inputs_write(g->in, &g->instance, 0, &err), STATUS_OK);
    fill_states(g->in);
    assert_int_equal(interpreter_invoke(g->in, &err), STATUS_OK);
    assert_int_equal(outputs_copy(&got, g->in, &err), STATUS_OK);
    fill_states(g->in);
    ((float *)got.items[0].data)[i] += (float)off;
    KIT_OK(hidden_limits_compare(g->in, &q, &got, &margin, &r, &err));
    outputs_close(&got);
    not_judged = r.not_judged;
    return r.status == CASE_PASS ? margin : INFINITY;
}

/* The limit of element i is within [low, high]. */
static void expect_limit(struct graph *g, enum bounds bounds, int i, double low, double high)
{
    if (!isfinite(margin_of(g, bounds, i, low)))
        fail_msg("element %d: %g is over the limit", i, low);
    if (isfinite(margin_of(g, bounds, i, high)))
        fail_msg("element %d: %g is within the limit", i, high);
    if (isfinite(margin_of(g, bounds, i, -high)))
        fail_msg("element %d: %g is within the limit", i, -high);
}

/* A clamp keeps the limit inside its range, and has none outside. */
TEST(test_clamp)
{
    struct graph g CLOSED_BY(close_graph);

    open_graph(&g, "RELU sum -> y");
    assert_true(margin_of(&g, BOUNDS_FP32, 0, 0) == 0);
    expect_limit(&g, BOUNDS_FP32, 5, 0x1p-20, 0x1.8p-19); /* 9: a unit for the sum, one ours */
    expect_limit(&g, BOUNDS_FP32, 1, 0, 1e-9);            /* -1: 0, and nothing above it */
    expect_limit(&g, BOUNDS_FP16, 5, 0x1p-7, 0x1.4p-6);
}

/* A tensor that is the first of the file is as uncertain as another. */
TEST(test_first_tensor)
{
    struct graph g CLOSED_BY(close_graph);

    open_graph_of(&g, "RELU sum -> y", true);
    expect_limit(&g, BOUNDS_FP32, 5, 0x1p-20, 0x1.8p-19);
}

TEST(test_product)
{
    struct graph g CLOSED_BY(close_graph);

    open_graph(&g, PRODUCT);
    /* (3 + 1) * 7: 7 times one or two ULPs of 4, and one of 28. */
    expect_limit(&g, BOUNDS_FP32, 2, (7 * 4 + 16) * 0x1p-23, (2 * 7 * 4 + 17) * 0x1p-23);
}

/* Each product is off by its weight: 9 * 2 + 8 * 1 + 7 * 4 + ... units of the sums. */
TEST(test_sums)
{
    static const double ulps[N] = { 2, 1, 4, 1, 2, 8 }; /* of x + 1, in 2^-23 */
    static const struct bound_rule dot = { .kind = BOUND_DOT };
    struct bound_point p = { .value = 3, .magnitude = 3, .terms = N + 1, .row = 3 };
    double carried = 0, own;
    struct graph g CLOSED_BY(close_graph);

    for (int i = 0; i < N; i++) {
        const double w = 9 - i, v = x[i] + 1; /* of the last unit */

        carried += w * ulps[i] * 0x1p-23;
        p.value += w * v;
        p.magnitude += fabs(w * v);
    }
    own = bound_limit(&dot, BOUNDS_FP32, &p);
    open_graph(&g, "FULLY_CONNECTED {} sum f32[3,6]=1,-1,2,-2,3,-3,0,0,0,0,0,0,9,8,7,6,5,4\\\n"
                   " f32[3]=1,2,3 -> y");
    expect_limit(&g, BOUNDS_FP32, 2, own + 0.5 * carried, own + 1.6 * carried);
    expect_limit(&g, BOUNDS_FP32, 1, 0x1p-24, 0x1p-19); /* weights of 0: the bias alone */
}

/* A node with a state is run several times for its limits, each time from what the state was, and
 * so is what reads its result: the newest of three results is f * sum, and its time weight is 4.
 * The limit takes the others for as large. */
TEST(test_state)
{
    static const double ulps[N] = { 2, 1, 4, 1, 2, 8 }; /* of x + 1, in 2^-23 */
    static const struct bound_rule dot = { .kind = BOUND_DOT };
    struct bound_point p = { .value = (1 + 2) * 0.25, .terms = N + 3, .row = 1 };
    double carried = 0, own;
    struct graph g CLOSED_BY(close_graph);

    for (int i = 0; i < N; i++) {
        carried += (1 + 2 + 4) * ulps[i] * 0x1p-23;
        p.value += 4.0 * (x[i] + 1);
        p.magnitude += (1 + 2 + 4) * fabs(x[i] + 1.0);
    }
    own = bound_limit(&dot, BOUNDS_FP32, &p);
    open_graph(
        &g, "SVDF {rank=1} sum f32[1,6]=1 f32[1,3]=1,2,4 - f32[1,3]! -> s; MUL {} s f32[]=2 -> y");
    expect_limit(&g, BOUNDS_FP32, 0, 2 * own + carried, 2.5 * own + 3.2 * carried);
}

TEST(test_softmax)
{
    struct graph g CLOSED_BY(close_graph);

    open_graph(&g, "SOFTMAX {beta=2} sum -> y");
    /* About 1 at the largest: twice beta times the largest limit, 2^-20, and its own. */
    expect_limit(&g, BOUNDS_FP32, 5, 4 * 0x1p-20, 4 * 0x1p-20 + 0x1p-18);
}

/* What a mask leaves out has no part in the limits of the others, and none of its own. */
TEST(test_mask)
{
    struct graph g CLOSED_BY(close_graph);

    open_graph(&g, "ADD {} sum f32[1,6]=0,0,-inf,0,0,0 -> masked; SOFTMAX {beta=1} masked -> y");
    for (int half = 0; half < 2; half++) {
        const enum bounds bounds = half ? BOUNDS_FP16 : BOUNDS_FP32;

        expect_limit(&g, bounds, 2, 0, half ? 1e-6 : 1e-9);
        expect_limit(&g, bounds, 5, half ? 1e-3 : 1e-7, half ? 0.1 : 1e-4);
    }
}

/* What is -131,072, but for 2^18 and more, is no mask. */
TEST(test_uncertain_mask)
{
    struct graph g CLOSED_BY(close_graph);

    open_graph(&g, "MUL {} sum f32[1,6]=1,1099511627776,1,1,1,1 -> big; \\\n"
                   "ADD {} big f32[1,6]=0,1099511496704,0,0,0,0 -> masked; \\\n"
                   "SOFTMAX {beta=1} masked -> y");
    assert_true(isfinite(margin_of(&g, BOUNDS_FP32, 5, 0.5)));
}

/* 65,501 stored in f16 may be infinity, so nothing of the row is known; the shares of the others
 * are 0, and infinity times 0 is no limit. */
TEST(test_unlimited_softmax)
{
    struct graph g;

    x[1] = 65500;
    open_graph(&g, "SOFTMAX {beta=1} sum -> y");
    assert_true(isfinite(margin_of(&g, BOUNDS_FP16, 0, 0.5)));
    assert_int_equal(not_judged, N);
    close_graph(&g);
    x[1] = -2;
}

/* What leaves nothing of a row gives every element the same share, and none is NaN. */
TEST(test_mask_of_all)
{
    struct graph g CLOSED_BY(close_graph);

    open_graph(&g, "ADD {} sum f32[1,6]=-inf -> masked; SOFTMAX {beta=1} masked -> y");
    expect_limit(&g, BOUNDS_FP32, 2, 0, 1e-5);
    expect_limit(&g, BOUNDS_FP16, 2, 0, 1.1);
    assert_false(isfinite(margin_of(&g, BOUNDS_FP32, 2, NAN)));
    assert_false(isfinite(margin_of(&g, BOUNDS_FP16, 2, NAN)));
}

/* 2^-0.5, whose slope is 0.18: a unit or two of the sum, and those of the op. */
TEST(test_reciprocal_root)
{
    struct graph g CLOSED_BY(close_graph);

    open_graph(&g, "RSQRT sum -> y");
    expect_limit(&g, BOUNDS_FP32, 0, 0x1p-23, 1e-5);
}

/* A square is not monotone, but its largest change lies at the ends: of (4 - 1)^2 6 times a unit or
 * two of 4; of both operands, 6 times those of 4 and of 1. */
TEST(test_square)
{
    struct graph g;

    open_graph(&g, "SQUARED_DIFFERENCE {} sum f32[1,6]=1 -> y");
    expect_limit(&g, BOUNDS_FP32, 2, 6 * 4 * 0x1p-23, (2 * 6 * 4 + 32) * 0x1p-23);
    close_graph(&g);
    open_graph(&g, "MUL {} sum f32[1,6]=0.25 -> less; SQUARED_DIFFERENCE {} sum less -> y");
    expect_limit(&g, BOUNDS_FP32, 2, 6 * 5 * 0x1p-23, (2 * 6 * 5 + 44) * 0x1p-23);
    close_graph(&g);
}

/* Weights of 4 bits: x + 1 in steps of 9 / 127, half of one times the sum of |w|, 0.2 * 12. */
TEST(test_packed_weights)
{
    const double own = bound_limit(&(struct bound_rule){ .kind = BOUND_DOT }, BOUNDS_FP32,
                                   &(struct bound_point){ 0, 84, N + 1, 1 });
    struct graph g;

    open_graph(&g, "FULLY_CONNECTED {} sum i4[1,6]=1,2,-3,0,5,-1q(0.2,0) - -> y:f32[1,1]");
    expect_limit(&g, BOUNDS_FP32, 0, 1e-7, 1e-4);
    expect_limit(&g, BOUNDS_HYBRID, 0, 0.08, 0.1);
    close_graph(&g);
    /* 28 * 1.5 - 42: own, twice u for each part of the 84 that a weight's scale rounds, and 28
     * times a unit or two of 1.5, which is as much as half of that. */
    open_graph(&g, "FULLY_CONNECTED {} sum i4[1,6]=0,0,0,7,0,0q(4,0) f32[1]=-42 -> y:f32[1,1]");
    expect_limit(&g, BOUNDS_FP32, 0, own + 4 * 42 * 0x1p-24, own + 8 * 42 * 0x1p-24);
    close_graph(&g);
}

/* 2 / 4, by a divisor that is exact: a fourth of a unit or two of 2, and those of the op. */
TEST(test_quotient)
{
    struct graph g;

    open_graph(&g, "DIV {} sum f32[1,6]=4 -> y");
    expect_limit(&g, BOUNDS_FP32, 0, 0x1p-24, 8 * 0x1p-24);
    close_graph(&g);
}

/* A tensor that is read twice is displaced as one, so differences cancel. */
TEST(test_same_tensor)
{
    struct graph g CLOSED_BY(close_graph);

    open_graph(&g, "SUB {} sum sum -> y");
    expect_limit(&g, BOUNDS_FP32, 5, 0, 1e-9);
}

/* The maximum of uncertain values may change place: ARG_MAX has no limit, and any index passes. */
TEST(test_not_monotone)
{
    struct case_result r = { .status = CASE_PASS };
    struct graph g CLOSED_BY(close_graph);
    struct outputs got CLOSED_BY(outputs_close);
    double margin = 0;

    open_graph(&g, "ARG_MAX {output_type=i32} sum i32[]=1 -> y:i32");
    assert_int_equal(inputs_write(g.in, &g.instance, 0, &err), STATUS_OK);
    assert_int_equal(interpreter_invoke(g.in, &err), STATUS_OK);
    assert_int_equal(outputs_copy(&got, g.in, &err), STATUS_OK);
    ((int32_t *)got.items[0].data)[0] ^= 1;
    KIT_OK(hidden_limits_compare(g.in,
                                 &(struct node_compare_request){ .instance = &g.instance,
                                                                 .bounds = BOUNDS_FP32,
                                                                 .set = SET_RANDOM },
                                 &got, &margin, &r, &err));
    assert_int_equal(r.status, CASE_PASS);
    assert_true(margin <= 1);
    assert_int_equal(r.not_judged, 1);
}

static int status_of(struct graph *g, const struct outputs *got, bool from_outputs)
{
    const struct node_compare_request q = { .instance = &g->instance,
                                            .bounds = BOUNDS_FP32,
                                            .set = SET_RANDOM,
                                            .from_outputs = from_outputs };
    struct case_result r = { .status = CASE_PASS };
    double margin;

    KIT_OK(hidden_limits_compare(g->in, &q, got, &margin, &r, &err));
    return (int)r.status;
}

/* A sum that is seen has no limit for the product, which is that of the device's sum.  One unit of
 * 4 is 2^-21, of 28 2^-19. */
TEST(test_from_outputs)
{
    struct output_view sum = { .type = kTfLiteFloat32, .rank = 2, .dims = (const int[]){ 1, N } };
    struct graph g CLOSED_BY(close_graph);
    struct outputs got CLOSED_BY(outputs_close);
    float *y;

    open_graph(&g, PRODUCT);
    assert_int_equal(inputs_write(g.in, &g.instance, 0, &err), STATUS_OK);
    assert_int_equal(interpreter_invoke(g.in, &err), STATUS_OK);
    assert_int_equal(outputs_copy(&got, g.in, &err), STATUS_OK);
    sum.tensor = SUM;
    sum.bytes = sizeof x;
    sum.data = interpreter_tensor(g.in, SUM)->data.raw;
    assert_int_equal(outputs_add(&got, &sum, &err), STATUS_OK);
    y = got.items[0].data;
    ((float *)got.items[1].data)[2] += 0x1p-21f;
    assert_int_equal(status_of(&g, &got, false), CASE_PASS);
    assert_int_equal(status_of(&g, &got, true), CASE_FAIL); /* 7 units of 4 are 1.75 of 28 */
    y[2] += 7 * 0x1p-21f;
    assert_int_equal(status_of(&g, &got, true), CASE_PASS);
    y[2] -= 14 * 0x1p-21f; /* as far from the reference, and twice as far from the device's sum */
    assert_int_equal(status_of(&g, &got, false), CASE_PASS);
    assert_int_equal(status_of(&g, &got, true), CASE_FAIL);
}

/* 65,501 stored in f16 may be infinity, and so may half of it, which alone could not be; the other
 * elements keep their limits. */
TEST(test_overflow)
{
    struct graph g;

    x[1] = 65500;
    open_graph(&g, PRODUCT);
    assert_true(isfinite(margin_of(&g, BOUNDS_FP16, 1, -INFINITY)));
    assert_false(isfinite(margin_of(&g, BOUNDS_FP32, 1, -INFINITY)));
    assert_false(isfinite(margin_of(&g, BOUNDS_FP16, 2, INFINITY)));
    close_graph(&g);
    x[1] = -2;
}

/* What has no limit gives none where it is read, and where it is multiplied by 0: infinity less
 * infinity, and infinity times 0, are no verdict.  Elements that do not read it keep their limits.
 */
TEST(test_unlimited_sums)
{
    struct graph g;

    x[1] = 65500;
    open_graph(&g, "MUL {} sum f32[1,6]=1,-0.5,1,1,1,1 -> half; \\\n"
                   "FULLY_CONNECTED {} half f32[2,6]=1,1,1,1,1,1,1,0,1,1,1,1 f32[2]=0,0 -> y");
    assert_true(isfinite(margin_of(&g, BOUNDS_FP16, 0, 1e9)));
    assert_true(isfinite(margin_of(&g, BOUNDS_FP16, 1, 1e9)));
    assert_false(isfinite(margin_of(&g, BOUNDS_FP32, 0, 1e9)));
    close_graph(&g);
    open_graph(&g, "MEAN {keep_dims=true} sum i32[1]=1 -> y");
    assert_true(isfinite(margin_of(&g, BOUNDS_FP16, 0, 1e9)));
    close_graph(&g);
    x[1] = -2;
}

/* An output of another type is wrong, though its bytes are right. */
TEST(test_other_type)
{
    struct case_result r = { .status = CASE_PASS };
    struct node_compare_request request = { .bounds = BOUNDS_FP32, .set = SET_RANDOM };
    struct graph g CLOSED_BY(close_graph);
    struct outputs got CLOSED_BY(outputs_close);

    open_graph(&g, "RELU sum -> y");
    request.instance = &g.instance;
    assert_int_equal(inputs_write(g.in, &g.instance, 0, &err), STATUS_OK);
    assert_int_equal(interpreter_invoke(g.in, &err), STATUS_OK);
    assert_int_equal(outputs_copy(&got, g.in, &err), STATUS_OK);
    assert_int_equal(node_compare_outputs(g.in, &request, &got, &r, &err), STATUS_OK);
    assert_int_equal(r.status, CASE_PASS);
    got.items[0].type = kTfLiteInt32;
    assert_int_equal(node_compare_outputs(g.in, &request, &got, &r, &err), STATUS_OK);
    assert_int_equal(r.status, CASE_FAIL);
    assert_non_null(strstr(r.reason, "expected f32 [1, 6], 24 bytes, found i32 [1, 6], 24 bytes"));
}
