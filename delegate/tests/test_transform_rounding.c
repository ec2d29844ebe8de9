/* Float view: which results are rounded to quantization steps, how biases are scaled, and the
 * rewrite that makes the rounding part of the node before. */
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

/* ---- 8-bit models ---- */

static struct kit_tensor bytes(struct builder *b, const char *name, float scale, int64_t zero,
                               int rank, const int32_t *dims)
{
    struct kit_tensor t = { .rank = rank };

    memcpy(t.dims, dims, (size_t)rank * sizeof dims[0]);
    t.index = builder_tensor(b, TENSOR_INT8, name, (size_t)rank, dims);
    builder_quantization(b, t.index, 1, &scale, &zero, 0);
    return t;
}

enum { CHANNELS = 5 };

/* A 1x1 or depthwise 3x3 convolution to as many channels, with weights per channel; the scale of
 * the bias is wrong, and must be ignored. */
static struct kit_tensor conv(struct builder *b, struct kit_tensor x, bool depthwise, float scale)
{
    static const float scales[CHANNELS] = { 0.002f, 0.00001f, 0.001f, 0.003f, 0.0005f };
    static const int64_t zeros[CHANNELS] = { 0 };
    const int32_t k = depthwise ? 3 : 1;
    const int32_t dims[] = { depthwise ? 1 : CHANNELS, k, k, CHANNELS }, count = CHANNELS;
    const struct kit_tensor y = bytes(b, depthwise ? "d" : "c", scale, -20, 4, x.dims);
    const float wrong = 3;
    int8_t weights[9 * CHANNELS * CHANNELS];
    int32_t bias[CHANNELS];
    int inputs[3] = { x.index };
    uint64_t seed = 7;
    struct options o;

    for (size_t i = 0; i < sizeof weights; i++)
        weights[i] = (int8_t)(kit_below(&seed, 255) - 127);
    for (int i = 0; i < CHANNELS; i++)
        bias[i] = (int32_t)kit_below(&seed, 2001) - 1000;
    inputs[1] = builder_constant(b, TENSOR_INT8, "w", 4, dims, weights,
                                 (size_t)(dims[0] * k * k * CHANNELS));
    builder_quantization(b, inputs[1], CHANNELS, scales, zeros, depthwise ? 3 : 0);
    inputs[2] = builder_constant(b, TENSOR_INT32, "b", 1, &count, bias, sizeof bias);
    builder_quantization(b, inputs[2], 1, &wrong, zeros, 0);
    options_init(&o, depthwise ? OPTIONS_DepthwiseConv2DOptions : OPTIONS_Conv2DOptions);
    options_set_int(&o, "stride_h", 1);
    options_set_int(&o, "stride_w", 1);
    options_set_int(&o, "fused_activation_function", depthwise ? kTfLiteActRelu6 : kTfLiteActNone);
    if (depthwise)
        options_set_int(&o, "depth_multiplier", 1);
    builder_op(b, depthwise ? BUILTIN_DEPTHWISE_CONV_2D : BUILTIN_CONV_2D, 3, &o, 3, inputs, 1,
               &y.index);
    return y;
}

static struct kit_tensor add(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                             float scale)
{
    const struct kit_tensor y = bytes(b, "a", scale, 3, 4, x.dims);
    struct options o;

    options_init(&o, OPTIONS_AddOptions);
    builder_op(b, BUILTIN_ADD, 2, &o, 2, (int[]){ x.index, z.index }, 1, &y.index);
    return y;
}

/* An op whose output has the shape of its input. */
static struct kit_tensor clamp(struct builder *b, struct kit_tensor x, float scale)
{
    const struct kit_tensor y = bytes(b, "r", scale, -128, 4, x.dims);

    builder_op(b, BUILTIN_RELU, 2, NULL, 1, &x.index, 1, &y.index);
    return y;
}

static struct kit_tensor largest(struct builder *b, struct kit_tensor x, struct kit_tensor z)
{
    const struct kit_tensor y = bytes(b, "m", 0.05f, 3, 4, x.dims);

    builder_op(b, BUILTIN_MAXIMUM, 2, NULL, 2, (int[]){ x.index, z.index }, 1, &y.index);
    return y;
}

struct net {
    const char *name;
    int rounded, fires; /* tensors that are rounded; of them by the node that computes them */
    struct kit_tensor (*build)(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                               struct kit_tensor *also);
};

/* All results but the last, which the CPU rounds. */
static struct kit_tensor chain(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                               struct kit_tensor *also)
{
    (void)also;
    return add(b, conv(b, conv(b, x, false, 0.1f), true, 0.04f), z, 0.05f);
}

/* An output that another node reads is rounded; RELU6 needs a separate rounding step. */
static struct kit_tensor exposed(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                                 struct kit_tensor *also)
{
    *also = conv(b, x, false, 0.1f);
    return add(b, clamp(b, *also, 0.02f), z, 0.05f);
}

