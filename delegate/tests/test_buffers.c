/* Inputs and outputs that stay on the device: buffer handles, wait=none, tensors bound to buffers
 * of the caller in both layouts, and the number of copies. */
#include "delegate/tests/kit/buffer_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "delegate/runtime/kernel.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SIDE = 5, ROWS = SIDE * SIDE, X = 0, T, Y };

/* t = LOGISTIC(x), y = t * x + x.  `both`: t is an output, too.
 * Elementwise steps would write over the input if the plan let them. */
static void make_model(struct model *m, int channels, bool both)
{
    kit_text(m,
             "tensors x:f32[1,5,5,%d] t:f32[1,5,5,%d] y:f32[1,5,5,%d]\n"
             "LOGISTIC x -> t; MUL {} t x -> p; ADD {} p x -> y; outputs y %s",
             channels, channels, channels, both ? "t" : "");
}

static void fill(float *values, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        values[i] = 4 * kit_float(&seed);
}

static void set_input(struct interpreter *in, uint64_t seed)
{
    TfLiteTensor *x = interpreter_tensor(in, X);

    fill(x->data.f, x->bytes / sizeof(float), seed);
}

/* ---- handles ---- */

/* An output that the host does not read is not copied; one that it reads twice is copied once. */
TEST(outputs_stay)
{
    float expected[ROWS * 3];
    struct assay_gpu_stats before, after;

    MODEL_BY(m, make_model(&m, 3, true));
    DELEGATE(d, "precision", "fp32");
    INTERPRETER(in, &m, d);
    set_input(in, 1);
    kit_run(in);
    assert_false(interpreter_tensor(in, Y)->data_is_stale);
    memcpy(expected, interpreter_tensor(in, Y)->data.raw, sizeof expected);

    interpreter_allow_buffer_handles(in, true);
    memset(interpreter_tensor(in, Y)->data.raw, 0, sizeof expected);
    before = kit_stats(d);
    kit_run(in);
    after = kit_stats(d);
    assert_true(interpreter_tensor(in, Y)->data_is_stale);
    assert_true(interpreter_tensor(in, T)->data_is_stale);
    assert_int_equal(after.host_copies - before.host_copies, 1); /* the input */
    assert_int_equal(interpreter_tensor(in, Y)->data.f[0], 0);
    kit_read(in, Y);
    kit_read(in, Y);
    assert_int_equal(kit_stats(d).host_copies - after.host_copies, 1);
    assert_true(interpreter_tensor(in, T)->data_is_stale);
    assert_memory_equal(expected, interpreter_tensor(in, Y)->data.raw, sizeof expected);

    interpreter_allow_buffer_handles(in, false);
    before = kit_stats(d);
    kit_run(in);
    assert_int_equal(kit_stats(d).host_copies - before.host_copies, 3);
}

/* With wait=none the host reads the results of the last inference, with the bits that waiting for
 * each gives.  When handles are not allowed, wait=none does the same as passive. */
TEST(wait_none)
{
    float expected[3][ROWS * 5];
    char error[256];

    MODEL_BY(m, make_model(&m, 5, false));
    for (int none = 0; none < 2; none++) {
        DELEGATE(d, "wait", none ? "none" : "passive");
        INTERPRETER(in, &m, d);
        for (unsigned seed = 0; seed < 3; seed++) {
            set_input(in, seed);
            kit_run(in);
            if (none)
                assert_memory_equal(expected[seed], interpreter_tensor(in, Y)->data.raw,
                                    sizeof expected[0]);
            memcpy(expected[seed], interpreter_tensor(in, Y)->data.raw, sizeof expected[0]);
        }
        interpreter_allow_buffer_handles(in, true);
        for (unsigned i = 0; i < 30; i++) {
            set_input(in, i % 3);
            kit_run(in);
            set_input(in, 7); /* the inference has its own copy of the input */
            if (i % 4 == 3)
                assert_int_equal(assay_gpu_wait(d, error, sizeof error), 0);
            if (i % 4 == 1)
                continue;
            kit_read(in, Y);
            assert_memory_equal(expected[i % 3], interpreter_tensor(in, Y)->data.raw,
                                sizeof expected[0]);
        }
        kit_run(in); /* the interpreter is closed while it runs */
    }
}

