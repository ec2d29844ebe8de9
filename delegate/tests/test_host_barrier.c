/* What the device writes is made visible to the host before the host reads it: a fence does not do
 * that, a barrier to the host does.  Devices whose memory is coherent in fact give right results
 * without one, so the functions below watch what is recorded.  Skipped
 * without a device. */
/* Wrap: vkBeginCommandBuffer vkCmdDispatch vkCmdCopyBuffer vkCmdPipelineBarrier vkQueueSubmit */
#include "delegate/tests/kit/buffer_kit.h"
#include "reference/tests/kit/test.h"

/* ---- command buffers ---- */

enum { COMMANDS_MAX = 64 };

/* Writes that no barrier has made visible to the host since. */
static struct commands {
    VkCommandBuffer handle;
    VkPipelineStageFlags stages;
    VkAccessFlags accesses;
    int writes; /* commands that write */
} commands[COMMANDS_MAX];

/* What was submitted. */
static struct {
    int writes;
    VkPipelineStageFlags stages;
    VkAccessFlags accesses;
} seen;

static struct commands *commands_of(VkCommandBuffer handle)
{
    for (int i = 0; i < COMMANDS_MAX; i++) {
        if (commands[i].handle == handle || !commands[i].handle) {
            commands[i].handle = handle;
            return &commands[i];
        }
    }
    fail_msg("more than %d command buffers", COMMANDS_MAX);
    return NULL;
}

static void add_write(VkCommandBuffer handle, VkPipelineStageFlags stage, VkAccessFlags access)
{
    struct commands *const c = commands_of(handle);

    c->stages |= stage;
    c->accesses |= access;
    c->writes++;
}

static void see_barrier(struct commands *c, VkPipelineStageFlags from, VkAccessFlags written,
                        VkPipelineStageFlags to, VkAccessFlags used)
{
    const bool every = from & VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const bool any = written & VK_ACCESS_MEMORY_WRITE_BIT;

    /* ALL_COMMANDS as the destination does not include the host. */
    if (!(to & VK_PIPELINE_STAGE_HOST_BIT) ||
        !(used & (VK_ACCESS_HOST_READ_BIT | VK_ACCESS_MEMORY_READ_BIT)))
        return;
    if (!every && (c->stages & ~from) != 0)
        return;
    if (!any && (c->accesses & ~written) != 0)
        return;
    c->stages = 0;
    c->accesses = 0;
}

/* ---- calls ---- */

static bool watched; /* by a test of this file */

__typeof__(vkBeginCommandBuffer) __real_vkBeginCommandBuffer, __wrap_vkBeginCommandBuffer;
__typeof__(vkCmdDispatch) __real_vkCmdDispatch, __wrap_vkCmdDispatch;
__typeof__(vkCmdCopyBuffer) __real_vkCmdCopyBuffer, __wrap_vkCmdCopyBuffer;
__typeof__(vkCmdPipelineBarrier) __real_vkCmdPipelineBarrier, __wrap_vkCmdPipelineBarrier;
__typeof__(vkQueueSubmit) __real_vkQueueSubmit, __wrap_vkQueueSubmit;

VkResult __wrap_vkBeginCommandBuffer(VkCommandBuffer c, const VkCommandBufferBeginInfo *info)
{
    if (watched)
        *commands_of(c) = (struct commands){ .handle = c };
    return __real_vkBeginCommandBuffer(c, info);
}

void __wrap_vkCmdDispatch(VkCommandBuffer c, uint32_t x, uint32_t y, uint32_t z)
{
    if (watched)
        add_write(c, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT);
    __real_vkCmdDispatch(c, x, y, z);
}

