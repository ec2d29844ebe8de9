/* The zoo: topology, the same bytes from the same seed, activations that stay sane. */
#include "reference/tests/kit/test.h"

#include "conformance/suite/io/tensor_value.h"
#include "conformance/suite/models/net_quant.h"
#include "conformance/suite/models/zoo.h"
#include "conformance/util/sha256.h"
#include "reference/base/builtin.h"
#include "reference/base/memory.h"
#include "reference/format/model_compare.h"
#include "reference/format/read.h"
#include "reference/format/write.h"
#include "reference/kernels/op.h"
#include "reference/runtime/interpreter.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const struct zoo_entry *entry(const char *name)
{
    const struct zoo_entry *e = NULL;

    assert_int_equal(zoo_find(&e, name, &err), STATUS_OK);
    return e;
}

static void build(struct model *m, struct zoo_options options)
{
    KIT_OK(zoo_build(m, entry("mobilenet_v1"), &options, &err));
}

/* Of all constants, in order. */
static void hash(const struct model *m, char hex[SHA256_HEX_BYTES])
{
    size_t bytes = 0;
    uint8_t *all CLOSED_BY(kit_mem_free);

    for (size_t i = 0; i < m->buffer_count; i++)
        bytes += m->buffers[i].data.count;
    all = mem_alloc(bytes, 1);
    assert_non_null(all);
    bytes = 0;
    for (size_t i = 0; i < m->buffer_count; i++) {
        if (m->buffers[i].data.count)
            memcpy(all + bytes, m->buffers[i].data.data, m->buffers[i].data.count);
        bytes += m->buffers[i].data.count;
    }
    sha256_hex(all, bytes, hex);
}

static const struct zoo_options tiny = {
    .width = 0.25, .resolution = 32, .classes = 10, .type = TENSOR_FLOAT32, .seed = 1
};

/* The weights that this seed has given since the zoo exists: figures elsewhere rely on them, and
 * they tell a machine or compiler whose arithmetic is not IEEE's. */
TEST(weights_are_fixed)
{
    struct zoo_options options = tiny;
    char first[SHA256_HEX_BYTES], other[SHA256_HEX_BYTES];
    struct model m;

    build(&m, options);
    hash(&m, first);
    model_close(&m);
    assert_string_equal(first, "243f7458482b4b60de3e8ad7497d60563b2c83fa89cbf8c3d40028059cb00b04");
    options.type = TENSOR_FLOAT16;
    build(&m, options);
    hash(&m, other);
    model_close(&m);
    assert_string_equal(other, "af4a3259b53788c61fd3184e6ac21c9d98d719239cd09ac4f7419373cdc360ad");
    options = tiny;
    options.seed = 2;
    build(&m, options);
    hash(&m, other);
    model_close(&m);
    assert_string_not_equal(other, first);
}

