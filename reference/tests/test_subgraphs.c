/* WHILE, IF, CALL_ONCE and resource variables: what they compute, their shapes, and models that
 * must be refused. */
#include "reference/tests/kit/mock_delegate.h"
#include "reference/tests/kit/subgraph_kit.h"
#include "reference/tests/kit/test.h"

#include "reference/runtime/body.h"

static void set_input(struct interpreter *in, size_t i, const void *data, size_t bytes)
{
    size_t count;
    TfLiteTensor *const t = interpreter_tensor(in, interpreter_inputs(in, &count)[i]);

    assert_int_equal(t->bytes, bytes);
    memcpy(t->data.raw, data, bytes);
}

static const TfLiteTensor *output(struct interpreter *in, size_t i)
{
    size_t count;

    return interpreter_tensor(in, interpreter_outputs(in, &count)[i]);
}

static void has(const TfLiteTensor *t, int elements, const float *values)
{
    assert_int_equal(t->bytes, elements * 4);
    for (int i = 0; i < elements; i++)
        if (t->data.f[i] != values[i])
            fail_msg("element %d is %g, expected %g", i, (double)t->data.f[i], (double)values[i]);
}

static const float input[] = { 1.5f, -2 };

static void invoke(struct interpreter *in, size_t i)
{
    KIT_OK(interpreter_allocate(in, &err));
    set_input(in, i, input, sizeof input);
    KIT_OK(interpreter_invoke(in, &err));
    KIT_OK(interpreter_check_guards(in, &err));
}

/* Guard zones and poison, so that what lies outside of tensors, or is old, does not matter. */
static struct interpreter *open_guarded(const struct model *m)
{
    return kit_interpreter(
        m, &(struct interpreter_options){
               .guard_bytes = 64, .poison = true, .poison_word = 0x7fc00000, .num_threads = -1 });
}

/* ---- WHILE ---- */

TEST(loops)
{
    for (int steps = 0; steps < 6; steps++) {
        MODEL_BY(m, kit_loop(&m, steps, false));
        INTERPRETER_BY(in, open_guarded(&m));
        for (int run = 0; run < 2; run++) {
            const float power = (float)(1 << steps);

            invoke(in, 0);
            assert_int_equal(output(in, 0)->data.i32[0], steps);
            has(output(in, 1), 2, (float[]){ 1.5f * power, -2 * power });
            assert_int_equal(output(in, 1)->allocation_type, kTfLiteArenaRw);
        }
    }
}

TEST(state_may_grow)
{
    MODEL_BY(m, kit_loop(&m, 2, true));
    INTERPRETER_BY(in, open_guarded(&m));
    for (int run = 0; run < 2; run++) {
        invoke(in, 0);
        assert_int_equal(output(in, 1)->allocation_type, kTfLiteDynamic);
        has(output(in, 1), 8, (float[]){ 1.5f, -2, 1.5f, -2, 1.5f, -2, 1.5f, -2 });
    }
}

TEST(follows_a_resize)
{
    MODEL_BY(m, kit_loop(&m, 3, false));
    INTERPRETER_BY(in, open_guarded(&m));
    invoke(in, 0);
    for (int32_t size = 3; size > 0; size--) {
        const float x[] = { 1, 2, 3 }, y[] = { 8, 16, 24 };

        KIT_OK(interpreter_resize_input(in, 0, &size, 1, &err));
        KIT_OK(interpreter_allocate(in, &err));
        set_input(in, 0, x, (size_t)size * 4);
        KIT_OK(interpreter_invoke(in, &err));
        has(output(in, 1), size, y);
    }
}

TEST(refuses_to_loop_for_ever)
{
    struct interpreter_options options = { .max_iterations = 50, .num_threads = -1 };

    MODEL_BY(m, kit_endless_loop(&m));
    INTERPRETER_BY(in, kit_interpreter(&m, &options));
    KIT_OK(interpreter_allocate(in, &err));
    assert_int_equal(interpreter_invoke(in, &err), STATUS_UNSUPPORTED);
    assert_string_equal(err.text, "WHILE: node 0: the condition (subgraph 1) still holds after 50 "
                                  "iterations, the limit (ASSAY_MAX_ITERATIONS sets another)");
    interpreter_close(in);

    setenv("ASSAY_MAX_ITERATIONS", "7", 1);
    in = kit_interpreter(&m, NULL);
    unsetenv("ASSAY_MAX_ITERATIONS");
    KIT_OK(interpreter_allocate(in, &err));
    assert_int_equal(interpreter_invoke(in, &err), STATUS_UNSUPPORTED);
    assert_non_null(strstr(err.text, "after 7 iterations"));
    interpreter_close(in);
    model_close(&m);

    kit_loop(&m, 50, false); /* as many as there may be */
    in = kit_interpreter(&m, &options);
    invoke(in, 0);
    assert_int_equal(output(in, 0)->data.i32[0], 50);
    interpreter_close(in);
    model_close(&m);
    kit_loop(&m, 51, false);
    in = kit_interpreter(&m, &options);
    KIT_OK(interpreter_allocate(in, &err));
    set_input(in, 0, input, sizeof input);
    assert_int_equal(interpreter_invoke(in, &err), STATUS_UNSUPPORTED);
}

