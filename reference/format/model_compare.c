/* Compares field by field; an absent vector differs from an empty one. */
#include "reference/format/model_compare.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct compare {
    struct diag *diag;
    char where[128]; /* "subgraph 0, tensor 3: " */
};

static void at(struct compare *c, const char *format, ...) PRINTF_LIKE(2, 3);

static void at(struct compare *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(c->where, sizeof c->where, format, args);
    va_end(args);
}

static enum status same_int(const struct compare *c, const char *field, int64_t a, int64_t b)
{
    if (a == b)
        return STATUS_OK;
    return diag_fail(c->diag, STATUS_MISMATCH, "%s%s: %lld and %lld", c->where, field, (long long)a,
                     (long long)b);
}

/* Vectors of count elements of size bytes. */
static enum status same_vector(const struct compare *c, const char *field, const void *a,
                               size_t a_count, const void *b, size_t b_count, size_t size)
{
    const uint8_t *p = a, *q = b;

    if (!a != !b)
        return diag_fail(c->diag, STATUS_MISMATCH, "%s%s: %s and %s", c->where, field,
                         a ? "present" : "absent", b ? "present" : "absent");
    if (a_count != b_count)
        return diag_fail(c->diag, STATUS_MISMATCH, "%s%s: %zu elements and %zu", c->where, field,
                         a_count, b_count);
    if (!a || a_count == 0 || memcmp(a, b, a_count * size) == 0)
        return STATUS_OK;
    for (size_t i = 0;; i++)
        if (memcmp(p + i * size, q + i * size, size) != 0)
            return diag_fail(c->diag, STATUS_MISMATCH, "%s%s: element %zu differs", c->where, field,
                             i);
}

#define SAME_INT(field) TRY(same_int(c, #field, (int64_t)a->field, (int64_t)b->field))
#define SAME_VECTOR(field)                                                                         \
    TRY(same_vector(c, #field, a->field.data, a->field.count, b->field.data, b->field.count,       \
                    sizeof *a->field.data))
