/* What is read of a physical device, which need not be here: this program has functions of Vulkan
 * of its own, which answer for a device that each test describes. */
/* Alone: its functions of Vulkan take the place of the loader's. */
/* Wrap: spirv_find */
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/shaders/spirv.h"
#include "delegate/vulkan/cooperative_matrix.h"
#include "delegate/vulkan/device_info.h"
#include "reference/base/memory.h"

#include <string.h>

enum { LIST_MAX = 8 };

/* A matrix product that the device has, as both extensions list it: f16 * f16 + f32, of a size, by
 * a subgroup, but for its flaw.  BYTES is none: i8 * i8 + i32. */
struct fake_product {
    uint32_t rows, columns, depth;
    enum flaw { FINE, IN_BYTES, HALF_SUMS, BY_WORKGROUP, BYTES } flaw;
};

static struct fake_device {
    uint32_t api;
    VkPhysicalDeviceType type;
    uint32_t invocations;
    const char *extensions[LIST_MAX];
    int extension_count;
    VkResult extensions_are, extensions_read;
    VkQueueFamilyProperties families[LIST_MAX];
    uint32_t family_count;
    VkPhysicalDeviceMemoryProperties memory;
    VkDeviceSize budget, used;
    VkShaderStageFlags subgroup_stages;
    uint32_t subgroup, smallest_subgroup, largest_subgroup;
    bool lacks_half, lacks_model, lacks_bytes;
    struct fake_product products[LIST_MAX];
    uint32_t product_count;
    VkResult products_are;
    bool lacks_products; /* the function that lists them */
    bool lacks_shader;   /* for the extension of Khronos */
} fake;

/* ---- Vulkan, as the loader has it ---- */

