/* Which class of bounds each design of arithmetic keeps, and which it does not: the table of
 * TOLERANCES.md 13.6, shown by a delegate that computes in the way its option names. */
/* Needs: mock/arithmetic.so */
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tests/kit/cases_kit.h"
#include "conformance/tests/kit/judge_kit.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include <stdio.h>

/* Judges one case on the design, held to a list of classes. */
static struct case_result judge_design(const char *design, const char *classes, const char *name)
{
    char option[64];
    const char *items[] = { option };
    const struct string_list list = { items, 1 };
    struct subject subject;

    snprintf(option, sizeof option, "arithmetic=%s", design);
    if (subject_init(&subject, mock_path("arithmetic.so"), &list, &err) != STATUS_OK ||
        bounds_parse(classes, &subject.bounds, &subject.quantized, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    return judge_kit_run(&subject, name);
}

struct row {
    const char *design, *classes;
};

static void expect(const struct row *rows, size_t row_count, const char *const *cases,
                   size_t case_count, enum case_status status)
{
    for (size_t i = 0; i < row_count; i++) {
        for (size_t k = 0; k < case_count; k++) {
            const struct case_result r = judge_design(rows[i].design, rows[i].classes, cases[k]);

            if (r.status != status)
                fail_msg("%s held to %s: %s: margin %g, %s: got %g, want %g, limit %g",
                         rows[i].design, rows[i].classes, cases[k], r.margin,
                         r.reason[0] ? r.reason : "passes", r.got, r.want, r.limit);
        }
    }
}
#define COUNT(array)                (sizeof(array) / sizeof(array)[0])
#define EXPECT(rows, cases, status) expect(rows, COUNT(rows), cases, COUNT(cases), status)

/* Sums of products of at least nine terms, so that there is something to sum. */
static const char *const sums[] = {
    "conv_2d.f32.c5",
    "conv_2d.f32.valid",
    "depthwise_conv_2d.f32.c5",
    "fully_connected.f32.k33_u33",
    "transpose_conv.f32.in5",
    "average_pool_2d.f32.same3",
    "lstm.f32.a5",
};
static const char *const others[] = {
    "exp.f32.c5", "logistic.f32.c5", "softmax.f32.c5", "add.f32.c5", "resize_bilinear.f32.up_c5",
};
/* CONV_2D of 3x3 with stride 1. */
static const char *const tiles[] = { "conv_2d.f32.c5", "conv_2d.f32.valid", "conv_2d.f32.groups2" };

TEST(test_honest_designs_pass)
{
    static const struct row rows[] = {
        /* Orders of summation, contraction, denormals and exponentials are no matter of class. */
        { "f32", "fp32" },
        { "bias_first", "fp32" },
        { "backward", "fp32" },
        { "pairs", "fp32" },
        { "lanes16", "fp32" },
        { "fma", "fp32" },
        { "flushed", "fp32" },
        { "exp3", "fp32" },
        /* A class that is declared for what is not done changes nothing. */
        { "f32", "winograd,hybrid" },
        { "f32", "rtz" },
        { "rtz", "rtz" },
        { "half_stored", "fp16" },
        { "half_stored_cut", "fp16" },
        { "half_stored_sums", "fp16" },
        { "half_stored", "fp16_arith" },
        { "half", "fp16_arith" },
        { "half_fma", "fp16_arith" },
        { "half_pairs", "fp16_arith" },
        { "half_chunks", "fp16_arith" },
        { "half_products", "fp16_arith" },
        { "half_flushed", "fp16_arith" },
        { "half_stores_sums", "fp16_arith" },
        { "half_cut", "fp16_arith,rtz" },
    };

    /* Where roundings toward zero need both, twice u and K. */
    static const struct row cut[] = { { "rtz", "rtz" } };
    static const char *const largest[] = { "transpose_conv.f32.out64",
                                           "depthwise_conv_2d.f32.prime" };

    EXPECT(rows, sums, CASE_PASS);
    EXPECT(rows, others, CASE_PASS);
    EXPECT(cut, largest, CASE_PASS);
}

TEST(test_coarser_sums_fail)
{
    static const struct row rows[] = {
        { "tf32", "fp32" },         { "tf32", "rtz" },       { "tf32", "winograd" },
        { "bf16", "fp32" },         { "bf16", "rtz" },       { "bf16x3", "fp32" },
        { "f16_products", "fp32" }, { "f16_sums", "fp32" },  { "f16_sums", "rtz" },
        { "f16_chunks", "fp32" },   { "f16_chunks", "rtz" }, { "half_stored", "fp32" },
        { "half", "fp16" },         { "half_fma", "fp16" },  { "half_bf16", "fp16" },
    };
    static const char *const cases[] = { "conv_2d.f32.c5", "fully_connected.f32.k33_u33",
                                         "lstm.f32.a5" };
    static const struct row cut[] = { { "rtz", "fp32" } };
    static const char *const longest[] = { "conv_2d.f32.c5", "fully_connected.f32.k33_u33" };

    EXPECT(rows, cases, CASE_FAIL);
    EXPECT(cut, longest, CASE_FAIL); /* it shows in longer sums */
}

/* f16 sums of at most 32 products: those of all products fail where there are many. */
TEST(test_runs)
{
    static const struct row honest[] = { { "f32", "fp16_runs" },
                                         { "half_stored", "fp16_runs" },
                                         { "half_chunks", "fp16_runs" },
                                         { "half_runs", "fp16_runs" } };
    static const struct row coarse[] = { { "half", "fp16_runs" }, { "half_fma", "fp16_runs" } };
    static const struct row elsewhere[] = { { "half_runs", "fp16" } };
    static const struct row outside[] = { { "half", "fp16_runs" } };
    static const char *const shallow[] = { "conv_2d.f32.c5", "fully_connected.f32.k33_u33",
                                           "transpose_conv.f32.in5" };
    static const char *const deep[] = { "conv_2d.f32.long_4608", "fully_connected.f32.k1001" };
    static const char *const averages[] = { "average_pool_2d.f32.same3" };

    EXPECT(honest, shallow, CASE_PASS);
    EXPECT(honest, deep, CASE_PASS);
    EXPECT(coarse, deep, CASE_FAIL);
    EXPECT(elsewhere, shallow, CASE_FAIL);
    EXPECT(outside, averages, CASE_FAIL);
}

TEST(test_winograd)
{
    static const struct row honest[] = {
        { "winograd", "winograd" },
        { "winograd_rtz", "winograd,rtz" },
        { "half_stored_winograd", "fp16,winograd" },
        { "half_winograd", "fp16_arith,winograd" },
    };
    static const struct row wrong[] = {
        { "winograd", "fp32" },
        { "winograd", "hybrid" },
        { "winograd_rtz", "winograd" },
        { "winograd_tf32", "winograd" },
        { "bf16x3", "winograd" },
        { "f16_sums", "winograd" },
        { "half_winograd", "fp16,winograd" },
    };
    static const struct row elsewhere[] = { { "tf32", "winograd" }, { "rtz", "winograd" } };
    static const char *const no_tiles[] = { "conv_2d.f32.k5x5", "fully_connected.f32.k33_u33" };

    EXPECT(honest, tiles, CASE_PASS);
    EXPECT(wrong, tiles, CASE_FAIL);
    EXPECT(elsewhere, no_tiles, CASE_FAIL);
}

/* The sharp bounds of LSTM and of exponentials: errors of 16 ulp, and of 2^-18 of the result. */
TEST(test_systematic_errors)
{
    static const struct row rows[] = { { "skewed", "fp32" } };
    static const struct row exponentials[] = { { "exp16", "fp32" } };
    static const char *const skewed[] = { "lstm.f32.a5", "lstm.f32.d1", "logistic.f32.c5",
                                          "softmax.f32.c5", "exp.f32.c5" };
    static const char *const functions[] = { "exp.f32.c5", "lstm.f32.d2_a3_n7_large" };

    EXPECT(rows, skewed, CASE_FAIL);
    EXPECT(exponentials, functions, CASE_FAIL);
}

TEST(test_dynamic_range)
{
    static const char *const cases[] = { "conv_2d.dynamic.c4", "depthwise_conv_2d.dynamic.c4",
                                         "transpose_conv.dynamic.in3",
                                         "fully_connected.dynamic.k32_u32" };
    static const struct row honest[] = { { "hybrid", "hybrid" },
                                         { "f32", "hybrid" },
                                         { "f32", "fp32" } };
    static const struct row wrong[] = { { "hybrid", "fp32" }, { "hybrid_4bit", "hybrid" } };
    static const struct row floats[] = { { "tf32", "hybrid" } };

    EXPECT(honest, cases, CASE_PASS);
    EXPECT(wrong, cases, CASE_FAIL);
    EXPECT(floats, sums, CASE_FAIL);
}

TEST(test_integers)
{
    static const char *const cases[] = { "add.i8.c5", "quantize.i8.c7", "conv_2d.i8.c6",
                                         "resize_bilinear.u8.up_c6" };
    static const struct row honest[] = { { "f32", "float_view" },
                                         { "f32", "one_step" },
                                         { "floor", "one_step" } };
    static const struct row wrong[] = { { "floor", "exact" },
                                        { "floor", "float_view" },
                                        { "step_off", "one_step" } };

    EXPECT(honest, cases, CASE_PASS);
    EXPECT(wrong, cases, CASE_FAIL);
}

TEST_FILE(.setup = kit_cases_open, .teardown = kit_cases_close);
