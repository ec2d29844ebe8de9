/* Buffers of the caller that do not fit, memory shared with another device, and a delegate on a
 * device that the caller made. */
#include "conformance/unit/buffer_kit.h"

#include <fcntl.h>
#include <math.h>

enum { ROWS = 12, CHANNELS = 3, X = 0, Y, HIDDEN };
enum { DENSE = ROWS * CHANNELS * 4, SLICES = ROWS * 16 };

/* y = RELU(x) + x, by way of a tensor that is inside. */
static void make_model(struct model *m)
{
    const int32_t dims[] = { ROWS, CHANNELS };
    struct diag diag = { 0 };
    struct options o;
    struct builder b;
    int x, y, h;

    builder_init(&b);
    x = builder_tensor(&b, TENSOR_FLOAT32, "x", 2, dims);
    y = builder_tensor(&b, TENSOR_FLOAT32, "y", 2, dims);
    h = builder_tensor(&b, TENSOR_FLOAT32, "hidden", 2, dims);
    builder_op(&b, BUILTIN_RELU, 1, NULL, 1, &x, 1, &h);
    options_init(&o, OPTIONS_AddOptions);
    builder_op(&b, BUILTIN_ADD, 1, &o, 2, (int[]){ h, x }, 1, &y);
    builder_inputs(&b, 1, &x);
    builder_outputs(&b, 1, &y);
    KIT_OK(builder_finish(&b, m, &diag));
}

static void values(float out[ROWS * CHANNELS], int seed)
{
    for (int i = 0; i < ROWS * CHANNELS; i++)
        out[i] = (float)((i * 7 + seed) % 23) - 11;
}

static void expect(const float *y, int seed)
{
    float x[ROWS * CHANNELS];

    values(x, seed);
    for (int i = 0; i < ROWS * CHANNELS; i++)
        if (y[i] != fmaxf(x[i], 0) + x[i])
            fail_msg("element %d is %g for %g", i, (double)y[i], (double)x[i]);
}

/* ---- refused ---- */

static void refused(TfLiteDelegate *d, const struct assay_gpu_buffer *given, const char *one,
                    const char *two)
{
    struct assay_gpu_buffer b = *given;
    char error[512];

    assert_int_equal(kit_bind(d, &b, error), -1);
    if (!strstr(error, one) || !strstr(error, two))
        fail_msg("no \"%s\" and \"%s\" in \"%s\"", one, two, error);
}

