#include "reference/tests/kit/sample_model.h"

#define SAMPLE_COUNT(array) (sizeof(array) / sizeof *(array))
#define SAMPLE_INTS(...)                                                                           \
    {                                                                                              \
        .data = (const int32_t[]){ __VA_ARGS__ },                                                  \
        .count = SAMPLE_COUNT(((const int32_t[]){ __VA_ARGS__ }))                                  \
    }
#define SAMPLE_STRING(literal)                                                                     \
    {                                                                                              \
        .text = (literal), .count = sizeof(literal) - 1                                            \
    }
#define SAMPLE_BYTES(literal)                                                                      \
    {                                                                                              \
        .data = (const uint8_t *)(literal), .count = sizeof(literal) - 1                           \
    }
/* Present and empty. */
#define SAMPLE_NO_INTS                                                                             \
    {                                                                                              \
        .data = (const int32_t[]){ 0 }, .count = 0                                                 \
    }

static const struct model_opcode sample_opcodes[] = {
    { .code = BUILTIN_ADD, .version = 1 },
    { .code = BUILTIN_GELU, .deprecated_code = 127, .builtin_code = BUILTIN_GELU, .version = 2 },
    { .code = BUILTIN_CUSTOM,
      .deprecated_code = BUILTIN_CUSTOM,
      .builtin_code = BUILTIN_CUSTOM,
      .version = -7,
      .custom_code = SAMPLE_STRING("MyOp") },
    { .code = BUILTIN_MUL, .deprecated_code = BUILTIN_MUL, .version = 1 }, /* before schema 3a */
};

/* clang-format off */
static const struct model_dimension sample_dimensions[] = {
    { .format = 0, .dense_size = 3 },
    { .format = 1, .dense_size = 4, .segments_type = 1, .indices_type = 3,
      .segments = SAMPLE_INTS(0, 70000), .indices = SAMPLE_INTS(0, 255) },
    { .format = 1, .segments_type = 2, .indices_type = 2, .segments = SAMPLE_INTS(0, 65535, 258),
      .indices = SAMPLE_NO_INTS },
    { .segments_type = 3, .indices_type = 1 }, /* vectors absent */
};
/* clang-format on */

static const struct model_variant sample_variants[] = {
    { .shape = SAMPLE_INTS(1, 2), .type = TENSOR_INT32, .has_rank = true },
    { .type = TENSOR_FLOAT32 },
};

/* clang-format off */
static const struct model_tensor sample_tensors[] = {
    { .shape = SAMPLE_INTS(1, 2), .type = TENSOR_FLOAT32, .name = SAMPLE_STRING("input"),
      .shape_signature = SAMPLE_INTS(-1, 2), .has_rank = true },
    { .shape = SAMPLE_INTS(2, 2),
      .type = TENSOR_INT8,
      .buffer = 1,
      .name = SAMPLE_STRING("weights\377\n\0tail"),
      .quantization = { .present = true,
                        .min = { .data = (const float[]){ -1.0f, -0.0f }, .count = 2 },
                        .max = { .data = (const float[]){ 1.0f }, .count = 1 },
                        .scale = { .data = (const float[]){ 0.5f, 1e-40f }, .count = 2 },
                        .zero_point = { .data = (const int64_t[]){ -128, 127 }, .count = 2 },
                        .quantized_dimension = 1 },
      .has_rank = true },
    { .shape = SAMPLE_INTS(4), .type = TENSOR_FLOAT32, .name = SAMPLE_STRING("state"),
      .is_variable = true, .quantization = { .present = true } },
    { .type = TENSOR_INT32, .buffer = 2, .name = SAMPLE_STRING("") },
    { .shape = SAMPLE_INTS(3, 4),
      .type = TENSOR_FLOAT16,
      .buffer = 3,
      .sparsity = { .present = true,
                    .traversal_order = SAMPLE_INTS(0, 1, 2, 3),
                    .block_map = SAMPLE_INTS(0, 1),
                    .dimensions = sample_dimensions,
                    .dimension_count = SAMPLE_COUNT(sample_dimensions) },
      .quantization = { .present = true,
                        .details_type = 1,
                        .custom = SAMPLE_BYTES("\1\2\3\4\5") } },
    { .shape = SAMPLE_INTS(0),
      .type = TENSOR_INT4,
      .external_buffer = 9,
      .sparsity = { .present = true },
      .quantization = { .present = true,
                        .details_type = 2,
                        .block_scales = 1,
                        .block_zero_points = -1,
                        .block_size = 32 } },
    { .shape = SAMPLE_NO_INTS,
      .type = TENSOR_VARIANT,
      .is_variable = true,
      .variants = sample_variants,
      .variant_count = SAMPLE_COUNT(sample_variants),
      .quantization = { .present = true,
                        .details_type = 3,
                        .block_scales = 2,
                        .block_zero_points = 3,
                        .block_size = 16,
                        .quantized_dimensions = SAMPLE_INTS(0, 1) } },
    { .shape = SAMPLE_INTS(1, 2), .type = TENSOR_FLOAT32, .name = SAMPLE_STRING("sum") },
    { .shape = SAMPLE_INTS(2, 1), .type = TENSOR_FLOAT32, .name = SAMPLE_STRING("gelu") },
    { .shape = SAMPLE_INTS(1), .type = TENSOR_FLOAT32, .name = SAMPLE_STRING("custom") },
    { .shape = SAMPLE_INTS(1), .type = TENSOR_FLOAT32, .name = SAMPLE_STRING("custom large") },
    { .shape = SAMPLE_INTS(2), .type = TENSOR_STRING, .buffer = 5, .name = SAMPLE_STRING("words") },
};
/* clang-format on */

