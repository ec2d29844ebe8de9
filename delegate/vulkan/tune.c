#include "delegate/vulkan/tune.h"

#include "delegate/base/clock.h"
#include "delegate/plan/workgroups.h"
#include "delegate/vulkan/result.h"
#include "reference/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES = 3,       /* the least of them counts */
    REPEATS_MAX = 32,  /* dispatches in one sample ... */
    SAMPLE_NS = 100000 /* ... that last about so long */
};

/* A size must be quicker by so much: less is noise, and the table's has been thought about. */
static const double gain = 0.95;

/* A kind of step that the plan has, once or more. */
struct subject {
    uint64_t key;
    int step, count;  /* the first one, and how many there are */
    uint64_t base_ns; /* of one dispatch, as the plan has it */
};

struct tuner {
    struct executor *e;
    struct plan *plan;
    uint64_t end_ns;
    VkQueryPool pool;
    struct pipeline_cache scratch; /* many subjects have the same pipelines */
    struct subject *subjects;
    int count;
};

static bool spent(const struct tuner *t)
{
    return clock_ns() >= t->end_ns;
}

static bool is_known(uint64_t key, const struct workgroup_tuning *tuning, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (tuning[i].key == key)
            return true;
    return false;
}

static enum status find_subjects(struct tuner *t, const struct workgroup_tuning *tuning,
                                 size_t count, struct diag *diag)
{
    t->subjects = mem_alloc((size_t)t->plan->step_count, sizeof *t->subjects);
    if (!t->subjects)
        return diag_fail(diag, STATUS_NO_MEMORY, "tune: out of memory");
    for (int i = 0; i < t->plan->step_count; i++) {
        const struct plan_step *s = t->plan->steps[i];
        uint64_t key;
        int j = 0;

        if (s->items == 0 || s->idle)
            continue;
        key = workgroup_key(s, t->plan->half);
        if (is_known(key, tuning, count))
            continue;
        while (j < t->count && t->subjects[j].key != key)
            j++;
        if (j == t->count)
            t->subjects[t->count++] = (struct subject){ .key = key, .step = i };
        t->subjects[j].count++;
    }
    return STATUS_OK;
}

