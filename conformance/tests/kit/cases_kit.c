#include "conformance/tests/kit/cases_kit.h"

#include "conformance/suite/cases/case_list.h"
#include "reference/base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

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
