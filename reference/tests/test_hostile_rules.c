/* Files whose flatbuffer is well-formed and whose model breaks a rule: indices, order of operators,
 * types, shapes, data, quantization; and unusual ones that are legal. */
#include "reference/format/write.h"
#include "reference/tests/kit/hostile.h"
#include "reference/tests/kit/sample_model.h"

#include <math.h>

/* ---- places in the base model ---- */

static struct model_tensor *tensor(struct model *m, size_t index)
{
    return (struct model_tensor *)&m->subgraphs[0].tensors[index];
}
static struct model_operator *op(struct model *m, size_t index)
{
    return (struct model_operator *)&m->subgraphs[0].operators[index];
}
static struct model_opcode *opcode(struct model *m, size_t index)
{
    return (struct model_opcode *)&m->opcodes[index];
}
static struct model_buffer *buffer(struct model *m, size_t index)
{
    return (struct model_buffer *)&m->buffers[index];
}
static struct model_subgraph *graph(struct model *m)
{
    return (struct model_subgraph *)&m->subgraphs[0];
}
static struct model_ints ints(struct model *m, size_t count, const int32_t *values)
{
    return (struct model_ints){ .data = arena_copy(&m->arena, values, count, sizeof *values),
                                .count = count };
}
#define INTS(...)                                                                                  \
    ints(m, sizeof((int32_t[]){ __VA_ARGS__ }) / sizeof(int32_t), (int32_t[]){ __VA_ARGS__ })

static void set_bytes(struct model_buffer *b, const void *data, size_t count)
{
    b->data.data = data;
    b->data.count = count;
}

/* ---- model ---- */

static void version_2(struct model *m)
{
    m->version = 2;
}
static void subgraphs_absent(struct model *m)
{
    m->subgraphs = NULL;
    m->subgraph_count = 0;
}
static void subgraphs_empty(struct model *m)
{
    m->subgraph_count = 0;
}
static void buffers_absent(struct model *m)
{
    m->buffers = NULL;
    m->buffer_count = 0;
}
static void operators_absent(struct model *m)
{
    graph(m)->operators = NULL;
    graph(m)->operator_count = 0;
}
static void metadata_buffer_past_end(struct model *m)
{
    static const struct model_metadata metadata[] = { { .buffer = 0 }, { .buffer = BUFFERS } };

    m->metadata = metadata;
    m->metadata_count = 2;
}
static void signature_subgraph_past_end(struct model *m)
{
    static const struct model_signature signature = { .subgraph_index = 1 };

    m->signatures = &signature;
    m->signature_count = 1;
}
static void signature_tensor_past_end(struct model *m)
{
    static const struct model_tensor_map maps[] = { { .tensor_index = TENSORS } };
    static const struct model_signature signature = { .outputs = maps, .output_count = 1 };

    m->signatures = &signature;
    m->signature_count = 1;
}
static void signature_input_past_end(struct model *m)
{
    static const struct model_tensor_map maps[] = { { .tensor_index = TENSORS } };
    static const struct model_signature signature = { .inputs = maps, .input_count = 1 };

    m->signatures = &signature;
    m->signature_count = 1;
}

/* ---- operators ---- */

