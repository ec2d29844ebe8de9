/* Plans without a device: steps, views, repacking, grids, limits, lifetimes on random graphs. */
#include "delegate/tests/kit/dag.h"
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

struct plan_case {
    const char *pairs[8]; /* options */
    struct device_limits limits;
    enum status expected;
    void (*check)(const struct plan *p, const struct graph *g);
    const char *text; /* in the message of a failure */
    bool fail_allocations;
};

/* One partition of all nodes; graph outputs are the tensors that no node reads. */
static void look_plan(struct graph *g, void *user)
{
    const struct plan_case *c = user;
    struct gpu_options o CLOSED_BY(options_close) = gpu_options_of(c->pairs);
    struct decision d;
    struct diag diag = { 0 };
    int nodes[KIT_TENSORS], inputs[KIT_TENSORS], outputs[KIT_TENSORS];
    struct plan_request r = { .graph = g, .options = &o, .limits = &c->limits };
    struct plan p;
    enum status s;

    KIT_OK_DIAG(decision_make(&d, g, &o, &c->limits, &diag), diag);
    if (d.refusal_count)
        fail_msg("%s: %s", d.refusals[0].rule, d.refusals[0].value);
    decision_close(&d);
    gpu_request_all(&r, g, nodes, inputs, outputs);
    if (c->fail_allocations) {
        for (long n = 0;; n++) {
            mem_fail_after(n);
            s = plan_make(&p, &r, &diag);
            mem_fail_after(-1);
            if (s == STATUS_OK)
                break;
            assert_int_equal(s, STATUS_NO_MEMORY);
            assert_true(n < 1000);
        }
        plan_close(&p);
    }
    s = plan_make(&p, &r, &diag);
    if (s != c->expected)
        fail_msg("%s: %s", status_text(s), diag.text);
    if (s == STATUS_OK)
        c->check(&p, g);
    else if (!strstr(diag.text, c->text))
        fail_msg("\"%s\" is not in \"%s\"", c->text, diag.text);
    plan_close(&p);
}

static void expect_shaders(const struct plan *p, const char *const *names)
{
    int i = 0;

    for (; names[i]; i++) {
        if (i >= p->step_count)
            fail_msg("%d steps, expected %s next", p->step_count, names[i]);
        assert_string_equal(p->steps[i]->shader, names[i]);
    }
    assert_int_equal(p->step_count, i);
}

/* x [2,3,8] -> RESHAPE [4,12] -> RELU -> RESHAPE [6,8] -> RESHAPE [16,3] -> RELU6 */
static void make_reshapes(struct model *m)
{
    kit_text(m, "RESHAPE {} x:f32[2,3,8] i32[2]=4,12 -> r; RELU r -> a\n"
                "RESHAPE {} a i32[2]=6,8 -> r2\n"
                "RESHAPE {} r2 i32[2]=16,3 -> r3; RELU6 r3 -> a2");
}

/* Whole slices on both sides: a view.  12 and 8 channels to 3: a copy. */
static void check_reshapes(const struct plan *p, const struct graph *g)
{
    (void)g;
    expect_shaders(
        p, (const char *const[]){ "load_rows", "unary", "repack", "unary", "store_rows", NULL });
    /* The view has the memory of the input. */
    assert_int_equal(p->steps[1]->bindings[1].offset, p->steps[0]->bindings[0].offset);
    assert_int_equal(p->steps[0]->bindings[0].bytes, 2 * 3 * 8 * 4);
    assert_int_equal(p->input_count, 1);
    assert_int_equal(p->inputs[0].bytes, 2 * 3 * 8 * 4);
    assert_int_equal(p->output_count, 1);
    /* 16 rows of 3 channels are 16 slices. */
    assert_int_equal(p->steps[3]->bindings[0].bytes, 16 * 16);
}

