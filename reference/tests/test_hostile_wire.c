/* Files that break the wire format: header, tables, vtables, offsets, vectors, strings, unions, and
 * the limits on shared data.  Every rule is broken once. */
#include "reference/tests/kit/hostile.h"

#include "reference/format/flatbuffer_write.h"
#include "reference/format/write.h"

static void cut(struct tflite_file *file, size_t count)
{
    file->count = count;
}

static void no_bytes(struct tflite_file *file)
{
    cut(file, 0);
}
static void one_byte(struct tflite_file *file)
{
    cut(file, 1);
}
static void four_bytes(struct tflite_file *file)
{
    cut(file, 4);
}
static void seven_bytes(struct tflite_file *file)
{
    cut(file, 7);
}
static void header_only(struct tflite_file *file)
{
    set32(file, 0, 0x18);
    cut(file, 8);
}
static void identifier_wrong(struct tflite_file *file)
{
    memcpy(file->bytes + 4,
           "\x7f"
           "ELF",
           4);
}
static void identifier_tfl2(struct tflite_file *file)
{
    memcpy(file->bytes + 4, "TFL2", 4);
}
static void root_zero(struct tflite_file *file)
{
    set32(file, 0, 0);
}
static void root_unaligned(struct tflite_file *file)
{
    set32(file, 0, (uint32_t)fb_root(file->bytes).at + 2);
}
static void root_past_end(struct tflite_file *file)
{
    set32(file, 0, (uint32_t)(file->count + 3) & ~3u);
}
static void root_huge(struct tflite_file *file)
{
    set32(file, 0, 0xfffffffc);
}

static void vtable_before_file(struct tflite_file *file)
{
    set32(file, fb_root(file->bytes).at, 0x7ffffffe);
}
static void vtable_past_end(struct tflite_file *file)
{
    set32(file, fb_root(file->bytes).at, 0x80000000);
}
static void vtable_at_odd_place(struct tflite_file *file)
{
    const struct fb_table t = fb_root(file->bytes);

    set32(file, t.at, (uint32_t)fb_load_i32(file->bytes, t.at) + 1);
}
static void vtable_size_odd(struct tflite_file *file)
{
    set16(file, vtable_of(fb_root(file->bytes)), 15);
}
static void vtable_size_2(struct tflite_file *file)
{
    set16(file, vtable_of(fb_root(file->bytes)), 2);
}
static void vtable_size_past_end(struct tflite_file *file)
{
    set16(file, vtable_of(fb_root(file->bytes)), 0xfffe);
}
static void table_size_3(struct tflite_file *file)
{
    set16(file, vtable_of(fb_root(file->bytes)) + 2, 3);
}
static void table_size_past_end(struct tflite_file *file)
{
    set16(file, vtable_of(fb_root(file->bytes)) + 2, 0xffff);
}
static void field_outside_of_table(struct tflite_file *file)
{
    set16(file, vtable_entry(file_tensor(file, T_X), Tensor_shape), 0xfff0);
}
static void field_in_table_start(struct tflite_file *file)
{
    set16(file, vtable_entry(file_tensor(file, T_X), Tensor_shape), 2);
}
static void field_across_table_end(struct tflite_file *file)
{
    const struct fb_table t = file_tensor(file, T_X);
    const unsigned bytes = file->bytes[vtable_of(t) + 2];

    set16(file, vtable_entry(t, Tensor_shape), bytes - 2);
}
static void field_unaligned(struct tflite_file *file)
{
    set16(file, vtable_entry(file_tensor(file, T_X), Tensor_shape), 5);
}

