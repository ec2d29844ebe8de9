/* Known failures.
 *
 * Each line of a file of waivers has three fields between bars or between tabs; # begins a comment,
 * and further fields are for people:
 *
 *     conv_2d.*.groups* | *llvmpipe*  | mesa issue 1234: wrong with groups of three
 *     ?quantize.u8.c31  | litert:cpu* | ties round down, but not with every processor's kernels
 *
 * A waiver applies to the cases whose names match, on the subjects whose label or device matches.
 * A case that fails, crashes or times out is then waived; one that passes is an unexpected pass,
 * and the waiver has to be removed, unless a ? in front says that the case may pass, too. */
#ifndef ASSAY_CONFORMANCE_REPORT_WAIVERS_H
#define ASSAY_CONFORMANCE_REPORT_WAIVERS_H

#include "conformance/report/report.h"
#include "reference/base/arena.h"

struct waiver {
    const char *cases, *device; /* globs */
    const char *cause;          /* with the fields behind it, as the file has them */
    bool may_pass;              /* the pattern begins with ? */
    bool used;                  /* it waived a case */
};

struct waivers {
    struct arena arena;
    struct waiver *rows;
    size_t count;
};

/* STATUS_IO when the file cannot be read, STATUS_USAGE with the line that is malformed. */
enum status waivers_read(struct waivers *w, const char *path, struct diag *diag);
void waivers_close(struct waivers *w);
/* Sets the status of results that a waiver applies to. */
void waivers_apply(struct waivers *w, struct report *report);
/* Writes a file of waivers that this run passes with: the rows that waived a case or whose cases
 * may pass, and a row for every other failure, with its reason. */
enum status waivers_write(const struct waivers *w, const struct report *report, const char *path,
                          struct diag *diag);

#endif
