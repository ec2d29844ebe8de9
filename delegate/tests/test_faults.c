/* Each Vulkan call fails in turn, out of memory or with a lost device.  An error is reported,
 * nothing leaks, and the next start works.  The functions below interpose libvulkan's; skipped
 * without a device. */
/* Alone: its functions of Vulkan stand before the loader's. */
#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/test.h"

#include "assay_gpu.h"
#include "delegate/base/checksum.h"
#include "delegate/runtime/kernel.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

/* ---- calls that fail on request ---- */

enum kind {
    MEMORY = 1, /* may say that there is no memory */
    LOST = 2,   /* may say that the device is lost */
    WAITS = 4   /* waits for the device: fails after it is idle */
};

static struct {
    VkResult result; /* VK_SUCCESS: nothing fails */
    long after;      /* calls that succeed before one fails */
    bool fired;
    const char *call; /* the first one that failed */
    VkQueue queue;    /* of the last submission */
} fault;

static VkResult real_idle(VkQueue queue)
{
    VkResult (*real)(VkQueue);
    void *const symbol = dlsym(RTLD_NEXT, "vkQueueWaitIdle");

    memcpy(&real, &symbol, sizeof real);
    return real(queue);
}

/* A lost device stays lost; memory is available again the next time.  Threads that make pipelines
 * call this at the same time. */
static bool fails_now(const char *call, int kind)
{
    const bool lost = fault.result == VK_ERROR_DEVICE_LOST;

    if (fault.result == VK_SUCCESS || !(kind & (lost ? LOST : MEMORY)))
        return false;
    if (fault.fired) {
        if (lost && kind & WAITS && fault.queue)
            real_idle(fault.queue);
        return lost;
    }
    if (fault.after-- > 0)
        return false;
    fault.fired = true;
    fault.call = call;
    if (lost && kind & WAITS && fault.queue)
        real_idle(fault.queue);
    return true;
}

static bool fails(const char *call, int kind)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    bool now;

    pthread_mutex_lock(&one);
    now = fails_now(call, kind);
    pthread_mutex_unlock(&one);
    return now;
}

