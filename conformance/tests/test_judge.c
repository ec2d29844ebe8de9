/* The judge against mock delegates: each planted fault is found, and delegates without fault pass.
 */
/* Needs: mock/delegate.so mock/gpu.so */
/* Needs: assay */
#include "conformance/suite/judge/judge.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tests/kit/cases_kit.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "conformance/suite/io/array_hdf5.h"
#include "conformance/suite/io/npy.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/format/write.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A mock with these options, and its judge. */
struct judged {
    const char *options[4];
    struct judge_stage stage;
    struct subject subject;
    struct judge *judge;
};

static void open_judged(struct judged *j, const char *mock, const char *const *options,
                        size_t count, const char *repro)
{
    const struct string_list list = { j->options, count };
    const struct judge_options how = { .seed = 1, .repro_dir = repro, .stage = &j->stage };

    *j = (struct judged){ .stage = { .set = -1 } };
    for (size_t i = 0; i < count; i++)
        j->options[i] = options[i];
    if (subject_init(&j->subject, mock ? mock_path(mock) : "none", &list, &err) != STATUS_OK ||
        judge_open(&j->judge, &j->subject, &how, &err) != STATUS_OK)
        fail_msg("%s", err.text);
}

static void close_judged(struct judged *j)
{
    judge_close(j->judge);
    subject_close(&j->subject);
}

/* Judges one case on it with these bounds. */
static struct case_result judge_one(const char *mock, const char *name, const char *const *options,
                                    size_t count, enum bounds bounds, const char *repro)
{
    struct case_result result;
    struct judged j CLOSED_BY(close_judged);

    open_judged(&j, mock, options, count, repro);
    j.subject.bounds = bounds;
    judge_case(j.judge, kit_case(name), &result);
    return result;
}

static struct case_result judge_fault(const char *name, const char *fault, int ulps)
{
    char first[64], second[64];
    const char *const options[] = { first, second };

    snprintf(first, sizeof first, "fault=%s", fault);
    snprintf(second, sizeof second, "ulps=%d", ulps);
    return judge_one("delegate.so", name, options, 2, BOUNDS_FP32, NULL);
}

/* Cases of every kind of bound. */
static const char *const samples[] = {
    "relu.f32.c5",
    "pad.f32.hw_end",
    "reshape.f32.flat_c5",
    "add.f32.linear_b",
    "mul.f32.both_a",
    "mean.f32.hw_c5",
    "average_pool_2d.f32.same3",
    "softmax.f32.tail1001_4d",
    "conv_2d.f32.c5",
    "conv_2d.f16.c5",
    "depthwise_conv_2d.f32.c5_m3",
    "dequantize.f16.shared",
    "dequantize.f16.two",
    "fully_connected.f32.rank4_flat_c5",
    "gap.f32.conv_2d_runtime_both",
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

TEST(test_honest_passes)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        const struct case_result r = judge_fault(samples[i], "none", 0);

        if (r.status != CASE_PASS)
            fail_msg("%s: %s", samples[i], r.reason);
        assert_true(r.margin <= 1);
        assert_true(r.ms > 0);
        assert_true(r.bytes > 0);
        assert_string_equal(r.reason, "");
    }
}

TEST(test_reference_passes)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        const struct case_result r = judge_one(NULL, samples[i], NULL, 0, BOUNDS_FP32, NULL);

        if (r.status != CASE_PASS)
            fail_msg("%s: %s", samples[i], r.reason);
    }
}

/* The errors of an LSTM whose rows are normalized stay finite; results of i64, and those that the
 * reference computes when it prepares the graph, are compared. */
TEST(test_reference_has_limits)
{
    static const struct {
        const char *name;
        enum bounds bounds;
    } rows[] = { { "unidirectional_sequence_lstm.dynamic.norm", BOUNDS_HYBRID },
                 { "cast.i32.through_i64", BOUNDS_FP32 },
                 { "shape.f32.image", BOUNDS_FP32 },
                 { "range.f32.up", BOUNDS_FP32 } };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct case_result r = judge_one(NULL, rows[i].name, NULL, 0, rows[i].bounds, NULL);

        if (r.status != CASE_PASS)
            fail_msg("%s: %s, limit %g", rows[i].name, r.reason, r.limit);
        assert_true(isfinite(r.margin));
    }
}

