#include "delegate/tests/kit/device_profiles.h"

#include <dirent.h>

/* The number behind '=', decimal or hexadecimal. */
static uint64_t profile_number(const char *line)
{
    const char *const equals = strchr(line, '=');

    return equals ? strtoull(equals + 1, NULL, 0) : 0;
}

/* What vulkaninfo prints of the first device: "name = number" lines, three lines below a name with
 * a count, heaps with their flags behind them. */
static bool profile_read(struct gpu_device_profile *p, const char *path)
{
    FILE *const f = fopen(path, "r");
    uint32_t *rows = NULL;
    uint64_t size = 0, budget = 0;
    int row = 3, device = -1;
    char line[512];

    *p = (struct gpu_device_profile){ .name = "" };
    if (!f)
        return false;
    while (fgets(line, sizeof line, f)) {
        const char *const text = line + strspn(line, " \t");
        struct device_limits *const l = &p->limits;

        if (strncmp(line, "GPU", 3) == 0 && strchr(line, ':'))
            device++;
        if (device != 0)
            continue;
        if (row < 3) {
            rows[row++] = (uint32_t)strtoul(text, NULL, 10);
            continue;
        }
#define IS(name) (strncmp(text, name, sizeof name - 1) == 0 && strchr(" =:", text[sizeof name - 1]))
        if (IS("deviceName") && !p->name[0])
            snprintf(p->name, sizeof p->name, "%.*s", (int)strcspn(strchr(text, '=') + 2, "\n"),
                     strchr(text, '=') + 2);
        else if (IS("maxStorageBufferRange"))
            l->max_storage_buffer_range = profile_number(text);
        else if (IS("minStorageBufferOffsetAlignment"))
            l->storage_buffer_offset_alignment = profile_number(text);
        else if (IS("maxMemoryAllocationSize"))
            l->max_memory_allocation_bytes = profile_number(text);
        else if (IS("maxComputeWorkGroupInvocations"))
            l->max_workgroup_invocations = (uint32_t)profile_number(text);
        else if (IS("maxComputeSharedMemorySize"))
            l->max_shared_memory_bytes = (uint32_t)profile_number(text);
        else if (IS("maxPushConstantsSize"))
            l->max_push_constants_bytes = (uint32_t)profile_number(text);
        else if (IS("maxPerStageDescriptorStorageBuffers"))
            l->max_storage_buffers = (uint32_t)profile_number(text);
        else if (IS("storageBuffer16BitAccess"))
            l->storage_16bit = strstr(text, "true") != NULL;
        else if (IS("shaderFloat16"))
            l->shader_float16 = strstr(text, "true") != NULL;
        else if (IS("maxComputeWorkGroupCount"))
            rows = l->max_workgroup_count, row = 0;
        else if (IS("maxComputeWorkGroupSize"))
            rows = l->max_workgroup_size, row = 0;
        else if (strncmp(text, "memoryHeaps[", 12) == 0)
            size = budget = 0;
        else if (IS("size"))
            size = profile_number(text);
        else if (IS("budget"))
            budget = profile_number(text);
        else if (strncmp(text, "MEMORY_HEAP_DEVICE_LOCAL_BIT", 28) == 0 && size > l->memory_bytes)
            l->memory_bytes = budget ? budget : size;
#undef IS
    }
    fclose(f);
    return p->name[0] && p->limits.max_storage_buffer_range && p->limits.max_workgroup_count[2] &&
           p->limits.max_workgroup_size[2] && p->limits.max_memory_allocation_bytes;
}

void profiles_all(struct gpu_device_profiles *all)
{
    const char *const folder =
        getenv("ASSAY_DEVICES") ? getenv("ASSAY_DEVICES") : "../shared/devices";
    DIR *const dir = opendir(folder);

    *all = (struct gpu_device_profiles){ .count = 5 };
    /* The least that Vulkan 1.1 promises: no 16-bit storage, and no 8-bit storage or f16
     * arithmetic, which are extensions. */
    snprintf(all->at[0].name, sizeof all->at[0].name, "minimal Vulkan 1.1");
    all->at[0].limits = device_limits_minimum;
    /* As a phone's: much may be bound, but the memory is small. */
    snprintf(all->at[1].name, sizeof all->at[1].name, "phone");
    all->at[1].limits = device_limits_minimum;
    all->at[1].limits.max_workgroup_invocations = 512;
    all->at[1].limits.max_workgroup_size[0] = all->at[1].limits.max_workgroup_size[1] = 512;
    all->at[1].limits.memory_bytes = 256u << 20;
    all->at[1].limits.storage_16bit = true;
    /* Few workgroups in x, but some in y. */
    snprintf(all->at[2].name, sizeof all->at[2].name, "narrow grid");
    all->at[2].limits = device_limits_minimum;
    all->at[2].limits.max_workgroup_count[0] = 100;
    /* Matrix units, as an NVIDIA GPU and lavapipe have them. */
    snprintf(all->at[3].name, sizeof all->at[3].name, "matrices of 16");
    all->at[3].limits = all->at[1].limits;
    all->at[3].limits.max_shared_memory_bytes = 49152;
    all->at[3].limits.matrix =
        (struct device_matrix){ .kind = MATRIX_NV, .tile = 16, .subgroup_size = 32 };
    snprintf(all->at[4].name, sizeof all->at[4].name, "matrices of 8");
    all->at[4].limits = all->at[1].limits;
    all->at[4].limits.matrix =
        (struct device_matrix){ .kind = MATRIX_KHR, .tile = 8, .subgroup_size = 8 };
    if (!dir) {
        print_message("no folder %s: no recorded devices (set ASSAY_DEVICES)\n", folder);
        return;
    }
    for (const struct dirent *e; (e = readdir(dir)) && all->count < DEVICES_MAX;) {
        char path[512];

        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%.200s", folder, e->d_name);
        if (!profile_read(&all->at[all->count], path))
            fail_msg("%s: not what vulkaninfo prints", path);
        all->count++;
        all->recorded++;
    }
    closedir(dir);
}
