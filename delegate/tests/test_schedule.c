/* The order of steps, without a device: what is independent stands side by side, shares no memory,
 * and the arena grows by little, if at all. */
#include "delegate/tests/kit/dag.h"
#include "reference/tests/kit/test.h"

#include "delegate/plan/offsets.h"
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

/* A residual block: the shortcut is the last convolution of the model. */
static void shortcut(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                     struct kit_tensor out[3])
{
    const struct kit_conv wide = { .kernel = 1, .channels = 8 };
    struct kit_tensor t = kit_conv_2d(b, x, (struct kit_conv){ .kernel = 3, .same = true });

    (void)z;
    t = kit_conv_2d(b, t, wide);
    t = kit_unary(b, BUILTIN_EXP, t);
    out[0] = kit_binary(b, BUILTIN_SUB, t, kit_conv_2d(b, x, wide).index, kTfLiteActNone);
}

TEST(block)
{
    const struct transform_case c = { .name = "block", .build = shortcut, .dims = { 1, 6, 6, 8 } };
    struct gpu_planned grouped = { .pairs = { "precision", "fp32" } };
    struct gpu_planned plain = { .pairs = { "no_kernel", "groups" } };
    struct model m;

    transform_model(&c, &m);
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
    model_close(&m);
}

/* The same with a sum, which is part of the last convolution of the branch, and many weights. */
static void shortcut_sum(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                         struct kit_tensor out[3])
{
    const struct kit_conv wide = { .kernel = 3, .same = true, .channels = 64 };
    struct kit_tensor t = kit_conv_2d(b, kit_conv_2d(b, x, wide), wide);

    (void)z;
    t = kit_conv_2d(b, t, wide);
    out[0] = kit_binary(b, BUILTIN_ADD, t, kit_conv_2d(b, x, wide).index, kTfLiteActNone);
}

/* The shortcut needs more memory than x until the branch has ended: beside many weights that is
 * little. */
TEST(sum_of_block)
{
    const struct transform_case c = { .name = "sum",
                                      .build = shortcut_sum,
                                      .dims = { 1, 2, 2, 32 } };
    struct gpu_planned grouped = { .pairs = { "precision", "fp32" } };
    struct gpu_planned plain = { .pairs = { "no_kernel", "groups" } };
    struct model m;
    int sum;

    transform_model(&c, &m);
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
    model_close(&m);
}

/* The second convolution adds the first one's result in its memory, which EXP reads before. */
static void overwritten(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                        struct kit_tensor out[3])
{
    const struct kit_conv pointwise = { .kernel = 1 };
    const struct kit_tensor t = kit_conv_2d(b, x, pointwise);

    out[1] = kit_unary(b, BUILTIN_EXP, t);
    out[0] = kit_binary(b, BUILTIN_ADD, kit_conv_2d(b, z, pointwise), t.index, kTfLiteActNone);
}

TEST(residual)
{
    const struct transform_case c = { .name = "residual",
                                      .build = overwritten,
                                      .dims = { 1, 6, 6, 8 } };
    struct gpu_planned look = { .pairs = { "precision", "fp32" } };
    struct model m;

    transform_model(&c, &m);
    gpu_look(&m, gpu_look_plan, &look);
    assert_true(look.plan.groups > 0);
    assert_true(find_step(&look.plan, "EXP") < find_step(&look.plan, "CONV_2D+ADD"));
    assert_independent(&look.plan);
    dag_check(&look.plan);
    plan_close(&look.plan);
    model_close(&m);
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
        struct model m;

        dag_make(&m, (uint64_t)i + 1, 5 + i % 40, i % 5 == 0);
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
        model_close(&m);
    }
    print_message("%d of %d random graphs have groups\n", grouped, COUNT);
    assert_true(grouped > COUNT / 4);
}
