/* Takes the place of Vulkan's entry points.  Results, parameters and who owns what are in
 * vulkan_calls.def. */
#include "conformance/tests/torture/faults_impl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define CALLER __builtin_return_address(0)

/* ---- results ---- */

enum {
#define RESULT(bit, name) AT_##bit,
#include "conformance/tests/torture/vulkan_results.def"
#undef RESULT
    RESULTS
};
enum {
#define RESULT(bit, name) bit = 1 << AT_##bit,
#include "conformance/tests/torture/vulkan_results.def"
#undef RESULT
};
static const struct {
    VkResult result;
    const char *name;
} results[RESULTS] = {
#define RESULT(bit, name) { name, #name },
#include "conformance/tests/torture/vulkan_results.def"
#undef RESULT
};

const char *fault_result(int i, int *result)
{
    if (i >= RESULTS)
        return NULL;
    *result = results[i].result;
    return results[i].name;
}

/* ---- the calls ---- */

enum {
#define CALL(name, ...)   CALL_##name,
#define CREATE(type, ...) CALL_vkCreate##type,
#define DESTROY(type)     CALL_vkDestroy##type,
#define WAIT(name, ...)   CALL_##name,
#define OWN(name, ...)    CALL_##name,
#include "conformance/tests/torture/vulkan_calls.def"
    CALLS
};
static const struct {
    const char *name;
    int results;
} calls[CALLS] = {
#define CALL(name, parameters, arguments, results)   { #name, (results) | UNKNOWN },
#define CREATE(type, parameters, arguments, results) { "vkCreate" #type, (results) | UNKNOWN },
#define DESTROY(type)                                { "vkDestroy" #type, 0 },
#define WAIT(name, parameters, arguments, results)   { #name, (results) | UNKNOWN },
#define OWN(name, results)                           { #name, (results) | UNKNOWN },
#include "conformance/tests/torture/vulkan_calls.def"
};
static atomic_long live[CALLS];
static atomic_long misuses;
static PFN_vkVoidFunction asked[CALLS]; /* what the driver gave for a name */
static bool not_coherent;

static int find(const char *name)
{
    for (int i = 0; i < CALLS; i++)
        if (strcmp(calls[i].name, name) == 0)
            return i;
    return -1;
}

static PFN_vkVoidFunction exported(const char *name)
{
    static void *loader;
    PFN_vkVoidFunction f = NULL;
    void *symbol;

    if (!loader)
        loader = dlopen("libvulkan.so.1", RTLD_LAZY);
    symbol = loader ? dlsym(loader, name) : NULL;
    memcpy(&f, &symbol, sizeof f);
    return f;
}

/* The loader's own function, or what it gave for the name of an extension's. */
static PFN_vkVoidFunction real_of(int call)
{
    const PFN_vkVoidFunction f = exported(calls[call].name);

    return f ? f : asked[call];
}

static bool fails(int call, VkResult *result, const void *caller)
{
    const int armed = fault_armed_result();

    if (armed == 0 || !fault_is_ours(caller))
        return false;
    for (int i = 0; i < RESULTS; i++)
        if (results[i].result == armed && calls[call].results & 1 << i) {
            *result = armed;
            return fault_fails(FAULT_VULKAN, true, calls[call].name, caller);
        }
    return false;
}

#define REAL(name)     ((PFN_##name)real_of(CALL_##name))
#define EXPORTED(name) ((PFN_##name)exported(#name))