static void opcode_index_past_end(struct model *m)
{
    op(m, OP_MUL)->opcode_index = 3;
}
static void opcode_210(struct model *m)
{
    opcode(m, 2)->builtin_code = 210;
}
static void opcode_negative(struct model *m)
{
    opcode(m, 0)->deprecated_code = opcode(m, 0)->builtin_code = -1;
}
static void custom_without_name(struct model *m)
{
    opcode(m, 0)->deprecated_code = opcode(m, 0)->builtin_code = BUILTIN_CUSTOM;
}
static void custom_with_empty_name(struct model *m)
{
    custom_without_name(m);
    opcode(m, 0)->custom_code = (struct model_string){ .text = "" };
}
static void inputs_absent(struct model *m)
{
    op(m, OP_ADD)->inputs.data = NULL;
}
static void outputs_absent(struct model *m)
{
    op(m, OP_ADD)->outputs.data = NULL;
}
static void input_past_end(struct model *m)
{
    op(m, OP_ADD)->inputs = INTS(T_X, TENSORS);
}
static void input_minus_2(struct model *m)
{
    op(m, OP_ADD)->inputs = INTS(T_X, -2);
}
static void output_minus_1(struct model *m)
{
    op(m, OP_MUL)->outputs = INTS(-1);
}
static void output_past_end(struct model *m)
{
    op(m, OP_MUL)->outputs = INTS(TENSORS);
}
static void intermediate_past_end(struct model *m)
{
    op(m, OP_MUL)->intermediates = INTS(0, INT32_MAX);
}
static void graph_input_minus_1(struct model *m)
{
    graph(m)->inputs = INTS(-1);
}
static void graph_output_past_end(struct model *m)
{
    graph(m)->outputs = INTS(T_PRODUCT, TENSORS);
}
static void graph_input_is_constant(struct model *m)
{
    graph(m)->inputs = INTS(T_X, T_BIAS);
}
static void graph_output_never_written(struct model *m)
{
    graph(m)->operator_count = 2;
}
static void read_before_written(struct model *m)
{
    op(m, OP_ADD)->inputs = INTS(T_X, T_SHAPED);
}
static void cycle(struct model *m)
{
    op(m, OP_ADD)->inputs = INTS(T_SUM, T_BIAS);
}
static void never_written(struct model *m)
{
    graph(m)->inputs = INTS(T_WORDS);
    graph(m)->inputs.count = 0;
}
static void writes_constant(struct model *m)
{
    op(m, OP_ADD)->outputs = INTS(T_WEIGHTS);
}
static void writes_variable(struct model *m)
{
    op(m, OP_ADD)->outputs = INTS(T_STATE);
}
static void writes_input(struct model *m)
{
    op(m, OP_ADD)->outputs = INTS(T_X);
}
static void writes_twice(struct model *m)
{
    op(m, OP_RESHAPE)->outputs = INTS(T_SUM);
}
static void output_twice_in_one_op(struct model *m)
{
    op(m, OP_ADD)->outputs = INTS(T_SUM, T_SUM);
}
static void large_options(struct model *m)
{
    op(m, OP_ADD)->custom_options = (struct model_bytes){ (const uint8_t *)"options", 7 };
    op(m, OP_ADD)->custom_options_large = true;
}

/* ---- tensors ---- */

static void buffer_past_end(struct model *m)
{
    tensor(m, T_BIAS)->buffer = BUFFERS;
}
static void buffer_huge(struct model *m)
{
    tensor(m, T_BIAS)->buffer = 0xffffffff;
}
static void type_23(struct model *m)
{
    tensor(m, T_SUM)->type = 23;
}
static void type_negative(struct model *m)
{
    tensor(m, T_SUM)->type = -1;
}
static void dimension_negative(struct model *m)
{
    tensor(m, T_SUM)->shape = INTS(0, -1);
}
static void dimension_least(struct model *m)
{
    tensor(m, T_SUM)->shape = INTS(INT32_MIN);
}
static void elements_overflow(struct model *m)
{
    tensor(m, T_SUM)->shape = INTS(INT32_MAX, INT32_MAX, INT32_MAX);
}
static void bytes_overflow(struct model *m)
{
    tensor(m, T_SUM)->shape = INTS(INT32_MAX, INT32_MAX);
}
static void signature_minus_2(struct model *m)
{
    tensor(m, T_X)->shape_signature = INTS(-1, -2);
}
static void signature_of_other_rank(struct model *m)
{
    tensor(m, T_X)->shape_signature = INTS(-1, 2, 2);
}
static void signature_of_other_size(struct model *m)
{
    tensor(m, T_X)->shape_signature = INTS(-1, 7);
}
static void elements_over_limit(struct model *m)
{
    tensor(m, T_SUM)->shape = INTS(32768, 32769);
}
static void elements_at_limit(struct model *m)
{
    tensor(m, T_SUM)->shape = INTS(32768, 32768);
}
static void data_too_small(struct model *m)
{
    buffer(m, BUFFER_BIAS)->data.count = 7;
}
static void data_empty(struct model *m)
{
    buffer(m, BUFFER_BIAS)->data.count = 0;
}
static void int4_data_too_small(struct model *m)
{
    tensor(m, T_WEIGHTS)->type = TENSOR_INT4;
    tensor(m, T_WEIGHTS)->shape = INTS(3, 3);
    tensor(m, T_WEIGHTS)->quantization.present = false; /* 4 bytes of data, 9 nibbles */
}
static void variable_with_data(struct model *m)
{
    tensor(m, T_BIAS)->is_variable = true;
}
static void data_large(struct model *m)
{
    buffer(m, BUFFER_BIAS)->large = true;
}
static void external(struct model *m)
{
    tensor(m, T_BIAS)->buffer = 0;
    tensor(m, T_BIAS)->external_buffer = 4;
}
static void sparse(struct model *m)
{
    tensor(m, T_WEIGHTS)->sparsity.present = true;
}