/* ---- IF ---- */

TEST(branches)
{
    for (int wide = 0; wide < 2; wide++) {
        MODEL_BY(m, kit_branches(&m, wide));
        INTERPRETER_BY(in, open_guarded(&m));
        for (int run = 0; run < 4; run++) {
            const uint8_t then = run == 1 || run == 2;

            KIT_OK(interpreter_allocate(in, &err));
            set_input(in, 0, &then, 1);
            invoke(in, 1);
            if (then)
                has(output(in, 0), 2, (float[]){ 3, 0 });
            else
                has(output(in, 0), wide ? 4 : 2, (float[]){ 1.5f, 0, 1.5f, 0 });
        }
    }
}

/* ---- variables ---- */

static void check_variables(struct interpreter *in)
{
    for (int run = 0; run < 3; run++) {
        const float n = (float)run;

        invoke(in, 0);
        has(output(in, 0), 2, (float[]){ 10 + n * 1.5f, 10 - n * 2 });
        has(output(in, 1), 2, (float[]){ 11.5f + n * 1.5f, 8 - n * 2 });
    }
}

TEST(variables_outlive_an_inference)
{
    MODEL_BY(m, kit_variables(&m, true));
    INTERPRETER_BY(in, open_guarded(&m));
    check_variables(in);
    assert_int_equal(interpreter_reset_variables(in), STATUS_OK); /* tensors that are variable */
    invoke(in, 0);
    has(output(in, 0), 2, (float[]){ 14.5f, 4 });
    assert_non_null(resource_find(&in->resources, 1));
    assert_int_equal(interpreter_reset_state(in), STATUS_OK);
    assert_null(resource_find(&in->resources, 1));
    check_variables(in);
    interpreter_close(in);
    in = open_guarded(&m); /* each interpreter has its own */
    check_variables(in);
}

TEST(variables_are_assigned_first)
{
    MODEL_BY(m, kit_variables(&m, false));
    INTERPRETER_BY(in, open_guarded(&m));
    KIT_OK(interpreter_allocate(in, &err));
    assert_int_equal(interpreter_invoke(in, &err), STATUS_INVALID);
    assert_string_equal(err.text, "READ_VARIABLE: node 2: variable 1 (total) is read before a "
                                  "value is assigned to it");
}

static bool takes_add(const struct mock *mock, int node)
{
    (void)mock;
    return node == 3;
}

/* The second READ_VARIABLE depends on nothing that the delegate computes, and still comes after
 * ASSIGN_VARIABLE, which does. */
TEST(delegates_keep_the_order_of_effects)
{
    TfLiteStatus code;

    MODEL_BY(m, kit_variables(&m, true));
    MOCK(mock);
    mock.takes = takes_add;
    INTERPRETER_BY(in, kit_interpreter(&m, NULL));
    KIT_OK(interpreter_apply_delegate(in, &mock.abi, &code, &err));
    assert_int_equal(interpreter_partition_count(in), 1);
    check_variables(in);
}

/* ---- refused ---- */

static void refused(struct model *m, const char *text)
{
    struct diag diag = { 0 };
    struct interpreter *in;
    enum status s = interpreter_open(&in, m, NULL, &diag);

    if (s == STATUS_OK)
        s = interpreter_allocate(in, &diag);
    interpreter_close(in);
    assert_true(s == STATUS_INVALID || s == STATUS_UNSUPPORTED);
    if (!strstr(diag.text, text))
        fail_msg("\"%s\", expected \"%s\"", diag.text, text);
    model_close(m);
}

static struct options *options_of(struct model *m, size_t node)
{
    return (struct options *)&m->subgraphs[0].operators[node].options;
}

