/* Reads verified bytes into a struct model; only allocation can fail.  Vectors, strings and data
 * are not copied: the model points into the bytes, whose alignment the verifier has checked, but
 * for vectors of i64 that lie between two places for them. */
#include "reference/format/read.h"

#include "reference/base/byte_order.h"
#include "reference/format/composite.h"
#include "reference/format/verify.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct arena *arena;
    const uint8_t *bytes;
    bool no_memory;
};

static void *take(struct reader *r, size_t count, size_t size)
{
    void *p = arena_alloc(r->arena, count, size);

    if (!p)
        r->no_memory = true;
    return p;
}

/* An array for the tables of a vector; NULL with *count 0 when it is absent, or out of memory. */
static void *take_tables(struct reader *r, struct fb_table t, unsigned slot, size_t size,
                         size_t *count)
{
    const struct fb_vector v = fb_vector(t, slot);
    void *p = v.at ? take(r, v.count, size) : NULL;

    *count = p ? v.count : 0;
    return p;
}

static const void *in_place(const struct reader *r, struct fb_vector v)
{
    return v.at ? r->bytes + v.at : NULL;
}

static struct model_ints read_ints(const struct reader *r, struct fb_table t, unsigned slot)
{
    const struct fb_vector v = fb_vector(t, slot);

    return (struct model_ints){ .data = in_place(r, v), .count = v.count };
}

/* Old writers align vectors to 4 bytes alone, and archives whole models: those are copied. */
static struct model_longs read_longs(struct reader *r, struct fb_table t, unsigned slot)
{
    const struct fb_vector v = fb_vector(t, slot);
    int64_t *copy;

    if (!v.at || (uintptr_t)(r->bytes + v.at) % sizeof *copy == 0)
        return (struct model_longs){ .data = in_place(r, v), .count = v.count };
    if (!(copy = take(r, v.count, sizeof *copy)))
        return (struct model_longs){ 0 };
    for (size_t i = 0; i < v.count; i++)
        copy[i] = fb_load_i64(r->bytes, v.at + i * sizeof *copy);
    return (struct model_longs){ .data = copy, .count = v.count };
}

static struct model_floats read_floats(const struct reader *r, struct fb_table t, unsigned slot)
{
    const struct fb_vector v = fb_vector(t, slot);

    return (struct model_floats){ .data = in_place(r, v), .count = v.count };
}

static struct model_bytes read_bytes(const struct reader *r, struct fb_table t, unsigned slot)
{
    const struct fb_vector v = fb_vector(t, slot);

    return (struct model_bytes){ .data = in_place(r, v), .count = v.count };
}

static struct model_bytes read_span(const struct reader *r, struct tflite_span s)
{
    if (!s.present)
        return (struct model_bytes){ 0 };
    return (struct model_bytes){ .data = r->bytes + s.at, .count = s.count };
}

static struct model_string read_string(const struct reader *r, struct fb_table t, unsigned slot)
{
    const struct fb_vector v = fb_vector(t, slot);

    return (struct model_string){ .text = in_place(r, v), .count = v.count };
}

static struct model_opcode read_opcode(const struct reader *r, struct fb_table t)
{
    struct model_opcode o = {
        .deprecated_code = (int32_t)fb_int(t, OperatorCode_deprecated_builtin_code),
        .builtin_code = (int32_t)fb_int(t, OperatorCode_builtin_code),
        .version = (int32_t)fb_int(t, OperatorCode_version),
        .custom_code = read_string(r, t, OperatorCode_custom_code),
    };

    o.code = o.deprecated_code > o.builtin_code ? o.deprecated_code : o.builtin_code;
    return o;
}

static struct model_quantization read_quantization(struct reader *r, struct fb_table t)
{
    struct model_quantization q = { .present = t.at != 0 };
    struct fb_table details;

