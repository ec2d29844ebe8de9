/* Reductions of models, and the smallest form that a judge still finds wrong. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/shrink/shrink_model.h"
#include "conformance/suite/shrink/shrink_step.h"
#include "conformance/suite/shrink/shrunk_forms.h"
#include "conformance/suite/subject/outputs.h"
#include "conformance/tests/kit/cases_kit.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"

#include "reference/format/read.h"
#include "reference/format/write.h"

#include <math.h>

/* ---- judges that look at the model alone ---- */

struct judge {
    bool (*fails)(const struct model *m, const struct case_instance *x);
    int calls;
    int fails_until;    /* 0: always; else only the first calls are judged */
    enum status status; /* what the judge itself returns */
};

static enum status judge(void *user, const struct case_instance *x, struct case_result *result,
                         struct diag *diag)
{
    struct judge *const j = user;
    struct model m CLOSED_BY(model_close);

    KIT_OK_DIAG(tflite_read(&m, x->file.bytes, x->file.count, diag), *diag);
    *result = (struct case_result){ .status = CASE_PASS };
    j->calls++;
    if (j->fails(&m, x) && (j->fails_until == 0 || j->calls <= j->fails_until))
        result_fail(result, "over the limit (%d of %d wrong)", j->calls, 2 * j->calls);
    return j->status == STATUS_OK ? STATUS_OK : diag_fail(diag, j->status, "no more");
}

static struct case_instance build(const char *name)
{
    const struct case_request request = { SET_RANDOM, 1, false };
    struct case_instance x;

    KIT_OK(case_build(kit_case(name), &request, &x, &err));
    return x;
}

static struct shrunk minimize(const char *name, struct judge *j, size_t limit)
{
    struct case_instance x CLOSED_BY(case_instance_close) = build(name);
    const struct case_result first = { .status = CASE_FAIL, .reason = "over the limit (9 of 9)" };
    const struct shrink_model_request q = {
        .instance = &x, .result = &first, .judge = judge, .user = j, .step_limit = limit
    };
    struct shrunk m;

    KIT_OK(shrink_model(&q, &m, &err));
    return m;
}

/* ---- what remains ---- */

static struct model open_minimal(const struct shrunk *m)
{
    struct model model;

    KIT_OK(tflite_read(&model, m->instance.file.bytes, m->instance.file.count, &err));
    return model;
}

static const struct model_tensor *input_of(const struct model *m, size_t i)
{
    return &m->subgraphs[0].tensors[m->subgraphs[0].operators[0].inputs.data[i]];
}

static const struct model_tensor *output_of(const struct model *m)
{
    return &m->subgraphs[0].tensors[m->subgraphs[0].outputs.data[0]];
}

static bool has_five_channels(const struct model *m, const struct case_instance *x)
{
    const struct model_ints *const shape = &output_of(m)->shape;

    (void)x;
    return shape->count > 0 && shape->data[shape->count - 1] >= 5;
}

/* Every element of the inputs and the data of constants that are left. */
static size_t count_values(const struct shrunk *m)
{
    size_t count = 0;

    for (size_t i = 0; i < m->instance.input_count; i++)
        count += m->instance.inputs[i].bytes;
    return count;
}

TEST(test_convolution)
{
    struct judge j = { .fails = has_five_channels };
    struct shrunk m CLOSED_BY(shrunk_close) = minimize("conv_2d.f32.same_s2_c5", &j, 500);
    struct model model CLOSED_BY(model_close) = open_minimal(&m);
    const struct model_tensor *const w = input_of(&model, 1);

    assert_false(m.outcome.flaky || m.outcome.flaky_end || m.outcome.limited);
    assert_int_equal(w->shape.data[0], 5);
    for (int i = 1; i < 4; i++)
        assert_int_equal(w->shape.data[i], 1);
    assert_int_equal(input_of(&model, 2)->shape.data[0], 5);
    assert_int_equal(count_values(&m), sizeof(float));
    assert_int_equal(options_int(&model.subgraphs[0].operators[0].options, "stride_w"), 1);
    for (int frame = 0; frame < 2; frame++)
        assert_true(((float *)m.instance.inputs[0].data[frame])[0] == 0);
}

