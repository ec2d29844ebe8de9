/* Binding tensors to buffers of the caller: wrong arguments, which are refused with both values and
 * change nothing; tensors that cannot be bound in ASSAY_LAYOUT_C4; memory that does not grow. */
#include "delegate/tests/kit/bind_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include <fcntl.h>

/* ---- wrong arguments ---- */

TEST(does_not_fit)
{
    struct assay_gpu_buffer good = {
        .kind = ASSAY_GPU_VK_BUFFER, .layout = ASSAY_LAYOUT_C4, .tensor = X, .partition = -1
    };
    struct assay_gpu_buffer bad;
    char error[512], text[64];
    struct kit_buffer buffer;
    struct interpreter *in;
    struct kit_vulkan v;
    uint32_t align;

    MODEL_BY(m, bind_make_model(&m));
    DELEGATE(d, "precision", "fp32");
    v = kit_vulkan_of(d);
    buffer = kit_buffer(&v, 4096);
    good.vk_buffer = (uint64_t)(uintptr_t)buffer.handle;
    good.vk_device = v.device;
    good.size = SLICES;
    /* Before the delegate has a graph. */
    bind_expect_refused(d, &good, "tensor 0", "modify the graph first");
    in = kit_open(&m, d);
    align = kit_io(d, X).offset_alignment;

    bad = good;
    bad.size = SLICES - 4;
    bind_expect_refused(d, &bad, "expected at least 192 bytes", "found 188");
    bad.layout = ASSAY_LAYOUT_DENSE;
    bad.size = DENSE - 1;
    bind_expect_refused(d, &bad, "expected at least 144 bytes", "found 143");
    bad = good;
    bad.offset = align / 2;
    snprintf(text, sizeof text, "found %u", align / 2);
    bind_expect_refused(d, &bad, text, "offset: expected a multiple of");
    bad = good;
    bad.offset = 1 << 20;
    bind_expect_refused(d, &bad, "end at 1048768", "has at most");
    bad.offset = UINT64_MAX - align + 1;
    bad.size = 1 << 20;
    bind_expect_refused(d, &bad, "offset 18446744073709551", "size 1048576");
    bad = good;
    bad.vk_device = &m;
    snprintf(text, sizeof text, "%p", (void *)v.device);
    bind_expect_refused(d, &bad, "VkDevice", text);
    bad = good;
    bad.vk_buffer = 0;
    bind_expect_refused(d, &bad, "tensor 0, input 0 of partition 0", "VK_NULL_HANDLE");
    bad = good;
    bad.layout = 2;
    bind_expect_refused(d, &bad, "layout 2", "0 or 1");
    bad = good;
    bad.kind = 77;
    bind_expect_refused(d, &bad, "kind 77", "0 to 5");
    bad = good;
    bad.tensor = HIDDEN;
    bind_expect_refused(d, &bad, "tensor 2",
                        "not an input or output of the delegate's 1 partitions");
    bad.tensor = -1;
    bind_expect_refused(d, &bad, "tensor -1", "not an input or output");
    bad = good;
    bad.partition = 3;
    bind_expect_refused(d, &bad, "expected a partition below 1", "found 3");
    bad = good;
    bad.kind = ASSAY_GPU_NEW;
    bad.offset = 256;
    bind_expect_refused(d, &bad, "offset 256", "new buffer");

    /* A struct that is too short, NULL, and a delegate that is NULL. */
    bad = good;
    bad.struct_size = sizeof bad - 1;
    assert_int_equal(assay_gpu_bind_buffer_to_tensor(d, &bad, error, sizeof error), -1);
    assert_non_null(strstr(error, "struct_size: expected"));
    assert_int_equal(assay_gpu_bind_buffer_to_tensor(d, NULL, error, sizeof error), -1);
    assert_int_equal(assay_gpu_bind_buffer_to_tensor(d, NULL, NULL, 0), -1);
    bad.struct_size = sizeof bad;
    assert_int_equal(assay_gpu_bind_buffer_to_tensor(NULL, &bad, error, sizeof error), -1);
    assert_int_equal(assay_gpu_unbind_tensor(NULL, X, -1, error, sizeof error), -1);
    assert_int_equal(assay_gpu_unbind_tensor(d, X, -1, error, sizeof error), -1);
    assert_non_null(strstr(error, "is not bound"));
    assert_int_equal(assay_gpu_wait(NULL, error, sizeof error), -1);
    assert_int_equal(assay_gpu_io_count(NULL), 0);
    assert_int_equal(assay_gpu_get_io(d, 2, &(struct assay_gpu_io){ .struct_size = 64 }), -1);
    assert_int_equal(assay_gpu_get_io(d, -1, &(struct assay_gpu_io){ .struct_size = 64 }), -1);
    assert_int_equal(assay_gpu_get_io(d, 0, NULL), -1);
    assert_int_equal(assay_gpu_get_device(NULL, NULL), -1);
    assert_int_equal(assay_gpu_get_device(d, NULL), -1);
    assay_gpu_lock_queue(NULL);
    assay_gpu_unlock_queue(NULL);

    /* A tensor that is bound already, and memory that another tensor is bound to. */
    bad = good;
    assert_int_equal(kit_bind(d, &bad, error), 0);
    snprintf(text, sizeof text, "buffer 0x%llx", (unsigned long long)good.vk_buffer);
    bind_expect_refused(d, &good, "bound already, to 192 bytes at offset 0", text);
    bad = good;
    bad.tensor = Y;
    bad.offset = align;
    snprintf(text, sizeof text, "bytes %u to %u", align, align + SLICES);
    bind_expect_refused(d, &bad, text, "overlap those of tensor 0, 0 to 192");
    bad.offset = 1024;
    assert_int_equal(kit_bind(d, &bad, error), 0);

    /* After all failures an inference works, with the binding that succeeded. */
    {
        float x[ROWS * CHANNELS], y[ROWS * CHANNELS];

        bind_fill(x, 5);
        kit_to_slices(buffer.map, x, ROWS, CHANNELS);
        kit_run(in);
        kit_from_slices(y, (float *)((char *)buffer.map + 1024), ROWS, CHANNELS);
        bind_expect(y, 5);
        bind_expect(interpreter_tensor(in, Y)->data.f, 5);
    }
    interpreter_close(in);
    kit_buffer_close(&v, &buffer);
}