/* Elements that are selected from rounded inputs need no rounding. */
static struct kit_tensor picked(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                                struct kit_tensor *also)
{
    const struct kit_tensor one = add(b, x, z, 0.05f), two = add(b, z, x, 0.05f);

    (void)also;
    return add(b, largest(b, one, two), z, 0.1f);
}

/* Rounding prevents that ADD joins the convolution, and RELU the ADD. */
static struct kit_tensor residual(struct builder *b, struct kit_tensor x, struct kit_tensor z,
                                  struct kit_tensor *also)
{
    struct kit_tensor t = add(b, conv(b, x, false, 0.1f), conv(b, z, true, 0.05f), 0.05f);

    (void)also;
    t = clamp(b, t, 0.05f);
    return conv(b, t, false, 0.2f);
}

static const struct net nets[] = { { "chain", 2, 2, chain },
                                   { "exposed", 2, 1, exposed },
                                   { "picked", 2, 2, picked },
                                   { "residual", 4, 3, residual } };
enum { NETS = sizeof nets / sizeof nets[0] };

static void make(const struct net *net, struct model *m)
{
    const int32_t dims[] = { 2, 4, 3, CHANNELS };
    struct kit_tensor x, z, y, also = { .index = -1 };
    struct diag diag = { 0 };
    struct builder b;

    builder_init(&b);
    x = bytes(&b, "x", 0.05f, 3, 4, dims);
    z = bytes(&b, "z", 0.04f, -7, 4, dims);
    y = net->build(&b, x, z, &also);
    builder_inputs(&b, 2, (int[]){ x.index, z.index });
    builder_outputs(&b, also.index < 0 ? 1 : 2, (int[]){ y.index, also.index });
    KIT_OK(builder_finish(&b, m, &diag));
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
    struct gpu_options o = gpu_options_of(pairs);
    const struct device_limits limits = gpu_large_limits();
    const struct model_subgraph *s = &c->m->subgraphs[0];
    int nodes[KIT_TENSORS], inputs[KIT_TENSORS];
    struct transform_request r = { .graph = g,
                                   .options = &o,
                                   .limits = &limits,
                                   .nodes = nodes,
                                   .outputs = s->outputs.data,
                                   .output_count = (int)s->outputs.count };
    struct plan_request request = { .graph = g, .options = &o, .limits = &limits };
    struct diag diag = { 0 };
    struct rewrite w;
    struct plan p;

    for (int i = 0; i < g->node_count; i++)
        nodes[r.node_count++] = g->nodes[i].host_node;
    KIT_OK(transform_partition(&w, &r, &diag));
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
    KIT_OK(plan_make(&p, &request, &diag));
    for (int i = 0; i < p.step_count; i++)
        c->steps_rounding += strcmp(p.steps[i]->shader, "simulate") == 0;
    for (int i = 0; i < p.input_count; i++) { /* host's bytes, device's floats */
        assert_int_equal(p.inputs[i].float_view.type, kTfLiteInt8);
        assert_int_equal(p.inputs[i].dense_bytes, 4 * p.inputs[i].bytes);
    }
    plan_close(&p);

    transform_allocations_fail(&r);
    options_close(&o);
}

TEST(rounds_what_is_read)
{
    for (int i = 0; i < NETS; i++) {
        struct count with = { 0 }, without = { .no_transform = "rounding" };
        struct model m;

        make(&nets[i], &m);
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
        model_close(&m);
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
    struct diag diag = { 0 };
    struct interpreter *in;
    const int *inputs;
    size_t count;
    uint64_t seed = 11;

    if (precision &&
        !(d = tflite_plugin_create_delegate(keys, values, no_transform ? 5 : 4, transform_report)))
        fail_msg("%s", transform_said);
    KIT_OK(interpreter_open(&in, m, &options, &diag));
    if (d)
        KIT_OK(interpreter_apply_delegate(in, d, NULL, &diag));
    KIT_OK(interpreter_allocate(in, &diag));
    inputs = interpreter_inputs(in, &count);
    for (size_t i = 0; i < count; i++) {
        TfLiteTensor *t = interpreter_tensor(in, inputs[i]);

        for (size_t j = 0; j < t->bytes; j++)
            t->data.int8[j] = (int8_t)(kit_below(&seed, 256) - 128);
    }
    KIT_OK(interpreter_invoke(in, &diag));
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
        struct ran truth, with, without, half;
        struct model m;

        make(&nets[i], &m);
        truth = run(&m, NULL, NULL);
        with = run(&m, "fp32", NULL);
        without = run(&m, "fp32", "all");
        half = run(&m, "fp16", NULL);
        compare(nets[i].name, &with, &without, 0);
        /* The scale of an input is below that of the result, so that an error of one step stays
         * one. */
        compare(nets[i].name, &truth, &with, 2);
        compare(nets[i].name, &truth, &half, 2);
        run_close(&truth);
        run_close(&with);
        run_close(&without);
        run_close(&half);
        model_close(&m);
    }
}

TEST_FILE(.before = transform_find_device);