#define IS(what)    (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##what)
#define AS(type, s) ((VkPhysicalDevice##type *)(void *)(s))

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceProperties(VkPhysicalDevice physical,
                                                         VkPhysicalDeviceProperties *p)
{
    (void)physical;
    *p = (VkPhysicalDeviceProperties){ .apiVersion = fake.api,
                                       .driverVersion = 0x1234,
                                       .vendorID = 0x10de,
                                       .deviceType = fake.type,
                                       .deviceName = "Fake 9" };
    p->limits.maxComputeWorkGroupInvocations = fake.invocations;
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceProperties2(VkPhysicalDevice physical,
                                                          VkPhysicalDeviceProperties2 *p)
{
    vkGetPhysicalDeviceProperties(physical, &p->properties);
    for (VkBaseOutStructure *s = p->pNext; s; s = s->pNext) {
        if (IS(SUBGROUP_PROPERTIES)) {
            AS(SubgroupProperties, s)->subgroupSize = fake.subgroup;
            AS(SubgroupProperties, s)->supportedStages = fake.subgroup_stages;
        } else if (IS(SUBGROUP_SIZE_CONTROL_PROPERTIES_EXT)) {
            AS(SubgroupSizeControlPropertiesEXT, s)->minSubgroupSize = fake.smallest_subgroup;
            AS(SubgroupSizeControlPropertiesEXT, s)->maxSubgroupSize = fake.largest_subgroup;
        } else if (IS(DRIVER_PROPERTIES)) {
            strcpy(AS(DriverProperties, s)->driverName, "fake");
            strcpy(AS(DriverProperties, s)->driverInfo, "1.2");
        } else if (IS(MAINTENANCE_3_PROPERTIES)) {
            AS(Maintenance3Properties, s)->maxMemoryAllocationSize = 1 << 30;
        } else if (IS(EXTERNAL_MEMORY_HOST_PROPERTIES_EXT)) {
            AS(ExternalMemoryHostPropertiesEXT, s)->minImportedHostPointerAlignment = 4096;
        }
    }
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceFeatures2(VkPhysicalDevice physical,
                                                        VkPhysicalDeviceFeatures2 *f)
{
    (void)physical;
    for (VkBaseOutStructure *s = f->pNext; s; s = s->pNext) {
        if (IS(SHADER_FLOAT16_INT8_FEATURES)) {
            AS(ShaderFloat16Int8Features, s)->shaderFloat16 = !fake.lacks_half;
            AS(ShaderFloat16Int8Features, s)->shaderInt8 = !fake.lacks_bytes;
        } else if (IS(VULKAN_MEMORY_MODEL_FEATURES)) {
            AS(VulkanMemoryModelFeatures, s)->vulkanMemoryModel = !fake.lacks_model;
        } else if (IS(8BIT_STORAGE_FEATURES)) {
            AS(8BitStorageFeatures, s)->storageBuffer8BitAccess = VK_TRUE;
        } else if (IS(SHADER_INTEGER_DOT_PRODUCT_FEATURES)) {
            AS(ShaderIntegerDotProductFeatures, s)->shaderIntegerDotProduct = VK_TRUE;
        } else if (!IS(16BIT_STORAGE_FEATURES)) {
            AS(CooperativeMatrixFeaturesNV, s)->cooperativeMatrix = VK_TRUE;
        }
    }
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice physical,
                                                                    uint32_t *count,
                                                                    VkQueueFamilyProperties *all)
{
    (void)physical;
    *count = fake.family_count;
    memcpy(all, fake.families, fake.family_count * sizeof *all);
}

VKAPI_ATTR void VKAPI_CALL vkGetPhysicalDeviceMemoryProperties2(
    VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties2 *m)
{
    VkPhysicalDeviceMemoryBudgetPropertiesEXT *const budget = m->pNext;

    (void)physical;
    m->memoryProperties = fake.memory;
    for (uint32_t i = 0; budget && i < fake.memory.memoryHeapCount; i++) {
        budget->heapBudget[i] = fake.budget + i;
        budget->heapUsage[i] = fake.used + i;
    }
}

VKAPI_ATTR VkResult VKAPI_CALL vkEnumerateDeviceExtensionProperties(VkPhysicalDevice physical,
                                                                    const char *layer,
                                                                    uint32_t *count,
                                                                    VkExtensionProperties *all)
{
    (void)physical;
    (void)layer;
    *count = (uint32_t)fake.extension_count;
    for (int i = 0; all && i < fake.extension_count; i++)
        strcpy(all[i].extensionName, fake.extensions[i]);
    return all ? fake.extensions_read : fake.extensions_are;
}

#define FACTOR(p)                                                                                  \
    ((p)->flaw == IN_BYTES || (p)->flaw == BYTES ? VK_COMPONENT_TYPE_SINT8_NV                      \
                                                 : VK_COMPONENT_TYPE_FLOAT16_NV)
#define SUM(p)                                                                                     \
    ((p)->flaw == HALF_SUMS ? VK_COMPONENT_TYPE_FLOAT16_NV                                         \
     : (p)->flaw == BYTES   ? VK_COMPONENT_TYPE_SINT32_NV                                          \
                            : VK_COMPONENT_TYPE_FLOAT32_NV)
#define SCOPE(p) ((p)->flaw == BY_WORKGROUP ? VK_SCOPE_WORKGROUP_NV : VK_SCOPE_SUBGROUP_NV)

/* Both extensions list the same: sizes, four types and a scope; that of Khronos has a flag before
 * the scope. */
static VKAPI_ATTR VkResult VKAPI_CALL list_nv(VkPhysicalDevice physical, uint32_t *count,
                                              VkCooperativeMatrixPropertiesNV *all)
{
    (void)physical;
    *count = fake.product_count;
    for (uint32_t i = 0; i < fake.product_count; i++) {
        const struct fake_product *const p = &fake.products[i];

        assert_int_equal(all[i].sType, VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_NV);
        all[i].MSize = p->rows;
        all[i].NSize = p->columns;
        all[i].KSize = p->depth;
        all[i].AType = all[i].BType = FACTOR(p);
        all[i].CType = all[i].DType = SUM(p);
        all[i].scope = SCOPE(p);
    }
    return fake.products_are;
}

struct khr_product {
    VkStructureType type;
    void *next;
    uint32_t rows, columns, depth;
    uint32_t a, b, c, result, saturates, scope;
};

static VKAPI_ATTR VkResult VKAPI_CALL list_khr(VkPhysicalDevice physical, uint32_t *count,
                                               struct khr_product *all)
{
    (void)physical;
    *count = fake.product_count;
    for (uint32_t i = 0; i < fake.product_count; i++) {
        const struct fake_product *const p = &fake.products[i];

        assert_int_equal(all[i].type, 1000506001);
        all[i] = (struct khr_product){ .rows = p->rows, .columns = p->columns, .depth = p->depth };
        all[i].a = all[i].b = FACTOR(p);
        all[i].c = all[i].result = SUM(p);
        all[i].scope = SCOPE(p);
    }
    return fake.products_are;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance,
                                                               const char *name)
{
    (void)instance;
    if (fake.lacks_products)
        return NULL;
    return strstr(name, "NV") ? (PFN_vkVoidFunction)list_nv : (PFN_vkVoidFunction)list_khr;
}

/* A build has the shaders for the extension of Khronos where its glslang knew it: here as the test
 * has it. */
const struct spirv *__wrap_spirv_find(const char *name);
const struct spirv *__wrap_spirv_find(const char *name)
{
    static const struct spirv shader;

    assert_string_equal(name, "matrix.khr11");
    return fake.lacks_shader ? NULL : &shader;
}

static const VkPhysicalDevice physical = (VkPhysicalDevice)&fake;
static const VkInstance instance = (VkInstance)&fake;

static struct assay_gpu_device info;
static struct device_limits limits;

static int describe(void)
{
    int family;

    device_describe(instance, physical, 3, &info, &limits, &family);
    return family;
}

/* A discrete GPU of Vulkan 1.3 with one heap of its own and one of the host. */
static void plain(void)
{
    fake = (struct fake_device){
        .api = VK_API_VERSION_1_3,
        .type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
        .invocations = 1024,
        .families = { { .queueFlags = VK_QUEUE_TRANSFER_BIT, .queueCount = 2 },
                      { .queueFlags = VK_QUEUE_COMPUTE_BIT, .queueCount = 0 },
                      { .queueFlags = VK_QUEUE_COMPUTE_BIT,
                        .queueCount = 1,
                        .timestampValidBits = 64 },
                      { .queueFlags = VK_QUEUE_COMPUTE_BIT, .queueCount = 8 } },
        .family_count = 4,
        .memory = { .memoryTypeCount = 2,
                    .memoryTypes = { { VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, 0 },
                                     { VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 1 } },
                    .memoryHeapCount = 3,
                    .memoryHeaps = { { 1 << 30, 0 },
                                     { 1 << 28, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT },
                                     { 1 << 20, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT } } },
        .subgroup_stages = VK_SHADER_STAGE_COMPUTE_BIT,
        .subgroup = 32,
        .smallest_subgroup = 32,
        .largest_subgroup = 32,
    };
}

static void extend(const char *name)
{
    assert_true(fake.extension_count < LIST_MAX);
    fake.extensions[fake.extension_count++] = name;
}

TEST(a_discrete_gpu_is_usable)
{
    plain();
    assert_int_equal(describe(), 2);
    assert_true(info.usable && info.timestamps && info.storage_8bit && info.shader_float16);
    assert_false(info.integer_dot_product || info.cooperative_matrix || info.external_memory_fd);
    assert_false(limits.shader_float16); /* to enable it takes the extension, in any version */
    assert_int_equal(info.index, 3);
    assert_string_equal(info.name, "Fake 9");
    assert_string_equal(info.type, "discrete");
    assert_string_equal(info.driver, "fake 1.2");
    assert_int_equal(limits.device_class, DEVICE_NVIDIA);
    assert_int_equal(limits.memory_bytes, 1 << 28);
    assert_int_equal(limits.max_memory_allocation_bytes, 1 << 30);
    assert_false(limits.zero_copy_inputs || limits.zero_copy_outputs);
    assert_int_equal(limits.host_pointer_alignment, 0);
    assert_int_equal(device_used_bytes(physical, false), 0);
}

TEST(what_is_missing_is_said)
{
    plain();
    fake.api = VK_API_VERSION_1_0;
    describe();
    assert_false(info.usable);
    assert_string_equal(info.why_not, "expected Vulkan 1.1 or later, found 1.0");
    plain();
    fake.family_count = 2;
    assert_int_equal(describe(), -1);
    assert_string_equal(info.why_not, "no compute queue");
    assert_false(info.timestamps);
    plain();
    fake.invocations = 64;
    describe();
    assert_string_equal(info.why_not, "expected workgroups of 128 invocations, found at most 64");
    plain();
    fake.type = (VkPhysicalDeviceType)77;
    describe();
    assert_string_equal(info.type, "other");
}

/* Features are asked for only where the version or an extension has them. */
TEST(features_of_extensions)
{
    plain();
    fake.api = VK_API_VERSION_1_1;
    describe();
    assert_string_equal(info.driver, "version 0x1234");
    assert_false(info.storage_8bit || info.shader_float16);
    extend(VK_KHR_8BIT_STORAGE_EXTENSION_NAME);
    describe();
    assert_true(info.storage_8bit && !info.shader_float16);
    extend(VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME);
    extend(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
    extend(VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME);
    extend(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    describe();
    assert_true(info.shader_float16 && info.integer_dot_product);
    assert_true(limits.shader_float16);
    fake.lacks_half = true;
    describe();
    assert_false(info.shader_float16 || limits.shader_float16);
    fake.lacks_half = false;
    assert_false(info.external_memory_dma_buf); /* it needs that of descriptors, too */
    assert_int_equal(limits.host_pointer_alignment, 4096);
    extend(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
    describe();
    assert_true(info.external_memory_fd && info.external_memory_dma_buf);
    /* A list that cannot be read is empty. */
    fake.extensions_read = VK_ERROR_OUT_OF_HOST_MEMORY;
    describe();
    assert_false(info.external_memory_fd);
    fake.extensions_are = VK_ERROR_OUT_OF_HOST_MEMORY;
    describe();
    assert_true(info.usable && !info.integer_dot_product);
    fake.extensions_are = fake.extensions_read = VK_SUCCESS;
    mem_fail_after(0);
    describe();
    mem_fail_after(-1);
    assert_true(info.usable && !info.external_memory_fd);
}

TEST(memory_of_heaps)
{
    plain();
    extend("VK_EXT_memory_budget");
    fake.budget = 1000;
    fake.used = 500;
    describe();
    assert_int_equal(info.memory_bytes, 1 << 28);
    assert_int_equal(limits.memory_bytes, 1001); /* of heap 1, the largest of the device */
    assert_int_equal(device_used_bytes(physical, true), 501);
    fake.budget = (VkDeviceSize)-1; /* 0 of heap 1: the driver does not know */
    describe();
    assert_int_equal(limits.memory_bytes, 1 << 28);
    fake.memory.memoryHeaps[2].size = 1 << 29; /* larger, and of no type of memory */
    describe();
    assert_int_equal(info.memory_bytes, 1 << 29);
    assert_false(limits.zero_copy_inputs);
    fake.memory.memoryTypes[1] =
        (VkMemoryType){ VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                        2 };
    describe();
    assert_true(limits.zero_copy_inputs && !limits.zero_copy_outputs);
    fake.memory.memoryTypes[1].propertyFlags |= VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    describe();
    assert_true(limits.zero_copy_outputs && info.host_reads);
    fake.memory.memoryHeapCount = 1; /* no heap of the device */
    describe();
    assert_int_equal(info.memory_bytes, 0);
    assert_int_equal(device_used_bytes(physical, true), 0);
}

static void extend_matrix(const char *name)
{
    extend(name);
    extend(VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME);
    extend(VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME);
}

static void add_product(uint32_t rows, uint32_t columns, uint32_t depth, enum flaw flaw)
{
    fake.products[fake.product_count++] = (struct fake_product){ rows, columns, depth, flaw };
}

static void matrix_gpu(const char *extension)
{
    plain();
    extend_matrix(extension);
    add_product(16, 16, 16, FINE);
}

static void expect_matrix(enum matrix_kind kind, uint32_t tile)
{
    describe();
    assert_int_equal(limits.matrix.kind, kind);
    if (kind != MATRIX_NONE)
        assert_int_equal(limits.matrix.tile, tile);
}

/* Each product but the last one lacks something. */
TEST(tiles_are_picked)
{
    matrix_gpu(VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME);
    expect_matrix(MATRIX_NV, 16);
    assert_int_equal(limits.matrix.subgroup_size, 32);
    assert_true(info.cooperative_matrix);
    fake.product_count = 0;
    expect_matrix(MATRIX_NONE, 0);
    add_product(16, 16, 16, IN_BYTES);
    add_product(16, 16, 16, HALF_SUMS);
    add_product(16, 16, 16, BY_WORKGROUP);
    add_product(16, 8, 16, FINE);
    add_product(16, 16, 8, FINE);
    add_product(32, 32, 32, FINE);
    expect_matrix(MATRIX_NONE, 0);
    add_product(8, 8, 8, FINE);
    expect_matrix(MATRIX_NV, 8);
    /* A subgroup of 8 has room for 64 elements: a tile of 16 rows is too large for it. */
    matrix_gpu(VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME);
    add_product(8, 8, 8, FINE);
    expect_matrix(MATRIX_NV, 16);
    fake.subgroup = 8;
    expect_matrix(MATRIX_NV, 8);
}

/* Products of bytes are those of 16 x 32 by 32 x 16, beside those of halves. */
TEST(products_of_bytes)
{
    matrix_gpu(VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME);
    expect_matrix(MATRIX_NV, 16);
    assert_false(limits.matrix.bytes);
    add_product(16, 8, 32, BYTES);
    add_product(16, 16, 16, BYTES);
    add_product(8, 16, 32, BYTES);
    add_product(16, 16, 32, IN_BYTES); /* its sums are f32 */
    describe();
    assert_false(limits.matrix.bytes);
    add_product(16, 16, 32, BYTES);
    expect_matrix(MATRIX_NV, 16);
    assert_true(limits.matrix.bytes);
    fake.lacks_bytes = true;
    expect_matrix(MATRIX_NV, 16);
    assert_false(limits.matrix.bytes);
    fake.lacks_bytes = false;
    fake.subgroup = 64; /* an invocation would hold 8 elements */
    expect_matrix(MATRIX_NV, 16);
    assert_false(limits.matrix.bytes);
    fake.subgroup = 32;
    fake.products[0].flaw = HALF_SUMS;
    expect_matrix(MATRIX_NONE, 0);
    assert_false(limits.matrix.bytes);
    matrix_gpu("VK_KHR_cooperative_matrix"); /* there is no shader for it */
    add_product(16, 16, 32, BYTES);
    expect_matrix(MATRIX_KHR, 16);
    assert_false(limits.matrix.bytes);
}

TEST(matrices_of_khronos)
{
    matrix_gpu("VK_KHR_cooperative_matrix");
    add_product(8, 8, 8, FINE);
    add_product(16, 16, 16, IN_BYTES);
    add_product(16, 16, 16, HALF_SUMS);
    expect_matrix(MATRIX_KHR, 16);
    fake.products[0].flaw = IN_BYTES;
    expect_matrix(MATRIX_KHR, 8);
    fake.products[1].flaw = BY_WORKGROUP;
    expect_matrix(MATRIX_NONE, 0);
    fake.products[0].flaw = FINE;
    fake.lacks_shader = true;
    expect_matrix(MATRIX_NONE, 0);
    fake.lacks_shader = false;
    fake.lacks_products = true;
    expect_matrix(MATRIX_NONE, 0);
    fake.lacks_products = false;
    mem_fail_after(1); /* after the list of extensions */
    expect_matrix(MATRIX_NONE, 0);
    mem_fail_after(-1);
    assert_true(info.cooperative_matrix);
    fake.products_are = VK_ERROR_OUT_OF_HOST_MEMORY;
    expect_matrix(MATRIX_NONE, 0);
    /* That of NVIDIA comes first; where its list fails, that of Khronos stays. */
    fake.products_are = VK_SUCCESS;
    extend(VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME);
    expect_matrix(MATRIX_NV, 16);
}

TEST(matrices_that_are_not_used)
{
    matrix_gpu(VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME);
    fake.lacks_half = true;
    expect_matrix(MATRIX_NONE, 0);
    fake.lacks_half = false;
    fake.lacks_model = true;
    expect_matrix(MATRIX_NONE, 0);
    fake.lacks_model = false;
    fake.lacks_products = true;
    expect_matrix(MATRIX_NONE, 0);
    fake.lacks_products = false;
    fake.products_are = VK_ERROR_OUT_OF_HOST_MEMORY;
    expect_matrix(MATRIX_NONE, 0);
    fake.products_are = VK_INCOMPLETE; /* those that fit are read */
    expect_matrix(MATRIX_NV, 16);
    fake.subgroup_stages = VK_SHADER_STAGE_FRAGMENT_BIT;
    expect_matrix(MATRIX_NONE, 0);
    fake.subgroup_stages = VK_SHADER_STAGE_COMPUTE_BIT;
    extend(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
    expect_matrix(MATRIX_NV, 16);
    fake.smallest_subgroup = 8; /* a subgroup may have several sizes */
    expect_matrix(MATRIX_NONE, 0);
    plain();
    extend(VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME); /* without what its shaders need */
    expect_matrix(MATRIX_NONE, 0);
    matrix_gpu(VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME);
    for (long n = 0; n < 2; n++) { /* the list of extensions, that of products */
        mem_fail_after(n);
        expect_matrix(MATRIX_NONE, 0);
        mem_fail_after(-1);
    }
    expect_matrix(MATRIX_NV, 16);
    cooperative_matrix_read(&limits.matrix, NULL, physical, NULL, 0);
    assert_int_equal(limits.matrix.kind, MATRIX_NONE);
}
