/* Nodes that the reference cannot prepare: the file gives the shapes of their outputs, the reason
 * is told, delegates are not offered them, and somebody else may run them. */
#include "reference/runtime/interpreter.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include <string.h>

static const struct interpreter_stand_in nobody = { .user = NULL };

struct counts {
    int prepared, run;
};

/* One column more than the file has, and a copy of the first column of the input there. */
static enum status widen(void *user, struct interpreter *in, int node, struct ref_shape *shapes,
                         struct diag *diag)
{
    struct counts *const c = user;

    (void)in, (void)node, (void)diag;
    c->prepared++;
    shapes[0].dims[1]++;
    return STATUS_OK;
}

static enum status run(void *user, struct interpreter *in, int node, struct diag *diag)
{
    struct counts *const c = user;
    const TfLiteNode *const n = interpreter_node(in, node);
    const TfLiteTensor *const x = interpreter_tensor(in, n->inputs->data[0]);
    TfLiteTensor *const y = interpreter_tensor(in, n->outputs->data[0]);

    if (c->run++ == 2)
        return diag_fail(diag, STATUS_DEVICE, "gone");
    for (size_t i = 0; i < y->bytes / sizeof(float); i++)
        y->data.f[i] = x->data.f[0] + (float)i;
    return STATUS_OK;
}

TEST(each_kind_of_node)
{
    static const struct {
        const char *node, *reason;
    } rows[] = {
        { "CUSTOM(NoSuchOp) x -> y", "the custom op \"NoSuchOp\" version 1 is not known" },
        { "code:9999 x -> y", "version 1 is not known" },
        { "RELU:99 x -> y", "RELU version 99, expected 1 to" },
        { "RELU x x -> y", "RELU with 2 inputs" },                        /* not so many tensors */
        { "ADD Conv2DOptions{} x x -> y", "option table Conv2DOptions" }, /* not these options */
        { "ADD AddOptions{} x i -> y", "ADD: node 0" },                   /* not these types */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct interpreter_options options = { .stand_in = &nobody, .shapes_only = true };

        MODEL(m,
              "tensors x:f32[1,2] i:i32[1,2] y:f32[2,1,5] z:f32[]\n"
              "%s\nRELU y -> z\ninputs x i; outputs z",
              rows[i].node);
        struct interpreter *in CLOSED_BY(kit_interpreter_end);
        KIT_OK(interpreter_open(&in, &m, &options, &err));
        KIT_OK(interpreter_allocate(in, &err));
        assert_non_null(interpreter_node_reason(in, 0));
        if (!strstr(interpreter_node_reason(in, 0), rows[i].reason))
            fail_msg("%s: %s", rows[i].node, interpreter_node_reason(in, 0));
        assert_null(interpreter_node_reason(in, 1));
        assert_int_equal(interpreter_tensor(in, 3)->bytes, 40);
    }
}

/* A loop is as unknown as its body. */
TEST(in_a_body)
{
    const struct interpreter_options options = { .stand_in = &nobody, .shapes_only = true };

    MODEL(m, "WHILE {cond_subgraph_index=1 body_subgraph_index=2} x:f32[1] -> y:f32[1]\n"
             "WHILE {cond_subgraph_index=1 body_subgraph_index=3} y -> z:f32[1]\n"
             "graph\nLESS {} a:f32[1] f32[1]=3 -> bool[1]\n"
             "graph\nCUSTOM(NoSuchOp) b:f32[1] -> c:f32[1]\n"
             "graph\nNEG d:f32[1] -> e");
    struct interpreter *in CLOSED_BY(kit_interpreter_end);
    KIT_OK(interpreter_open(&in, &m, &options, &err));
    KIT_OK(interpreter_allocate(in, &err));
    assert_string_equal(interpreter_node_reason(in, 0),
                        "node 0: WHILE calls subgraph 2: node 0: the custom op \"NoSuchOp\" "
                        "version 1 is not known");
    assert_null(interpreter_node_reason(in, 1));
}

TEST(somebody_runs_it)
{
    struct counts c = { 0, 0 };
    const struct interpreter_stand_in other = { &c, widen, run };
    const struct interpreter_options options = { .stand_in = &other, .num_threads = -1 };

    MODEL(m, "tensors x:f32[1,2] y:f32[1,3] z:f32[1,3]\n"
             "CUSTOM(NoSuchOp) x -> y\nRELU y -> z");
    struct interpreter *in CLOSED_BY(kit_interpreter_end);
    KIT_OK(interpreter_open(&in, &m, &options, &err));
    KIT_OK(interpreter_allocate(in, &err));
    assert_true(c.prepared > 0);
    interpreter_tensor(in, 0)->data.f[0] = 2;
    for (int i = 0; i < 2; i++)
        KIT_OK(interpreter_invoke(in, &err));
    assert_int_equal(interpreter_tensor(in, 2)->bytes, 16);
    assert_true(interpreter_tensor(in, 2)->data.f[3] == 5);
    assert_int_equal(interpreter_invoke(in, &err), STATUS_DEVICE);
    assert_string_equal(err.text, "NoSuchOp: node 0: gone");
}

/* What a resize makes right is the reference's again. */
TEST(it_is_asked_again)
{
    struct counts c = { 0, 0 };
    const struct interpreter_stand_in other = { &c, NULL, run };
    const struct interpreter_options options = { .stand_in = &other, .num_threads = -1 };

    MODEL(m, "tensors x:f32[1,2] w:f32[1,3]=1,2,3 y:f32[1,3]\nADD AddOptions{} x w -> y");
    struct interpreter *in CLOSED_BY(kit_interpreter_end);
    KIT_OK(interpreter_open(&in, &m, &options, &err));
    assert_non_null(interpreter_node_reason(in, 0));
    KIT_OK(interpreter_resize_input(in, 0, (const int32_t[]){ 1, 3 }, 2, &err));
    KIT_OK(interpreter_allocate(in, &err));
    assert_null(interpreter_node_reason(in, 0));
    KIT_OK(interpreter_invoke(in, &err));
    assert_int_equal(c.run, 0);
}
