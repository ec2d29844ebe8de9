/* The tensors that a host hands over at an inference: of other sizes than planned, and stale ones,
 * whose values another partition left on the device.  Skipped without a device. */
#include "delegate/tests/kit/buffer_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

enum { SIDE = 5, CHANNELS = 3, ELEMENTS = SIDE * SIDE * CHANNELS };

static void fill(TfLiteTensor *t, uint64_t seed)
{
    for (size_t i = 0; i < t->bytes / sizeof(float); i++)
        t->data.f[i] = 4 * kit_float(&seed);
}

/* ---- sizes ---- */

enum { X = 0, Y };

/* y = RELU(x) */
static void make_relu(struct model *m, int32_t channels)
{
    kit_text(m, "RELU x:f32[1,%d,%d,%d] -> y", SIDE, SIDE, channels);
}

static void expect_said(const char *text)
{
    if (!strstr(kit_said, text))
        fail_msg("\"%s\" is not in \"%s\"", text, kit_said);
}

/* An inference fails while a tensor has other bytes than planned, and writes nothing to it. */
static void expect_refused(struct interpreter *in, int tensor, size_t bytes)
{
    TfLiteTensor *const t = interpreter_tensor(in, tensor);
    const size_t planned = t->bytes;
    char text[128];

    if (tensor == Y)
        memset(t->data.raw, 0x55, planned);
    t->bytes = bytes;
    kit_said[0] = '\0';
    assert_int_not_equal(interpreter_invoke(in, &err), STATUS_OK);
    snprintf(text, sizeof text, "expected %zu bytes as planned, found %zu", planned, bytes);
    expect_said(text);
    t->bytes = planned;
    for (size_t i = 0; i < planned && tensor == Y; i++)
        assert_int_equal(t->data.uint8[i], 0x55);
}

/* Behind each refusal the next inference is right. */
TEST(sizes_are_checked)
{
    static const size_t other[] = { ELEMENTS * sizeof(float) - 1, sizeof(float), 0,
                                    ELEMENTS * sizeof(float) + 4 };

    MODEL_BY(m, make_relu(&m, CHANNELS));
    DELEGATE(d, "precision", "fp32");
    INTERPRETER(in, &m, d);
    for (int tensor = X; tensor <= Y; tensor++) {
        for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
            const TfLiteTensor *const x = interpreter_tensor(in, X);

            fill(interpreter_tensor(in, X), i + 1);
            expect_refused(in, tensor, other[i]);
            kit_run(in);
            for (int e = 0; e < ELEMENTS; e++)
                assert_true(interpreter_tensor(in, Y)->data.f[e] ==
                            (x->data.f[e] > 0 ? x->data.f[e] : 0));
        }
    }
}

/* An output is read later, into a tensor that has become smaller. */
TEST(sizes_are_checked_when_outputs_are_read)
{
    TfLiteTensor *y;

    MODEL_BY(m, make_relu(&m, CHANNELS));
    DELEGATE(d, "precision", "fp32");
    INTERPRETER(in, &m, d);
    interpreter_allow_buffer_handles(in, true);
    fill(interpreter_tensor(in, X), 1);
    kit_run(in);
    y = interpreter_tensor(in, Y);
    assert_true(y->data_is_stale);
    memset(y->data.raw, 0x55, y->bytes);
    y->bytes -= sizeof(float);
    assert_int_not_equal(interpreter_make_readable(in, Y, &err), STATUS_OK);
    y->bytes += sizeof(float);
    for (size_t i = 0; i < y->bytes; i++)
        assert_int_equal(y->data.uint8[i], 0x55);
    kit_read(in, Y);
    assert_true(y->data.f[0] >= 0);
}

