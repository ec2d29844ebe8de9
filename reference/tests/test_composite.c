/* Composites: what their nodes become, index by index, and that a model computes the same with them
 * and without. */
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"

#include "reference/base/memory.h"
#include "reference/format/composite.h"
#include "reference/runtime/interpreter.h"
#include "reference/text/model_text.h"
#include "reference/text/write_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODE(name, graph)                                                                          \
    "STABLEHLO_COMPOSITE {name=" name " decomposition_subgraph_index=" #graph                      \
    " composite_attributes=flex()} "

/* A text, and the first subgraph of it without composites. */
static const struct {
    const char *what, *text, *inlined;
} models[] = {
    { "tensors of the decomposition follow, operators stand where the composite stood",
      "NEG {} x:f32[2] -> y:f32[2]\n" NODE(
          "a", 1) "y -> z:f32[2]\nABS {} z -> w:f32[2]\n"
                  "graph\nEXP {} p:f32[2] -> q:f32[2]\nSQRT q -> r:f32[2]\n",
      "NEG {} x:f32[2] -> y:f32[2]\ntensors z:f32[2]\ntensors w:f32[2]\n"
      "EXP {} y -> q:f32[2]\nSQRT q -> z\nABS {} z -> w\n" },
    { "one in another, each call with tensors of its own, constants among them",
      NODE("a", 1) "x:f32[2] -> y:f32[2]\n" NODE(
          "b", 2) "y -> z:f32[2]\n"
                  "graph\n" NODE("b", 2) "p:f32[2] -> q:f32[2]\nNEG {} q -> r:f32[2]\n"
                                         "graph\nADD {} s:f32[2] c:f32[2]=1 -> t:f32[2]\n",
      "tensors x:f32[2]\ntensors y:f32[2]\ntensors z:f32[2]\ntensors q:f32[2]\n"
      "ADD {} x c:f32[2]=1 -> q\nNEG {} q -> y\nADD {} y c:f32[2]=&1 -> z\n" },
    { "an input that is absent stays absent",
      NODE("fc", 1) "x:f32[1,2] w:f32[3,2]=1 -> y:f32[1,3]\n"
                    "graph\nFULLY_CONNECTED {} a:f32[1,2] b:f32[3,2] - -> c:f32[1,3]\n",
      "FULLY_CONNECTED {} x:f32[1,2] w:f32[3,2]=1 - -> y:f32[1,3]\n" },
    { "results that are an input and a constant, which later nodes and the outputs then are",
      NODE("a", 1) "x:f32[2] -> y:f32[2] z:f32[2]\nADD {} y z -> w:f32[2]\noutputs w z\n"
                   "graph\ntensors a:f32[2] c:f32[2]=3\ninputs a\noutputs a c\n",
      "tensors x:f32[2]\ntensors y:f32[2]\ntensors z:f32[2]\ntensors w:f32[2]\n"
      "ADD {} x c:f32[2]=3 -> w\noutputs w c\n" },
};

static void build(struct model *m, const char *text)
{
    const struct model_text source = { .text = text, .count = strlen(text), .as_written = true };
    struct diag diag = { 0 };

    if (model_text_build(&source, m, &diag) != STATUS_OK)
        fail_msg("%s\n%s", text, diag.text);
}

static void inlined(struct model *m)
{
    struct composite_place place;
    struct diag diag = { 0 };

    KIT_OK(composite_inline(m, &place, &diag));
}

TEST(composites_become_their_decompositions)
{
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        struct diag diag = { 0 };
        struct model m;
        char *text = NULL;
        size_t count;
        FILE *const f = open_memstream(&text, &count);

        build(&m, models[i].text);
        inlined(&m);
        KIT_OK(text_write(f, &m, NULL, &diag));
        fclose(f);
        if (strncmp(text, models[i].inlined, strlen(models[i].inlined)) != 0)
            fail_msg("%s: found\n%s\nexpected\n%s", models[i].what, text, models[i].inlined);
        free(text);
        model_close(&m);
    }
}

TEST(operators_say_where_they_come_from)
{
    const struct model_operator *op;
    struct model m;

    build(&m, models[1].text);
    inlined(&m);
    op = m.subgraphs[0].operators;
    assert_string_equal(op[0].composite->name, "b"); /* inside of a */
    assert_int_equal(op[0].composite->node, 0);
    assert_string_equal(op[1].composite->name, "a");
    assert_int_equal(op[2].composite->node, 1);
    assert_int_equal(op[2].composite->attributes.count, 22); /* of an empty map */
    model_close(&m);
    build(&m, models[0].text);
    inlined(&m);
    assert_null(m.subgraphs[0].operators[0].composite);
    model_close(&m);
}

