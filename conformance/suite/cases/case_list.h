/* The list of all cases. */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_CASE_LIST_H
#define ASSAY_CONFORMANCE_SUITE_CASES_CASE_LIST_H

#include "conformance/suite/cases/case.h"

/* Lists all cases in a fixed order, those of the gap suite first.  The caller frees *cases with
 * mem_free. */
enum status cases_list(struct test_case **cases, size_t *count, struct diag *diag);

/* Whether the case runs on this data set. */
bool case_has_set(const struct test_case *c, enum data_set set);

#endif