static void does_not_fit(void **state)
{
    struct assay_gpu_buffer good = {
        .kind = ASSAY_GPU_VK_BUFFER, .layout = ASSAY_LAYOUT_C4, .tensor = X, .partition = -1
    };
    struct assay_gpu_buffer bad;
    char error[512], text[64];
    struct kit_buffer buffer;
    struct interpreter *in;
    struct kit_vulkan v;
    struct model m;
    TfLiteDelegate *d;
    uint32_t align;

    NEEDS_DEVICE;
    make_model(&m);
    d = kit_delegate(WITH("precision", "fp32"));
    v = kit_vulkan_of(d);
    buffer = kit_buffer(&v, 4096);
    good.vk_buffer = (uint64_t)(uintptr_t)buffer.handle;
    good.vk_device = v.device;
    good.size = SLICES;
    /* Before the graph is modified. */
    refused(d, &good, "tensor 0", "modify the graph first");
    in = kit_open(&m, d);
    align = kit_edge(d, X).offset_alignment;

    bad = good;
    bad.size = SLICES - 4;
    refused(d, &bad, "has 188 bytes", "192 are needed");
    bad.layout = ASSAY_LAYOUT_DENSE;
    bad.size = DENSE - 1;
    refused(d, &bad, "has 143 bytes", "144 are needed");
    bad = good;
    bad.offset = align / 2;
    snprintf(text, sizeof text, "offset %u", align / 2);
    refused(d, &bad, text, "no multiple of");
    bad = good;
    bad.offset = 1 << 20;
    refused(d, &bad, "end at 1048768", "has at most");
    bad.offset = UINT64_MAX - align + 1;
    bad.size = 1 << 20;
    refused(d, &bad, "offset 18446744073709551", "size 1048576");
    bad = good;
    bad.vk_device = &m;
    snprintf(text, sizeof text, "%p", (void *)v.device);
    refused(d, &bad, "VkDevice", text);
    bad = good;
    bad.vk_buffer = 0;
    refused(d, &bad, "tensor 0, input 0 of partition 0", "VK_NULL_HANDLE");
    bad = good;
    bad.layout = 2;
    refused(d, &bad, "layout 2", "0 and 1");
    bad = good;
    bad.kind = 77;
    refused(d, &bad, "kind 77", "0 to 5");
    bad = good;
    bad.tensor = HIDDEN;
    refused(d, &bad, "tensor 2", "no input or output of the delegate's 1 partitions");
    bad.tensor = -1;
    refused(d, &bad, "tensor -1", "no input or output");
    bad = good;
    bad.partition = 3;
    refused(d, &bad, "partition 3", "of 1");
    bad = good;
    bad.kind = ASSAY_GPU_NEW;
    bad.offset = 256;
    refused(d, &bad, "offset 256", "new buffer");

    /* A struct that is too short, nothing, and no delegate. */
    bad = good;
    bad.struct_size = sizeof bad - 1;
    assert_int_equal(assay_gpu_bind_buffer_to_tensor(d, &bad, error, sizeof error), -1);
    assert_non_null(strstr(error, "are needed"));
    assert_int_equal(assay_gpu_bind_buffer_to_tensor(d, NULL, error, sizeof error), -1);
    assert_int_equal(assay_gpu_bind_buffer_to_tensor(d, NULL, NULL, 0), -1);
    bad.struct_size = sizeof bad;
    assert_int_equal(assay_gpu_bind_buffer_to_tensor(NULL, &bad, error, sizeof error), -1);
    assert_int_equal(assay_gpu_unbind_tensor(NULL, X, -1, error, sizeof error), -1);
    assert_int_equal(assay_gpu_unbind_tensor(d, X, -1, error, sizeof error), -1);
    assert_non_null(strstr(error, "is not bound"));
    assert_int_equal(assay_gpu_wait(NULL, error, sizeof error), -1);
    assert_int_equal(assay_gpu_edge_count(NULL), 0);
    assert_int_equal(assay_gpu_get_edge(d, 2, &(struct assay_gpu_edge){ .struct_size = 64 }), -1);
    assert_int_equal(assay_gpu_get_edge(d, -1, &(struct assay_gpu_edge){ .struct_size = 64 }), -1);
    assert_int_equal(assay_gpu_get_edge(d, 0, NULL), -1);
    assert_int_equal(assay_gpu_get_device(NULL, NULL), -1);
    assert_int_equal(assay_gpu_get_device(d, NULL), -1);
    assay_gpu_lock_queue(NULL);
    assay_gpu_unlock_queue(NULL);

    /* Bound already; and to memory that another tensor has. */
    bad = good;
    assert_int_equal(kit_bind(d, &bad, error), 0);
    snprintf(text, sizeof text, "buffer 0x%llx", (unsigned long long)good.vk_buffer);
    refused(d, &good, "bound already, to 192 bytes at offset 0", text);
    bad = good;
    bad.tensor = Y;
    refused(d, &bad, "bytes 0 to 192", "overlap those of tensor 0, 0 to 192");
    bad.offset = 1024;
    assert_int_equal(kit_bind(d, &bad, error), 0);

    /* After all that it works, with what was bound well. */
    {
        float x[ROWS * CHANNELS], y[ROWS * CHANNELS];

        values(x, 5);
        kit_to_slices(buffer.map, x, ROWS, CHANNELS);
        kit_run(in);
        kit_from_slices(y, (float *)((char *)buffer.map + 1024), ROWS, CHANNELS);
        expect(y, 5);
        expect(interpreter_tensor(in, Y)->data.f, 5);
    }
    interpreter_close(in);
    kit_buffer_close(&v, &buffer);
    assay_gpu_delegate_destroy(d);
    model_close(&m);
}

