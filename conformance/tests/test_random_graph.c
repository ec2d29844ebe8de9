/* Random graphs are valid, varied, and the same each time. */
#include "reference/tests/kit/sanitized.h"
#include "reference/tests/kit/test.h"

#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/random_graph.h"
#include "conformance/suite/cases/select.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/runtime/interpreter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRAPHS = 8000 / KIT_EACH(8), CODES = BUILTIN_CUSTOM_END };

static struct test_case *cases;
static struct random_row *rows;

FIXTURE(open_cases)
{
    return random_cases(1, GRAPHS, &cases, &rows, NULL) == STATUS_OK ? 0 : -1;
}

FIXTURE(close_cases)
{
    mem_free(cases);
    mem_free(rows);
    return 0;
}

/* What the graphs of one type are made of. */
struct census {
    size_t graphs, nodes, outputs, variables, saturated, elements;
    size_t ops[CODES];
    size_t shared;       /* graphs that have a constant that two nodes read */
    size_t joined;       /* ... a tensor that two nodes read */
    size_t many_outputs; /* ... more than one output */
};

static void count_reads(struct census *s, const struct model_subgraph *g)
{
    bool constant = false, branch = false;

    for (size_t t = 0; t < g->tensor_count; t++) {
        size_t reads = 0;

        for (size_t n = 0; n < g->operator_count; n++) {
            for (size_t i = 0; i < g->operators[n].inputs.count; i++)
                reads += g->operators[n].inputs.data[i] == (int32_t)t;
        }
        if (reads > 1 && g->tensors[t].buffer > 0)
            constant = true;
        else if (reads > 1)
            branch = true;
    }
    s->shared += constant;
    s->joined += branch;
}

/* Floats are finite and far from the largest f16; integers are not all at an end of their range. */
static void check_output(struct census *s, const TfLiteTensor *t)
{
    const size_t n = ref_elements(t);

    for (size_t i = 0; i < n; i++) {
        switch (t->type) {
        case kTfLiteFloat32: assert_true(fabsf(((const float *)t->data.raw)[i]) < 3e4f); break;
        case kTfLiteInt8:
            s->saturated += abs(((const int8_t *)t->data.raw)[i]) >= 127;
            s->elements++;
            break;
        case kTfLiteUInt8:
            s->saturated += ((const uint8_t *)t->data.raw)[i] % 255 == 0;
            s->elements++;
            break;
        default: break;
        }
    }
}

static void check_graph(const struct test_case *c, struct census *s)
{
    const struct case_request request = { .set = SET_RANDOM, .seed = 1 };
    const struct interpreter_options options = { .num_threads = -1 };
    struct model m CLOSED_BY(model_close);
    struct case_instance x CLOSED_BY(case_instance_close);
    struct interpreter *in;
    const int *outputs;
    size_t count, variables;

    if (case_build(c, &request, &x, &err) != STATUS_OK ||
        tflite_read(&m, x.file.bytes, x.file.count, &err) != STATUS_OK ||
        interpreter_open(&in, &m, &options, &err) != STATUS_OK ||
        interpreter_allocate(in, &err) != STATUS_OK)
        fail_msg("%s: %s", c->name, err.text);
    for (size_t i = 0; i < x.input_count; i++)
        memcpy(interpreter_tensor(in, interpreter_inputs(in, &count)[i])->data.raw,
               x.inputs[i].data[0], x.inputs[i].bytes);
    if (interpreter_invoke(in, &err) != STATUS_OK)
        fail_msg("%s: %s", c->name, err.text);
    outputs = interpreter_outputs(in, &count);
    assert_true(count > 0);
    s->graphs++;
    s->nodes += m.subgraphs[0].operator_count;
    s->outputs += count;
    s->many_outputs += count > 1;
    for (size_t i = 0; i < count; i++)
        check_output(s, interpreter_tensor(in, outputs[i]));
    for (int n = 0; n < (int)interpreter_node_count(in); n++)
        s->ops[interpreter_node_op(in, n)->code]++;
    interpreter_variables(in, &variables);
    s->variables += variables > 0;
    count_reads(s, &m.subgraphs[0]);
    interpreter_close(in);
}

/* The reader and the interpreter take each one; every op of the suites that has the type occurs. */
TEST(test_valid)
{
    static const char *const names[] = { "f32", "f16", "i8", "i8pc", "u8", "dynamic" };
    static struct census all[sizeof names / sizeof names[0]];

    for (size_t i = 0; i < GRAPHS; i++) {
        size_t type = 0;

        while (strcmp(names[type], cases[i].type_name) != 0)
            type++;
        check_graph(&cases[i], &all[type]);
    }
    for (size_t t = 0; t < sizeof names / sizeof names[0]; t++) {
        const struct census *const s = &all[t];
        size_t ops = 0;

        for (int i = 0; i < CODES; i++)
            ops += s->ops[i] > 0;
        print_message("%s: %zu graphs, %zu nodes, %zu ops, %zu outputs, %zu with state, %zu with a "
                      "shared constant, %zu with branches, saturated %zu of %zu\n",
                      names[t], s->graphs, s->nodes, ops, s->outputs, s->variables, s->shared,
                      s->joined, s->saturated, s->elements);
        assert_true(s->graphs >= GRAPHS / 8);
        assert_in_range(s->nodes / s->graphs, 6, 40);
        assert_true(s->joined > s->graphs / 3);
        /* Nodes of f16 read what DEQUANTIZE makes of constants; a part of the graphs is too few. */
        if (strcmp(names[t], "f16") != 0 && !KIT_SANITIZED)
            assert_true(s->shared > s->graphs / 40);
        assert_true(s->many_outputs > s->graphs / 3);
        assert_true(s->saturated * 4 <= s->elements);
        assert_true(ops >= 24);
        assert_true(s->elements > 0 || s->variables > s->graphs / 50);
    }
}