/* A variable tensor cannot be bound, nor two outputs that share memory in ASSAY_LAYOUT_C4. */
TEST(cannot_lie_there)
{
    struct assay_gpu_buffer b = { .kind = ASSAY_GPU_NEW,
                                  .layout = ASSAY_LAYOUT_C4,
                                  .partition = -1 };
    const int x = 0, y = 1, z = 2;

    MODEL(m, "tensors x:f32[2,4] y:f32[2,4] z:f32[1,8]\n"
             "RELU x -> y\n"
             "RESHAPE y s:i32[2]=1,8 -> z\n"
             "outputs y z");
    DELEGATE(d, "precision", "fp32");
    INTERPRETER(in, &m, d);
    b.tensor = y;
    kit_must_bind(d, &b);
    b.tensor = z;
    b.size = 0;
    bind_expect_refused(d, &b, "tensor 2", "shares memory with another input or output");
    b.layout = ASSAY_LAYOUT_DENSE; /* then a step copies it */
    kit_must_bind(d, &b);
    for (int i = 0; i < 8; i++)
        interpreter_tensor(in, x)->data.f[i] = (float)(i - 3);
    kit_run(in);
    for (int i = 0; i < 8; i++) {
        assert_true(interpreter_tensor(in, y)->data.f[i] == fmaxf((float)(i - 3), 0));
        assert_true(interpreter_tensor(in, z)->data.f[i] == fmaxf((float)(i - 3), 0));
    }
}

/* ---- models of their own ---- */

/* A model that the delegate has, and a buffer of C4 that its tensors may be bound to. */
struct bound {
    struct model m;
    TfLiteDelegate *d;
    struct interpreter *in;
    struct kit_vulkan v;
    struct kit_buffer buffer;
    struct assay_gpu_buffer b;
};

static void bound_open(struct bound *t, const char *text, uint32_t bytes)
{
    kit_text(&t->m, "%s", text);
    t->d = kit_delegate(WITH("precision", "fp32"));
    t->v = kit_vulkan_of(t->d);
    t->in = kit_open(&t->m, t->d);
    t->buffer = kit_buffer(&t->v, bytes);
    t->b = (struct assay_gpu_buffer){ .kind = ASSAY_GPU_VK_BUFFER,
                                      .layout = ASSAY_LAYOUT_C4,
                                      .partition = -1,
                                      .vk_buffer = (uint64_t)(uintptr_t)t->buffer.handle,
                                      .vk_device = t->v.device,
                                      .size = bytes };
}

static void bound_close(struct bound *t)
{
    interpreter_close(t->in);
    kit_buffer_close(&t->v, &t->buffer);
    assay_gpu_delegate_destroy(t->d);
    model_close(&t->m);
}