/* A stale input says by its handle which output it is; one of another size is refused. */
TEST(sizes_of_stale_tensors_are_checked)
{
    TfLiteTensor *to;

    MODEL_BY(small, make_relu(&small, 1));
    MODEL_BY(large, make_relu(&large, CHANNELS));
    DELEGATE(d, "precision", "fp32");
    INTERPRETER(writer, &small, d);
    INTERPRETER(reader, &large, d);
    interpreter_allow_buffer_handles(writer, true);
    fill(interpreter_tensor(writer, X), 1);
    kit_run(writer);
    to = interpreter_tensor(reader, X);
    fill(to, 2);
    to->delegate = d;
    to->buffer_handle = interpreter_tensor(writer, Y)->buffer_handle;
    to->data_is_stale = true;
    kit_said[0] = '\0';
    assert_int_not_equal(interpreter_invoke(reader, &err), STATUS_OK);
    expect_said("expected an output of 300 bytes, found 100");
    to->delegate = NULL;
    to->buffer_handle = kTfLiteNullBufferHandle;
    to->data_is_stale = false;
    kit_run(reader);
}

/* ---- stale tensors ---- */

struct chain {
    struct model model;
    int x, t, y;
};

/* x -> partition -> t, s; s -> CPU -> u; t, u -> partition -> y.  Nothing but the second partition
 * reads t, so the host has no reason to copy it. */
static void make_chain(struct chain *c)
{
    *c = (struct chain){ .x = 0, .t = 1, .y = 4 };
    kit_text(&c->model,
             "RELU x:f32[1,%d,%d,%d] -> t; MUL {} x t -> s; LOGISTIC s -> u; ADD {} t u -> y", SIDE,
             SIDE, CHANNELS);
}

/* The bits of y on the CPU. */
static void compute_expected(const struct chain *c, uint64_t seed, float *expected)
{
    INTERPRETER(in, &c->model, NULL);

    fill(interpreter_tensor(in, c->x), seed);
    kit_run(in);
    memcpy(expected, interpreter_tensor(in, c->y)->data.raw, ELEMENTS * sizeof *expected);
}

/* The host's own copy of t is of no inference. */
static void expect_fresh(struct interpreter *in, const struct chain *c, uint64_t seed, bool bound)
{
    TfLiteTensor *const t = interpreter_tensor(in, c->t);
    float expected[ELEMENTS];

    compute_expected(c, seed, expected);
    fill(interpreter_tensor(in, c->x), seed);
    assert_non_null(t->data.raw);
    memset(t->data.raw, 0x3c, t->bytes);
    kit_run(in);
    kit_read(in, c->y);
    assert_memory_equal(interpreter_tensor(in, c->y)->data.raw, expected, sizeof expected);
    if (bound) /* t stayed on the device */
        assert_int_equal(t->data.uint8[0], 0x3c);
}

/* t is bound as an output of the first partition, and not as an input of the second. */
TEST(bound_between_partitions)
{
    struct kit_buffer buffer;
    struct kit_vulkan v;
    struct chain c;

    make_chain(&c);
    for (int none = 0; none < 2; none++) {
        DELEGATE(d, "exclude", "LOGISTIC", "max_partitions", "0", "wait",
                 none ? "none" : "passive");
        struct interpreter *const in = kit_open(&c.model, d);
        struct assay_gpu_buffer bound = { .struct_size = sizeof bound,
                                          .kind = ASSAY_GPU_VK_BUFFER,
                                          .layout = ASSAY_LAYOUT_C4,
                                          .tensor = c.t,
                                          .partition = 0 };

        assert_int_equal(interpreter_partition_count(in), 2);
        expect_fresh(in, &c, 1, false);
        v = kit_vulkan_of(d);
        buffer = kit_buffer(&v, kit_io(d, c.t).c4_bytes);
        bound.vk_buffer = (uint64_t)(uintptr_t)buffer.handle;
        bound.vk_device = v.device;
        bound.size = buffer.bytes;
        kit_must_bind(d, &bound);
        for (int allow = 0; allow < 2; allow++) {
            interpreter_allow_buffer_handles(in, allow);
            for (uint64_t seed = 2; seed < 6; seed++)
                expect_fresh(in, &c, seed, true);
        }
        interpreter_close(in);
        kit_buffer_close(&v, &buffer);
    }
    model_close(&c.model);
}

TEST_FILE(.before = kit_find_device, .needs = &kit_device);