/* f16 storage passes in class fp16, and fails in class fp32. */
TEST(test_half_storage)
{
    static const char *const folded[] = { "gap.f32.mul_run_constants",
                                          "gap.f32.mul_fold_constant_mul" };
    const char *const options[] = { "fault=half" };

    for (size_t i = 0; i < SAMPLES; i++) {
        const struct case_result r =
            judge_one("delegate.so", samples[i], options, 1, BOUNDS_FP16, NULL);

        if (r.status != CASE_PASS)
            fail_msg("%s: %s at %s: %g, not %g", samples[i], r.reason, r.where, r.got, r.want);
        assert_int_equal(judge_fault(samples[i], "half", 0).status, CASE_FAIL);
    }
    /* A product of constants is not shown, and may be off as any other; so says the margin. */
    for (size_t i = 0; i < sizeof folded / sizeof folded[0]; i++) {
        const struct case_result r =
            judge_one("delegate.so", folded[i], options, 1, BOUNDS_FP16, NULL);

        if (r.status != CASE_PASS || r.margin < 0.5)
            fail_msg("%s: %s, margin %g", folded[i], r.reason, r.margin);
    }
}

static void expect_fail(const char *name, const char *fault, int ulps, const char *reason)
{
    const struct case_result r = judge_fault(name, fault, ulps);

    if (r.status != CASE_FAIL)
        fail_msg("%s with fault=%s: %s", name, fault, case_status_name(r.status));
    if (!strstr(r.reason, reason))
        fail_msg("%s with fault=%s: \"%s\" is not in \"%s\"", name, fault, reason, r.reason);
    assert_true(r.has_set);
}

TEST(test_ulps)
{
    /* Moved: not by a single bit. */
    expect_fail("relu.f32.between", "ulps", 1, "not equal");
    expect_fail("pad.f32.hw_end", "ulps", 1, "not equal");
    expect_fail("reshape.f32.flat_c5", "ulps", -1, "not equal");
    /* Rounded once: one unit, so not two, and one of integers not at all. */
    expect_fail("add.f32.c5", "ulps", 1, "not equal");
    expect_fail("mul.f32.c5", "ulps", -2, "");
    /* Sums of integers: not at all. */
    expect_fail("conv_2d.f32.c5", "ulps", 1, "not equal");
    expect_fail("fully_connected.f32.k1001", "ulps", 1, "not equal");
    /* Sums of reals: within the limit, then beyond it. */
    assert_int_equal(judge_fault("mean.f32.hw_c5", "ulps", 3).status, CASE_PASS);
    expect_fail("mean.f32.hw_c5", "ulps", 100, "over the limit");
    assert_int_equal(judge_fault("softmax.f32.rank2_c10", "ulps", 4).status, CASE_PASS);
    expect_fail("softmax.f32.rank2_c10", "ulps", 200, "");
    /* Each within its limit, together not. */
    expect_fail("softmax.f32.rank2_c10", "bias", 9, "does not sum to 1");
    expect_fail("mean.f32.prime", "bias", 22, "of the errors is");
}

TEST(test_wrong_values)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        expect_fail(samples[i], "swap", 0, "wrong)");
        expect_fail(samples[i], "nan", 0, "NaN from finite input");
        expect_fail(samples[i], "unwritten", 0, "not written");
    }
    expect_fail("conv_2d.f32.relu6", "activation", 0, "not equal");
    expect_fail("conv_2d.f16.relu", "activation", 0, "not equal");
    expect_fail("add.f32.relu_n1", "activation", 0, "not equal");
}

TEST(test_first_wrong_element)
{
    const struct case_result r = judge_fault("relu.f32.prime", "nan", 0);

    assert_int_equal(r.status, CASE_FAIL);
    assert_int_equal(r.set, SET_INTEGERS); /* S2 runs first */
    assert_int_equal(r.frame, 'A');
    assert_true(r.has_element);
    assert_string_equal(r.where, "n 0 h 12 w 16 c 10");
    assert_true(isnan(r.got));
    assert_true(r.limit == 0);
}

TEST(test_out_of_bounds)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        expect_fail(samples[i], "overrun", 0, "written out of bounds");
        expect_fail(samples[i], "underrun", 0, "written out of bounds");
    }
}