/* Scales of blocks are tensors, too, as are the intermediates of an operator. */
TEST(details_and_intermediates_are_mapped)
{
    struct model m;
    struct model_tensor *tensors;
    struct model_operator *operators;
    const struct model_tensor *t;
    int32_t list[] = { 2 };

    build(&m, "NEG {} x:f32[1,2] -> y:f32[1,2]\n" NODE(
                  "fc", 1) "y -> z:f32[1,3]\n"
                           "graph\nFULLY_CONNECTED {} a:f32[1,2] w:f32[3,2]=1 - -> c:f32[1,3]\n"
                           "tensors s:f16[3,1]=1\n");
    tensors = (struct model_tensor *)m.subgraphs[1].tensors;
    tensors[1].quantization = (struct model_quantization){
        .present = true, .details_type = 2, .block_scales = 3, .block_zero_points = -1
    };
    operators = (struct model_operator *)m.subgraphs[1].operators;
    operators[0].intermediates = (struct model_ints){ list, 1 };
    inlined(&m);
    assert_int_equal(m.subgraphs[0].tensor_count, 5); /* w and s behind x, y, z */
    t = m.subgraphs[0].tensors;
    assert_string_equal(t[4].name.text, "s");
    assert_int_equal(t[3].quantization.block_scales, 4);
    assert_int_equal(t[3].quantization.block_zero_points, -1);
    assert_int_equal(m.subgraphs[0].operators[1].intermediates.data[0], 2); /* z */
    model_close(&m);
}

static void run(const struct model *m, float *y)
{
    struct interpreter *const in = kit_interpreter(m, NULL);
    struct diag diag = { 0 };
    size_t count;

    KIT_OK(interpreter_allocate(in, &diag));
    for (int i = 0; i < 2; i++)
        interpreter_tensor(in, interpreter_inputs(in, &count)[0])->data.f[i] = 0.25f - (float)i;
    KIT_OK(interpreter_invoke(in, &diag));
    memcpy(y, interpreter_tensor(in, interpreter_outputs(in, &count)[0])->data.f, 8);
    interpreter_close(in);
}

/* A node that is kept calls its decomposition, as LiteRT's interpreter does. */
TEST(kept_and_inlined_compute_the_same)
{
    struct model m;
    float kept[2], without[2];

    build(&m, models[1].text);
    run(&m, kept);
    inlined(&m);
    run(&m, without);
    assert_memory_equal(kept, without, sizeof kept);
    assert_true(kept[0] == 0.25f * -1 - 1 + 1 && kept[1] == 0.75f);
    model_close(&m);
}

/* Delegates are offered the node, where the option says so. */
TEST(nodes_are_kept_on_request)
{
    struct interpreter_options options = { .composites = true, .num_threads = -1 };
    const TfLiteStablehloCompositeParams *params;
    struct interpreter *in;
    struct model m;

    build(&m, models[1].text);
    inlined(&m);
    in = kit_interpreter(&m, &options);
    assert_int_equal(interpreter_node_count(in), 2);
    assert_string_equal(interpreter_node_name(in, 1), "STABLEHLO_COMPOSITE");
    params = interpreter_node(in, 1)->builtin_data;
    assert_string_equal(params->name, "b");
    assert_int_equal(params->subgraph_index, 2);
    assert_int_equal(params->attributes_size, 22);
    interpreter_close(in);
    options.composites = false;
    in = kit_interpreter(&m, &options);
    assert_int_equal(interpreter_node_count(in), 3);
    interpreter_close(in);
    model_close(&m);
}

TEST(allocations_fail_without_a_leak)
{
    for (int n = 0;; n++) {
        struct composite_place place;
        struct diag diag = { 0 };
        struct model m;
        enum status s;

        build(&m, models[1].text);
        mem_fail_after(n);
        s = composite_inline(&m, &place, &diag);
        mem_fail_after(-1);
        model_close(&m);
        if (s == STATUS_OK)
            return;
        assert_int_equal(s, STATUS_NO_MEMORY);
    }
}
