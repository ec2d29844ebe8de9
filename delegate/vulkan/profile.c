#include "delegate/vulkan/profile.h"

#include "delegate/vulkan/result.h"
#include "reference/base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum status profile_open(struct profile **out, struct device *d, const struct plan *plan,
                         struct diag *diag)
{
    const size_t stamps = (size_t)plan->step_count + 1;
    const VkQueryPoolCreateInfo info = { .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                         .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                         .queryCount = (uint32_t)stamps };
    struct profile *p;
    VkResult r;

    if (d->timestamp_ns == 0)
        return diag_fail(diag, STATUS_NO_DEVICE, "profile=1: device '%s' has no time stamps",
                         d->info.name);
    if (!(p = mem_alloc(1, sizeof *p)))
        return diag_fail(diag, STATUS_NO_MEMORY, "profile: out of memory");
    *out = p;
    lock_init(&p->lock, LOCK_RANK_PROFILE, 0);
    p->steps = plan->step_count;
    p->tick_ns = d->timestamp_ns;
    p->stamps = mem_alloc(stamps, sizeof *p->stamps);
    p->time = mem_alloc(stamps, sizeof *p->time);
    p->traced = mem_alloc(stamps, PROFILE_TRACED * sizeof *p->traced);
    if (!p->stamps || !p->time || !p->traced)
        return diag_fail(diag, STATUS_NO_MEMORY, "profile: out of memory");
    r = vkCreateQueryPool(d->handle, &info, NULL, &p->pool);
    return r == VK_SUCCESS ? STATUS_OK : result_fail_call(diag, "vkCreateQueryPool", r);
}

void profile_close(struct profile *p, struct device *d)
{
    if (!p)
        return;
    vkDestroyQueryPool(d->handle, p->pool, NULL);
    mem_free(p->stamps);
    mem_free(p->time);
    mem_free(p->traced);
    lock_destroy(&p->lock);
    mem_free(p);
}

void profile_begin(struct profile *p, VkCommandBuffer commands)
{
    vkCmdResetQueryPool(commands, p->pool, 0, (uint32_t)p->steps + 1);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, p->pool, 0);
}

void profile_stamp(struct profile *p, VkCommandBuffer commands, int index)
{
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, p->pool, (uint32_t)index);
}

enum status profile_collect(struct profile *p, struct device *d, struct diag *diag)
{
    const size_t stamps = (size_t)p->steps + 1;
    uint64_t *row;
    const VkResult r = vkGetQueryPoolResults(
        d->handle, p->pool, 0, (uint32_t)stamps, stamps * sizeof *p->stamps, p->stamps,
        sizeof *p->stamps, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);

    if (r != VK_SUCCESS)
        return result_fail_call(diag, "vkGetQueryPoolResults", r);
    lock_acquire(&p->lock);
    row = p->traced + p->runs % PROFILE_TRACED * stamps;
    row[0] = (uint64_t)((double)p->stamps[0] * p->tick_ns);
    for (int i = 0; i < p->steps; i++) {
        struct profile_time *t = &p->time[i];
        const uint64_t ticks = p->stamps[i + 1] - p->stamps[i];

        t->last_ns = (uint64_t)((double)ticks * p->tick_ns);
        t->min_ns = p->runs == 0 || t->last_ns < t->min_ns ? t->last_ns : t->min_ns;
        t->sum_ns += t->last_ns;
        row[i + 1] = row[i] + t->last_ns;
    }
    p->runs++;
    lock_release(&p->lock);
    return STATUS_OK;
}

uint64_t profile_read(struct profile *p, int step, struct profile_time *time)
{
    uint64_t runs;

    lock_acquire(&p->lock);
    runs = p->runs;
    *time = p->time[step];
    lock_release(&p->lock);
    return runs;
}

void profile_set_host(struct profile *p, const struct profile_host *host)
{
    lock_acquire(&p->lock);
    p->host = *host;
    lock_release(&p->lock);
}

uint64_t profile_read_host(struct profile *p, struct profile_host *host)
{
    uint64_t runs;

    lock_acquire(&p->lock);
    runs = p->runs;
    *host = p->host;
    lock_release(&p->lock);
    return runs;
}

/* Prints a label as a JSON string.  Tensor names may hold any bytes. */
static void print_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f)
            fputc('?', f);
        else
            fputc(c, f);
    }
    fputc('"', f);
}

static void print_step(FILE *f, const struct plan *plan, int thread, int step, uint64_t begin,
                       uint64_t end)
{
    const struct plan_step *s = plan->steps[step];

    fprintf(f, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"name\":", thread,
            (double)begin / 1e3, (double)(end - begin) / 1e3);
    print_text(f, s->label);
    fprintf(f, ",\"args\":{\"shader\":\"%s\",\"source\":\"%s\",\"groups\":[%u,%u,%u]}}", s->shader,
            s->source, s->groups[0], s->groups[1], s->groups[2]);
}

enum status trace_open(struct trace *t, const char *path, struct diag *diag)
{
    *t = (struct trace){ .file = fopen(path, "w"), .path = path };
    if (!t->file)
        return diag_fail(diag, STATUS_IO, "option trace: %s: %s", path, strerror(errno));
    fprintf(t->file, "[{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":"
                     "\"assay delegate\"}}");
    return STATUS_OK;
}

void trace_write(struct trace *t, const struct profile *p, const struct plan *plan)
{
    const size_t stamps = (size_t)p->steps + 1;
    const uint64_t shown = p->runs < PROFILE_TRACED ? p->runs : PROFILE_TRACED;

    t->threads++;
    for (uint64_t i = p->runs - shown; i < p->runs; i++) {
        const uint64_t *row = p->traced + i % PROFILE_TRACED * stamps;

        for (int s = 0; s < p->steps; s++)
            print_step(t->file, plan, t->threads, s, row[s], row[s + 1]);
    }
}

enum status trace_close(struct trace *t, struct diag *diag)
{
    enum status s = STATUS_OK;
    int failed;

    if (!t->file)
        return STATUS_OK;
    fputs("]\n", t->file);
    failed = ferror(t->file);
    if (fclose(t->file) != 0 || failed)
        s = diag_fail(diag, STATUS_IO, "option trace: %s: %s", t->path, strerror(errno));
    t->file = NULL;
    return s;
}