/* ---- strings ---- */

static void strings_of_3_bytes(struct model *m)
{
    set_bytes(buffer(m, BUFFER_WORDS), "\0\0", 3);
}
static void strings_negative(struct model *m)
{
    set_bytes(buffer(m, BUFFER_WORDS), "\377\377\377\377\0\0\0", 8);
}
static void strings_too_many(struct model *m)
{
    set_bytes(buffer(m, BUFFER_WORDS), "\377\377\377\177\0\0\0", 8);
}
static void strings_too_few(struct model *m)
{
    set_bytes(buffer(m, BUFFER_WORDS), "\1\0\0\0\14\0\0\0\16\0\0\0hi", 14);
}
static void string_in_header(struct model *m)
{
    set_bytes(buffer(m, BUFFER_WORDS), "\2\0\0\0\4\0\0\0\22\0\0\0\25\0\0\0hithere", 23);
}
static void strings_decreasing(struct model *m)
{
    set_bytes(buffer(m, BUFFER_WORDS), "\2\0\0\0\20\0\0\0\25\0\0\0\22\0\0\0hithere", 23);
}
static void string_past_end(struct model *m)
{
    set_bytes(buffer(m, BUFFER_WORDS), "\2\0\0\0\20\0\0\0\22\0\0\0\30\0\0\0hithere", 23);
}

/* ---- quantization ---- */

static struct model_quantization *quantization(struct model *m)
{
    return &tensor(m, T_WEIGHTS)->quantization;
}
static void set_scale(struct model *m, float scale)
{
    static float two[2];

    two[0] = 1;
    two[1] = scale;
    quantization(m)->scale.data = two;
}
static void set_zero_point(struct model *m, int64_t zero_point)
{
    static int64_t two[2];

    two[1] = zero_point;
    quantization(m)->zero_point.data = two;
}
static void zero_points_absent(struct model *m)
{
    quantization(m)->zero_point = (struct model_longs){ 0 };
}
static void zero_points_too_few(struct model *m)
{
    quantization(m)->zero_point.count = 1;
}
static void scales_too_few(struct model *m)
{
    tensor(m, T_WEIGHTS)->shape = INTS(1, 3);
}
static void quantized_dimension_negative(struct model *m)
{
    quantization(m)->quantized_dimension = -1;
}
static void quantized_dimension_is_rank(struct model *m)
{
    quantization(m)->quantized_dimension = 2;
}
static void quantized_dimension_of_scalar(struct model *m)
{
    tensor(m, T_WEIGHTS)->shape.count = 0;
    quantization(m)->quantized_dimension = -1;
}
static void per_channel_scalar(struct model *m)
{
    tensor(m, T_WEIGHTS)->shape.count = 0;
    quantization(m)->quantized_dimension = 0;
}
static void scale_nan(struct model *m)
{
    set_scale(m, NAN);
}
static void scale_infinite(struct model *m)
{
    set_scale(m, INFINITY);
}
static void scale_negative(struct model *m)
{
    set_scale(m, -1);
}
static void zero_point_128(struct model *m)
{
    set_zero_point(m, 128);
}
static void zero_point_least(struct model *m)
{
    set_zero_point(m, INT64_MIN);
}
static void zero_point_u8_negative(struct model *m)
{
    tensor(m, T_WEIGHTS)->type = TENSOR_UINT8;
    set_zero_point(m, -1);
}
static void details_custom(struct model *m)
{
    quantization(m)->details_type = 1;
}
static void details_blockwise(struct model *m)
{
    quantization(m)->details_type = 2;
}
static void details_multi_axis(struct model *m)
{
    quantization(m)->details_type = 3;
}