/* After an inference that failed each read of its outputs fails, until one succeeds. */
TEST(failed_inference)
{
    MODEL_BY(m, make_model(&m, 3, false));
    DELEGATE(d, "wait", "none");
    INTERPRETER(in, &m, d);
    interpreter_allow_buffer_handles(in, true);
    set_input(in, 1);
    kit_run(in);
    assert_int_equal(assay_gpu_wait(d, NULL, 0), 0);
    ((struct gpu_delegate *)d->data_)->kernels->executor.failed = true;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(interpreter_make_readable(in, Y, &err), STATUS_DEVICE);
        assert_non_null(strstr(err.text, "the inference failed"));
        assert_true(interpreter_tensor(in, Y)->data_is_stale);
    }
    kit_run(in);
    kit_read(in, Y);
}

/* ---- buffers of the caller ---- */

struct copies {
    uint64_t host, device;
};

/* Steps that are not idle are dispatches. */
static int idle_steps(TfLiteDelegate *d)
{
    struct assay_gpu_step step = { .struct_size = sizeof step };
    int idle = 0;

    for (int i = 0; assay_gpu_get_step(d, i, &step) == 0; i++) {
        assert_true(!step.idle || strcmp(step.label, "load") == 0 ||
                    strcmp(step.label, "store") == 0);
        idle += step.idle;
    }
    assert_int_equal(kit_stats(d).dispatches + idle, assay_gpu_step_count(d));
    return idle;
}

/* Counts the copies of an inference with the input or output bound in a layout (-1: not bound).
 * The output has the bits that it has without binding. */
static struct copies run_bound(int channels, int in_layout, int out_layout, const char *precision,
                               const float *input, const float *expected)
{
    const size_t dense = (size_t)ROWS * (size_t)channels * sizeof(float);
    float *values = malloc(4 * dense);
    struct kit_buffer x = { 0 }, y = { 0 };
    struct assay_gpu_stats before, after;
    struct interpreter *in;
    struct kit_vulkan v;
    struct model m;
    TfLiteDelegate *d;

    make_model(&m, channels, false);
    d = kit_delegate(WITH("precision", precision));
    v = kit_vulkan_of(d);
    in = kit_open(&m, d);
    assert_int_equal(kit_io(d, X).dense_bytes, dense);
    assert_int_equal(kit_io(d, X).rows, ROWS);
    assert_int_equal(kit_io(d, Y).output, 1);
    memset(interpreter_tensor(in, X)->data.raw, 0x7f, dense);
    if (in_layout >= 0) {
        x = kit_buffer(&v, in_layout ? kit_io(d, X).c4_bytes : dense);
        kit_bind_buffer(d, &v, X, in_layout, &x);
        if (in_layout == ASSAY_LAYOUT_C4)
            kit_to_slices(x.map, input, ROWS, (uint32_t)channels);
        else
            memcpy(x.map, input, dense);
        memcpy(values, x.map, x.bytes);
        assert_int_equal(kit_io(d, X).bound, in_layout);
    } else {
        memcpy(interpreter_tensor(in, X)->data.raw, input, dense);
    }
    if (out_layout >= 0) {
        y = kit_buffer(&v, out_layout ? kit_io(d, Y).c4_bytes : dense);
        kit_bind_buffer(d, &v, Y, out_layout, &y);
    }
    interpreter_allow_buffer_handles(in, true);
    kit_run(in);
    before = kit_stats(d);
    kit_run(in);
    after = kit_stats(d);
    assert_int_equal(after.device_copies - before.device_copies + (uint64_t)idle_steps(d), 2);
    if (in_layout >= 0) /* an input is read, not written */
        assert_memory_equal(values, x.map, x.bytes);
    if (out_layout == ASSAY_LAYOUT_C4)
        kit_from_slices(values, y.map, ROWS, (uint32_t)channels);
    else if (out_layout == ASSAY_LAYOUT_DENSE)
        memcpy(values, y.map, dense);
    if (out_layout >= 0)
        assert_memory_equal(values, expected, dense);
    kit_read(in, Y); /* and so does the host's tensor */
    assert_memory_equal(interpreter_tensor(in, Y)->data.raw, expected, dense);
    if (out_layout < 0) /* the host reads it from the staging buffer */
        after = kit_stats(d);
    interpreter_close(in);
    kit_buffer_close(&v, &x);
    kit_buffer_close(&v, &y);
    assay_gpu_delegate_destroy(d);
    model_close(&m);
    free(values);
    return (struct copies){ after.host_copies - before.host_copies,
                            after.device_copies - before.device_copies };
}

