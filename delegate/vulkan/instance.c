#include "delegate/vulkan/instance.h"

#include "delegate/base/lock.h"
#include "delegate/vulkan/llvm_clash.h"
#include "delegate/vulkan/result.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static VkInstance instance;
static pid_t owner; /* the process that made it */
static VkDebugUtilsMessengerEXT messenger;
static PFN_vkCmdBeginDebugUtilsLabelEXT label_begin;
static PFN_vkCmdEndDebugUtilsLabelEXT label_end;

static struct lock message_lock = LOCK_INITIALIZER(LOCK_RANK_MESSAGES);
static long message_count;
static char message_last[1024];

long instance_validation_messages(char *text, size_t size)
{
    long n;

    lock_acquire(&message_lock);
    n = message_count;
    snprintf(text, size, "%s", message_last);
    lock_release(&message_lock);
    return n;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                 void *user)
{
    (void)severity;
    (void)types;
    (void)user;
    lock_acquire(&message_lock);
    message_count++;
    snprintf(message_last, sizeof message_last, "%s", data && data->pMessage ? data->pMessage : "");
    lock_release(&message_lock);
    return VK_FALSE;
}

bool instance_validates(void)
{
    const char *v = getenv("ASSAY_VK_VALIDATION");

    return v && strcmp(v, "1") == 0;
}

static enum status create(struct diag *diag)
{
    static const char *const layers[] = { "VK_LAYER_KHRONOS_validation" };
    static const char *const extensions[] = { VK_EXT_DEBUG_UTILS_EXTENSION_NAME };
    static const VkValidationFeatureEnableEXT enables[] = {
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
    };
    const VkDebugUtilsMessengerCreateInfoEXT message_info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = on_message,
    };
    const VkValidationFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .pNext = &message_info,
        .enabledValidationFeatureCount = 1,
        .pEnabledValidationFeatures = enables,
    };
    const VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                            .pApplicationName = "assay",
                                            .pEngineName = "assay_delegate",
                                            .apiVersion = VK_API_VERSION_1_1 };
    const bool validate = instance_validates();
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = validate ? &features : NULL,
        .pApplicationInfo = &application,
        .enabledLayerCount = validate ? 1 : 0,
        .ppEnabledLayerNames = layers,
        .enabledExtensionCount = 1,
        .ppEnabledExtensionNames = extensions,
    };
    uint32_t version = VK_API_VERSION_1_0;
    VkResult r = VK_SUCCESS;

    /* A loader of version 1.0 lacks the function. */
    const PFN_vkEnumerateInstanceVersion enumerate =
        (PFN_vkEnumerateInstanceVersion)vkGetInstanceProcAddr(NULL, "vkEnumerateInstanceVersion");
    if (enumerate)
        r = enumerate(&version);
    if (r != VK_SUCCESS) {
        result_fail_call(diag, "vkEnumerateInstanceVersion", r);
        return diag_prefix(diag, STATUS_NO_DEVICE, "no usable Vulkan");
    }
    if (version < VK_API_VERSION_1_1)
        return diag_fail(diag, STATUS_NO_DEVICE,
                         "the Vulkan loader is of version 1.0, expected 1.1 or later");
    /* Asking for the list of extensions first would load and unload all drivers once more. */
    r = vkCreateInstance(&info, NULL, &instance);
    if (r == VK_ERROR_EXTENSION_NOT_PRESENT && !validate) {
        info.enabledExtensionCount = 0;
        r = vkCreateInstance(&info, NULL, &instance);
    }
    if (r != VK_SUCCESS) {
        instance = VK_NULL_HANDLE;
        result_fail_call(diag, "vkCreateInstance", r);
        if (r == VK_ERROR_INCOMPATIBLE_DRIVER)
            return diag_fail(diag, STATUS_NO_DEVICE,
                             "no Vulkan driver is installed, or none can be used "
                             "(vkCreateInstance: VK_ERROR_INCOMPATIBLE_DRIVER)");
        if (r == VK_ERROR_LAYER_NOT_PRESENT && validate)
            return diag_fail(diag, STATUS_NO_DEVICE,
                             "ASSAY_VK_VALIDATION=1, but VK_LAYER_KHRONOS_validation is missing");
        return diag_prefix(diag, STATUS_NO_DEVICE, "no usable Vulkan");
    }
    if (info.enabledExtensionCount > 0) {
        label_begin = (PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetInstanceProcAddr(
            instance, "vkCmdBeginDebugUtilsLabelEXT");
        label_end = (PFN_vkCmdEndDebugUtilsLabelEXT)vkGetInstanceProcAddr(
            instance, "vkCmdEndDebugUtilsLabelEXT");
    }
    if (validate) {
        const PFN_vkCreateDebugUtilsMessengerEXT make =
            (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
                instance, "vkCreateDebugUtilsMessengerEXT");

        if (make)
            make(instance, &message_info, NULL, &messenger);
    }
    return STATUS_OK;
}

enum status instance_get(VkInstance *out, struct diag *diag)
{
    /* After a fork the driver's threads are gone, so an instance of the parent can neither be used
     * nor destroyed. */
    if (instance && owner != getpid()) {
        instance = VK_NULL_HANDLE;
        messenger = VK_NULL_HANDLE;
        label_begin = NULL;
        label_end = NULL;
    }
    if (!instance) {
        TRY(create(diag));
        llvm_clash_look();
        owner = getpid();
    }
    *out = instance;
    return STATUS_OK;
}

void instance_label_begin(VkCommandBuffer commands, const char *label)
{
    const VkDebugUtilsLabelEXT info = { .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                        .pLabelName = label };

    if (label_begin && label_end)
        label_begin(commands, &info);
}

void instance_label_end(VkCommandBuffer commands)
{
    if (label_begin && label_end)
        label_end(commands);
}
