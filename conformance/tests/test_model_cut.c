/* Parts of models: each gives the bits that the whole model gives. */
#include "conformance/util/model_cut.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "reference/format/read.h"
#include "reference/format/write.h"

enum { NODES_MAX = 64 };

/* Writes and reads a part, as its file would be, and runs it on the tensors of the whole. */
static void run_part(const struct model_cut *cut, struct interpreter *whole)
{
    const struct interpreter_options keep_all = { .preserve_all = true, .num_threads = -1 };
    struct tflite_file file;
    struct model read;
    struct interpreter *in = NULL;
    size_t count;
    const int *tensors;

    KIT_OK(tflite_write(&cut->model, &file, &err));
    KIT_OK(tflite_read(&read, file.bytes, file.count, &err));
    KIT_OK(interpreter_open(&in, &read, &keep_all, &err));
    KIT_OK(interpreter_allocate(in, &err));
    tensors = interpreter_inputs(in, &count);
    for (size_t i = 0; i < count; i++) {
        TfLiteTensor *const t = interpreter_tensor(in, tensors[i]);
        const TfLiteTensor *const from = interpreter_tensor(whole, cut->tensors[tensors[i]]);

        assert_int_equal(t->bytes, from->bytes);
        memcpy(t->data.raw, from->data.raw, t->bytes);
    }
    KIT_OK(interpreter_invoke(in, &err));
    tensors = interpreter_outputs(in, &count);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(in, tensors[i]);
        const TfLiteTensor *const want = interpreter_tensor(whole, cut->tensors[tensors[i]]);

        assert_int_equal(t->bytes, want->bytes);
        assert_memory_equal(t->data.raw, want->data.raw, t->bytes);
    }
    interpreter_close(in);
    model_close(&read);
    mem_free(file.bytes);
}

static void cut_range(const struct model *m, struct interpreter *whole, int first, int last)
{
    bool nodes[NODES_MAX] = { false };
    const struct model_cut_request request = { .model = m, .nodes = nodes };
    struct model_cut cut CLOSED_BY(model_cut_close);

    for (int n = first; n <= last; n++)
        nodes[n] = true;
    KIT_OK(model_cut_make(&request, &cut, &err));
    assert_true(cut.model.subgraphs[0].operator_count >= (size_t)(last - first + 1));
    run_part(&cut, whole);
}

TEST(test_parts_give_the_bits_of_the_whole)
{
    const struct interpreter_options keep_all = { .preserve_all = true, .num_threads = -1 };

    for (uint64_t seed = 1; seed <= 20; seed++) {
        const int nodes = 2 + (int)seed;
        struct model m CLOSED_BY(model_close);
        struct interpreter *whole CLOSED_BY(kit_interpreter_end);

        kit_random_graph(&m, seed, nodes, (int)seed % 9);
        whole = kit_interpreter(&m, &keep_all);
        KIT_OK(interpreter_allocate(whole, &err));
        kit_fill_inputs(whole, seed);
        KIT_OK(interpreter_invoke(whole, &err));
        for (int n = 0; n < nodes; n++)
            cut_range(&m, whole, n, n);
        cut_range(&m, whole, 0, nodes - 1);
        cut_range(&m, whole, nodes / 3, nodes - 1);
        cut_range(&m, whole, 0, nodes / 2);
    }
}

/* y = x + DEQUANTIZE(f16 constant): the part of ADD alone has one input, and both nodes. */
TEST(test_constant_makers_come_along)
{
    struct model m CLOSED_BY(model_close);
    struct model_cut cut;

    kit_folding_graph(&m);
    for (size_t n = 0; n < m.subgraphs[0].operator_count; n++) {
        const struct model_operator *const op = &m.subgraphs[0].operators[n];
        bool nodes[NODES_MAX] = { false };

        if (m.opcodes[op->opcode_index].code != BUILTIN_ADD)
            continue;
        nodes[n] = true;
        KIT_OK(
            model_cut_make(&(struct model_cut_request){ .model = &m, .nodes = nodes }, &cut, &err));
        assert_int_equal(cut.model.subgraphs[0].operator_count, 2);
        assert_int_equal(cut.model.subgraphs[0].inputs.count, 1);
        assert_int_equal(cut.model.subgraphs[0].outputs.count, 1);
        model_cut_close(&cut);
    }
}

