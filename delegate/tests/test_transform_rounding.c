/* Float view: which results are rounded to quantization steps, how biases are scaled, and the
 * rewrite that makes the rounding part of the node before. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

/* ---- 8-bit models ---- */

/* A 1x1 or depthwise 3x3 convolution to as many channels, with weights per channel; the scale of
 * the bias is wrong, and must be ignored. */
#define WEIGHTS(dims, channel_dim)                                                                 \
    " i8[" dims "]=~7q(0.002|0.00001|0.001|0.003|0.0005,0|0|0|0|0," channel_dim                    \
    ") i32[5]=~7q(3,0) -> "
#define CONV(x, scale, y)                                                                          \
    "CONV_2D:3 {stride_w=1 stride_h=1} " x WEIGHTS("5,1,1,5", "0") y ":i8q(" scale ",-20); "
#define DEPTHWISE(x, scale, y)                                                                     \
    "DEPTHWISE_CONV_2D:3 {stride_w=1 stride_h=1 depth_multiplier=1"                                \
    " fused_activation_function=RELU6} " x WEIGHTS("1,3,3,5", "3") y ":i8q(" scale ",-20); "
#define ADD(x, z, scale, y) "ADD:2 {} " x " " z " -> " y ":i8q(" scale ",3); "

static const struct net {
    const char *name;
    int rounded, fires; /* tensors that are rounded; of them by the node that computes them */
    const char *nodes;
} nets[] = {
    /* All results but the last, which the CPU rounds. */
    { "chain", 2, 2, CONV("x", "0.1", "c") DEPTHWISE("c", "0.04", "d") ADD("d", "z", "0.05", "y") },
    /* An output that another node reads is rounded; RELU6 needs a separate rounding step. */
    { "exposed", 2, 1,
      CONV("x", "0.1", "c") "RELU:2 c -> r:i8q(0.02,-128); " ADD("r", "z", "0.05",
                                                                 "y") "outputs y c" },
    /* Elements that are selected from rounded inputs need no rounding. */
    { "picked", 2, 2,
      ADD("x", "z", "0.05", "a")
          ADD("z", "x", "0.05", "b") "MAXIMUM:2 a b -> m:i8q(0.05,3); " ADD("m", "z", "0.1", "y") },
    /* Rounding prevents that ADD joins the convolution, and RELU the ADD. */
    { "residual", 4, 3,
      CONV("x", "0.1", "c") DEPTHWISE("z", "0.05", "d")
          ADD("c", "d", "0.05", "a") "RELU:2 a -> r:i8q(0.05,-128); " CONV("r", "0.2", "y") },
};
enum { NETS = sizeof nets / sizeof nets[0] };

static void make(const struct net *net, struct model *m)
{
    kit_text(m, "tensors x:i8[2,4,3,5]q(0.05,3) z:i8[2,4,3,5]q(0.04,-7)\n%s", net->nodes);
}

/* ---- without a device ---- */

struct count {
    const char *no_transform;
    const struct model *m;
    int applied, roundings, steps_rounding;
};

static void count_roundings(struct graph *g, void *user)
{
    struct count *c = user;
    const char *pairs[] = { "quantized", "float_view", c->no_transform ? "no_transform" : NULL,
                            c->no_transform, NULL };
    struct gpu_options o CLOSED_BY(options_close) = gpu_options_of(pairs);
    const struct device_limits limits = gpu_large_limits();
    const struct model_subgraph *s = &c->m->subgraphs[0];
    int nodes[KIT_TENSORS], inputs[KIT_TENSORS];
    struct transform_request r = transform_request_all(g, &o, &limits, nodes);
    struct plan_request request = { .graph = g, .options = &o, .limits = &limits };
    struct rewrite w;
    struct plan p;

    r.outputs = s->outputs.data;
    r.output_count = (int)s->outputs.count;
    KIT_OK(transform_partition(&w, &r, &err));
    c->applied = w.applied[TRANSFORM_rounding];
    for (int i = 0; i < w.graph.node_count; i++) {
        c->roundings += w.graph.nodes[i].steps.scale > 0;
        for (int j = 0; j < w.graph.nodes[i].input_count; j++) { /* nothing of 8 bits is computed */
            const int t = w.graph.nodes[i].inputs[j];

            assert_true(graph_is_constant(&w.graph, t) || !graph_is_8bit(&w.graph.tensors[t]));
        }
    }
    rewrite_close(&w);

    request.nodes = nodes;
    request.node_count = r.node_count;
    for (size_t i = 0; i < s->inputs.count; i++)
        inputs[i] = s->inputs.data[i];
    request.inputs = inputs;
    request.input_count = (int)s->inputs.count;
    request.outputs = r.outputs;
    request.output_count = r.output_count;
    KIT_OK(plan_make(&p, &request, &err));
    for (int i = 0; i < p.step_count; i++)
        c->steps_rounding += strcmp(p.steps[i]->shader, "simulate") == 0;
    for (int i = 0; i < p.input_count; i++) { /* host's bytes, device's floats */
        assert_int_equal(p.inputs[i].float_view.type, kTfLiteInt8);
        assert_int_equal(p.inputs[i].dense_bytes, 4 * p.inputs[i].bytes);
    }
    plan_close(&p);

    transform_allocations_fail(&r);
}