TEST(bound_tensors)
{
    static const struct {
        const char *name;
        int in, out;
        struct copies odd,
            whole; /* with 3 or 5 channels; with 4 or 8, where no copy may be needed */
    } rows[] = {
        { "plain", -1, -1, { 2, 2 }, { 2, 0 } },
        { "bound input", ASSAY_LAYOUT_DENSE, -1, { 1, 2 }, { 1, 0 } },
        { "bound output", -1, ASSAY_LAYOUT_DENSE, { 1, 2 }, { 1, 0 } },
        { "both", ASSAY_LAYOUT_DENSE, ASSAY_LAYOUT_DENSE, { 0, 2 }, { 0, 0 } },
        { "C4 input", ASSAY_LAYOUT_C4, -1, { 1, 1 }, { 1, 0 } },
        { "C4 output", -1, ASSAY_LAYOUT_C4, { 1, 1 }, { 1, 0 } },
        { "C4 both", ASSAY_LAYOUT_C4, ASSAY_LAYOUT_C4, { 0, 0 }, { 0, 0 } },
    };
    static const int channels[] = { 3, 4, 5, 8 };
    struct assay_gpu_device any = { .struct_size = sizeof any };

    assert_true(assay_gpu_devices(&any, 1, NULL, 0) > 0);
    for (size_t c = 0; c < sizeof channels / sizeof channels[0]; c++) {
        float input[ROWS * 8], expected[ROWS * 8];
        struct interpreter *in;
        struct model m;
        TfLiteDelegate *d = kit_delegate(WITH("precision", "fp32"));

        make_model(&m, channels[c], false);
        in = kit_open(&m, d);
        fill(input, (size_t)(ROWS * channels[c]), 3);
        memcpy(interpreter_tensor(in, X)->data.raw, input, interpreter_tensor(in, X)->bytes);
        kit_run(in);
        memcpy(expected, interpreter_tensor(in, Y)->data.raw, interpreter_tensor(in, Y)->bytes);
        interpreter_close(in);
        assay_gpu_delegate_destroy(d);
        model_close(&m);
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            const struct copies want = channels[c] % 4 ? rows[i].odd : rows[i].whole;
            const struct copies got =
                run_bound(channels[c], rows[i].in, rows[i].out, "fp32", input, expected);

            /* From a staging buffer that is not device-local a step still copies. */
            if (got.host != want.host ||
                (got.device != want.device && any.host_writes && any.host_reads))
                fail_msg("%s, %d channels: %d host copies of %d, %d device copies of %d",
                         rows[i].name, channels[c], (int)got.host, (int)want.host, (int)got.device,
                         (int)want.device);
            if (channels[c] <= 4)
                printf("copies: %-12s %d channels: %d by the host, %d by the device\n",
                       rows[i].name, channels[c], (int)got.host, (int)got.device);
        }
    }
}

