/* Names and types of the schema's codes, and option tables. */
#include "reference/tests/kit/test.h"

#include "reference/base/builtin.h"
#include "reference/format/op_options.h"

#include <math.h>

TEST(every_builtin_has_a_name)
{
    assert_int_equal(BUILTIN_COUNT, 210);
    for (int32_t code = 0; code < BUILTIN_COUNT; code++)
        assert_non_null(builtin_name(code));
    assert_string_equal(builtin_name(0), "ADD");
    assert_string_equal(builtin_name(3), "CONV_2D");
    assert_string_equal(builtin_name(BUILTIN_STABLEHLO_CASE), "STABLEHLO_CASE");
    assert_null(builtin_name(-1));
    assert_null(builtin_name(210));
    assert_null(builtin_name(INT32_MIN));
}

TEST(types_of_file_and_runtime_agree)
{
    assert_int_equal(TENSOR_TYPE_COUNT, 23);
    for (int32_t type = 0; type < TENSOR_TYPE_COUNT; type++) {
        const TfLiteType runtime = tensor_type_runtime(type);

        assert_non_null(tensor_type_name(type));
        assert_int_not_equal(runtime, kTfLiteNoType);
        assert_int_equal(runtime_type_file(runtime), type);
        assert_int_equal(runtime_type_bits(runtime), tensor_type_bits(type));
        assert_string_not_equal(runtime_type_name(runtime), "none");
        for (int32_t other = 0; other < type; other++)
            assert_string_not_equal(runtime_type_name(runtime),
                                    runtime_type_name(tensor_type_runtime(other)));
    }
    assert_string_equal(tensor_type_name(9), "INT8");
    assert_int_equal(tensor_type_bits(TENSOR_INT4), 4);
    assert_int_equal(tensor_type_bits(TENSOR_STRING), 0);
    assert_int_equal(tensor_type_bits(TENSOR_FLOAT16), 16);
    assert_int_equal(tensor_type_runtime(TENSOR_FLOAT16), kTfLiteFloat16);
    assert_string_equal(runtime_type_name(kTfLiteFloat32), "f32");
    assert_string_equal(runtime_type_name(kTfLiteInt8), "i8");
}

TEST(codes_out_of_range_are_refused)
{
    static const int32_t wrong[] = { -1, 23, INT32_MIN, INT32_MAX };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(tensor_type_name(wrong[i]));
        assert_int_equal(tensor_type_bits(wrong[i]), 0);
        assert_int_equal(tensor_type_runtime(wrong[i]), kTfLiteNoType);
    }
    assert_int_equal(runtime_type_file(kTfLiteNoType), -1);
    assert_int_equal(runtime_type_bits(kTfLiteNoType), 0);
    assert_string_equal(runtime_type_name(kTfLiteNoType), "none");
    assert_string_equal(runtime_type_name((TfLiteType)24), "none");
}

TEST(tables_are_found_by_tag)
{
    assert_int_equal(OPTIONS_TAG_COUNT, 128);
    for (int tag = 1; tag < OPTIONS_TAG_COUNT; tag++) {
        const struct option_table *table = option_table_find((uint8_t)tag);

        assert_non_null(table);
        assert_int_equal(table->tag, tag);
        assert_non_null(table->name);
        assert_true(table->field_count <= OPTION_FIELDS_MAX);
        for (int i = 0; i < table->field_count; i++) { /* slots without a gap, in order */
            assert_int_equal(table->fields[i].slot, i);
            assert_non_null(table->fields[i].name);
        }
    }
    assert_null(option_table_find(0));
    assert_null(option_table_find(128));
    assert_int_equal(options_2_tag(OPTIONS_StableHLOCompositeOptions), 21);
    assert_int_equal(options_tag_of_2(21), OPTIONS_StableHLOCompositeOptions);
    assert_int_equal(options_tag_of_2(18), 0);
    assert_int_equal(options_2_tag(OPTIONS_PadOptions), 0);
    assert_null(option_table_find(255));
    assert_int_equal(option_table_find(OPTIONS_Conv2DOptions)->field_count, 7);
    assert_int_equal(option_table_find(OPTIONS_PadOptions)->field_count, 0);
    assert_true(option_table_find(OPTIONS_PadOptions)->listed);
    assert_false(option_table_find(OPTIONS_CallOptions)->listed);
}