    if (!q.present)
        return q;
    q.min = read_floats(r, t, QuantizationParameters_min);
    q.max = read_floats(r, t, QuantizationParameters_max);
    q.scale = read_floats(r, t, QuantizationParameters_scale);
    q.zero_point = read_longs(r, t, QuantizationParameters_zero_point);
    q.quantized_dimension = (int32_t)fb_int(t, QuantizationParameters_quantized_dimension);
    q.details_type = (uint8_t)fb_int(t, QuantizationParameters_details_type);
    details = fb_sub(t, QuantizationParameters_details);
    switch (details.schema) {
    case SCHEMA_CustomQuantization:
        q.custom = read_bytes(r, details, CustomQuantization_custom);
        break;
    case SCHEMA_BlockwiseQuantization:
        q.block_scales = (int32_t)fb_int(details, BlockwiseQuantization_scales);
        q.block_zero_points = (int32_t)fb_int(details, BlockwiseQuantization_zero_points);
        q.block_size = (int32_t)fb_int(details, BlockwiseQuantization_block_size);
        break;
    case SCHEMA_MultiAxisQuantization:
        q.block_scales = (int32_t)fb_int(details, MultiAxisQuantization_scales);
        q.block_zero_points = (int32_t)fb_int(details, MultiAxisQuantization_zero_points);
        q.block_size = (int32_t)fb_int(details, MultiAxisQuantization_block_size);
        q.quantized_dimensions = read_ints(r, details, MultiAxisQuantization_quantized_dimensions);
        break;
    default: break;
    }
    return q;
}

/* A vector of i32, u16 or u8, widened. */
static struct model_ints read_indices(struct reader *r, struct fb_table t)
{
    struct model_ints ints = { 0 };
    struct fb_vector v;
    int32_t *wide;

    if (!t.at || t.schema == SCHEMA_NONE)
        return ints;
    if (t.schema == SCHEMA_Int32Vector)
        return read_ints(r, t, Int32Vector_values);
    v = fb_vector(t, 0); /* slot 0 in all three */
    if (!v.at || !(wide = take(r, v.count, sizeof *wide)))
        return ints;
    for (size_t i = 0; i < v.count; i++)
        wide[i] = t.schema == SCHEMA_Uint8Vector
                      ? r->bytes[v.at + i]
                      : r->bytes[v.at + 2 * i] | r->bytes[v.at + 2 * i + 1] << 8;
    return (struct model_ints){ .data = wide, .count = v.count };
}

static struct model_sparsity read_sparsity(struct reader *r, struct fb_table t)
{
    struct model_sparsity s = { .present = t.at != 0 };
    struct model_dimension *dimensions;

    if (!s.present)
        return s;
    s.traversal_order = read_ints(r, t, SparsityParameters_traversal_order);
    s.block_map = read_ints(r, t, SparsityParameters_block_map);
    dimensions =
        take_tables(r, t, SparsityParameters_dim_metadata, sizeof *dimensions, &s.dimension_count);
    s.dimensions = dimensions;
    for (size_t i = 0; i < s.dimension_count; i++) {
        const struct fb_table d = fb_item(t, SparsityParameters_dim_metadata, i);

        dimensions[i] = (struct model_dimension){
            .format = (int32_t)fb_int(d, DimensionMetadata_format),
            .dense_size = (int32_t)fb_int(d, DimensionMetadata_dense_size),
            .segments_type = (uint8_t)fb_int(d, DimensionMetadata_array_segments_type),
            .indices_type = (uint8_t)fb_int(d, DimensionMetadata_array_indices_type),
            .segments = read_indices(r, fb_sub(d, DimensionMetadata_array_segments)),
            .indices = read_indices(r, fb_sub(d, DimensionMetadata_array_indices)),
        };
    }
    return s;
}