#define SAME_STRING(field)                                                                         \
    TRY(same_vector(c, #field, a->field.text, a->field.count, b->field.text, b->field.count, 1))
/* Checks only that both are present, with the same count. */
#define SAME_TABLES(field, n) TRY(same_vector(c, #field, a->field, a->n, b->field, b->n, 0))

static enum status same_opcode(const struct compare *c, const struct model_opcode *a,
                               const struct model_opcode *b)
{
    SAME_INT(code);
    SAME_INT(deprecated_code);
    SAME_INT(builtin_code);
    SAME_INT(version);
    SAME_STRING(custom_code);
    return STATUS_OK;
}

static enum status same_quantization(const struct compare *c, const struct model_quantization *a,
                                     const struct model_quantization *b)
{
    SAME_INT(present);
    SAME_VECTOR(min);
    SAME_VECTOR(max);
    SAME_VECTOR(scale);
    SAME_VECTOR(zero_point);
    SAME_INT(quantized_dimension);
    SAME_INT(details_type);
    SAME_VECTOR(custom);
    SAME_INT(block_scales);
    SAME_INT(block_zero_points);
    SAME_INT(block_size);
    SAME_VECTOR(quantized_dimensions);
    return STATUS_OK;
}

static enum status same_dimension(const struct compare *c, const struct model_dimension *a,
                                  const struct model_dimension *b)
{
    SAME_INT(format);
    SAME_INT(dense_size);
    SAME_INT(segments_type);
    SAME_INT(indices_type);
    SAME_VECTOR(segments);
    SAME_VECTOR(indices);
    return STATUS_OK;
}

static enum status same_variant(const struct compare *c, const struct model_variant *a,
                                const struct model_variant *b)
{
    SAME_VECTOR(shape);
    SAME_INT(type);
    SAME_INT(has_rank);
    return STATUS_OK;
}

static enum status same_tensor(const struct compare *c, const struct model_tensor *a,
                               const struct model_tensor *b)
{
    SAME_VECTOR(shape);
    SAME_INT(type);
    SAME_INT(buffer);
    SAME_STRING(name);
    TRY(same_quantization(c, &a->quantization, &b->quantization));
    SAME_INT(is_variable);
    SAME_INT(sparsity.present);
    SAME_VECTOR(sparsity.traversal_order);
    SAME_VECTOR(sparsity.block_map);
    SAME_TABLES(sparsity.dimensions, sparsity.dimension_count);
    for (size_t i = 0; i < a->sparsity.dimension_count; i++)
        TRY(same_dimension(c, &a->sparsity.dimensions[i], &b->sparsity.dimensions[i]));
    SAME_VECTOR(shape_signature);
    SAME_INT(has_rank);
    SAME_TABLES(variants, variant_count);
    for (size_t i = 0; i < a->variant_count; i++)
        TRY(same_variant(c, &a->variants[i], &b->variants[i]));
    SAME_INT(external_buffer);
    return STATUS_OK;
}

static enum status same_options(const struct compare *c, const struct options *a,
                                const struct options *b)
{
    const struct option_table *table = option_table_find(a->tag);

    if (options_equal(a, b))
        return STATUS_OK;
    SAME_INT(tag);
    return diag_fail(c->diag, STATUS_MISMATCH, "%soptions: fields of %s differ", c->where,
                     table ? table->name : "?");
}

static enum status same_operator(const struct compare *c, const struct model_operator *a,
                                 const struct model_operator *b)
{
    SAME_INT(opcode_index);
    SAME_VECTOR(inputs);
    SAME_VECTOR(outputs);
    TRY(same_options(c, &a->options, &b->options));
    SAME_INT(options_2_type);
    SAME_VECTOR(custom_options);
    SAME_INT(custom_options_format);
    SAME_VECTOR(mutating_variable_inputs);
    SAME_VECTOR(intermediates);
    SAME_INT(debug_metadata_index);
    return STATUS_OK;
}

static enum status same_subgraph(struct compare *c, size_t index, const struct model_subgraph *a,
                                 const struct model_subgraph *b)
{
    at(c, "subgraph %zu: ", index);
    SAME_TABLES(tensors, tensor_count);
    SAME_VECTOR(inputs);
    SAME_VECTOR(outputs);
    SAME_TABLES(operators, operator_count);
    SAME_STRING(name);
    SAME_INT(debug_metadata_index);
    for (size_t i = 0; i < a->tensor_count; i++) {
        at(c, "subgraph %zu, tensor %zu: ", index, i);
        TRY(same_tensor(c, &a->tensors[i], &b->tensors[i]));
    }
    for (size_t i = 0; i < a->operator_count; i++) {
        at(c, "subgraph %zu, operator %zu: ", index, i);
        TRY(same_operator(c, &a->operators[i], &b->operators[i]));
    }
    return STATUS_OK;
}

static enum status same_maps(const struct compare *c, const char *field,
                             const struct model_tensor_map *a, size_t a_count,
                             const struct model_tensor_map *b, size_t b_count)
{
    TRY(same_vector(c, field, a, a_count, b, b_count, 0));
    for (size_t i = 0; i < a_count; i++, a++, b++) {
        SAME_STRING(name);
        SAME_INT(tensor_index);
    }
    return STATUS_OK;
}

static enum status same_signature(const struct compare *c, const struct model_signature *a,
                                  const struct model_signature *b)
{
    TRY(same_maps(c, "inputs", a->inputs, a->input_count, b->inputs, b->input_count));
    TRY(same_maps(c, "outputs", a->outputs, a->output_count, b->outputs, b->output_count));
    SAME_STRING(key);
    SAME_INT(subgraph_index);
    return STATUS_OK;
}

static enum status same_external(struct compare *c, const struct model *x, const struct model *y)
{
    for (size_t i = 0; i < x->external_group_count; i++) {
        const struct model_string *a = &x->external_groups[i], *b = &y->external_groups[i];

        at(c, "external group %zu: ", i);
        TRY(same_vector(c, "name", a->text, a->count, b->text, b->count, 1));
    }
    for (size_t i = 0; i < x->external_buffer_count; i++) {
        const struct model_external_buffer *a = &x->external_buffers[i];
        const struct model_external_buffer *b = &y->external_buffers[i];

        at(c, "external buffer %zu: ", i);
        SAME_INT(id);
        SAME_INT(group);
        SAME_INT(offset);
        SAME_INT(length);
        SAME_STRING(packing);
    }
    return STATUS_OK;
}

enum status model_compare(const struct model *a, const struct model *b, struct diag *diag)
{
    struct compare state = { .diag = diag }, *c = &state;

    SAME_INT(version);
    SAME_STRING(description);
    SAME_TABLES(opcodes, opcode_count);
    SAME_TABLES(subgraphs, subgraph_count);
    SAME_TABLES(buffers, buffer_count);
    SAME_VECTOR(metadata_buffer);
    SAME_TABLES(metadata, metadata_count);
    SAME_TABLES(signatures, signature_count);
    SAME_TABLES(external_groups, external_group_count);
    SAME_TABLES(external_buffers, external_buffer_count);
    for (size_t i = 0; i < a->opcode_count; i++) {
        at(c, "operator code %zu: ", i);
        TRY(same_opcode(c, &a->opcodes[i], &b->opcodes[i]));
    }
    for (size_t i = 0; i < a->subgraph_count; i++)
        TRY(same_subgraph(c, i, &a->subgraphs[i], &b->subgraphs[i]));
    for (size_t i = 0; i < a->buffer_count; i++) {
        at(c, "buffer %zu: ", i);
        TRY(same_vector(c, "data", a->buffers[i].data.data, a->buffers[i].data.count,
                        b->buffers[i].data.data, b->buffers[i].data.count, 1));
    }
    for (size_t i = 0; i < a->metadata_count; i++) {
        at(c, "metadata %zu: ", i);
        TRY(same_vector(c, "name", a->metadata[i].name.text, a->metadata[i].name.count,
                        b->metadata[i].name.text, b->metadata[i].name.count, 1));
        TRY(same_int(c, "buffer", a->metadata[i].buffer, b->metadata[i].buffer));
    }
    for (size_t i = 0; i < a->signature_count; i++) {
        at(c, "signature %zu: ", i);
        TRY(same_signature(c, &a->signatures[i], &b->signatures[i]));
    }
    return same_external(c, a, b);
}
