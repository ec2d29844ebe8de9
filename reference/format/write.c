/* Tables are written in the order of their slots, each followed by its members; data marked large
 * is placed behind the flatbuffer.  Only values that the format cannot hold are refused, so that
 * tests can write models that break the rules. */
#include "reference/format/write.h"

#include "reference/base/checked.h"
#include "reference/base/memory.h"
#include "reference/format/flatbuffer_write.h"

#include <string.h>

enum { DATA_ALIGN = 16 };

/* Bytes that go behind the flatbuffer, and where their position is to be written. */
struct behind {
    size_t at;
    struct model_bytes data;
};

struct writer {
    struct fb_writer fb;
    struct behind *behind;
    size_t behind_count, behind_room;
};

static struct fb_draft draft(enum schema_table schema)
{
    return (struct fb_draft){ .schema = schema };
}

static void remember_behind(struct writer *w, size_t at, struct model_bytes data)
{
    if (w->behind_count == w->behind_room) {
        const size_t room = w->behind_room ? 2 * w->behind_room : 16;
        struct behind *list = mem_resize(w->behind, room, sizeof *list);

        if (!list) {
            fbw_fail(&w->fb, STATUS_NO_MEMORY, "out of memory");
            return;
        }
        w->behind = list;
        w->behind_room = room;
    }
    w->behind[w->behind_count++] = (struct behind){ .at = at, .data = data };
}

static void write_ints(struct writer *w, size_t link, struct model_ints v)
{
    fbw_vector(&w->fb, link, v.data, v.count, sizeof *v.data, 4);
}

static void write_floats(struct writer *w, size_t link, struct model_floats v)
{
    fbw_vector(&w->fb, link, v.data, v.count, sizeof *v.data, 4);
}

static void write_string(struct writer *w, size_t link, struct model_string s)
{
    fbw_string(&w->fb, link, s.text, s.count);
}

static void write_opcode(struct writer *w, size_t link, const struct model_opcode *o)
{
    struct fb_draft d = draft(SCHEMA_OperatorCode);

    fbw_int(&w->fb, &d, OperatorCode_deprecated_builtin_code, o->deprecated_code);
    fbw_offset(&d, OperatorCode_custom_code, o->custom_code.text);
    fbw_int(&w->fb, &d, OperatorCode_version, o->version);
    fbw_int(&w->fb, &d, OperatorCode_builtin_code, o->builtin_code);
    fbw_table(&w->fb, link, &d);
    write_string(w, d.at[OperatorCode_custom_code], o->custom_code);
}

static void write_details(struct writer *w, size_t link, const struct model_quantization *q)
{
    struct fb_draft d;

    switch (q->details_type) {
    case 0: return;
    case 1:
        d = draft(SCHEMA_CustomQuantization);
        fbw_offset(&d, CustomQuantization_custom, q->custom.data);
        fbw_table(&w->fb, link, &d);
        fbw_vector(&w->fb, d.at[CustomQuantization_custom], q->custom.data, q->custom.count, 1,
                   DATA_ALIGN);
        break;
    case 2:
        d = draft(SCHEMA_BlockwiseQuantization);
        fbw_int(&w->fb, &d, BlockwiseQuantization_scales, q->block_scales);
        fbw_int(&w->fb, &d, BlockwiseQuantization_zero_points, q->block_zero_points);
        fbw_int(&w->fb, &d, BlockwiseQuantization_block_size, q->block_size);
        fbw_table(&w->fb, link, &d);
        break;
    case 3:
        d = draft(SCHEMA_MultiAxisQuantization);
        fbw_int(&w->fb, &d, MultiAxisQuantization_scales, q->block_scales);
        fbw_int(&w->fb, &d, MultiAxisQuantization_zero_points, q->block_zero_points);
        fbw_int(&w->fb, &d, MultiAxisQuantization_block_size, q->block_size);
        fbw_offset(&d, MultiAxisQuantization_quantized_dimensions, q->quantized_dimensions.data);
        fbw_table(&w->fb, link, &d);
        write_ints(w, d.at[MultiAxisQuantization_quantized_dimensions], q->quantized_dimensions);
        break;
    default:
        fbw_fail(&w->fb, STATUS_UNSUPPORTED, "QuantizationParameters.details_type: %d",
                 q->details_type);
    }
}

