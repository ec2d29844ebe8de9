/* Opens the model at an offset, or as half of a larger one. */

#include "conformance/suite/judge/habit_run.h"
#include "reference/base/builtin.h"
#include "reference/base/op_facts.h"

#include <string.h>

/* 15 bytes: 8 for i64, 12 for i32 and f32, 14 for f16, 15 for bytes. */
enum { OFFSET_BYTES = 15 };

bool habit_check_addresses(struct case_run *run)
{
    const struct engine_expected expected[2] = { { &run->instance, 0, true, -1, 0 },
                                                 { &run->instance, 1, true, -1, 0 } };
    const struct case_run_setup setup = { .model = &run->model,
                                          .offset_bytes = OFFSET_BYTES,
                                          .expected = expected,
                                          .expected_count =
                                              (size_t)case_instance_frames(&run->instance) };
    struct engine *e = NULL;
    bool ok;

    case_run_stage(run, "addresses");
    ok = habit_open(run, &setup, &e);
    for (int frame = 0; ok && e && frame < case_instance_frames(&run->instance); frame++)
        ok = habit_repeat(run, e, frame, "other results at odd addresses");
    if (ok && e)
        result_note_habit(run->result, HABIT_ADDRESSES, true);
    engine_close(e);
    return ok;
}

/* ---- a second partition ---- */

/* The graph, then a RESHAPE of each input to its own shape, then the graph once more on these.
 * Constants have the first numbers, and the others theirs backwards: in most cases the input is the
 * first of the file, and constants and results lie behind it. */
struct doubled {
    struct arena arena;
    struct model model;
    struct model_subgraph graph;
    struct model_opcode *opcodes;
    struct model_tensor *tensors;
    struct model_operator *operators;
    int32_t *numbers[2]; /* of each tensor in either half: one number, where it is a constant */
};

static int32_t number_of(const struct doubled *d, int half, int32_t tensor)
{
    return tensor < 0 ? -1 : d->numbers[half][tensor];
}

static bool map_tensors(const struct model *m, struct doubled *d)
{
    const struct model_subgraph *const g = &m->subgraphs[0];
    size_t first = 0, next = 2 * g->tensor_count, bytes;

    for (size_t i = 0; i < g->tensor_count; i++)
        next -= model_tensor_data(m, &g->tensors[i], &bytes) != NULL;
    d->graph.tensor_count = next;
    d->tensors = arena_alloc(&d->arena, next + 1, sizeof *d->tensors);
    for (int half = 0; half < 2; half++)
        d->numbers[half] = arena_alloc(&d->arena, g->tensor_count + 1, sizeof *d->numbers[half]);
    if (!d->tensors || !d->numbers[0] || !d->numbers[1])
        return false;
    for (size_t i = 0; i < g->tensor_count; i++) {
        const bool constant = model_tensor_data(m, &g->tensors[i], &bytes) != NULL;

        for (int half = 0; half < 2; half++) {
            const size_t to = !constant ? --next : half == 0 ? first++ : first - 1;

            d->numbers[half][i] = (int32_t)to;
            d->tensors[to] = g->tensors[i];
            if (half > 0 && !constant)
                d->tensors[to].name = (struct model_string){ NULL, 0 };
        }
    }
    for (size_t i = 0; i < d->graph.tensor_count; i++) {
        struct model_quantization *const q = &d->tensors[i].quantization;

        if (q->details_type != DETAILS_BLOCKWISE && q->details_type != DETAILS_MULTI_AXIS)
            continue;
        q->block_scales = number_of(d, 0, q->block_scales);
        q->block_zero_points = number_of(d, 0, q->block_zero_points);
    }
    d->graph.tensors = d->tensors;
    return true;
}

static bool number_all(struct doubled *d, int half, const struct model_ints *from,
                       struct model_ints *to)
{
    int32_t *const list = arena_alloc(&d->arena, from->count + 1, sizeof *list);

    for (size_t i = 0; list && i < from->count; i++)
        list[i] = number_of(d, half, from->data[i]);
    *to = (struct model_ints){ list, from->count };
    return list != NULL;
}

static bool add_reshape(struct doubled *d, struct model_operator *o, const struct model *m,
                        const int32_t *input)
{
    const struct model_ints one = { input, 1 }, *const shape =
                                                    &m->subgraphs[0].tensors[*input].shape;

    memset(o, 0, sizeof *o);
    o->opcode_index = (uint32_t)m->opcode_count;
    options_init(&o->options, OPTIONS_ReshapeOptions);
    options_set_ints(&o->options, "new_shape", shape->data, shape->count);
    return number_all(d, 0, &one, &o->inputs) && number_all(d, 1, &one, &o->outputs);
}

static bool double_operators(const struct model *m, struct doubled *d)
{
    const struct model_subgraph *const g = &m->subgraphs[0];
    const size_t n = g->operator_count, k = g->inputs.count;
    bool ok;

    d->operators = arena_alloc(&d->arena, 2 * n + k, sizeof *d->operators);
    d->opcodes = arena_alloc(&d->arena, m->opcode_count + 1, sizeof *d->opcodes);
    ok = d->operators && d->opcodes;
    if (!ok)
        return false;
    memcpy(d->opcodes, m->opcodes, m->opcode_count * sizeof *d->opcodes);
    memset(&d->opcodes[m->opcode_count], 0, sizeof *d->opcodes);
    d->opcodes[m->opcode_count].code = BUILTIN_RESHAPE;
    d->opcodes[m->opcode_count].deprecated_code = BUILTIN_RESHAPE;
    d->opcodes[m->opcode_count].builtin_code = BUILTIN_RESHAPE;
    d->opcodes[m->opcode_count].version = 1;
    for (size_t i = 0; i < k && ok; i++)
        ok = add_reshape(d, &d->operators[n + i], m, &g->inputs.data[i]);
    for (size_t i = 0; i < 2 * n && ok; i++) {
        const struct model_operator *const from = &g->operators[i % n];
        const int half = i >= n;
        struct model_operator *const o = &d->operators[half ? k + i : i];

        *o = *from;
        ok = number_all(d, half, &from->inputs, &o->inputs) &&
             number_all(d, half, &from->outputs, &o->outputs) &&
             number_all(d, half, &from->intermediates, &o->intermediates);
    }
    d->graph.operators = d->operators;
    d->graph.operator_count = 2 * n + k;
    return ok;
}

