#include "delegate/vulkan/cooperative_matrix.h"

#include "delegate/shaders/spirv.h"
#include "reference/base/memory.h"

#include <stddef.h>
#include <string.h>

/* Headers before 1.3.255 lack the extension of Khronos. */
#ifndef VK_KHR_cooperative_matrix
#define VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME "VK_KHR_cooperative_matrix"
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR                          \
    ((VkStructureType)1000506000)
#define VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR ((VkStructureType)1000506001)

typedef struct VkCooperativeMatrixPropertiesKHR {
    VkStructureType sType;
    void *pNext;
    uint32_t MSize;
    uint32_t NSize;
    uint32_t KSize;
    VkComponentTypeNV AType;
    VkComponentTypeNV BType;
    VkComponentTypeNV CType;
    VkComponentTypeNV ResultType;
    VkBool32 saturatingAccumulation;
    VkScopeNV scope;
} VkCooperativeMatrixPropertiesKHR;

typedef VkResult(VKAPI_PTR *PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)(
    VkPhysicalDevice physicalDevice, uint32_t *pPropertyCount,
    VkCooperativeMatrixPropertiesKHR *pProperties);
#else
_Static_assert(sizeof(VkPhysicalDeviceCooperativeMatrixFeaturesKHR) ==
                       sizeof(VkPhysicalDeviceCooperativeMatrixFeaturesNV) &&
                   offsetof(VkPhysicalDeviceCooperativeMatrixFeaturesKHR, cooperativeMatrix) ==
                       offsetof(VkPhysicalDeviceCooperativeMatrixFeaturesNV, cooperativeMatrix),
               "one struct serves both extensions");
#endif
_Static_assert(offsetof(VkCooperativeMatrixPropertiesKHR, scope) == 2 * sizeof(void *) + 8 * 4,
               "VkCooperativeMatrixPropertiesKHR has the layout of the specification");

enum { PROPERTIES_MAX = 256 };

static bool has_extension(const VkExtensionProperties *list, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(list[i].extensionName, name) == 0)
            return true;
    return false;
}

/* The features that all shaders of matrices need, besides the matrices themselves.  bytes: whether
 * there is that of shaders of i8, too. */
static bool has_features(VkPhysicalDevice physical, const VkExtensionProperties *extensions,
                         uint32_t count, enum matrix_kind kind, bool *bytes)
{
    struct cooperative_matrix_features f;
    VkPhysicalDeviceFeatures2 features = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                           .pNext = &f.matrix };

    cooperative_matrix_enable(&f, kind, false, NULL);
    for (int i = 0; i < COOPERATIVE_MATRIX_EXTENSIONS; i++)
        if (!has_extension(extensions, count, f.extensions[i]))
            return false;
    f.matrix.cooperativeMatrix = VK_FALSE;
    f.memory_model.vulkanMemoryModel = VK_FALSE;
    f.float16.shaderFloat16 = VK_FALSE;
    f.float16.shaderInt8 = VK_FALSE;
    vkGetPhysicalDeviceFeatures2(physical, &features);
    *bytes = f.float16.shaderInt8 == VK_TRUE;
    return f.matrix.cooperativeMatrix && f.memory_model.vulkanMemoryModel &&
           f.float16.shaderFloat16;
}

/* The size of all subgroups; 0: they may have several sizes. */
static uint32_t read_subgroup_size(VkPhysicalDevice physical,
                                   const VkExtensionProperties *extensions, uint32_t count)
{
    VkPhysicalDeviceSubgroupSizeControlPropertiesEXT sizes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES_EXT
    };
    VkPhysicalDeviceSubgroupProperties subgroup = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES
    };
    VkPhysicalDeviceProperties2 p = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                      .pNext = &subgroup };

    if (has_extension(extensions, count, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME))
        subgroup.pNext = &sizes;
    vkGetPhysicalDeviceProperties2(physical, &p);
    if (!(subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) ||
        (subgroup.pNext && sizes.minSubgroupSize != sizes.maxSubgroupSize))
        return 0;
    return subgroup.subgroupSize;
}

/* Takes the larger of square tiles that one component of 16 bytes an invocation fills. */
static void consider(struct device_matrix *m, uint32_t rows, uint32_t columns, uint32_t depth,
                     bool types, VkScopeNV scope)
{
    if (types && scope == VK_SCOPE_SUBGROUP_NV && rows == columns && rows == depth &&
        (rows == 8 || rows == 16) && rows > m->tile && rows * rows <= 8 * m->subgroup_size)
        m->tile = rows;
}