static void check_reshapes_half(const struct plan *p, const struct graph *g)
{
    (void)g;
    assert_true(p->half);
    assert_int_equal(p->steps[0]->bindings[0].bytes, 2 * 3 * 8 * 2);
    assert_int_equal(p->inputs[0].bytes, 2 * 3 * 8 * 4); /* f32 at the edge */
    assert_int_equal(p->steps[3]->bindings[0].bytes, 16 * 8);
}

static void check_poison(const struct plan *p, const struct graph *g)
{
    (void)g;
    /* Only tensors with padding channels, right after the step that writes them. */
    expect_shaders(p, (const char *const[]){ "load_rows", "unary", "repack", "poison", "unary",
                                             "poison", "store_rows", NULL });
    assert_int_equal(p->steps[3]->bindings[0].offset, p->steps[2]->bindings[0].offset);
}

TEST(views_and_copies)
{
    struct plan_case full = { .limits = gpu_large_limits(), .check = check_reshapes };
    struct plan_case half = { .pairs = { "precision", "fp16" },
                              .limits = gpu_large_limits(),
                              .check = check_reshapes_half };
    struct plan_case poison = { .pairs = { "poison", "nan" },
                                .limits = gpu_large_limits(),
                                .check = check_poison,
                                .fail_allocations = true };

    MODEL_BY(m, make_reshapes(&m));
    gpu_look(&m, look_plan, &full);
    gpu_look(&m, look_plan, &half);
    gpu_look(&m, look_plan, &poison);
}

/* 1000 slices: 16 workgroups of 64, on a device that allows 5 in x. */
static void make_wide(struct model *m)
{
    kit_text(m, "RELU x:f32[1000,4] -> y");
}

static void check_grid(const struct plan *p, const struct graph *g)
{
    (void)g;
    assert_int_equal(p->steps[1]->groups[0], 5);
    assert_int_equal(p->steps[1]->groups[1], 4); /* 20 of which 16 have work */
    assert_int_equal(p->steps[1]->groups[2], 1);
}

TEST(grids_and_limits)
{
    struct plan_case c = { .pairs = { "in_place", "0", "no_kernel", "small_outputs" },
                           .limits = gpu_large_limits(),
                           .check = check_grid };

    MODEL_BY(m, make_wide(&m));
    c.limits.max_workgroup_count[0] = 5;
    gpu_look(&m, look_plan, &c);
    c.limits.max_workgroup_count[1] = 3;
    c.expected = STATUS_UNSUPPORTED;
    c.text = "16 workgroups, the device allows 5 x 3";
    gpu_look(&m, look_plan, &c);
    c.limits = gpu_large_limits();
    c.limits.max_memory_allocation_bytes = 32000 + 511; /* two tensors of 16000, aligned */
    c.text = "activations need 32256 bytes";
    c.limits.max_memory_allocation_bytes = 32255;
    gpu_look(&m, look_plan, &c);
    c.pairs[1] = "1"; /* one of 16000 is enough */
    c.limits.max_workgroup_count[0] = 5;
    c.expected = STATUS_OK;
    c.limits.max_memory_allocation_bytes = 16128;
    gpu_look(&m, look_plan, &c);
}

/* ---- random graphs: no step reads an input that was overwritten ---- */

/* The tensor whose value a plan tensor has: itself if a step writes it, else the one it is a view
 * of. */
static int value_of(const struct plan *p, int t)
{
    for (int s = 0; s < p->step_count; s++)
        for (int b = 0; b < PLAN_BINDINGS; b++) {
            const struct plan_binding *n = &p->steps[s]->bindings[b];

            if (n->location == LOCATION_ARENA && n->writes && n->index == t)
                return t;
        }
    assert_int_not_equal(p->tensors[t].view_of, t);
    return value_of(p, p->tensors[t].view_of);
}

