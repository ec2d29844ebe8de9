/* model_compare: equal models compare equal, and a change of any field is found and named. */
#include "reference/base/memory.h"
#include "reference/format/model_compare.h"
#include "reference/format/read.h"
#include "reference/format/write.h"
#include "reference/tests/kit/sample_model.h"
#include "reference/tests/kit/test.h"

#include <stdio.h>
#include <string.h>

static struct tflite_file files[2];
static struct model a, b;

/* Two models read from two copies of a file: what they point to may be changed in one. */
FIXTURE(read_twice)
{
    struct model *const models[] = { &a, &b };

    for (int i = 0; i < 2; i++)
        if (tflite_write(&sample_model, &files[i], &err) != STATUS_OK ||
            tflite_read_accepting(models[i], files[i].bytes, files[i].count, ACCEPT_LEGAL, &err) !=
                STATUS_OK) {
            fprintf(stderr, "%s\n", err.text);
            return -1;
        }
    return 0;
}

FIXTURE(free_both)
{
    model_close(&a);
    model_close(&b);
    mem_free(files[0].bytes);
    mem_free(files[1].bytes);
    return 0;
}

static void expect_seen(const char *word)
{
    struct diag diag = { 0 };

    if (model_compare(&a, &b, &diag) != STATUS_MISMATCH)
        fail_msg("not seen: %s", word);
    if (!strstr(diag.text, word))
        fail_msg("no '%s' in: %s", word, diag.text);
    assert_int_equal(model_compare(&b, &a, NULL), STATUS_MISMATCH);
}

/* Changes one bit of the field. */
static void bit_is_seen(const void *field, const char *word)
{
    uint8_t *byte = (uint8_t *)field;

    *byte ^= 1;
    expect_seen(word);
    *byte ^= 1;
    assert_int_equal(model_compare(&a, &b, NULL), STATUS_OK);
}

/* Changes the last element, the count, and takes the vector away. */
static void vector_is_seen(const void *pointer, const size_t *count, size_t size, const char *word)
{
    const void **data = (const void **)pointer;
    size_t *n = (size_t *)count;
    const void *kept = *data;

    if (*n)
        bit_is_seen((const uint8_t *)kept + (*n - 1) * size, word);
    (*n)++;
    expect_seen(word);
    (*n)--;
    *data = kept ? NULL : (const void *)files[1].bytes;
    expect_seen(word);
    *data = kept;
    assert_int_equal(model_compare(&a, &b, NULL), STATUS_OK);
}

/* Of tables only count and presence; their fields are looked at by themselves. */
static void tables_are_seen(const void *pointer, size_t *count, const char *word)
{
    const void **data = (const void **)pointer;
    const void *kept = *data;

    (*count)++;
    expect_seen(word);
    (*count)--;
    *data = kept ? NULL : (const void *)files[1].bytes;
    expect_seen(word);
    *data = kept;
}

