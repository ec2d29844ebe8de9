/* Composites: what their nodes become, index by index, and that a model computes the same with them
 * and without. */
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"

#include "reference/base/limits.h"
#include "reference/base/memory.h"
#include "reference/format/composite.h"
#include "reference/runtime/interpreter.h"
#include "reference/text/model_text.h"
#include "reference/text/write_text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

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

    if (model_text_build(&source, m, &err) != STATUS_OK)
        fail_msg("%s\n%s", text, err.text);
}

static void inlined(struct model *m)
{
    struct composite_place place;

    KIT_OK(composite_inline(m, &place, &err));
}

TEST(composites_become_their_decompositions)
{
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        MEMORY_FILE(f, text);

        MODEL_BY(m, build(&m, models[i].text));
        inlined(&m);
        KIT_OK(text_write(f, &m, NULL, &err));
        fclose(f);
        if (strncmp(text, models[i].inlined, strlen(models[i].inlined)) != 0)
            fail_msg("%s: found\n%s\nexpected\n%s", models[i].what, text, models[i].inlined);
    }
}

TEST(operators_say_where_they_come_from)
{
    const struct model_operator *op;

    MODEL_BY(m, build(&m, models[1].text));
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
}

/* Scales of blocks are tensors, too, as are the intermediates of an operator. */
TEST(details_and_intermediates_are_mapped)
{
    struct model_tensor *tensors;
    struct model_operator *operators;
    const struct model_tensor *t;
    int32_t list[] = { 2 };

    MODEL_BY(
        m,
        build(&m, "NEG {} x:f32[1,2] -> y:f32[1,2]\n" NODE(
                      "fc", 1) "y -> z:f32[1,3]\n"
                               "graph\nFULLY_CONNECTED {} a:f32[1,2] w:f32[3,2]=1 - -> c:f32[1,3]\n"
                               "tensors s:f16[3,1]=1\n"));
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
}

static void run(const struct model *m, float *y)
{
    INTERPRETER_BY(in, kit_interpreter(m, NULL));
    size_t count;

    KIT_OK(interpreter_allocate(in, &err));
    for (int i = 0; i < 2; i++)
        interpreter_tensor(in, interpreter_inputs(in, &count)[0])->data.f[i] = 0.25f - (float)i;
    KIT_OK(interpreter_invoke(in, &err));
    memcpy(y, interpreter_tensor(in, interpreter_outputs(in, &count)[0])->data.f, 8);
}

/* A node that is kept calls its decomposition, as LiteRT's interpreter does. */
TEST(kept_and_inlined_compute_the_same)
{
    float kept[2], without[2];

    MODEL_BY(m, build(&m, models[1].text));
    run(&m, kept);
    inlined(&m);
    run(&m, without);
    assert_memory_equal(kept, without, sizeof kept);
    assert_true(kept[0] == 0.25f * -1 - 1 + 1 && kept[1] == 0.75f);
}

/* Delegates are offered the node, where composites were not replaced. */
TEST(nodes_are_kept_on_request)
{
    const TfLiteStablehloCompositeParams *params;

    MODEL_BY(m, build(&m, models[1].text));
    INTERPRETER_BY(in, kit_interpreter(&m, NULL));
    assert_int_equal(interpreter_node_count(in), 2);
    assert_string_equal(interpreter_node_name(in, 1), "STABLEHLO_COMPOSITE");
    params = interpreter_node(in, 1)->builtin_data;
    assert_string_equal(params->name, "b");
    assert_int_equal(params->subgraph_index, 2);
    assert_int_equal(params->attributes_size, 22);
    interpreter_close(in);
    inlined(&m);
    in = kit_interpreter(&m, NULL);
    assert_int_equal(interpreter_node_count(in), 3);
}

/* A chain of subgraphs, each of which calls the next four times. */
static void build_chain(struct model *m, int calls, const char *last)
{
    char text[8192];
    size_t at = (size_t)snprintf(text, sizeof text, "NEG {} f32[2] -> f32[2]");

    for (int g = 1; g <= calls; g++) {
        for (int i = 0; i < 4; i++)
            at += (size_t)snprintf(text + at, sizeof text - at,
                                   ";STABLEHLO_COMPOSITE {name=c decomposition_subgraph_index=%d "
                                   "composite_attributes=flex()} ->",
                                   g);
        at += (size_t)snprintf(text + at, sizeof text - at, ";graph");
    }
    snprintf(text + at, sizeof text - at, ";%s", last);
    build(m, text);
}

TEST(calls_of_nothing_are_counted)
{
    struct composite_place place;

    MODEL_BY(m, build_chain(&m, COMPOSITE_DEPTH_MAX - 1, "inputs; outputs"));
    assert_int_equal(composite_inline(&m, &place, &err), STATUS_LIMIT);
    assert_non_null(strstr(err.text, "tables and indices, at most 4000000"));
}

/* Each of the 65,536 copies of the weights names a copy of the 4,194,304 scales: all in one buffer,
 * which takes milliseconds to read. */
TEST(scales_that_copies_share_are_read_once)
{
    clock_t before;

    MODEL_BY(
        m, build_chain(
               &m, 8,
               "tensors s:f16[4194304,1]=1; tensors i4[4194304,1]=1blocks(s,1); inputs; outputs"));
    inlined(&m);
    before = clock();
    interpreter_close(kit_interpreter(&m, NULL));
    assert_true(clock() - before < 10 * CLOCKS_PER_SEC);
}

TEST(limits_name_the_subgraph)
{
    struct composite_place place = { 0 };

    MODEL_BY(
        m,
        build(&m,
              "NEG {} f32[2] -> f32[2]\ngraph\n" NODE(
                  "a", 2) "f32[2] -> f32[2]\ngraph\nNEG {} x:f32[2] -> y:f32[2]\nNEG y -> f32[2]"));
    KIT_OK(limits_set("nodes=2", &err));
    assert_int_equal(composite_inline(&m, &place, &err), STATUS_LIMIT);
    assert_int_equal(place.graph, 1);
    KIT_OK(limits_set("nodes=1000000", &err));
}

TEST(allocations_fail_without_a_leak)
{
    for (int n = 0;; n++) {
        struct composite_place place;
        struct model m;
        enum status s;

        build(&m, models[1].text);
        mem_fail_after(n);
        s = composite_inline(&m, &place, &err);
        mem_fail_after(-1);
        model_close(&m);
        if (s == STATUS_OK)
            return;
        assert_int_equal(s, STATUS_NO_MEMORY);
    }
}
