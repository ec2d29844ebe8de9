#include "delegate/plan/workgroups.h"

#include "delegate/base/checksum.h"
#include "delegate/base/device_costs.h"
#include "delegate/shaders/args.h"

#include <stddef.h>
#include <string.h>

static bool allowed(uint32_t x, uint32_t y, uint32_t z, const struct device_limits *limits)
{
    return x > 0 && y > 0 && z > 0 && x <= limits->max_workgroup_size[0] &&
           y <= limits->max_workgroup_size[1] && z <= limits->max_workgroup_size[2] &&
           (uint64_t)x * y * z <= limits->max_workgroup_invocations;
}

uint32_t workgroup_size(const struct device_limits *limits)
{
    uint32_t size = device_costs_of(limits)->workgroup;

    while (size > 1 && !allowed(size, 1, 1, limits))
        size /= 2;
    return size;
}

uint32_t workgroup_of(const struct plan_step *s)
{
    return s->runs > 0 ? workgroup_code(s->spec[SPEC_WORKGROUP_X], s->spec[SPEC_WORKGROUP_Y])
                       : s->spec[SPEC_WORKGROUP_X];
}

static uint64_t quotient_up(uint64_t a, uint64_t b)
{
    return (a - 1) / b + 1;
}

bool workgroup_set(struct plan_step *s, uint32_t code, const struct device_limits *limits)
{
    const uint32_t *max = limits->max_workgroup_count;
    const uint32_t x = s->runs > 0 ? code & 0xffff : code, y = s->runs > 0 ? code >> 16 : 1;
    uint64_t groups, grid_x, grid_y;

    if (s->items == 0 || s->items > UINT32_MAX || s->runs > UINT32_MAX || max[0] == 0 ||
        !allowed(x, y, s->spec[SPEC_WORKGROUP_Z], limits) ||
        (s->runs == 0 && s->spec[SPEC_WORKGROUP_Y] != 1) ||
        (uint64_t)x * y * s->spec[SPEC_WORKGROUP_Z] * s->invocation_bytes >
            limits->max_shared_memory_bytes)
        return false;
    groups = quotient_up(s->items, x) * (s->runs > 0 ? quotient_up(s->runs, y) : 1);
    grid_x = groups < max[0] ? groups : max[0];
    grid_y = quotient_up(groups, grid_x);
    if (groups > UINT32_MAX || grid_y > max[1])
        return false;
    s->spec[SPEC_WORKGROUP_X] = x;
    s->spec[SPEC_WORKGROUP_Y] = y;
    s->groups[0] = (uint32_t)grid_x;
    s->groups[1] = (uint32_t)grid_y;
    s->groups[2] = 1;
    if (s->invocation_bytes > 0)
        s->shared_bytes = x * y * s->spec[SPEC_WORKGROUP_Z] * s->invocation_bytes;
    if (s->runs > 0) { /* step_tiles: the number of workgroups is the first push constant */
        const uint32_t count = (uint32_t)groups;

        memcpy(s->push, &count, sizeof count);
    }
    return true;
}

static int add_candidate(const struct plan_step *s, uint32_t code,
                         const struct device_limits *limits, uint32_t *codes, int count)
{
    struct plan_step copy = *s;

    if (count < WORKGROUP_CANDIDATES && workgroup_set(&copy, code, limits))
        codes[count++] = code;
    return count;
}

int workgroup_candidates(const struct plan_step *s, const struct device_limits *limits,
                         uint32_t codes[WORKGROUP_CANDIDATES])
{
    int count = 0;

    if (s->runs == 0) {
        for (uint32_t x = 16; x <= 256; x *= 2)
            count = add_candidate(s, x, limits, codes, count);
        return count;
    }
    /* Splits of 32 to 256 invocations into x * y; x beyond the columns would idle. */
    for (uint32_t all = 32; all <= 256; all *= 2)
        for (uint32_t x = 1; x <= 32 && x < 2 * s->items; x *= 2)
            count = add_candidate(s, workgroup_code(x, all / s->spec[SPEC_WORKGROUP_Z] / x), limits,
                                  codes, count);
    return count;
}

uint64_t workgroup_key(const struct plan_step *s, bool half)
{
    const size_t free_specs = s->runs > 0 ? 2 : 1;
    const size_t free_bytes = s->runs > 0 && s->push_bytes >= 4 ? 4 : 0; /* its count */
    const uint64_t numbers[] = { half, s->packed_dot, s->spec_count, s->items, s->runs };
    struct checksum h = { { 0 } };

    checksum_add_text(&h, s->shader);
    checksum_add(&h, numbers, sizeof numbers);
    checksum_add(&h, s->spec + free_specs,
                 (s->spec_count - free_specs) * sizeof s->spec[SPEC_WORKGROUP_X]);
    checksum_add(&h, s->push + free_bytes, s->push_bytes - free_bytes);
    return h.word[0];
}

static bool is_candidate(const struct plan_step *s, uint32_t code,
                         const struct device_limits *limits)
{
    uint32_t codes[WORKGROUP_CANDIDATES];
    const int count = workgroup_candidates(s, limits, codes);

    for (int i = 0; i < count; i++)
        if (codes[i] == code)
            return true;
    return code == workgroup_of(s); /* the size of the table may be no candidate */
}

void workgroups_apply(struct plan *plan, const struct device_limits *limits,
                      const struct workgroup_tuning *tuning, size_t count)
{
    for (int i = 0; i < plan->step_count && count > 0; i++) {
        struct plan_step *s = plan->steps[i];
        const uint64_t key = s->items > 0 ? workgroup_key(s, plan->half) : 0;

        for (size_t j = 0; j < count && s->items > 0; j++)
            if (tuning[j].key == key && is_candidate(s, tuning[j].size, limits))
                s->tuned = workgroup_set(s, tuning[j].size, limits);
    }
}