#define BIT(where, field) bit_is_seen(&(where)->field, #field)
#define VECTOR(where, field)                                                                       \
    vector_is_seen(&(where)->field.data, &(where)->field.count, sizeof *(where)->field.data, #field)
#define STRING(where, field)    vector_is_seen(&(where)->field.text, &(where)->field.count, 1, #field)
#define TABLES(where, field, n) tables_are_seen(&(where)->field, (size_t *)&(where)->n, #field)

TEST(equal_models_are)
{
    struct diag diag = { 0 };

    assert_int_equal(model_compare(&a, &b, &diag), STATUS_OK);
    assert_int_equal(model_compare(&a, &a, &diag), STATUS_OK);
    assert_string_equal(diag.text, "");
}

TEST(fields_of_the_model_are_seen)
{
    const struct model_opcode *o = &b.opcodes[2];

    BIT(&b, version);
    STRING(&b, description);
    TABLES(&b, opcodes, opcode_count);
    TABLES(&b, subgraphs, subgraph_count);
    TABLES(&b, buffers, buffer_count);
    VECTOR(&b, metadata_buffer);
    TABLES(&b, metadata, metadata_count);
    TABLES(&b, signatures, signature_count);
    TABLES(&b, external_groups, external_group_count);
    TABLES(&b, external_buffers, external_buffer_count);
    BIT(o, code);
    BIT(o, deprecated_code);
    BIT(o, builtin_code);
    BIT(o, version);
    STRING(o, custom_code);
    VECTOR(&b.buffers[1], data);
    VECTOR(&b.buffers[2], data);
    STRING(&b.metadata[0], name);
    BIT(&b.metadata[1], buffer);
    TABLES(&b.signatures[0], inputs, input_count);
    TABLES(&b.signatures[1], outputs, output_count);
    STRING(&b.signatures[0], key);
    BIT(&b.signatures[1], subgraph_index);
    STRING(&b.signatures[0].outputs[0], name);
    BIT(&b.signatures[0].outputs[1], tensor_index);
    vector_is_seen(&b.external_groups[0].text, &b.external_groups[0].count, 1, "name");
    BIT(&b.external_buffers[1], id);
    BIT(&b.external_buffers[1], group);
    BIT(&b.external_buffers[0], offset);
    BIT(&b.external_buffers[0], length);
    STRING(&b.external_buffers[0], packing);
}

TEST(fields_of_tensors_are_seen)
{
    const struct model_tensor *t = b.subgraphs[0].tensors;
    const struct model_dimension *d = &t[4].sparsity.dimensions[1];

    VECTOR(&t[0], shape);
    BIT(&t[0], type);
    BIT(&t[0], buffer);
    STRING(&t[1], name);
    BIT(&t[0], is_variable);
    VECTOR(&t[0], shape_signature);
    BIT(&t[0], has_rank);
    BIT(&t[5], external_buffer);
    TABLES(&t[6], variants, variant_count);
    VECTOR(&t[6].variants[0], shape);
    BIT(&t[6].variants[1], type);
    BIT(&t[6].variants[1], has_rank);
    BIT(&t[1].quantization, present);
    VECTOR(&t[1].quantization, min);
    VECTOR(&t[1].quantization, max);
    VECTOR(&t[1].quantization, scale);
    VECTOR(&t[1].quantization, zero_point);
    BIT(&t[1].quantization, quantized_dimension);
    BIT(&t[1].quantization, details_type);
    VECTOR(&t[4].quantization, custom);
    BIT(&t[5].quantization, block_scales);
    BIT(&t[5].quantization, block_zero_points);
    BIT(&t[5].quantization, block_size);
    VECTOR(&t[6].quantization, quantized_dimensions);
    BIT(&t[5], sparsity.present);
    VECTOR(&t[4], sparsity.traversal_order);
    VECTOR(&t[4], sparsity.block_map);
    TABLES(&t[4], sparsity.dimensions, sparsity.dimension_count);
    BIT(d, format);
    BIT(d, dense_size);
    BIT(d, segments_type);
    BIT(d, indices_type);
    VECTOR(d, segments);
    VECTOR(d, indices);
}

TEST(fields_of_operators_are_seen)
{
    const struct model_subgraph *g = &b.subgraphs[0];
    const struct model_operator *o = g->operators;

    TABLES(g, tensors, tensor_count);
    VECTOR(g, inputs);
    VECTOR(g, outputs);
    TABLES(g, operators, operator_count);
    STRING(g, name);
    BIT(g, debug_metadata_index);
    BIT(&o[0], opcode_index);
    VECTOR(&o[0], inputs);
    VECTOR(&o[0], outputs);
    bit_is_seen(&o[1].options.tag, "operator 1: tag");
    bit_is_seen(&o[0].options.value[1], "operator 0: options: fields of AddOptions differ");
    BIT(&o[0], options_2_type);
    VECTOR(&o[2], custom_options);
    VECTOR(&o[3], custom_options);
    BIT(&o[0], custom_options_format);
    VECTOR(&o[0], mutating_variable_inputs);
    VECTOR(&o[0], intermediates);
    BIT(&o[0], debug_metadata_index);
}

TEST(where_the_bytes_stand_does_not_matter)
{
    struct model_buffer *buffer = (struct model_buffer *)&b.buffers[1];
    struct model_operator *op = (struct model_operator *)&b.subgraphs[0].operators[2];

    buffer->large = op->custom_options_large = true;
    assert_int_equal(model_compare(&a, &b, NULL), STATUS_OK);
    buffer->large = op->custom_options_large = false;
}

TEST(messages_say_where)
{
    int32_t *type = (int32_t *)&b.subgraphs[0].tensors[3].type;

    *type = 7;
    assert_int_equal(model_compare(&a, &b, &err), STATUS_MISMATCH);
    assert_string_equal(err.text, "subgraph 0, tensor 3: type: 2 and 7");
    *type = 2;
}

TEST_FILE(.setup = read_twice, .teardown = free_both);
