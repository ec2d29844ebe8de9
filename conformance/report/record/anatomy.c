#include "conformance/report/record/anatomy.h"

#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/random_graph.h"
#include "conformance/suite/census/census.h"
#include "conformance/suite/judge/case_classes.h"
#include "conformance/util/json_text.h"
#include "conformance/util/words.h"
#include "reference/base/memory.h"
#include "reference/base/op_facts.h"
#include "reference/format/read.h"
#include "reference/kernels/op.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Graphs that a report names are at most so many. */
enum { NUMBERS_BYTES = 256, GRAPHS_MAX = 1 << 17 };

/* ---- a node in words ---- */

static const struct model_tensor *tensor_of(const struct model *m, const struct model_ints *list,
                                            int i)
{
    return i >= 0 && (size_t)i < list->count && list->data[i] >= 0
               ? &m->subgraphs[0].tensors[list->data[i]]
               : NULL;
}

/* Which input is the first of data. */
static int first_input(const struct op_facts *facts)
{
    return facts && facts->first > 0 ? facts->first : 0;
}

static bool holds_data(const struct model *m, const struct model_tensor *t)
{
    return t->buffer > 0 && m->buffers[t->buffer].data.data;
}

/* Whether a node makes the tensor of constants alone, as one of f16 weights does. */
static bool is_constant(const struct model *m, const struct model_tensor *t)
{
    const struct model_subgraph *const g = &m->subgraphs[0];

    for (size_t i = 0; i < g->operator_count && !holds_data(m, t); i++) {
        const struct model_operator *const op = &g->operators[i];

        if (op->outputs.count == 1 && &g->tensors[op->outputs.data[0]] == t)
            return op->inputs.count == 1 && op->inputs.data[0] >= 0 &&
                   holds_data(m, &g->tensors[op->inputs.data[0]]);
    }
    return holds_data(m, t);
}

static void add(char *text, size_t bytes, const char *format, ...) PRINTF_LIKE(3, 4);
static void add(char *text, size_t bytes, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list args;

    if (used > 0 && used + 1 < bytes)
        strcpy(text + used, " ");
    va_start(args, format);
    vsnprintf(text + strlen(text), bytes - strlen(text), format, args);
    va_end(args);
}

static double first_scale(const struct model_tensor *t)
{
    return t->quantization.scale.count > 0 ? (double)t->quantization.scale.data[0] : 0;
}

static double scale_of(const struct model_tensor *t)
{
    return t && t->quantization.scale.count == 1 ? (double)t->quantization.scale.data[0] : 0;
}

static void add_weights(const struct model *m, const struct model_operator *op,
                        const struct op_facts *facts, const struct model_tensor *x, char *classes,
                        char *numbers)
{
    const struct model_tensor *const w = tensor_of(m, &op->inputs, facts->weights);
    const struct model_tensor *const b = tensor_of(m, &op->inputs, facts->bias);
    const int32_t *const d = w ? w->shape.data : NULL;

    if (w && !is_constant(m, w))
        add(classes, CASE_CLASSES_BYTES, "runtime_weights");
    if (b && !is_constant(m, b))
        add(classes, CASE_CLASSES_BYTES, "runtime_bias");
    if (b && w && scale_of(x) > 0 && first_scale(w) > 0) {
        const double expected = scale_of(x) * first_scale(w);

        if (first_scale(b) == 0)
            add(classes, CASE_CLASSES_BYTES, "bias_no_scale");
        else if (fabs(first_scale(b) - expected) > 1e-3 * expected)
            add(classes, CASE_CLASSES_BYTES, "bias_scale");
    }
    if (w && w->type == TENSOR_INT8)
        add(classes, CASE_CLASSES_BYTES, "weights_i8");
    if (w && w->shape.count == 2 && x->shape.count > 0 && d[1] != x->shape.data[x->shape.count - 1])
        add(classes, CASE_CLASSES_BYTES, "flattened");
    if (!w || w->shape.count != 4 || x->shape.count != 4)
        return;
    add(numbers, NUMBERS_BYTES, "kernel=%d", (int)(d[1] * d[2]));
    if (d[3] > 0 && d[3] < x->shape.data[3]) {
        add(classes, CASE_CLASSES_BYTES, "groups");
        add(numbers, NUMBERS_BYTES, "inputs_of_a_group=%d outputs_of_a_group=%d", (int)d[3],
            (int)(d[0] / (x->shape.data[3] / d[3])));
    }
    if (d[0] == 1 && d[3] > x->shape.data[3])
        add(classes, CASE_CLASSES_BYTES, "multiplier");
}