/* Weights name the tensor with the scales of their blocks, before and behind them, by its index. */
TEST(test_scales_of_blocks_come_along)
{
    const struct interpreter_options keep_all = { .preserve_all = true, .num_threads = -1 };
    struct model m CLOSED_BY(model_close);
    struct interpreter *whole CLOSED_BY(kit_interpreter_end);

    kit_text(&m, "tensors s:f16[2,2]=0.5,1,2,0.25\n"
                 "RELU x:f32[3,4] -> a:f32[3,4]\n"
                 "FULLY_CONNECTED {} a i4[2,4]=-8,7,1,0,2,3blocks(s,2) - -> b:f32[3,2]\n"
                 "FULLY_CONNECTED {} b i2[4,2]=-2,1,0,1blocks(@7,2) - -> c:f32[3,4]\n"
                 "tensors f16[4,1]=0.5,1,2,4");
    whole = kit_interpreter(&m, &keep_all);
    KIT_OK(interpreter_allocate(whole, &err));
    kit_fill_inputs(whole, 1);
    KIT_OK(interpreter_invoke(whole, &err));
    for (int n = 0; n < 3; n++)
        cut_range(&m, whole, n, n);
    cut_range(&m, whole, 1, 2);
}

/* y is read inside the part, too, and yet an output of the whole graph. */
TEST(test_outputs_of_the_graph)
{
    const bool all[] = { true, true, true };
    struct model m CLOSED_BY(model_close);
    struct model_cut cut CLOSED_BY(model_cut_close);

    kit_simple_graph(&m);
    KIT_OK(model_cut_make(&(struct model_cut_request){ .model = &m, .nodes = all }, &cut, &err));
    assert_int_equal(cut.model.subgraphs[0].outputs.count, 2); /* y and z */
}

/* s = x + w, y = relu(s), z = y * y: what is cut away takes its tensors along. */
TEST(test_unused_is_left_out)
{
    const bool middle[] = { false, true, false };
    struct model m CLOSED_BY(model_close);
    struct model_cut cut CLOSED_BY(model_cut_close);

    kit_simple_graph(&m);
    KIT_OK(model_cut_make(&(struct model_cut_request){ .model = &m, .nodes = middle }, &cut, &err));
    assert_int_equal(cut.model.subgraphs[0].tensor_count, 2);
    assert_int_equal(cut.model.buffer_count, 1);
    assert_int_equal(cut.model.opcode_count, 1);
    assert_int_equal(cut.nodes[0], 1);
    assert_int_equal(cut.tensors[0], 2);
    assert_int_equal(cut.tensors[1], 3);
}

TEST(test_shapes_are_those_given)
{
    const bool middle[] = { false, true, false };
    static const int32_t dims[] = { 7, 2 };
    struct model_ints shapes[5];
    struct model m CLOSED_BY(model_close);
    struct model_cut cut CLOSED_BY(model_cut_close);

    kit_simple_graph(&m);
    for (int i = 0; i < 5; i++)
        shapes[i] = (struct model_ints){ dims, 2 };
    KIT_OK(model_cut_make(
        &(struct model_cut_request){ .model = &m, .nodes = middle, .shapes = shapes }, &cut, &err));
    assert_int_equal(cut.model.subgraphs[0].tensors[0].shape.data[0], 7);
}

TEST(test_refusals)
{
    const bool none[NODES_MAX] = { false };
    bool all[NODES_MAX];
    static const int32_t far[] = { 99 };
    struct model_operator op;
    struct model_subgraph graph;
    struct model m CLOSED_BY(model_close), broken;
    struct model_cut cut;

    memset(all, 1, sizeof all);
    kit_simple_graph(&m);
    assert_int_equal(
        model_cut_make(&(struct model_cut_request){ .model = &m, .nodes = none }, &cut, &err),
        STATUS_INVALID);
    assert_non_null(strstr(err.text, "at least one node of 3"));
    broken = m;
    graph = m.subgraphs[0];
    op = graph.operators[0];
    op.inputs = (struct model_ints){ far, 1 };
    graph.operators = &op;
    graph.operator_count = 1;
    broken.subgraphs = &graph;
    assert_int_equal(
        model_cut_make(&(struct model_cut_request){ .model = &broken, .nodes = all }, &cut, &err),
        STATUS_INVALID);
    assert_non_null(strstr(err.text, "node 0: input 0: no such tensor: 99"));
    broken.subgraph_count = 0;
    assert_int_equal(
        model_cut_make(&(struct model_cut_request){ .model = &broken, .nodes = all }, &cut, &err),
        STATUS_INVALID);
}

/* Each allocation fails once: an error, and nothing leaks. */
TEST(test_out_of_memory)
{
    bool all[NODES_MAX];
    struct model m CLOSED_BY(model_close);
    struct model_cut cut CLOSED_BY(model_cut_close);
    enum status s = STATUS_NO_MEMORY;
    int after = 0;

    memset(all, 1, sizeof all);
    kit_simple_graph(&m);
    for (; s != STATUS_OK; after++) {
        mem_fail_after(after);
        s = model_cut_make(&(struct model_cut_request){ .model = &m, .nodes = all }, &cut, &err);
        mem_fail_after(-1);
        assert_true(s == STATUS_OK || s == STATUS_NO_MEMORY);
    }
    assert_true(after > 1);
}
