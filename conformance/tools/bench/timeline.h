/* A start of a model and some inferences as trace events: the JSON object form of the Trace Event
 * Format, which Perfetto and chrome://tracing read.
 *
 * Events are complete slices (ph X, with ts and dur in us) on tracks (pid, tid) that events of
 * metadata (ph M) name.  Slices of one track nest or follow one another. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_TIMELINE_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_TIMELINE_H

#include "reference/base/diag.h"

#include <jansson.h>
#include <stdbool.h>

enum { TIMELINE_HOST = 1, TIMELINE_DEVICE = 2 }; /* pid */

struct timeline {
    json_t *events;
    double origin_ms; /* clock_ms at ts 0 */
    bool no_memory;   /* an event is missing */
};

void timeline_open(struct timeline *t, double origin_ms);
void timeline_close(struct timeline *t);
void timeline_name_process(struct timeline *t, int pid, const char *name);
void timeline_name_track(struct timeline *t, int pid, int tid, const char *name);
/* Adds a slice of [begin, end] on clock_ms.  args is consumed; NULL: none.  An end before begin, by
 * rounding, counts as begin. */
void timeline_add(struct timeline *t, int pid, int tid, const char *name, double begin_ms,
                  double end_ms, json_t *args);
/* Writes the events, in the order of their ts, with an object of facts about the run, which is
 * consumed: the whole file or nothing. */
enum status timeline_write(struct timeline *t, const char *path, json_t *facts, struct diag *diag);

/* Whether a file can be made at path, for a message before the measurements instead of after. */
enum status timeline_check_path(const char *path, struct diag *diag);

#endif