/* y = CONV_2D(x) + r, which is computed in the memory of r, but never in memory of the caller. */
TEST(input_is_written)
{
    enum { C = 8, PIXELS = 6 };
#define TWO "2,0,0,0,0,0,0,0,0,"
    float before[C * PIXELS];
    struct bound t CLOSED_BY(bound_close);
    const int x = 0, r = 1, y = 3;

    /* Weights are twice the identity. */
    bound_open(&t,
               "tensors x:f32[1,2,3,8] r:f32[1,2,3,8] t:f32[1,2,3,8] y:f32[1,2,3,8]\n"
               "CONV_2D {stride_w=1 stride_h=1} x f32[8,1,1,8]=" TWO TWO TWO TWO TWO TWO TWO "2 "
               "f32[8]=0 -> t\n"
               "ADD {} t r -> y\n"
               "inputs x r",
               sizeof before);
    t.b.tensor = r;
    assert_int_equal(kit_stats(t.d).transforms, 1);
    bind_expect_refused(t.d, &t.b, "bind it dense", "writes over it");
    for (int dense = 0; dense < 2; dense++) {
        if (dense)
            kit_bind_buffer(t.d, &t.v, r, ASSAY_LAYOUT_DENSE, &t.buffer);
        for (int i = 0; i < C * PIXELS; i++)
            interpreter_tensor(t.in, x)->data.f[i] = interpreter_tensor(t.in, r)->data.f[i] =
                ((float *)t.buffer.map)[i] = (float)i;
        for (int run = 0; run < 2; run++)
            kit_run(t.in);
        for (int i = 0; i < C * PIXELS; i++) {
            assert_true(interpreter_tensor(t.in, y)->data.f[i] == (float)(3 * i));
            assert_true(((float *)t.buffer.map)[i] == (float)i);
        }
    }
}

/* An inference reads and writes the state of an LSTM, which stays in the host's memory. */
TEST(states_are_kept)
{
    struct assay_gpu_buffer b = { .kind = ASSAY_GPU_NEW, .partition = -1 };

    MODEL(m, "tensors x:f32[1,3] h:f32[1,2]! w:f32[8,5]=0 b:f32[8]=0 c:f32[1,2]!\n"
             "LSTM:2 {kernel_type=BASIC fused_activation_function=TANH} x h w b c -> y:f32[1,2] "
             "c2:f32[1,2] z:f32[1,5] t:f32[1,8]\n"
             "outputs y");
    DELEGATE(d, "wait", "none");
    INTERPRETER(in, &m, d);
    assert_int_equal(interpreter_partition_count(in), 1);
    b.tensor = 1;
    bind_expect_refused(d, &b, "tensor 1", "is a variable of partition 0");
    b.tensor = 4;
    b.partition = 0;
    bind_expect_refused(d, &b, "tensor 4", "is a variable of partition 0");
    kit_run(in);
}

/* Each allocation fails once: the call fails, and the tensor is bound as before. */
TEST(no_memory)
{
    struct interpreter *in;
    struct kit_buffer buffer;
    struct kit_vulkan v;
    char error[512];
    long n = 0;

    MODEL_BY(m, bind_make_model(&m));
    DELEGATE(d, "precision", "fp32");
    v = kit_vulkan_of(d);
    buffer = kit_buffer(&v, SLICES);
    in = kit_open(&m, d);
    for (bool bound = false; !bound; n++) {
        struct assay_gpu_buffer b = { .kind = ASSAY_GPU_VK_BUFFER,
                                      .layout = ASSAY_LAYOUT_C4,
                                      .tensor = Y,
                                      .partition = -1,
                                      .vk_buffer = (uint64_t)(uintptr_t)buffer.handle,
                                      .vk_device = v.device,
                                      .size = SLICES };

        assert_true(n < 100);
        mem_fail_after(n);
        bound = kit_bind(d, &b, error) == 0;
        mem_fail_after(-1);
        if (!bound && !strstr(error, "memory"))
            fail_msg("%s", error);
        bind_fill(interpreter_tensor(in, X)->data.f, (int)n);
        kit_run(in);
        bind_expect(interpreter_tensor(in, Y)->data.f, (int)n);
        assert_int_equal(kit_io(d, Y).bound, bound ? ASSAY_LAYOUT_C4 : -1);
    }
    assert_true(n > 2);
    interpreter_close(in);
    kit_buffer_close(&v, &buffer);
}

/* ---- memory ---- */

static long status_kib(const char *key)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    long kib = -1;

    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0)
            kib = strtol(line + strlen(key), NULL, 10);
    if (f)
        fclose(f);
    return kib;
}