/* The one size of i8 matrices that there is a shader for. */
static bool is_byte_product(const struct device_matrix *m, const VkCooperativeMatrixPropertiesNV *p)
{
    return p->AType == VK_COMPONENT_TYPE_SINT8_NV && p->BType == VK_COMPONENT_TYPE_SINT8_NV &&
           p->CType == VK_COMPONENT_TYPE_SINT32_NV && p->DType == VK_COMPONENT_TYPE_SINT32_NV &&
           p->MSize == MATRIX_TILE_MAX && p->NSize == MATRIX_TILE_MAX &&
           p->KSize == 2 * MATRIX_TILE_MAX && p->scope == VK_SCOPE_SUBGROUP_NV &&
           16 * m->subgroup_size == 2 * MATRIX_ELEMENTS_MAX;
}

#define HALF_PRODUCTS(p, result)                                                                   \
    ((p)->AType == VK_COMPONENT_TYPE_FLOAT16_NV && (p)->BType == VK_COMPONENT_TYPE_FLOAT16_NV &&   \
     (p)->CType == VK_COMPONENT_TYPE_FLOAT32_NV && (p)->result == VK_COMPONENT_TYPE_FLOAT32_NV)

static void read_nv(struct device_matrix *m, VkInstance instance, VkPhysicalDevice physical)
{
    const PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesNV read =
        (PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesNV)vkGetInstanceProcAddr(
            instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesNV");
    VkCooperativeMatrixPropertiesNV *list = mem_alloc(PROPERTIES_MAX, sizeof *list);
    uint32_t count = PROPERTIES_MAX;

    for (uint32_t i = 0; list && i < count; i++)
        list[i].sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_NV;
    if (list && read && read(physical, &count, list) >= VK_SUCCESS)
        for (uint32_t i = 0; i < count; i++) {
            consider(m, list[i].MSize, list[i].NSize, list[i].KSize, HALF_PRODUCTS(&list[i], DType),
                     list[i].scope);
            m->bytes = m->bytes || is_byte_product(m, &list[i]);
        }
    mem_free(list);
}

static void read_khr(struct device_matrix *m, VkInstance instance, VkPhysicalDevice physical)
{
    const PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR read =
        (PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)vkGetInstanceProcAddr(
            instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
    VkCooperativeMatrixPropertiesKHR *list = mem_alloc(PROPERTIES_MAX, sizeof *list);
    uint32_t count = PROPERTIES_MAX;

    for (uint32_t i = 0; list && i < count; i++)
        list[i].sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
    if (list && read && read(physical, &count, list) >= VK_SUCCESS)
        for (uint32_t i = 0; i < count; i++)
            consider(m, list[i].MSize, list[i].NSize, list[i].KSize,
                     HALF_PRODUCTS(&list[i], ResultType), (VkScopeNV)list[i].scope);
    mem_free(list);
}

void cooperative_matrix_read(struct device_matrix *m, VkInstance instance,
                             VkPhysicalDevice physical, const VkExtensionProperties *extensions,
                             uint32_t count)
{
    bool bytes;

    *m = (struct device_matrix){ .kind = MATRIX_NONE };
    if (!instance || (m->subgroup_size = read_subgroup_size(physical, extensions, count)) == 0)
        return;
    if (has_features(physical, extensions, count, MATRIX_NV, &bytes)) {
        read_nv(m, instance, physical);
        m->kind = m->tile > 0 ? MATRIX_NV : MATRIX_NONE;
        m->bytes = m->bytes && bytes && m->tile == MATRIX_TILE_MAX;
    }
    /* A shader for the extension of Khronos is there if the build's glslang knew it. */
    if (m->kind == MATRIX_NONE && spirv_find("matrix.khr11") &&
        has_features(physical, extensions, count, MATRIX_KHR, &bytes)) {
        read_khr(m, instance, physical);
        m->kind = m->tile > 0 ? MATRIX_KHR : MATRIX_NONE;
    }
}

void cooperative_matrix_enable(struct cooperative_matrix_features *f, enum matrix_kind kind,
                               bool bytes, void *next)
{
    *f = (struct cooperative_matrix_features){
        .matrix = { .sType =
                        kind == MATRIX_NV
                            ? VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV
                            : VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
                    .pNext = &f->memory_model,
                    .cooperativeMatrix = VK_TRUE },
        .memory_model = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
                          .pNext = &f->float16,
                          .vulkanMemoryModel = VK_TRUE },
        .float16 = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
                     .pNext = next,
                     .shaderFloat16 = VK_TRUE,
                     .shaderInt8 = bytes ? VK_TRUE : VK_FALSE },
        .extensions = { kind == MATRIX_NV ? VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME
                                          : VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME,
                        VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME,
                        VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME }
    };
}