/* A state, and two outputs with the same memory, cannot lie in memory of the caller. */
static void cannot_lie_there(void **state)
{
    const int32_t dims[] = { 2, 4 }, whole[] = { 1, 8 };
    struct assay_gpu_buffer b = { .kind = ASSAY_GPU_NEW,
                                  .layout = ASSAY_LAYOUT_C4,
                                  .partition = -1 };
    struct diag diag = { 0 };
    struct interpreter *in;
    struct builder builder;
    char error[512];
    struct model m;
    TfLiteDelegate *d;
    int x, y, z, s;

    NEEDS_DEVICE;
    builder_init(&builder);
    x = builder_tensor(&builder, TENSOR_FLOAT32, "x", 2, dims);
    y = builder_tensor(&builder, TENSOR_FLOAT32, "y", 2, dims);
    z = builder_tensor(&builder, TENSOR_FLOAT32, "z", 2, whole);
    s = builder_constant(&builder, TENSOR_INT32, "s", 1, (int32_t[]){ 2 }, whole, sizeof whole);
    builder_op(&builder, BUILTIN_RELU, 1, NULL, 1, &x, 1, &y);
    builder_op(&builder, BUILTIN_RESHAPE, 1, NULL, 2, (int[]){ y, s }, 1, &z);
    builder_inputs(&builder, 1, &x);
    builder_outputs(&builder, 2, (int[]){ y, z });
    KIT_OK(builder_finish(&builder, &m, &diag));
    d = kit_delegate(WITH("precision", "fp32"));
    in = kit_open(&m, d);
    b.tensor = y;
    if (kit_bind(d, &b, error) != 0)
        fail_msg("%s", error);
    b.tensor = z;
    b.size = 0;
    refused(d, &b, "tensor 2", "shares memory with another input or output");
    b.layout = ASSAY_LAYOUT_DENSE; /* which is copied then */
    if (kit_bind(d, &b, error) != 0)
        fail_msg("%s", error);
    for (int i = 0; i < 8; i++)
        interpreter_tensor(in, x)->data.f[i] = (float)(i - 3);
    kit_run(in);
    for (int i = 0; i < 8; i++) {
        assert_true(interpreter_tensor(in, y)->data.f[i] == fmaxf((float)(i - 3), 0));
        assert_true(interpreter_tensor(in, z)->data.f[i] == fmaxf((float)(i - 3), 0));
    }
    interpreter_close(in);
    assay_gpu_delegate_destroy(d);
    model_close(&m);
}

/* y = CONV_2D(x) + r, which the device computes in the place of r: not in the caller's. */
static void input_is_written(void **state)
{
    enum { C = 8, PIXELS = 6 };
    struct assay_gpu_buffer b = { .kind = ASSAY_GPU_VK_BUFFER,
                                  .layout = ASSAY_LAYOUT_C4,
                                  .partition = -1 };
    float weights[C * C] = { 0 }, before[C * PIXELS];
    struct diag diag = { 0 };
    struct kit_buffer buffer;
    struct builder builder;
    struct interpreter *in;
    struct kit_vulkan v;
    struct options o;
    struct model m;
    TfLiteDelegate *d;
    int x, r, y, t, w;

    NEEDS_DEVICE;
    for (int i = 0; i < C; i++)
        weights[i * C + i] = 2;
    builder_init(&builder);
    x = builder_tensor(&builder, TENSOR_FLOAT32, "x", 4, (int32_t[]){ 1, 2, 3, C });
    r = builder_tensor(&builder, TENSOR_FLOAT32, "r", 4, (int32_t[]){ 1, 2, 3, C });
    t = builder_tensor(&builder, TENSOR_FLOAT32, "t", 4, (int32_t[]){ 1, 2, 3, C });
    y = builder_tensor(&builder, TENSOR_FLOAT32, "y", 4, (int32_t[]){ 1, 2, 3, C });
    w = builder_constant(&builder, TENSOR_FLOAT32, "w", 4, (int32_t[]){ C, 1, 1, C }, weights,
                         sizeof weights);
    options_init(&o, OPTIONS_Conv2DOptions);
    options_set_int(&o, "stride_h", 1);
    options_set_int(&o, "stride_w", 1);
    builder_op(&builder, BUILTIN_CONV_2D, 1, &o, 2, (int[]){ x, w }, 1, &t);
    options_init(&o, OPTIONS_AddOptions);
    builder_op(&builder, BUILTIN_ADD, 1, &o, 2, (int[]){ t, r }, 1, &y);
    builder_inputs(&builder, 2, (int[]){ x, r });
    builder_outputs(&builder, 1, &y);
    KIT_OK(builder_finish(&builder, &m, &diag));
    d = kit_delegate(WITH("precision", "fp32"));
    v = kit_vulkan_of(d);
    in = kit_open(&m, d);
    buffer = kit_buffer(&v, sizeof before);
    b.tensor = r;
    b.vk_buffer = (uint64_t)(uintptr_t)buffer.handle;
    b.vk_device = v.device;
    b.size = sizeof before;
    assert_int_equal(kit_stats(d).transforms, 1);
    refused(d, &b, "bind it dense", "writes over it");
    for (int dense = 0; dense < 2; dense++) {
        if (dense)
            kit_bind_buffer(d, &v, r, ASSAY_LAYOUT_DENSE, &buffer);
        for (int i = 0; i < C * PIXELS; i++)
            interpreter_tensor(in, x)->data.f[i] = interpreter_tensor(in, r)->data.f[i] =
                ((float *)buffer.map)[i] = (float)i;
        for (int run = 0; run < 2; run++)
            kit_run(in);
        for (int i = 0; i < C * PIXELS; i++) {
            assert_true(interpreter_tensor(in, y)->data.f[i] == (float)(3 * i));
            assert_true(((float *)buffer.map)[i] == (float)i);
        }
    }
    interpreter_close(in);
    kit_buffer_close(&v, &buffer);
    assay_gpu_delegate_destroy(d);
    model_close(&m);
}

