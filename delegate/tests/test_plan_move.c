/* Plans of CONCATENATION and STRIDED_SLICE: which are views, which copy whole slices, which copy
 * channels, and in how many steps. */
#include "delegate/tests/kit/move_graph.h"
#include "reference/tests/kit/closed.h"
#include "reference/tests/kit/test.h"

#include "delegate/ops/move/concatenation.args.h"
#include "delegate/ops/move/move.args.h"

/* ---- STRIDED_SLICE ---- */

struct slice_case {
    const char *name;
    int rank, out_rank;
    int32_t dims[4], begin[4], end[4], strides[4], out[4];
    int shrink, new_axis;
    enum { VIEW, WHOLE, LANES } expected;
    uint32_t dims_pushed; /* loops of the shader */
};

/* clang-format off */
static const struct slice_case slices[] = {
    { "all", 2, 2, { 3, 5 }, { 0, 0 }, { 3, 5 }, { 1, 1 }, { 3, 5 }, 0, 0, VIEW, 0 },
    { "first rows", 2, 2, { 9, 5 }, { 0, 0 }, { 3, 5 }, { 1, 1 }, { 3, 5 }, 0, 0, VIEW, 0 },
    { "later rows", 2, 2, { 9, 5 }, { 2, 0 }, { 5, 5 }, { 1, 1 }, { 3, 5 }, 0, 0, WHOLE, 1 },
    { "same slices", 2, 2, { 3, 8 }, { 0, 0 }, { 3, 5 }, { 1, 1 }, { 3, 5 }, 0, 0, VIEW, 0 },
    { "fewer slices", 2, 2, { 3, 8 }, { 0, 0 }, { 3, 4 }, { 1, 1 }, { 3, 4 }, 0, 0, WHOLE, 1 },
    { "slices behind", 2, 2, { 3, 9 }, { 0, 4 }, { 3, 9 }, { 1, 1 }, { 3, 5 }, 0, 0, WHOLE, 1 },
    { "inside a slice", 2, 2, { 3, 9 }, { 0, 3 }, { 3, 9 }, { 1, 1 }, { 3, 6 }, 0, 0, LANES, 1 },
    { "every other", 2, 2, { 3, 9 }, { 0, 0 }, { 3, 9 }, { 1, 2 }, { 3, 5 }, 0, 0, LANES, 1 },
    { "rows backwards", 2, 2, { 3, 5 }, { 2, 0 }, { -9, 5 }, { -1, 1 }, { 3, 5 }, 0, 0, WHOLE, 1 },
    { "one channel", 2, 1, { 3, 5 }, { 0, 2 }, { 3, 0 }, { 1, 1 }, { 3 }, 2, 0, LANES, 0 },
    { "new axis", 2, 3, { 3, 5 }, { 0, 0, 0 }, { 3, 0, 5 }, { 1, 1, 1 }, { 3, 1, 5 }, 0, 2, VIEW,
      0 },
    { "merged", 3, 3, { 2, 3, 5 }, { 0, 0, 4 }, { 2, 3, 5 }, { 1, 1, 1 }, { 2, 3, 1 }, 0, 0, WHOLE,
      1 },
    { "not merged", 3, 3, { 2, 3, 5 }, { 0, 0, 4 }, { 2, 2, 5 }, { 1, 1, 1 }, { 2, 2, 1 }, 0, 0,
      WHOLE, 2 },
};
/* clang-format on */

static void check_slice(const struct slice_case *c)
{
    const struct device_limits limits = gpu_large_limits();
    OPTIONS(o, NULL);
    struct graph_tensor *x, *y;
    struct move_graph w;
    struct move_args args;
    uint32_t pushed;

    move_make(&w);
    x = &w.tensors[w.inputs[SLICE][0]];
    y = &w.tensors[w.outputs[SLICE][0]];
    x->rank = c->rank;
    y->rank = c->out_rank;
    x->elements = y->elements = 1;
    for (int d = 0; d < c->rank; d++)
        x->elements *= (size_t)(x->dims[d] = c->dims[d]);
    for (int d = 0; d < c->out_rank; d++)
        y->elements *= (size_t)(y->dims[d] = c->out[d]);
    for (int i = 1; i <= 3; i++) {
        struct graph_tensor *t = &w.tensors[w.inputs[SLICE][i]];

        t->dims[0] = c->new_axis ? c->out_rank : c->rank;
        t->elements = (size_t)t->dims[0];
        memcpy((void *)(uintptr_t)t->data,
               i == 1   ? c->begin
               : i == 2 ? c->end
                        : c->strides,
               4 * sizeof(int32_t));
    }
    w.slice =
        (TfLiteStridedSliceParams){ .shrink_axis_mask = c->shrink, .new_axis_mask = c->new_axis };
    assert_string_equal(move_rule(&w, SLICE, "fp32", &limits), "taken");
    struct plan p CLOSED_BY(plan_close);
    KIT_OK(move_plan(&p, &w, SLICE, &o, &limits, &err));
    if (p.step_count != (c->expected == VIEW ? 2 : 3))
        fail_msg("%s: %d steps", c->name, p.step_count);
    if (c->expected == VIEW) {
        assert_int_equal(p.steps[1]->bindings[1].offset, p.steps[0]->bindings[0].offset);
    } else {
        assert_string_equal(p.steps[1]->shader, "move");
        if ((p.steps[1]->spec[MOVE_SPEC_MODE] == MOVE_WHOLE) != (c->expected == WHOLE))
            fail_msg("%s: mode %u", c->name, p.steps[1]->spec[MOVE_SPEC_MODE]);
        memcpy(&args, p.steps[1]->push, sizeof args);
        pushed = args.dims - args.inner;
        if (pushed != c->dims_pushed)
            fail_msg("%s: %u dims, expected %u", c->name, pushed, c->dims_pushed);
    }
}