TEST(refuses_recursion)
{
    struct model m;

    kit_ring(&m, 1, 0);
    refused(&m, "IF: node 0: subgraph 0 calls itself: 0 > 0");
    kit_ring(&m, 4, 2);
    refused(&m, "subgraph 1: subgraph 2: subgraph 3: IF: node 0: subgraph 2 calls itself: "
                "0 > 1 > 2 > 3 > 2");
    kit_chain(&m, BODY_DEPTH_MAX + 1);
    refused(&m, "subgraphs call each other 65 deep, expected at most 64");
    /* The second half is opened first, so that no more than 41 are open at once. */
    kit_chain(&m, BODY_DEPTH_MAX + 17);
    options_set_int(options_of(&m, 0), "then_subgraph_index", 40);
    refused(&m, "subgraphs call each other 65 deep, expected at most 64");
}

/* Each subgraph is called twice by the one before it, and opened and prepared once. */
TEST(runs_the_deepest_chain)
{
    MODEL_BY(m, kit_chain(&m, BODY_DEPTH_MAX));
    INTERPRETER_BY(in, open_guarded(&m));
    invoke(in, 0);
    has(output(in, 0), 2, (float[]){ 3, -4 });
}

TEST(refuses_bodies_that_do_not_fit)
{
    static const int32_t three[] = { 0, 1, 1 };
    struct model_subgraph *graphs;
    struct model m;

    kit_loop(&m, 1, false);
    options_set_int(options_of(&m, 0), "cond_subgraph_index", 2);
    refused(&m, "subgraph 2 is condition and body, expected two subgraphs");
    kit_loop(&m, 1, false);
    options_set_int(options_of(&m, 0), "body_subgraph_index", 3);
    refused(&m, "no such subgraph: 3 of 3");
    kit_loop(&m, 1, false);
    options_set_int(options_of(&m, 0), "body_subgraph_index", -1);
    refused(&m, "no such subgraph: 2147483647 of 3");
    kit_loop(&m, 1, false);
    graphs = (struct model_subgraph *)m.subgraphs;
    graphs[1].outputs = graphs[1].inputs;
    refused(&m, "subgraph 1 (condition) has 2 outputs, expected 1");
    kit_loop(&m, 1, false);
    graphs = (struct model_subgraph *)m.subgraphs;
    graphs[1].outputs.data = graphs[1].inputs.data; /* i */
    refused(&m, "subgraph 1 (condition) gives 1 elements of i32, rank 0, expected 1 of bool");
    kit_loop(&m, 1, false);
    graphs = (struct model_subgraph *)m.subgraphs;
    graphs[2].inputs = (struct model_ints){ three, 3 };
    refused(&m, "subgraph 2 has 3 inputs, expected 2");
    kit_loop(&m, 1, false);
    graphs = (struct model_subgraph *)m.subgraphs;
    ((int32_t *)graphs[2].outputs.data)[0] = graphs[2].outputs.data[1];
    refused(&m, "output 0 of subgraph 2 is f32, expected i32 as the node's");
    kit_branches(&m, false);
    graphs = (struct model_subgraph *)m.subgraphs;
    ((struct model_tensor *)graphs[0].tensors)[0].type = TENSOR_UINT8;
    refused(&m, "input 0 (condition): 1 elements of u8, expected 1 of bool");
    kit_branches(&m, false);
    graphs = (struct model_subgraph *)m.subgraphs;
    ((struct model_tensor *)graphs[2].tensors)[0].type = TENSOR_INT32;
    refused(&m, "output 0 of subgraph 2 is i32, expected f32 as the node's");
}

/* ---- memory ---- */

static enum status try_all(const struct model *m)
{
    struct interpreter *in CLOSED_BY(kit_interpreter_end);
    enum status s = interpreter_open(&in, m, NULL, &err);

    if (s == STATUS_OK)
        s = interpreter_allocate(in, &err);
    if (s == STATUS_OK) {
        set_input(in, 0, input, sizeof input);
        s = interpreter_invoke(in, &err);
    }
    return s;
}

TEST(every_allocation_may_fail)
{
    struct model models[3];

    kit_loop(&models[0], 2, true);
    kit_variables(&models[1], true);
    kit_chain(&models[2], 3);
    for (int i = 0; i < 3; i++) {
        long count;

        mem_fail_after(-1);
        assert_int_equal(try_all(&models[i]), STATUS_OK);
        count = mem_fail_after(-1);
        assert_true(count > 10);
        for (long n = 0; n < count; n++) {
            enum status s;

            mem_fail_after(n);
            s = try_all(&models[i]);
            mem_fail_after(-1);
            if (s != STATUS_NO_MEMORY)
                fail_msg("model %d, allocation %ld: status %d", i, n, (int)s);
        }
        model_close(&models[i]);
    }
}
