/* Two models, or two ways to run one, that differ in a single thing never share a file of an
 * earlier start: each start finds what it wrote itself, and has the results of its own model.
 * Skipped without a device. */
#include "delegate/tests/kit/cache_kit.h"
#include "delegate/tests/kit/device_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "assay_gpu.h"
#include "tensorflow/lite/delegates/gpu/delegate.h"

/* ---- one start ---- */

struct start {
    struct checksum outputs;
    int found, written;
};

static void print(const char *text)
{
    print_error("%s\n", text);
}

/* Bytes of a pattern, or floats of the same. */
static void fill_input(struct interpreter *in)
{
    size_t count;
    TfLiteTensor *const t = interpreter_tensor(in, interpreter_inputs(in, &count)[0]);

    assert_int_equal(count, 1);
    for (size_t i = 0; i < t->bytes; i++) {
        const int8_t byte = (int8_t)(i * 37 % 256 - 128);

        if (t->type != kTfLiteFloat32)
            t->data.int8[i] = byte;
        else if (i < t->bytes / sizeof(float))
            t->data.f[i] = (float)byte / 32;
    }
}

static struct start start(const struct model *m, const char *dir, const char *key,
                          const char *value)
{
    const char *const keys[] = { "serialization_dir", key }, *const values[] = { dir, value };
    TfLiteDelegate *const delegate =
        tflite_plugin_create_delegate(keys, values, key ? 2 : 1, print);
    struct assay_gpu_stats stats = { .struct_size = sizeof stats };
    struct start s = { .found = 0 };
    struct interpreter *in;
    const int *outputs;
    size_t count;

    assert_non_null(delegate);
    KIT_OK(interpreter_open(&in, m, &(struct interpreter_options){ 0 }, &err));
    KIT_OK(interpreter_apply_delegate(in, delegate, NULL, &err));
    KIT_OK(interpreter_allocate(in, &err));
    fill_input(in);
    KIT_OK(interpreter_invoke(in, &err));
    outputs = interpreter_outputs(in, &count);
    for (size_t i = 0; i < count; i++)
        checksum_add(&s.outputs, interpreter_tensor(in, outputs[i])->data.raw,
                     interpreter_tensor(in, outputs[i])->bytes);
    assert_int_equal(assay_gpu_get_stats(delegate, &stats), 0);
    assert_int_equal(stats.partitions, 1);
    s.found = stats.serialized_found;
    s.written = stats.serialized_written;
    interpreter_close(in);
    assay_gpu_delegate_destroy(delegate);
    return s;
}

/* ---- models that differ in one thing ---- */

enum { DEPTH = 128, UNITS = 128 }; /* 64 KiB of weights */

/* FULLY_CONNECTED of floats whose weight number `at` is larger by `more`. */
static void make_floats(struct model *m, size_t at, float more)
{
    kit_text(m, "FULLY_CONNECTED:6 {} x:f32[1,%d] w:f32[%d,%d]=~1(-0.5,0.5) -> y", DEPTH, UNITS,
             DEPTH);
    /* The constants of a text are in memory of the model. */
    ((float *)m->buffers[m->subgraphs[0].tensors[1].buffer].data.data)[at] += more;
}

/* How an 8-bit convolution is quantized: x is real 2^-5 (q - zero_x), and so on. */
struct quantization {
    int zero_x, zero_between, zero_y;
    float scale_x, scale_between, scale_y, last_weights; /* of the last output channel */
};
static const struct quantization usual = { -3, 5, -7, 1. / 32, 1. / 4, 1. / 2, 1. / 64 };

/* Two convolutions, so that one tensor lies between them, which only the plan knows. */
static void make_bytes(struct model *m, const struct quantization *q)
{
    kit_text(
        m,
        "CONV_2D:3 {stride_h=1 stride_w=1} x:i8[1,3,3,6]q(%.9g,%d)\\\n"
        " w:i8[6,1,1,6]=~1q(0.015625|0.015625|0.015625|0.015625|0.015625|%.9g,0|0|0|0|0|0,0)\\\n"
        " b:i32[6]=0,100,200,300,400,500 -> t:i8q(%.9g,%d)\n"
        "CONV_2D:3 {stride_h=1 stride_w=1} t w b -> y:i8q(%.9g,%d)",
        (double)q->scale_x, q->zero_x, (double)q->last_weights, (double)q->scale_between,
        q->zero_between, (double)q->scale_y, q->zero_y);
}