#define CALL(kind, name, parameters, arguments)                                                    \
    VKAPI_ATTR VkResult VKAPI_CALL name parameters                                                 \
    {                                                                                              \
        VkResult(*real) parameters;                                                                \
        void *const symbol = dlsym(RTLD_NEXT, #name);                                              \
                                                                                                   \
        if (fails(#name, kind))                                                                    \
            return fault.result;                                                                   \
        memcpy(&real, &symbol, sizeof real);                                                       \
        return real arguments;                                                                     \
    }
/* vkCreate...(device, info, allocator, handle) */
#define CREATE(what)                                                                               \
    CALL(MEMORY, vkCreate##what,                                                                   \
         (VkDevice d, const Vk##what##CreateInfo *i, const VkAllocationCallbacks *a, Vk##what *h), \
         (d, i, a, h))

CALL(MEMORY, vkEnumeratePhysicalDevices, (VkInstance a, uint32_t *n, VkPhysicalDevice *d),
     (a, n, d))
CALL(MEMORY, vkEnumerateDeviceExtensionProperties,
     (VkPhysicalDevice d, const char *l, uint32_t *n, VkExtensionProperties *p), (d, l, n, p))
CALL(MEMORY | LOST, vkCreateDevice,
     (VkPhysicalDevice p, const VkDeviceCreateInfo *i, const VkAllocationCallbacks *a, VkDevice *d),
     (p, i, a, d))
CREATE(Buffer)
CREATE(Fence)
CREATE(CommandPool)
CREATE(DescriptorPool)
CREATE(DescriptorSetLayout)
CREATE(PipelineLayout)
CREATE(PipelineCache)
CREATE(ShaderModule)
CREATE(QueryPool)
CALL(MEMORY, vkCreateComputePipelines,
     (VkDevice d, VkPipelineCache c, uint32_t n, const VkComputePipelineCreateInfo *i,
      const VkAllocationCallbacks *a, VkPipeline *p),
     (d, c, n, i, a, p))
CALL(MEMORY, vkGetPipelineCacheData, (VkDevice d, VkPipelineCache c, size_t *n, void *p),
     (d, c, n, p))
CALL(MEMORY, vkAllocateMemory,
     (VkDevice d, const VkMemoryAllocateInfo *i, const VkAllocationCallbacks *a, VkDeviceMemory *m),
     (d, i, a, m))
CALL(MEMORY, vkMapMemory,
     (VkDevice d, VkDeviceMemory m, VkDeviceSize o, VkDeviceSize s, VkMemoryMapFlags f, void **p),
     (d, m, o, s, f, p))
CALL(MEMORY, vkBindBufferMemory, (VkDevice d, VkBuffer b, VkDeviceMemory m, VkDeviceSize o),
     (d, b, m, o))
CALL(MEMORY, vkAllocateCommandBuffers,
     (VkDevice d, const VkCommandBufferAllocateInfo *i, VkCommandBuffer *b), (d, i, b))
CALL(MEMORY, vkAllocateDescriptorSets,
     (VkDevice d, const VkDescriptorSetAllocateInfo *i, VkDescriptorSet *s), (d, i, s))
CALL(MEMORY, vkBeginCommandBuffer, (VkCommandBuffer b, const VkCommandBufferBeginInfo *i), (b, i))
CALL(MEMORY, vkEndCommandBuffer, (VkCommandBuffer b), (b))
CALL(MEMORY, vkResetFences, (VkDevice d, uint32_t n, const VkFence *f), (d, n, f))
CALL(MEMORY | LOST | WAITS, vkWaitForFences,
     (VkDevice d, uint32_t n, const VkFence *f, VkBool32 all, uint64_t t), (d, n, f, all, t))
CALL(MEMORY | LOST | WAITS, vkGetFenceStatus, (VkDevice d, VkFence f), (d, f))
CALL(MEMORY | LOST | WAITS, vkGetQueryPoolResults,
     (VkDevice d, VkQueryPool p, uint32_t f, uint32_t n, size_t b, void *data, VkDeviceSize s,
      VkQueryResultFlags flags),
     (d, p, f, n, b, data, s, flags))

VKAPI_ATTR VkResult VKAPI_CALL vkQueueSubmit(VkQueue q, uint32_t n, const VkSubmitInfo *i,
                                             VkFence f)
{
    VkResult (*real)(VkQueue, uint32_t, const VkSubmitInfo *, VkFence);
    void *const symbol = dlsym(RTLD_NEXT, "vkQueueSubmit");

    fault.queue = q;
    if (fails("vkQueueSubmit", MEMORY | LOST))
        return fault.result;
    memcpy(&real, &symbol, sizeof real);
    return real(q, n, i, f);
}

static void arm(VkResult result, long after)
{
    fault.result = result;
    fault.after = after;
    fault.fired = false;
    fault.call = "";
}

static void disarm(void)
{
    fault.result = VK_SUCCESS;
}

/* ---- models and delegates ---- */

static char said[4096];
static struct model model;
static struct checksum right[2]; /* the outputs' bits: fp32, fp16 */

static void listen(void *user, const char *format, va_list args)
{
    const size_t used = strlen(said);

    (void)user;
    vsnprintf(said + used, sizeof said - used, format, args);
}

static void reported(const char *text)
{
    snprintf(said, sizeof said, "%s", text);
}

static TfLiteDelegate *create(const char *precision, const char *key, const char *value)
{
    const char *const keys[] = { "precision", "max_partitions", key };
    const char *const values[] = { precision, "0", value };

    said[0] = '\0';
    return tflite_plugin_create_delegate(keys, values, key ? 3 : 2, reported);
}

static struct interpreter *open_only(void)
{
    const struct interpreter_options options = { .report = listen };
    struct interpreter *in;

    KIT_OK(interpreter_open(&in, &model, &options, &err));
    return in;
}

static enum status give(struct interpreter *in, TfLiteDelegate *d)
{
    enum status s;

    said[0] = '\0';
    s = interpreter_apply_delegate(in, d, NULL, &err);
    return s == STATUS_OK ? interpreter_allocate(in, &err) : s;
}

static enum status invoke(struct interpreter *in, struct checksum *outputs)
{
    size_t count;
    const int *tensors = interpreter_outputs(in, &count);
    enum status s;

    kit_fill_inputs(in, 5);
    for (size_t i = 0; i < count;
         i++) { /* so that results of an earlier inference do not pass for this one's */
        TfLiteTensor *t = interpreter_tensor(in, tensors[i]);

        if (t->allocation_type == kTfLiteArenaRw)
            memset(t->data.raw, 0x55, t->bytes);
    }
    kit_fill_inputs(in, 5);
    said[0] = '\0';
    if ((s = interpreter_invoke(in, &err)) != STATUS_OK)
        return s;
    *outputs = (struct checksum){ { 0 } };
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *t = interpreter_tensor(in, tensors[i]);

        checksum_add(outputs, t->data.raw, t->bytes);
    }
    return STATUS_OK;
}

static void expect_right(struct interpreter *in, int half)
{
    struct checksum outputs;

    if (invoke(in, &outputs) != STATUS_OK)
        fail_msg("after %s: %s", fault.call, said);
    assert_memory_equal(&outputs, &right[half], sizeof outputs);
}

/* Expects that a new delegate works. */
static void expect_works(int half)
{
    TfLiteDelegate *d CLOSED_BY(kit_delegate_end) = create(half ? "fp16" : "fp32", NULL, NULL);
    struct interpreter *in CLOSED_BY(kit_interpreter_end);

    if (!d)
        fail_msg("%s", said);
    in = open_only();
    if (give(in, d) != STATUS_OK)
        fail_msg("%s", said);
    expect_right(in, half);
}

static void expect_said(const char *name)
{
    if (!strstr(said, name))
        fail_msg("%s failed with %s, but what was said is \"%s\"", fault.call, name, said);
}

static const struct {
    const char *name;
    VkResult result;
} kinds[] = { { "VK_ERROR_OUT_OF_DEVICE_MEMORY", VK_ERROR_OUT_OF_DEVICE_MEMORY },
              { "VK_ERROR_OUT_OF_HOST_MEMORY", VK_ERROR_OUT_OF_HOST_MEMORY },
              { "VK_ERROR_DEVICE_LOST", VK_ERROR_DEVICE_LOST } };
enum { KINDS = sizeof kinds / sizeof kinds[0], CALLS_MAX = 2000 };

/* ---- each call in turn ---- */

TEST(create_fails)
{
    int failed = 0;

    for (int half = 0; half < 2; half++)
        for (int k = 0; k < KINDS; k++)
            for (long n = 0;; n++) {
                TfLiteDelegate *d;

                assert_true(n < CALLS_MAX);
                arm(kinds[k].result, n);
                d = create(half ? "fp16" : "fp32", NULL, NULL);
                if (!d)
                    expect_said(kinds[k].name);
                failed += !d;
                tflite_plugin_destroy_delegate(d);
                disarm();
                if (!fault.fired)
                    break;
                expect_works(half);
            }
    assert_true(failed > 20);
}

static char directory[] = "/tmp/assay-faults-XXXXXX";

static void empty_directory(void)
{
    char command[64];

    snprintf(command, sizeof command, "rm -rf %s", directory);
    assert_int_equal(system(command), 0);
}

/* Options that add Vulkan calls.  A failure of serialization is only a warning. */
static const struct {
    const char *key, *value;
} options[] = { { NULL, NULL },
                { "wait", "active" },
                { "profile", "1" },
                { "tune", "1" },
                { "serialization_dir", directory } };
enum { OPTIONS = sizeof options / sizeof options[0], TUNE = 3 };

/* With options, and under sanitizers, which take four times as long, each call fails with one
 * result of three.  tune=1 repeats the same calls many times. */
static long step_of(int option)
{
    return option == TUNE ? 29 : option > 0 || KIT_SANITIZED ? KINDS : 1;
}

/* A graph whose delegation fails is unchanged, and runs on the CPU. */
TEST(prepare_fails)
{
    int failed[KINDS] = { 0 }, survived = 0;

    for (int o = 0; o < OPTIONS; o++)
        for (int k = 0; k < KINDS; k++)
            for (long n = step_of(o) > 1 ? k : 0;; n += step_of(o)) {
                TfLiteDelegate *const d = create("fp32", options[o].key, options[o].value);
                struct interpreter *in = open_only();
                struct checksum outputs;
                enum status s;

                assert_true(n < CALLS_MAX);
                assert_non_null(d);
                if (o == 4)
                    empty_directory();
                arm(kinds[k].result, n);
                s = give(in, d);
                disarm();
                if (s != STATUS_OK) {
                    assert_true(fault.fired);
                    expect_said(kinds[k].name);
                    assert_int_equal(interpreter_partition_count(in), 0);
                    KIT_OK(interpreter_allocate(in, &err));
                    failed[k]++;
                } else
                    survived += fault.fired;
                if (s != STATUS_OK || kinds[k].result != VK_ERROR_DEVICE_LOST)
                    assert_int_equal(invoke(in, &outputs), STATUS_OK);
                if (n % 5 == 0) /* while the delegate that failed still exists */
                    expect_works(0);
                interpreter_close(in);
                tflite_plugin_destroy_delegate(d);
                if (!fault.fired)
                    break;
            }
    for (int k = 0; k < KINDS; k++)
        assert_true(failed[k] > 0);
    /* There is another type of memory, and what is serialized may be lost: of seven calls that fail
     * about one does no harm. */
    assert_true(failed[0] + failed[1] + failed[2] > 4 * survived);
    expect_works(0);
    expect_works(1);
}

/* Rates that cannot be measured are those of the table, with a warning. */
TEST(measuring_fails)
{
    static const long calls[] = { 0, 3, 30, 90, 300 };
    int fired = 0;

    for (int k = 0; k < KINDS; k++)
        for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
            TfLiteDelegate *d CLOSED_BY(kit_delegate_end) = create("fp32", "placement", "cost");
            struct interpreter *in CLOSED_BY(kit_interpreter_end) = open_only();
            struct checksum outputs;
            enum status s;

            assert_non_null(d);
            arm(kinds[k].result, calls[i]);
            s = give(in, d);
            disarm();
            fired += fault.fired;
            if (fault.fired)
                expect_said(kinds[k].name);
            if (fault.fired && s == STATUS_OK)
                assert_non_null(strstr(said, "WARNING: placement=cost uses rates of a table: "));
            if (kinds[k].result != VK_ERROR_DEVICE_LOST)
                assert_int_equal(invoke(in, &outputs), STATUS_OK);
        }
    assert_true(fired >= 3 * KINDS);
    expect_works(0);
}

TEST(invoke_fails)
{
    int failed = 0;

    for (int o = 0; o < 3; o++)
        for (int k = 0; k < KINDS; k++)
            for (long n = 0;; n++) {
                const bool lost = kinds[k].result == VK_ERROR_DEVICE_LOST;
                TfLiteDelegate *const d = create("fp32", options[o].key, options[o].value);
                struct interpreter *in = open_only();
                struct checksum outputs;
                enum status s;

                assert_true(n < CALLS_MAX);
                assert_non_null(d);
                assert_int_equal(give(in, d), STATUS_OK);
                expect_right(in, 0);
                arm(kinds[k].result, n);
                s = invoke(in, &outputs);
                assert_int_equal(s != STATUS_OK, fault.fired);
                if (s != STATUS_OK) {
                    expect_said(kinds[k].name);
                    failed++;
                }
                if (lost && fault.fired)
                    for (int i = 0; i < 3; i++) /* it stays lost, with an error each time */
                        assert_int_not_equal(invoke(in, &outputs), STATUS_OK);
                disarm();
                if (lost) /* another delegate gets a new device while this one is still open */
                    expect_works(0);
                else
                    expect_right(in, 0);
                interpreter_close(in);
                tflite_plugin_destroy_delegate(d);
                if (!fault.fired)
                    break;
            }
    assert_true(failed >= 12);
    expect_works(0);
}

static struct gpu_delegate *inside(TfLiteDelegate *d)
{
    return d->data_;
}

/* A device is lost while interpreters of several delegates use it.  A delegate that is created
 * before they are closed gets a device of its own. */
TEST(lost_while_others_use_it)
{
    TfLiteDelegate *d[4];
    struct interpreter *in[4];
    struct checksum outputs;

    for (int i = 0; i < 2; i++) {
        assert_non_null(d[i] = create("fp32", NULL, NULL));
        in[i] = open_only();
        assert_int_equal(give(in[i], d[i]), STATUS_OK);
    }
    arm(VK_ERROR_DEVICE_LOST, 0);
    for (int i = 0; i < 2; i++)
        assert_int_not_equal(invoke(in[i], &outputs), STATUS_OK);
    disarm();
    for (int i = 2; i < 4; i++) {
        assert_non_null(d[i] = create("fp32", NULL, NULL));
        in[i] = open_only();
        assert_int_equal(give(in[i], d[i]), STATUS_OK);
    }
    assert_true(inside(d[2])->device != inside(d[0])->device);
    assert_true(inside(d[2])->device == inside(d[3])->device);
    expect_right(in[2], 0);
    expect_right(in[3], 0);
    for (int i = 0; i < 4; i++) {
        interpreter_close(in[i]);
        tflite_plugin_destroy_delegate(d[i]);
    }
    expect_works(0);
}

FIXTURE(setup)
{
    assert_non_null(mkdtemp(directory));
    /* RELU, MUL, MEAN: every kind of call.  Each pipeline more costs some ten seconds in all. */
    kit_random_graph(&model, 9, 3, 2);
    for (int half = 0; half < 2 && kit_device; half++) {
        TfLiteDelegate *d CLOSED_BY(kit_delegate_end) = create(half ? "fp16" : "fp32", NULL, NULL);
        struct interpreter *in CLOSED_BY(kit_interpreter_end) = open_only();

        assert_non_null(d);
        assert_int_equal(give(in, d), STATUS_OK);
        assert_int_equal(interpreter_partition_count(in), 1);
        assert_int_equal(invoke(in, &right[half]), STATUS_OK);
    }
    return 0;
}

FIXTURE(teardown)
{
    model_close(&model);
    empty_directory();
    return 0;
}

/* The first output that is no input of another partition. */
static int find_output(TfLiteDelegate *d)
{
    struct assay_gpu_io e = { .struct_size = sizeof e };

    for (int i = 0; assay_gpu_get_io(d, i, &e) == 0; i++)
        if (e.output)
            return e.tensor;
    fail_msg("no output");
    return -1;
}

static enum status bind_output(TfLiteDelegate *d, int kind)
{
    struct assay_gpu_buffer b = { .struct_size = sizeof b,
                                  .kind = kind,
                                  .layout = ASSAY_LAYOUT_C4,
                                  .tensor = find_output(d),
                                  .partition = -1 };

    if (assay_gpu_bind_buffer_to_tensor(d, &b, said, sizeof said) != 0)
        return STATUS_DEVICE;
    if (kind == ASSAY_GPU_NEW_OPAQUE_FD)
        close(b.fd);
    return STATUS_OK;
}

/* A tensor that cannot be bound is not bound. */
TEST(bind_fails)
{
    struct assay_gpu_vulkan caps = { .struct_size = sizeof caps };
    TfLiteDelegate *d;
    int failed = 0;

    assert_non_null(d = create("fp32", NULL, NULL));
    assert_int_equal(assay_gpu_get_device(d, &caps), 0);
    tflite_plugin_destroy_delegate(d);
    for (int kind = ASSAY_GPU_NEW; kind <= ASSAY_GPU_NEW_OPAQUE_FD; kind++)
        for (int k = 0; k < KINDS && (kind == ASSAY_GPU_NEW || caps.external_memory_fd); k++)
            for (long n = 0;; n++) {
                struct interpreter *in = open_only();
                enum status s;

                assert_true(n < CALLS_MAX);
                assert_non_null(d = create("fp32", NULL, NULL));
                assert_int_equal(give(in, d), STATUS_OK);
                arm(kinds[k].result, n);
                s = bind_output(d, kind);
                if (s != STATUS_OK)
                    expect_said(kinds[k].name);
                failed += s != STATUS_OK;
                disarm();
                expect_right(in, 0);
                expect_right(in, 0);
                interpreter_close(in);
                tflite_plugin_destroy_delegate(d);
                if (!fault.fired)
                    break;
            }
    assert_true(failed > 8);
}

/* Reading a bound output to the host makes Vulkan calls: when they fail, so does the inference, and
 * the next one is right. */
TEST(bound_invoke_fails)
{
    int failed = 0;

    for (int k = 0; k < 2; k++) /* without LOST, after which no inference works */
        for (long n = 0;; n++) {
            TfLiteDelegate *d = create("fp32", NULL, NULL);
            struct interpreter *in = open_only();
            struct checksum outputs;
            enum status s;

            assert_true(n < CALLS_MAX);
            assert_non_null(d);
            assert_int_equal(give(in, d), STATUS_OK);
            assert_int_equal(bind_output(d, ASSAY_GPU_NEW), STATUS_OK);
            arm(kinds[k].result, n);
            s = invoke(in, &outputs);
            if (s != STATUS_OK)
                expect_said(kinds[k].name);
            failed += s != STATUS_OK;
            disarm();
            expect_right(in, 0);
            interpreter_close(in);
            tflite_plugin_destroy_delegate(d);
            if (!fault.fired)
                break;
        }
    assert_true(failed > 8);
}

TEST_FILE(.before = kit_find_device, .needs = &kit_device, .setup = setup, .teardown = teardown);