static bool double_ends(const struct model *m, struct doubled *d)
{
    const struct model_ints *const from = &m->subgraphs[0].outputs;
    int32_t *const list = arena_alloc(&d->arena, 2 * from->count, sizeof *list);

    for (size_t i = 0; list && i < 2 * from->count; i++)
        list[i] = number_of(d, i >= from->count, from->data[i % from->count]);
    d->graph.outputs = (struct model_ints){ list, 2 * from->count };
    return list && number_all(d, 0, &m->subgraphs[0].inputs, &d->graph.inputs);
}

static bool make_doubled(const struct model *m, struct doubled *d)
{
    *d = (struct doubled){ .model = *m, .graph = m->subgraphs[0] };
    if (!map_tensors(m, d) || !double_operators(m, d) || !double_ends(m, d))
        return false;
    d->model.opcodes = d->opcodes;
    d->model.opcode_count++;
    d->model.subgraphs = &d->graph;
    d->model.signature_count = 0;
    d->model.signatures = NULL;
    return true;
}

/* Whether a node overwrites an input of the graph with its new state, which its twin would read. */
static bool writes_to_input(const struct model *m)
{
    const struct model_subgraph *const g = &m->subgraphs[0];

    for (size_t n = 0; n < g->operator_count; n++) {
        const struct model_operator *const o = &g->operators[n];
        const struct op_facts *const facts =
            op_facts_find(model_opcode_row(&m->opcodes[o->opcode_index]));

        for (size_t i = 0; facts && i < o->inputs.count && i < 32; i++)
            for (size_t k = 0; facts->state >> i & 1 && k < g->inputs.count; k++)
                if (o->inputs.data[i] == g->inputs.data[k])
                    return true;
    }
    return false;
}

/* A graph of one subgraph without state, whose results an output each can hold, and whose inputs
 * have elements and are all activations. */
static bool can_be_doubled(const struct case_run *run)
{
    const struct model_subgraph *const g = &run->model.subgraphs[0];
    bool ok = run->model.subgraph_count == 1 && engine_count_variables(&run->model) == 0 &&
              !writes_to_input(&run->model) && 2 * g->outputs.count <= OUTPUTS_MAX &&
              g->inputs.count > 0 && g->outputs.count > 0;

    for (size_t i = 0; i < g->inputs.count; i++)
        for (size_t o = 0; o < g->outputs.count; o++)
            ok = ok && g->inputs.data[i] != g->outputs.data[o];
    for (size_t i = 0; i < run->instance.input_count; i++)
        ok = ok && run->instance.inputs[i].bytes > 0;
    return ok;
}

static bool ask_doubled(struct case_run *run, struct engine *e, int frame)
{
    static const char *const what[] = { "other results in front of a node that is declined",
                                        "other results in the second partition, behind a node "
                                        "that is declined" };
    const struct case_run_setup sizes = { .batch = 0 };
    const struct outputs *const want = habit_first(run, frame);
    struct outputs got = { .count = 0 };
    bool ok = case_run_invoke(run, e, &run->instance, frame, &got);

    for (int half = 0; half < 2 && ok; half++) {
        struct outputs view = { .count = want->count };

        memcpy(view.items, got.items + (size_t)half * want->count,
               want->count * sizeof view.items[0]);
        for (size_t i = 0; i < want->count; i++)
            view.items[i].tensor = want->items[i].tensor;
        ok = habit_same(run, &sizes, &run->instance, frame, want, &view, what[half]);
    }
    outputs_close(&got);
    return ok;
}

bool habit_check_partition(struct case_run *run)
{
    const struct model_subgraph *const g = &run->model.subgraphs[0];
    const int n = (int)g->operator_count, k = (int)g->inputs.count;
    const int judged = run->instance.judged_node;
    const struct engine_expected expected[2] = { { &run->instance, 0, false, -1, 0 },
                                                 { &run->instance, 1, false, -1, 0 } };
    struct doubled d;
    struct case_run_setup setup = { .declined_first = n,
                                    .declined_count = k,
                                    .expected = expected,
                                    .expected_count =
                                        (size_t)case_instance_frames(&run->instance) };
    struct engine *e = NULL;
    bool ok = true;

    if (!can_be_doubled(run))
        return true;
    case_run_stage(run, "partition");
    setup.model = &d.model;
    if (!make_doubled(&run->model, &d))
        ok = result_fail(run->result, "out of memory");
    ok = ok && habit_open(run, &setup, &e);
    if (ok && e && judged >= 0 && !engine_is_taken(e, n + k + judged)) {
        ok = habit_refuse(run, "the node is not taken in the second partition");
        engine_close(e);
        e = NULL;
    }
    for (int frame = 0; ok && e && frame < case_instance_frames(&run->instance); frame++)
        ok = ask_doubled(run, e, frame);
    if (ok && e)
        result_note_habit(run->result, HABIT_PARTITION, true);
    engine_close(e);
    arena_close(&d.arena);
    return ok;
}
