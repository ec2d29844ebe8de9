/* RESHAPE: the new shape from the option or from a tensor, and what is refused. */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

static void set_new_shape(struct op_test *t, int count, const int32_t *entries)
{
    TfLiteReshapeParams *p = (void *)t->params.bytes;

    p->num_dimensions = count;
    if (count > 0)
        memcpy(p->shape, entries, (size_t)count * sizeof *entries);
}

TEST(reshape_by_option)
{
    struct op_test t;

    op_begin(&t, BUILTIN_RESHAPE, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 3), FLOATS(1, 2, 3, 4, 5, 6));
    set_new_shape(&t, 2, INTS(3, 2));
    op_run(&t);
    op_has_shape(&t, 2, DIMS(3, 2));
    op_gives(&t, 6, FLOATS(1, 2, 3, 4, 5, 6));
    op_detail_is(&t, 5, 6, 6, 1);
    set_new_shape(&t, 3, INTS(1, -1, 2));
    op_run(&t);
    op_has_shape(&t, 3, DIMS(1, 3, 2));
    set_new_shape(&t, 1, INTS(-1));
    op_run(&t);
    op_has_shape(&t, 1, DIMS(6));
    op_end(&t);

    op_begin(&t, BUILTIN_RESHAPE, kTfLiteInt8);
    op_input(&t, kTfLiteInt8, 1, DIMS(1), "x");
    op_run(&t); /* no option, no tensor: a scalar */
    op_has_shape(&t, 0, NULL);
    assert_int_equal(t.out[0]->data.int8[0], 'x');
    set_new_shape(&t, 1, INTS(0)); /* the old spelling */
    op_run(&t);
    op_has_shape(&t, 0, NULL);
    op_end(&t);

    op_begin(&t, BUILTIN_RESHAPE, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(0, 4), NULL);
    set_new_shape(&t, 2, INTS(7, 0));
    op_run(&t);
    op_has_shape(&t, 2, DIMS(7, 0));
    set_new_shape(&t, 2, INTS(4, -1));
    op_run(&t);
    op_has_shape(&t, 2, DIMS(4, 0));
    op_end(&t);
}

TEST(reshape_by_tensor)
{
    struct op_test t;

    op_begin(&t, BUILTIN_RESHAPE, kTfLiteInt16);
    op_input(&t, kTfLiteInt16, 1, DIMS(4), "abcdefgh");
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(2, -1));
    set_new_shape(&t, 1, INTS(4)); /* the tensor wins */
    op_run(&t);
    op_has_shape(&t, 2, DIMS(2, 2));
    assert_memory_equal(t.out[0]->data.raw, "abcdefgh", 8);
    /* Not a vector: the option is used. */
    op_set_dims(t.in[1], 2, DIMS(1, 2));
    op_run(&t);
    op_has_shape(&t, 1, DIMS(4));
    op_end(&t);

    op_begin(&t, BUILTIN_RESHAPE, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(1, 1), FLOATS(5));
    op_input(&t, kTfLiteInt32, 1, DIMS(0), NULL);
    op_run(&t); /* a vector without entries: a scalar */
    op_has_shape(&t, 0, NULL);
    op_end(&t);

    op_begin(&t, BUILTIN_RESHAPE, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(4), FLOATS(1, 2, 3, 4));
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(2, 2))->allocation_type = kTfLiteArenaRw;
    assert_int_equal(op_prepare(&t), STATUS_OK);
    assert_true(t.shapes[0].dynamic);
    t.call.late = true;
    op_run(&t);
    op_has_shape(&t, 2, DIMS(2, 2));
    op_end(&t);

    op_begin(&t, BUILTIN_RESHAPE, kTfLiteInt4);
    op_input(&t, kTfLiteInt4, 1, DIMS(3), "\x21\x03"); /* two a byte, an odd count */
    set_new_shape(&t, 2, INTS(3, 1));
    op_run(&t);
    assert_memory_equal(t.out[0]->data.raw, "\x21\x03", 2);
    op_end(&t);
}

TEST(reshape_refuses)
{
    struct op_test t;

    op_begin(&t, BUILTIN_RESHAPE, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(6), NULL);
    set_new_shape(&t, 2, INTS(-1, -1));
    op_refused(&t, STATUS_INVALID, "new shape", "entries 0 and 1", "-1", NULL);
    set_new_shape(&t, 2, INTS(-2, 3));
    op_refused(&t, STATUS_INVALID, "new shape", "entry 0", "-2", NULL);
    set_new_shape(&t, 2, INTS(2, 4));
    op_refused(&t, STATUS_INVALID, "new shape", "8 elements", "expected 6", NULL);
    set_new_shape(&t, 2, INTS(4, -1));
    op_refused(&t, STATUS_INVALID, "entry 1 is -1", "4 of 6", NULL);
    set_new_shape(&t, 2, INTS(0, -1));
    op_refused(&t, STATUS_INVALID, "entry 1 is -1", "0 of 6", NULL);
    set_new_shape(&t, 3, INTS(INT32_MAX, INT32_MAX, INT32_MAX));
    op_refused(&t, STATUS_INVALID, "new shape", "too large", NULL);
    ((TfLiteReshapeParams *)(void *)t.params.bytes)->num_dimensions = 9;
    op_refused(&t, STATUS_INVALID, "new_shape", "more than 8", NULL);
    set_new_shape(&t, 0, NULL);
    op_refused(&t, STATUS_INVALID, "1 elements", "expected 6", NULL);
    op_input(&t, kTfLiteInt64, 1, DIMS(1), LONGS(6));
    op_refused(&t, STATUS_UNSUPPORTED, "input 1 (shape)", "i64", NULL);
    t.in[1]->type = kTfLiteInt32;
    op_set_dims(t.in[1], 1, DIMS(9));
    op_refused(&t, STATUS_INVALID, "input 1 (shape)", "9 entries", NULL);
    t.out[0]->type = kTfLiteInt32;
    op_refused(&t, STATUS_UNSUPPORTED, "output 0", NULL);
    op_end(&t);

    op_begin(&t, BUILTIN_RESHAPE, kTfLiteString);
    op_input(&t, kTfLiteString, 1, DIMS(1), NULL);
    op_refused(&t, STATUS_UNSUPPORTED, "input 0 (input)", "expected one of fixed size", NULL);
    op_end(&t);
}

TEST(reshape_reads_its_option)
{
    const int32_t nine[9] = { 1, 1, 1, 1, 1, 1, 1, 1, 6 };
    const struct ref_op *op = ref_find(BUILTIN_RESHAPE);
    TfLiteReshapeParams p = { .num_dimensions = 0 };
    struct options o;

    options_init(&o, OPTIONS_ReshapeOptions);
    op->read_params(&o, &p);
    assert_int_equal(p.num_dimensions, 0);
    options_set_ints(&o, "new_shape", nine + 6, 3);
    op->read_params(&o, &p);
    assert_int_equal(p.num_dimensions, 3);
    assert_int_equal(p.shape[2], 6);
    options_set_ints(&o, "new_shape", nine, 9);
    op->read_params(&o, &p);
    assert_int_equal(p.num_dimensions, 9);
}