static int open_files(void)
{
    int count = 0;

    for (int fd = 0; fd < 1024; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* Buffers are bound and unbound many times, and fail to be bound.  On a device in the host's memory
 * a leak would show in the address space of the process. */
TEST(memory_stays_flat)
{
    enum { ROUNDS = 120, BYTES = 1 << 20 };
    struct kit_vulkan v;
    char error[512];
    long begin = 0;
    int files = 0;

    MODEL_BY(m, bind_make_model(&m));
    DELEGATE(d, "precision", "fp32");
    v = kit_vulkan_of(d);
    INTERPRETER(in, &m, d);
    for (int i = 0; i < ROUNDS; i++) {
        struct assay_gpu_vulkan caps = { .struct_size = sizeof caps };
        struct assay_gpu_buffer b = { .kind = ASSAY_GPU_NEW,
                                      .layout = i % 2,
                                      .tensor = i % 3 ? X : Y,
                                      .partition = -1,
                                      .size = BYTES };

        assert_int_equal(assay_gpu_get_device(d, &caps), 0);
        if (caps.external_memory_fd && i % 4 == 0)
            b.kind = ASSAY_GPU_NEW_OPAQUE_FD;
        kit_must_bind(d, &b);
        if (b.fd >= 0 && b.kind == ASSAY_GPU_NEW_OPAQUE_FD) {
            struct assay_gpu_buffer again = b;

            /* The same memory again, and more of it than there is. */
            again.kind = ASSAY_GPU_OPAQUE_FD;
            again.tensor = i % 3 ? Y : X;
            again.size = 4 * BYTES;
            assert_int_equal(kit_bind(d, &again, error), -1);
            assert_non_null(strstr(error, "offset and size end at 4194304"));
            again.size = BYTES;
            again.memory_type = 31;
            assert_int_equal(kit_bind(d, &again, error), -1);
            assert_non_null(strstr(error, "memory_type 31"));
            close(b.fd);
        }
        if (i % 5 == 0)
            kit_run(in);
        kit_unbind(d, b.tensor);
        if (i == ROUNDS / 4) {
            begin = status_kib("VmSize:");
            files = open_files();
        }
    }
    /* A sanitizer keeps freed memory, and reports leaks itself. */
    if (!KIT_SANITIZED)
        assert_true(status_kib("VmSize:") - begin < 16 * BYTES / 1024);
    assert_int_equal(open_files(), files);
    (void)v;
}

/* A cache in one buffer, which each inference reads and writes: an input and the output that is its
 * update.  Anything else at that place is refused. */
TEST(an_update_lies_in_its_input)
{
    enum { SLOTS = 5, WIDTH = 6 };
    static const int order[] = { 3, 0, 4, 3, 1 };
    float expected[SLOTS * WIDTH];
    struct bound t CLOSED_BY(bound_close);
    const int cache = 0, update = 1, start = 2, out = 3, sum = 4;

    bound_open(&t,
               "tensors cache:f32[5,6] update:f32[1,6] start:i32[2] out:f32[5,6] sum:f32[5,6]\n"
               "DYNAMIC_UPDATE_SLICE {} cache update start -> out\n"
               "EXP out -> sum\n"
               "inputs cache update start\noutputs out sum",
               SLOTS * 8 * sizeof(float));
    for (int i = 0; i < SLOTS * WIDTH; i++)
        expected[i] = (float)i / 16;
    kit_to_slices(t.buffer.map, expected, SLOTS, WIDTH);
    t.b.tensor = out;
    kit_must_bind(t.d, &t.b);
    t.b.tensor = sum;
    bind_expect_refused(t.d, &t.b, "overlap those of tensor 3", "0 to 160");
    t.b.tensor = cache;
    kit_must_bind(t.d, &t.b);
    for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
        for (int i = 0; i < WIDTH; i++) {
            const float x = (float)(k + 1) + (float)i / 8;

            interpreter_tensor(t.in, update)->data.f[i] = x;
            expected[order[k] * WIDTH + i] = x;
        }
        interpreter_tensor(t.in, start)->data.i32[0] = order[k];
        interpreter_tensor(t.in, start)->data.i32[1] = 0;
        kit_run(t.in);
        for (int i = 0; i < SLOTS * WIDTH; i++) {
            assert_true(interpreter_tensor(t.in, out)->data.f[i] == expected[i]);
            assert_float_equal(interpreter_tensor(t.in, sum)->data.f[i], expf(expected[i]), 1e-3);
        }
    }
}

/* The update would overwrite what an output still shows: a view of the input as it was. */
TEST(a_view_of_the_input_is_read)
{
    const int cache = 0, out = 3;
    struct bound t CLOSED_BY(bound_close);

    bound_open(&t,
               "tensors cache:f32[5,8] update:f32[1,8] start:i32[2] out:f32[5,8] seen:f32[10,4]\n"
               "DYNAMIC_UPDATE_SLICE {} cache update start -> out\n"
               "RESHAPE cache i32[2]=10,4 -> seen\n"
               "inputs cache update start\noutputs out seen",
               5 * 8 * sizeof(float));
    t.b.tensor = out;
    kit_must_bind(t.d, &t.b);
    t.b.tensor = cache;
    bind_expect_refused(t.d, &t.b, "overlap those of tensor 3", "0 to 160");
}

TEST_FILE(.before = kit_find_validated_device, .needs = &kit_device);