/* ---- legal, if odd ---- */

static void shapes(struct model *m)
{
    int32_t many[255];

    for (size_t i = 0; i < 255; i++)
        many[i] = 1;
    many[254] = 2;
    tensor(m, T_X)->shape = ints(m, 255, many);
    tensor(m, T_X)->shape_signature = ints(m, 255, many);
    tensor(m, T_SUM)->shape = INTS(INT32_MAX, INT32_MAX, 0);
    tensor(m, T_SHAPED)->shape.data = NULL; /* a scalar, or of unknown rank */
    tensor(m, T_SHAPED)->shape.count = 0;
    tensor(m, T_SHAPED)->has_rank = false;
    tensor(m, T_PRODUCT)->shape.count = 0;
}
static void names(struct model *m)
{
    tensor(m, T_X)->name = (struct model_string){ "\377\376 \0 \n", 6 };
    tensor(m, T_SUM)->name = tensor(m, T_PRODUCT)->name;
    tensor(m, T_SHAPED)->name = (struct model_string){ 0 };
    m->description = (struct model_string){ 0 };
    graph(m)->name = (struct model_string){ 0 };
}
/* The data of a buffer is checked once; the count of strings for each tensor that has it. */
static void strings_shared(struct model *m)
{
    tensor(m, T_BIAS)->type = TENSOR_STRING;
    tensor(m, T_BIAS)->buffer = tensor(m, T_WORDS)->buffer;
    tensor(m, T_BIAS)->shape = INTS(1);
}
static void strings_shared_too_few(struct model *m)
{
    strings_shared(m);
    tensor(m, T_WORDS)->shape = INTS(3);
}
static void graph_outputs(struct model *m)
{
    graph(m)->outputs = INTS(T_PRODUCT, T_X, T_BIAS, T_STATE, T_PRODUCT);
}
static void types(struct model *m)
{
    tensor(m, T_WEIGHTS)->type = TENSOR_INT4;
    tensor(m, T_WEIGHTS)->shape = INTS(7); /* 3.5 bytes; there are 4 */
    tensor(m, T_WEIGHTS)->quantization.present = false;
    tensor(m, T_X)->type = TENSOR_RESOURCE;
    tensor(m, T_SUM)->type = TENSOR_VARIANT;
    tensor(m, T_SHAPED)->type = TENSOR_FLOAT8_E5M2;
    tensor(m, T_BIAS)->type = TENSOR_INT2;
}
static void quantizations(struct model *m)
{
    static const float scale[] = { 1e-45f, 0.0f, -1.0f, NAN };
    static const int64_t zero[] = { 1000, INT32_MIN, 0, 0 };

    quantization(m)->scale.count = 0; /* not quantized: nothing else matters */
    quantization(m)->zero_point.count = 1;
    quantization(m)->quantized_dimension = -5;
    tensor(m, T_STATE)->shape = INTS(4); /* no integers: notes of a converter */
    tensor(m, T_STATE)->quantization = (struct model_quantization){ .present = true,
                                                                    .scale = { scale, 4 },
                                                                    .zero_point = { zero, 4 } };
    tensor(m, T_SHAPED)->type = TENSOR_INT32;
    tensor(m, T_SHAPED)->shape.count = 0; /* a scalar with one scale */
    tensor(m, T_SHAPED)->quantization = (struct model_quantization){ .present = true,
                                                                     .scale = { scale, 1 },
                                                                     .zero_point = { zero, 1 } };
}
static void operators(struct model *m)
{
    op(m, OP_ADD)->options.tag = OPTIONS_Pool2DOptions; /* not ADD's: the runtime's matter */
    op(m, OP_RESHAPE)->options.tag = 0;
    op(m, OP_RESHAPE)->outputs = INTS(T_SHAPED);
    opcode(m, 0)->version = 0;
    opcode(m, 1)->version = INT32_MAX;
    opcode(m, 1)->builtin_code = 3; /* RESHAPE is the larger one */
    opcode(m, 2)->version = -1;
}
static void buffers(struct model *m)
{
    set_bytes(buffer(m, BUFFER_NONE), "not read", 8); /* what nobody has as data */
    set_bytes(buffer(m, BUFFER_BIAS), "larger than needed", 19);
    tensor(m, T_WORDS)->buffer = BUFFER_BIAS;
    tensor(m, T_WORDS)->type = TENSOR_UINT8;
    buffer(m, BUFFER_WORDS)->data = (struct model_bytes){ 0 };
    tensor(m, T_WEIGHTS)->buffer = BUFFER_WORDS; /* empty, of no elements, and read */
    tensor(m, T_WEIGHTS)->shape = INTS(0);
    tensor(m, T_WEIGHTS)->quantization.present = false;
    op(m, OP_RESHAPE)->inputs = INTS(T_SUM, T_WEIGHTS);
}
static void no_operators(struct model *m)
{
    graph(m)->operator_count = 0;
    graph(m)->outputs = graph(m)->inputs;
    m->opcodes = NULL;
    m->opcode_count = 0;
}

