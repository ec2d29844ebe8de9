#include "conformance/tests/kit/cases_kit.h"

#include "conformance/suite/cases/case_list.h"
#include "reference/base/memory.h"
#include "reference/tests/kit/test.h"

#include <string.h>

struct test_case *kit_cases;
size_t kit_case_count;

int kit_cases_open(void **state)
{
    (void)state;
    return cases_list(&kit_cases, &kit_case_count, NULL) == STATUS_OK ? 0 : -1;
}

int kit_cases_close(void **state)
{
    (void)state;
    mem_free(kit_cases);
    kit_cases = NULL;
    return 0;
}

const struct test_case *kit_case(const char *name)
{
    for (size_t i = 0; i < kit_case_count; i++) {
        if (strcmp(kit_cases[i].name, name) == 0)
            return &kit_cases[i];
    }
    fail_msg("no case %s", name);
    return NULL;
}

struct run_request kit_request(struct subject *subjects, size_t subject_count,
                               const struct test_case *cases, size_t case_count, int jobs)
{
    return (struct run_request){ .subjects = subjects,
                                 .subject_count = subject_count,
                                 .cases = cases,
                                 .case_count = case_count,
                                 .seed = 1,
                                 .jobs = jobs,
                                 .timeout_s = 60,
                                 .quiet = true };
}
