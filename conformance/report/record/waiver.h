/* Files of known failures: their rows, and which of them speaks of a result.
 * conformance/doc/WAIVERS.md describes the format. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_WAIVER_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_WAIVER_H

#include "conformance/util/date.h"
#include "reference/base/arena.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>

struct waiver {
    size_t line;        /* of the file, from 1 */
    const char *cases;  /* glob */
    const char *device; /* glob of the device's name or the subject's label */
    const char *cause;
    const char *more; /* further fields for people, with tabs between them; NULL: none */
    /* Named fields; NULL where the row has none. */
    const char *link;        /* address or number of an issue */
    const char *driver;      /* range of versions, ">=24.0,<25" */
    const char *device_name; /* glob of the device's name, beside `device` */
    const char *bounds;      /* classes that the subject is held to */
    struct date expires;     /* the last day that it holds; year 0: it holds for ever */
    bool may_pass;           /* the pattern of cases begins with ? */
    bool used;               /* it waived a case */
};

struct waivers {
    struct arena arena;
    const char *path;
    struct waiver *rows; /* as in the file */
    size_t count;
    struct waiver **sorted; /* first those with a pattern of cases, then by the name of the case */
    size_t pattern_count;
};

/* STATUS_IO when the file cannot be read, STATUS_USAGE with path, line, expectation and value. */
enum status waivers_read(struct waivers *w, const char *path, struct diag *diag);
void waivers_close(struct waivers *w);

/* What a row is held against; strings that are not known are empty. */
struct waiver_target {
    const char *test_case;
    const char *label;  /* of the subject */
    const char *bounds; /* of the subject: "fp32,float_view" */
    const char *device, *driver;
};

bool waiver_matches_case(const struct waiver *row, const char *name);
bool waiver_is_expired(const struct waiver *row, struct date today);
/* The first row that speaks of the target and holds today.  Where all that speak of it have
 * expired, the first of these.  NULL: none speaks of it. */
struct waiver *waivers_find(const struct waivers *w, const struct waiver_target *target,
                            struct date today);

#endif
