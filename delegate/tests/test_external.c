/* Memory shared with another VkDevice, and a delegate on a device of the caller. */
#include "delegate/tests/kit/bind_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/runtime/delegate.h"
#include "delegate/vulkan/device.h"

/* ---- another device ---- */

/* The delegate reads memory that another VkDevice exports, and exports memory that it reads. */
TEST(shared_memory)
{
    float x[ROWS * CHANNELS], y[ROWS * CHANNELS];
    struct model m CLOSED_BY(model_close);
    struct kit_vulkan other CLOSED_BY(kit_close_vulkan);

    if (!kit_open_vulkan(&other)) {
        printf("skipped: the device has no VK_KHR_external_memory_fd\n");
        skip();
    }
    bind_make_model(&m);
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
        bind_expect_refused(d, &in_buffer, "the memory is of device ", "the delegate's is ");
        memcpy(in_buffer.device_uuid, caps.device_uuid, sizeof caps.device_uuid);
        kit_must_bind(d, &in_buffer);
        close(in_buffer.fd); /* the descriptor stayed the caller's */
        kit_must_bind(d, &out_buffer);
        assert_memory_equal(out_buffer.device_uuid, caps.device_uuid, sizeof caps.device_uuid);
        ours = kit_buffer_open(&other, out_buffer.size, false, out_buffer.fd,
                               out_buffer.allocation_bytes, out_buffer.memory_type);
        interpreter_allow_buffer_handles(in, true);
        for (int seed = 0; seed < 3; seed++) {
            bind_fill(x, seed);
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
            bind_expect(y, seed);
        }
        interpreter_close(in);
        assay_gpu_delegate_destroy(d);
        kit_buffer_close(&other, &ours);
        kit_buffer_close(&other, &theirs);
        kit_buffer_close(&other, &staging);
    }
    /* A closed descriptor, and one of a regular file. */
    {
        DELEGATE(d, "precision", "fp32");
        INTERPRETER(in, &m, d);
        struct assay_gpu_vulkan caps = { .struct_size = sizeof caps };
        struct assay_gpu_buffer b = { .kind = ASSAY_GPU_OPAQUE_FD,
                                      .tensor = X,
                                      .partition = -1,
                                      .size = DENSE,
                                      .fd = -1,
                                      .allocation_bytes = 4096 };

        bind_expect_refused(d, &b, "fd -1", "not a file descriptor");
        b.fd = 1023;
        bind_expect_refused(d, &b, "fd 1023", "cannot be duplicated");
        assert_int_equal(assay_gpu_get_device(d, &caps), 0);
        b.kind = ASSAY_GPU_DMA_BUF;
        if (!caps.external_memory_dma_buf)
            bind_expect_refused(d, &b, "lacks VK_EXT_external_memory_dma_buf", "a dma-buf needs");
    }
}

/* One delegate exports memory as a descriptor, and another one imports it: y of the first is x of
 * the second. */