/* Two operands of an op that broadcasts. */
static void add_operands(const struct model *m, const struct model_tensor *x,
                         const struct model_tensor *y, char *classes, char *numbers)
{
    const struct model_tensor *const lower = x->shape.count < y->shape.count ? x : y;
    const struct model_tensor *const constant = is_constant(m, x)   ? x
                                                : is_constant(m, y) ? y
                                                                    : NULL;

    if (x->shape.count != y->shape.count)
        add(classes, CASE_CLASSES_BYTES, "%s", lower == constant ? "lower_const" : "lower_input");
    if (scale_of(x) != scale_of(y))
        add(classes, CASE_CLASSES_BYTES, "scales");
    if (constant && constant->shape.count > 1)
        add(numbers, NUMBERS_BYTES, "rows_of_the_constant=%d", (int)constant->shape.data[0]);
}

/* What case_classes.h does not say: it is held against ledgers.  x is the first data input. */
static void add_more(const struct model *m, const struct model_operator *op,
                     const struct op_facts *facts, const struct model_tensor *x, char *classes,
                     char *numbers)
{
    static const char *const kinds[][2] = {
        { "relu", "activation" },
        { "relu_n1_to_1", "activation" },
        { "relu6", "activation" },
        { "tanh", "activation" },
        { "sign", "activation" },
        { "stride_w", "stride" },
        { "stride_h", "stride" },
        { "dilation_w_factor", "dilation" },
        { "dilation_h_factor", "dilation" },
    };
    const struct model_tensor *const y = tensor_of(m, &op->outputs, 0);
    const struct model_tensor *const x2 =
        facts && facts->data == 2 ? tensor_of(m, &op->inputs, first_input(facts) + 1) : NULL;
    int32_t channels;

    if (strcmp(classes, "empty") == 0 || !x || !y)
        return;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (words_have(classes, kinds[i][0], ' ') && !words_have(classes, kinds[i][1], ' '))
            add(classes, CASE_CLASSES_BYTES, "%s", kinds[i][1]);
    if (x2)
        add_operands(m, x, x2, classes, numbers);
    if (scale_of(x) > 0 && scale_of(y) > 0 && scale_of(x) != scale_of(y))
        add(classes, CASE_CLASSES_BYTES, "rescaled");
    if (facts)
        add_weights(m, op, facts, x, classes, numbers);
    if (y->shape.count == 0)
        return;
    channels = y->shape.data[y->shape.count - 1];
    if (channels % 4 != 0)
        add(classes, CASE_CLASSES_BYTES, "output_tail");
    add(numbers, NUMBERS_BYTES, "output_channels=%d", (int)channels);
}

static enum status describe(struct anatomy_node *out, const struct model *m, int node,
                            struct arena *arena, struct diag *diag)
{
    const struct model_operator *const op = &m->subgraphs[0].operators[node];
    const int32_t code = model_opcode_row(&m->opcodes[op->opcode_index]);
    const struct ref_op *const known = ref_find(code);
    const struct op_facts *const facts = op_facts_find(code);
    const struct model_tensor *const x = tensor_of(m, &op->inputs, first_input(facts));
    char classes[CASE_CLASSES_BYTES], numbers[NUMBERS_BYTES] = "";
    const char *text = classes;
    int rank, length = 0;

    case_classes_measure(m, node, classes);
    add_more(m, op, facts, x, classes, numbers);
    if (x && x->shape.count > 0)
        add(numbers, sizeof numbers, "rank=%d channels=%d", (int)x->shape.count,
            (int)x->shape.data[x->shape.count - 1]);
    if (x && x->shape.count > 1)
        add(numbers, sizeof numbers, "batch=%d", (int)x->shape.data[0]);
    if (sscanf(text, "rank%d%n", &rank, &length) == 1)
        text += length + (text[length] == ' ');
    out->op = known ? known->name : "?";
    out->classes = arena_string(arena, text);
    out->numbers = arena_string(arena, numbers);
    return out->classes && out->numbers ? STATUS_OK
                                        : diag_fail(diag, STATUS_NO_MEMORY, "cases: out of memory");
}

/* ---- a case ---- */

static enum status find_kind(struct anatomy *a, const struct model *m, int node,
                             struct arena *arena, struct diag *diag)
{
    struct census one = { .count = 0 };
    enum status s = census_add_node(&one, m, 0, (size_t)node, CENSUS_OPTIONS + 1, diag);

    if (s == STATUS_OK && !(a->kind = arena_string(arena, one.kinds[0].text)))
        s = diag_fail(diag, STATUS_NO_MEMORY, "cases: out of memory");
    census_close(&one);
    return s;
}