static void write_quantization(struct writer *w, size_t link, const struct model_quantization *q)
{
    struct fb_draft d = draft(SCHEMA_QuantizationParameters);

    fbw_offset(&d, QuantizationParameters_min, q->min.data);
    fbw_offset(&d, QuantizationParameters_max, q->max.data);
    fbw_offset(&d, QuantizationParameters_scale, q->scale.data);
    fbw_offset(&d, QuantizationParameters_zero_point, q->zero_point.data);
    fbw_int(&w->fb, &d, QuantizationParameters_details_type, q->details_type);
    fbw_offset(&d, QuantizationParameters_details, q->details_type != 0);
    fbw_int(&w->fb, &d, QuantizationParameters_quantized_dimension, q->quantized_dimension);
    fbw_table(&w->fb, link, &d);
    write_floats(w, d.at[QuantizationParameters_min], q->min);
    write_floats(w, d.at[QuantizationParameters_max], q->max);
    write_floats(w, d.at[QuantizationParameters_scale], q->scale);
    fbw_vector(&w->fb, d.at[QuantizationParameters_zero_point], q->zero_point.data,
               q->zero_point.count, 8, 8);
    write_details(w, d.at[QuantizationParameters_details], q);
}

/* A table of one vector, of i32, u16 or u8. */
static void write_indices(struct writer *w, size_t link, uint8_t type, struct model_ints v)
{
    static const enum schema_table tables[] = { SCHEMA_NONE, SCHEMA_Int32Vector,
                                                SCHEMA_Uint16Vector, SCHEMA_Uint8Vector };
    static const size_t sizes[] = { 0, 4, 2, 1 };
    struct fb_draft d;
    uint8_t *narrow;

    if (type == 0)
        return;
    if (type > 3) {
        fbw_fail(&w->fb, STATUS_UNSUPPORTED, "DimensionMetadata: index vector of type %d", type);
        return;
    }
    d = draft(tables[type]);
    fbw_offset(&d, 0, v.data);
    fbw_table(&w->fb, link, &d);
    if (type == 1 || !v.data) {
        write_ints(w, d.at[0], v);
        return;
    }
    if (!(narrow = mem_alloc(v.count, sizes[type]))) {
        fbw_fail(&w->fb, STATUS_NO_MEMORY, "out of memory");
        return;
    }
    for (size_t i = 0; i < v.count; i++) {
        if (v.data[i] < 0 || v.data[i] >= 1 << 8 * sizes[type])
            fbw_fail(&w->fb, STATUS_INVALID, "DimensionMetadata: index %d does not fit", v.data[i]);
        for (size_t k = 0; k < sizes[type]; k++)
            narrow[i * sizes[type] + k] = (uint8_t)(v.data[i] >> 8 * k);
    }
    fbw_vector(&w->fb, d.at[0], narrow, v.count, sizes[type], sizes[type]);
    mem_free(narrow);
}

static void write_sparsity(struct writer *w, size_t link, const struct model_sparsity *s)
{
    struct fb_draft d = draft(SCHEMA_SparsityParameters);
    size_t item;

    fbw_offset(&d, SparsityParameters_traversal_order, s->traversal_order.data);
    fbw_offset(&d, SparsityParameters_block_map, s->block_map.data);
    fbw_offset(&d, SparsityParameters_dim_metadata, s->dimensions);
    fbw_table(&w->fb, link, &d);
    write_ints(w, d.at[SparsityParameters_traversal_order], s->traversal_order);
    write_ints(w, d.at[SparsityParameters_block_map], s->block_map);
    item = fbw_tables(&w->fb, d.at[SparsityParameters_dim_metadata], s->dimension_count);
    for (size_t i = 0; i < s->dimension_count; i++) {
        const struct model_dimension *dimension = &s->dimensions[i];

        d = draft(SCHEMA_DimensionMetadata);
        fbw_int(&w->fb, &d, DimensionMetadata_format, dimension->format);
        fbw_int(&w->fb, &d, DimensionMetadata_dense_size, dimension->dense_size);
        fbw_int(&w->fb, &d, DimensionMetadata_array_segments_type, dimension->segments_type);
        fbw_offset(&d, DimensionMetadata_array_segments, dimension->segments_type != 0);
        fbw_int(&w->fb, &d, DimensionMetadata_array_indices_type, dimension->indices_type);
        fbw_offset(&d, DimensionMetadata_array_indices, dimension->indices_type != 0);
        fbw_table(&w->fb, item + 4 * i, &d);
        write_indices(w, d.at[DimensionMetadata_array_segments], dimension->segments_type,
                      dimension->segments);
        write_indices(w, d.at[DimensionMetadata_array_indices], dimension->indices_type,
                      dimension->indices);
    }
}

