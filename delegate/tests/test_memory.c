/* Memory of plans, without a device: results in place, and the size of the arena against its lower
 * bound, for MobileNet v1, a net like DeepLab, and random graphs. */
#include "delegate/tests/kit/dag.h"
#include "reference/tests/kit/test.h"

#include "conformance/tests/kit/nets.h"
#include "delegate/plan/memory.h"
#include "delegate/plan/offsets.h"
#include "reference/tests/kit/text_kit.h"

/* ---- plans of a whole graph ---- */

static double ratio_of(const struct plan *p)
{
    return (double)p->arena_bytes / (double)p->arena_bound;
}

/* ---- in place: plans made by hand ---- */

enum { X, Y, VIEW, OTHER };

/* Steps over tensors of `bytes` bytes.  Each is a string of pairs, a letter and a tensor, for
 * bindings 0 to 3.  w: writes, e: reads elementwise, r: reads. */
static void make_plan(struct plan *p, const char *const *steps, int view_of)
{
    *p = (struct plan){ .tensors = mem_alloc(8, sizeof *p->tensors),
                        .steps = mem_alloc(8, sizeof *p->steps),
                        .tensor_count = 4 };
    for (int t = 0; t < 4; t++)
        p->tensors[t] = (struct plan_tensor){ .view_of = t, .root = t, .bytes = 1024 };
    p->tensors[VIEW].view_of = p->tensors[VIEW].root = view_of;
    for (; steps[p->step_count]; p->step_count++) {
        const char *text = steps[p->step_count];
        struct plan_step *s = ARENA_NEW(&p->arena, 1, struct plan_step);

        assert_non_null(s);
        s->label = s->shader = "step";
        for (int b = 0; *text; b++, text += 2)
            s->bindings[b] = (struct plan_binding){ .location = LOCATION_ARENA,
                                                    .index = text[1] - '0',
                                                    .bytes = 1024,
                                                    .writes = text[0] == 'w',
                                                    .elementwise = text[0] == 'e' };
        p->steps[p->step_count] = s;
    }
}

#define STEPS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const struct {
    const char *why;
    const char *const *steps;
    int view_of, in_place;
} placings[] = {
    { "x dies", STEPS("w0", "w1e0", "w3r1"), VIEW, 1 },
    { "twice", STEPS("w0", "w1e0", "w3e1"), VIEW, 2 },
    { "x is read later", STEPS("w0", "w1e0", "w3r0"), VIEW, 0 },
    { "not element by element", STEPS("w0", "w1r0", "w3r1"), VIEW, 0 },
    { "the other operand dies", STEPS("w0", "w3", "w1e0e3", "w2r0"), VIEW, 1 },
    { "both operands are x", STEPS("w0", "w1e0e0"), VIEW, 1 },
    { "a view of x is read by others", STEPS("w0", "w1e0r2"), X, 0 },
    { "a view of x lives on", STEPS("w0", "w1e0", "w3r2"), X, 0 },
    { "y is a view of x", STEPS("w0", "w2e0"), X, 0 },
    { "y has a part from before", STEPS("w0", "w1", "w1e0"), VIEW, 0 },
};

TEST(results_in_place)
{
    for (size_t i = 0; i < sizeof placings / sizeof placings[0]; i++) {
        struct plan p CLOSED_BY(plan_close);
        make_plan(&p, placings[i].steps, placings[i].view_of);
        KIT_OK(plan_assign_memory(&p, true, &err));
        if (p.in_place != placings[i].in_place)
            fail_msg("%s: %d in place", placings[i].why, p.in_place);
        dag_check(&p);
        plan_close(&p);
        make_plan(&p, placings[i].steps, placings[i].view_of);
        KIT_OK(plan_assign_memory(&p, false, &err));
        assert_int_equal(p.in_place, 0);
    }
}

/* A tensor of another size, or with elements of another size, gets other memory. */
TEST(other_sizes_are_not_in_place)
{
    struct plan p CLOSED_BY(plan_close);

    make_plan(&p, STEPS("w0", "w1e0"), VIEW);
    p.tensors[Y].bytes = 1000;
    KIT_OK(plan_assign_memory(&p, true, &err));
    assert_int_equal(p.in_place, 0);
    plan_close(&p);
    make_plan(&p, STEPS("w0", "w1e0"), VIEW);
    p.tensors[Y].format = FORMAT_WIDE;
    KIT_OK(plan_assign_memory(&p, true, &err));
    assert_int_equal(p.in_place, 0);
}

