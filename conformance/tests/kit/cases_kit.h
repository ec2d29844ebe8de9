/* All cases of the suite, for tests that need some of them. */
#ifndef ASSAY_CONFORMANCE_TESTS_KIT_CASES_KIT_H
#define ASSAY_CONFORMANCE_TESTS_KIT_CASES_KIT_H

#include "conformance/suite/cases/case.h"
#include "conformance/suite/judge/runner.h"

#include <stddef.h>

extern struct test_case *kit_cases;
extern size_t kit_case_count;

/* Set up and tear down a group of tests: list all cases, and free the list. */
int kit_cases_open(void **state);
int kit_cases_close(void **state);
/* The case of this name; fails the test where there is none. */
const struct test_case *kit_case(const char *name);
/* A run of cases on subjects with seed 1, a minute a case, and no progress. */
struct run_request kit_request(struct subject *subjects, size_t subject_count,
                               const struct test_case *cases, size_t case_count, int jobs);

#endif