/* clang-format off */
static const struct model_operator sample_operators[] = {
    { .opcode_index = 0, .inputs = SAMPLE_INTS(0, 1, -1), .outputs = SAMPLE_INTS(7),
      .options = { .tag = OPTIONS_AddOptions, .value = { { .i = 1 }, { .i = 1 } } },
      .mutating_variable_inputs = SAMPLE_BYTES("\0\1\0"), .intermediates = SAMPLE_INTS(2, 3),
      .debug_metadata_index = -1 },
    { .opcode_index = 1, .inputs = SAMPLE_INTS(7), .outputs = SAMPLE_INTS(8),
      .options = { .tag = OPTIONS_GeluOptions }, .debug_metadata_index = 5 },
    { .opcode_index = 2, .inputs = SAMPLE_INTS(8), .outputs = SAMPLE_INTS(9),
      .custom_options = SAMPLE_BYTES("flex\1\2"), .custom_options_format = 0,
      .debug_metadata_index = -1 },
    { .opcode_index = 2, .inputs = SAMPLE_NO_INTS, .outputs = SAMPLE_INTS(10),
      .custom_options = SAMPLE_BYTES("far away"), .custom_options_large = true,
      .custom_options_format = 3, .debug_metadata_index = -1 },
};
/* clang-format on */

static const struct model_subgraph sample_subgraphs[] = {
    { .tensors = sample_tensors,
      .tensor_count = SAMPLE_COUNT(sample_tensors),
      .inputs = SAMPLE_INTS(0),
      .outputs = SAMPLE_INTS(9, 7, 7, 1),
      .operators = sample_operators,
      .operator_count = SAMPLE_COUNT(sample_operators),
      .name = SAMPLE_STRING("main"),
      .debug_metadata_index = 2 },
    { .operators = sample_operators, .debug_metadata_index = -1 }, /* empty, the rest absent */
};

static const struct model_buffer sample_buffers[] = {
    { .data = { 0 } },
    { .data = SAMPLE_BYTES("\1\2\3\4\5") }, /* a byte more than the tensor needs */
    { .data = SAMPLE_BYTES("\1\0\0\0"), .large = true },
    { .data = SAMPLE_BYTES("sparse values") },
    { .data = SAMPLE_BYTES("") },
    { .data = SAMPLE_BYTES("\2\0\0\0\20\0\0\0\22\0\0\0\25\0\0\0hithere") },
    { .data = SAMPLE_BYTES(""), .large = true },
};

static const struct model_metadata sample_metadata[] = {
    { .name = SAMPLE_STRING("min_runtime_version"), .buffer = 4 },
    { .buffer = 0 },
};

static const struct model_tensor_map sample_maps[] = {
    { .name = SAMPLE_STRING("x"), .tensor_index = 0 },
    { .name = SAMPLE_STRING("y"), .tensor_index = 9 },
    { .tensor_index = 1 },
};

static const struct model_signature sample_signatures[] = {
    { .inputs = &sample_maps[0],
      .input_count = 1,
      .outputs = &sample_maps[1],
      .output_count = 2,
      .key = SAMPLE_STRING("serving_default") },
    { .inputs = sample_maps, .subgraph_index = 1 },
};

static const struct model_string sample_groups[] = { SAMPLE_STRING("weights.bin"), { 0 } };

static const struct model_external_buffer sample_external[] = {
    { .id = 9,
      .group = 1,
      .offset = 0x123456789abcdef0,
      .length = 77,
      .packing = SAMPLE_STRING("zip") },
    { .id = 0xffffffff },
};

const struct model sample_model = {
    .version = 3,
    .description = SAMPLE_STRING("sample"),
    .opcodes = sample_opcodes,
    .opcode_count = SAMPLE_COUNT(sample_opcodes),
    .subgraphs = sample_subgraphs,
    .subgraph_count = SAMPLE_COUNT(sample_subgraphs),
    .buffers = sample_buffers,
    .buffer_count = SAMPLE_COUNT(sample_buffers),
    .metadata_buffer = SAMPLE_INTS(1, 4),
    .metadata = sample_metadata,
    .metadata_count = SAMPLE_COUNT(sample_metadata),
    .signatures = sample_signatures,
    .signature_count = SAMPLE_COUNT(sample_signatures),
    .external_groups = sample_groups,
    .external_group_count = SAMPLE_COUNT(sample_groups),
    .external_buffers = sample_external,
    .external_buffer_count = SAMPLE_COUNT(sample_external),
};
