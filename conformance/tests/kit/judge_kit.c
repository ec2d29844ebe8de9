#include "conformance/tests/kit/judge_kit.h"

#include "conformance/suite/judge/judge.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tests/kit/cases_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct case_result judge_kit_run(struct subject *s, const char *name)
{
    struct judge_stage stage = { .set = -1 };
    const struct judge_options how = { .seed = 1, .stage = &stage };
    struct case_result result;
    struct judge *judge = NULL;
    struct diag diag;

    if (judge_open(&judge, s, &how, &diag) != STATUS_OK)
        fail_msg("%s", diag.text);
    judge_case(judge, kit_case(name), &result);
    judge_close(judge);
    subject_close(s);
    return result;
}

struct case_result judge_kit_run_spec(const char *spec, const char *name)
{
    struct subject subject;
    struct diag diag;

    if (subject_parse(&subject, spec, &diag) != STATUS_OK)
        fail_msg("%s: %s", spec, diag.text);
    return judge_kit_run(&subject, name);
}

void judge_kit_expect(const struct case_result *r, const char *name, enum case_status status,
                      const char *reason)
{
    if (r->status != status || !strstr(r->reason, reason))
        fail_msg("%s: expected %s with '%s', found %s with '%s'", name, case_status_name(status),
                 reason, case_status_name(r->status), r->reason);
}
