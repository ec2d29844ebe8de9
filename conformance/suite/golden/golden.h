/* What is asked of goldens: `assay golden check` and `assay golden export`. */
#ifndef ASSAY_CONFORMANCE_SUITE_GOLDEN_GOLDEN_H
#define ASSAY_CONFORMANCE_SUITE_GOLDEN_GOLDEN_H

#include "conformance/suite/bounds/bound.h"
#include "conformance/suite/golden/file.h"
#include "conformance/util/string_list.h"
#include "reference/base/diag.h"
#include "reference/base/lookup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct golden_request {
    struct string_list filters; /* globs: the cases whose names match one; none: all */
    bool quiet;
    enum bounds bounds; /* fp16: inputs and constants are rounded to f16 */
    uint64_t seed;
    size_t graphs; /* random graphs of the seed that are cases, too */
    /* For golden_export. */
    size_t limit; /* the most cases of an op, evenly spaced; 0: all */
    /* For golden_check. */
    const char *directory;
    bool delegate; /* the answers are those of a delegate, which need not have every case */
};

/* ---- check.c ---- */

/* The scalar reference, or a delegate, against the answers of the real runtime. */

struct golden_failure {
    char name[CASE_NAME_BYTES];
    char reason[512];
};
/* The results of one op. */
struct golden_op {
    char name[CASE_NAME_BYTES];
    size_t cases, failed, missing, skipped;
    double margin; /* the largest |difference| / bound; may be infinite */
    char worst_case[CASE_NAME_BYTES];
    char element[64]; /* "output 0 [0,1,2,3]"; empty: no difference at all */
};
struct golden_report {
    struct golden_op *ops;
    size_t op_count;
    struct lookup by_name; /* of ops */
    struct golden_failure *failures;
    size_t failure_count;
    size_t cases, failed, missing, skipped;
    size_t wrong; /* of the cases: the runtime's answer is marked as wrong */
    char runtime[GOLDEN_TEXT_BYTES], runtime_version[GOLDEN_TEXT_BYTES];
    char resolver[GOLDEN_TEXT_BYTES];
};
/* Compares the reference with every golden in the directory.  Differences are in the report; a
 * failure is a directory or file that cannot be read. */
enum status golden_check(const struct golden_request *request, struct golden_report *report,
                         struct diag *diag);
void golden_report_close(struct golden_report *report);

/* ---- export.c: the cases as one HDF5 file, for golden/mint.py to run in the real runtime ---- */

/* Writes cases to the image of an export file.  Each has one data set, which a hash of
 * its name chooses. */
enum status golden_export(const struct golden_request *request, uint8_t **bytes, size_t *count,
                          struct diag *diag);

#endif
