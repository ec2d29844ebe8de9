/* The list of all cases. */
#ifndef ASSAY_CONFORMANCE_CASES_CASE_LIST_H
#define ASSAY_CONFORMANCE_CASES_CASE_LIST_H

#include "conformance/cases/case.h"

/* All cases, in a fixed order, those of the gap suite first.  *cases is freed with mem_free. */
enum status cases_list(struct test_case **cases, size_t *count, struct diag *diag);

/* The row can be run with this data set. */
bool case_has_set(const struct test_case *c, enum data_set set);

#endif