/* The state of an LSTM is read and written by an inference: the host keeps it. */
static void states_are_kept(void **state)
{
    struct assay_gpu_buffer b = { .kind = ASSAY_GPU_NEW, .partition = -1 };
    static const float weights[8 * 5], bias[8];
    struct diag diag = { 0 };
    struct interpreter *in;
    struct builder builder;
    int inputs[5], outputs[4];
    struct options o;
    struct model m;
    TfLiteDelegate *d;

    NEEDS_DEVICE;
    builder_init(&builder);
    inputs[0] = builder_tensor(&builder, TENSOR_FLOAT32, "x", 2, (int32_t[]){ 1, 3 });
    inputs[1] = builder_tensor(&builder, TENSOR_FLOAT32, "h", 2, (int32_t[]){ 1, 2 });
    inputs[2] = builder_constant(&builder, TENSOR_FLOAT32, "w", 2, (int32_t[]){ 8, 5 }, weights,
                                 sizeof weights);
    inputs[3] =
        builder_constant(&builder, TENSOR_FLOAT32, "b", 1, (int32_t[]){ 8 }, bias, sizeof bias);
    inputs[4] = builder_tensor(&builder, TENSOR_FLOAT32, "c", 2, (int32_t[]){ 1, 2 });
    outputs[0] = builder_tensor(&builder, TENSOR_FLOAT32, "y", 2, (int32_t[]){ 1, 2 });
    outputs[1] = builder_tensor(&builder, TENSOR_FLOAT32, "c2", 2, (int32_t[]){ 1, 2 });
    outputs[2] = builder_tensor(&builder, TENSOR_FLOAT32, "z", 2, (int32_t[]){ 1, 5 });
    outputs[3] = builder_tensor(&builder, TENSOR_FLOAT32, "t", 2, (int32_t[]){ 1, 8 });
    builder_variable(&builder, inputs[1]);
    builder_variable(&builder, inputs[4]);
    options_init(&o, OPTIONS_LSTMOptions);
    options_set_int(&o, "kernel_type", 1);
    options_set_int(&o, "fused_activation_function", 4);
    builder_op(&builder, BUILTIN_LSTM, 2, &o, 5, inputs, 4, outputs);
    builder_inputs(&builder, 1, inputs);
    builder_outputs(&builder, 1, outputs);
    KIT_OK(builder_finish(&builder, &m, &diag));
    d = kit_delegate(WITH("wait", "none"));
    in = kit_open(&m, d);
    assert_int_equal(interpreter_partition_count(in), 1);
    b.tensor = inputs[1];
    refused(d, &b, "tensor 1", "is a variable of partition 0");
    b.tensor = inputs[4];
    b.partition = 0;
    refused(d, &b, "tensor 4", "is a variable of partition 0");
    kit_run(in);
    interpreter_close(in);
    assay_gpu_delegate_destroy(d);
    model_close(&m);
}

/* Every allocation failing once: refused, and the tensor is where it was. */
static void no_memory(void **state)
{
    struct interpreter *in;
    struct kit_buffer buffer;
    struct kit_vulkan v;
    char error[512];
    struct model m;
    TfLiteDelegate *d;
    long n = 0;

    NEEDS_DEVICE;
    make_model(&m);
    d = kit_delegate(WITH("precision", "fp32"));
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
        values(interpreter_tensor(in, X)->data.f, (int)n);
        kit_run(in);
        expect(interpreter_tensor(in, Y)->data.f, (int)n);
        assert_int_equal(kit_edge(d, Y).bound, bound ? ASSAY_LAYOUT_C4 : -1);
    }
    assert_true(n > 2);
    interpreter_close(in);
    kit_buffer_close(&v, &buffer);
    assay_gpu_delegate_destroy(d);
    model_close(&m);
}