/* ---- patches: what the writer does not write ---- */

static struct fb_table bias_buffer(const struct tflite_file *file)
{
    return fb_item(fb_root(file->bytes), Model_buffers, BUFFER_BIAS);
}
static void set64(struct tflite_file *file, size_t at, uint64_t value)
{
    set32(file, at, (uint32_t)value);
    set32(file, at + 4, (uint32_t)(value >> 32));
}
static void data_offset_past_end(struct tflite_file *file)
{
    set64(file, fb_find(bias_buffer(file), Buffer_offset), file->count + 1);
}
static void data_size_past_end(struct tflite_file *file)
{
    set64(file, fb_find(bias_buffer(file), Buffer_size), file->count);
}
static void data_wraps(struct tflite_file *file)
{
    set64(file, fb_find(bias_buffer(file), Buffer_offset), UINT64_MAX - 7);
    set64(file, fb_find(bias_buffer(file), Buffer_size), 16);
}
static void data_offset_1(struct tflite_file *file)
{
    set64(file, fb_find(bias_buffer(file), Buffer_offset), 1);
}
static void data_over_flatbuffer(struct tflite_file *file)
{
    set64(file, fb_find(bias_buffer(file), Buffer_offset), 5);
}
static void options_wrap(struct tflite_file *file)
{
    const struct fb_table t = file_operator(file, OP_ADD);

    set64(file, fb_find(t, Operator_large_custom_options_offset), UINT64_MAX);
    set64(file, fb_find(t, Operator_large_custom_options_size), UINT64_MAX);
}
static void tag_127(struct tflite_file *file)
{
    set8(file, fb_find(file_operator(file, OP_ADD), Operator_builtin_options_type), 127);
}
static void tag_unlisted(struct tflite_file *file)
{
    set8(file, fb_find(file_operator(file, OP_ADD), Operator_builtin_options_type), 16);
}

/* The vtable entries of the first options become those of the second. */
static void second_options(struct tflite_file *file, unsigned tag)
{
    const struct fb_table t = file_operator(file, OP_ADD);
    const size_t type = vtable_entry(t, Operator_builtin_options_type);
    const size_t type_2 = vtable_entry(t, Operator_builtin_options_2_type);

    set8(file, fb_find(t, Operator_builtin_options_type), tag);
    memcpy(file->bytes + type_2, file->bytes + type, 4); /* tag and table */
    set32(file, type, 0);
}
static void mutable_for_second(struct model *m)
{
    op(m, OP_ADD)->debug_metadata_index = 7; /* slot 13: the vtable reaches past slot 12 */
}
static void options_2(struct tflite_file *file)
{
    second_options(file, 18);
}
static void options_2_tag_24(struct tflite_file *file)
{
    second_options(file, 24);
}
/* Tables of the second options are not described, but have to be tables. */
static void options_2_table_broken(struct tflite_file *file)
{
    second_options(file, 18);
    set32(file, fb_sub(file_operator(file, OP_ADD), Operator_builtin_options_2).at, 0x40000000);
}
/* Not the base model: the one that has every table. */
static void every_table(struct tflite_file *file)
{
    struct diag diag = { 0 };

    mem_free(file->bytes);
    if (tflite_write(&sample_model, file, &diag) != STATUS_OK)
        abort();
}