/* VK_INCOMPLETE comes with what there is room for. */
#define CALL(name, parameters, arguments, r)                                                       \
    FAULT_EXPORT VKAPI_ATTR VkResult VKAPI_CALL name parameters                                    \
    {                                                                                              \
        VkResult result;                                                                           \
                                                                                                   \
        if (!fails(CALL_##name, &result, CALLER))                                                  \
            return REAL(name) arguments;                                                           \
        if (result > 0) {                                                                          \
            const VkResult real = REAL(name) arguments;                                            \
                                                                                                   \
            return real == VK_SUCCESS ? result : real;                                             \
        }                                                                                          \
        return result;                                                                             \
    }
#define WAIT(name, parameters, arguments, r)                                                       \
    FAULT_EXPORT VKAPI_ATTR VkResult VKAPI_CALL name parameters                                    \
    {                                                                                              \
        VkResult result;                                                                           \
                                                                                                   \
        if (!fails(CALL_##name, &result, CALLER))                                                  \
            return REAL(name) arguments;                                                           \
        if (result < 0)                                                                            \
            (void)REAL(name) arguments;                                                            \
        return result;                                                                             \
    }
#define CREATE(type, parameters, arguments, r)                                                     \
    FAULT_EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkCreate##type parameters                          \
    {                                                                                              \
        VkResult result;                                                                           \
                                                                                                   \
        if (fails(CALL_vkCreate##type, &result, CALLER))                                           \
            return result;                                                                         \
        result = REAL(vkCreate##type) arguments;                                                   \
        live[CALL_vkCreate##type] += result == VK_SUCCESS;                                         \
        return result;                                                                             \
    }
#define CALL_vkCreatePipeline CALL_vkCreateComputePipelines
#define DESTROY(type)                                                                              \
    FAULT_EXPORT VKAPI_ATTR void VKAPI_CALL vkDestroy##type(VkDevice d, Vk##type h,                \
                                                            const VkAllocationCallbacks *a)        \
    {                                                                                              \
        live[CALL_vkCreate##type] -= h != VK_NULL_HANDLE;                                          \
        REAL(vkDestroy##type)(d, h, a);                                                            \
    }
#define OWN(name, r)
#include "conformance/tests/torture/vulkan_calls.def"

FAULT_EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkCreateComputePipelines(
    VkDevice d, VkPipelineCache c, uint32_t n, const VkComputePipelineCreateInfo *i,
    const VkAllocationCallbacks *a, VkPipeline *p)
{
    VkResult result;

    if (fails(CALL_vkCreateComputePipelines, &result, CALLER)) {
        memset(p, 0, n * sizeof *p); /* as the specification demands */
        return result;
    }
    result = REAL(vkCreateComputePipelines)(d, c, n, i, a, p);
    for (uint32_t k = 0; k < n; k++)
        live[CALL_vkCreateComputePipelines] += p[k] != VK_NULL_HANDLE;
    return result;
}

FAULT_EXPORT VKAPI_ATTR void VKAPI_CALL vkDestroyDevice(VkDevice d, const VkAllocationCallbacks *a)
{
    live[CALL_vkCreateDevice] -= d != VK_NULL_HANDLE;
    EXPORTED(vkDestroyDevice)(d, a);
}

/* Fails when the fence is signalled: what it guards may be freed then. */
FAULT_EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkGetFenceStatus(VkDevice d, VkFence f)
{
    VkResult result;

    if (!fails(CALL_vkGetFenceStatus, &result, CALLER))
        return REAL(vkGetFenceStatus)(d, f);
    if (result < 0)
        REAL(vkWaitForFences)(d, 1, &f, VK_TRUE, UINT64_MAX);
    return result;
}

FAULT_EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkQueueSubmit(VkQueue q, uint32_t n,
                                                          const VkSubmitInfo *i, VkFence f)
{
    VkResult result;

    return fails(CALL_vkQueueSubmit, &result, CALLER) ? result : REAL(vkQueueSubmit)(q, n, i, f);
}

/* ---- memory ---- */

enum { MAPS = 1024, ATOM = 64 };

/* A mapped block whose memory is not coherent: the host sees the copy. */
static struct map {
    VkDeviceMemory memory;
    VkDeviceSize bytes; /* of the block */
    char *device, *copy;
} maps[MAPS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct map *find_map(VkDeviceMemory memory)
{
    for (int i = 0; i < MAPS; i++)
        if (maps[i].memory == memory)
            return &maps[i];
    return NULL;
}

FAULT_EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkAllocateMemory(VkDevice d,
                                                             const VkMemoryAllocateInfo *i,
                                                             const VkAllocationCallbacks *a,
                                                             VkDeviceMemory *m)
{
    struct map *map;
    VkResult result;

    if (fails(CALL_vkAllocateMemory, &result, CALLER))
        return result;
    result = REAL(vkAllocateMemory)(d, i, a, m);
    if (result != VK_SUCCESS)
        return result;
    live[CALL_vkAllocateMemory]++;
    pthread_mutex_lock(&lock);
    if (!(map = find_map(VK_NULL_HANDLE)))
        abort();
    *map = (struct map){ .memory = *m, .bytes = i->allocationSize };
    pthread_mutex_unlock(&lock);
    return result;
}

static void forget_copy(struct map *map)
{
    free(map->copy);
    map->copy = map->device = NULL;
}

FAULT_EXPORT VKAPI_ATTR void VKAPI_CALL vkFreeMemory(VkDevice d, VkDeviceMemory m,
                                                     const VkAllocationCallbacks *a)
{
    struct map *map;

    if (m != VK_NULL_HANDLE) {
        pthread_mutex_lock(&lock);
        if ((map = find_map(m))) {
            forget_copy(map);
            *map = (struct map){ .copy = NULL };
            live[CALL_vkAllocateMemory]--;
        } else {
            misuses++; /* freed twice, or never allocated */
        }
        pthread_mutex_unlock(&lock);
    }
    EXPORTED(vkFreeMemory)(d, m, a);
}

/* What the host reads before it invalidates is poison, not zeros. */
FAULT_EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkMapMemory(VkDevice d, VkDeviceMemory m,
                                                        VkDeviceSize offset, VkDeviceSize size,
                                                        VkMemoryMapFlags flags, void **p)
{
    struct map *map;
    VkResult result;

    if (fails(CALL_vkMapMemory, &result, CALLER))
        return result;
    if (!not_coherent)
        return REAL(vkMapMemory)(d, m, offset, size, flags, p);
    pthread_mutex_lock(&lock);
    map = find_map(m);
    if (!map || map->copy || !(map->copy = malloc(map->bytes)))
        abort();
    memset(map->copy, 0xcd, map->bytes);
    result = REAL(vkMapMemory)(d, m, 0, VK_WHOLE_SIZE, flags, p);
    if (result == VK_SUCCESS) {
        map->device = *p;
        *p = map->copy + offset;
    } else {
        forget_copy(map);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static void copy_ranges(uint32_t n, const VkMappedMemoryRange *r, bool flush)
{
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < n && not_coherent; i++) {
        struct map *const map = find_map(r[i].memory);
        VkDeviceSize bytes = r[i].size;

        if (!map || !map->copy || r[i].offset > map->bytes) {
            misuses++;
            continue;
        }
        if (bytes == VK_WHOLE_SIZE)
            bytes = map->bytes - r[i].offset;
        if (r[i].offset % ATOM != 0 || bytes > map->bytes - r[i].offset ||
            (bytes % ATOM != 0 && r[i].offset + bytes != map->bytes)) {
            misuses++;
            continue;
        }
        if (flush)
            memcpy(map->device + r[i].offset, map->copy + r[i].offset, bytes);
        else
            memcpy(map->copy + r[i].offset, map->device + r[i].offset, bytes);
    }
    pthread_mutex_unlock(&lock);
}

FAULT_EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkFlushMappedMemoryRanges(VkDevice d, uint32_t n,
                                                                      const VkMappedMemoryRange *r)
{
    VkResult result;

    if (fails(CALL_vkFlushMappedMemoryRanges, &result, CALLER))
        return result;
    copy_ranges(n, r, true);
    return REAL(vkFlushMappedMemoryRanges)(d, n, r);
}

FAULT_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkInvalidateMappedMemoryRanges(VkDevice d, uint32_t n, const VkMappedMemoryRange *r)
{
    VkResult result;

    if (fails(CALL_vkInvalidateMappedMemoryRanges, &result, CALLER))
        return result;
    result = REAL(vkInvalidateMappedMemoryRanges)(d, n, r);
    copy_ranges(n, r, false);
    return result;
}

static void strip(VkPhysicalDeviceMemoryProperties *p)
{
    for (uint32_t i = 0; i < p->memoryTypeCount && not_coherent; i++)
        p->memoryTypes[i].propertyFlags &= ~(VkFlags)VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
}

#define PROPERTIES(name, type, member)                                                             \
    FAULT_EXPORT VKAPI_ATTR void VKAPI_CALL name(VkPhysicalDevice d, type *p)                      \
    {                                                                                              \
        EXPORTED(name)(d, p);                                                                      \
        strip(member);                                                                             \
    }
PROPERTIES(vkGetPhysicalDeviceMemoryProperties, VkPhysicalDeviceMemoryProperties, p)
PROPERTIES(vkGetPhysicalDeviceMemoryProperties2, VkPhysicalDeviceMemoryProperties2,
           &p->memoryProperties)

/* ---- entry points that are asked for ---- */

static PFN_vkVoidFunction replace(const char *name, PFN_vkVoidFunction real)
{
    const int call = real ? find(name) : -1;
    PFN_vkVoidFunction ours;
    void *symbol;

    if (call < 0)
        return real;
    asked[call] = real;
    symbol = dlsym(RTLD_DEFAULT, name); /* this library is the first that has it */
    memcpy(&ours, &symbol, sizeof ours);
    return ours ? ours : real;
}

#define ASK(name, type)                                                                            \
    FAULT_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL name(type handle, const char *entry)     \
    {                                                                                              \
        const PFN_vkVoidFunction f = EXPORTED(name)(handle, entry);                                \
                                                                                                   \
        return fault_is_ours(CALLER) ? replace(entry, f) : f;                                      \
    }
ASK(vkGetInstanceProcAddr, VkInstance)
ASK(vkGetDeviceProcAddr, VkDevice)

/* ---- what is live ---- */

long fault_count_objects(void)
{
    long n = 0;

    for (int i = 0; i < CALLS; i++)
        n += live[i];
    return n;
}

long fault_count_misuses(void)
{
    return misuses;
}

void fault_objects(char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < CALLS; i++)
        if (live[i] != 0 && used + 64 < size)
            used += (size_t)snprintf(text + used, size - used, "%s%ld %s", used ? ", " : "",
                                     (long)live[i], calls[i].name);
}

void fault_not_coherent(bool on)
{
    not_coherent = on;
}
