/* The pipelines of a start, made by several threads: as many at a time as there are cores, equal
 * ones once, with the results of one thread; when making any of them fails, the start fails with
 * the error of that call, nothing stays behind, and the next start works.  Skipped without a
 * device. */
/* Wrap: vkCreateComputePipelines vkDestroyPipeline vkCreateShaderModule vkDestroyShaderModule */
#include "delegate/tests/kit/device_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/thread_kit.h"

#include "assay_gpu.h"
#include "delegate/base/checksum.h"
#include "delegate/base/parallel.h"

#include <stdatomic.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

static atomic_int inside, most_inside; /* calls that make a pipeline, at the same time */
static atomic_int calls, fails_at;     /* fails_at: the call that fails, from 1; 0: none */
static atomic_int modules, pipelines;  /* that exist */

static bool watched; /* by a test of this file */

__typeof__(vkCreateComputePipelines) __real_vkCreateComputePipelines,
    __wrap_vkCreateComputePipelines;
__typeof__(vkDestroyPipeline) __real_vkDestroyPipeline, __wrap_vkDestroyPipeline;
__typeof__(vkCreateShaderModule) __real_vkCreateShaderModule, __wrap_vkCreateShaderModule;
__typeof__(vkDestroyShaderModule) __real_vkDestroyShaderModule, __wrap_vkDestroyShaderModule;

VkResult __wrap_vkCreateComputePipelines(VkDevice d, VkPipelineCache c, uint32_t n,
                                         const VkComputePipelineCreateInfo *i,
                                         const VkAllocationCallbacks *a, VkPipeline *p)
{
    int now, most;
    VkResult r;

    if (!watched)
        return __real_vkCreateComputePipelines(d, c, n, i, a, p);
    now = atomic_fetch_add(&inside, 1) + 1;
    most = atomic_load(&most_inside);
    while (now > most && !atomic_compare_exchange_weak(&most_inside, &most, now))
        ;
    usleep(2000);
    if (atomic_fetch_add(&calls, 1) + 1 == atomic_load(&fails_at))
        r = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    else
        r = __real_vkCreateComputePipelines(d, c, n, i, a, p);
    if (r == VK_SUCCESS)
        atomic_fetch_add(&pipelines, 1);
    atomic_fetch_sub(&inside, 1);
    return r;
}

void __wrap_vkDestroyPipeline(VkDevice d, VkPipeline p, const VkAllocationCallbacks *a)
{
    atomic_fetch_sub(&pipelines, p != VK_NULL_HANDLE);
    __real_vkDestroyPipeline(d, p, a);
}

VkResult __wrap_vkCreateShaderModule(VkDevice d, const VkShaderModuleCreateInfo *i,
                                     const VkAllocationCallbacks *a, VkShaderModule *m)
{
    atomic_fetch_add(&modules, 1);
    return __real_vkCreateShaderModule(d, i, a, m);
}

void __wrap_vkDestroyShaderModule(VkDevice d, VkShaderModule m, const VkAllocationCallbacks *a)
{
    atomic_fetch_sub(&modules, 1);
    __real_vkDestroyShaderModule(d, m, a);
}

/* ---- starts ---- */

static struct model model;

static struct checksum outputs_of(struct interpreter *in)
{
    struct checksum h = { { 0 } };
    size_t count;
    const int *tensors;

    kit_invoke(in, 5);
    tensors = interpreter_outputs(in, &count);
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(in, tensors[i]);

        checksum_add(&h, t->data.raw, t->bytes);
    }
    return h;
}

struct start {
    struct checksum outputs;
    int made, together;
};

/* Pipelines that the steps of a delegate need: as many as differ in shader or constants. */
static int count_different(const TfLiteDelegate *d)
{
    const int count = assay_gpu_step_count(d);
    int different = 0;

    for (int i = 0; i < count; i++) {
        struct assay_gpu_step a = { .struct_size = sizeof a }, b = { .struct_size = sizeof b };
        bool new = true;

        assert_int_equal(assay_gpu_get_step(d, i, &a), 0);
        for (int j = 0; j < i && new; j++) {
            assert_int_equal(assay_gpu_get_step(d, j, &b), 0);
            new = b.idle || strcmp(a.shader, b.shader) != 0 ||
                  memcmp(a.constants, b.constants, sizeof a.constants) != 0;
        }
        different += new && !a.idle;
    }
    return different;
}

/* A start of `cores` cores.  The delegate is the only one, so its device and pipelines are new. */
static struct start start(size_t cores)
{
    struct interpreter *in;
    TfLiteDelegate *d;
    struct start s;