/* A hundred buffers, each as large as the file. */
static void many_large(struct model *m)
{
    struct model_buffer *list = ARENA_NEW(&m->arena, 100, struct model_buffer);

    for (size_t i = 0; i < 100; i++)
        list[i] = i < BUFFERS
                      ? m->buffers[i]
                      : (struct model_buffer){ .data = { (const uint8_t *)"x", 1 }, .large = true };
    m->buffers = list;
    m->buffer_count = 100;
}
static void data_explodes(struct tflite_file *file)
{
    for (size_t i = BUFFERS; i < 100; i++) {
        const struct fb_table t = fb_item(fb_root(file->bytes), Model_buffers, i);

        set64(file, fb_find(t, Buffer_offset), 8);
        set64(file, fb_find(t, Buffer_size), file->count - 8);
    }
}

#define ROW(name, kind, ...)                                                                       \
    {                                                                                              \
#name, STATUS_##kind, { __VA_ARGS__ }, name, NULL, false                                   \
    }
#define SEED(name, kind, ...)                                                                      \
    {                                                                                              \
#name, STATUS_##kind, { __VA_ARGS__ }, name, NULL, true                                    \
    }
#define PATCH(edit, name, kind, ...)                                                               \
    {                                                                                              \
#name, STATUS_##kind, { __VA_ARGS__ }, edit, name, true                                    \
    }