TEST(slices_move_as_little_as_they_can)
{
    for (size_t i = 0; i < sizeof slices / sizeof slices[0]; i++)
        check_slice(&slices[i]);
}

/* ---- CONCATENATION ---- */

struct concat_case {
    int count;
    int32_t channels[8], total;
    int steps;          /* 0: a view */
    uint32_t split[3];  /* lanes are put together */
    uint32_t slices[3]; /* of a row that the step writes */
};

static const struct concat_case concats[] = {
    { 1, { 5 }, 5, 0, { 0 }, { 0 } },
    { 2, { 5, 0 }, 5, 0, { 0 }, { 0 } },
    { 2, { 4, 8 }, 12, 1, { 0 }, { 3 } },
    { 2, { 4, 3 }, 7, 1, { 0 }, { 2 } },
    { 2, { 3, 4 }, 7, 1, { 1 }, { 2 } },
    { 3, { 5, 1, 2 }, 8, 1, { 1 }, { 2 } },
    { 4, { 4, 4, 4, 1 }, 13, 2, { 0, 0 }, { 3, 1 } },
    { 4, { 4, 4, 1, 1 }, 10, 2, { 0, 1 }, { 3, 1 } },
    { 7, { 1, 1, 1, 1, 1, 1, 2 }, 8, 3, { 1, 1, 1 }, { 1, 2, 1 } },
};

static void check_concat(const struct concat_case *c)
{
    const struct device_limits limits = gpu_large_limits();
    OPTIONS(o, NULL);
    int steps = 0, loads = 0, inputs[8];
    struct move_graph w;

    move_make(&w);
    w.graph.node_count = 0;
    w.graph.tensor_count = 0;
    for (int i = 0; i < c->count; i++) {
        /* An empty input is a constant: the delegate computes no empty tensors. */
        inputs[i] = F32(&w, c->channels[i] ? NULL : w.weights, 2, c->channels[i]);
        loads += c->channels[i] != 0;
    }
    move_node(&w, 0, BUILTIN_CONCATENATION, &w.concat, c->count, inputs,
              F32(&w, NULL, 2, c->total));
    assert_string_equal(move_rule(&w, 0, "fp32", &limits), "taken");
    struct plan p CLOSED_BY(plan_close);
    KIT_OK(move_plan(&p, &w, 0, &o, &limits, &err));
    for (int i = 0; i < p.step_count; i++) {
        uint32_t slices_written;

        if (strcmp(p.steps[i]->shader, "concatenation") != 0)
            continue;
        memcpy(&slices_written, p.steps[i]->push + offsetof(struct concatenation_args, slices),
               sizeof slices_written);
        assert_int_equal(p.steps[i]->spec[CONCATENATION_SPEC_SPLIT], c->split[steps]);
        assert_int_equal(slices_written, c->slices[steps]);
        steps++;
    }
    assert_int_equal(steps, c->steps);
    assert_int_equal(p.step_count, loads + steps + 1);
}

TEST(concatenations_in_few_steps)
{
    for (size_t i = 0; i < sizeof concats / sizeof concats[0]; i++)
        check_concat(&concats[i]);
}

/* A plan that runs out of memory fails and leaks nothing. */
TEST(allocations_fail)
{
    const struct device_limits limits = gpu_large_limits();
    OPTIONS(o, NULL);

    for (int which = 0; which < NODES; which++)
        for (long n = 0;; n++) {
            enum status s;
            struct move_graph w;
            struct plan p;

            move_make(&w);
            mem_fail_after(n);
            s = move_plan(&p, &w, which, &o, &limits, &err);
            mem_fail_after(-1);
            plan_close(&p);
            if (s == STATUS_OK)
                break;
            assert_int_equal(s, STATUS_NO_MEMORY);
            assert_true(n < 100);
        }
}