/* Tensors without elements have guard words, too, and what is beside them is judged. */
TEST(test_empty_tensors)
{
    static const char *const names[] = { "relu.f32.empty_batch", "mean.f32.empty_batch",
                                         "softmax.f32.empty_batch", "conv_2d.f32.empty_batch",
                                         "strided_slice.f32.empty_result" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct case_result r = judge_fault(names[i], "none", 0);

        if (r.status != CASE_PASS)
            fail_msg("%s: %s", names[i], r.reason);
        assert_true(r.margin == 0);
        expect_fail(names[i], "overrun", 1, "behind its 0 bytes");
    }
    assert_int_equal(judge_fault("concatenation.f32.empty_input", "none", 0).status, CASE_PASS);
    expect_fail("concatenation.f32.empty_input", "swap", 1, "not equal");
    expect_fail("pad.f32.empty_filled", "nan", 1, "");
}

/* Guard words are NaN first, then large: a result in which they are seen is wrong. */
TEST(test_reads_out_of_bounds)
{
    static const char *const names[] = { "relu.f32.c5", "add.f32.linear_b", "mean.f32.hw_c5",
                                         "conv_2d.f32.c5" };

    for (int i = 0; i < 4; i++) {
        expect_fail(names[i], "overread", 0, "guard words round its tensors change");
        expect_fail(names[i], "underread", 0, "guard words round its tensors change");
        /* The larger of a number and NaN is the number, so only the other guard words show it. */
        expect_fail(names[i], "overread_max", 0, "guard words round its tensors change");
    }
}

TEST(test_memory_that_is_not_its_own)
{
    expect_fail("relu.f32.c5", "input", 0, "input 0 was written to");
    expect_fail("conv_2d.f32.c5", "input", 0, "input 0 was written to");
    expect_fail("conv_2d.f32.c5", "constant", 0, "constants were written to");
}

TEST(test_state_between_frames)
{
    expect_fail("relu.f32.between", "state", 0, "");
    expect_fail("mean.f32.hw_c5", "state", 0, "frame A gives other bits");
    expect_fail("softmax.f32.rank2_c10", "second", 0, "");
    assert_int_equal(judge_fault("softmax.f32.rank2_c10", "second", 0).frame, 'B');
}

static bool has_habit(uint32_t habits, enum habit habit)
{
    return habits >> habit & 1;
}

/* Composites are held to their decompositions; who takes none is held to nothing more. */
TEST(test_composites)
{
    const struct case_result r = judge_fault("composite.f32.softmax", "by_name", 0);

    assert_int_equal(r.status, CASE_PASS);
    assert_true(has_habit(r.left_out, HABIT_DEVICE_POISON)); /* it went on */
    assert_int_equal(judge_fault("composite.f32.canary_softmax", "none", 0).status, CASE_PASS);
    expect_fail("composite.f32.canary_softmax", "by_name", 0,
                "computed by name, not by decomposition: composite odml.softmax");
    expect_fail("composite.f32.unknown_name", "by_name", 0, "over the summed limits");
    assert_int_equal(judge_fault("composite.f32.softmax", "decline", 0).status, CASE_DECLINED);
}

/* Judges a mock that computes SOFTMAX by name, on a composite [2,3] of SOFTMAX and what follows. */
static struct case_result judge_by_name(const char *softmax, const char *last, float *x)
{
    const char *const options[] = { "fault=by_name" };
    struct case_instance instance = {
        .input_count = 1,
        .inputs = { { .type = kTfLiteFloat32, .bytes = 6 * sizeof *x, .data = { x, x } } },
        .judged_node = -1
    };
    struct case_result r;
    struct judged j;
    struct model m CLOSED_BY(model_close);

    kit_text(&m,
             "STABLEHLO_COMPOSITE {name=odml.softmax decomposition_subgraph_index=1 "
             "composite_attributes=flex()} x:f32[2,3] -> y:f32[2,3]\ngraph\n"
             "SOFTMAX {%s} a:f32[2,3] -> b:f32[2,3]; %s -> c:f32[2,3]",
             softmax, last);
    assert_int_equal(tflite_write(&m, &instance.file, &err), STATUS_OK);
    open_judged(&j, "delegate.so", options, 1, NULL);
    judge_instance(j.judge, kit_case("composite.f32.softmax"), SET_RANDOM, &instance, &r);
    close_judged(&j);
    mem_free(instance.file.bytes);
    return r;
}