#define LOOKS(name_, ...)                                                                          \
    static bool name_(const struct model *m __attribute__((unused)),                               \
                      const struct case_instance *x __attribute__((unused)))                       \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }                                                                                              \
    struct model

LOOKS(has_stride_two, options_int(&m->subgraphs[0].operators[0].options, "stride_h") == 2 &&
                          input_of(m, 0)->shape.data[1] >= 3);

/* What matters stays: the stride, and three rows. */
TEST(test_what_matters_stays)
{
    struct judge j = { .fails = has_stride_two };
    struct shrunk m CLOSED_BY(shrunk_close) = minimize("conv_2d.f32.same_s2_c5", &j, 500);
    struct model model CLOSED_BY(model_close) = open_minimal(&m);
    const struct model_tensor *const x = input_of(&model, 0);
    const struct options *const o = &model.subgraphs[0].operators[0].options;

    assert_int_equal(options_int(o, "stride_h"), 2);
    assert_int_equal(options_int(o, "stride_w"), 1);
    assert_int_equal(x->shape.data[1], 3);
    assert_int_equal(x->shape.data[0] * x->shape.data[2] * x->shape.data[3], 1);
}

LOOKS(always, true);
LOOKS(has_multiplier_three, output_of(m)->shape.data[3] == 3 * input_of(m, 0)->shape.data[3]);

/* Channels times a multiplier: both sizes change together. */
TEST(test_multiples)
{
    struct judge j = { .fails = has_multiplier_three };
    struct shrunk m CLOSED_BY(shrunk_close) = minimize("depthwise_conv_2d.f32.c5_m3", &j, 500);
    struct model model CLOSED_BY(model_close) = open_minimal(&m);

    assert_int_equal(input_of(&model, 0)->shape.data[3], 1);
    assert_int_equal(output_of(&model)->shape.data[3], 3);
}

/* Every element of scales and biases that go with a channel goes with it. */
TEST(test_scales_of_channels)
{
    struct judge j = { .fails = always };
    struct shrunk m CLOSED_BY(shrunk_close) = minimize("conv_2d.i8pc.c5", &j, 500);
    struct model model CLOSED_BY(model_close) = open_minimal(&m);
    const struct model_tensor *const w = input_of(&model, 1);

    assert_int_equal(w->shape.data[0], 1);
    assert_int_equal(w->quantization.scale.count, 1);
}

static bool has_five_inputs(const struct model *m, const struct case_instance *x)
{
    const struct model_ints *const shape = &input_of(m, 1)->shape;

    (void)x;
    return shape->data[1] >= 5;
}

/* Weights [units, inputs] and bias [units], with as many units as inputs: only the units go. */
TEST(test_pairs)
{
    struct judge j = { .fails = has_five_inputs };
    struct shrunk m CLOSED_BY(shrunk_close) = minimize("fully_connected.f32.k5_u5", &j, 500);
    struct model model CLOSED_BY(model_close) = open_minimal(&m);

    assert_int_equal(input_of(&model, 1)->shape.data[1], 5);
    assert_int_equal(input_of(&model, 1)->shape.data[0], 1);
    assert_int_equal(input_of(&model, 2)->shape.data[0], 1);
}

LOOKS(resizes, output_of(m)->shape.data[1] > input_of(m, 0)->shape.data[1]);

/* Sizes that are data: the new height of an enlargement. */
TEST(test_sizes_that_are_data)
{
    struct judge j = { .fails = resizes };
    struct shrunk m CLOSED_BY(shrunk_close) = minimize("resize_bilinear.f32.up_c1", &j, 500);
    struct model model CLOSED_BY(model_close) = open_minimal(&m);

    assert_int_equal(input_of(&model, 0)->shape.data[1], 1);
    assert_int_equal(output_of(&model)->shape.data[1], 2);
    assert_int_equal(output_of(&model)->shape.data[2], 1);
}

static bool has_large_element(const struct model *m, const struct case_instance *x)
{
    const float *const data = x->inputs[0].data[0];

    (void)m;
    for (size_t i = 0; i < x->inputs[0].bytes / sizeof *data; i++) {
        if (fabsf(data[i]) >= 2)
            return true;
    }
    return false;
}

