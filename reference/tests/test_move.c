/* The ops that move elements by a fixed map of indices: types that the suite does not have, shapes
 * and axes that are known in invoke only, and what is refused. */
#include "reference/tests/kit/quant_kit.h"
#include "reference/tests/kit/test.h"

static const int64_t longs[] = { INT64_MIN, -2, 3, 1LL << 40, 5, INT64_MAX };
static const int16_t shorts[] = { -32768, -2, 3, 300, 5, 32767 };

TEST(numbers_of_64_bits)
{
    struct op_test t;

    op_begin(&t, BUILTIN_TRANSPOSE, kTfLiteInt64);
    op_input(&t, kTfLiteInt64, 2, DIMS(2, 3), longs);
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(1, 0));
    op_run(&t);
    op_has_shape(&t, 2, DIMS(3, 2));
    op_gives_bytes(&t, 48, LONGS(INT64_MIN, 1LL << 40, -2, 5, 3, INT64_MAX));
    op_end(&t);
    op_begin(&t, BUILTIN_PACK, kTfLiteInt64);
    op_input(&t, kTfLiteInt64, 1, DIMS(2), longs);
    op_input(&t, kTfLiteInt64, 1, DIMS(2), longs + 4);
    *(TfLitePackParams *)(void *)t.params.bytes = (TfLitePackParams){ 2, 1 };
    op_run(&t);
    op_has_shape(&t, 2, DIMS(2, 2));
    op_gives_bytes(&t, 32, LONGS(INT64_MIN, 5, -2, INT64_MAX));
    op_end(&t);
    op_begin(&t, BUILTIN_REVERSE_V2, kTfLiteInt64);
    op_input(&t, kTfLiteInt64, 1, DIMS(6), longs);
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(-1));
    op_run(&t);
    op_gives_bytes(&t, 48, LONGS(INT64_MAX, 5, 1LL << 40, 3, -2, INT64_MIN));
    op_end(&t);
    op_begin(&t, BUILTIN_SHAPE, kTfLiteInt64);
    op_input(&t, kTfLiteBool, 3, DIMS(4, 0, 7), NULL);
    ((TfLiteShapeParams *)(void *)t.params.bytes)->out_type = kTfLiteInt64;
    op_run(&t);
    op_has_shape(&t, 1, DIMS(3));
    op_gives_bytes(&t, 24, LONGS(4, 0, 7));
    op_end(&t);
}

TEST(numbers_of_16_bits)
{
    struct op_test t;

    op_begin(&t, BUILTIN_SPLIT, kTfLiteInt16);
    op_output(&t, kTfLiteInt16);
    op_output(&t, kTfLiteInt16);
    op_input(&t, kTfLiteInt32, 0, NULL, INTS(-1));
    op_input(&t, kTfLiteInt16, 2, DIMS(1, 6), shorts);
    ((TfLiteSplitParams *)(void *)t.params.bytes)->num_splits = 3;
    op_run(&t);
    for (int i = 0; i < 3; i++)
        assert_memory_equal(t.out[i]->data.raw, shorts + 2 * i, 4);
    op_end(&t);
    op_begin(&t, BUILTIN_TILE, kTfLiteInt16);
    op_input(&t, kTfLiteInt16, 1, DIMS(2), shorts);
    op_input(&t, kTfLiteInt64, 1, DIMS(1), LONGS(2));
    op_run(&t);
    op_gives_bytes(&t, 8, ((const int16_t[]){ -32768, -2, -32768, -2 }));
    op_end(&t);
    op_begin(&t, BUILTIN_SLICE, kTfLiteInt16);
    op_input(&t, kTfLiteInt16, 2, DIMS(2, 3), shorts);
    op_input(&t, kTfLiteInt64, 1, DIMS(2), LONGS(1, 1));
    op_input(&t, kTfLiteInt64, 1, DIMS(2), LONGS(-1, 1));
    op_run(&t);
    op_has_shape(&t, 2, DIMS(1, 1));
    op_gives_bytes(&t, 2, &shorts[4]);
    op_end(&t);
}

/* An input that is computed: the output is dynamic, and has its shape when prepare runs again. */
TEST(shapes_that_invoke_knows)
{
    static const struct {
        int32_t code;
        int last; /* the input that is computed */
    } ops[] = { { BUILTIN_TRANSPOSE, 1 }, { BUILTIN_TILE, 1 },  { BUILTIN_BROADCAST_TO, 1 },
                { BUILTIN_SLICE, 2 },     { BUILTIN_SLICE, 1 }, { BUILTIN_EXPAND_DIMS, 1 } };

    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        const bool axis = ops[i].code == BUILTIN_EXPAND_DIMS;
        const int32_t one[] = { 1, 1 }, order[] = { 1, 0 }, shape[] = { 2, 3 };
        struct op_test t;

        op_begin(&t, ops[i].code, kTfLiteInt32);
        op_input(&t, kTfLiteInt32, 2, DIMS(2, 3), NULL);
        op_input(&t, kTfLiteInt32, axis ? 0 : 1, axis ? NULL : DIMS(2),
                 ops[i].code == BUILTIN_BROADCAST_TO ? shape
                 : ops[i].code == BUILTIN_TRANSPOSE  ? order
                                                     : one);
        if (ops[i].code == BUILTIN_SLICE)
            op_input(&t, kTfLiteInt32, 1, DIMS(2), one);
        t.in[ops[i].last]->allocation_type = kTfLiteArenaRw;
        assert_int_equal(op_prepare(&t), STATUS_OK);
        assert_true(t.shapes[0].dynamic);
        t.call.late = true;
        assert_int_equal(op_prepare(&t), STATUS_OK);
        assert_false(t.shapes[0].dynamic);
        assert_true(t.shapes[0].rank >= 2);
        op_end(&t);
    }
}