static void check_lifetimes(const struct plan *p, const struct graph *g)
{
    int *owner CLOSED_BY(kit_free) = malloc((p->arena_bytes / 4 + 1) * sizeof *owner);

    (void)g;
    assert_non_null(owner);
    for (size_t i = 0; i < p->arena_bytes / 4; i++)
        owner[i] = -1;
    for (int s = 0; s < p->step_count; s++) {
        for (int pass = 0; pass < 2; pass++) /* reads, then writes */
            for (int b = 0; b < PLAN_BINDINGS; b++) {
                const struct plan_binding *n = &p->steps[s]->bindings[b];

                if (p->steps[s]->idle || !dag_in_arena(p, n) || n->writes != (pass == 1))
                    continue;
                const int value = value_of(p, n->index);
                assert_true(n->offset % 256 == 0);
                assert_true(n->offset + n->bytes <= p->arena_bytes);
                for (size_t i = n->offset / 4; i < (n->offset + n->bytes) / 4; i++) {
                    if (pass == 0 && owner[i] != value)
                        fail_msg("step %d (%s) reads tensor %d, overwritten at byte %zu", s,
                                 p->steps[s]->shader, n->index, 4 * i);
                    owner[i] = value;
                }
            }
        /* A step may overwrite what it reads only if the binding is elementwise. */
        for (int b = 1; b < PLAN_BINDINGS; b++) {
            const struct plan_binding *w = &p->steps[s]->bindings[0];
            const struct plan_binding *n = &p->steps[s]->bindings[b];

            if (dag_in_arena(p, n) && dag_in_arena(p, w))
                assert_true(n->offset + n->bytes <= w->offset ||
                            w->offset + w->bytes <= n->offset ||
                            (n->elementwise && n->offset == w->offset && n->bytes == w->bytes));
        }
    }
    assert_true(p->arena_bytes >= p->arena_bound);
}

TEST(random_graphs)
{
    struct plan_case c = { .limits = gpu_large_limits(), .check = check_lifetimes };

    for (uint64_t seed = 1; seed <= 300; seed++) {
        MODEL_BY(m, kit_random_graph(&m, seed, 3 + (int)(seed % 60), 1));
        gpu_look(&m, look_plan, &c);
    }
}

/* ---- weights ---- */

/* A convolution 5 -> 6 channels, 1 x 2 kernel; weight o, k, i is 100*o + 10*k + i. */
static void make_conv(struct model *m)
{
    kit_text(m, "CONV_2D {stride_w=1 stride_h=1} x:f32[1,1,4,5] f32[6,1,2,5]="
                "0,1,2,3,4,10,11,12,13,14,100,101,102,103,104,110,111,112,113,114,"
                "200,201,202,203,204,210,211,212,213,214,300,301,302,303,304,310,311,312,313,314,"
                "400,401,402,403,404,410,411,412,413,414,500,501,502,503,504,510,511,512,513,514"
                " f32[6]=-0,-1,-2,-3,-4,-5 -> y");
}

static void check_weights(const struct plan *p, const struct graph *g)
{
    const struct plan_step *s = p->steps[1];
    const float *w = (const void *)(p->constants + s->bindings[2].offset);
    const float *bias = (const void *)(p->constants + s->bindings[3].offset);

    (void)g;
    assert_string_equal(s->shader, "conv_2d");
    /* [2 taps][8 inputs, 3 of them padding][2 slices of outputs][4] */
    assert_int_equal(s->bindings[2].bytes, 2 * 8 * 2 * 4 * sizeof(float));
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 8; i++)
            for (int o = 0; o < 8; o++)
                assert_true(w[(k * 8 + i) * 8 + o] ==
                            (i < 5 && o < 6 ? (float)(100 * o + 10 * k + i) : 0.0f));
    for (int o = 0; o < 8; o++)
        assert_true(bias[o] == (o < 6 ? (float)-o : 0.0f));
}

TEST(packed_weights)
{
    struct plan_case c = { .limits = gpu_large_limits(),
                           .check = check_weights,
                           .fail_allocations = true };

    MODEL_BY(m, make_conv(&m));
    gpu_look(&m, look_plan, &c);
}
