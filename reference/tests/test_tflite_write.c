/* The writer, by reading back what it wrote: every table and field, every option table, the layout
 * of the bytes, and every allocation failing once. */
#include "reference/base/memory.h"
#include "reference/format/builder.h"
#include "reference/format/flatbuffer.h"
#include "reference/format/model_compare.h"
#include "reference/format/read.h"
#include "reference/format/write.h"
#include "reference/tests/kit/closed.h"
#include "reference/tests/kit/sample_model.h"
#include "reference/tests/kit/test.h"

#include <string.h>

/* Fails the test with the message. */
static void expect_ok(enum status s, const struct diag *diag)
{
    if (s != STATUS_OK)
        fail_msg("%s: %s", status_text(s), diag->text);
}

/* Writes, reads and compares. */
static void round_trip(const struct model *m, enum tflite_accept accept)
{
    struct tflite_file file, again;
    struct model back;

    expect_ok(tflite_write(m, &file, &err), &err);
    expect_ok(tflite_read_accepting(&back, file.bytes, file.count, accept, &err), &err);
    expect_ok(model_compare(m, &back, &err), &err);
    expect_ok(tflite_write(&back, &again, &err), &err); /* the same model, the same bytes */
    assert_int_equal(again.count, file.count);
    assert_memory_equal(again.bytes, file.bytes, file.count);
    model_close(&back);
    mem_free(file.bytes);
    mem_free(again.bytes);
}

TEST(every_field_comes_back)
{
    round_trip(&sample_model, ACCEPT_LEGAL);
}

/* One operator with these options: what round_trip needs around it. */
static void with_options(const struct options *options, struct model *m)
{
    static const int32_t dims[] = { 2 };
    struct builder b;
    int x, y;

    builder_init(&b);
    x = builder_tensor(&b, TENSOR_FLOAT32, "x", 1, dims);
    y = builder_tensor(&b, TENSOR_FLOAT32, "y", 1, dims);
    builder_op(&b, BUILTIN_RELU, 1, options, 1, &x, 1, &y);
    builder_inputs(&b, 1, &x);
    builder_outputs(&b, 1, &y);
    expect_ok(builder_finish(&b, m, &err), &err);
}

TEST(every_option_table_comes_back)
{
    static const int32_t ints[] = { 3, -1, 0 };
    int listed = 0;

    for (int tag = 0; tag < OPTIONS_TAG_COUNT; tag++) {
        const struct option_table *table = option_table_find((uint8_t)tag);
        struct options options;
        struct model m;

        if (table && !table->listed)
            continue;
        listed++;
        options_init(&options, (uint8_t)tag);
        with_options(&options, &m); /* all at their defaults */
        round_trip(&m, ACCEPT_SUPPORTED);
        model_close(&m);
        for (int i = 0; table && i < table->field_count; i++) {
            const struct option_field *field = &table->fields[i];

            switch (field->kind) {
            case OPTION_I8:
            case OPTION_TYPE: options_set_int(&options, field->name, -100 + i); break;
            case OPTION_I32: options_set_int(&options, field->name, -70000 - i); break;
            case OPTION_BOOL: options_set_int(&options, field->name, field->fallback == 0); break;
            case OPTION_F32: options_set_float(&options, field->name, -0.0f); break;
            case OPTION_STRING: options_set_text(&options, field->name, "a name"); break;
            case OPTION_BYTES: options_set_bytes(&options, field->name, "\1\0\3", 3); break;
            default: options_set_ints(&options, field->name, ints, 3); break;
            }
            with_options(&options, &m);
            round_trip(&m, ACCEPT_SUPPORTED);
            model_close(&m);
        }
    }
    assert_int_equal(listed, 1 + 114);
}

/* The values that a reader finds are those that were set: checked by slot, not by our reader. */
TEST(option_fields_stand_in_their_slots)
{
    struct options options;
    struct tflite_file file;
    struct fb_table op, t;

    options_init(&options, OPTIONS_Conv2DOptions);
    options_set_int(&options, "padding", 1);
    options_set_int(&options, "stride_h", 7);
    MODEL_BY(m, with_options(&options, &m));
    expect_ok(tflite_write(&m, &file, &err), &err);
    expect_ok(tflite_verify(file.bytes, file.count, &err), &err);
    op = fb_item(fb_item(fb_root(file.bytes), Model_subgraphs, 0), SubGraph_operators, 0);
    assert_int_equal(fb_int(op, Operator_builtin_options_type), 1);
    t = fb_sub(op, Operator_builtin_options);
    assert_int_equal(file.bytes[fb_find(t, 0)], 1);
    assert_int_equal(fb_find(t, 1), 0); /* stride_w: its default */
    assert_int_equal(fb_load_i32(file.bytes, fb_find(t, 2)), 7);
    assert_int_equal(fb_find(t, 4), 0); /* dilation_w_factor 1: its default */
    mem_free(file.bytes);
}