static void begin_transpose(struct op_test *t, TfLiteType type, int rank, const int32_t *perm)
{
    op_begin(t, BUILTIN_TRANSPOSE, type);
    op_input(t, type, 2, DIMS(2, 3), NULL);
    op_input(t, kTfLiteInt32, 1, &rank, perm);
}

TEST(wrong_dimensions)
{
    struct op_test t;

    begin_transpose(&t, kTfLiteFloat32, 2, INTS(0, 2));
    op_refused(&t, STATUS_INVALID, "element 1 is 2", NULL);
    op_end(&t);
    begin_transpose(&t, kTfLiteFloat32, 2, INTS(-3, 1));
    op_refused(&t, STATUS_INVALID, "element 0 is -3", NULL);
    op_end(&t);
    begin_transpose(&t, kTfLiteFloat32, 2, INTS(1, -1));
    op_refused(&t, STATUS_INVALID, "element 1 is -1", "earlier", NULL);
    op_end(&t);
    begin_transpose(&t, kTfLiteFloat32, 3, INTS(1, 0, 2));
    op_refused(&t, STATUS_INVALID, "3 elements, expected 2", NULL);
    op_end(&t);
    begin_transpose(&t, kTfLiteInt4, 2, INTS(1, 0));
    op_refused(&t, STATUS_UNSUPPORTED, "input 0", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_REVERSE_V2, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 3, DIMS(2, 3, 4), NULL);
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(0, 2));
    op_refused(&t, STATUS_UNSUPPORTED, "2 of the dimensions 0 to 2", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_REVERSE_V2, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 3, DIMS(2, 3, 4), NULL);
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(1, -2));
    op_refused(&t, STATUS_INVALID, "element 1 names dimension 1 a second time", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_SQUEEZE, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(1, 3), NULL);
    *(TfLiteSqueezeParams *)(void *)t.params.bytes = (TfLiteSqueezeParams){ { 0, -1 }, 2 };
    op_refused(&t, STATUS_INVALID, "entry 1 names dimension 1, which is 3", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_EXPAND_DIMS, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(1, 3), NULL);
    op_input(&t, kTfLiteInt64, 1, DIMS(1), LONGS(-4));
    op_refused(&t, STATUS_INVALID, "axis is -4", "rank 3", NULL);
    op_end(&t);
}

static void begin_split_v(struct op_test *t, int count, const int32_t *sizes, int32_t axis)
{
    static int32_t last;

    last = axis;
    op_begin(t, BUILTIN_SPLIT_V, kTfLiteFloat32);
    op_output(t, kTfLiteFloat32);
    op_input(t, kTfLiteFloat32, 2, DIMS(2, 7), NULL);
    op_input(t, kTfLiteInt32, 1, &count, sizes);
    op_input(t, kTfLiteInt32, 0, NULL, &last);
    ((TfLiteSplitVParams *)(void *)t->params.bytes)->num_splits = 2;
}

TEST(wrong_parts)
{
    struct op_test t;

    begin_split_v(&t, 2, INTS(3, 5), 1);
    op_refused(&t, STATUS_INVALID, "the sum is 8, expected 7", NULL);
    op_end(&t);
    begin_split_v(&t, 2, INTS(8, -1), 1);
    op_refused(&t, STATUS_INVALID, "the sum is 8, expected at most 7", NULL);
    op_end(&t);
    begin_split_v(&t, 2, INTS(-1, -1), 1);
    op_refused(&t, STATUS_INVALID, "elements 0 and 1 are both -1", NULL);
    op_end(&t);
    begin_split_v(&t, 2, INTS(9, -2), 1);
    op_refused(&t, STATUS_INVALID, "element 1 is -2", NULL);
    op_end(&t);
    begin_split_v(&t, 3, INTS(1, 2, 4), 1);
    op_refused(&t, STATUS_INVALID, "3 elements, expected 2", NULL);
    op_end(&t);
    begin_split_v(&t, 2, INTS(3, 4), 2);
    op_refused(&t, STATUS_INVALID, "axis is 2", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_SPLIT, kTfLiteFloat32);
    op_output(&t, kTfLiteFloat32);
    op_input(&t, kTfLiteInt32, 0, NULL, INTS(1));
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 7), NULL);
    ((TfLiteSplitParams *)(void *)t.params.bytes)->num_splits = 2;
    op_refused(&t, STATUS_INVALID, "num_splits is 2, which does not divide 7", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_UNPACK, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 7), NULL);
    *(TfLiteUnpackParams *)(void *)t.params.bytes = (TfLiteUnpackParams){ 1, 0 };
    op_refused(&t, STATUS_INVALID, "num is 1, expected 2", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_SLICE, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 2, DIMS(2, 7), NULL);
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(0, 5));
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(2, 3));
    op_refused(&t, STATUS_INVALID, "element 1 is 3, expected -1 to 2", NULL);
    op_end(&t);
}