static void write_variants(struct writer *w, size_t link, const struct model_tensor *t)
{
    const size_t item = fbw_tables(&w->fb, link, t->variant_count);

    for (size_t i = 0; i < t->variant_count; i++) {
        struct fb_draft d = draft(SCHEMA_VariantSubType);

        fbw_offset(&d, VariantSubType_shape, t->variants[i].shape.data);
        fbw_int(&w->fb, &d, VariantSubType_type, t->variants[i].type);
        fbw_int(&w->fb, &d, VariantSubType_has_rank, t->variants[i].has_rank);
        fbw_table(&w->fb, item + 4 * i, &d);
        write_ints(w, d.at[VariantSubType_shape], t->variants[i].shape);
    }
}

static void write_tensor(struct writer *w, size_t link, const struct model_tensor *t)
{
    struct fb_draft d = draft(SCHEMA_Tensor);

    fbw_offset(&d, Tensor_shape, t->shape.data);
    fbw_int(&w->fb, &d, Tensor_type, t->type);
    fbw_int(&w->fb, &d, Tensor_buffer, t->buffer);
    fbw_offset(&d, Tensor_name, t->name.text);
    fbw_offset(&d, Tensor_quantization, t->quantization.present);
    fbw_int(&w->fb, &d, Tensor_is_variable, t->is_variable);
    fbw_offset(&d, Tensor_sparsity, t->sparsity.present);
    fbw_offset(&d, Tensor_shape_signature, t->shape_signature.data);
    fbw_int(&w->fb, &d, Tensor_has_rank, t->has_rank);
    fbw_offset(&d, Tensor_variant_tensors, t->variants);
    fbw_int(&w->fb, &d, Tensor_external_buffer, t->external_buffer);
    fbw_table(&w->fb, link, &d);
    write_ints(w, d.at[Tensor_shape], t->shape);
    write_string(w, d.at[Tensor_name], t->name);
    if (t->quantization.present)
        write_quantization(w, d.at[Tensor_quantization], &t->quantization);
    if (t->sparsity.present)
        write_sparsity(w, d.at[Tensor_sparsity], &t->sparsity);
    write_ints(w, d.at[Tensor_shape_signature], t->shape_signature);
    write_variants(w, d.at[Tensor_variant_tensors], t);
}

static void write_options(struct writer *w, size_t link, const struct options *o)
{
    const struct option_table *table = option_table_find(o->tag);
    struct fb_draft d = draft(SCHEMA_NONE);

    if (!table || !table->listed) {
        fbw_fail(&w->fb, STATUS_UNSUPPORTED, "Operator.builtin_options: %s (tag %d) is not known",
                 table ? table->name : "a table", o->tag);
        return;
    }
    for (size_t i = 0; i < table->field_count; i++) {
        const struct option_field *field = &table->fields[i];
        const union option_value *value = &o->value[i];
        union {
            float f;
            uint32_t bits;
        } pun;

        switch (field->kind) {
        case OPTION_INTS: fbw_offset(&d, field->slot, value->ints.data); break;
        case OPTION_STRING: fbw_offset(&d, field->slot, value->text.data); break;
        case OPTION_BYTES: fbw_offset(&d, field->slot, value->bytes.data); break;
        case OPTION_F32: /* by bits: -0 is not the default 0 */
            pun.f = (float)field->fallback;
            if (pun.bits != (uint32_t)value->i)
                fbw_field(&d, field->slot, 4, (uint32_t)value->i);
            break;
        case OPTION_I32:
            if (value->i != (int32_t)field->fallback)
                fbw_field(&d, field->slot, 4, (uint32_t)value->i);
            break;
        default:
            if (value->i < (field->kind == OPTION_BOOL ? 0 : INT8_MIN) ||
                value->i > (field->kind == OPTION_BOOL ? 1 : INT8_MAX))
                fbw_fail(&w->fb, STATUS_INVALID, "%s.%s: %d does not fit", table->name, field->name,
                         value->i);
            if (value->i != (int32_t)field->fallback)
                fbw_field(&d, field->slot, 1, (uint8_t)value->i);
            break;
        }
    }
    fbw_table(&w->fb, link, &d);
    for (size_t i = 0; i < table->field_count; i++) {
        const size_t at = d.at[table->fields[i].slot];

        if (table->fields[i].kind == OPTION_INTS)
            fbw_vector(&w->fb, at, o->value[i].ints.data, o->value[i].ints.count, 4, 4);
        else if (table->fields[i].kind == OPTION_STRING)
            fbw_string(&w->fb, at, o->value[i].text.data, o->value[i].text.count);
        else if (table->fields[i].kind == OPTION_BYTES)
            fbw_vector(&w->fb, at, o->value[i].bytes.data, o->value[i].bytes.count, 1, DATA_ALIGN);
    }
}