TEST(rounds_what_is_read)
{
    for (int i = 0; i < NETS; i++) {
        struct count with = { 0 }, without = { .no_transform = "rounding" };

        MODEL_BY(m, make(&nets[i], &m));
        with.m = without.m = &m;
        gpu_look(&m, count_roundings, &with);
        gpu_look(&m, count_roundings, &without);
        if (without.steps_rounding != nets[i].rounded || without.roundings != 0 ||
            with.roundings != nets[i].fires || with.applied != nets[i].fires ||
            with.steps_rounding != nets[i].rounded - nets[i].fires)
            fail_msg(
                "%s: %d steps without the rewrite, %d with it, which fired %d times in %d nodes",
                nets[i].name, without.steps_rounding, with.steps_rounding, with.applied,
                with.roundings);
    }
}

/* ---- on a device ---- */

struct ran {
    struct interpreter *in;
    TfLiteDelegate *delegate;
};

static void run_close(struct ran *r)
{
    interpreter_close(r->in);
    assay_gpu_delegate_destroy(r->delegate);
}

static struct ran run(const struct model *m, const char *precision, const char *no_transform)
{
    const char *keys[] = { "quantized", "precision", "max_partitions", "poison", "no_transform" };
    const char *values[] = { "float_view", precision, "0", "nan", no_transform };
    const struct interpreter_options options = { .report = transform_quiet };
    TfLiteDelegate *d = NULL;
    struct interpreter *in;
    const int *inputs;
    size_t count;
    uint64_t seed = 11;

    if (precision &&
        !(d = tflite_plugin_create_delegate(keys, values, no_transform ? 5 : 4, transform_report)))
        fail_msg("%s", transform_said);
    KIT_OK(interpreter_open(&in, m, &options, &err));
    if (d)
        KIT_OK(interpreter_apply_delegate(in, d, NULL, &err));
    KIT_OK(interpreter_allocate(in, &err));
    inputs = interpreter_inputs(in, &count);
    for (size_t i = 0; i < count; i++) {
        TfLiteTensor *t = interpreter_tensor(in, inputs[i]);

        for (size_t j = 0; j < t->bytes; j++)
            t->data.int8[j] = (int8_t)(kit_below(&seed, 256) - 128);
    }
    KIT_OK(interpreter_invoke(in, &err));
    if (d)
        assert_int_equal(interpreter_partition_count(in), 1);
    return (struct ran){ in, d };
}

/* Outputs of two runs differ by at most `most` quantization steps. */
static void compare(const char *name, const struct ran *a, const struct ran *b, int most)
{
    size_t count;
    const int *outputs = interpreter_outputs(a->in, &count);

    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *x = interpreter_tensor(a->in, outputs[i]);
        const TfLiteTensor *y = interpreter_tensor(b->in, outputs[i]);

        assert_int_equal(x->bytes, y->bytes);
        for (size_t j = 0; j < x->bytes; j++)
            if (abs(x->data.int8[j] - y->data.int8[j]) > most)
                fail_msg("%s: output %zu, element %zu: %d and %d", name, i, j, x->data.int8[j],
                         y->data.int8[j]);
    }
}

TEST(same_results)
{
    if (!transform_device)
        skip();
    for (int i = 0; i < NETS; i++) {
        MODEL_BY(m, make(&nets[i], &m));
        struct ran truth CLOSED_BY(run_close), with CLOSED_BY(run_close),
            without CLOSED_BY(run_close), half CLOSED_BY(run_close);

        truth = run(&m, NULL, NULL);
        with = run(&m, "fp32", NULL);
        without = run(&m, "fp32", "all");
        half = run(&m, "fp16", NULL);
        compare(nets[i].name, &with, &without, 0);
        /* The scale of an input is below that of the result, so that an error of one step stays
         * one. */
        compare(nets[i].name, &truth, &with, 2);
        compare(nets[i].name, &truth, &half, 2);
    }
}

TEST_FILE(.before = transform_find_device);