TEST(omitted_fields_have_their_defaults)
{
    struct options o;
    size_t count = 9;

    options_init(&o, OPTIONS_Conv2DOptions);
    assert_int_equal(options_int(&o, "stride_w"), 0);
    assert_int_equal(options_int(&o, "dilation_w_factor"), 1);
    assert_int_equal(options_int(&o, "dilation_h_factor"), 1);
    options_init(&o, OPTIONS_AddOptions);
    assert_int_equal(options_int(&o, "pot_scale_int16"), 1);
    options_init(&o, OPTIONS_BidirectionalSequenceLSTMOptions);
    assert_int_equal(options_int(&o, "time_major"), 1);
    options_init(&o, OPTIONS_UniqueOptions);
    assert_int_equal(options_int(&o, "idx_out_type"), TENSOR_INT32);
    options_init(&o, OPTIONS_SoftmaxOptions);
    assert_true(options_float(&o, "beta") == 0.0f);
    options_init(&o, OPTIONS_ReshapeOptions);
    assert_null(options_ints(&o, "new_shape", &count));
    assert_int_equal(count, 0);
    options_init(&o, 0);
    assert_int_equal(o.tag, 0);
}

TEST(values_are_set_and_compared)
{
    static const int32_t dims[] = { 1, -1 }, same[] = { 1, -1 }, other[] = { 1, 2 };
    struct options a, b;
    size_t count;

    options_init(&a, OPTIONS_FakeQuantOptions);
    options_init(&b, OPTIONS_FakeQuantOptions);
    assert_true(options_equal(&a, &b));
    options_set_float(&a, "max", 6.0f);
    assert_true(options_float(&a, "max") == 6.0f);
    assert_false(options_equal(&a, &b));
    options_set_float(&a, "max", NAN);
    options_set_float(&b, "max", NAN);
    assert_true(options_equal(&a, &b));
    options_set_int(&b, "num_bits", 8);
    assert_int_equal(options_int(&b, "num_bits"), 8);
    assert_false(options_equal(&a, &b));

    options_init(&a, OPTIONS_ReshapeOptions);
    options_init(&b, OPTIONS_ReshapeOptions);
    options_set_ints(&a, "new_shape", dims, 2);
    assert_ptr_equal(options_ints(&a, "new_shape", &count), dims);
    assert_int_equal(count, 2);
    assert_false(options_equal(&a, &b));
    options_set_ints(&b, "new_shape", same, 2);
    assert_true(options_equal(&a, &b));
    options_set_ints(&b, "new_shape", same, 1);
    assert_false(options_equal(&a, &b));
    options_set_ints(&a, "new_shape", NULL, 0); /* absent is not empty */
    options_set_ints(&b, "new_shape", same, 0);
    assert_false(options_equal(&a, &b));
    options_set_ints(&a, "new_shape", dims, 2);
    options_set_ints(&b, "new_shape", other, 2);
    assert_false(options_equal(&a, &b));
    options_init(&b, OPTIONS_SqueezeOptions);
    assert_false(options_equal(&a, &b));
}

TEST(texts_are_compared)
{
    struct options a, b;

    options_init(&a, OPTIONS_VarHandleOptions);
    options_init(&b, OPTIONS_VarHandleOptions);
    assert_true(options_equal(&a, &b));
    options_set_text(&a, "shared_name", "state");
    assert_string_equal(options_text(&a, "shared_name"), "state");
    assert_false(options_equal(&a, &b));
    options_set_text(&b, "shared_name", "start");
    assert_false(options_equal(&a, &b));
    options_set_text(&b, "shared_name", "state");
    assert_true(options_equal(&a, &b));
    options_set_text(&a, "shared_name", ""); /* absent is not empty */
    options_set_text(&b, "shared_name", NULL);
    assert_null(options_text(&b, "shared_name"));
    assert_false(options_equal(&a, &b));
    options_set_text(&b, "shared_name", "");
    assert_true(options_equal(&a, &b));
}
