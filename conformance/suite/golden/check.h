/* The scalar reference, or a delegate, against the answers of the real runtime. */
#ifndef ASSAY_CONFORMANCE_SUITE_GOLDEN_CHECK_H
#define ASSAY_CONFORMANCE_SUITE_GOLDEN_CHECK_H

#include "conformance/suite/golden/file.h"
#include "conformance/suite/golden/golden.h"
#include "reference/base/diag.h"
#include "reference/base/lookup.h"

#include <stddef.h>

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

#endif
