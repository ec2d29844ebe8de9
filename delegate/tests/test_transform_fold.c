/* Constant folding: results of constants are computed once, with the bits of the reference. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/transform/fold.h"
#include "reference/base/limits.h"

/* clang-format off */
static const struct transform_case cases[] = {
    /* A chain of every op; its result is added to an input. */
    { "chain", { 1, 2, 3, 5 }, 9, "ADD node 10 ",
      "RESHAPE {} f32[6,5]=~1(-2..2) i32[4]=1,2,3,5 -> r; ADD {} r f32[5]=-2,-1,-1,-1,2 -> b; "
      "MUL {fused_activation_function=RELU_N1_TO_1} b f32[3,1]=1,-1,2 -> b2; "
      "SUB {fused_activation_function=RELU} b2 f32[5]=0,2,-1,1,2 -> b3; "
      "SUB {} b3 f32[1]=-1 -> b4; RELU b4 -> u; RELU6 u -> u2; "
      "PAD u2 i32[4,2]=0,0,1,0,0,2,0,1 -> p; CONCATENATION {axis=-3} p p -> k; "
      "PAD x i32[4,2]=0,0,0,4,0,2,0,1 -> p2; ADD {} p2 k -> b5" },
    /* The weights of a convolution are scaled in the graph. */
    { "scaled weights", { 2, 4, 4, 5 }, 1, "CONV_2D node 1 ",
      "MUL {} f32[6,3,3,5]=~1(-2..2) f32[6,1,1,1]=1,2,0,0,-1,-2 -> b; "
      "CONV_2D {padding=VALID stride_w=1 stride_h=1} x b f32[6]=0 -> y" },
    /* An output of the graph, too: the host gets the constant. */
    { "read and output", { 1, 4, 3, 5 }, 1, "ADD node 1 ",
      "RELU f32[1,1,3,5]=~1(-2..2) -> u; ADD {} x u -> b; outputs b u" },
    { "nothing constant", { 1, 2, 3, 5 }, 0, "MUL ",
      "MUL {} x z -> b" },
};
/* clang-format on */

/* Without folding the delegate refuses some of these nodes, which the CPU then runs. */
TEST(same_results)
{
    if (!transform_device)
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct interpreter *got;

        MODEL_BY(m, transform_model(&cases[i], &m));
        INTERPRETER_BY(truth, transform_run(&m, NULL));
        for (int p = 0; p < 4; p++) {
            TfLiteDelegate *d =
                transform_delegate(p & 1 ? "fp32" : "fp16", "nan", p & 2 ? "fold" : NULL);
            struct assay_gpu_stats stats = { .struct_size = sizeof stats };

            got = transform_run(&m, d);
            transform_equal(&cases[i], p & 2 ? "not folded" : "folded", truth, got);
            assert_int_equal(assay_gpu_get_stats(d, &stats), 0);
            if (!(p & 2)) {
                assert_int_equal(interpreter_partition_count(got), 1);
                assert_int_equal(stats.nodes, interpreter_node_count(got));
                assert_int_equal(assay_gpu_refusal_count(d), 0);
            }
            interpreter_close(got);
            assay_gpu_delegate_destroy(d);
        }
    }
}

/* ---- graphs that are folded ---- */

struct folded_look {
    const struct model *m;
    const char *no_transform, *limit; /* limit: NULL: as it is */
    int folded;
};

/* Every folded tensor has the reference's bits. */
static void look_folded(struct graph *g, void *user)
{
    struct folded_look *look = user;
    const char *pairs[] = { look->no_transform ? "no_transform" : NULL, look->no_transform, NULL };
    struct gpu_options o CLOSED_BY(options_close) = gpu_options_of(pairs);
    const struct device_limits limits = gpu_large_limits();
    INTERPRETER_BY(truth, transform_run(look->m, NULL));

    if (look->limit)
        KIT_OK(limits_set(look->limit, &err));
    KIT_OK(fold_constants(g, &o, &limits, &err));
    KIT_OK(limits_set("folded_bytes=1G", &err));
    look->folded = 0;
    for (int i = 0; i < g->node_count; i++) {
        const struct graph_tensor *y = graph_output(g, &g->nodes[i], 0);
        const TfLiteTensor *t = interpreter_tensor(truth, g->nodes[i].outputs[0]);

        if (!g->nodes[i].folded)
            continue;
        look->folded++;
        assert_non_null(y->data);
        assert_int_equal(y->elements * sizeof(float), t->bytes);
        if (memcmp(y->data, t->data.raw, t->bytes) != 0)
            fail_msg("node %d (%s): other bits", i, g->nodes[i].name);
    }
}

static void every_result_exposed(struct model *m, const struct transform_case *c)
{
    struct model_subgraph *s;
    int32_t *outputs;

    transform_model(c, m);
    s = (struct model_subgraph *)
            m->subgraphs; /* in the model's arena: the reference keeps outputs */
    outputs = arena_alloc(&m->arena, s->operator_count, sizeof *outputs);
    assert_non_null(outputs);
    for (size_t i = 0; i < s->operator_count; i++)
        outputs[i] = s->operators[i].outputs.data[0];
    s->outputs = (struct model_ints){ .data = outputs, .count = s->operator_count };
}