void __wrap_vkCmdCopyBuffer(VkCommandBuffer c, VkBuffer from, VkBuffer to, uint32_t count,
                            const VkBufferCopy *regions)
{
    if (watched)
        add_write(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
    __real_vkCmdCopyBuffer(c, from, to, count, regions);
}

void __wrap_vkCmdPipelineBarrier(VkCommandBuffer c, VkPipelineStageFlags from,
                                 VkPipelineStageFlags to, VkDependencyFlags flags, uint32_t count,
                                 const VkMemoryBarrier *memory, uint32_t buffer_count,
                                 const VkBufferMemoryBarrier *buffers, uint32_t image_count,
                                 const VkImageMemoryBarrier *images)
{
    /* Barriers of single buffers are not counted: they would have to cover every output. */
    for (uint32_t i = 0; watched && i < count; i++)
        see_barrier(commands_of(c), from, memory[i].srcAccessMask, to, memory[i].dstAccessMask);
    __real_vkCmdPipelineBarrier(c, from, to, flags, count, memory, buffer_count, buffers,
                                image_count, images);
}

VkResult __wrap_vkQueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits,
                              VkFence fence)
{
    for (uint32_t i = 0; watched && i < count; i++) {
        for (uint32_t j = 0; j < submits[i].commandBufferCount; j++) {
            const struct commands *const c = commands_of(submits[i].pCommandBuffers[j]);

            seen.writes += c->writes;
            seen.stages |= c->stages;
            seen.accesses |= c->accesses;
        }
    }
    return __real_vkQueueSubmit(queue, count, submits, fence);
}

/* ---- tests ---- */

/* An inference, in which all that the device writes is made visible to the host. */
static void expect_visible(struct interpreter *in, const char *what)
{
    memset(&seen, 0, sizeof seen);
    kit_run(in);
    if (seen.writes == 0)
        fail_msg("%s: nothing was submitted", what);
    if (seen.stages || seen.accesses)
        fail_msg("%s: no barrier from stages 0x%x, accesses 0x%x to reads of the host behind the "
                 "last write",
                 what, (unsigned)seen.stages, (unsigned)seen.accesses);
}

/* Every way of recording. */
TEST(outputs_are_visible)
{
    static const char *const options[][2] = { { "wait", "passive" }, { "wait", "active" },
                                              { "wait", "none" },    { "precision", "fp16" },
                                              { "profile", "1" },    { "poison", "nan" },
                                              { "exclude", "RELU" } };

    MODEL_BY(m, kit_random_graph(&m, 21, 9, 2));
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        TfLiteDelegate *const d =
            kit_delegate(WITH("max_partitions", "0", options[i][0], options[i][1]));
        struct interpreter *const in = kit_open(&m, d);

        kit_fill_inputs(in, 3);
        expect_visible(in, options[i][1]);
        interpreter_allow_buffer_handles(in, true);
        expect_visible(in, "outputs that the host may read later");
        interpreter_allow_buffer_handles(in, false);
        for (int n = 0; n < 2; n++) { /* another shape is another recording */
            const int x = interpreter_inputs(in, &(size_t){ 0 })[n];
            const TfLiteTensor *const t = interpreter_tensor(in, x);

            KIT_OK(interpreter_resize_input(in, x, (int32_t[]){ 3, t->dims->data[1] }, 2, &err));
        }
        KIT_OK(interpreter_allocate(in, &err));
        kit_fill_inputs(in, 4);
        expect_visible(in, "resized");
        interpreter_close(in);
        assay_gpu_delegate_destroy(d);
    }
}

/* An output in a buffer of the caller is read by a copy of its own. */
TEST(bound_outputs_are_visible)
{
    enum { Z = 4 };
    struct kit_buffer buffer;
    struct interpreter *in;
    struct kit_vulkan v;

    MODEL_BY(m, kit_simple_graph(&m));
    DELEGATE(d, "precision", "fp32");
    v = kit_vulkan_of(d);
    in = kit_open(&m, d);
    buffer = kit_buffer(&v, kit_io(d, Z).c4_bytes);
    kit_fill_inputs(in, 3);
    for (int layout = 0; layout < 2; layout++) {
        kit_bind_buffer(d, &v, Z, layout, &buffer);
        expect_visible(in, "bound");
        interpreter_allow_buffer_handles(in, true);
        expect_visible(in, "bound, without a copy"); /* the caller's memory may be mapped */
        memset(&seen, 0, sizeof seen);
        kit_read(in, Z);
        assert_true(seen.writes > 0);
        assert_int_equal(seen.stages | seen.accesses, 0);
        interpreter_allow_buffer_handles(in, false);
        kit_unbind(d, Z);
        expect_visible(in, "unbound");
    }
    interpreter_close(in);
    kit_buffer_close(&v, &buffer);
}

FIXTURE(watch)
{
    watched = true;
    return 0;
}

TEST_FILE(.before = kit_find_device, .needs = &kit_device, .setup = watch);
