/* Finds the dimensions that the reference can change, and changes them one by one. */

#include "conformance/suite/judge/habit_run.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <string.h>

/* A larger tensor costs time, and shows nothing more. */
static const size_t largest_bytes = 1 << 18;

/* One dimension of some inputs at another size. */
struct change {
    int axis;
    int32_t from, to;
    bool resized[CASE_INPUTS_MAX];
    struct case_instance x; /* frame A at the size */
};

static struct case_run_setup setup_of(const struct case_run *run, const struct change *c)
{
    return (struct case_run_setup){
        .model = &run->model, .batch = c->to, .axis = c->axis, .resized = c->resized
    };
}

static void close_change(struct change *c)
{
    for (size_t i = 0; i < c->x.input_count; i++)
        mem_free(c->x.inputs[i].data[0]);
    c->x.input_count = 0;
}

/* Fills inputs with the elements of the first ones, over and over: what is an index stays one. */
static bool fill(struct case_run *run, struct interpreter *in, struct change *c)
{
    size_t count;
    const int *const inputs = interpreter_inputs(in, &count);

    c->x = run->instance;
    c->x.input_count = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t have = run->instance.inputs[i].bytes;
        const size_t bytes = interpreter_tensor(in, inputs[i])->bytes;
        char *const data = mem_alloc(bytes + 1, 1);

        c->x.inputs[i].data[0] = data;
        c->x.inputs[i].data[1] = NULL;
        c->x.inputs[i].bytes = bytes;
        c->x.input_count = i + 1;
        if (!data || (have == 0 && bytes > 0) || bytes > largest_bytes)
            return false;
        for (size_t at = 0; at < bytes; at += have)
            memcpy(data + at, run->instance.inputs[i].data[0],
                   bytes - at < have ? bytes - at : have);
    }
    return true;
}

/* Whether the reference runs the graph at the size. */
static bool runs(struct case_run *run, struct change *c)
{
    const struct case_run_setup setup = setup_of(run, c);
    struct interpreter *in = NULL;
    bool ok = case_run_open_reference(run, &setup, &in, NULL) == STATUS_OK && fill(run, in, c) &&
              inputs_write(in, &c->x, 0, NULL) == STATUS_OK &&
              interpreter_invoke(in, NULL) == STATUS_OK;

    interpreter_close(in);
    if (!ok)
        close_change(c);
    return ok;
}

/* The dimension of the first input and of those that agree with it; where that does not work, of
 * the first one alone. */
static bool find_change(struct case_run *run, int axis, struct change *c)
{
    const struct model_subgraph *const graph = &run->model.subgraphs[0];
    const struct model_ints *const first = &graph->tensors[graph->inputs.data[0]].shape;
    size_t count = 0;

    *c = (struct change){ .axis = axis, .from = first->data[axis] };
    if (c->from <= 0)
        return false;
    c->to = c->from < 8 ? 2 * c->from + 1 : c->from + 3;
    for (size_t i = 0; i < graph->inputs.count; i++) {
        const struct model_ints *const shape = &graph->tensors[graph->inputs.data[i]].shape;

        c->resized[i] = shape->count == first->count && shape->data[axis] == c->from;
        count += c->resized[i];
    }
    if (runs(run, c))
        return true;
    memset(c->resized + 1, 0, sizeof c->resized - sizeof c->resized[0]);
    return count > 1 && runs(run, c);
}

/* Resizes e there and back; `fresh` is prepared at the size. */
static bool there_and_back(struct case_run *run, struct engine *e, const struct change *c,
                           const struct outputs *want)
{
    const struct case_run_setup sizes = setup_of(run, c);
    struct outputs got = { .count = 0 };
    struct diag diag;
    char what[96];
    bool ok;

    snprintf(what, sizeof what,
             "other results at size %d of dimension %d, was %d, than prepared so", (int)c->to,
             c->axis, (int)c->from);
    if (engine_resize(e, c->axis, c->to, c->resized, &diag) != STATUS_OK)
        return habit_refuse(run, "size %d of dimension %d: %s", (int)c->to, c->axis, diag.text);
    if (!case_run_is_taken(run, e))
        return habit_refuse(run, "size %d of dimension %d: the node is not taken any more",
                            (int)c->to, c->axis);
    ok = habit_infer(run, e, &c->x, 0, &got) && habit_same(run, &sizes, &c->x, 0, want, &got, what);
    outputs_close(&got);
    if (!ok)
        return false;
    if (engine_resize(e, c->axis, c->from, c->resized, &diag) != STATUS_OK)
        return habit_refuse(run, "back to size %d of dimension %d: %s", (int)c->from, c->axis,
                            diag.text);
    snprintf(what, sizeof what, "other results back at size %d of dimension %d, from %d",
             (int)c->from, c->axis, (int)c->to);
    return habit_repeat(run, e, 0, what);
}

static bool check_axis(struct case_run *run, struct engine *e, const struct change *c)
{
    const struct engine_expected expected = { &c->x, 0, true, -1, 0 };
    struct case_run_setup setup = setup_of(run, c);
    const uint32_t refused = run->result->refused;
    struct outputs want = { .count = 0 };
    struct engine *fresh = NULL;
    bool ok;

    setup.expected = &expected;
    setup.expected_count = 1;
    case_run_stage(run, "resized: dimension %d to %d", c->axis, (int)c->to);
    if (case_run_open(run, &setup, &fresh, NULL) != STATUS_OK || !case_run_is_taken(run, fresh)) {
        engine_close(fresh); /* it takes no such model, which is no matter of the habit */
        return true;
    }
    ok = habit_infer(run, fresh, &c->x, 0, &want);
    engine_close(fresh);
    ok = ok && there_and_back(run, e, c, &want);
    outputs_close(&want);
    if (ok && run->result->refused == refused)
        result_note_habit(run->result, HABIT_RESIZED, true);
    return ok;
}

bool habit_check_resized(struct case_run *run)
{
    const struct model_subgraph *const graph = &run->model.subgraphs[0];
    const struct engine_expected expected = { &run->instance, 0, true, -1, 0 };
    const struct case_run_setup setup = { .model = &run->model,
                                          .expected = &expected,
                                          .expected_count = 1 };
    struct engine *e = NULL;
    struct change c;
    bool ok = true;

    for (int axis = 0; graph->inputs.count > 0 && ok &&
                       axis < (int)graph->tensors[graph->inputs.data[0]].shape.count;
         axis++) {
        if (!find_change(run, axis, &c))
            continue;
        if (!e)
            ok = habit_open(run, &setup, &e) && (!e || habit_repeat(run, e, 0, "other results"));
        if (ok && e)
            ok = check_axis(run, e, &c);
        close_change(&c);
    }
    engine_close(e);
    return ok;
}