/* ---- how much there is ---- */

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

/* Memory that is bound and unbound, made and failed to be made: what a device of the host's own
 * memory takes shows in the process's address space. */
static void memory_stays_flat(void **state)
{
    enum { ROUNDS = 120, BYTES = 1 << 20 };
    struct interpreter *in;
    struct kit_vulkan v;
    char error[512];
    struct model m;
    TfLiteDelegate *d;
    long begin = 0;
    int files = 0;

    NEEDS_DEVICE;
    make_model(&m);
    d = kit_delegate(WITH("precision", "fp32"));
    v = kit_vulkan_of(d);
    in = kit_open(&m, d);
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
        if (kit_bind(d, &b, error) != 0)
            fail_msg("%s", error);
        if (b.fd >= 0 && b.kind == ASSAY_GPU_NEW_OPAQUE_FD) {
            struct assay_gpu_buffer again = b;

            /* The same memory once more, and once more than it has. */
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
    /* A sanitizer keeps what was freed, and tells of leaks itself. */
    if (!KIT_SANITIZED)
        assert_true(status_kib("VmSize:") - begin < 16 * BYTES / 1024);
    assert_int_equal(open_files(), files);
    (void)v;
    interpreter_close(in);
    assay_gpu_delegate_destroy(d);
    model_close(&m);
}

/* ---- another device ---- */

/* Memory that another VkDevice exports is read; memory that the delegate exports is read by it. */
static void shared_memory(void **state)
{
    float x[ROWS * CHANNELS], y[ROWS * CHANNELS];
    struct kit_vulkan other;
    char error[512];
    struct model m;

    NEEDS_DEVICE;
    if (!kit_open_vulkan(&other)) {
        printf("skipped: the device has no VK_KHR_external_memory_fd\n");
        skip();
    }
    make_model(&m);
    for (int layout = 0; layout < 2; layout++) {
        TfLiteDelegate *d = kit_delegate(WITH("precision", "fp32"));
        struct interpreter *in = kit_open(&m, d);
        const VkDeviceSize bytes = layout ? SLICES : DENSE;
        struct kit_buffer staging = kit_buffer(&other, 4096);
        struct kit_buffer theirs = kit_buffer_open(&other, 4096, true, -1, 0, 0);
        struct kit_buffer ours;
        struct assay_gpu_vulkan caps = { .struct_size = sizeof caps };
        struct assay_gpu_buffer in_buffer = { .kind = ASSAY_GPU_OPAQUE_FD,
                                              .layout = layout,
                                              .tensor = X,
                                              .partition = -1,
                                              .size = bytes,
                                              .allocation_bytes = theirs.allocated,
                                              .memory_type = theirs.type };
        struct assay_gpu_buffer out_buffer = {
            .kind = ASSAY_GPU_NEW_OPAQUE_FD, .layout = layout, .tensor = Y, .partition = -1
        };
        struct assay_gpu_stats before, after;

        assert_int_equal(assay_gpu_get_device(d, &caps), 0);
        in_buffer.fd = kit_export(&other, &theirs);
        in_buffer.device_uuid[0] = (uint8_t)(caps.device_uuid[0] + 1);
        refused(d, &in_buffer, "the memory is of device ", "the delegate's is ");
        memcpy(in_buffer.device_uuid, caps.device_uuid, sizeof caps.device_uuid);
        if (kit_bind(d, &in_buffer, error) != 0)
            fail_msg("%s", error);
        close(in_buffer.fd); /* it is ours still */
        if (kit_bind(d, &out_buffer, error) != 0)
            fail_msg("%s", error);
        assert_memory_equal(out_buffer.device_uuid, caps.device_uuid, sizeof caps.device_uuid);
        ours = kit_buffer_open(&other, out_buffer.size, false, out_buffer.fd,
                               out_buffer.allocation_bytes, out_buffer.memory_type);
        interpreter_allow_buffer_handles(in, true);
        for (int seed = 0; seed < 3; seed++) {
            values(x, seed);
            if (layout)
                kit_to_slices(staging.map, x, ROWS, CHANNELS);
            else
                memcpy(staging.map, x, sizeof x);
            kit_copy(&other, &staging, &theirs, bytes, false, true);
            before = kit_stats(d);
            kit_run(in);
            after = kit_stats(d);
            assert_int_equal(after.host_copies - before.host_copies, 0);
            assert_int_equal(after.device_copies - before.device_copies, layout ? 0 : 2);
            kit_copy(&other, &ours, &staging, bytes, true, false);
            if (layout)
                kit_from_slices(y, staging.map, ROWS, CHANNELS);
            else
                memcpy(y, staging.map, sizeof y);
            expect(y, seed);
        }
        interpreter_close(in);
        assay_gpu_delegate_destroy(d);
        kit_buffer_close(&other, &ours);
        kit_buffer_close(&other, &theirs);
        kit_buffer_close(&other, &staging);
    }
    /* What is no descriptor, and a descriptor of something else. */
    {
        TfLiteDelegate *d = kit_delegate(WITH("precision", "fp32"));
        struct interpreter *in = kit_open(&m, d);
        struct assay_gpu_vulkan caps = { .struct_size = sizeof caps };
        struct assay_gpu_buffer b = { .kind = ASSAY_GPU_OPAQUE_FD,
                                      .tensor = X,
                                      .partition = -1,
                                      .size = DENSE,
                                      .fd = -1,
                                      .allocation_bytes = 4096 };

        refused(d, &b, "fd -1", "no file descriptor");
        b.fd = 1023;
        refused(d, &b, "fd 1023", "cannot be duplicated");
        assert_int_equal(assay_gpu_get_device(d, &caps), 0);
        b.kind = ASSAY_GPU_DMA_BUF;
        if (!caps.external_memory_dma_buf)
            refused(d, &b, "lacks VK_EXT_external_memory_dma_buf", "a dma-buf needs");
        interpreter_close(in);
        assay_gpu_delegate_destroy(d);
    }
    model_close(&m);
    kit_close_vulkan(&other);
}

/* What one delegate exports as a descriptor another one imports: y of the first is x of the second.
 */
static void exported_and_imported(void **state)
{
    static const int kinds[][2] = { { ASSAY_GPU_NEW_OPAQUE_FD, ASSAY_GPU_OPAQUE_FD },
                                    { ASSAY_GPU_NEW_DMA_BUF, ASSAY_GPU_DMA_BUF } };
    struct model m;

    NEEDS_DEVICE;
    make_model(&m);
    for (int i = 0; i < 2; i++) {
        TfLiteDelegate *a = kit_delegate(WITH("precision", "fp32"));
        TfLiteDelegate *b = kit_delegate(WITH("precision", "fp32"));
        struct interpreter *one = kit_open(&m, a), *two = kit_open(&m, b);
        struct assay_gpu_vulkan caps = { .struct_size = sizeof caps };
        struct assay_gpu_buffer buffer = {
            .kind = kinds[i][0], .layout = ASSAY_LAYOUT_C4, .tensor = Y, .partition = -1
        };
        float x[ROWS * CHANNELS], y[ROWS * CHANNELS];
        char error[512];

        assert_int_equal(assay_gpu_get_device(a, &caps), 0);
        if (i ? !caps.external_memory_dma_buf : !caps.external_memory_fd) {
            printf("skipped: the device exports no %s\n", i ? "dma-buf" : "opaque fd");
        } else {
            if (kit_bind(a, &buffer, error) != 0)
                fail_msg("%s", error);
            buffer.kind = kinds[i][1];
            buffer.tensor = X;
            if (kit_bind(b, &buffer, error) != 0)
                fail_msg("%s", error);
            close(buffer.fd);
            for (int seed = 0; seed < 2; seed++) {
                values(x, seed);
                memcpy(interpreter_tensor(one, X)->data.f, x, sizeof x);
                kit_run(one);
                kit_run(two);
                memcpy(y, interpreter_tensor(one, Y)->data.f, sizeof y);
                for (int j = 0; j < ROWS * CHANNELS; j++)
                    assert_true(interpreter_tensor(two, Y)->data.f[j] == fmaxf(y[j], 0) + y[j]);
                expect(y, seed);
            }
        }
        interpreter_close(two);
        interpreter_close(one);
        assay_gpu_delegate_destroy(b);
        assay_gpu_delegate_destroy(a);
    }
    model_close(&m);
}

struct turns {
    int locked, taken;
};

static void lock(void *user)
{
    struct turns *t = user;

    assert_int_equal(t->locked++, 0);
    t->taken++;
}

static void unlock(void *user)
{
    assert_int_equal(--((struct turns *)user)->locked, 0);
}

/* The delegate works on a device of the caller, and leaves it alive. */
static void given_device(void **state)
{
    const char *const keys[] = { "wait", "precision" };
    const char *const as_passive[] = { "active", "fp32" }, *const half[] = { "active", "fp16" };
    struct assay_gpu_options options = {
        .struct_size = sizeof options, .keys = keys, .values = as_passive, .count = 2
    };
    struct assay_gpu_vulkan seen = { .struct_size = sizeof seen };
    struct turns turns = { 0 };
    struct kit_vulkan mine;
    struct model m;

    NEEDS_DEVICE;
    if (!kit_open_vulkan(&mine)) {
        printf("skipped: the device has no VK_KHR_external_memory_fd\n");
        skip();
    }
    make_model(&m);
    options.instance = mine.instance;
    options.physical_device = mine.physical;
    options.device = mine.device;
    options.queue = mine.queue;
    options.queue_family = mine.family;
    options.lock_queue = lock;
    options.unlock_queue = unlock;
    options.lock_user = &turns;
    for (int round = 0; round < 2; round++) {
        struct kit_buffer buffer = kit_buffer(&mine, 4096), other = kit_buffer(&mine, 4096);
        TfLiteDelegate *a, *b;
        struct interpreter *in;
        int before;

        options.enabled = round ? ASSAY_GPU_ENABLED_EXTERNAL_MEMORY_FD : 0;
        a = assay_gpu_delegate_create(&options, kit_reported);
        if (!a)
            fail_msg("%s", kit_said);
        assert_non_null(b = assay_gpu_delegate_create(&options, kit_reported));
        assert_int_equal(assay_gpu_get_device(a, &seen), 0);
        assert_ptr_equal(seen.device, mine.device);
        assert_ptr_equal(seen.queue, mine.queue);
        assert_int_equal(seen.external_memory_fd, round);
        in = kit_open(&m, a);
        kit_bind_buffer(a, &mine, X, ASSAY_LAYOUT_C4, &buffer);
        before = turns.taken;
        for (int seed = 0; seed < 3; seed++) {
            float x[ROWS * CHANNELS];

            values(x, seed);
            kit_to_slices(buffer.map, x, ROWS, CHANNELS);
            kit_run(in);
            expect(interpreter_tensor(in, Y)->data.f, seed);
        }
        assert_int_equal(turns.taken - before, 3);
        interpreter_close(in);
        assay_gpu_delegate_destroy(round ? a : b);
        assay_gpu_delegate_destroy(round ? b : a);
        kit_copy(&mine, &buffer, &other, buffer.bytes, false, false); /* it works still */
        assert_memory_equal(buffer.map, other.map, buffer.bytes);
        kit_buffer_close(&mine, &buffer);
        kit_buffer_close(&mine, &other);
    }

    /* What is missing is said. */
    options.values = half;
    options.enabled = 0;
    assert_null(assay_gpu_delegate_create(&options, kit_reported));
    assert_non_null(strstr(kit_said, "storageBuffer16BitAccess"));
    options.values = as_passive;
    options.queue = NULL;
    assert_null(assay_gpu_delegate_create(&options, kit_reported));
    assert_non_null(strstr(kit_said, "3 of 4"));
    options.struct_size = 8;
    assert_null(assay_gpu_delegate_create(&options, kit_reported));
    assert_non_null(strstr(kit_said, "8 bytes"));
    options = (struct assay_gpu_options){ .struct_size = sizeof options, .count = 1 };
    assert_null(assay_gpu_delegate_create(&options, NULL));
    {
        TfLiteDelegate *d = assay_gpu_delegate_create(NULL, kit_reported);

        assert_non_null(d);
        assay_gpu_delegate_destroy(d);
    }
    model_close(&m);
    kit_close_vulkan(&mine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_not_fit),     cmocka_unit_test(cannot_lie_there),
        cmocka_unit_test(input_is_written), cmocka_unit_test(states_are_kept),
        cmocka_unit_test(no_memory),        cmocka_unit_test(memory_stays_flat),
        cmocka_unit_test(shared_memory),    cmocka_unit_test(exported_and_imported),
        cmocka_unit_test(given_device),
    };

    kit_find_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
