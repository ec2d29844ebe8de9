/* FULLY_CONNECTED of floats: results by hand, and what it refuses. */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

TEST(fully_connected_by_hand)
{
    TfLiteFullyConnectedParams *p;
    struct op_test t;

    op_begin(&t, BUILTIN_FULLY_CONNECTED, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 3, DIMS(2, 1, 2), FLOATS(1, 2, 3, 4));
    op_input(&t, kTfLiteFloat32, 2, DIMS(3, 2), FLOATS(1, 0, 0, 1, -1, -1));
    op_input(&t, kTfLiteFloat32, 1, DIMS(3), FLOATS(0.5f, 0, 1));
    p = (void *)t.params.bytes;
    op_run(&t);
    op_has_shape(&t, 2, DIMS(2, 3));
    op_gives(&t, 6, FLOATS(1.5f, 2, -2, 3.5f, 4, -6));
    op_detail_is(&t, 5, -6, 8, 3);
    p->keep_num_dims = true;
    p->activation = kTfLiteActRelu;
    op_run(&t);
    op_has_shape(&t, 3, DIMS(2, 1, 3));
    op_gives(&t, 6, FLOATS(1.5f, 2, 0, 3.5f, 4, 0));
    op_end(&t);

    /* The depth runs over several dimensions of the input; no bias. */
    op_begin(&t, BUILTIN_FULLY_CONNECTED, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 4, DIMS(2, 1, 2, 1), FLOATS(1, 2, 3, 4));
    op_input(&t, kTfLiteFloat32, 2, DIMS(1, 4), FLOATS(1, 10, 100, 1000));
    op_absent(&t);
    op_run(&t);
    op_has_shape(&t, 2, DIMS(1, 1));
    op_gives(&t, 1, FLOATS(4321));
    op_detail_is(&t, 0, 4321, 4321, 4);
    op_end(&t);

    op_begin(&t, BUILTIN_FULLY_CONNECTED, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(2), FLOATS(1, 2));
    op_input(&t, kTfLiteFloat32, 2, DIMS(1, 2), FLOATS(3, 4));
    op_run(&t);
    op_has_shape(&t, 2, DIMS(1, 1));
    op_gives(&t, 1, FLOATS(11));
    op_end(&t);

    op_begin(&t, BUILTIN_FULLY_CONNECTED, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 0, NULL, FLOATS(3));
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 1), FLOATS(5, 7));
    op_run(&t);
    op_has_shape(&t, 2, DIMS(1, 2));
    op_gives(&t, 2, FLOATS(15, 21));
    op_end(&t);
}

TEST(fully_connected_refuses)
{
    TfLiteFullyConnectedParams *p;
    struct op_test t;

    op_begin(&t, BUILTIN_FULLY_CONNECTED, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(3, 4), NULL);
    op_input(&t, kTfLiteFloat32, 2, DIMS(5, 6), NULL);
    p = (void *)t.params.bytes;
    p->keep_num_dims = true;
    op_refused(&t, STATUS_INVALID, "input 0 (input)", "last dimension is 4", "depth 6", NULL);
    op_set_dims(t.in[1], 2, DIMS(5, 7));
    op_refused(&t, STATUS_INVALID, "input 0 (input)", "12 elements", "depth 7", NULL);
    op_set_dims(t.in[1], 2, DIMS(0, 4));
    op_refused(&t, STATUS_INVALID, "input 1 (weights)", "dimension 0 (units) is 0", NULL);
    op_set_dims(t.in[1], 2, DIMS(5, 0));
    op_refused(&t, STATUS_INVALID, "input 1 (weights)", "dimension 1 (depth) is 0", NULL);
    op_set_dims(t.in[1], 1, DIMS(4));
    op_refused(&t, STATUS_INVALID, "input 1 (weights)", "rank 1, expected 2", NULL);
    op_set_dims(t.in[1], 2, DIMS(5, 4));
    p->weights_format = kTfLiteFullyConnectedWeightsFormatShuffled4x16Int8;
    op_refused(&t, STATUS_UNSUPPORTED, "weights_format 1", NULL);
    p->weights_format = kTfLiteFullyConnectedWeightsFormatDefault;
    p->activation = kTfLiteActTanh;
    op_refused(&t, STATUS_UNSUPPORTED, "fused_activation_function 4", NULL);
    p->activation = kTfLiteActNone;
    op_input(&t, kTfLiteFloat32, 1, DIMS(4), NULL);
    op_refused(&t, STATUS_INVALID, "input 2 (bias)", "4 elements", "expected 5", NULL);
    p->keep_num_dims = false;
    op_set_dims(t.in[0], 0, NULL);
    op_refused(&t, STATUS_INVALID, "input 0 (input)", "1 elements", "depth 4", NULL);
    p->keep_num_dims = true;
    op_refused(&t, STATUS_INVALID, "input 0 (input)", "rank 0", NULL);
    op_end(&t);
}

TEST(fully_connected_reads_its_options)
{
    TfLiteFullyConnectedParams fc = { 0 };
    struct options o;

    options_init(&o, OPTIONS_FullyConnectedOptions);
    options_set_int(&o, "keep_num_dims", 1);
    options_set_int(&o, "weights_format", 1);
    ref_find(BUILTIN_FULLY_CONNECTED)->read_params(&o, &fc);
    assert_true(fc.keep_num_dims);
    assert_int_equal(fc.weights_format, kTfLiteFullyConnectedWeightsFormatShuffled4x16Int8);
}

TEST(an_empty_batch_gives_an_empty_output)
{
    struct op_test t;

    op_begin(&t, BUILTIN_FULLY_CONNECTED, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(0, 5), NULL);
    op_input(&t, kTfLiteFloat32, 2, DIMS(3, 5), NULL);
    op_run(&t);
    op_has_shape(&t, 2, DIMS(0, 3));
    op_end(&t);
}