/* Where a composite ends with what changes no value, who computes SOFTMAX with another beta is as
 * far from what comes before that as from the result.  What is no number is near to nothing. */
TEST(test_composites_that_are_not_named)
{
    static const char half[] = "MUL {} b f32[]=0.5", copy[] = "RESHAPE {new_shape=[2,3]} b";
    float x[6] = { 1, -2, 3, 0.5F, -4, 2.5F };
    struct case_result r = judge_by_name("beta=1", half, x);

    assert_int_equal(r.status, CASE_FAIL);
    assert_string_equal(r.reason, "computed by name, not by decomposition: composite odml.softmax");
    /* A twentieth of the largest value off, which is no more than 0.02. */
    r = judge_by_name("beta=1.3", half, (float[6]){ 0.2F, -0.2F, 0.1F, 0.2F, 0, -0.2F });
    assert_string_equal(r.reason, "over the summed limits, without the intermediates as outputs");
    r = judge_by_name("beta=1.001", copy, x);
    assert_int_equal(r.status, CASE_FAIL);
    assert_string_equal(r.reason, "over the summed limits, without the intermediates as outputs");
    x[4] = NAN;
    r = judge_by_name("beta=1", half, x);
    assert_int_equal(r.status, CASE_FAIL);
    assert_null(strstr(r.reason, "by name"));
}

TEST(test_failing_calls)
{
    expect_fail("relu.f32.c5", "invoke", 0, "mock: the device is lost");
    expect_fail("relu.f32.c5", "prepare", 0, "mock: out of patience");
}

TEST(test_declined)
{
    const char *const options[] = { "fault=decline" };
    struct case_result r = judge_fault("relu.f32.c5", "decline", 0);

    assert_int_equal(r.status, CASE_DECLINED);
    assert_string_equal(r.reason, "not taken");
    r = judge_one("gpu.so", "relu.f32.c5", options, 1, BOUNDS_FP32, NULL);
    assert_int_equal(r.status, CASE_DECLINED);
    assert_string_equal(r.reason, "mock.rule: dims[3] is 7, may be 4");
}

/* Only a library with assay_gpu_* gets the option poison. */
TEST(test_poison)
{
    const char *const options[] = { "fault=poison" };
    struct case_result r = judge_one("gpu.so", "relu.f32.c5", options, 1, BOUNDS_FP32, NULL);

    assert_int_equal(r.status, CASE_FAIL);
    assert_int_equal(r.set, SET_RANDOM);
    assert_non_null(strstr(r.reason, "poison=inf changes the result"));
    assert_true(r.has_element);
    assert_int_equal(judge_fault("relu.f32.c5", "poison", 0).status, CASE_PASS);
    r = judge_one("gpu.so", "relu.f32.c5", NULL, 0, BOUNDS_FP32, NULL);
    assert_int_equal(r.status, CASE_PASS);
    assert_int_equal(r.bytes, 1230);
}

static struct case_result judge_gpu(const char *name, const char *fault)
{
    char option[64];
    const char *const options[] = { option };

    snprintf(option, sizeof option, "fault=%s", fault);
    return judge_one("gpu.so", name, options, 1, BOUNDS_FP32, NULL);
}

static void expect_reason(const struct case_result *r, const char *reason)
{
    if (r->status != CASE_FAIL || !strstr(r->reason, reason))
        fail_msg("%s: \"%s\", not \"%s\"", case_status_name(r->status), r->reason, reason);
}

/* Every f16 value as input: results of infinities and NaNs may vary, all others may not. */
TEST(test_every_half)
{
    static const char *const names[] = { "relu.f32.every_half", "exp.f32.every_half",
                                         "logistic.f16.every_half" };
    struct case_result r;

    for (int i = 0; i < 3; i++) {
        r = judge_fault(names[i], "none", 0);

        if (r.status != CASE_PASS)
            fail_msg("%s: %s", names[i], r.reason);
        if (strstr(names[i], "f16")) /* the faults are of f32 outputs */
            continue;
        r = judge_fault(names[i], "nan", 0); /* the last input is a NaN in frame A only */
        expect_reason(&r, "NaN from finite input");
        assert_int_equal(r.frame, 'B');
    }
    r = judge_fault(names[0], "swap", 0); /* of 0 and the smallest denormal */
    expect_reason(&r, "not equal");
}