/* Nanoseconds of `repeats` dispatches, each behind the one before. */
static enum status sample(struct tuner *t, const struct plan_step *s, int step, VkPipeline pipeline,
                          int repeats, uint64_t *ns, struct diag *diag)
{
    uint64_t stamps[2];
    VkResult r;

    TRY(record_repeated(&t->e->recording, s, step, pipeline, repeats, t->pool, diag));
    TRY(executor_submit(t->e, diag));
    r = vkGetQueryPoolResults(t->e->recording.device->handle, t->pool, 0, 2, sizeof stamps, stamps,
                              sizeof stamps[0], VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    if (r != VK_SUCCESS)
        return result_fail_call(diag, "vkGetQueryPoolResults", r);
    *ns = (uint64_t)((double)(stamps[1] - stamps[0]) * t->e->recording.device->timestamp_ns);
    return STATUS_OK;
}

/* One dispatch of a step with this size.  A first one that is not measured compiles where drivers
 * do so late, and fills caches. */
static enum status measure(struct tuner *t, int step, uint32_t code, uint64_t *best,
                           struct diag *diag)
{
    struct plan_step s = *t->plan->steps[step];
    uint64_t ns = 0, least = UINT64_MAX;
    VkPipeline pipeline;
    enum status status;
    int repeats = 1;

    if (!workgroup_set(&s, code, &t->e->recording.device->limits))
        return STATUS_OK; /* *best says that it was not measured */
    TRY(pipelines_make(&t->e->recording.device->pipelines, &s, t->plan->half, &t->scratch,
                       &pipeline, diag));
    status = sample(t, &s, step, pipeline, 1, &ns, diag);
    if (status == STATUS_OK)
        status = sample(t, &s, step, pipeline, 1, &ns, diag);
    if (ns < SAMPLE_NS)
        repeats = ns > SAMPLE_NS / REPEATS_MAX ? (int)(SAMPLE_NS / ns) : REPEATS_MAX;
    for (int i = 0; i < SAMPLES && status == STATUS_OK; i++) {
        status = sample(t, &s, step, pipeline, repeats, &ns, diag);
        if (status == STATUS_OK && ns / (uint64_t)repeats < least)
            least = ns / (uint64_t)repeats;
    }
    vkDestroyPipeline(t->e->recording.device->handle, pipeline, NULL);
    *best = least;
    return status;
}

/* By what all its steps take, the most first. */
static int by_share(const void *a, const void *b)
{
    const struct subject *x = a, *y = b;
    const uint64_t p = x->base_ns * (uint64_t)x->count, q = y->base_ns * (uint64_t)y->count;

    return (q > p) - (q < p);
}

/* *size is 0 when the budget ended before all were measured. */
static enum status choose(struct tuner *t, const struct subject *subject, uint32_t *size,
                          struct diag *diag)
{
    const struct plan_step *s = t->plan->steps[subject->step];
    const uint32_t base = workgroup_of(s);
    uint64_t best = (uint64_t)((double)subject->base_ns * gain);
    uint32_t codes[WORKGROUP_CANDIDATES], chosen = base;
    const int count = workgroup_candidates(s, &t->e->recording.device->limits, codes);

    *size = 0;
    for (int i = 0; i < count; i++) {
        uint64_t ns = UINT64_MAX;

        if (codes[i] == base)
            continue;
        if (spent(t))
            return STATUS_OK;
        TRY(measure(t, subject->step, codes[i], &ns, diag));
        if (ns < best) {
            best = ns;
            chosen = codes[i];
        }
    }
    *size = chosen;
    return STATUS_OK;
}

static enum status append(struct workgroup_tuning **tuning, size_t *count, uint64_t key,
                          uint32_t size, struct diag *diag)
{
    struct workgroup_tuning *more = mem_resize(*tuning, *count + 1, sizeof *more);

    if (!more)
        return diag_fail(diag, STATUS_NO_MEMORY, "tune: out of memory");
    *tuning = more;
    more[(*count)++] = (struct workgroup_tuning){ .key = key, .size = size };
    return STATUS_OK;
}

static enum status tune(struct tuner *t, struct workgroup_tuning **tuning, size_t *count,
                        bool *changed, struct diag *diag)
{
    int measured = 0;

    for (; measured < t->count && !spent(t); measured++) {
        struct subject *s = &t->subjects[measured];

        TRY(measure(t, s->step, workgroup_of(t->plan->steps[s->step]), &s->base_ns, diag));
    }
    qsort(t->subjects, (size_t)measured, sizeof *t->subjects, by_share);
    for (int i = 0; i < measured; i++) {
        uint32_t size;

        TRY(choose(t, &t->subjects[i], &size, diag));
        if (size == 0)
            break;
        TRY(append(tuning, count, t->subjects[i].key, size, diag));
        *changed = true;
    }
    return STATUS_OK;
}

enum status tune_plan(struct executor *e, struct plan *plan, uint64_t budget_ns,
                      struct workgroup_tuning **tuning, size_t *count, bool *changed,
                      struct diag *diag)
{
    const VkQueryPoolCreateInfo info = { .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                         .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                         .queryCount = 2 };
    struct tuner t = { .e = e, .plan = plan, .end_ns = clock_ns() + budget_ns };
    struct device *d = e->recording.device;
    enum status s;
    VkResult r;

    *changed = false;
    if (d->timestamp_ns == 0)
        return diag_fail(diag, STATUS_NO_DEVICE, "device '%s' has no time stamps", d->info.name);
    if ((s = find_subjects(&t, *tuning, *count, diag)) != STATUS_OK || t.count == 0)
        goto done;
    if ((r = vkCreateQueryPool(d->handle, &info, NULL, &t.pool)) != VK_SUCCESS) {
        s = result_fail_call(diag, "vkCreateQueryPool", r);
        goto done;
    }
    if ((s = pipeline_cache_open(&t.scratch, d->handle, NULL, 0, false, diag)) == STATUS_OK)
        s = tune(&t, tuning, count, changed, diag);
    if (s == STATUS_OK)
        workgroups_apply(plan, &d->limits, *tuning, *count);
done:
    pipeline_cache_close(&t.scratch);
    vkDestroyQueryPool(d->handle, t.pool, NULL);
    mem_free(t.subjects);
    return s;
}
