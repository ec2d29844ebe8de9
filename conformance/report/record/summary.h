/* A report summed up: counts and findings, but of the cases that pass no names, so that the results
 * of years can be kept, and `assay report site` can show them.
 *
 *     {"summary": 1, "runs": [{"subject": ..., "version": ..., "lines": [...], "findings": [...]}]}
 *
 * has a run for each subject.  A line is an op in a type, or a title of the gap suite: `is` has a
 * letter for each of its cases, in the order of their names, with a number before it where several
 * follow each other ("12p1f3d", letters of summary_letters); `list` is the beginning of the SHA-256
 * of these names, each with a line feed behind it, so that two lines of one list can be compared
 * case by case; `bad` has the names of those that fail. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_SUMMARY_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_SUMMARY_H

#include "conformance/report/record/record_fields.h"

enum { SUMMARY_FORM = 1, SUMMARY_LIST_BYTES = 13 };
/* Of each status: "pfdctwu". */
extern const char summary_letters[CASE_STATUS_COUNT + 1];
/* Whether a case of this status is named: it failed, in whatever way. */
bool summary_names(enum case_status s);

/* A run of one subject, as it is read back. */
struct summary_run {
    /* Who was judged, without folders: equal for other versions of it. */
    const char *subject;
    const char *version; /* "2.3.0", or "sha256 1a2b3c4d" of its library; NULL: not known */
    struct record_device device;
    const char *bounds;
    const char *assay, *git, *started, *host;
    const char *part;    /* why it is not of all cases: "a sample of 20042 cases"; NULL: it is */
    const char *not_run; /* what the device lacks for it; NULL: it was run */
    size_t list_count;
    const char *list_sha256;
};
extern const struct record_fields summary_run_fields;

struct summary_line {
    const char *name; /* of an op, or a title */
    const char *type; /* NULL: of a title */
    const char *list; /* SUMMARY_LIST_BYTES */
    const char *is;   /* as in the file */
    double margin;    /* the largest; NaN: none, infinite: not finite */
};
extern const struct record_fields summary_line_fields;

struct summary_finding {
    const char *title, *severity, *condition, *what, *smallest;
    double exposure; /* NaN: not known */
    size_t checks, judged;
};
extern const struct record_fields summary_finding_fields;

/* As a JSON value, and written with a line of text for each line.  NULL, or STATUS_NO_MEMORY. */
json_t *summary_json(const struct record *r, struct diag *diag);
enum status summary_write(const struct record *r, FILE *out, struct diag *diag);

#endif
