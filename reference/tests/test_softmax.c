/* SOFTMAX of floats: results by hand, and what it refuses. */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

static void set_beta(struct op_test *t, float beta)
{
    ((TfLiteSoftmaxParams *)(void *)t->params.bytes)->beta = beta;
}

TEST(softmax_by_hand)
{
    const double e = exp(1), sum = 1 + e + e * e;
    double weighted;
    struct op_test t;

    op_begin(&t, BUILTIN_SOFTMAX, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 3), FLOATS(-1, 0, 1, 1000, 1000, -1000));
    set_beta(&t, 1);
    op_run(&t);
    op_has_shape(&t, 2, DIMS(2, 3));
    weighted = (e + 2) / sum; /* sum of r_j * D_j with D = 2, 1, 0 */
    op_detail_is(&t, 0, 1 / sum, 2 + weighted, 3);
    op_detail_is(&t, 2, e * e / sum, weighted, 3);
    op_detail_is(&t, 3, 0.5, 0, 3);
    op_detail_is(&t, 5, 0, 2000, 3);
    set_beta(&t, 2);
    op_run(&t);
    op_detail_is(&t, 0, 1 / (1 + e * e + e * e * e * e),
                 4 + (2 * e * e + 4) / (1 + e * e + e * e * e * e), 3);
    set_beta(&t, 0);
    op_run(&t);
    op_detail_is(&t, 5, 1.0 / 3, 0, 3);
    set_beta(&t, -1000); /* the smallest element wins, and nothing overflows */
    op_run(&t);
    op_gives(&t, 6, FLOATS(1, 0, 0, 0, 0, 1));
    op_end(&t);

    /* Halves: 1/2, 1/2, 0 and, rounded once, 1/3. */
    op_begin(&t, BUILTIN_SOFTMAX, kTfLiteFloat16);
    op_input(&t, kTfLiteFloat16, 2, DIMS(2, 3),
             HALVES(0x7bff, 0x7bff, 0xfbff, 0x4200, 0x4200, 0x4200));
    set_beta(&t, 1);
    op_run(&t);
    op_gives_bytes(&t, 12, HALVES(0x3800, 0x3800, 0, 0x3555, 0x3555, 0x3555));
    op_detail_is(&t, 3, 1.0 / 3, 0, 3);
    op_end(&t);

    /* The distance is from the largest beta * x, also where x alone would say otherwise. */
    op_begin(&t, BUILTIN_SOFTMAX, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(2), FLOATS(3, 4));
    set_beta(&t, 2);
    op_run(&t);
    weighted = 2 / (1 + e * e); /* r_0 * D_0 */
    op_detail_is(&t, 0, 1 / (1 + e * e), 2 + weighted, 2);
    op_detail_is(&t, 1, e * e / (1 + e * e), weighted, 2);
    op_end(&t);
}

TEST(softmax_refuses)
{
    struct op_test t;

    op_begin(&t, BUILTIN_SOFTMAX, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(3), NULL);
    set_beta(&t, NAN);
    op_refused(&t, STATUS_INVALID, "beta is", "nan", NULL);
    set_beta(&t, INFINITY);
    op_refused(&t, STATUS_INVALID, "beta is inf", NULL);
    set_beta(&t, 1);
    op_set_dims(t.in[0], 0, NULL);
    op_refused(&t, STATUS_INVALID, "input 0 (input)", "rank 0", NULL);
    t.in[0]->type = kTfLiteFloat16;
    op_set_dims(t.in[0], 1, DIMS(3));
    op_refused(&t, STATUS_UNSUPPORTED, "output 0", "type f32", "expected f16", NULL);
    t.in[0]->type = kTfLiteInt32;
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input)", "type i32",
               "expected f32, u8, i16, i8, f16", NULL);
    op_end(&t);
}

TEST(softmax_reads_beta)
{
    TfLiteSoftmaxParams softmax = { 0 };
    struct options o;

    options_init(&o, OPTIONS_SoftmaxOptions);
    options_set_float(&o, "beta", 0.5f);
    ref_find(BUILTIN_SOFTMAX)->read_params(&o, &softmax);
    assert_true(softmax.beta == 0.5f);
}

TEST(no_channels_give_an_empty_output)
{
    struct op_test t;

    op_begin(&t, BUILTIN_SOFTMAX, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(3, 0), NULL);
    op_run(&t);
    op_has_shape(&t, 2, DIMS(3, 0));
    op_end(&t);
}