static void begin_blocks(struct op_test *t, int32_t code, const int32_t *x, const int32_t *block,
                         const int32_t *margins)
{
    op_begin(t, code, kTfLiteFloat32);
    op_input(t, kTfLiteFloat32, 4, x, NULL);
    op_input(t, kTfLiteInt32, 1, DIMS(2), block);
    op_input(t, kTfLiteInt32, 2, DIMS(2, 2), margins);
}

TEST(wrong_blocks)
{
    struct op_test t;

    begin_blocks(&t, BUILTIN_SPACE_TO_BATCH_ND, DIMS(1, 3, 4, 1), INTS(2, 2), INTS(0, 0, 0, 0));
    op_refused(&t, STATUS_INVALID, "3 on dimension 1 with them", "multiple of the block's 2", NULL);
    op_end(&t);
    begin_blocks(&t, BUILTIN_SPACE_TO_BATCH_ND, DIMS(1, 3, 4, 1), INTS(2, 0), INTS(1, 0, 0, 0));
    op_refused(&t, STATUS_INVALID, "element 1 is 0", NULL);
    op_end(&t);
    begin_blocks(&t, BUILTIN_SPACE_TO_BATCH_ND, DIMS(1, 3, 4, 1), INTS(2, 2), INTS(2, -1, 0, 0));
    op_refused(&t, STATUS_INVALID, "row 0 is 2, -1", NULL);
    op_end(&t);
    begin_blocks(&t, BUILTIN_BATCH_TO_SPACE_ND, DIMS(6, 3, 4, 1), INTS(2, 2), INTS(0, 0, 0, 0));
    op_refused(&t, STATUS_INVALID, "up to element 1 does not divide 6", NULL);
    op_end(&t);
    begin_blocks(&t, BUILTIN_BATCH_TO_SPACE_ND, DIMS(4, 1, 4, 1), INTS(2, 2), INTS(2, 1, 0, 0));
    op_refused(&t, STATUS_INVALID, "row 0 is 2, 1, expected at most 2 in all", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_DEPTH_TO_SPACE, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 4, DIMS(1, 2, 2, 6), NULL);
    ((TfLiteDepthToSpaceParams *)(void *)t.params.bytes)->block_size = 2;
    op_refused(&t, STATUS_INVALID, "has 6 on dimension 3, expected a multiple of 4", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_SPACE_TO_DEPTH, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 4, DIMS(1, 2, 2, 6), NULL);
    op_refused(&t, STATUS_INVALID, "block_size is 0", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_TILE, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(3), NULL);
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(INT32_MAX));
    op_refused(&t, STATUS_INVALID, "element 0 is 2147483647", NULL);
    op_end(&t);
    op_begin(&t, BUILTIN_BROADCAST_TO, kTfLiteFloat32);
    op_input(&t, kTfLiteFloat32, 1, DIMS(3), NULL);
    op_input(&t, kTfLiteInt32, 1, DIMS(2), INTS(2, 4));
    op_refused(&t, STATUS_INVALID, "element 1 is 4, expected 3", NULL);
    op_end(&t);
}

/* Padding of quantized tensors is the zero point, and bytes of other scales are not moved. */
TEST(bytes)
{
    struct op_test t;

    quant_begin(&t, BUILTIN_SPACE_TO_BATCH_ND, kTfLiteInt8);
    quant_set(op_input(&t, kTfLiteInt8, 3, DIMS(1, 1, 2), ((const int8_t[]){ 11, 12 })), 0.5, -7);
    op_input(&t, kTfLiteInt32, 1, DIMS(1), INTS(2));
    op_input(&t, kTfLiteInt32, 2, DIMS(1, 2), INTS(1, 0));
    quant_set(t.out[0], 0.5, -7);
    op_run(&t);
    op_has_shape(&t, 3, DIMS(2, 1, 2));
    op_gives_bytes(&t, 4, ((const int8_t[]){ -7, -7, 11, 12 }));
    quant_set(t.out[0], 0.5, -6);
    op_refused(&t, STATUS_UNSUPPORTED, "zero point -7", NULL);
    op_end(&t);
}
