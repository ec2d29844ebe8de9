/* A .tflite model in memory: the contents of the file as plain data, not yet interpreted.
 *
 * Filled by the reader (read.h) and the builder (builder.h); used by the interpreter, the writer
 * and everything that prints models.  All pointers are valid as long as the model.  Strings and
 * buffer data of a model that was read point into the file's bytes, which must outlive it. */
#ifndef ASSAY_REFERENCE_FORMAT_MODEL_H
#define ASSAY_REFERENCE_FORMAT_MODEL_H

#include "reference/base/arena.h"
#include "reference/base/builtin.h"
#include "reference/base/diag.h"
#include "reference/format/op_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A vector: data is NULL when it is absent from the file, not NULL when it is empty. */
struct model_ints {
    const int32_t *data;
    size_t count;
};
struct model_longs {
    const int64_t *data;
    size_t count;
};
struct model_floats {
    const float *data;
    size_t count;
};
struct model_bytes {
    const uint8_t *data;
    size_t count;
};

/* A string of count bytes, any of them, and a terminating NUL.  text is NULL when it is absent. */
struct model_string {
    const char *text;
    size_t count;
};

struct model_opcode {
    int32_t code;                          /* enum builtin: the larger of the file's two fields */
    int32_t deprecated_code, builtin_code; /* the two fields as the file has them */
    int32_t version;
    struct model_string custom_code;
};
/* The code of the row in ops.def, of a custom op, too. */
static inline int32_t model_opcode_row(const struct model_opcode *o)
{
    return o->code == BUILTIN_CUSTOM ? builtin_custom_row(o->custom_code.text) : o->code;
}

/* Of quantization, beside scales and zero points: the union QuantizationDetails. */
enum model_details { DETAILS_NONE, DETAILS_CUSTOM, DETAILS_BLOCKWISE, DETAILS_MULTI_AXIS };

/* Quantization parameters; all vectors are absent when `present` is false. */
struct model_quantization {
    bool present;
    struct model_floats min, max, scale;
    struct model_longs zero_point;
    int32_t quantized_dimension;
    uint8_t details_type;      /* enum model_details */
    struct model_bytes custom; /* of DETAILS_CUSTOM */
    /* Of DETAILS_BLOCKWISE and DETAILS_MULTI_AXIS: tensors of the same subgraph, zero points -1:
     * none. */
    int32_t block_scales, block_zero_points, block_size;
    struct model_ints quantized_dimensions; /* of DETAILS_MULTI_AXIS */
};

struct model_dimension {
    int32_t format; /* 0 dense, 1 sparse (CSR) */
    int32_t dense_size;
    uint8_t segments_type, indices_type; /* 0 none, 1 Int32Vector, 2 Uint16Vector, 3 Uint8Vector */
    struct model_ints segments, indices; /* widened */
};

struct model_sparsity {
    bool present;
    struct model_ints traversal_order, block_map;
    const struct model_dimension *dimensions; /* NULL: absent */
    size_t dimension_count;
};

struct model_variant {
    struct model_ints shape;
    int32_t type;
    bool has_rank;
};

struct model_tensor {
    struct model_ints shape; /* absent or empty: rank 0 */
    int32_t type;            /* enum tensor_type */
    uint32_t buffer;         /* index into the model's buffers; 0: no data */
    struct model_string name;
    struct model_quantization quantization;
    bool is_variable;
    struct model_sparsity sparsity;
    struct model_ints shape_signature; /* -1: not fixed */
    bool has_rank;
    const struct model_variant *variants; /* NULL: absent */
    size_t variant_count;
    uint32_t external_buffer;
};

/* A STABLEHLO_COMPOSITE that was replaced by its decomposition (composite.h). */
struct model_composite {
    const char *name;
    struct model_bytes attributes; /* FlexBuffers; anything */
    int32_t subgraph, version;
    int32_t
        node; /* the operator of the subgraph as it was read; of several in each other the outer */
};

struct model_operator {
    uint32_t opcode_index;
    struct model_ints inputs, outputs; /* tensor indices; -1 in inputs: absent */
    struct options options;
    /* Of union BuiltinOptions2, a table that is not one of op_options.def: accepted, its fields are
     * not read. */
    uint8_t options_2_type;
    struct model_bytes custom_options; /* also those that the file keeps behind the flatbuffer */
    bool custom_options_large;         /* the bytes lie behind the flatbuffer */
    int32_t custom_options_format;
    struct model_bytes mutating_variable_inputs;
    struct model_ints intermediates;
    int32_t debug_metadata_index;
    const struct model_composite *composite; /* the innermost that it comes from; NULL: none */
};

struct model_subgraph {
    const struct model_tensor *tensors;
    size_t tensor_count;
    struct model_ints inputs, outputs;
    const struct model_operator *operators;
    size_t operator_count;
    struct model_string name;
    int32_t debug_metadata_index;
};

struct model_buffer {
    struct model_bytes data; /* data NULL: no data.  May be unaligned: copy or use memcpy */
    bool large;              /* the bytes lie behind the flatbuffer */
};

struct model_metadata {
    struct model_string name;
    uint32_t buffer;
};

struct model_tensor_map {
    struct model_string name;
    uint32_t tensor_index;
};

struct model_signature {
    const struct model_tensor_map *inputs, *outputs; /* NULL: absent */
    size_t input_count, output_count;
    struct model_string key;
    uint32_t subgraph_index;
};

struct model_external_buffer {
    uint32_t id, group;
    uint64_t offset, length;
    struct model_string packing;
};

struct model {
    struct arena arena; /* holds everything below */
    uint32_t version;
    struct model_string description;
    const struct model_opcode *opcodes;
    size_t opcode_count;
    const struct model_subgraph *subgraphs;
    size_t subgraph_count;
    const struct model_buffer *buffers;
    size_t buffer_count;
    struct model_ints metadata_buffer;
    const struct model_metadata *metadata; /* NULL: absent */
    size_t metadata_count;
    const struct model_signature *signatures; /* NULL: absent */
    size_t signature_count;
    const struct model_string *external_groups; /* NULL: absent */
    size_t external_group_count;
    const struct model_external_buffer *external_buffers; /* NULL: absent */
    size_t external_buffer_count;
};

/* Frees a model, also one that is partly built; it is empty afterwards. */
void model_close(struct model *m);

/* Bytes of a constant tensor; NULL with *count 0 when the tensor has no data. */
const uint8_t *model_tensor_data(const struct model *m, const struct model_tensor *t,
                                 size_t *count);

bool model_same_ints(struct model_ints a, struct model_ints b);

#endif