/* Position and size of bytes behind the flatbuffer.  The position is written later, so the field
 * has to be there; a size of 0 is a default. */
static void draft_behind(struct fb_draft *d, unsigned offset, unsigned size,
                         struct model_bytes data)
{
    fbw_field(d, offset, 8, 0);
    fbw_u64(d, size, data.count);
}

static void write_operator(struct writer *w, size_t link, const struct model_operator *op)
{
    const bool large = op->custom_options_large && op->custom_options.data;
    const uint8_t tag = op->options.tag, tag_2 = options_2_tag(tag);
    struct fb_draft d = draft(SCHEMA_Operator);

    if (op->options_2_type != 0)
        fbw_fail(&w->fb, STATUS_UNSUPPORTED, "Operator.builtin_options_2: tag %d is not known",
                 op->options_2_type);
    fbw_int(&w->fb, &d, Operator_opcode_index, op->opcode_index);
    fbw_offset(&d, Operator_inputs, op->inputs.data);
    fbw_offset(&d, Operator_outputs, op->outputs.data);
    fbw_int(&w->fb, &d, Operator_builtin_options_type, tag_2 ? 0 : tag);
    fbw_offset(&d, Operator_builtin_options, tag != 0 && !tag_2);
    fbw_offset(&d, Operator_custom_options, op->custom_options.data && !large);
    fbw_int(&w->fb, &d, Operator_custom_options_format, op->custom_options_format);
    fbw_offset(&d, Operator_mutating_variable_inputs, op->mutating_variable_inputs.data);
    fbw_offset(&d, Operator_intermediates, op->intermediates.data);
    if (large)
        draft_behind(&d, Operator_large_custom_options_offset, Operator_large_custom_options_size,
                     op->custom_options);
    fbw_int(&w->fb, &d, Operator_builtin_options_2_type, tag_2);
    fbw_offset(&d, Operator_builtin_options_2, tag_2 != 0);
    fbw_int(&w->fb, &d, Operator_debug_metadata_index, op->debug_metadata_index);
    fbw_table(&w->fb, link, &d);
    write_ints(w, d.at[Operator_inputs], op->inputs);
    write_ints(w, d.at[Operator_outputs], op->outputs);
    if (tag != 0)
        write_options(w, d.at[tag_2 ? Operator_builtin_options_2 : Operator_builtin_options],
                      &op->options);
    /* The vector has bytes; readers access numbers in it in place, so it is aligned. */
    fbw_vector(&w->fb, d.at[Operator_custom_options], op->custom_options.data,
               op->custom_options.count, 1, DATA_ALIGN);
    fbw_vector(&w->fb, d.at[Operator_mutating_variable_inputs], op->mutating_variable_inputs.data,
               op->mutating_variable_inputs.count, 1, 1);
    write_ints(w, d.at[Operator_intermediates], op->intermediates);
    if (large)
        remember_behind(w, d.at[Operator_large_custom_options_offset], op->custom_options);
}