static const struct hostile rows[] = {
    ROW(version_2, INVALID, "Model.version: 2, not 3"),
    ROW(subgraphs_absent, INVALID, "Model.subgraphs: none"),
    ROW(subgraphs_empty, INVALID, "Model.subgraphs: none"),
    SEED(buffers_absent, INVALID, "Model.buffers: absent"),
    SEED(operators_absent, INVALID, "SubGraph.operators: absent", "(subgraph 0)"),
    ROW(metadata_buffer_past_end, INVALID, "Metadata.buffer: 4, the model has 4 buffers",
        "(metadata 1)"),
    ROW(signature_subgraph_past_end, INVALID, "SignatureDef.subgraph_index: 1, the model has 1"),
    ROW(signature_input_past_end, INVALID, "TensorMap.tensor_index: 8, the subgraph has 8"),
    SEED(signature_tensor_past_end, INVALID, "TensorMap.tensor_index: 8, the subgraph has 8"),

    SEED(opcode_index_past_end, INVALID, "Operator.opcode_index: 3, the model has 3 operator codes",
         "(subgraph 0, operator 2 )"),
    ROW(opcode_210, UNSUPPORTED, "OperatorCode.builtin_code: 210, not in 0..209"),
    ROW(opcode_negative, INVALID, "OperatorCode.builtin_code: -1, not in 0..209 (operator code 0)"),
    SEED(custom_without_name, INVALID, "OperatorCode.custom_code: no name"),
    ROW(custom_with_empty_name, INVALID, "OperatorCode.custom_code: no name"),
    ROW(inputs_absent, INVALID, "Operator.inputs: absent", "(subgraph 0, operator 0 ADD)"),
    ROW(outputs_absent, INVALID, "Operator.outputs: absent"),
    SEED(input_past_end, INVALID, "Operator.inputs[1]: 8, the subgraph has 8 tensors"),
    ROW(input_minus_2, INVALID, "Operator.inputs[1]: -2"),
    ROW(output_minus_1, INVALID, "Operator.outputs[0]: -1", "operator 2 MUL)"),
    ROW(output_past_end, INVALID, "Operator.outputs[0]: 8"),
    ROW(intermediate_past_end, INVALID, "Operator.intermediates[1]: 2147483647"),
    ROW(graph_input_minus_1, INVALID, "SubGraph.inputs[0]: -1"),
    ROW(graph_output_past_end, INVALID, "SubGraph.outputs[1]: 8"),
    ROW(graph_input_is_constant, INVALID, "SubGraph.inputs[1]: tensor 3 'bias' is a constant"),
    ROW(graph_output_never_written, INVALID,
        "SubGraph.outputs[0]: nothing writes tensor 7 'product'"),
    ROW(read_before_written, INVALID, "Operator.inputs[1]: tensor 5 'shaped' is read"),
    SEED(cycle, INVALID, "Operator.inputs[0]: tensor 4 'sum' is read", "operator 0 ADD)"),
    ROW(never_written, INVALID, "Operator.inputs[0]: tensor 0 'x' is read"),
    ROW(writes_constant, INVALID, "Operator.outputs[0]: tensor 1 'weights'", "is a constant"),
    ROW(writes_variable, INVALID, "Operator.outputs[0]: tensor 2 'state'", "is a variable"),
    ROW(writes_input, INVALID, "tensor 0 'x' is written, and is an input of the subgraph"),
    SEED(writes_twice, INVALID, "tensor 4 'sum' is written, and was written before", "RESHAPE"),
    ROW(output_twice_in_one_op, INVALID, "Operator.outputs[1]: tensor 4 'sum' is written"),
    PATCH(NULL, tag_127, UNSUPPORTED, "Operator.builtin_options_type: 127, not in 0..126"),
    PATCH(mutable_for_second, options_2_tag_24, UNSUPPORTED,
          "Operator.builtin_options_2_type: 24, not in 0..23"),
    PATCH(mutable_for_second, options_2_table_broken, INVALID, "options.vtable: at",
          "operators[0].builtin_options_2)"),
    PATCH(large_options, options_wrap, INVALID,
          "Operator.large_custom_options_offset: 18446744073709551615, size "
          "18446744073709551615"),

    SEED(buffer_past_end, INVALID, "Tensor.buffer: 4, the model has 4 buffers",
         "(subgraph 0, tensor 3 'bias')"),
    ROW(buffer_huge, INVALID, "Tensor.buffer: 4294967295"),
    SEED(type_23, UNSUPPORTED, "Tensor.type: 23, not in 0..22", "tensor 4 'sum'"),
    ROW(type_negative, INVALID, "Tensor.type: -1"),
    SEED(dimension_negative, INVALID, "Tensor.shape[1]: -1, a dimension is at least 0"),
    ROW(dimension_least, INVALID, "Tensor.shape[0]: -2147483648"),
    ROW(elements_overflow, INVALID, "Tensor.shape[2]: 2147483647, too many elements"),
    ROW(bytes_overflow, INVALID, "Tensor.shape: 4611686014132420609 elements of 32 bits"),
    ROW(signature_minus_2, INVALID, "Tensor.shape_signature[1]: -2, at least -1"),
    ROW(signature_of_other_rank, INVALID, "Tensor.shape_signature: 3 dimensions, the shape has 2"),
    ROW(signature_of_other_size, INVALID, "Tensor.shape_signature[1]: 7, the shape has 2",
        "tensor 0 'x'"),
    ROW(elements_over_limit, LIMIT, "Tensor.shape: 1073774592 elements, at most 1073741824",
        "limit tensor_elements; --limit=tensor_elements=VALUE", "tensor 4 'sum'"),
    ROW(elements_at_limit, OK, NULL),
    SEED(data_too_small, INVALID, "Tensor.buffer: 7 bytes of data in buffer 2, the shape needs 8"),
    ROW(data_empty, INVALID, "Tensor.buffer: 0 bytes of data in buffer 2, the shape needs 8"),
    ROW(int4_data_too_small, INVALID, "4 bytes of data in buffer 1, the shape needs 5"),
    ROW(variable_with_data, INVALID, "Tensor.is_variable: true, and the tensor has data"),
    PATCH(data_large, data_offset_past_end, INVALID, "Buffer.offset:", "size 8, in a file of"),
    PATCH(data_large, data_size_past_end, INVALID, "Buffer.offset:", "in a file of"),
    PATCH(data_large, data_wraps, INVALID, "Buffer.offset: 18446744073709551608, size 16"),
    { "data_explodes",
      STATUS_INVALID,
      { "Buffer.offset:", "shared too often" },
      many_large,
      data_explodes,
      false },
    ROW(external, UNSUPPORTED, "Tensor.external_buffer: 4"),
    SEED(sparse, UNSUPPORTED, "Tensor.sparsity: sparse tensors are not supported", "'weights'"),

    ROW(strings_of_3_bytes, INVALID, "Tensor.buffer: 3 bytes of string data", "'words'"),
    ROW(strings_negative, INVALID, "Tensor.buffer: -1 strings, in 8 bytes"),
    SEED(strings_too_many, INVALID, "Tensor.buffer: 2147483647 strings, in 8 bytes"),
    ROW(strings_too_few, INVALID, "Tensor.buffer: 1 strings, the shape has 2"),
    ROW(string_in_header, INVALID, "Tensor.buffer: string 0 at 4, not in 16..23"),
    SEED(strings_decreasing, INVALID, "Tensor.buffer: string 2 at 18, not in 21..23"),
    ROW(string_past_end, INVALID, "Tensor.buffer: string 2 at 24, not in 18..23"),

    ROW(zero_points_absent, INVALID, "QuantizationParameters.zero_point: 0 zero points, 2 scales"),
    SEED(zero_points_too_few, INVALID, "1 zero points, 2 scales", "tensor 1 'weights'"),
    SEED(scales_too_few, INVALID, "QuantizationParameters.scale: 2 scales, dimension 1 has 3"),
    ROW(quantized_dimension_negative, INVALID, "quantized_dimension: -1, the tensor has rank 2"),
    SEED(quantized_dimension_is_rank, INVALID, "quantized_dimension: 2, the tensor has rank 2"),
    ROW(quantized_dimension_of_scalar, INVALID, "quantized_dimension: -1, the tensor has rank 0"),
    ROW(per_channel_scalar, INVALID, "QuantizationParameters.scale: 2 scales, dimension 0 has 1"),
    ROW(scale_nan, INVALID, "QuantizationParameters.scale[1]: ", "nan"),
    ROW(scale_infinite, INVALID, "QuantizationParameters.scale[1]: inf"),
    ROW(scale_negative, INVALID, "QuantizationParameters.scale[1]: -1"),
    ROW(zero_point_128, INVALID, "zero_point[1]: 128, not in -128..127 of INT8"),
    ROW(zero_point_least, INVALID, "zero_point[1]: -9223372036854775808"),
    ROW(zero_point_u8_negative, INVALID, "zero_point[1]: -1, not in 0..255 of UINT8"),
    ROW(details_custom, UNSUPPORTED, "QuantizationParameters.details_type: 1"),
    SEED(details_blockwise, UNSUPPORTED, "QuantizationParameters.details_type: 2"),
    ROW(details_multi_axis, UNSUPPORTED, "QuantizationParameters.details_type: 3"),

    PATCH(NULL, every_table, UNSUPPORTED, "QuantizationParameters.details_type: 1"),

    SEED(shapes, OK, NULL),
    SEED(names, OK, NULL),
    ROW(strings_shared, OK, NULL),
    ROW(strings_shared_too_few, INVALID, "Tensor.buffer: 2 strings, the shape has 3", "'words'"),
    SEED(graph_outputs, OK, NULL),
    SEED(types, OK, NULL),
    SEED(quantizations, OK, NULL),
    SEED(operators, OK, NULL),
    SEED(buffers, OK, NULL),
    SEED(no_operators, OK, NULL),
    SEED(data_large, OK, NULL),
    SEED(large_options, OK, NULL),
    PATCH(data_large, data_offset_1, INVALID, "Operator.inputs[1]: tensor 3 'bias' is read"),
    PATCH(data_large, data_over_flatbuffer, OK, NULL),
    PATCH(NULL, tag_unlisted, OK, NULL),
    PATCH(mutable_for_second, options_2, OK, NULL),
};

HOSTILE_TESTS(rows);
