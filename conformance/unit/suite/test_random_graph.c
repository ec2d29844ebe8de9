/* Random graphs are valid, varied, and the same each time. */
#include "conformance/cases/case_builder.h"
#include "conformance/cases/case_list.h"
#include "conformance/cases/random_graph.h"
#include "conformance/cases/select.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/runtime/interpreter.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GRAPHS = 8000, CODES = 256 };

static struct test_case *cases;
static struct random_row *rows;

static int open_cases(void **state)
{
    (void)state;
    return random_cases(1, GRAPHS, &cases, &rows, NULL) == STATUS_OK ? 0 : -1;
}

static int close_cases(void **state)
{
    (void)state;
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
    struct case_instance x;
    struct interpreter *in;
    struct model m;
    struct diag diag = { .status = STATUS_OK };
    const int *outputs;
    size_t count, variables;

    if (case_build(c, &request, &x, &diag) != STATUS_OK ||
        tflite_read(&m, x.file.bytes, x.file.count, &diag) != STATUS_OK ||
        interpreter_open(&in, &m, &options, &diag) != STATUS_OK ||
        interpreter_allocate(in, &diag) != STATUS_OK)
        fail_msg("%s: %s", c->name, diag.text);
    for (size_t i = 0; i < x.input_count; i++)
        memcpy(interpreter_tensor(in, interpreter_inputs(in, &count)[i])->data.raw,
               x.inputs[i].data[0], x.inputs[i].bytes);
    if (interpreter_invoke(in, &diag) != STATUS_OK)
        fail_msg("%s: %s", c->name, diag.text);
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
    model_close(&m);
    case_instance_close(&x);
}

/* The reader and the interpreter take each one; every op of the suites that has the type occurs. */
static void test_valid(void **state)
{
    static const char *const names[] = { "f32", "f16", "i8", "i8pc", "u8", "dynamic" };
    static struct census all[sizeof names / sizeof names[0]];

    (void)state;
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
        assert_true(s->graphs >= 1000);
        assert_in_range(s->nodes / s->graphs, 6, 40);
        assert_true(s->joined > s->graphs / 3);
        if (strcmp(names[t], "f16") != 0) /* its nodes read what DEQUANTIZE makes of constants */
            assert_true(s->shared > s->graphs / 20);
        assert_true(s->many_outputs > s->graphs / 3);
        assert_true(s->saturated * 4 <= s->elements);
        assert_true(ops >= 24);
        assert_true(s->elements > 0 || s->variables > s->graphs / 50);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid),
    };

    return cmocka_run_group_tests_name("random_graph", tests, open_cases, close_cases);
}
