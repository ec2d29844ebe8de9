/* Models of fuzz/hostile that run, with one edit more: each tensor has another type or shape, is a
 * variable, or has no data; each node has one input or output less.  The reference refuses what is
 * left, or runs it inside of its tensors, and never crashes. */
#include "delegate/tests/kit/gpu_kit.h"
#include "delegate/tests/kit/hostile_run.h"
#include "reference/tests/kit/test.h"

#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/runtime/report.h"

#include <stdio.h>
#include <string.h>

enum { ELEMENTS_MAX = 1 << 12, ITERATIONS_MAX = 20, RANK_MAX = 8 };

static unsigned ran, refused;

static void run(const struct hostile_row *row, const struct model *m)
{
    static const struct interpreter_options host = { .guard_bytes = 64,
                                                     .report = report_nothing,
                                                     .max_iterations = ITERATIONS_MAX };
    struct interpreter *in = NULL;
    struct diag diag = { 0 };
    enum status s = interpreter_open(&in, m, &host, &diag);

    if (s == STATUS_OK)
        s = interpreter_allocate(in, &diag);
    if (s == STATUS_OK)
        s = interpreter_invoke(in, &diag);
    if (in)
        KIT_OK_DIAG(interpreter_check_guards(in, &diag), diag);
    interpreter_close(in);
    ran += s == STATUS_OK;
    refused += s != STATUS_OK;
    if (s == STATUS_NO_MEMORY || (s != STATUS_OK && !diag.text[0]))
        fail_msg("%s: %s: %s", row->name, status_text(s), diag.text);
}

static struct model_tensor *tensor_of(const struct model *m, size_t graph, size_t index)
{
    return (struct model_tensor *)(uintptr_t)&m->subgraphs[graph].tensors[index];
}

static void edit_tensor(const struct hostile_row *row, const struct model *m,
                        struct model_tensor *t)
{
    static const int32_t types[] = { TENSOR_FLOAT32, TENSOR_INT8,  TENSOR_UINT8, TENSOR_INT16,
                                     TENSOR_INT32,   TENSOR_INT64, TENSOR_BOOL,  TENSOR_STRING };
    const struct model_tensor before = *t;
    int32_t dims[RANK_MAX + 1];
    const size_t rank = before.shape.count;

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        t->type = types[i];
        run(row, m);
    }
    *t = before;
    t->is_variable = !t->is_variable;
    run(row, m);
    *t = before;
    t->buffer = 0;
    run(row, m);
    *t = before;
    t->quantization.scale.count = t->quantization.zero_point.count = 0;
    run(row, m);
    *t = before;
    if (rank > RANK_MAX - 1)
        return;
    t->shape.data = dims;
    for (size_t i = 0; i < 3 * rank; i++) {
        static const int32_t changes[] = { -1, 1, 0 };

        memcpy(dims, before.shape.data, rank * sizeof dims[0]);
        dims[i / 3] = i % 3 == 2 ? 0 : dims[i / 3] + changes[i % 3];
        run(row, m);
    }
    dims[0] = 1;
    if (rank > 0)
        memcpy(dims + 1, before.shape.data, rank * sizeof dims[0]);
    t->shape.count = rank + 1;
    run(row, m);
    if (rank > 0) {
        t->shape = before.shape;
        t->shape.count--;
        run(row, m);
    }
    *t = before;
}

static void edit_operator(const struct hostile_row *row, const struct model *m,
                          struct model_operator *op)
{
    const struct model_operator before = *op;

    if (op->inputs.count > 0) {
        op->inputs.count--;
        run(row, m);
    }
    *op = before;
    if (op->outputs.count > 0) {
        op->outputs.count--;
        run(row, m);
    }
    *op = before;
    op->options.tag = 0;
    run(row, m);
    *op = before;
}

static bool is_small(const struct model *m)
{
    size_t elements = 0;

    for (size_t g = 0; g < m->subgraph_count; g++)
        for (size_t t = 0; t < m->subgraphs[g].tensor_count; t++) {
            const struct model_ints *const shape = &tensor_of(m, g, t)->shape;
            size_t product = 1;

            for (size_t d = 0; d < shape->count && product <= ELEMENTS_MAX; d++)
                product *= shape->data[d] > 0 ? (size_t)shape->data[d] : 1;
            elements += product;
            if (product > ELEMENTS_MAX)
                return false;
        }
    return elements <= ELEMENTS_MAX;
}

static void edit_model(const struct hostile_row *row, const struct model *m)
{
    for (size_t g = 0; g < m->subgraph_count; g++) {
        const struct model_subgraph *const graph = &m->subgraphs[g];

        for (size_t t = 0; t < graph->tensor_count; t++)
            edit_tensor(row, m, tensor_of(m, g, t));
        for (size_t o = 0; o < graph->operator_count; o++)
            edit_operator(row, m, (struct model_operator *)(uintptr_t)&graph->operators[o]);
    }
}

TEST(edited_models_are_refused_or_run)
{
    struct hostile_table t;

    KIT_OK(hostile_table_read(&t, "fuzz/hostile", &err));
    for (size_t i = 0; i < t.count; i++) {
        struct tflite_file file = { 0 };
        struct model m;

        if (t.rows[i].stage != HOSTILE_RUNS || t.rows[i].pending || t.rows[i].edit)
            continue;
        KIT_OK(hostile_row_write(&t.rows[i], &file, &err));
        KIT_OK(tflite_read(&m, file.bytes, file.count, &err));
        if (is_small(&m))
            edit_model(&t.rows[i], &m);
        model_close(&m);
        mem_free(file.bytes);
    }
    hostile_table_close(&t);
    printf("%u ran, %u were refused\n", ran, refused);
    assert_true(ran > 500 && refused > 2000);
}