static bool is_exotic(const struct anatomy *a, const struct test_case *c, const struct model *m)
{
    const struct model_subgraph *const g = &m->subgraphs[0];
    bool exotic = c->row->overflow || fabs(c->row->scale) > 1e4 || fabs(c->row->offset) > 1e4;

    for (size_t i = 0; i < g->tensor_count; i++)
        exotic = exotic || g->tensors[i].shape.count > 5;
    return exotic || (a->judged.op && (words_have(a->judged.classes, "empty", ' ') ||
                                       words_have(a->judged.classes, "runtime_weights", ' ') ||
                                       words_have(a->judged.classes, "runtime_bias", ' ')));
}

static enum status examine(struct anatomy *a, const struct test_case *c,
                           const struct case_instance *x, const struct model *m, bool is_graph,
                           struct arena *arena, struct diag *diag)
{
    const size_t count = m->subgraphs[0].operator_count;

    if (x->judged_node >= 0 && (size_t)x->judged_node < count) {
        TRY(describe(&a->judged, m, x->judged_node, arena, diag));
        TRY(find_kind(a, m, x->judged_node, arena, diag));
    }
    a->is_exotic = is_exotic(a, c, m);
    a->is_whole = x->judged_node < 0;
    if (!is_graph && !a->is_whole)
        return STATUS_OK;
    if (!(a->nodes = ARENA_NEW(arena, count, struct anatomy_node)))
        return diag_fail(diag, STATUS_NO_MEMORY, "cases: out of memory");
    for (size_t i = 0; i < count; i++)
        TRY(describe(&a->nodes[a->node_count++], m, (int)i, arena, diag));
    return STATUS_OK;
}

static enum status build(struct anatomy *a, const struct test_case *c, uint64_t seed, bool is_graph,
                         struct arena *arena, struct diag *diag)
{
    struct case_instance x;
    struct model m;
    enum status s;

    TRY(case_open(c, seed, &x, &m, diag));
    s = examine(a, c, &x, &m, is_graph, arena, diag);
    model_close(&m);
    case_instance_close(&x);
    return s;
}

/* ---- all ---- */

static bool is_graph(const struct record_case *c)
{
    return c->title || c->nodes > 0;
}

/* Names of ops of which a case fails, and of graphs that fail. */
static json_t *wanted(const struct record *r)
{
    json_t *const names = json_object();
    bool ok = names != NULL;

    for (size_t i = 0; ok && i < r->result_count; i++) {
        const struct record_case *const c = &r->cases[r->results[i].test_case];

        if (!record_result_is_bad(&r->results[i]))
            continue;
        if (c->op)
            ok = json_object_set_new_nocheck(names, c->op, json_true()) == 0;
        if (ok && is_graph(c))
            ok = json_object_set_new_nocheck(names, c->name, json_true()) == 0;
    }
    return json_whole(names, ok);
}

static enum status build_wanted(struct anatomy *a, const struct record *r, json_t *names,
                                struct arena *arena, struct diag *diag)
{
    struct random_row *rows = NULL;
    struct test_case *list;
    size_t count;
    enum status s = cases_list(&list, &count, diag);

    TRY(s);
    if (r->run.graphs > 0 && r->run.graphs <= GRAPHS_MAX && json_object_get(names, "graph"))
        s = random_cases_append(r->run.seed, (size_t)r->run.graphs, &list, &count, &rows, diag);
    for (size_t i = 0; i < count && s == STATUS_OK; i++) {
        const size_t at = record_find_case(r, list[i].name);
        const struct record_case *const c = at < SIZE_MAX ? &r->cases[at] : NULL;

        if (!c || !c->op)
            continue;
        if (c->nodes > 0 ? json_object_get(names, c->name) != NULL
                         : json_object_get(names, c->op) != NULL)
            s = build(&a[at], &list[i], r->run.seed, json_object_get(names, c->name) != NULL, arena,
                      diag);
    }
    mem_free(rows);
    mem_free(list);
    return s;
}

enum status anatomy_open(struct anatomy **anatomy, const struct record *r, struct arena *arena,
                         struct diag *diag)
{
    json_t *const names = wanted(r);
    enum status s = STATUS_OK;

    *anatomy = ARENA_NEW(arena, r->case_count, struct anatomy);
    if (!*anatomy || !names)
        s = diag_fail(diag, STATUS_NO_MEMORY, "cases: out of memory");
    if (s == STATUS_OK && json_object_size(names) > 0)
        s = build_wanted(*anatomy, r, names, arena, diag);
    json_decref(names);
    return s;
}