/* With precision=fp16, elements in ASSAY_LAYOUT_C4 are f16. */
TEST(half_slices)
{
    struct kit_buffer x, y;
    struct assay_gpu_io e;
    struct interpreter *in;
    struct kit_vulkan v;
    float expected[ROWS * 5];

    MODEL_BY(m, make_model(&m, 5, false));
    DELEGATE(d, "precision", "fp16");
    v = kit_vulkan_of(d);
    in = kit_open(&m, d);
    set_input(in, 9);
    kit_run(in);
    memcpy(expected, interpreter_tensor(in, Y)->data.raw, sizeof expected);
    e = kit_io(d, X);
    assert_int_equal(e.element_bytes, 2);
    assert_int_equal(e.c4_bytes, ROWS * 8 * 2);
    assert_int_equal(e.dense_bytes, ROWS * 5 * 4);
    /* One inference from dense to slices, another one from slices to dense: the same values. */
    y = kit_buffer(&v, e.c4_bytes);
    kit_bind_buffer(d, &v, Y, ASSAY_LAYOUT_C4, &y);
    kit_run(in);
    assert_memory_equal(interpreter_tensor(in, Y)->data.raw, expected, sizeof expected);
    kit_unbind(d, Y);
    x = kit_buffer(&v, e.c4_bytes);
    kit_bind_buffer(d, &v, X, ASSAY_LAYOUT_C4, &x);
    memset(x.map, 0, x.bytes);
    kit_run(in);
    for (int i = 0; i < ROWS * 5; i++)
        assert_true(interpreter_tensor(in, Y)->data.f[i] == 0);
    interpreter_close(in);
    kit_buffer_close(&v, &x);
    kit_buffer_close(&v, &y);
}

/* y = x + x in i8 of 3 channels. */
static void make_bytes(struct model *m)
{
    kit_text(m, "ADD:2 {} x:i8[1,5,5,3]q(0.5,-3) x -> y:i8[1,5,5,3]q(0.75,4)");
}

/* With quantized=exact buffers hold bytes, and a slice is 4 bytes; in float view they hold the
 * dequantized floats. */
TEST(quantized)
{
    enum { COUNT = ROWS * 3 };

    MODEL_BY(m, make_bytes(&m));
    for (int view = 0; view < 2; view++) {
        DELEGATE(d, "quantized", view ? "float_view" : "exact");
        INTERPRETER(in, &m, d);
        const struct kit_vulkan v = kit_vulkan_of(d);
        const size_t element = view ? sizeof(float) : 1;
        int8_t *const given = interpreter_tensor(in, 0)->data.int8;
        int8_t expected[COUNT];

        assert_int_equal(interpreter_partition_count(in), 1);
        for (int i = 0; i < COUNT; i++)
            given[i] = (int8_t)(i * 5 - 128);
        kit_run(in);
        memcpy(expected, interpreter_tensor(in, 1)->data.raw, COUNT);
        for (int layout = 0; layout < 2; layout++) {
            const struct assay_gpu_io e = kit_io(d, 0);
            struct kit_buffer x = kit_buffer(&v, layout ? e.c4_bytes : e.dense_bytes);
            struct kit_buffer y = kit_buffer(&v, x.bytes);
            const int pitch = layout ? 4 : 3;

            assert_int_equal(e.element_bytes, element);
            assert_int_equal(e.dense_bytes, (COUNT * element + 3) / 4 * 4);
            assert_int_equal(e.c4_bytes, ROWS * 4 * element);
            kit_bind_buffer(d, &v, 0, layout, &x);
            kit_bind_buffer(d, &v, 1, layout, &y);
            for (int i = 0; i < COUNT; i++)
                if (view)
                    ((float *)x.map)[i / 3 * pitch + i % 3] = 0.5f * (float)(given[i] + 3);
                else
                    ((int8_t *)x.map)[i / 3 * pitch + i % 3] = given[i];
            memset(interpreter_tensor(in, 1)->data.raw, 0, COUNT);
            kit_run(in);
            assert_memory_equal(interpreter_tensor(in, 1)->data.raw, expected, COUNT);
            for (int i = 0; i < COUNT; i++) {
                const int at = i / 3 * pitch + i % 3;
                const float f = view ? ((float *)y.map)[at] / 0.75f + 4 : ((int8_t *)y.map)[at];

                assert_true(expected[i] == fminf(fmaxf(roundf(f), -128), 127));
            }
            kit_unbind(d, 0);
            kit_unbind(d, 1);
            kit_buffer_close(&v, &x);
            kit_buffer_close(&v, &y);
        }
    }
}