TEST(same_bits)
{
    /* Broadcasts, extremes and special values against a graph that computes the same from inputs.
     */
    /* clang-format off */
    static const struct transform_case special = {
        "special values", { 1, 1, 1, 8 }, 8, NULL,
        "MAXIMUM c:f32[1,1,1,8]=inf,-inf,-0.0,0,7,-7,1e-30,-1e-30 f32[1]=0 -> a; "
        "MINIMUM c f32[1]=0 -> b; PRELU c f32[1]=-3 -> d; RELU6 c -> e; "
        "ADD {} c f32[1]=1 -> f; SUB {} f32[1]=1 c -> g; MUL {} c f32[1]=2 -> h; "
        "MAXIMUM a x -> u; MAXIMUM b x -> v; MAXIMUM d e -> w; "
        "MAXIMUM f x -> r; MAXIMUM g x -> s; MAXIMUM h x -> t"
    };
    /* clang-format on */
    const struct transform_case *all[] = { &cases[0], &cases[1], &cases[2], &cases[3], &special };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct folded_look look = { 0 };

        MODEL_BY(m, every_result_exposed(&m, all[i]));
        look.m = &m;
        gpu_look(&m, look_folded, &look);
        if (look.folded != all[i]->fires)
            fail_msg("%s: %d folded, not %d", all[i]->name, look.folded, all[i]->fires);
        look.no_transform = "fold";
        gpu_look(&m, look_folded, &look);
        assert_int_equal(look.folded, 0);
        /* A small file may ask for huge constants: beyond the limit nodes stay on the CPU. */
        look.no_transform = NULL;
        look.limit = "folded_bytes=1";
        gpu_look(&m, look_folded, &look);
        assert_int_equal(look.folded, 0);
    }
}

/* ---- graphs that are not ---- */

/* Each is malformed or not supported in one way: nothing is folded, and no constant is read. */
static void spoil(struct graph *g, void *user)
{
    const int *how = user;
    OPTIONS(o, NULL);
    struct device_limits limits = gpu_large_limits();
    struct graph_node *n = &g->nodes[0];
    struct graph_tensor *a = &g->tensors[n->inputs[0]], *y = &g->tensors[n->outputs[0]];

    assert_int_equal(n->code, BUILTIN_MUL);
    switch (*how) {
    case 1: a->dims[0]++; break; /* not the broadcast shape */
    case 2: a->type = kTfLiteInt32; break;
    case 3: y->rank = -1; break;
    case 4: y->type = kTfLiteFloat16; break;
    case 5: y->is_dynamic = true; break;
    case 6: y->elements = 0; break;
    case 7: n->params = NULL; break;
    case 8: n->version = 99; break;
    case 9: limits.max_storage_buffer_range = 16; break;
    case 10: n->input_count = 1; break;
    case 11: a->data = NULL; break;
    case 12: n->output_count = 0; break;
    default: break;
    }
    KIT_OK(fold_constants(g, &o, &limits, &err));
    if (n->folded != (*how == 0))
        fail_msg("way %d: folded %d", *how, n->folded);
    if (*how != 0)
        assert_null(y->data);
}

TEST(malformed_nodes_are_left)
{
    MODEL_BY(m, transform_model(&cases[1], &m));
    for (int how = 0; how <= 12; how++)
        gpu_look(&m, spoil, &how);
}

/* The host prepares a node behind the delegate's after it: the output has the shape of before. */
static void look_resized(struct graph *g, void *user)
{
    const int32_t *rows = user;
    OPTIONS(o, NULL);
    const struct device_limits limits = gpu_large_limits();
    struct graph_tensor *y = &g->tensors[g->nodes[0].outputs[0]];

    assert_int_equal(g->nodes[0].code, BUILTIN_TILE);
    y->dims[0] = *rows;
    y->elements = (size_t)*rows * 3;
    KIT_OK(fold_constants(g, &o, &limits, &err));
    assert_int_equal(g->nodes[0].folded, *rows == 4);
}

TEST(shapes_of_before_a_resize)
{
    const struct transform_case c = { .dims = { 1, 1, 4, 3 },
                                      .text =
                                          "TILE f32[1,3]=1,2,3 i32[2]=4,1 -> a; ADD {} x a -> y" };

    MODEL_BY(m, transform_model(&c, &m));
    for (int32_t rows = 1; rows <= 5; rows++)
        gpu_look(&m, look_resized, &rows);
}

/* Without a reader on the device, a folded node is refused; in a chain all of them are. */
static void look_unread(struct graph *g, void *user)
{
    OPTIONS(o, "exclude", "ADD");
    const struct device_limits limits = gpu_large_limits();

    (void)user;
    KIT_OK(fold_constants(g, &o, &limits, &err));
    struct decision d CLOSED_BY(decision_close);
    KIT_OK(decision_make(&d, g, &o, &limits, &err));
    assert_int_equal(g->nodes[0].code, BUILTIN_RELU);
    assert_true(g->nodes[0].folded);
    for (int i = 0; i < g->node_count; i++)
        assert_false(d.take[i]);
    assert_string_equal(d.refusals[0].rule, "dequantize.no_reader");
}

TEST(without_readers)
{
    const struct transform_case c = {
        .dims = { 1, 4, 3, 5 },
        .text = "RELU f32[1,1,3,5]=~9(-2..2) -> a; RELU6 a -> b; ADD {} x b -> y"
    };

    MODEL_BY(m, transform_model(&c, &m));
    gpu_look(&m, look_unread, NULL);
}

TEST_FILE(.before = transform_find_device);