TEST(exported_and_imported)
{
    static const int kinds[][2] = { { ASSAY_GPU_NEW_OPAQUE_FD, ASSAY_GPU_OPAQUE_FD },
                                    { ASSAY_GPU_NEW_DMA_BUF, ASSAY_GPU_DMA_BUF } };

    MODEL_BY(m, bind_make_model(&m));
    for (int i = 0; i < 2; i++) {
        DELEGATE(a, "precision", "fp32");
        DELEGATE(b, "precision", "fp32");
        struct interpreter *one = kit_open(&m, a), *two = kit_open(&m, b);
        struct assay_gpu_vulkan caps = { .struct_size = sizeof caps };
        struct assay_gpu_buffer buffer = {
            .kind = kinds[i][0], .layout = ASSAY_LAYOUT_C4, .tensor = Y, .partition = -1
        };
        float x[ROWS * CHANNELS], y[ROWS * CHANNELS];
        bool bound = false;
        char error[512];

        assert_int_equal(assay_gpu_get_device(a, &caps), 0);
        if (i ? !caps.external_memory_dma_buf : !caps.external_memory_fd) {
            printf("skipped: the device exports no %s\n", i ? "dma-buf" : "opaque fd");
        } else {
            bound = kit_bind(a, &buffer, error) == 0;
            /* A driver may have the extension, and no buffers that it exports. */
            if (!bound && !strstr(error, "does not export memory as"))
                fail_msg("%s", error);
            if (!bound)
                printf("skipped: %s\n", error);
        }
        if (bound) {
            buffer.kind = kinds[i][1];
            buffer.tensor = X;
            kit_must_bind(b, &buffer);
            close(buffer.fd);
            for (int seed = 0; seed < 2; seed++) {
                bind_fill(x, seed);
                memcpy(interpreter_tensor(one, X)->data.f, x, sizeof x);
                kit_run(one);
                kit_run(two);
                memcpy(y, interpreter_tensor(one, Y)->data.f, sizeof y);
                for (int j = 0; j < ROWS * CHANNELS; j++)
                    assert_true(interpreter_tensor(two, Y)->data.f[j] == fmaxf(y[j], 0) + y[j]);
                bind_expect(y, seed);
            }
        }
        interpreter_close(two);
        interpreter_close(one);
    }
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

/* The delegate works on a device of the caller, and does not destroy it. */
TEST(given_device)
{
    const char *const keys[] = { "wait", "precision" };
    const char *const as_passive[] = { "active", "fp32" }, *const half[] = { "active", "fp16" };
    struct assay_gpu_options options = {
        .struct_size = sizeof options, .keys = keys, .values = as_passive, .count = 2
    };
    struct assay_gpu_vulkan seen = { .struct_size = sizeof seen };
    struct assay_gpu_device any = { .struct_size = sizeof any };
    struct turns turns = { 0 };
    struct model m CLOSED_BY(model_close);
    struct kit_vulkan mine CLOSED_BY(kit_close_vulkan);

    if (!kit_open_vulkan(&mine)) {
        printf("skipped: the device has no VK_KHR_external_memory_fd\n");
        skip();
    }
    assert_true(assay_gpu_devices(&any, 1, NULL, 0) > 0);
    bind_make_model(&m);
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

        options.enabled =
            round ? ASSAY_GPU_ENABLED_EXTERNAL_MEMORY_FD | ASSAY_GPU_ENABLED_SHADER_FLOAT16 : 0;
        a = assay_gpu_delegate_create(&options, kit_reported);
        if (!a)
            fail_msg("%s", kit_said);
        assert_int_equal(((struct gpu_delegate *)a->data_)->device->limits.shader_float16,
                         round && any.shader_float16);
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

            bind_fill(x, seed);
            kit_to_slices(buffer.map, x, ROWS, CHANNELS);
            kit_run(in);
            bind_expect(interpreter_tensor(in, Y)->data.f, seed);
        }
        assert_int_equal(turns.taken - before, 3);
        interpreter_close(in);
        assay_gpu_delegate_destroy(round ? a : b);
        assay_gpu_delegate_destroy(round ? b : a);
        kit_copy(&mine, &buffer, &other, buffer.bytes, false,
                 false); /* the caller's device still works */
        assert_memory_equal(buffer.map, other.map, buffer.bytes);
        kit_buffer_close(&mine, &buffer);
        kit_buffer_close(&mine, &other);
    }

    /* Messages name what a given device lacks. */
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
    assert_non_null(strstr(kit_said, "found 8"));
    options = (struct assay_gpu_options){ .struct_size = sizeof options, .count = 1 };
    assert_null(assay_gpu_delegate_create(&options, NULL));
    {
        DELEGATE_BY(d, assay_gpu_delegate_create(NULL, kit_reported));

        assert_non_null(d);
    }
}

TEST_FILE(.before = kit_find_validated_device, .needs = &kit_device);
