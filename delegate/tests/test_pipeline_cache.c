/* What a driver gives of its pipelines: as it is, or cut within the header, as the llvmpipe of Mesa
 * 26.2 does.  Skipped without a device. */
/* Wrap: vkGetPipelineCacheData */
#include "delegate/tests/kit/device_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/vulkan/device.h"
#include "delegate/vulkan/pipeline.h"
#include "reference/base/memory.h"

#include <vulkan/vulkan.h>

static size_t cut = SIZE_MAX; /* bytes that the driver gives */

__typeof__(vkGetPipelineCacheData) __real_vkGetPipelineCacheData, __wrap_vkGetPipelineCacheData;

VkResult __wrap_vkGetPipelineCacheData(VkDevice device, VkPipelineCache cache, size_t *bytes,
                                       void *data)
{
    const VkResult r = __real_vkGetPipelineCacheData(device, cache, bytes, data);

    if (r == VK_SUCCESS && data && *bytes > cut)
        *bytes = cut;
    return r;
}

static size_t bytes_of(size_t given)
{
    enum { HEADER_BYTES = 32 };
    struct pipeline_cache cache, again;
    struct device *device;
    uint8_t *data;
    size_t bytes;

    cut = given;
    KIT_OK(device_acquire(&device, NULL, false, &(struct device_cost){ 0 }, &err));
    KIT_OK(pipeline_cache_open(&cache, device->handle, NULL, 0, false, &err));
    KIT_OK(pipeline_cache_read(&cache, &data, &bytes, &err));
    KIT_OK(pipeline_cache_open(&again, device->handle, data, bytes, false, &err));
    assert_true(bytes == 0 || bytes >= HEADER_BYTES);
    mem_free(data);
    pipeline_cache_close(&again);
    pipeline_cache_close(&cache);
    device_release(device);
    return bytes;
}

TEST(cut_headers)
{
    size_t all;

    NEEDS_DEVICE;
    all = bytes_of(SIZE_MAX);
    assert_int_equal(bytes_of(20), 0);
    assert_int_equal(bytes_of(31), 0);
    assert_int_equal(bytes_of(0), 0);
    assert_int_equal(bytes_of(32), all >= 32 ? 32 : 0);
}

TEST_FILE(.before = kit_find_device);