static void write_subgraph(struct writer *w, size_t link, const struct model_subgraph *g)
{
    struct fb_draft d = draft(SCHEMA_SubGraph);
    size_t item;

    fbw_offset(&d, SubGraph_tensors, g->tensors);
    fbw_offset(&d, SubGraph_inputs, g->inputs.data);
    fbw_offset(&d, SubGraph_outputs, g->outputs.data);
    fbw_offset(&d, SubGraph_operators, g->operators);
    fbw_offset(&d, SubGraph_name, g->name.text);
    fbw_int(&w->fb, &d, SubGraph_debug_metadata_index, g->debug_metadata_index);
    fbw_table(&w->fb, link, &d);
    item = fbw_tables(&w->fb, d.at[SubGraph_tensors], g->tensor_count);
    for (size_t i = 0; i < g->tensor_count; i++)
        write_tensor(w, item + 4 * i, &g->tensors[i]);
    write_ints(w, d.at[SubGraph_inputs], g->inputs);
    write_ints(w, d.at[SubGraph_outputs], g->outputs);
    item = fbw_tables(&w->fb, d.at[SubGraph_operators], g->operator_count);
    for (size_t i = 0; i < g->operator_count; i++)
        write_operator(w, item + 4 * i, &g->operators[i]);
    write_string(w, d.at[SubGraph_name], g->name);
}

static void write_buffer(struct writer *w, size_t link, const struct model_buffer *b)
{
    const bool large = b->large && b->data.data;
    struct fb_draft d = draft(SCHEMA_Buffer);

    fbw_offset(&d, Buffer_data, b->data.data && !large);
    if (large)
        draft_behind(&d, Buffer_offset, Buffer_size, b->data);
    fbw_table(&w->fb, link, &d);
    fbw_vector(&w->fb, d.at[Buffer_data], b->data.data, b->data.count, 1, DATA_ALIGN);
    if (large)
        remember_behind(w, d.at[Buffer_offset], b->data);
}

static void write_metadata(struct writer *w, size_t link, const struct model_metadata *entry)
{
    struct fb_draft d = draft(SCHEMA_Metadata);

    fbw_offset(&d, Metadata_name, entry->name.text);
    fbw_int(&w->fb, &d, Metadata_buffer, entry->buffer);
    fbw_table(&w->fb, link, &d);
    write_string(w, d.at[Metadata_name], entry->name);
}

static void write_maps(struct writer *w, size_t link, const struct model_tensor_map *maps,
                       size_t count)
{
    const size_t item = fbw_tables(&w->fb, link, count);

    for (size_t i = 0; i < count; i++) {
        struct fb_draft d = draft(SCHEMA_TensorMap);

        fbw_offset(&d, TensorMap_name, maps[i].name.text);
        fbw_int(&w->fb, &d, TensorMap_tensor_index, maps[i].tensor_index);
        fbw_table(&w->fb, item + 4 * i, &d);
        write_string(w, d.at[TensorMap_name], maps[i].name);
    }
}

static void write_signature(struct writer *w, size_t link, const struct model_signature *s)
{
    struct fb_draft d = draft(SCHEMA_SignatureDef);

    fbw_offset(&d, SignatureDef_inputs, s->inputs);
    fbw_offset(&d, SignatureDef_outputs, s->outputs);
    fbw_offset(&d, SignatureDef_signature_key, s->key.text);
    fbw_int(&w->fb, &d, SignatureDef_subgraph_index, s->subgraph_index);
    fbw_table(&w->fb, link, &d);
    write_maps(w, d.at[SignatureDef_inputs], s->inputs, s->input_count);
    write_maps(w, d.at[SignatureDef_outputs], s->outputs, s->output_count);
    write_string(w, d.at[SignatureDef_signature_key], s->key);
}

static void write_external_group(struct writer *w, size_t link, struct model_string name)
{
    struct fb_draft d = draft(SCHEMA_ExternalBufferGroup);

    fbw_offset(&d, ExternalBufferGroup_name, name.text);
    fbw_table(&w->fb, link, &d);
    write_string(w, d.at[ExternalBufferGroup_name], name);
}

