/* The builder: models as builder_finish returns them, and every allocation failing once. */
#include "reference/tests/kit/closed.h"
#include "reference/tests/kit/test.h"

#include "reference/base/memory.h"
#include "reference/format/builder.h"

#include <string.h>

static const int32_t image[] = { 1, 8, 8, 3 };
static const int32_t vector[] = { 2 };

/* x -> RESHAPE -> ADD(w) -> ADD(v2) -> y, with a variable and quantization. */
static void fill(struct builder *b)
{
    static const int32_t constant[] = { 5, -6 };
    static const float scale[] = { 0.5f, 0.25f };
    static const int64_t zero_point[] = { 0, 3 };
    int32_t new_shape[] = { 1, -1 };
    struct options options;
    int x, w, y, z;

    x = builder_tensor(b, TENSOR_FLOAT32, "x", 4, image);
    w = builder_constant(b, TENSOR_INT32, "w", 1, vector, constant, sizeof constant);
    y = builder_tensor(b, TENSOR_FLOAT32, "y", 0, NULL);
    z = builder_tensor(b, TENSOR_FLOAT32, "state", 1, vector);
    builder_variable(b, z);
    builder_quantization(b, w, 2, scale, zero_point, 0);
    options_init(&options, OPTIONS_ReshapeOptions);
    options_set_ints(&options, "new_shape", new_shape, 2);
    builder_op(b, BUILTIN_RESHAPE, 1, &options, 1, &x, 1, &y);
    builder_op(b, BUILTIN_ADD, 1, NULL, 2, (int[]){ y, -1 }, 1, &z);
    builder_op(b, BUILTIN_ADD, 2, NULL, 2, (int[]){ y, w }, 1, &z);
    builder_op(b, BUILTIN_ADD, 1, NULL, 2, (int[]){ y, w }, 1, &z);
    builder_op(b, BUILTIN_GELU, 1, NULL, 1, &y, 1, &z);
    builder_inputs(b, 1, &x);
    builder_outputs(b, 2, (int[]){ y, z });
    new_shape[0] = 99; /* everything given was copied */
}

TEST(hands_over_what_was_given)
{
    struct builder b;
    const struct model_subgraph *g;
    const struct model_operator *op;
    size_t count;

    builder_init(&b);
    fill(&b);
    struct model m CLOSED_BY(model_close);
    assert_int_equal(builder_finish(&b, &m, &err), STATUS_OK);
    assert_null(b.tensors.items); /* empty afterwards */

    assert_int_equal(m.version, 3);
    assert_int_equal(m.subgraph_count, 1);
    g = &m.subgraphs[0];
    assert_string_equal(g->name.text, "main");
    assert_int_equal(g->debug_metadata_index, -1);
    assert_int_equal(g->tensor_count, 4);
    assert_int_equal(g->inputs.count, 1);
    assert_int_equal(g->outputs.count, 2);
    assert_int_equal(g->outputs.data[1], 3);

    assert_string_equal(g->tensors[0].name.text, "x");
    assert_int_equal(g->tensors[0].name.count, 1);
    assert_int_equal(g->tensors[0].shape.count, 4);
    assert_memory_equal(g->tensors[0].shape.data, image, sizeof image);
    assert_true(g->tensors[0].has_rank);
    assert_int_equal(g->tensors[0].buffer, 0);
    assert_false(g->tensors[0].quantization.present);
    assert_non_null(g->tensors[2].shape.data); /* rank 0: an empty shape, not none */
    assert_int_equal(g->tensors[2].shape.count, 0);
    assert_true(g->tensors[3].is_variable);

    assert_int_equal(m.buffer_count, 2);
    assert_null(m.buffers[0].data.data);
    assert_int_equal(g->tensors[1].buffer, 1);
    assert_non_null(model_tensor_data(&m, &g->tensors[1], &count));
    assert_int_equal(count, 8);
    assert_null(model_tensor_data(&m, &g->tensors[0], &count));
    assert_int_equal(count, 0);
    assert_true(g->tensors[1].quantization.present);
    assert_int_equal(g->tensors[1].quantization.scale.count, 2);
    assert_int_equal(g->tensors[1].quantization.zero_point.data[1], 3);

    assert_int_equal(g->operator_count, 5);
    op = &g->operators[0];
    assert_int_equal(op->options.tag, OPTIONS_ReshapeOptions);
    assert_int_equal(options_ints(&op->options, "new_shape", &count)[0], 1);
    assert_int_equal(count, 2);
    assert_int_equal(g->operators[1].inputs.data[1], -1);
    assert_int_equal(g->operators[1].options.tag, 0);
    assert_int_equal(g->operators[1].debug_metadata_index, -1);
    model_close(&m);
    assert_int_equal(m.subgraph_count, 0);
}

