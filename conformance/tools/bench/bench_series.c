#include "conformance/tools/bench/bench_series.h"

#include "reference/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void bench_sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
}

double bench_quantile(const double *sorted, size_t count, double share)
{
    const double at = share * (double)(count - 1);
    const size_t below = (size_t)at;

    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

static void summarize(struct bench_series *s, const double *sorted, size_t count)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < count; i++)
        sum += sorted[i];
    s->mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (sorted[i] - s->mean) * (sorted[i] - s->mean);
    s->std = sqrt(squares / (double)count);
    s->median = bench_quantile(sorted, count, 0.5);
    s->p10 = bench_quantile(sorted, count, 0.1);
    s->p90 = bench_quantile(sorted, count, 0.9);
    s->min = sorted[0];
    s->max = sorted[count - 1];
    s->n = count;
}

enum status bench_series_make(struct bench_series *s, const double *ms, size_t count,
                              struct diag *diag)
{
    double *const sorted = mem_alloc(count, sizeof *sorted);

    *s = (struct bench_series){ .every = (count + SERIES_SAMPLES_MAX - 1) / SERIES_SAMPLES_MAX };
    s->samples = mem_alloc(count / s->every + 1, sizeof *s->samples);
    if (!sorted || !s->samples) {
        mem_free(sorted);
        bench_series_close(s);
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu latencies: out of memory", count);
    }
    memcpy(sorted, ms, count * sizeof *sorted);
    bench_sort(sorted, count);
    summarize(s, sorted, count);
    for (size_t i = 0; i < count; i += s->every)
        s->samples[s->sample_count++] = ms[i];
    mem_free(sorted);
    return STATUS_OK;
}

void bench_series_close(struct bench_series *s)
{
    mem_free(s->samples);
    *s = (struct bench_series){ 0 };
}

enum status bench_list_add(struct bench_list *list, double ms, struct diag *diag)
{
    if (list->count == list->room) {
        const size_t room = list->room ? 2 * list->room : 256;
        double *const more = mem_resize(list->ms, room, sizeof *more);

        if (!more)
            return diag_fail(diag, STATUS_NO_MEMORY, "%zu latencies: out of memory", room);
        list->ms = more;
        list->room = room;
    }
    list->ms[list->count++] = ms;
    return STATUS_OK;
}

void bench_list_close(struct bench_list *list)
{
    mem_free(list->ms);
    *list = (struct bench_list){ 0 };
}