/* Our delegate must give the same bits, others must keep the bounds. */
TEST(test_batches)
{
    static const char name[] = "gap.f32.softmax_batch7_c13";
    struct case_result r = judge_gpu(name, "batch");

    expect_reason(&r, "image 1 of 7 has other bits as a batch of 1");
    assert_int_equal(judge_fault(name, "batch", 0).status, CASE_PASS);
    r = judge_gpu(name, "single");
    expect_reason(&r, "image 1 of 7 has other bits as a batch of 1");
    r = judge_fault(name, "single", 0);
    expect_reason(&r, "over the limit");
    /* Its constant shape holds the batch, so it is built anew with batch 1. */
    r = judge_gpu("gap.f32.reshape_batch3", "single");
    expect_reason(&r, "image 1 of 3 has other bits as a batch of 1");
    /* No image stands alone here. */
    assert_int_equal(judge_gpu("add.f32.batch_b", "none").status, CASE_PASS);
    assert_int_equal(judge_gpu("gap.f32.reshape_batch3", "none").status, CASE_PASS);
}

/* A delegate that leaves the host's thread with other arithmetic. */
TEST(test_thread_state)
{
    const struct case_result r = judge_fault("add.f32.c5", "rounding", 0);

    expect_reason(&r, "the rounding mode of the host's thread was changed");
    assert_int_equal(fegetround(), FE_TONEAREST);
}

/* What is checked beside the results, and what a subject does not allow, is told apart. */
TEST(test_habits)
{
    struct case_result r = judge_fault("gap.f32.reshape_batch3", "none", 0);

    assert_int_equal(r.status, CASE_PASS);
    assert_true(has_habit(r.habits, HABIT_REPEAT));
    assert_true(has_habit(r.habits, HABIT_GUARDS));
    assert_true(has_habit(r.habits, HABIT_POISON));
    assert_true(has_habit(r.habits, HABIT_SPLIT));
    assert_false(has_habit(r.habits, HABIT_SEQUENCE));
    assert_false(has_habit(r.habits, HABIT_HIDDEN));
    assert_false(has_habit(r.habits, HABIT_DEVICE_POISON));
    assert_true(has_habit(r.left_out, HABIT_DEVICE_POISON));
    r = judge_gpu("gap.f32.conv_2d_after_sub_c3", "none");
    assert_true(has_habit(r.habits, HABIT_DEVICE_POISON));
    assert_true(has_habit(r.habits, HABIT_HIDDEN));
    assert_int_equal(r.left_out, 0);
    r = judge_gpu("lstm.f32.a3", "none");
    assert_true(has_habit(r.habits, HABIT_SEQUENCE));
}

/* A graph is judged node by node, and then without its intermediates as outputs. */
TEST(test_hidden_intermediates)
{
    static const char name[] = "gap.f32.conv_2d_after_sub_c3";
    struct case_result r = judge_gpu(name, "hidden");

    expect_reason(&r, "no op was fused");
    assert_int_equal(judge_gpu(name, "none").status, CASE_PASS);
    r = judge_gpu(name, "merged");
    assert_int_equal(r.status, CASE_PASS);
    assert_true(has_habit(r.habits, HABIT_DEVICE_POISON));              /* it went on */
    assert_int_equal(judge_fault(name, "hidden", 0).status, CASE_PASS); /* it may have fused */
    r = judge_fault(name, "hidden_far", 0);
    expect_reason(&r, "over the summed limits");
    /* Merged in f16, an intermediate is not rounded: off by more than the last op may be. */
    r = judge_one("delegate.so", name, (const char *[]){ "fault=half_ends" }, 1, BOUNDS_FP16, NULL);
    if (r.status != CASE_PASS)
        fail_msg("%s: %s", name, r.reason);
    r = judge_one("gpu.so", name, (const char *[]){ "fault=half_ends" }, 1, BOUNDS_FP16, NULL);
    expect_reason(&r, "no op was fused"); /* so the bits did differ */
    /* Each link is compared: a fault in the first is found there, and its output is the second. */
    r = judge_fault(name, "nan", 0);
    assert_int_equal(r.status, CASE_FAIL);
    assert_int_equal(r.output, 1);
}