/* Bound, unbound and bound again: each time the same bits, and an output of an inference before the
 * change cannot be read after it. */
TEST(bind_and_unbind)
{
    float expected[ROWS * 3];
    struct interpreter *in;
    struct kit_vulkan v;
    struct kit_buffer y;

    MODEL_BY(m, make_model(&m, 3, true));
    DELEGATE(d, "precision", "fp32");
    v = kit_vulkan_of(d);
    in = kit_open(&m, d);
    set_input(in, 4);
    kit_run(in);
    memcpy(expected, interpreter_tensor(in, Y)->data.raw, sizeof expected);
    y = kit_buffer(&v, kit_io(d, Y).c4_bytes);
    for (int i = 0; i < 6; i++) {
        kit_bind_buffer(d, &v, Y, i % 2, &y);
        memset(interpreter_tensor(in, Y)->data.raw, 0, sizeof expected);
        kit_run(in);
        assert_memory_equal(interpreter_tensor(in, Y)->data.raw, expected, sizeof expected);
        interpreter_allow_buffer_handles(in, true);
        kit_run(in);
        kit_unbind(d, Y);
        /* The other output is not bound; this one was in memory of the caller. */
        kit_read(in, T);
        assert_int_equal(interpreter_make_readable(in, Y, &err), STATUS_DEVICE);
        if (!strstr(err.text, "was bound to other memory"))
            fail_msg("%s", err.text);
        interpreter_allow_buffer_handles(in, false);
        kit_run(in);
        assert_memory_equal(interpreter_tensor(in, Y)->data.raw, expected, sizeof expected);
    }
    interpreter_close(in);
    kit_buffer_close(&v, &y);
}

/* Two interpreters on one device share a buffer: one writes it, the other reads it, and the host
 * copies nothing. */
TEST(chained)
{
    float expected[ROWS * 3];
    struct assay_gpu_buffer shared = {
        .kind = ASSAY_GPU_NEW, .layout = ASSAY_LAYOUT_C4, .tensor = Y, .partition = -1
    };
    struct assay_gpu_stats before, after;
    struct kit_vulkan v;

    MODEL_BY(m, make_model(&m, 3, false));
    DELEGATE(a, "wait", "none");
    DELEGATE(b, "wait", "none");
    INTERPRETER(one, &m, a);
    INTERPRETER(two, &m, b);
    v = kit_vulkan_of(b);
    set_input(one, 11);
    kit_run(one);
    memcpy(interpreter_tensor(two, X)->data.raw, interpreter_tensor(one, Y)->data.raw,
           sizeof expected);
    kit_run(two);
    memcpy(expected, interpreter_tensor(two, Y)->data.raw, sizeof expected);

    kit_must_bind(a, &shared);
    assert_true(shared.size >= kit_io(a, Y).c4_bytes && shared.vk_buffer != 0);
    assert_int_equal(shared.fd, -1);
    shared.kind = ASSAY_GPU_VK_BUFFER;
    shared.tensor = X;
    shared.vk_device = v.device;
    kit_must_bind(b, &shared);
    interpreter_allow_buffer_handles(one, true);
    interpreter_allow_buffer_handles(two, true);
    memset(interpreter_tensor(two, X)->data.raw, 0, sizeof expected);
    before = kit_stats(b);
    kit_run(one);
    kit_run(two);
    after = kit_stats(b);
    assert_int_equal(after.host_copies - before.host_copies, 0);
    kit_read(two, Y);
    assert_memory_equal(interpreter_tensor(two, Y)->data.raw, expected, sizeof expected);
}

/* An interpreter reads an output that another one left on the device: one that was made later, and
 * one that was made before. */
