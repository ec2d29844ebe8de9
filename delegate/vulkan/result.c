#include "delegate/vulkan/result.h"

#include <stdatomic.h>
#include <stddef.h>

static atomic_uint losses;

const char *result_name(VkResult r)
{
    static const struct {
        VkResult result;
        const char *name;
    } names[] = {
        { VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY" },
        { VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY" },
        { VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED" },
        { VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST" },
        { VK_ERROR_MEMORY_MAP_FAILED, "VK_ERROR_MEMORY_MAP_FAILED" },
        { VK_ERROR_LAYER_NOT_PRESENT, "VK_ERROR_LAYER_NOT_PRESENT" },
        { VK_ERROR_EXTENSION_NOT_PRESENT, "VK_ERROR_EXTENSION_NOT_PRESENT" },
        { VK_ERROR_FEATURE_NOT_PRESENT, "VK_ERROR_FEATURE_NOT_PRESENT" },
        { VK_ERROR_INCOMPATIBLE_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER" },
        { VK_ERROR_TOO_MANY_OBJECTS, "VK_ERROR_TOO_MANY_OBJECTS" },
        { VK_ERROR_FRAGMENTED_POOL, "VK_ERROR_FRAGMENTED_POOL" },
        { VK_ERROR_UNKNOWN, "VK_ERROR_UNKNOWN" },
        { VK_ERROR_OUT_OF_POOL_MEMORY, "VK_ERROR_OUT_OF_POOL_MEMORY" },
        { VK_ERROR_INVALID_SHADER_NV, "VK_ERROR_INVALID_SHADER_NV" },
        { VK_ERROR_FRAGMENTATION, "VK_ERROR_FRAGMENTATION" },
        { VK_ERROR_INVALID_EXTERNAL_HANDLE, "VK_ERROR_INVALID_EXTERNAL_HANDLE" },
        { VK_INCOMPLETE, "VK_INCOMPLETE" },
        { VK_TIMEOUT, "VK_TIMEOUT" },
        { VK_NOT_READY, "VK_NOT_READY" },
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].result == r)
            return names[i].name;
    return NULL;
}

unsigned result_lost_count(void)
{
    return atomic_load(&losses);
}

enum status result_fail_call(struct diag *diag, const char *call, VkResult result)
{
    const enum status s = result == VK_ERROR_OUT_OF_HOST_MEMORY ? STATUS_NO_MEMORY : STATUS_DEVICE;
    const char *name = result_name(result);

    if (result == VK_ERROR_DEVICE_LOST)
        atomic_fetch_add(&losses, 1);
    if (name)
        return diag_fail(diag, s, "%s: %s", call, name);
    return diag_fail(diag, s, "%s: VkResult %d", call, (int)result);
}