static void offset_zero(struct tflite_file *file)
{
    set32(file, fb_find(file_tensor(file, T_BIAS), Tensor_name), 0);
}
static void offset_past_end(struct tflite_file *file)
{
    set32(file, fb_find(file_tensor(file, T_BIAS), Tensor_name), (uint32_t)file->count);
}
static void offset_negative(struct tflite_file *file)
{
    set32(file, fb_find(file_tensor(file, T_BIAS), Tensor_name), 0xfffffffc);
}
static void offset_to_last_bytes(struct tflite_file *file)
{
    const size_t at = fb_find(file_tensor(file, T_BIAS), Tensor_name);

    set32(file, at, (uint32_t)(file->count - 2 - at));
}
static void offset_unaligned(struct tflite_file *file)
{
    const size_t at = fb_find(file_tensor(file, T_BIAS), Tensor_name);

    set32(file, at, (uint32_t)fb_load_i32(file->bytes, at) + 2);
}
static void element_offset_zero(struct tflite_file *file)
{
    set32(file, fb_vector(file_graph(file), SubGraph_tensors).at + 4, 0);
}
static void element_offset_past_end(struct tflite_file *file)
{
    set32(file, fb_vector(file_graph(file), SubGraph_tensors).at + 4, 0x10000);
}
static void table_in_last_bytes(struct tflite_file *file)
{
    const size_t at = fb_vector(file_graph(file), SubGraph_tensors).at;

    file->count = (file->count + 3) & ~(size_t)3; /* room for more: blocks grow by doubling */
    set32(file, file->count - 4, 0);              /* its own vtable, 4 bytes before the end */
    set32(file, at, (uint32_t)(file->count - 4 - at));
}

static void vector_2_30(struct tflite_file *file)
{
    set32(file, fb_vector(file_tensor(file, T_X), Tensor_shape).at - 4, 1u << 30);
}
static void vector_2_32(struct tflite_file *file)
{
    set32(file, fb_vector(file_graph(file), SubGraph_tensors).at - 4, 0xffffffff);
}
static void vector_one_too_long(struct tflite_file *file)
{
    const size_t at = fb_vector(file_tensor(file, T_WORDS), Tensor_name).at;

    set32(file, at - 4, (uint32_t)(file->count - at) + 1);
}
static void longs_unaligned(struct tflite_file *file)
{
    const struct fb_table q = fb_sub(file_tensor(file, T_WEIGHTS), Tensor_quantization);
    const size_t at = fb_find(q, QuantizationParameters_zero_point);

    set32(file, at, (uint32_t)fb_load_i32(file->bytes, at) + 4);
}
static void string_without_nul(struct tflite_file *file)
{
    const struct fb_vector name = fb_vector(file_tensor(file, T_BIAS), Tensor_name);

    set8(file, name.at + name.count, '!');
}
static void string_to_the_end(struct tflite_file *file)
{
    const size_t at = fb_vector(file_tensor(file, T_WORDS), Tensor_name).at;

    set32(file, at - 4, (uint32_t)(file->count - at));
}

static void tag_without_value(struct tflite_file *file)
{
    set16(file, vtable_entry(file_operator(file, OP_ADD), Operator_builtin_options), 0);
}
static void value_without_tag(struct tflite_file *file)
{
    set8(file, fb_find(file_operator(file, OP_ADD), Operator_builtin_options_type), 0);
}
static void option_field_outside(struct tflite_file *file)
{
    const struct fb_table op = file_operator(file, OP_ADD);

    set16(file, vtable_entry(fb_sub(op, Operator_builtin_options), 0), 200);
}
static void option_vector_past_end(struct tflite_file *file)
{
    const struct fb_table t = fb_sub(file_operator(file, OP_RESHAPE), Operator_builtin_options);
    const size_t at = fb_find(t, 0);

    set32(file, at + (size_t)fb_load_i32(file->bytes, at), 0x01000000);
}
/* Tag 16, Call: not described, but it has to be a table. */
static void unlisted_table_broken(struct tflite_file *file)
{
    const struct fb_table op = file_operator(file, OP_ADD);

    set8(file, fb_find(op, Operator_builtin_options_type), OPTIONS_CallOptions);
    set32(file, fb_sub(op, Operator_builtin_options).at, 0x40000000);
}

/* The file becomes what the writer holds. */
static void take_bytes(struct tflite_file *file, struct fb_writer *w)
{
    if (w->status != STATUS_OK)
        abort();
    mem_free(file->bytes);
    *file = (struct tflite_file){ .bytes = w->bytes, .count = w->count };
    w->bytes = NULL;
    fbw_close(w);
}

/* Offsets 1 to count - 1 of a vector lead where offset 0 does. */
static void share_first(struct fb_writer *w, size_t item, size_t count)
{
    const uint32_t first = (uint32_t)fb_load_i32(w->bytes, item);
    struct tflite_file view = { .bytes = w->bytes };

    for (size_t i = 1; i < count; i++)
        set32(&view, item + 4 * i, first - (uint32_t)(4 * i));
}