/* One value matters: it becomes an integer, and all others 0. */
TEST(test_values)
{
    struct judge j = { .fails = has_large_element };
    struct shrunk m CLOSED_BY(shrunk_close) = minimize("relu.f32.c5", &j, 500);
    const float *const data = m.instance.inputs[0].data[0];

    for (size_t i = 0; i < m.instance.inputs[0].bytes / sizeof *data; i++)
        assert_true(data[i] == 0 || (fabsf(data[i]) >= 2 && data[i] == rintf(data[i])));
}

static bool has_relu(const struct model *m, const struct case_instance *x)
{
    (void)x;
    for (size_t n = 0; n < m->subgraphs[0].operator_count; n++) {
        if (m->opcodes[m->subgraphs[0].operators[n].opcode_index].code == BUILTIN_RELU)
            return true;
    }
    return false;
}

/* s = x + w, y = relu(s), z = y * y: what is left is RELU, on what the reference computes for s. */
TEST(test_nodes_are_dropped)
{
    static const float x[2][2] = { { 4, 5 }, { -1, 0.5f } };
    const struct case_result first = { .status = CASE_FAIL, .reason = "over the limit (1)" };
    struct judge j = { .fails = has_relu };
    struct model graph CLOSED_BY(model_close), model CLOSED_BY(model_close);
    struct case_instance instance CLOSED_BY(case_instance_close) = { .input_count = 1 };
    struct shrink_model_request q = {
        .instance = &instance, .result = &first, .judge = judge, .user = &j, .step_limit = 1
    };
    struct shrunk m CLOSED_BY(shrunk_close);

    kit_simple_graph(&graph);
    KIT_OK(tflite_write(&graph, &instance.file, &err));
    instance.judged_node = 1;
    instance.inputs[0].type = kTfLiteFloat32;
    instance.inputs[0].bytes = sizeof x[0];
    for (int frame = 0; frame < 2; frame++) {
        instance.inputs[0].data[frame] = mem_alloc(1, sizeof x[0]);
        memcpy(instance.inputs[0].data[frame], x[frame], sizeof x[0]);
    }
    KIT_OK(shrink_model(&q, &m, &err)); /* one step: the values are those of s = x + { 1, -3 } */
    model = open_minimal(&m);
    assert_int_equal(model.subgraphs[0].operator_count, 1);
    assert_true(has_relu(&model, NULL));
    assert_true(((float *)m.instance.inputs[0].data[0])[0] == 5);
    assert_true(((float *)m.instance.inputs[0].data[0])[1] == 2);
    assert_true(((float *)m.instance.inputs[0].data[1])[0] == 0);
    assert_true(((float *)m.instance.inputs[0].data[1])[1] == -2.5f);
    assert_true(m.outcome.limited);
}

/* A dimension that is shortened keeps the first elements of each row, in both frames. */
TEST(test_first_elements_stay)
{
    const struct shrink_step shorten = { SHRINK_DIM, .dims = { { { 0, 3 } }, 2 } };
    struct case_instance x CLOSED_BY(case_instance_close) = build("relu.f32.c5"), made;
    const size_t rows = x.inputs[0].bytes / (5 * sizeof(float));

    KIT_OK(shrink_step_make(&shorten, &x, &made, &err));
    assert_int_equal(made.inputs[0].bytes, rows * 2 * sizeof(float));
    for (int frame = 0; frame < 2; frame++) {
        const float *const from = x.inputs[0].data[frame], *const to = made.inputs[0].data[frame];

        for (size_t row = 0; row < rows; row++)
            assert_memory_equal(to + 2 * row, from + 5 * row, 2 * sizeof(float));
    }
    case_instance_close(&made);
}

/* ---- the loop ---- */

TEST(test_flaky)
{
    struct judge j = { .fails = always, .fails_until = 1 };
    struct shrunk m CLOSED_BY(shrunk_close) = minimize("relu.f32.c5", &j, 50);

    assert_true(m.outcome.flaky);
    assert_int_equal(m.outcome.accepted, 0);
    PRINTED(text, f, KIT_OK(shrunk_print(f, &m, &err)));
    assert_non_null(strstr(text, "flaky"));
}

