/* MobileNet v1 of the zoo, and the same net as a converter may write it: RELU6 and PAD as separate
 * nodes, MUL by 1, f16 weights with DEQUANTIZE.  With all rewrites, without each one and without
 * any, the class is the same, and the numbers are those of the net that needs no rewrite. */
#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"

#include "conformance/suite/models/zoo.h"

#include <math.h>

enum { CLASSES = 10 };

static struct model plain, spelled; /* of the zoo; spelled out */

/* ---- the net with separate nodes ---- */

struct speller {
    struct builder b;
    const struct model *m;
    const struct model_subgraph *from;
    int *to; /* tensor of the new model for one of the old */
};

static void copy_tensors(struct speller *s)
{
    for (size_t i = 0; i < s->from->tensor_count; i++) {
        const struct model_tensor *t = &s->from->tensors[i];
        size_t bytes;
        const void *data = model_tensor_data(s->m, t, &bytes);

        s->to[i] =
            data ? builder_constant(&s->b, t->type, t->name.text, t->shape.count, t->shape.data,
                                    data, bytes)
                 : builder_tensor(&s->b, t->type, t->name.text, t->shape.count, t->shape.data);
    }
}

static int32_t padded(int32_t in, int32_t out, int32_t kernel, int32_t stride, int32_t *before)
{
    const int32_t total = (out - 1) * stride + kernel - in;

    *before = total > 0 ? total / 2 : 0;
    return total > 0 ? total : 0;
}

/* PAD, convolution, MUL by 1, RELU6. */
static void spell_conv(struct speller *s, const struct model_operator *op, int32_t code)
{
    const int32_t *const in = s->from->tensors[op->inputs.data[0]].shape.data;
    const int32_t *const out = s->from->tensors[op->outputs.data[0]].shape.data;
    const int32_t kernel = s->from->tensors[op->inputs.data[1]].shape.data[1];
    const int32_t stride = (in[1] + out[1] - 1) / out[1];
    const int y = s->to[op->outputs.data[0]];
    int32_t top, left, v = padded(in[1], out[1], kernel, stride, &top),
                       h = padded(in[2], out[2], kernel, stride, &left);
    struct options o = op->options, none;
    int x = s->to[op->inputs.data[0]], t;

    if (kernel > 1) {
        const int32_t pads[] = { 0, 0, top, v - top, left, h - left, 0, 0 };
        const int p = builder_constant(&s->b, TENSOR_INT32, "i", 2, (int32_t[]){ 4, 2 }, pads, 32);
        const int to = builder_tensor(&s->b, TENSOR_FLOAT32, "p", 4,
                                      (int32_t[]){ in[0], in[1] + v, in[2] + h, in[3] });

        builder_op(&s->b, BUILTIN_PAD, 1, NULL, 2, (int[]){ x, p }, 1, &to);
        x = to;
    }
    options_set_int(&o, "padding", 1);
    options_set_int(&o, "fused_activation_function", 0);
    t = builder_tensor(&s->b, TENSOR_FLOAT32, "sums", 4, out);
    builder_op(&s->b, code, 1, &o, 3,
               (int[]){ x, s->to[op->inputs.data[1]], s->to[op->inputs.data[2]] }, 1, &t);
    if (kernel > 1) {
        const int one = builder_constant(&s->b, TENSOR_FLOAT32, "c", 1, (int32_t[]){ 1 },
                                         &(float){ 1 }, sizeof(float));
        const int to = builder_tensor(&s->b, TENSOR_FLOAT32, "b", 4, out);

        options_init(&none, OPTIONS_MulOptions);
        builder_op(&s->b, BUILTIN_MUL, 1, &none, 2, (int[]){ t, one }, 1, &to);
        t = to;
    }
    builder_op(&s->b, BUILTIN_RELU6, 1, NULL, 1, &t, 1, &y);
}

static void copy_op(struct speller *s, const struct model_operator *op, int32_t code)
{
    int inputs[4], outputs[4];

    for (size_t i = 0; i < op->inputs.count; i++)
        inputs[i] = s->to[op->inputs.data[i]];
    for (size_t i = 0; i < op->outputs.count; i++)
        outputs[i] = s->to[op->outputs.data[i]];
    builder_op(&s->b, code, s->m->opcodes[op->opcode_index].version, &op->options, op->inputs.count,
               inputs, op->outputs.count, outputs);
}

static void spell(struct model *m, const struct model *from)
{
    struct speller s = { .m = from, .from = &from->subgraphs[0] };
    int convs = 0;

    builder_init(&s.b);
    s.to = malloc(s.from->tensor_count * sizeof *s.to);
    assert_non_null(s.to);
    copy_tensors(&s);
    for (size_t i = 0; i < s.from->operator_count; i++) {
        const struct model_operator *op = &s.from->operators[i];
        const int32_t code = from->opcodes[op->opcode_index].code;

        /* The last convolution, which computes the logits, has no activation. */
        if ((code == BUILTIN_CONV_2D || code == BUILTIN_DEPTHWISE_CONV_2D) && convs++ < 27)
            spell_conv(&s, op, code);
        else
            copy_op(&s, op, code);
    }
    assert_int_equal(convs, 28);
    builder_inputs(&s.b, 1, &s.to[s.from->inputs.data[0]]);
    builder_outputs(&s.b, 1, &s.to[s.from->outputs.data[0]]);
    KIT_OK(builder_finish(&s.b, m, &err));
    free(s.to);
}