/* FULLY_CONNECTED of u8, whose weights have the zero point `zero`: in float view the plan has none
 * of it, but the packed weights have. */
static void make_u8(struct model *m, int zero)
{
    kit_text(m,
             "FULLY_CONNECTED:6 {} x:u8[1,9]q(0.03125,119) u8[9,9]=~1(0..255)q(0.015625,%d)\\\n"
             " -> y:u8q(0.25,131)",
             zero);
}

/* ---- tests ---- */

/* Starts a, b, a, b in one directory: the first two write, the others find; and b differs from a as
 * it does without the directory's files. */
static void expect_apart(const char *what, const struct model *a, const struct model *b,
                         const char *key, const char *value_a, const char *value_b, bool same_bits)
{
    CACHE_DIR(d);
    struct start s[4];

    for (int i = 0; i < 4; i++) {
        s[i] = start(i % 2 ? b : a, d.path, key, i % 2 ? value_b : value_a);
        if (s[i].found != (i > 1) || s[i].written != (i < 2))
            fail_msg("%s: start %d found %d and wrote %d files", what, i, s[i].found, s[i].written);
        if (i > 1)
            assert_memory_equal(&s[i].outputs, &s[i - 2].outputs, sizeof s[i].outputs);
    }
    if (!same_bits && memcmp(&s[0].outputs, &s[1].outputs, sizeof s[0].outputs) == 0)
        fail_msg("%s: the results are the same", what);
    assert_int_equal(cache_dir_count(d.path, NULL), 2);
}

TEST(one_weight)
{
    static const size_t places[] = { 0, 1023, 1024, DEPTH * UNITS / 2, DEPTH * UNITS - 1 };

    MODEL_BY(a, make_floats(&a, 0, 0));
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char what[32];

        snprintf(what, sizeof what, "weight %zu", places[i]);
        MODEL_BY(b, make_floats(&b, places[i], 4));
        expect_apart(what, &a, &b, NULL, NULL, NULL, false);
    }
}

TEST(one_quantization)
{
    static const char *const modes[] = { "exact", "float_view" };
    struct quantization others[] = { usual, usual, usual, usual, usual, usual, usual };
    static const char *const names[] = {
        "zero point of the input",  "zero point between", "zero point of the output",
        "scale of the input",       "scale between",      "scale of the output",
        "scale of the last channel"
    };

    others[0].zero_x++;
    others[1].zero_between += 90; /* so far that results saturate, which shows in floats, too */
    others[2].zero_y++;
    others[3].scale_x *= 1.5f;
    others[4].scale_between /= 4;
    others[5].scale_y *= 1.5f;
    others[6].last_weights *= 1.5f;
    MODEL_BY(a, make_bytes(&a, &usual));
    for (size_t mode = 0; mode < 2; mode++) {
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
            MODEL_BY(b, make_bytes(&b, &others[i]));
            expect_apart(names[i], &a, &b, "quantized", modes[mode], modes[mode], false);
        }
    }
}

TEST(zero_of_weights)
{
    static const char *const modes[] = { "exact", "float_view" };

    MODEL_BY(a, make_u8(&a, 120));
    MODEL_BY(b, make_u8(&b, 121));
    for (size_t mode = 0; mode < 2; mode++)
        expect_apart("zero point of the weights", &a, &b, "quantized", modes[mode], modes[mode],
                     false);
}

TEST(one_option)
{
    MODEL_BY(floats, make_floats(&floats, 0, 0));
    MODEL_BY(bytes, make_bytes(&bytes, &usual));
    expect_apart("precision", &floats, &floats, "precision", "fp32", "fp16", false);
    expect_apart("quantized", &bytes, &bytes, "quantized", "exact", "float_view", true);
}

TEST_FILE(.before = kit_find_device, .needs = &kit_device);