TEST(between_interpreters)
{
    float expected[ROWS * 3];
    struct interpreter *in[2];
    TfLiteTensor *to;

    MODEL_BY(m, make_model(&m, 3, false));
    DELEGATE(d, "precision", "fp32");
    in[0] = kit_open(&m, d);
    in[1] = kit_open(&m, d);
    for (int reader = 0; reader < 2; reader++) {
        const int writer = 1 - reader;

        interpreter_allow_buffer_handles(in[writer], false);
        set_input(in[writer], 4);
        kit_run(in[writer]);
        to = interpreter_tensor(in[reader], X);
        memcpy(to->data.raw, interpreter_tensor(in[writer], Y)->data.raw, sizeof expected);
        kit_run(in[reader]);
        memcpy(expected, interpreter_tensor(in[reader], Y)->data.raw, sizeof expected);

        interpreter_allow_buffer_handles(in[writer], true);
        kit_run(in[writer]);
        memset(to->data.raw, 0, sizeof expected);
        to->delegate = d;
        to->buffer_handle = interpreter_tensor(in[writer], Y)->buffer_handle;
        to->data_is_stale = true;
        kit_run(in[reader]);
        assert_memory_equal(interpreter_tensor(in[reader], Y)->data.raw, expected, sizeof expected);
        to->delegate = NULL;
        to->buffer_handle = kTfLiteNullBufferHandle;
        to->data_is_stale = false;
    }
    interpreter_close(in[0]);
    interpreter_close(in[1]);
}

/* x -> partition -> t -> CPU -> u, and t, u -> partition -> y: t is read by both. */
TEST(between_partitions)
{
    float expected[ROWS * 3];
    struct kit_buffer buffer;
    struct interpreter *in;
    struct kit_vulkan v;
    const int t = 1, y = 3;

    MODEL(m, "RELU x:f32[1,5,5,3] -> t; LOGISTIC t -> u; ADD {} t u -> y");
    in = kit_open(&m, NULL);
    set_input(in, 2);
    kit_run(in);
    memcpy(expected, interpreter_tensor(in, y)->data.raw, sizeof expected);
    interpreter_close(in);
    for (int none = 0; none < 2; none++) {
        char error[512];
        struct assay_gpu_buffer twice = { .kind = ASSAY_GPU_NEW, .tensor = t, .partition = -1 };

        DELEGATE(d, "exclude", "LOGISTIC", "max_partitions", "0", "wait",
                 none ? "none" : "passive");
        in = kit_open(&m, d);
        assert_int_equal(interpreter_partition_count(in), 2);
        assert_int_equal(assay_gpu_io_count(d), 5);
        set_input(in, 2);
        kit_run(in);
        assert_memory_equal(interpreter_tensor(in, y)->data.raw, expected, sizeof expected);
        assert_int_equal(kit_bind(d, &twice, error), -1);
        assert_non_null(strstr(error, "partitions 0 and 1"));
        /* The first partition writes a buffer, from which the second one reads. */
        v = kit_vulkan_of(d);
        buffer = kit_buffer(&v, kit_io(d, t).c4_bytes);
        twice = (struct assay_gpu_buffer){ .kind = ASSAY_GPU_VK_BUFFER,
                                           .layout = ASSAY_LAYOUT_C4,
                                           .tensor = t,
                                           .partition = 0,
                                           .vk_buffer = (uint64_t)(uintptr_t)buffer.handle,
                                           .vk_device = v.device,
                                           .size = buffer.bytes };
        kit_must_bind(d, &twice);
        kit_run(in);
        assert_memory_equal(interpreter_tensor(in, y)->data.raw, expected, sizeof expected);
        twice.partition = 1;
        kit_must_bind(d, &twice);
        kit_run(in);
        assert_memory_equal(interpreter_tensor(in, y)->data.raw, expected, sizeof expected);
        interpreter_close(in);
        kit_buffer_close(&v, &buffer);
    }
}