/* ---- running ---- */

struct result {
    float values[CLASSES];
    int dispatches, merged;
    uint64_t activations;
};

static struct result run_on(const struct model *m, const char *precision, const char *no_transform)
{
    TfLiteDelegate *d = precision ? transform_delegate(precision, "off", no_transform) : NULL;
    struct interpreter *in = transform_run(m, d);
    struct result r = { .dispatches = 0 };
    size_t count;
    const int *outputs = interpreter_outputs(in, &count);

    assert_int_equal(count, 1);
    assert_int_equal(interpreter_tensor(in, outputs[0])->bytes, sizeof r.values);
    memcpy(r.values, interpreter_tensor(in, outputs[0])->data.raw, sizeof r.values);
    if (d) {
        struct assay_gpu_stats stats = { .struct_size = sizeof stats };

        assert_int_equal(interpreter_partition_count(in), 1);
        assert_int_equal(assay_gpu_get_stats(d, &stats), 0);
        r.dispatches = stats.dispatches;
        r.merged = stats.merged;
        r.activations = stats.activation_bytes;
        assert_int_equal(stats.nodes, interpreter_node_count(in));
    }
    interpreter_close(in);
    assay_gpu_delegate_destroy(d);
    return r;
}

static int top_1(const struct result *r)
{
    int best = 0;

    for (int i = 1; i < CLASSES; i++)
        if (r->values[i] > r->values[best])
            best = i;
    return best;
}

/* Compares a run: the same class, and probabilities within the tolerance of the precision. */
static void expect_verdict(const struct result *truth, const struct result *got, bool half,
                           const char *what)
{
    const float limit = half ? 0.03f : 1e-4f;

    if (top_1(truth) != top_1(got))
        fail_msg("%s: class %d, not %d", what, top_1(got), top_1(truth));
    for (int i = 0; i < CLASSES; i++)
        if (!(fabsf(truth->values[i] - got->values[i]) <= limit))
            fail_msg("%s: class %d: %g, not %g", what, i, (double)got->values[i],
                     (double)truth->values[i]);
}

static void each_switch(const char *precision, int32_t type)
{
    const struct zoo_options options = {
        .width = 0.25, .resolution = 64, .classes = CLASSES, .type = type, .seed = 1
    };
    const bool half = strcmp(precision, "fp16") == 0;
    const struct zoo_entry *entry;
    struct result truth, zoo, all, none, each;

    KIT_OK(zoo_find(&entry, "mobilenet_v1", &err));
    KIT_OK(zoo_build(&plain, entry, &options, &err));
    spell(&spelled, &plain);
    truth = run_on(&spelled, NULL, NULL);
    zoo = run_on(&plain, precision, NULL);
    all = run_on(&spelled, precision, NULL);
    none = run_on(&spelled, precision, "all");
    expect_verdict(&truth, &zoo, half, "the zoo's");
    expect_verdict(&truth, &none, half, "no_transform=all");
    printf("%s, %s weights: dispatches of the zoo's MobileNet v1 %d, spelled out %d, without "
           "transforms %d\n",
           precision, type == TENSOR_FLOAT16 ? "f16" : "f32", zoo.dispatches, all.dispatches,
           none.dispatches);
    for (int i = 0; i < TRANSFORM_COUNT; i++) {
        const char *name = transform_name((enum transform_id)i);

        each = run_on(&spelled, precision, name);
        printf("  without %s: %d dispatches, %d nodes merged\n", name, each.dispatches,
               each.merged);
        expect_verdict(&truth, &each, half, name);
        assert_memory_equal(each.values, all.values, sizeof all.values);
        assert_true(each.dispatches >= all.dispatches);
    }
    /* All rewrites that fire here keep every bit, and the result is the net of the zoo. */
    assert_memory_equal(all.values, zoo.values, sizeof all.values);
    assert_memory_equal(all.values, none.values, sizeof all.values);
    assert_int_equal(all.dispatches, zoo.dispatches);
    assert_true(all.activations <= none.activations);
    /* 27 RELU6, 14 PAD, 14 MUL */
    assert_int_equal(none.dispatches, all.dispatches + 27 + 14 + 14);
    assert_int_equal(none.merged, 0);
    model_close(&plain);
    model_close(&spelled);
}

TEST(in_fp32)
{
    if (!transform_device)
        skip();
    each_switch("fp32", TENSOR_FLOAT32);
}

TEST(in_fp16)
{
    if (!transform_device)
        skip();
    each_switch("fp16", TENSOR_FLOAT16);
}

TEST_FILE(KIT_HOLDS_DEVICE, .before = transform_find_device);