static struct model_tensor read_tensor(struct reader *r, struct fb_table t)
{
    struct model_tensor tensor = {
        .shape = read_ints(r, t, Tensor_shape),
        .type = (int32_t)fb_int(t, Tensor_type),
        .buffer = (uint32_t)fb_int(t, Tensor_buffer),
        .name = read_string(r, t, Tensor_name),
        .quantization = read_quantization(r, fb_sub(t, Tensor_quantization)),
        .is_variable = fb_int(t, Tensor_is_variable) != 0,
        .sparsity = read_sparsity(r, fb_sub(t, Tensor_sparsity)),
        .shape_signature = read_ints(r, t, Tensor_shape_signature),
        .has_rank = fb_int(t, Tensor_has_rank) != 0,
        .external_buffer = (uint32_t)fb_int(t, Tensor_external_buffer),
    };
    struct model_variant *variants =
        take_tables(r, t, Tensor_variant_tensors, sizeof *variants, &tensor.variant_count);

    tensor.variants = variants;
    for (size_t i = 0; i < tensor.variant_count; i++) {
        const struct fb_table v = fb_item(t, Tensor_variant_tensors, i);

        variants[i] = (struct model_variant){
            .shape = read_ints(r, v, VariantSubType_shape),
            .type = (int32_t)fb_int(v, VariantSubType_type),
            .has_rank = fb_int(v, VariantSubType_has_rank) != 0,
        };
    }
    return tensor;
}

/* tag_2: of the table of BuiltinOptions2, where it is the one that is read; else 0. */
static struct options read_options(const struct reader *r, struct fb_table op, uint8_t tag_2)
{
    const uint8_t tag = tag_2 ? tag_2 : (uint8_t)fb_int(op, Operator_builtin_options_type);
    const struct option_table *table = option_table_find(tag);
    const struct fb_table t =
        fb_sub(op, tag_2 ? Operator_builtin_options_2 : Operator_builtin_options);
    struct options o;

    options_init(&o, tag);
    for (size_t i = 0; table && i < table->field_count; i++) {
        const struct option_field *field = &table->fields[i];
        const size_t at = fb_find(t, field->slot);

        if (!at)
            continue;
        switch (field->kind) {
        case OPTION_I8:
        case OPTION_TYPE: o.value[i].i = (int8_t)r->bytes[at]; break;
        case OPTION_BOOL: o.value[i].i = r->bytes[at] != 0; break;
        case OPTION_I32: o.value[i].i = fb_load_i32(r->bytes, at); break;
        case OPTION_F32: o.value[i].f = fb_load_f32(r->bytes, at); break;
        case OPTION_INTS:
            o.value[i].ints.data = in_place(r, fb_vector(t, field->slot));
            o.value[i].ints.count = fb_vector(t, field->slot).count;
            break;
        case OPTION_STRING:
            o.value[i].text.data = in_place(r, fb_vector(t, field->slot));
            o.value[i].text.count = fb_vector(t, field->slot).count;
            break;
        case OPTION_BYTES:
            o.value[i].bytes.data = in_place(r, fb_vector(t, field->slot));
            o.value[i].bytes.count = fb_vector(t, field->slot).count;
            break;
        }
    }
    return o;
}

static struct model_operator read_operator(const struct reader *r, struct fb_table t)
{
    const struct tflite_span custom = tflite_custom_span(t);
    const uint8_t type_2 = (uint8_t)fb_int(t, Operator_builtin_options_2_type);
    const uint8_t tag_2 =
        fb_int(t, Operator_builtin_options_type) == 0 ? options_tag_of_2(type_2) : 0;

    return (struct model_operator){
        .opcode_index = (uint32_t)fb_int(t, Operator_opcode_index),
        .inputs = read_ints(r, t, Operator_inputs),
        .outputs = read_ints(r, t, Operator_outputs),
        .options = read_options(r, t, tag_2),
        .options_2_type = tag_2 ? 0 : type_2,
        .custom_options = read_span(r, custom),
        .custom_options_large = custom.behind,
        .custom_options_format = (int32_t)fb_int(t, Operator_custom_options_format),
        .mutating_variable_inputs = read_bytes(r, t, Operator_mutating_variable_inputs),
        .intermediates = read_ints(r, t, Operator_intermediates),
        .debug_metadata_index = (int32_t)fb_int(t, Operator_debug_metadata_index),
    };
}