/* Variables are written by each inference, and reset to their first values. */
TEST(test_variables)
{
    struct case_result r = judge_fault("lstm.f32.a5", "none", 0);

    if (r.status != CASE_PASS)
        fail_msg("%s", r.reason);
    r = judge_fault("lstm.f32.a5", "forget", 0);
    expect_reason(&r, "inference 2 of a sequence: ");
    r = judge_fault("lstm.f32.a5", "keep", 0);
    expect_reason(&r, "frame A gives other bits after frame B");
    /* A step is judged from the device's own state: an error of one is not in the next. */
    r = judge_one("delegate.so", "lstm.f32.a5", (const char *[]){ "fault=half" }, 1, BOUNDS_FP16,
                  NULL);
    if (r.status != CASE_PASS)
        fail_msg("%s: %s", r.reason, r.where);
    assert_int_equal(judge_fault("lstm.f32.a5", "half", 0).status, CASE_FAIL);
}

/* ---- 8 bits ---- */

/* Judges an 8-bit case on a mock whose integers are held to a class. */
static struct case_result judge_bytes(const char *mock, const char *name, const char *fault,
                                      int ulps, enum bounds quantized)
{
    char first[64], second[64];
    const char *items[] = { first, second };
    const struct string_list list = { items, 2 };
    const struct judge_options how = { .seed = 1 };
    struct case_result result;
    struct subject subject CLOSED_BY(subject_close);
    struct judge *judge = NULL;

    snprintf(first, sizeof first, "fault=%s", fault);
    snprintf(second, sizeof second, "ulps=%d", ulps);
    if (subject_init(&subject, mock_path(mock), &list, &err) != STATUS_OK ||
        judge_open(&judge, &subject, &how, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    subject.quantized = quantized;
    judge_case(judge, kit_case(name), &result);
    judge_close(judge);
    return result;
}

/* Every kind of op: data movement, sums, tables, fixed point of its own. */
static const char *const byte_samples[] = {
    "conv_2d.i8.qover1_zhigh_yhigh",
    "conv_2d.i8pc.qties_ylow_cfar_relu6",
    "fully_connected.u8.q",
    "add.i8.every_pair",
    "mul.u8.every_pair",
    "maximum.u8.every_pair",
    "concatenation.u8.rescaled_every",
    "logistic.i8.every_byte",
    "softmax.u8.every_byte",
    "mean.i8.every_byte",
    "quantize.u8.same_coarser",
    "quantize.i8.other_flip",
    "gap.i8pc.dequantize_network_n2_c5",
};
enum { BYTE_SAMPLES = sizeof byte_samples / sizeof byte_samples[0] };

/* The reference's own integers are exact; those nearest to the exact results are float view. */
TEST(test_honest_bytes_pass)
{
    for (size_t i = 0; i < BYTE_SAMPLES; i++) {
        struct case_result r = judge_bytes("gpu.so", byte_samples[i], "none", 0, BOUNDS_EXACT);

        if (r.status != CASE_PASS)
            fail_msg("%s: %s", byte_samples[i], r.reason);
        assert_true(r.margin <= 1);
        assert_true(r.integers > 0);
        assert_int_equal(r.unequal, 0);
        r = judge_bytes("gpu.so", byte_samples[i], "nearest", 0, BOUNDS_FLOAT_VIEW);
        if (r.status != CASE_PASS)
            fail_msg("%s, nearest: %s at %s: %g, not %g", byte_samples[i], r.reason, r.where, r.got,
                     r.want);
    }
}

/* An element that is a step off fails, unless the exact result is a tie. */
TEST(test_off_by_one)
{
    for (size_t i = 0; i < BYTE_SAMPLES; i++) {
        struct case_result r = judge_bytes("delegate.so", byte_samples[i], "ulps", 1, BOUNDS_EXACT);

        expect_reason(&r, "not the integer of the reference");
        assert_true(r.has_element);
        r = judge_bytes("delegate.so", byte_samples[i], "ulps", -1, BOUNDS_EXACT);
        expect_reason(&r, "not the integer of the reference");
        r = judge_bytes("delegate.so", byte_samples[i], "ulps", 1, BOUNDS_FLOAT_VIEW);
        expect_reason(&r, "not the integer nearest to the exact result");
        r = judge_bytes("delegate.so", byte_samples[i], "bias", -1, BOUNDS_FLOAT_VIEW);
        expect_reason(&r, "not the integer nearest to the exact result");
    }
}

/* The nearest integers fail class exact where fixed point rounds twice, and the other way round. */
TEST(test_classes_differ)
{
    struct case_result r =
        judge_bytes("delegate.so", "quantize.i8.same_coarser", "nearest", 0, BOUNDS_FLOAT_VIEW);

    assert_int_equal(r.status, CASE_PASS);
    assert_true(r.unequal > 0 && r.unequal < r.integers / 2);
    r = judge_bytes("delegate.so", "quantize.i8.same_coarser", "nearest", 0, BOUNDS_EXACT);
    expect_reason(&r, "not the integer of the reference");
    r = judge_bytes("delegate.so", "quantize.i8.same_coarser", "none", 0, BOUNDS_FLOAT_VIEW);
    expect_reason(&r, "not the integer nearest");
}

/* Invariants of 8-bit cases. */
TEST(test_invariants_of_bytes)
{
    static const char name[] = "gap.i8.add_rescaled_n2_c5", one[] = "add.i8.every_pair";
    struct case_result r = judge_bytes("gpu.so", one, "poison", 0, BOUNDS_EXACT);

    expect_reason(&r, "changes the result");
    r = judge_bytes("delegate.so", one, "second", 0, BOUNDS_EXACT);
    expect_reason(&r, "");
    r = judge_bytes("delegate.so", one, "overrun", 0, BOUNDS_EXACT);
    expect_reason(&r, "written out of bounds");
    r = judge_bytes("delegate.so", one, "underrun", 0, BOUNDS_EXACT);
    expect_reason(&r, "written out of bounds");
    r = judge_bytes("delegate.so", one, "overread", 0, BOUNDS_EXACT);
    expect_reason(&r, "guard words round its tensors change");
    r = judge_bytes("delegate.so", one, "underread", 0, BOUNDS_EXACT);
    expect_reason(&r, "guard words round its tensors change");
    r = judge_bytes("gpu.so", name, "none", 0, BOUNDS_EXACT);
    if (r.status != CASE_PASS)
        fail_msg("%s: %s", name, r.reason);
    r = judge_bytes("gpu.so", name, "single", 0, BOUNDS_EXACT);
    expect_reason(&r, "image 1 of 2 has other bits as a batch of 1");
    r = judge_bytes("gpu.so", name, "hidden", 0, BOUNDS_EXACT);
    expect_reason(&r, "no op was fused");
    /* Merged: the same integers, or by float view at most one more or less. */
    r = judge_bytes("gpu.so", name, "merged", 0, BOUNDS_EXACT);
    expect_reason(&r, "other integers when intermediates are no outputs");
    assert_int_equal(judge_bytes("delegate.so", name, "hidden", 0, BOUNDS_EXACT).status, CASE_FAIL);
    r = judge_bytes("delegate.so", name, "hidden_far", 0, BOUNDS_FLOAT_VIEW);
    assert_int_equal(r.status, CASE_FAIL);
}

TEST(test_device)
{
    const struct judge_options how = { .seed = 1 };
    struct judge_device device;
    struct subject subject CLOSED_BY(subject_close);
    struct judge *judge = NULL;

    assert_int_equal(subject_init(&subject, mock_path("gpu.so"), NULL, &err), STATUS_OK);
    assert_int_equal(judge_open(&judge, &subject, &how, &err), STATUS_OK);
    judge_device(judge, &device);
    assert_string_equal(device.name, "Mock 3000");
    assert_string_equal(device.driver, "mock 1.2");
    assert_string_equal(device.api, "1.3.7");
    judge_close(judge);
}

TEST(test_no_delegate)
{
    const struct string_list no_device = { (const char *[]){ "fault=no_device" }, 1 };
    const struct string_list unknown = { (const char *[]){ "colour=blue" }, 1 };
    const struct judge_options how = { .seed = 1 };
    struct subject subject;
    struct judge *judge = NULL;

    assert_int_equal(subject_init(&subject, mock_path("gpu.so"), &no_device, &err), STATUS_OK);
    assert_int_equal(judge_open(&judge, &subject, &how, &err), STATUS_NO_DEVICE);
    assert_null(judge);
    assert_non_null(strstr(err.text, "there is no device"));
    subject_close(&subject);
    assert_int_equal(subject_init(&subject, mock_path("gpu.so"), &unknown, &err), STATUS_OK);
    assert_int_equal(judge_open(&judge, &subject, &how, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "colour"));
    subject_close(&subject);
}

static void expect_file(const char *directory, const char *file)
{
    char path[512];
    struct stat st;

    snprintf(path, sizeof path, "%s/%s", directory, file);
    if (stat(path, &st) != 0 || st.st_size == 0)
        fail_msg("%s is missing", path);
    unlink(path);
}

/* The arrays of a failed case say what failed: got, want and limit of the first output, frame A. */
static void expect_arrays(const char *directory)
{
    static const char *const names[] = { "got0_A", "want0_A", "limit0_A" };
    struct array a[3];
    char path[320];
    size_t wrong = 0;

    snprintf(path, sizeof path, "%s/tensors.h5", directory);
    for (int i = 0; i < 3; i++) {
        uint8_t *bytes;
        struct array npy;
        size_t count;

        assert_int_equal(hdf5_read(&a[i], path, names[i], -1, NULL, &err), STATUS_OK);
        snprintf(path, sizeof path, "%s/%s.npy", directory, names[i]);
        assert_int_equal(file_read(path, 1 << 20, &bytes, &count, &err), STATUS_OK);
        assert_int_equal(npy_read(&npy, bytes, count, &err), STATUS_OK);
        assert_int_equal(npy.bytes, a[i].bytes);
        assert_memory_equal(npy.data, a[i].data, npy.bytes);
        array_close(&npy);
        mem_free(bytes);
        snprintf(path, sizeof path, "%s/tensors.h5", directory);
    }
    for (size_t i = 0; i < a[0].elements; i++) {
        const double got = (double)((float *)a[0].data)[i];

        wrong += fabs(got - ((double *)a[1].data)[i]) > ((double *)a[2].data)[i];
    }
    assert_int_equal(wrong, 2); /* two elements changed places */
    for (int i = 0; i < 3; i++)
        array_close(&a[i]);
}

/* again.sh fails as the case did, and names it. */
static void expect_script(const char *directory)
{
    char command[700];

    snprintf(command, sizeof command, "%s/again.sh", directory);
    char *text CLOSED_BY(kit_free) = text_of_file(command);
    assert_non_null(strstr(text, "# add.f32.c5 on delegate.so fault=swap, fail: "));
    assert_non_null(strstr(text, "data set S"));
    snprintf(command, sizeof command, "ASSAY='%s' '%s/again.sh' --quiet >/dev/null 2>&1",
             build_path(".", "assay"), directory);
    assert_int_equal(WEXITSTATUS(system(command)), 1);
}

TEST(test_repro_files)
{
    static const char *const files[] = {
        "model.tflite", "input0_A.npy", "input0_B.npy", "input1_A.npy",
        "input1_B.npy", "got0_A.npy",   "got0_B.npy",   "want0_A.npy",
        "want0_B.npy",  "limit0_A.npy", "limit0_B.npy", "tensors.h5",
        "again.sh",     "model.txt",    "again.c",      "again.py",
    };
    const char *const options[] = { "fault=swap" };
    const char *const below = scratch("a/b");
    const char *const directory = scratch("a/b/add.f32.c5@delegate.so_fault=swap");

    assert_int_equal(judge_one("delegate.so", "add.f32.c5", options, 1, BOUNDS_FP32, below).status,
                     CASE_FAIL);
    expect_arrays(directory);
    expect_script(directory);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        expect_file(directory, files[i]);
    assert_int_equal(rmdir(directory), 0); /* nothing else was written */
    assert_int_equal(rmdir(below), 0);
    assert_int_equal(rmdir(scratch("a")), 0);
    /* A directory that cannot be made is said, and the failure stays the failure. */
    assert_non_null(
        strstr(judge_one("delegate.so", "add.f32.c5", options, 1, BOUNDS_FP32, "/proc/none").reason,
               "--repro-dir: /proc/none"));
}

TEST_FILE(.setup = kit_cases_open, .teardown = kit_cases_close, .leaves = "");
