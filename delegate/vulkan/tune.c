#include "delegate/vulkan/tune.h"

#include "delegate/base/clock.h"
#include "delegate/plan/workgroups.h"
#include "delegate/vulkan/result.h"
#include "reference/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES = 3,       /* measured of each size: the shortest counts */
    REPEATS_MAX = 32,  /* dispatches in one sample */
    SAMPLE_NS = 100000 /* a sample takes about this long */
};

/* Another size than the table's is chosen only if it takes at most this share of its time: smaller
 * differences may be noise. */
static const double gain = 0.95;

/* Steps of the plan that have the same key, and get the same size. */
struct subject {
    uint64_t key;
    int step, count;  /* the first of them, and how many there are */
    uint64_t base_ns; /* of one dispatch with the table's size */
};

struct tuner {
    struct executor *e;
    struct plan *plan;
    uint64_t end_ns;
    VkQueryPool pool;
    struct pipeline_cache scratch; /* several subjects need the same pipelines */
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

/* Measures `repeats` dispatches, each after the one before has ended. */
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

/* Measures one dispatch of a step with this size.  The first dispatch does not count: some drivers
 * compile at that time, and caches are cold. */
static enum status measure(struct tuner *t, int step, uint32_t code, uint64_t *best,
                           struct diag *diag)
{
    struct plan_step s = *t->plan->steps[step];
    uint64_t ns = 0, least = UINT64_MAX;
    VkPipeline pipeline;
    enum status status;
    int repeats = 1;

    if (!workgroup_set(&s, code, &t->e->recording.device->limits))
        return STATUS_OK; /* *best stays UINT64_MAX: not measured */
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

/* Orders subjects by the time of all their steps, the longest first. */
static int by_share(const void *a, const void *b)
{
    const struct subject *x = a, *y = b;
    const uint64_t p = x->base_ns * (uint64_t)x->count, q = y->base_ns * (uint64_t)y->count;

    return (q > p) - (q < p);
}

/* Measures the candidates of a subject.  *size is 0 when the budget was spent before the last. */
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