TEST(test_step_limit)
{
    struct judge j = { .fails = always };
    struct shrunk m CLOSED_BY(shrunk_close) = minimize("conv_2d.f32.same_s2_c5", &j, 3);

    assert_true(m.outcome.limited);
    assert_true(j.calls <= 3 + SHRINK_REPEATS + 1);
}

TEST(test_judge_that_fails)
{
    struct judge j = { .fails = always, .status = STATUS_IO };
    struct case_instance x CLOSED_BY(case_instance_close) = build("relu.f32.c5");
    const struct case_result first = { .status = CASE_FAIL, .reason = "over the limit" };
    const struct shrink_model_request q = {
        .instance = &x, .result = &first, .judge = judge, .user = &j, .step_limit = 10
    };
    struct shrunk m;

    assert_int_equal(shrink_model(&q, &m, &err), STATUS_IO);
    assert_int_equal(j.calls, 1);
}

/* ---- all reductions ---- */

/* What reductions make is a model that the reference runs, or nothing. */
TEST(test_reductions_are_valid)
{
    static const char *const names[] = {
        "add.f32.c5",
        "arg_max.u8.c1",
        "average_pool_2d.f32.same3",
        "concatenation.i8.c6_3",
        "conv_2d.f16.c5",
        "conv_2d.dynamic.c2",
        "depthwise_conv_2d.dynamic.c1",
        "dequantize.f16.two",
        "fully_connected.i8pc.k2_u2",
        "lstm.f32.d1_a2_n2_small",
        "max_pool_2d.u8.c1",
        "mean.f32.hw_c5",
        "pad.f32.hw_end",
        "prelu.i8.c4",
        "reshape.f32.flat_c5",
        "resize_bilinear.u8.up_c2",
        "softmax.u8.c5",
        "strided_slice.i8.rows_c4",
        "transpose_conv.i8pc.in1",
        "quantize.i8.c2",
    };
    size_t valid = 0, all = 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct case_instance x;
        struct shrink_steps list;
        struct diag diag;

        x = build(names[i]);
        KIT_OK_DIAG(shrink_steps_find(&x, &list, &diag), diag);
        assert_true(list.count > 0);
        for (size_t r = 0; r < list.count; r++) {
            struct case_instance made;
            struct interpreter *in;
            struct model m;

            all++;
            if (shrink_step_make(&list.items[r], &x, &made, &diag) != STATUS_OK) {
                assert_null(made.file.bytes);
                assert_true(diag.text[0] != '\0');
                continue;
            }
            valid++;
            KIT_OK_DIAG(tflite_read(&m, made.file.bytes, made.file.count, &diag), diag);
            KIT_OK_DIAG(interpreter_open(&in, &m, NULL, &diag), diag);
            KIT_OK_DIAG(interpreter_allocate(in, &diag), diag);
            for (int frame = 0; frame < 2; frame++) {
                KIT_OK_DIAG(inputs_write(in, &made, frame, &diag), diag);
                KIT_OK_DIAG(interpreter_invoke(in, &diag), diag);
            }
            interpreter_close(in);
            model_close(&m);
            case_instance_close(&made);
        }
        shrink_steps_close(&list);
        case_instance_close(&x);
    }
    assert_true(valid > 100 && valid < all);
}

TEST(test_out_of_memory)
{
    struct case_instance x CLOSED_BY(case_instance_close) = build("conv_2d.f32.c5");
    struct shrink_steps list CLOSED_BY(shrink_steps_close);

    KIT_OK(shrink_steps_find(&x, &list, &err));
    for (size_t r = 0; r < list.count; r += 5) {
        struct case_instance made CLOSED_BY(case_instance_close);
        enum status s = STATUS_NO_MEMORY;

        for (int after = 0; s == STATUS_NO_MEMORY; after++) {
            mem_fail_after(after);
            s = shrink_step_make(&list.items[r], &x, &made, &err);
            mem_fail_after(-1);
        }
    }
}

TEST_FILE(.setup = kit_cases_open, .teardown = kit_cases_close);