TEST(a_file_reads_back)
{
    struct tflite_file one, two;
    struct model m, again, back;

    build(&m, tiny);
    build(&again, tiny);
    assert_int_equal(tflite_write(&m, &one, &err), STATUS_OK);
    assert_int_equal(tflite_write(&again, &two, &err), STATUS_OK);
    assert_int_equal(one.count, two.count);
    assert_memory_equal(one.bytes, two.bytes, one.count);
    if (tflite_read(&back, one.bytes, one.count, &err) != STATUS_OK ||
        model_compare(&m, &back, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    model_close(&m);
    model_close(&again);
    model_close(&back);
    mem_free(one.bytes);
    mem_free(two.bytes);
}

TEST(topology)
{
    static const int32_t kinds[] = { BUILTIN_CONV_2D, BUILTIN_DEPTHWISE_CONV_2D,
                                     BUILTIN_AVERAGE_POOL_2D, BUILTIN_RESHAPE, BUILTIN_SOFTMAX };
    static const int wanted[] = { 15, 13, 1, 1, 1 };
    const struct model_subgraph *g;
    int counts[COUNT(kinds)] = { 0 };
    struct model m;

    build(&m, (struct zoo_options){ .width = 1, .type = TENSOR_FLOAT32, .seed = 1 });
    g = &m.subgraphs[0];
    for (size_t i = 0; i < g->operator_count; i++) {
        for (size_t k = 0; k < COUNT(kinds); k++)
            counts[k] += m.opcodes[g->operators[i].opcode_index].code == kinds[k];
    }
    assert_int_equal(g->operator_count, 31);
    assert_memory_equal(counts, wanted, sizeof wanted);
    assert_int_equal(zoo_parameters(&m), 4222057); /* 3,185,088 of the blocks and stem, biases,
                                                      1024 x 1001 and 1001 of the classes */
    model_close(&m);

    build(&m,
          (struct zoo_options){
              .width = 0.1, .resolution = 64, .classes = 7, .type = TENSOR_FLOAT16, .seed = 1 });
    g = &m.subgraphs[0];
    assert_int_equal(g->operator_count, 31 + 2 * 28); /* a DEQUANTIZE for each weight and bias */
    assert_int_equal(g->tensors[g->inputs.data[0]].shape.data[1], 64);
    assert_int_equal(g->tensors[g->inputs.data[0]].shape.data[3], 3);
    assert_int_equal(g->tensors[g->outputs.data[0]].shape.data[1], 7);
    model_close(&m);

    build(&m, (struct zoo_options){ .width = 1, .channels = 4, .type = TENSOR_FLOAT32, .seed = 1 });
    g = &m.subgraphs[0];
    assert_int_equal(g->tensors[g->inputs.data[0]].shape.data[3], 4);
    assert_int_equal(zoo_parameters(&m), 4222057 + 3 * 3 * 32); /* of the first convolution */
    model_close(&m);
}

/* Through the reference: no layer dies, and none runs into its clamp. */
TEST(activations_stay_sane)
{
    const struct interpreter_options keep = { .preserve_all = true };
    static const struct {
        double width;
        uint32_t resolution;
    } rows[] = { { 0.25, 96 }, { 0.25, 32 }, { 1, 32 } };

    for (size_t r = 0; r < COUNT(rows); r++) {
        struct interpreter *in;
        struct model m CLOSED_BY(model_close);
        size_t count;

        build(&m, (struct zoo_options){ .width = rows[r].width,
                                        .resolution = rows[r].resolution,
                                        .type = TENSOR_FLOAT32,
                                        .seed = 1 });
        assert_int_equal(interpreter_open(&in, &m, &keep, &err), STATUS_OK);
        assert_int_equal(interpreter_allocate(in, &err), STATUS_OK);
        tensor_fill(interpreter_tensor(in, interpreter_inputs(in, &count)[0]), 1, 0, &err);
        assert_int_equal(interpreter_invoke(in, &err), STATUS_OK);
        for (size_t i = 0; i + 1 < interpreter_node_count(in); i++) { /* all but SOFTMAX */
            const TfLiteTensor *const t =
                interpreter_tensor(in, interpreter_node(in, (int)i)->outputs->data[0]);
            const size_t elements = ref_elements(t);
            double squares = 0, rms;
            size_t clamped = 0;

            for (size_t k = 0; k < elements; k++) {
                squares += (double)t->data.f[k] * t->data.f[k];
                clamped += t->data.f[k] == 6;
            }
            rms = sqrt(squares / (double)elements);
            if (!(rms > 0.1 && rms < 8) || clamped > elements / 50)
                fail_msg("%s at width %g, resolution %u: rms %g, %zu of %zu at 6", t->name,
                         rows[r].width, rows[r].resolution, rms, clamped, elements);
        }
        interpreter_close(in);
    }
}

TEST(refuses)
{
    static const struct {
        struct zoo_options options;
        const char *text;
    } rows[] = {
        { { .width = 0, .type = TENSOR_FLOAT32 }, "width 0, expected more than 0, at most 2" },
        { { .width = 2.5, .type = TENSOR_FLOAT32 }, "width 2.5, expected more than 0, at most 2" },
        { { .width = NAN, .type = TENSOR_FLOAT32 }, "width nan, expected more than 0, at most 2" },
        { { .width = 1, .resolution = 100, .type = TENSOR_FLOAT32 },
          "resolution 100, expected a multiple of 32 up to 1024" },
        { { .width = 1, .resolution = 1056, .type = TENSOR_FLOAT32 },
          "resolution 1056, expected a multiple of 32 up to 1024" },
        { { .width = 1, .batch = 1025, .type = TENSOR_FLOAT32 }, "batch 1025, expected 1 to 1024" },
        { { .width = 1, .channels = 129, .type = TENSOR_FLOAT32 },
          "129 channels, expected 1 to 128" },
        { { .width = 1, .classes = 1, .type = TENSOR_FLOAT32 }, "1 classes, expected 2 to 262144" },
        { { .width = 1, .type = TENSOR_INT16 }, "type INT16, expected f32, f16, i8 or u8" },
        { { .width = 1, .type = TENSOR_UINT8, .weights_only = true },
          "weights only in type 3, expected i8" },
    };
    const struct zoo_entry *e;
    struct model m;

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(zoo_build(&m, entry("mobilenet_v1"), &rows[i].options, &err),
                         STATUS_USAGE);
        assert_string_equal(err.text, rows[i].text);
        assert_null(m.subgraphs);
    }
    assert_int_equal(zoo_find(&e, "posenet", &err), STATUS_OK);
    assert_int_equal(
        zoo_build(&m, e,
                  &(struct zoo_options){ .width = 1, .resolution = 256, .type = TENSOR_FLOAT32 },
                  &err),
        STATUS_USAGE);
    assert_string_equal(err.text, "resolution 256, expected 33 to 1025 in steps of 16");
    assert_int_equal(zoo_find(&e, "resnet51", &err), STATUS_USAGE);
    assert_string_equal(err.text, "no such model; did you mean resnet50?");
    assert_int_equal(zoo_find(&e, "alexnet", &err), STATUS_USAGE);
}

/* ---- 8 bits ---- */

/* clang-format off */
static const struct {
    const char *name;
    int32_t type;
    bool weights_only;
    const char *sha256; /* of all constants */
    int versions[5];    /* of CONV_2D, DEPTHWISE_CONV_2D, AVERAGE_POOL_2D, RESHAPE, SOFTMAX */
    double snr_db;      /* of the logits, at least */
} integers[] = {
    { "i8", TENSOR_INT8, false, "f7eabaaa344a14e4cc02ecaa9eadafb2aee2d0ab18805b2ae626ec860c608532",
      { 3, 3, 2, 1, 2 }, 30 },
    { "u8", TENSOR_UINT8, false, "07a86f477724aba9a1a681644bd48776f6de8562b9fbe866764db4caf243633d",
      { 1, 1, 1, 1, 1 }, 28 },
    { "dynamic", TENSOR_INT8, true,
      "7f8bf39c44bc58d67943de8a7e473d963975850953b0b1b458e3a1363e791c5e", { 5, 6, 1, 1, 1 }, 33 },
};
/* clang-format on */

static struct zoo_options integer_options(size_t row, struct zoo_options options)
{
    options.type = integers[row].type;
    options.weights_only = integers[row].weights_only;
    options.quiet = true;
    return options;
}

TEST(integer_weights_are_fixed)
{
    char hex[SHA256_HEX_BYTES];
    struct model m;

    for (size_t r = 0; r < COUNT(integers); r++) {
        build(&m, integer_options(r, tiny));
        hash(&m, hex);
        model_close(&m);
        assert_string_equal(hex, integers[r].sha256);
    }
}

/* As converters have them: types, versions, scales. */
TEST(integer_topology)
{
    static const int32_t kinds[] = { BUILTIN_CONV_2D, BUILTIN_DEPTHWISE_CONV_2D,
                                     BUILTIN_AVERAGE_POOL_2D, BUILTIN_RESHAPE, BUILTIN_SOFTMAX };

    for (size_t r = 0; r < COUNT(integers); r++) {
        struct zoo_options options =
            integer_options(r, (struct zoo_options){ .width = 1, .resolution = 32, .seed = 1 });
        const int32_t inside = options.weights_only ? TENSOR_FLOAT32 : options.type;
        const struct model_subgraph *g;
        struct model m;

        build(&m, options);
        g = &m.subgraphs[0];
        assert_int_equal(g->operator_count, 31);
        assert_int_equal(zoo_parameters(&m), 4222057);
        assert_int_equal(g->tensors[g->inputs.data[0]].type, inside);
        assert_int_equal(g->tensors[g->outputs.data[0]].type, inside);
        for (size_t i = 0; i < g->operator_count; i++) {
            const struct model_operator *const op = &g->operators[i];
            const struct model_opcode *const code = &m.opcodes[op->opcode_index];
            const struct model_tensor *weights, *bias;

            for (size_t k = 0; k < COUNT(kinds); k++) {
                if (code->code == kinds[k] && code->version != integers[r].versions[k])
                    assert_true(options.weights_only && code->version == 1); /* small weights */
            }
            assert_int_equal(g->tensors[op->outputs.data[0]].type, inside);
            if (op->inputs.count != 3)
                continue;
            weights = &g->tensors[op->inputs.data[1]];
            bias = &g->tensors[op->inputs.data[2]];
            if (options.weights_only) {
                const size_t elements = m.buffers[weights->buffer].data.count;

                assert_int_equal(bias->type, TENSOR_FLOAT32);
                assert_int_equal(code->version > 1, weights->type == TENSOR_INT8);
                assert_true(weights->type == TENSOR_INT8 ? elements >= 1024 : elements < 4096);
                continue;
            }
            assert_int_equal(bias->type, TENSOR_INT32);
            assert_int_equal(bias->quantization.scale.count,
                             options.type == TENSOR_INT8 ? (size_t)bias->shape.data[0] : 1);
            assert_int_equal(weights->quantization.scale.count, bias->quantization.scale.count);
            assert_true(bias->quantization.scale.data[0] ==
                        weights->quantization.scale.data[0] *
                            g->tensors[op->inputs.data[0]].quantization.scale.data[0]);
        }
        model_close(&m);
    }
}

struct outcome {
    float logits[1001];
    size_t best;
};

static struct interpreter *start(struct model *m, struct zoo_options options)
{
    const struct interpreter_options keep = { .preserve_all = true };
    struct interpreter *in;

    build(m, options);
    if (interpreter_open(&in, m, &keep, &err) != STATUS_OK ||
        interpreter_allocate(in, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    return in;
}

static TfLiteTensor *input_of(struct interpreter *in)
{
    size_t count;

    return interpreter_tensor(in, interpreter_inputs(in, &count)[0]);
}

static TfLiteTensor *result_of(struct interpreter *in, size_t node)
{
    return interpreter_tensor(in, interpreter_node(in, (int)node)->outputs->data[0]);
}

static struct outcome run(struct interpreter *in)
{
    struct outcome o;
    const TfLiteTensor *logits;

    assert_int_equal(interpreter_invoke(in, &err), STATUS_OK);
    logits = result_of(in, interpreter_node_count(in) - 2);
    assert_int_equal(ref_elements(logits), COUNT(o.logits));
    for (size_t i = 0; i < COUNT(o.logits); i++)
        o.logits[i] = (float)tensor_real(logits, i);
    assert_int_equal(tensor_top(result_of(in, interpreter_node_count(in) - 1), 1, &o.best), 1);
    return o;
}

static double snr_db(const struct outcome *truth, const struct outcome *got)
{
    double signal = 0, noise = 0;

    for (size_t i = 0; i < COUNT(truth->logits); i++) {
        const double e = (double)got->logits[i] - (double)truth->logits[i];

        signal += (double)truth->logits[i] * (double)truth->logits[i];
        noise += e * e;
    }
    return 10 * log10(signal / noise);
}

/* Every convolution's result uses what its 8 bits can hold, and is hardly ever cut off. */
static void expect_full_ranges(const char *type, struct interpreter *in)
{
    for (size_t i = 0; i < interpreter_node_count(in); i++) {
        const TfLiteTensor *const t = result_of(in, i);
        const size_t elements = ref_elements(t);
        int64_t low = INT64_MAX, high = INT64_MIN;
        size_t cut = 0;

        if (interpreter_node(in, (int)i)->inputs->size != 3)
            continue;
        for (size_t k = 0; k < elements; k++) {
            const int64_t q = ref_load_int(t, k) + (t->type == kTfLiteInt8 ? 128 : 0);

            low = q < low ? q : low;
            high = q > high ? q : high;
            cut += q == UINT8_MAX;
        }
        if (low > 32 || high < 160 || cut > elements / 50 + 1)
            fail_msg("%s: %s: %d to %d of 0 to 255, %zu of %zu at the end", type, t->name, (int)low,
                     (int)high, cut, elements);
    }
}

/* The same picture through the float model and through the one in 8 bits. */
TEST(integers_say_the_same)
{
    const struct zoo_options plain = {
        .width = 0.5, .resolution = 96, .type = TENSOR_FLOAT32, .seed = 1
    };

    for (size_t r = 0; r < COUNT(integers); r++) {
        struct model m CLOSED_BY(model_close), f CLOSED_BY(model_close);
        struct interpreter *const in = start(&m, integer_options(r, plain));
        struct interpreter *const real = start(&f, plain);
        TfLiteTensor *const from = input_of(in), *const to = input_of(real);
        struct outcome truth, got;
        double snr;

        assert_int_equal(tensor_fill(from, 99, 0, &err), STATUS_OK);
        for (size_t i = 0; i < ref_elements(to); i++)
            to->data.f[i] = (float)tensor_real(from, i);
        truth = run(real);
        got = run(in);
        snr = snr_db(&truth, &got);
        if (got.best != truth.best || !(snr >= integers[r].snr_db))
            fail_msg("%s: class %zu, expected %zu; SNR of the logits %.1f dB, want %.0f",
                     integers[r].name, got.best, truth.best, snr, integers[r].snr_db);
        if (!integers[r].weights_only)
            expect_full_ranges(integers[r].name, in);
        interpreter_close(in);
        interpreter_close(real);
    }
}

TEST(scales)
{
    static const struct {
        int32_t type;
        struct zoo_range range;
        struct zoo_scale want;
    } rows[] = {
        { TENSOR_UINT8, { 0, 255 }, { 1, 0 } },
        { TENSOR_UINT8, { -255, 0 }, { 1, 255 } },
        { TENSOR_UINT8, { 2, 510 }, { 2, 0 } },           /* 0 is always there */
        { TENSOR_UINT8, { -1, 1 }, { 2 / 255.0F, 127 } }, /* the scale is a little above 2/255 */
        { TENSOR_INT8, { 0, 255 }, { 1, -128 } },
        { TENSOR_INT8, { -255, -3 }, { 1, 127 } },
        { TENSOR_INT8, { -64, 191 }, { 1, -64 } },
        { TENSOR_INT8, { 0, 0 }, { 1, -128 } }, /* a dead tensor */
    };
    const double weights[] = { -0.25, 0, 1, -2, 0.5, 0, 0.75, 0 };
    struct zoo_scale scale[4];
    int8_t i8[8];
    uint8_t u8[8];

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct zoo_scale s = zoo_scale_of(rows[i].type, rows[i].range);

        assert_true(s.scale == rows[i].want.scale);
        assert_int_equal(s.zero_point, rows[i].want.zero_point);
    }
    /* Two channels, each of four in a row; four channels, one after the other. */
    zoo_quantize_weights(TENSOR_INT8, weights, 8, (struct zoo_channels){ 2, 4 }, i8, scale);
    assert_true(scale[0].scale == 2.0F / 127 && scale[1].scale == 0.75F / 127);
    assert_memory_equal(i8, ((int8_t[]){ -16, 0, 64, -127, 85, 0, 127, 0 }), 8);
    zoo_quantize_weights(TENSOR_INT8, weights, 8, (struct zoo_channels){ 4, 1 }, i8, scale);
    assert_true(scale[1].scale == 1); /* zeros only */
    assert_memory_equal(i8, ((int8_t[]){ -64, 0, 127, -127, 127, 0, 95, 0 }), 8);
    zoo_quantize_weights(TENSOR_UINT8, weights, 8, (struct zoo_channels){ 4, 1 }, u8, scale);
    assert_true(scale[0].scale == 3.0F / 254);
    assert_int_equal(scale[0].zero_point, 170); /* 1 + 169.33 */
    assert_memory_equal(u8, ((uint8_t[]){ 149, 170, 255, 1, 212, 170, 234, 170 }), 8);
    assert_int_equal(zoo_quantize_bias(-0.75, 0.5F), -2); /* a tie, away from 0 */
    assert_int_equal(zoo_quantize_bias(1e30, 1e-30F), INT32_MAX);
}

/* Each allocation fails once: no crash, no leak (a sanitizer tells), the right status. */
static void out_of_memory_with(const struct zoo_options *options)
{
    const struct zoo_entry *const e = entry("mobilenet_v1");
    long needed;

    for (long n = 0;; n++) {
        struct model m;
        enum status s;

        mem_fail_after(n);
        s = zoo_build(&m, e, options, &err);
        needed = mem_fail_after(-1);
        if (s == STATUS_OK) {
            model_close(&m);
            break;
        }
        assert_int_equal(s, STATUS_NO_MEMORY);
        assert_null(m.subgraphs);
        assert_true(n < 10000);
    }
    assert_true(needed > 10);
}

TEST(out_of_memory)
{
    out_of_memory_with(&tiny);
    for (size_t r = 0; r < COUNT(integers); r += 2) { /* u8 is made as i8 is */
        const struct zoo_options options = integer_options(r, tiny);

        out_of_memory_with(&options);
    }
}