static struct tflite_file file_of(const struct test_case *c)
{
    const struct case_request request = { .set = SET_RANDOM, .seed = 1 };
    struct tflite_file file;
    struct case_instance x CLOSED_BY(case_instance_close);

    KIT_OK(case_build(c, &request, &x, &err));
    file = x.file;
    x.file.bytes = NULL;
    return file;
}

static bool same_model(const struct test_case *a, const struct test_case *b)
{
    const struct tflite_file x = file_of(a), y = file_of(b);
    const bool same = x.count == y.count && memcmp(x.bytes, y.bytes, x.count) == 0;

    mem_free(x.bytes);
    mem_free(y.bytes);
    return same;
}

/* A graph follows from seed and index alone: not from how many there are, nor from what was built
 * before it. */
TEST(test_same)
{
    struct test_case *few, *others;
    struct random_row *few_rows, *other_rows;
    size_t same = 0;

    assert_int_equal(random_cases(1, 50, &few, &few_rows, NULL), STATUS_OK);
    assert_int_equal(random_cases(2, 50, &others, &other_rows, NULL), STATUS_OK);
    for (int i = 49; i >= 0; i--) {
        assert_string_equal(few[i].name, cases[i].name);
        assert_int_equal(random_index(&few[i]), i);
        assert_true(random_is_graph(&few[i]));
        assert_true(same_model(&few[i], &cases[i]));
        assert_string_not_equal(others[i].name, cases[i].name);
        same += same_model(&others[i], &cases[i]);
        if (i > 0)
            assert_false(same_model(&cases[i], &cases[i - 1]));
    }
    assert_int_equal(same, 0);
    mem_free(few);
    mem_free(few_rows);
    mem_free(others);
    mem_free(other_rows);
}

/* They stand behind the other cases, and are picked and sharded by name as these are. */
TEST(test_selected)
{
    const char *patterns[] = { "graph.u8.*", "relu.f32.c5" };
    const struct selection all = { .filters = { patterns, 2 }, .shards = 1 };
    struct test_case *list CLOSED_BY(kit_mem_free);
    struct random_row *list_rows CLOSED_BY(kit_mem_free);
    size_t count, parts = 0;

    assert_int_equal(cases_list(&list, &count, NULL), STATUS_OK);
    assert_false(random_is_graph(&list[count - 1]));
    assert_int_equal(random_cases_append(3, 80, &list, &count, &list_rows, NULL), STATUS_OK);
    assert_true(random_is_graph(&list[count - 1]));
    assert_string_equal(list[count - 80].name, "graph.f32.s3_0");
    assert_int_equal(select_cases(list, &count, &all, NULL), STATUS_OK);
    assert_int_equal(count, 11);
    assert_string_equal(list[0].name, "relu.f32.c5");
    for (uint32_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < count; k++)
            parts += select_shard_of(list[k].name, 3) == i;
    }
    assert_int_equal(parts, count);
    for (size_t k = 1; k < count; k++) {
        assert_true(case_has_set(&list[k], SET_RANDOM));
        assert_false(case_has_set(&list[k], SET_INTEGERS));
    }
}

/* What no output needs is dropped, and operands keep pointing to the same nodes. */
TEST(test_prune)
{
    struct random_operand results[RANDOM_ITEMS_MAX];
    struct random_graph whole, part;

    random_graph_draw(&cases[8], &whole);
    assert_true(random_graph_check(&cases[8], &whole, results));
    for (size_t i = 0; i < whole.count; i++) {
        if (whole.items[i].kind != RANDOM_NODE)
            continue;
        part = whole;
        for (size_t k = 0; k < part.count; k++)
            part.items[k].output = k == i;
        assert_true(random_graph_prune(&part));
        assert_true(part.count <= i + 1);
        assert_ptr_equal(part.items[part.count - 1].member, whole.items[i].member);
        assert_int_equal(part.items[part.count - 1].number, whole.items[i].number);
        assert_true(random_graph_check(&cases[8], &part, results));
    }
    for (size_t k = 0; k < whole.count; k++)
        whole.items[k].output = false;
    assert_false(random_graph_check(&cases[8], &whole, results));
    assert_false(random_graph_prune(&whole));
}

TEST_FILE(.setup = open_cases, .teardown = close_cases);