TEST(equal_opcodes_are_shared)
{
    struct builder b;
    const struct model_operator *ops;

    builder_init(&b);
    fill(&b);
    struct model m CLOSED_BY(model_close);
    assert_int_equal(builder_finish(&b, &m, NULL), STATUS_OK);
    ops = m.subgraphs[0].operators;
    assert_int_equal(m.opcode_count, 4); /* RESHAPE v1, ADD v1, ADD v2, GELU v1 */
    assert_int_equal(ops[1].opcode_index, ops[3].opcode_index);
    assert_int_not_equal(ops[1].opcode_index, ops[2].opcode_index);
    assert_int_equal(m.opcodes[ops[2].opcode_index].version, 2);
    assert_int_equal(m.opcodes[ops[0].opcode_index].code, BUILTIN_RESHAPE);
    assert_int_equal(m.opcodes[ops[0].opcode_index].builtin_code, BUILTIN_RESHAPE);
    assert_int_equal(m.opcodes[ops[0].opcode_index].deprecated_code, BUILTIN_RESHAPE);
    assert_int_equal(m.opcodes[ops[4].opcode_index].code, BUILTIN_GELU); /* 150: past 8 bits */
    assert_int_equal(m.opcodes[ops[4].opcode_index].builtin_code, BUILTIN_GELU);
    assert_int_equal(m.opcodes[ops[4].opcode_index].deprecated_code, 127);
}

TEST(an_empty_builder_gives_an_empty_model)
{
    struct builder b;
    struct model m;

    builder_init(&b);
    assert_int_equal(builder_finish(&b, &m, NULL), STATUS_OK);
    assert_int_equal(m.subgraph_count, 1);
    assert_int_equal(m.buffer_count, 1);
    assert_non_null(m.subgraphs[0].operators);
    assert_non_null(m.subgraphs[0].inputs.data);
    assert_int_equal(m.subgraphs[0].inputs.count, 0);
    model_close(&m);
    builder_init(&b); /* dropped, not finished */
    fill(&b);
    builder_close(&b);
    assert_null(b.arena.blocks);
}

TEST(lists_grow)
{
    struct builder b;
    int previous;

    builder_init(&b);
    previous = builder_tensor(&b, TENSOR_FLOAT32, "first", 1, vector);
    for (int i = 0; i < 1000; i++) {
        const int next = builder_tensor(&b, TENSOR_FLOAT32, "t", 1, vector);

        assert_int_equal(next, i + 1);
        assert_int_equal(builder_op(&b, BUILTIN_RELU, 1, NULL, 1, &previous, 1, &next), i);
        previous = next;
    }
    struct model m CLOSED_BY(model_close);
    assert_int_equal(builder_finish(&b, &m, NULL), STATUS_OK);
    assert_int_equal(m.subgraphs[0].tensor_count, 1001);
    assert_string_equal(m.subgraphs[0].tensors[0].name.text, "first");
    assert_int_equal(m.subgraphs[0].operators[999].outputs.data[0], 1000);
    assert_int_equal(m.opcode_count, 1);
}

TEST(every_allocation_may_fail)
{
    long failures = 0;

    for (long n = 0;; n++) {
        struct diag diag = { 0 };
        struct builder b;
        struct model m;
        enum status s;

        mem_fail_after(n);
        builder_init(&b);
        fill(&b);
        s = builder_finish(&b, &m, &diag);
        mem_fail_after(-1);
        if (s == STATUS_OK) {
            model_close(&m);
            break;
        }
        assert_int_equal(s, STATUS_NO_MEMORY);
        assert_non_null(strstr(diag.text, "out of memory"));
        assert_null(m.subgraphs);
        assert_null(b.arena.blocks);
        failures++;
    }
    assert_true(failures >= 5);
}

/* What needs a block of its own in the arena, or the first block of a list, at the first failure.
 */
TEST(operators_and_lists_fail_alone)
{
    enum { MANY = 100000 };
    static int many[MANY];

    for (int i = 0; i < 4; i++) {
        struct builder b;
        struct model m;
        int op = 0;

        builder_init(&b);
        if (i == 3)
            op = builder_op(&b, BUILTIN_LSTM, 1, NULL, 0, NULL, 0, NULL);
        mem_fail_after(0);
        if (i == 0)
            op = builder_custom(&b, "Own", 1, "x", 1, 0, NULL, 0, NULL);
        else if (i == 1)
            op = builder_op(&b, BUILTIN_ADD, 1, NULL, 0, NULL, 0, NULL);
        else if (i == 2)
            builder_inputs(&b, MANY, many);
        else
            builder_intermediates(&b, op, MANY, many);
        mem_fail_after(-1);
        if (i < 2)
            assert_int_equal(op, -1);
        assert_int_equal(builder_custom(&b, "Own", 1, NULL, 0, 0, NULL, 0, NULL), -1);
        assert_int_equal(builder_finish(&b, &m, &err), STATUS_NO_MEMORY);
    }
}
