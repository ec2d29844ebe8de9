/* The order of steps, without a device: what is independent stands side by side, shares no memory,
 * and the arena grows by little, if at all. */
#include "delegate/tests/kit/dag.h"
#include "reference/tests/kit/test.h"

#include "delegate/plan/schedule.h"
#include "delegate/tests/kit/transform_kit.h"

static bool overlap(const struct plan *p, const struct plan_binding *a,
                    const struct plan_binding *b)
{
    return dag_in_arena(p, a) && dag_in_arena(p, b) && (a->writes || b->writes) &&
           a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}

/* Steps of one group need no barrier between them. */
static void assert_independent(const struct plan *p)
{
    for (int i = 0; i < p->step_count; i++)
        for (int j = i + 1; j < p->step_count && p->steps[j]->group == p->steps[i]->group; j++)
            for (int b = 0; b < PLAN_BINDINGS * PLAN_BINDINGS; b++)
                if (!p->steps[i]->idle && !p->steps[j]->idle &&
                    overlap(p, &p->steps[i]->bindings[b / PLAN_BINDINGS],
                            &p->steps[j]->bindings[b % PLAN_BINDINGS]))
                    fail_msg("steps %d (%s) and %d (%s) of group %d share memory", i,
                             p->steps[i]->label, j, p->steps[j]->label, p->steps[i]->group);
}

static int find_step(const struct plan *p, const char *label)
{
    for (int i = 0; i < p->step_count; i++)
        if (strncmp(p->steps[i]->label, label, strlen(label)) == 0)
            return i;
    fail_msg("no step '%s'", label);
    return -1;
}

#define CONV(options, x, weights, channels, y)                                                     \
    "CONV_2D {" options "stride_w=1 stride_h=1} " x " f32[" weights "]=~3(-2..2) f32[" channels    \
    "]=~4(-2..2) -> " y "; "
#define POINTWISE(x, y) CONV("padding=VALID ", x, "8,1,1,8", "8", y)

/* A residual block: the shortcut is the last convolution of the model. */
TEST(block)
{
    /* clang-format off */
    const struct transform_case c = {
        "block", { 1, 6, 6, 8 }, 0, NULL,
        CONV("", "x", "8,3,3,8", "8", "a") POINTWISE("a", "b") "EXP b -> c; "
        POINTWISE("x", "s") "SUB {} c s -> y"
    };
    /* clang-format on */
    struct gpu_planned grouped = { .pairs = { "precision", "fp32" } };
    struct gpu_planned plain = { .pairs = { "no_kernel", "groups" } };

    MODEL_BY(m, transform_model(&c, &m));
    gpu_look(&m, gpu_look_plan, &grouped);
    gpu_look(&m, gpu_look_plan, &plain);
    assert_int_equal(plain.plan.groups, 0);
    assert_true(grouped.plan.groups > 0);
    assert_int_equal(grouped.plan.steps[find_step(&grouped.plan, "CONV_2D node 0")]->group,
                     grouped.plan.steps[find_step(&grouped.plan, "CONV_2D node 3")]->group);
    assert_independent(&grouped.plan);
    dag_check(&grouped.plan);
    plan_close(&grouped.plan);
    plan_close(&plain.plan);
}

/* The same with a sum, which is part of the last convolution of the branch, and many weights.
 * The shortcut needs more memory than x until the branch has ended: beside many weights that is
 * little. */
TEST(sum_of_block)
{
    /* clang-format off */
    const struct transform_case c = {
        "sum", { 1, 2, 2, 32 }, 0, NULL,
        CONV("", "x", "64,3,3,32", "64", "a") CONV("", "a", "64,3,3,64", "64", "b")
        CONV("", "b", "64,3,3,64", "64", "c") CONV("", "x", "64,3,3,32", "64", "s")
        "ADD {} c s -> y"
    };
    /* clang-format on */
    struct gpu_planned grouped = { .pairs = { "precision", "fp32" } };
    struct gpu_planned plain = { .pairs = { "no_kernel", "groups" } };
    int sum;

    MODEL_BY(m, transform_model(&c, &m));
    gpu_look(&m, gpu_look_plan, &grouped);
    gpu_look(&m, gpu_look_plan, &plain);
    sum = find_step(&grouped.plan, "CONV_2D+ADD node 2");
    assert_int_equal(grouped.plan.steps[find_step(&grouped.plan, "CONV_2D node 0")]->group,
                     grouped.plan.steps[find_step(&grouped.plan, "CONV_2D node 3")]->group);
    assert_true(grouped.plan.steps[sum]->group >
                grouped.plan.steps[find_step(&grouped.plan, "CONV_2D node 1")]->group);
    assert_true(grouped.plan.arena_bytes > plain.plan.arena_bytes);
    assert_true(grouped.plan.arena_bytes <=
                plain.plan.arena_bytes + plain.plan.constant_bytes / PLAN_GROWTH_SHARE);
    assert_independent(&grouped.plan);
    dag_check(&grouped.plan);
    plan_close(&grouped.plan);
    plan_close(&plain.plan);
}

/* The second convolution adds the first one's result in its memory, which EXP reads before. */
TEST(residual)
{
    /* clang-format off */
    const struct transform_case c = {
        "residual", { 1, 6, 6, 8 }, 0, NULL,
        POINTWISE("x", "t") "EXP t -> u; " POINTWISE("z", "v") "ADD {} v t -> y; outputs y u"
    };
    /* clang-format on */
    struct gpu_planned look = { .pairs = { "precision", "fp32" } };

    MODEL_BY(m, transform_model(&c, &m));
    gpu_look(&m, gpu_look_plan, &look);
    assert_true(look.plan.groups > 0);
    assert_true(find_step(&look.plan, "EXP") < find_step(&look.plan, "CONV_2D+ADD"));
    assert_independent(&look.plan);
    dag_check(&look.plan);
    plan_close(&look.plan);
}

/* Stores are last: the memory of an output stays as it is to the end. */
static void assert_stored_last(const struct plan *p)
{
    bool stores = false;

    for (int i = 0; i < p->step_count; i++) {
        const bool is_store = p->steps[i]->bindings[0].location == LOCATION_OUTPUT;

        assert_true(is_store || !stores);
        stores = is_store;
    }
}

TEST(random_graphs)
{
    enum { COUNT = 300 };
    int grouped = 0;

    for (int i = 0; i < COUNT; i++) {
        struct gpu_planned look = { .pairs = { "poison", i % 3 == 0 ? "nan" : "off" } };
        struct gpu_planned plain = { .pairs = { "no_kernel", "groups", "poison",
                                                i % 3 == 0 ? "nan" : "off" } };

        MODEL_BY(m, dag_make(&m, (uint64_t)i + 1, 5 + i % 40, i % 5 == 0));
        gpu_look(&m, gpu_look_plan, &look);
        gpu_look(&m, gpu_look_plan, &plain);
        dag_check(&look.plan);
        assert_stored_last(&look.plan);
        assert_true(look.plan.arena_bytes <=
                    plain.plan.arena_bytes + plain.plan.constant_bytes / PLAN_GROWTH_SHARE);
        if (look.plan.groups > 0)
            assert_independent(&look.plan);
        grouped += look.plan.groups > 0;
        plan_close(&look.plan);
        plan_close(&plain.plan);
    }
    print_message("%d of %d random graphs have groups\n", grouped, COUNT);
    assert_true(grouped > COUNT / 4);
}