static void write_external(struct writer *w, size_t link, const struct model_external_buffer *b)
{
    struct fb_draft d = draft(SCHEMA_ExternalBuffer);

    fbw_int(&w->fb, &d, ExternalBuffer_id, b->id);
    fbw_int(&w->fb, &d, ExternalBuffer_group, b->group);
    fbw_u64(&d, ExternalBuffer_offset, b->offset);
    fbw_u64(&d, ExternalBuffer_length, b->length);
    fbw_offset(&d, ExternalBuffer_packing, b->packing.text);
    fbw_table(&w->fb, link, &d);
    write_string(w, d.at[ExternalBuffer_packing], b->packing);
}

static void write_model(struct writer *w, const struct model *m)
{
    struct fb_draft d = draft(SCHEMA_Model);
    size_t item;

    fbw_int(&w->fb, &d, Model_version, m->version);
    fbw_offset(&d, Model_operator_codes, m->opcodes);
    fbw_offset(&d, Model_subgraphs, m->subgraphs);
    fbw_offset(&d, Model_description, m->description.text);
    fbw_offset(&d, Model_buffers, m->buffers);
    fbw_offset(&d, Model_metadata_buffer, m->metadata_buffer.data);
    fbw_offset(&d, Model_metadata, m->metadata);
    fbw_offset(&d, Model_signature_defs, m->signatures);
    fbw_offset(&d, Model_external_buffer_groups, m->external_groups);
    fbw_offset(&d, Model_external_buffers, m->external_buffers);
    fbw_table(&w->fb, 0, &d);
    item = fbw_tables(&w->fb, d.at[Model_operator_codes], m->opcode_count);
    for (size_t i = 0; i < m->opcode_count; i++)
        write_opcode(w, item + 4 * i, &m->opcodes[i]);
    item = fbw_tables(&w->fb, d.at[Model_subgraphs], m->subgraph_count);
    for (size_t i = 0; i < m->subgraph_count; i++)
        write_subgraph(w, item + 4 * i, &m->subgraphs[i]);
    write_string(w, d.at[Model_description], m->description);
    item = fbw_tables(&w->fb, d.at[Model_buffers], m->buffer_count);
    for (size_t i = 0; i < m->buffer_count; i++)
        write_buffer(w, item + 4 * i, &m->buffers[i]);
    write_ints(w, d.at[Model_metadata_buffer], m->metadata_buffer);
    item = fbw_tables(&w->fb, d.at[Model_metadata], m->metadata_count);
    for (size_t i = 0; i < m->metadata_count; i++)
        write_metadata(w, item + 4 * i, &m->metadata[i]);
    item = fbw_tables(&w->fb, d.at[Model_signature_defs], m->signature_count);
    for (size_t i = 0; i < m->signature_count; i++)
        write_signature(w, item + 4 * i, &m->signatures[i]);
    item = fbw_tables(&w->fb, d.at[Model_external_buffer_groups], m->external_group_count);
    for (size_t i = 0; i < m->external_group_count; i++)
        write_external_group(w, item + 4 * i, m->external_groups[i]);
    item = fbw_tables(&w->fb, d.at[Model_external_buffers], m->external_buffer_count);
    for (size_t i = 0; i < m->external_buffer_count; i++)
        write_external(w, item + 4 * i, &m->external_buffers[i]);
}

enum status tflite_write(const struct model *m, struct tflite_file *file, struct diag *diag)
{
    struct writer w = { 0 };
    enum status s;

    *file = (struct tflite_file){ 0 };
    fbw_open(&w.fb, diag);
    write_model(&w, m);
    for (size_t i = 0; i < w.behind_count; i++)
        fbw_behind(&w.fb, w.behind[i].at, w.behind[i].data.data, w.behind[i].data.count);
    s = w.fb.status;
    if (s == STATUS_OK) {
        *file = (struct tflite_file){ .bytes = w.fb.bytes, .count = w.fb.count };
        w.fb.bytes = NULL;
    }
    fbw_close(&w.fb);
    mem_free(w.behind);
    return s;
}

enum status tflite_file_copy(struct tflite_file *out, const struct tflite_file *file,
                             struct diag *diag)
{
    *out = (struct tflite_file){ mem_alloc(file->count ? file->count : 1, 1), file->count };
    if (!out->bytes)
        return diag_fail(diag, STATUS_NO_MEMORY, "model: no memory for its %zu bytes", file->count);
    memcpy(out->bytes, file->bytes, file->count);
    return STATUS_OK;
}