/* A resize plans again and ends all bindings.  Sizes A, B, A give the bits of A again. */
TEST(resized)
{
    struct kit_buffer buffer;
    struct interpreter *in;
    float first[ROWS * 4];
    struct kit_vulkan v;

    MODEL_BY(m, make_model(&m, 4, false));
    DELEGATE(d, "precision", "fp32");
    v = kit_vulkan_of(d);
    in = kit_open(&m, d);
    buffer = kit_buffer(&v, 65536);
    for (int round = 0; round < 5; round++) {
        const int side = round % 2 ? SIDE + round : SIDE;
        const int rows = side * side;

        KIT_OK(interpreter_resize_input(in, X, (int32_t[]){ 1, side, side, 4 }, 4, &err));
        KIT_OK(interpreter_allocate(in, &err));
        assert_int_equal(interpreter_partition_count(in), 1);
        assert_int_equal(kit_io(d, X).rows, rows);
        assert_int_equal(kit_io(d, X).bound, -1);
        set_input(in, 8);
        if (round % 2) { /* the next resize unbinds it */
            memcpy(buffer.map, interpreter_tensor(in, X)->data.raw,
                   interpreter_tensor(in, X)->bytes);
            kit_bind_buffer(d, &v, X, ASSAY_LAYOUT_C4, &buffer);
        }
        interpreter_allow_buffer_handles(in, round == 2); /* its outputs are stale at the resize */
        kit_run(in);
        if (round == 0)
            memcpy(first, interpreter_tensor(in, Y)->data.raw, sizeof first);
        else if (round == 4)
            assert_memory_equal(first, interpreter_tensor(in, Y)->data.raw, sizeof first);
        for (int i = 0; i < rows * 4 && round != 2; i++) {
            const float x = interpreter_tensor(in, X)->data.f[i];
            const float y = x / (1 + expf(-x)) + x;

            assert_true(fabsf(interpreter_tensor(in, Y)->data.f[i] - y) <= 1e-5f);
        }
    }
    interpreter_close(in);
    kit_buffer_close(&v, &buffer);
}

/* One thread runs inferences while another one binds, unbinds, queries and waits.  The host's
 * memory and the buffer hold the same values, so each inference has the same result. */
struct runner {
    struct interpreter *in;
    const float *expected;
    atomic_bool stop;
    atomic_int runs;
    int wrong;
};

static void *run_on(void *user)
{
    struct runner *r = user;

    while (!atomic_load(&r->stop)) {
        r->wrong += interpreter_invoke(r->in, &err) != STATUS_OK ||
                    memcmp(interpreter_tensor(r->in, Y)->data.raw, r->expected,
                           interpreter_tensor(r->in, Y)->bytes) != 0;
        atomic_fetch_add(&r->runs, 1);
    }
    return NULL;
}

TEST(another_thread_binds)
{
    float expected[ROWS * 3];
    struct runner r = { .expected = expected };
    struct kit_buffer x;
    struct kit_vulkan v;
    pthread_t thread;

    MODEL_BY(m, make_model(&m, 3, false));
    DELEGATE(d, "precision", "fp32");
    v = kit_vulkan_of(d);
    r.in = kit_open(&m, d);
    set_input(r.in, 6);
    kit_run(r.in);
    memcpy(expected, interpreter_tensor(r.in, Y)->data.raw, sizeof expected);
    x = kit_buffer(&v, kit_io(d, X).c4_bytes);
    kit_to_slices(x.map, interpreter_tensor(r.in, X)->data.f, ROWS, 3);
    assert_int_equal(pthread_create(&thread, NULL, run_on, &r), 0);
    for (int i = 0; i < 40 || atomic_load(&r.runs) < 20; i++) {
        usleep(100); /* lets the other thread acquire the mutex, which is not fair */
        kit_bind_buffer(d, &v, X, ASSAY_LAYOUT_C4, &x);
        assert_int_equal(idle_steps(d), 1);
        assert_int_equal(assay_gpu_wait(d, NULL, 0), 0);
        kit_unbind(d, X);
        assert_int_equal(kit_io(d, X).bound, -1);
    }
    atomic_store(&r.stop, true);
    pthread_join(thread, NULL);
    assert_int_equal(r.wrong, 0);
    interpreter_close(r.in);
    kit_buffer_close(&v, &x);
}

TEST_FILE(.before = kit_find_validated_device, .needs = &kit_device);
