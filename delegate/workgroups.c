#include "delegate/workgroups.h"

#include "delegate/gpu_op.h"
#include "delegate/hash.h"

#include <stddef.h>
#include <string.h>

const uint32_t workgroup_candidates[] = { 16, 32, 64, 128, 256, 0 };

/* The first row that fits is taken; shader NULL fits all. */
static const struct {
    enum device_class device_class;
    const char *shader;
    uint32_t size;
} table[] = {
    { DEVICE_OTHER, NULL, WORKGROUP },      { DEVICE_SOFTWARE, NULL, WORKGROUP },
    { DEVICE_INTEGRATED, NULL, WORKGROUP }, { DEVICE_NVIDIA, NULL, WORKGROUP },
    { DEVICE_AMD, NULL, WORKGROUP },        { DEVICE_INTEL, NULL, WORKGROUP },
};

enum device_class device_class_of(const char *type, uint32_t vendor_id)
{
    if (strcmp(type, "cpu") == 0)
        return DEVICE_SOFTWARE;
    if (strcmp(type, "integrated") == 0)
        return DEVICE_INTEGRATED;
    switch (vendor_id) { /* a virtual GPU is the discrete one that is behind it */
    case 0x10de: return DEVICE_NVIDIA;
    case 0x1002: return DEVICE_AMD;
    case 0x8086: return DEVICE_INTEL;
    default: return DEVICE_OTHER;
    }
}

const char *device_class_name(enum device_class c)
{
    static const char *const names[] = {
        [DEVICE_OTHER] = "other",
        [DEVICE_SOFTWARE] = "software",
        [DEVICE_INTEGRATED] = "integrated",
        [DEVICE_NVIDIA] = "nvidia",
        [DEVICE_AMD] = "amd",
        [DEVICE_INTEL] = "intel",
    };

    return (size_t)c < sizeof names / sizeof names[0] ? names[c] : names[DEVICE_OTHER];
}

static bool allowed(uint32_t size, const struct device_limits *limits)
{
    return size > 0 && size <= limits->max_workgroup_size[0] &&
           size <= limits->max_workgroup_invocations;
}

uint32_t workgroup_size(const struct device_limits *limits, const char *shader)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        uint32_t size = table[i].size;

        if (table[i].device_class != limits->device_class ||
            (table[i].shader && strcmp(table[i].shader, shader) != 0))
            continue;
        while (size > 1 && !allowed(size, limits))
            size /= 2;
        return size;
    }
    return WORKGROUP;
}

bool workgroup_set(struct plan_step *s, uint32_t size, const struct device_limits *limits)
{
    const uint32_t *max = limits->max_workgroup_count;
    uint64_t groups, x, y;

    if (s->items == 0 || s->spec[1] != 1 || s->spec[2] != 1 || !allowed(size, limits) ||
        max[0] == 0)
        return false;
    groups = (s->items - 1) / size + 1;
    x = groups < max[0] ? groups : max[0];
    y = (groups - 1) / x + 1;
    if (y > max[1])
        return false;
    s->spec[0] = size;
    s->groups[0] = (uint32_t)x;
    s->groups[1] = (uint32_t)y;
    s->groups[2] = 1;
    return true;
}

uint64_t workgroup_key(const struct plan_step *s, bool half)
{
    const uint64_t numbers[] = { half, s->spec_count, s->items };
    struct hash h = { { 0 } };

    hash_add_text(&h, s->shader);
    hash_add(&h, numbers, sizeof numbers);
    hash_add(&h, s->spec + 1, (s->spec_count - 1) * sizeof s->spec[0]);
    hash_add(&h, s->push, s->push_bytes);
    return h.word[0];
}

static bool is_candidate(uint32_t size)
{
    for (const uint32_t *c = workgroup_candidates; *c; c++)
        if (*c == size)
            return true;
    return false;
}

void workgroups_apply(struct plan *plan, const struct device_limits *limits,
                      const struct cache_tuning *tuning, size_t count)
{
    for (int i = 0; i < plan->step_count && count > 0; i++) {
        const uint64_t key = workgroup_key(plan->steps[i], plan->half);

        for (size_t j = 0; j < count; j++)
            if (tuning[j].key == key && is_candidate(tuning[j].size))
                workgroup_set(plan->steps[i], tuning[j].size, limits);
    }
}