TEST(header_and_alignment)
{
    struct tflite_file file;
    struct model back;
    size_t data = 0;

    expect_ok(tflite_write(&sample_model, &file, &err), &err);
    assert_memory_equal(file.bytes + 4, "TFL3", 4);
    expect_ok(tflite_read_accepting(&back, file.bytes, file.count, ACCEPT_LEGAL, &err), &err);
    for (size_t i = 0; i < back.buffer_count; i++)
        if (back.buffers[i].data.data) {
            assert_int_equal((back.buffers[i].data.data - file.bytes) % 16, 0);
            data++;
        }
    assert_int_equal(data, 6);
    assert_int_equal((back.subgraphs[0].tensors[4].quantization.custom.data - file.bytes) % 16, 0);
    assert_true(back.buffers[2].large);
    assert_false(back.buffers[1].large);
    /* what is large stands behind all else */
    assert_true(back.buffers[2].data.data > back.buffers[5].data.data);
    assert_true(back.buffers[2].data.data > (const uint8_t *)back.description.text);
    assert_true(back.subgraphs[0].operators[3].custom_options_large);
    model_close(&back);
    mem_free(file.bytes);
}

TEST(equal_vtables_are_shared)
{
    static const int32_t dims[] = { 1 };
    size_t size[2];

    for (int extra = 0; extra < 2; extra++) {
        struct tflite_file file;
        struct builder b;

        builder_init(&b);
        for (int i = 0; i < 2 + extra; i++)
            builder_tensor(&b, TENSOR_FLOAT32, "", 1, dims);
        MODEL_BY(m, expect_ok(builder_finish(&b, &m, &err), &err));
        expect_ok(tflite_write(&m, &file, &err), &err);
        size[extra] = file.count;
        mem_free(file.bytes);
    }
    /* offset, table (soff, shape, name, has_rank), shape (count, one dim), name (count, NUL); no
     * vtable of 22 bytes more */
    assert_in_range(size[1] - size[0], 4 + 13 + 8 + 5, 4 + 16 + 8 + 8);
}

TEST(what_does_not_fit_is_refused)
{
    struct model_tensor tensor = { .type = 300 };
    struct model_subgraph graph = { .tensors = &tensor, .tensor_count = 1 };
    struct model_buffer buffer = { .data = { .data = (const uint8_t *)"", .count = 0x7fffffff } };
    struct model m = { .subgraphs = &graph, .subgraph_count = 1 };
    struct tflite_file file;

    assert_int_equal(tflite_write(&m, &file, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "Tensor.type: 300"));
    assert_null(file.bytes);

    tensor.type = -129;
    assert_int_equal(tflite_write(&m, &file, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "Tensor.type: -129, not in -128..127"));

    tensor.type = 0;
    tensor.shape = (struct model_ints){ .data = &tensor.type, .count = SIZE_MAX / 2 };
    assert_int_equal(tflite_write(&m, &file, &err), STATUS_UNSUPPORTED);
    tensor.shape.count = 0;
    m.buffers = &buffer;
    m.buffer_count = 1;
    assert_int_equal(tflite_write(&m, &file, &err), STATUS_UNSUPPORTED); /* before it is read */
    assert_non_null(strstr(err.text, "2147483647 more"));
    assert_null(file.bytes);
}

TEST(values_that_do_not_fit_are_refused)
{
    static const int32_t indices[] = { 255, 256 };
    const struct model_dimension dimension = { .format = 1,
                                               .indices_type = 3,
                                               .indices = { .data = indices, .count = 2 } };
    struct model_tensor tensor = {
        .sparsity = { .present = true, .dimensions = &dimension, .dimension_count = 1 }
    };
    const struct model_subgraph graph = { .tensors = &tensor, .tensor_count = 1 };
    const struct model sparse = { .version = 3, .subgraphs = &graph, .subgraph_count = 1 };
    struct options options;
    struct tflite_file file;

    assert_int_equal(tflite_write(&sparse, &file, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "DimensionMetadata: index 256 does not fit"));
    assert_null(file.bytes);

    options_init(&options, OPTIONS_Conv2DOptions);
    options_set_int(&options, "padding", 128);
    MODEL_BY(m, with_options(&options, &m));
    assert_int_equal(tflite_write(&m, &file, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "Conv2DOptions.padding: 128 does not fit"));
    assert_null(file.bytes);
}

TEST(tables_that_are_not_described_are_refused)
{
    struct options options;
    struct model_operator *op;
    struct tflite_file file;

    options_init(&options, OPTIONS_CallOptions);
    MODEL_BY(m, with_options(&options, &m));
    assert_int_equal(tflite_write(&m, &file, &err), STATUS_UNSUPPORTED);
    assert_non_null(strstr(err.text, "CallOptions (tag 16)"));
    op = (struct model_operator *)m.subgraphs[0].operators;
    op->options.tag = 200;
    assert_int_equal(tflite_write(&m, &file, &err), STATUS_UNSUPPORTED);
    assert_non_null(strstr(err.text, "tag 200"));
    op->options.tag = 0;
    op->options_2_type = 18;
    assert_int_equal(tflite_write(&m, &file, &err), STATUS_UNSUPPORTED);
    assert_non_null(strstr(err.text, "builtin_options_2: tag 18"));
    assert_null(file.bytes);
}

TEST(every_allocation_may_fail)
{
    long failures = 0;

    for (long n = 0;; n++) {
        struct diag diag = { 0 };
        struct tflite_file file;
        enum status s;

        mem_fail_after(n);
        s = tflite_write(&sample_model, &file, &diag);
        mem_fail_after(-1);
        if (s == STATUS_OK) {
            mem_free(file.bytes);
            break;
        }
        assert_int_equal(s, STATUS_NO_MEMORY);
        assert_non_null(strstr(diag.text, "out of memory"));
        assert_null(file.bytes);
        failures++;
    }
    assert_true(failures >= 4);
}