static struct model_subgraph read_subgraph(struct reader *r, struct fb_table t)
{
    struct model_subgraph g = {
        .inputs = read_ints(r, t, SubGraph_inputs),
        .outputs = read_ints(r, t, SubGraph_outputs),
        .name = read_string(r, t, SubGraph_name),
        .debug_metadata_index = (int32_t)fb_int(t, SubGraph_debug_metadata_index),
    };
    struct model_tensor *tensors =
        take_tables(r, t, SubGraph_tensors, sizeof *tensors, &g.tensor_count);
    struct model_operator *operators =
        take_tables(r, t, SubGraph_operators, sizeof *operators, &g.operator_count);

    g.tensors = tensors;
    g.operators = operators;
    for (size_t i = 0; i < g.tensor_count; i++)
        tensors[i] = read_tensor(r, fb_item(t, SubGraph_tensors, i));
    for (size_t i = 0; i < g.operator_count; i++)
        operators[i] = read_operator(r, fb_item(t, SubGraph_operators, i));
    return g;
}

static const struct model_tensor_map *read_maps(struct reader *r, struct fb_table t, unsigned slot,
                                                size_t *count)
{
    struct model_tensor_map *maps = take_tables(r, t, slot, sizeof *maps, count);

    for (size_t i = 0; i < *count; i++) {
        const struct fb_table map = fb_item(t, slot, i);

        maps[i].name = read_string(r, map, TensorMap_name);
        maps[i].tensor_index = (uint32_t)fb_int(map, TensorMap_tensor_index);
    }
    return maps;
}

static void read_signatures(struct reader *r, struct fb_table t, struct model *m)
{
    struct model_signature *signatures =
        take_tables(r, t, Model_signature_defs, sizeof *signatures, &m->signature_count);

    m->signatures = signatures;
    for (size_t i = 0; i < m->signature_count; i++) {
        const struct fb_table s = fb_item(t, Model_signature_defs, i);

        signatures[i].inputs = read_maps(r, s, SignatureDef_inputs, &signatures[i].input_count);
        signatures[i].outputs = read_maps(r, s, SignatureDef_outputs, &signatures[i].output_count);
        signatures[i].key = read_string(r, s, SignatureDef_signature_key);
        signatures[i].subgraph_index = (uint32_t)fb_int(s, SignatureDef_subgraph_index);
    }
}

static void read_external(struct reader *r, struct fb_table t, struct model *m)
{
    struct model_string *groups =
        take_tables(r, t, Model_external_buffer_groups, sizeof *groups, &m->external_group_count);
    struct model_external_buffer *buffers =
        take_tables(r, t, Model_external_buffers, sizeof *buffers, &m->external_buffer_count);

    m->external_groups = groups;
    m->external_buffers = buffers;
    for (size_t i = 0; i < m->external_group_count; i++)
        groups[i] =
            read_string(r, fb_item(t, Model_external_buffer_groups, i), ExternalBufferGroup_name);
    for (size_t i = 0; i < m->external_buffer_count; i++) {
        const struct fb_table b = fb_item(t, Model_external_buffers, i);

        buffers[i] = (struct model_external_buffer){
            .id = (uint32_t)fb_int(b, ExternalBuffer_id),
            .group = (uint32_t)fb_int(b, ExternalBuffer_group),
            .offset = fb_u64(b, ExternalBuffer_offset),
            .length = fb_u64(b, ExternalBuffer_length),
            .packing = read_string(r, b, ExternalBuffer_packing),
        };
    }
}