/* `graphs` times the same subgraph, which has `tensors` times the same tensor. */
static void explode(struct tflite_file *file, size_t graphs, size_t tensors)
{
    struct fb_draft model = { .schema = SCHEMA_Model }, graph = { .schema = SCHEMA_SubGraph };
    struct fb_draft tensor = { .schema = SCHEMA_Tensor };
    size_t graph_item, tensor_item;
    struct fb_writer w;

    fbw_open(&w, NULL);
    fbw_int(&w, &model, Model_version, 3);
    fbw_offset(&model, Model_subgraphs, true);
    fbw_table(&w, 0, &model);
    graph_item = fbw_tables(&w, model.at[Model_subgraphs], graphs);
    fbw_offset(&graph, SubGraph_tensors, true);
    fbw_table(&w, graph_item, &graph);
    tensor_item = fbw_tables(&w, graph.at[SubGraph_tensors], tensors);
    fbw_table(&w, tensor_item, &tensor);
    share_first(&w, graph_item, graphs);
    share_first(&w, tensor_item, tensors);
    take_bytes(file, &w);
}
static void tables_explode(struct tflite_file *file)
{
    explode(file, 1, 1000000);
}
static void graphs_explode(struct tflite_file *file)
{
    explode(file, 1100, 1100);
}

/* 1000 times the same tensor, whose shape has 1000 dimensions. */
static void vectors_explode(struct tflite_file *file)
{
    enum { MANY = 1000 };
    static const int32_t ones[MANY] = { 1 };
    struct fb_draft model = { .schema = SCHEMA_Model }, graph = { .schema = SCHEMA_SubGraph };
    struct fb_draft tensor = { .schema = SCHEMA_Tensor };
    size_t graphs, tensors;
    struct fb_writer w;

    fbw_open(&w, NULL);
    fbw_int(&w, &model, Model_version, 3);
    fbw_offset(&model, Model_subgraphs, true);
    fbw_table(&w, 0, &model);
    graphs = fbw_tables(&w, model.at[Model_subgraphs], 1);
    fbw_offset(&graph, SubGraph_tensors, true);
    fbw_table(&w, graphs, &graph);
    tensors = fbw_tables(&w, graph.at[SubGraph_tensors], MANY);
    fbw_offset(&tensor, Tensor_shape, true);
    fbw_table(&w, tensors, &tensor);
    fbw_vector(&w, tensor.at[Tensor_shape], ones, MANY, 4, 4);
    share_first(&w, tensors, MANY);
    take_bytes(file, &w);
}

static void trailing_bytes(struct tflite_file *file)
{
    uint8_t *bytes = mem_resize(file->bytes, file->count + 5, 1);

    if (!bytes)
        abort();
    memset(bytes + file->count, 0xa5, 5);
    file->bytes = bytes;
    file->count += 5;
}
/* A vtable with more slots than the schema has: a newer writer. */
static void unknown_slots(struct tflite_file *file)
{
    static const uint8_t vtable[] = { 32, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                      0,  0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 4, 0, 6, 0 };
    const size_t tensor = fb_vector(file_graph(file), SubGraph_tensors).at + 4 * T_X;
    const size_t at = (file->count + 3) & ~(size_t)3;
    uint8_t *bytes = mem_resize(file->bytes, at + sizeof vtable + 8, 1);

    if (!bytes)
        abort();
    memset(bytes + file->count, 0, at - file->count);
    memcpy(bytes + at, vtable, sizeof vtable);
    file->bytes = bytes;
    file->count = at + sizeof vtable + 8;
    set32(file, at + sizeof vtable, sizeof vtable); /* soff */
    set32(file, at + sizeof vtable + 4, 0xffffffff);
    set32(file, tensor, (uint32_t)(at + sizeof vtable - tensor));
}

#define ROW(name, kind, ...)                                                                       \
    {                                                                                              \
#name, STATUS_##kind, { __VA_ARGS__ }, NULL, name, false                                   \
    }
#define SEED(name, kind, ...)                                                                      \
    {                                                                                              \
#name, STATUS_##kind, { __VA_ARGS__ }, NULL, name, true                                    \
    }

