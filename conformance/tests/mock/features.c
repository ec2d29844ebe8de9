/* A device that lacks features, over any driver: preloaded (LD_PRELOAD), it hides those that
 * ASSAY_HIDDEN_FEATURES names, with commas between them, from whoever asks, and refuses a device or
 * a shader that uses one all the same.  ci/ports.sh runs cases on such devices. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

enum feature { FLOAT16, INT8, STORAGE16, STORAGE8, DOT, SUBGROUP, FEATURES };

/* name; the capabilities of SPIR-V that need it, first to last. */
static const struct {
    const char *name;
    uint32_t first, last;
} features[FEATURES] = {
    [FLOAT16] = { "float16", 9, 9 },
    [INT8] = { "int8", 39, 39 },
    [STORAGE16] = { "storage16", 4433, 4436 },
    [STORAGE8] = { "storage8", 4448, 4450 },
    [DOT] = { "dot", 6016, 6019 },
    [SUBGROUP] = { "subgroup", 61, 68 },
};

static bool is_hidden(enum feature which)
{
    const char *list = getenv("ASSAY_HIDDEN_FEATURES");
    const size_t length = strlen(features[which].name);

    while (list && *list) {
        const size_t item = strcspn(list, ",");

        if (item == length && memcmp(list, features[which].name, length) == 0)
            return true;
        list += item + (list[item] == ',');
    }
    return false;
}

/* RTLD_NEXT does not see a libvulkan that was loaded with the delegate. */
static void find_next(const char *name, void *function)
{
    void *const loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    void *const symbol = loader ? dlsym(loader, name) : NULL;

    if (!symbol) {
        fprintf(stderr, "features: there is no %s\n", name);
        abort();
    }
    memcpy(function, &symbol, sizeof symbol);
}

/* The fields of a struct of features that belong to `which`, each VkBool32; their number. */
static size_t fields_of(VkBaseOutStructure *s, enum feature which, VkBool32 *fields[3])
{
    switch (s->sType) {
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES: {
        VkPhysicalDevice16BitStorageFeatures *const f = (void *)s;

        fields[0] = &f->storageBuffer16BitAccess;
        fields[1] = &f->uniformAndStorageBuffer16BitAccess;
        fields[2] = &f->storagePushConstant16;
        return which == STORAGE16 ? 3 : 0;
    }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES: {
        VkPhysicalDevice8BitStorageFeatures *const f = (void *)s;

        fields[0] = &f->storageBuffer8BitAccess;
        fields[1] = &f->uniformAndStorageBuffer8BitAccess;
        fields[2] = &f->storagePushConstant8;
        return which == STORAGE8 ? 3 : 0;
    }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES: {
        VkPhysicalDeviceShaderFloat16Int8Features *const f = (void *)s;

        fields[0] = which == FLOAT16 ? &f->shaderFloat16 : &f->shaderInt8;
        return which == FLOAT16 || which == INT8 ? 1 : 0;
    }
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES: {
        VkPhysicalDeviceShaderIntegerDotProductFeatures *const f = (void *)s;

        fields[0] = &f->shaderIntegerDotProduct;
        return which == DOT ? 1 : 0;
    }
    default: return 0;
    }
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceFeatures2(VkPhysicalDevice device,
                                                        VkPhysicalDeviceFeatures2 *all)
{
    PFN_vkGetPhysicalDeviceFeatures2 next;

    find_next("vkGetPhysicalDeviceFeatures2", &next);
    next(device, all);
    for (VkBaseOutStructure *s = all->pNext; s; s = s->pNext)
        for (enum feature i = 0; i < FEATURES; i++) {
            VkBool32 *fields[3];
            const size_t count = fields_of(s, i, fields);

            for (size_t k = 0; k < count && is_hidden(i); k++)
                *fields[k] = VK_FALSE;
        }
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceProperties2(VkPhysicalDevice device,
                                                          VkPhysicalDeviceProperties2 *all)
{
    PFN_vkGetPhysicalDeviceProperties2 next;

    find_next("vkGetPhysicalDeviceProperties2", &next);
    next(device, all);
    for (VkBaseOutStructure *s = all->pNext; s && is_hidden(SUBGROUP); s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES) {
            VkPhysicalDeviceSubgroupProperties *const p = (void *)s;

            p->subgroupSize = 1;
            p->supportedStages = 0;
            p->supportedOperations = 0;
        }
}

VKAPI_ATTR VkResult VKAPI_CALL vkCreateDevice(VkPhysicalDevice device,
                                              const VkDeviceCreateInfo *info,
                                              const VkAllocationCallbacks *allocator,
                                              VkDevice *made)
{
    PFN_vkCreateDevice next;

    for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext)
        for (enum feature i = 0; i < FEATURES; i++) {
            VkBool32 *fields[3];
            /* Only read. */
            const size_t count = fields_of((VkBaseOutStructure *)(uintptr_t)s, i, fields);

            for (size_t k = 0; k < count && is_hidden(i); k++)
                if (*fields[k]) {
                    fprintf(stderr, "features: a device with %s, which is hidden\n",
                            features[i].name);
                    return VK_ERROR_FEATURE_NOT_PRESENT;
                }
        }
    find_next("vkCreateDevice", &next);
    return next(device, info, allocator, made);
}

VKAPI_ATTR VkResult VKAPI_CALL vkCreateShaderModule(VkDevice device,
                                                    const VkShaderModuleCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator,
                                                    VkShaderModule *made)
{
    enum { HEADER_WORDS = 5, OP_CAPABILITY = 17 };
    PFN_vkCreateShaderModule next;

    /* Capabilities come first. */
    for (size_t i = HEADER_WORDS; i + 1 < info->codeSize / 4; i += info->pCode[i] >> 16) {
        if ((info->pCode[i] & 0xffff) != OP_CAPABILITY)
            break;
        for (enum feature f = 0; f < FEATURES; f++)
            if (info->pCode[i + 1] >= features[f].first && info->pCode[i + 1] <= features[f].last &&
                is_hidden(f)) {
                fprintf(stderr, "features: a shader with %s, which is hidden\n", features[f].name);
                return VK_ERROR_INITIALIZATION_FAILED;
            }
    }
    find_next("vkCreateShaderModule", &next);
    return next(device, info, allocator, made);
}
