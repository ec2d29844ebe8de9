#include "conformance/tools/bench/timeline.h"

#include "conformance/util/json_text.h"
#include "conformance/util/output.h"
#include "reference/base/memory.h"

#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void timeline_open(struct timeline *t, double origin_ms)
{
    *t = (struct timeline){ .events = json_array(), .origin_ms = origin_ms };
    t->no_memory = !t->events;
}

void timeline_close(struct timeline *t)
{
    json_decref(t->events);
    t->events = NULL;
}

static void append(struct timeline *t, json_t *event)
{
    if (!event || json_array_append_new(t->events, event) != 0)
        t->no_memory = true;
}

void timeline_name_process(struct timeline *t, int pid, const char *name)
{
    append(t, json_pack("{s:s, s:s, s:i, s:{s:o}}", "ph", "M", "name", "process_name", "pid", pid,
                        "args", "name", json_text(name)));
}

void timeline_name_track(struct timeline *t, int pid, int tid, const char *name)
{
    append(t, json_pack("{s:s, s:s, s:i, s:i, s:{s:o}}", "ph", "M", "name", "thread_name", "pid",
                        pid, "tid", tid, "args", "name", json_text(name)));
}

/* To whole nanoseconds, both ends in the same way: then slices that touch do not overlap. */
static double to_us(const struct timeline *t, double ms)
{
    return round((ms - t->origin_ms) * 1e6) / 1e3;
}

void timeline_add(struct timeline *t, int pid, int tid, const char *name, double begin_ms,
                  double end_ms, json_t *args)
{
    const double begin = to_us(t, begin_ms), end = to_us(t, end_ms);
    json_t *const event =
        json_pack("{s:s, s:o, s:i, s:i, s:f, s:f}", "ph", "X", "name", json_text(name), "pid", pid,
                  "tid", tid, "ts", begin, "dur", end > begin ? end - begin : 0.0);

    if (event && args)
        json_object_set(event, "args", args);
    json_decref(args);
    append(t, event);
}

/* ---- the file ---- */

static double number(const json_t *event, const char *key)
{
    return json_number_value(json_object_get(event, key));
}

/* Metadata first; then by ts, and of slices that begin together the longer first, since it holds
 * the other. */
static int by_begin(const void *a, const void *b)
{
    const json_t *const x = *(json_t *const *)a, *const y = *(json_t *const *)b;
    const double ts = number(x, "ts") - number(y, "ts"), dur = number(y, "dur") - number(x, "dur");
    const bool xm = !json_object_get(x, "ts"), ym = !json_object_get(y, "ts");

    if (xm || ym)
        return ym - xm;
    return ts != 0 ? (ts > 0) - (ts < 0) : (dur > 0) - (dur < 0);
}

static json_t *in_order(const struct timeline *t)
{
    const size_t count = json_array_size(t->events);
    json_t **const list = mem_alloc(count + 1, sizeof(json_t *));
    json_t *const sorted = json_array();

    for (size_t i = 0; list && i < count; i++)
        list[i] = json_array_get(t->events, i);
    if (list)
        qsort(list, count, sizeof(json_t *), by_begin);
    for (size_t i = 0; list && i < count; i++)
        json_array_append(sorted, list[i]);
    mem_free(list);
    return sorted;
}

enum status timeline_write(struct timeline *t, const char *path, json_t *facts, struct diag *diag)
{
    json_t *const sorted = in_order(t);
    json_t *const root = json_pack("{s:s, s:o, s:O}", "displayTimeUnit", "ms", "otherData", facts,
                                   "traceEvents", sorted);
    char *text = NULL;
    enum status s;

    /* 12 digits are nanoseconds in the first 1,000 seconds. */
    if (root && !t->no_memory && json_array_size(sorted) == json_array_size(t->events))
        text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(12));
    json_decref(root);
    json_decref(sorted);
    if (!text)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: the trace does not fit in memory", path);
    s = output_write_file(path, text, strlen(text), diag);
    free(text); /* of jansson */
    return s;
}

enum status timeline_check_path(const char *path, struct diag *diag)
{
    char *copy;
    struct stat st;
    int reason = 0;

    if (stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(EISDIR));
        /* A pipe or a device is written in place; a file is replaced. */
        if (!S_ISREG(st.st_mode) && access(path, W_OK) != 0)
            return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
        if (!S_ISREG(st.st_mode))
            return STATUS_OK;
    }
    if (!(copy = strdup(path)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
    if (access(dirname(copy), W_OK) != 0)
        reason = errno;
    free(copy);
    return reason ? diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(reason)) : STATUS_OK;
}