/* Elementwise ops work in place: a chain of them needs the memory of one tensor. */
TEST(ops_in_place)
{
    struct gpu_planned look = { .pairs = { "no_transform", "all" } };

    MODEL(m, "MUL {} x:f32[1,64,1,8] w:f32[8]=1,2,3,4,5,6,7,8 -> a; RELU6 a -> b\n"
             "LOGISTIC b -> c; PRELU c w -> d; SUB {} w d -> e; SOFTMAX {beta=1} e -> f");
    gpu_look(&m, gpu_look_plan, &look);
    assert_int_equal(look.plan.in_place, 5);
    /* SOFTMAX does not work in place, and its result is an output that the plan does not keep. */
    assert_int_equal(look.plan.arena_bytes, 64 * 8 * 4);
    plan_close(&look.plan);
}

/* ---- nets ---- */

TEST(mobilenet)
{
    const char *const precision[] = { "fp32", "fp16" };

    MODEL_BY(m, net_mobilenet(&m));
    for (int i = 0; i < 2; i++) {
        struct gpu_planned look = { .pairs = { "precision", precision[i] } };

        gpu_look(&m, gpu_look_plan, &look);
        print_message(
            "MobileNet v1, %s: activations %zu bytes, bound %zu, ratio %.4f; weights %zu, "
            "staging %zu\n",
            precision[i], look.plan.arena_bytes, look.plan.arena_bound, ratio_of(&look.plan),
            look.plan.constant_bytes, look.plan.input_bytes + look.plan.output_bytes);
        assert_true(ratio_of(&look.plan) <= 1.02);
        dag_check(&look.plan);
        plan_close(&look.plan);
    }
}

/* The arena after one greedy pass by size over the plan's tensors. */
static size_t greedy(const struct plan *p)
{
    size_t count = 0, peak = 0;
    struct span s[256];

    for (int t = 0; t < p->tensor_count; t++)
        if (p->tensors[t].view_of == t && p->tensors[t].first_step >= 0)
            s[count++] = (struct span){
                .bytes = (p->tensors[t].bytes + PLAN_ALIGN - 1) / PLAN_ALIGN * PLAN_ALIGN,
                .first = p->tensors[t].first_step,
                .last = p->tensors[t].last_step,
                .offset = SIZE_MAX,
            };
    for (size_t round = 0; round < count; round++) {
        struct span *next = NULL;

        for (size_t i = 0; i < count; i++)
            if (s[i].offset == SIZE_MAX && (!next || s[i].bytes > next->bytes))
                next = &s[i];
        assert_non_null(next);
        next->offset = 0;
        for (bool moved = true; moved;) {
            moved = false;
            for (size_t i = 0; i < count; i++)
                if (&s[i] != next && s[i].offset != SIZE_MAX && s[i].first <= next->last &&
                    next->first <= s[i].last && s[i].offset < next->offset + next->bytes &&
                    next->offset < s[i].offset + s[i].bytes) {
                    next->offset = s[i].offset + s[i].bytes;
                    moved = true;
                }
        }
        if (next->offset + next->bytes > peak)
            peak = next->offset + next->bytes;
    }
    return peak;
}

TEST(deeplab)
{
    struct gpu_planned look = { .pairs = { "precision", "fp32", "no_kernel", "groups" } };

    MODEL_BY(m, net_deeplab(&m));
    gpu_look(&m, gpu_look_plan, &look);
    print_message("DeepLab-shaped: activations %zu bytes, bound %zu, ratio %.4f, greedy by size "
                  "%.4f\n",
                  look.plan.arena_bytes, look.plan.arena_bound, ratio_of(&look.plan),
                  (double)greedy(&look.plan) / (double)look.plan.arena_bound);
    dag_check(&look.plan);
    assert_true(ratio_of(&look.plan) <= 1.02);
    assert_true((double)greedy(&look.plan) / (double)look.plan.arena_bound > 1.02);
    plan_close(&look.plan);
}

/* ---- random graphs ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

TEST(random_graphs)
{
    enum { COUNT = 1000 };
    static double ratio[COUNT];
    double sum = 0;
    int in_place = 0;

    for (int i = 0; i < COUNT; i++) {
        struct gpu_planned look = { .pairs = { "precision", i % 2 ? "fp16" : "fp32" } };

        MODEL_BY(m, dag_make(&m, (uint64_t)i + 1, 5 + i % 80, false));
        gpu_look(&m, gpu_look_plan, &look);
        dag_check(&look.plan);
        assert_true(look.plan.arena_bytes >= look.plan.arena_bound);
        ratio[i] = ratio_of(&look.plan);
        sum += ratio[i];
        in_place += look.plan.in_place;
        plan_close(&look.plan);
    }
    qsort(ratio, COUNT, sizeof ratio[0], by_value);
    print_message(
        "activations / bound over %d random graphs: median %.4f, mean %.4f, worst %.4f; %d "
        "results in place\n",
        COUNT, ratio[COUNT / 2], sum / COUNT, ratio[COUNT - 1], in_place);
    assert_true(in_place > COUNT);
    assert_true(ratio[COUNT / 2] <= 1.0 && ratio[COUNT - 1] <= 1.1);
}