    parallel_pretend_cores(cores);
    atomic_store(&calls, 0);
    atomic_store(&most_inside, 0);
    /* Frozen steps of a device that has them would need more than count_different finds. */
    d = kit_delegate(WITH("max_partitions", "0", "no_kernel", "frozen"));
    in = kit_open(&model, d);
    s.made = atomic_load(&calls);
    s.together = atomic_load(&most_inside);
    s.outputs = outputs_of(in);
    assert_int_equal(s.made, count_different(d)); /* equal ones are shared */
    assert_int_equal(atomic_load(&modules), 0);
    interpreter_close(in);
    assay_gpu_delegate_destroy(d);
    assert_int_equal(atomic_load(&pipelines), 0);
    parallel_pretend_cores(0);
    return s;
}

TEST(many_at_a_time)
{
    struct start one, four;

    one = start(1);
    four = start(4);
    assert_true(one.made >= 3);
    assert_int_equal(one.together, 1);
    assert_int_equal(four.made, one.made);
    assert_true(four.together > 1 && four.together <= 4);
    assert_memory_equal(&one.outputs, &four.outputs, sizeof one.outputs);
}

/* The second partition of the same graph finds all pipelines. */
TEST(made_once)
{
    struct interpreter *first, *second;
    TfLiteDelegate *d;
    int made;

    parallel_pretend_cores(4);
    d = kit_delegate(WITH("max_partitions", "0"));
    first = kit_open(&model, d);
    made = atomic_load(&pipelines);
    second = kit_open(&model, d);
    assert_int_equal(atomic_load(&pipelines), made);
    parallel_pretend_cores(0);
    interpreter_close(first);
    interpreter_close(second);
    assay_gpu_delegate_destroy(d);
    assert_int_equal(atomic_load(&pipelines), 0);
}

/* Whichever call fails, in whichever thread. */
TEST(each_fails)
{
    const struct interpreter_options options = { .report = kit_listen };
    struct checksum right;
    int made;

    made = start(4).made;
    right = start(4).outputs;
    for (int n = 1; n <= made; n++) {
        TfLiteDelegate *const d = kit_delegate(WITH("max_partitions", "0"));
        struct interpreter *again, *in;
        struct checksum outputs;
        int threads;

        parallel_pretend_cores(4);
        threads = kit_count_threads(); /* of the device, too */
        KIT_OK(interpreter_open(&in, &model, &options, &err));
        kit_said[0] = '\0';
        atomic_store(&calls, 0);
        atomic_store(&fails_at, n);
        assert_true(interpreter_apply_delegate(in, d, NULL, &err) != STATUS_OK);
        atomic_store(&fails_at, 0);
        if (!strstr(kit_said, "assay delegate: shader ") ||
            !strstr(kit_said, "vkCreateComputePipelines: VK_ERROR_OUT_OF_DEVICE_MEMORY"))
            fail_msg("call %d failed, but what was said is \"%s\"", n, kit_said);
        assert_int_equal(interpreter_partition_count(in), 0);
        assert_int_equal(atomic_load(&modules), 0);
        kit_expect_threads(threads);
        assert_int_equal(atomic_load(&inside), 0);
        again = kit_open(&model, d); /* with the pipelines that were made */
        outputs = outputs_of(again);
        assert_memory_equal(&outputs, &right, sizeof right);
        parallel_pretend_cores(0);
        interpreter_close(again);
        interpreter_close(in);
        assay_gpu_delegate_destroy(d);
        assert_int_equal(atomic_load(&pipelines), 0);
    }
}

/* Allocations fail while several threads are at work: an error, and no crash. */
TEST(no_memory)
{
    const struct interpreter_options options = { .report = kit_listen };
    int failed = 0;

    for (long n = 0; n < 4000; n += 1 + n / 16) {
        TfLiteDelegate *const d = kit_delegate(WITH("max_partitions", "0"));
        struct interpreter *in;
        enum status s;

        KIT_OK(interpreter_open(&in, &model, &options, &err));
        kit_said[0] = '\0';
        parallel_pretend_cores(4);
        mem_fail_after(n);
        s = interpreter_apply_delegate(in, d, NULL, &err);
        mem_fail_after(-1);
        parallel_pretend_cores(0);
        failed += s != STATUS_OK;
        assert_int_equal(atomic_load(&modules), 0);
        interpreter_close(in);
        assay_gpu_delegate_destroy(d);
        assert_int_equal(atomic_load(&pipelines), 0);
        if (s == STATUS_OK && n > 1000)
            break;
    }
    assert_true(failed > 10);
}

FIXTURE(make_model)
{
    watched = true;
    kit_random_graph(&model, 11, 24, 2);
    return 0;
}

FIXTURE(drop_model)
{
    model_close(&model);
    return 0;
}

TEST_FILE(.before = kit_find_device, .needs = &kit_device, .setup = make_model,
          .teardown = drop_model);