static void read_model(struct reader *r, struct fb_table t, struct model *m)
{
    struct model_opcode *opcodes =
        take_tables(r, t, Model_operator_codes, sizeof *opcodes, &m->opcode_count);
    struct model_subgraph *subgraphs =
        take_tables(r, t, Model_subgraphs, sizeof *subgraphs, &m->subgraph_count);
    struct model_buffer *buffers =
        take_tables(r, t, Model_buffers, sizeof *buffers, &m->buffer_count);
    struct model_metadata *metadata =
        take_tables(r, t, Model_metadata, sizeof *metadata, &m->metadata_count);

    m->version = (uint32_t)fb_int(t, Model_version);
    m->description = read_string(r, t, Model_description);
    m->opcodes = opcodes;
    m->subgraphs = subgraphs;
    m->buffers = buffers;
    m->metadata_buffer = read_ints(r, t, Model_metadata_buffer);
    m->metadata = metadata;
    for (size_t i = 0; i < m->opcode_count; i++)
        opcodes[i] = read_opcode(r, fb_item(t, Model_operator_codes, i));
    for (size_t i = 0; i < m->subgraph_count; i++)
        subgraphs[i] = read_subgraph(r, fb_item(t, Model_subgraphs, i));
    for (size_t i = 0; i < m->buffer_count; i++) {
        const struct tflite_span s = tflite_buffer_span(fb_item(t, Model_buffers, i));

        buffers[i] = (struct model_buffer){ .data = read_span(r, s), .large = s.behind };
    }
    for (size_t i = 0; i < m->metadata_count; i++) {
        const struct fb_table entry = fb_item(t, Model_metadata, i);

        metadata[i].name = read_string(r, entry, Metadata_name);
        metadata[i].buffer = (uint32_t)fb_int(entry, Metadata_buffer);
    }
    read_signatures(r, t, m);
    read_external(r, t, m);
}

enum status tflite_read_verified(struct model *m, const void *bytes, size_t count,
                                 struct diag *diag)
{
    struct reader r = { .arena = &m->arena, .bytes = bytes };

    *m = (struct model){ 0 };
    /* Vectors of 4 bytes an element are read in place. */
    if ((uintptr_t)bytes % 4 != 0) {
        r.bytes = arena_copy(&m->arena, bytes, count, 1);
        r.no_memory = !r.bytes;
    }
    if (!r.no_memory)
        read_model(&r, fb_root(r.bytes), m);
    if (!r.no_memory)
        return STATUS_OK;
    model_close(m);
    return diag_fail(diag, STATUS_NO_MEMORY, "reading a model of %zu bytes: out of memory", count);
}

enum status tflite_check(const void *bytes, size_t count, enum tflite_accept accept,
                         struct diag *diag)
{
    TRY(fb_verify(bytes, count, diag));
    return tflite_check_rules(bytes, count, accept, diag);
}

enum status tflite_read_accepting(struct model *m, const void *bytes, size_t count,
                                  enum tflite_accept accept, struct diag *diag)
{
    *m = (struct model){ 0 };
    TRY(tflite_check(bytes, count, accept, diag));
    return tflite_read_verified(m, bytes, count, diag);
}

enum status tflite_inline(struct model *m, const void *bytes, struct diag *diag)
{
    struct composite_place place = { 0 };
    const struct model_subgraph *const kept = m->subgraphs;
    const enum status s = composite_inline(m, &place, diag);
    const char *const wish = getenv("ASSAY_COMPOSITES");
    struct fb_table at;

    if (s == STATUS_OK) {
        if (wish && strcmp(wish, "keep") == 0)
            m->subgraphs = kept;
        return s;
    }
    at = fb_item(fb_root(bytes), Model_subgraphs, place.graph);
    if (s == STATUS_INVALID)
        at = fb_item(at, SubGraph_operators, place.node);
    model_close(m);
    return diag_prefix(diag, s, "offset 0x%zx", at.at);
}

enum status tflite_read(struct model *m, const void *bytes, size_t count, struct diag *diag)
{
    TRY(tflite_read_accepting(m, bytes, count, ACCEPT_SUPPORTED, diag));
    return tflite_inline(m, bytes, diag);
}

/* Whether a composite fits its decomposition is known when it has been replaced by it. */
enum status tflite_verify(const void *bytes, size_t count, struct diag *diag)
{
    struct model m;
    const enum status s = tflite_read(&m, bytes, count, diag);

    model_close(&m);
    return s;
}