static const struct hostile rows[] = {
    { "base", STATUS_OK, { NULL }, NULL, NULL, true },
    ROW(no_bytes, INVALID, "0 bytes"),
    ROW(one_byte, INVALID, "1 bytes"),
    ROW(four_bytes, INVALID, "4 bytes"),
    SEED(seven_bytes, INVALID, "7 bytes"),
    SEED(header_only, INVALID, "file.root: 0x18", "0x8 bytes"),
    SEED(identifier_wrong, INVALID, "offset 0x4: file.identifier: 7f 45 4c 46"),
    ROW(identifier_tfl2, INVALID, "identifier: 54 46 4c 32, not 'TFL3'"),
    ROW(root_zero, INVALID, "offset 0x0: file.root: 0x0"),
    ROW(root_unaligned, INVALID, "file.root: 0x"),
    ROW(root_past_end, INVALID, "file.root: 0x"),
    ROW(root_huge, INVALID, "file.root: 0xfffffffc"),
    SEED(vtable_before_file, INVALID, "Model.vtable: at -2147"),
    ROW(vtable_past_end, INVALID, "Model.vtable: at 2147"),
    ROW(vtable_at_odd_place, INVALID, "Model.vtable: at", "unaligned"),
    ROW(vtable_size_odd, INVALID, "Model.vtable: size 15"),
    ROW(vtable_size_2, INVALID, "Model.vtable: size 2,"),
    ROW(vtable_size_past_end, INVALID, "Model.vtable: size 65534"),
    ROW(table_size_3, INVALID, "Model.vtable: size 3 of the table"),
    SEED(table_size_past_end, INVALID, "Model.vtable: size 65535 of the table"),
    SEED(field_outside_of_table, INVALID, "Tensor.shape: at byte 65520 of the table",
         "(at subgraphs[0].tensors[0])"),
    ROW(field_in_table_start, INVALID, "Tensor.shape: at byte 2 of the table"),
    ROW(field_across_table_end, INVALID, "Tensor.shape: at byte", "of the table"),
    SEED(field_unaligned, INVALID, "Tensor.shape: not aligned to its 4 bytes"),
    SEED(offset_zero, INVALID, "Tensor.name: offset 0,", "subgraphs[0].tensors[3]"),
    ROW(offset_past_end, INVALID, "Tensor.name: offset"),
    SEED(offset_negative, INVALID, "Tensor.name: offset 4294967292"),
    ROW(offset_to_last_bytes, INVALID, "Tensor.name: offset", "in a file of"),
    ROW(offset_unaligned, INVALID, "Tensor.name: offset", "not aligned"),
    ROW(element_offset_zero, INVALID, "SubGraph.tensors: offset 0,",
        "(at subgraphs[0].tensors[1])"),
    ROW(element_offset_past_end, INVALID, "SubGraph.tensors: offset 65536"),
    SEED(table_in_last_bytes, INVALID, "Tensor.vtable: size 0"),
    SEED(vector_2_30, INVALID, "Tensor.shape: 1073741824 elements of 4 bytes"),
    SEED(vector_2_32, INVALID, "SubGraph.tensors: 4294967295 elements", "(at subgraphs[0])"),
    ROW(vector_one_too_long, INVALID, "Tensor.name:", "elements of 1 bytes"),
    SEED(longs_unaligned, INVALID,
         "QuantizationParameters.zero_point: elements are not aligned to their 8",
         "tensors[1].quantization)"),
    SEED(string_without_nul, INVALID, "Tensor.name: a string of 4 bytes without its NUL"),
    ROW(string_to_the_end, INVALID, "Tensor.name: a string of", "NUL"),
    SEED(tag_without_value, INVALID,
         "Operator.builtin_options: no value, and the union's tag is 11"),
    SEED(value_without_tag, INVALID, "Operator.builtin_options: a value, and the union's tag is 0"),
    ROW(option_field_outside, INVALID, "AddOptions.fused_activation_function: at byte 200",
        "(at subgraphs[0].operators[0].builtin_options)"),
    SEED(option_vector_past_end, INVALID, "ReshapeOptions.new_shape: 16777216 elements"),
    SEED(unlisted_table_broken, INVALID, "CallOptions.vtable: at"),
    ROW(tables_explode, INVALID, "bytes in tables so far", "shared too often"),
    ROW(graphs_explode, INVALID, "Tensor:", "bytes in tables so far", "shared too often",
        "(at subgraphs["),
    ROW(vectors_explode, INVALID, "Tensor.shape:", "shared too often"),
    SEED(trailing_bytes, OK, NULL),
    SEED(unknown_slots, OK, NULL),
};

HOSTILE_TESTS(rows);
