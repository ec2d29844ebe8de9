#include "conformance/tests/kit/judge_kit.h"

#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tests/kit/cases_kit.h"
#include "reference/tests/kit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct case_result judge_kit_run(struct subject *s, const char *name)
{
    struct judge_stage stage = { .set = -1 };
    const struct judge_options how = { .seed = 1, .stage = &stage };
    struct case_result result;
    struct judge *judge = NULL;

    KIT_OK(judge_open(&judge, s, &how, &err));
    judge_case(judge, kit_case(name), &result);
    judge_close(judge);
    subject_close(s);
    return result;
}

struct case_result judge_kit_run_spec(const char *spec, const char *name)
{
    struct subject subject;

    if (subject_parse(&subject, spec, &err) != STATUS_OK)
        fail_msg("%s: %s", spec, err.text);
    return judge_kit_run(&subject, name);
}

static void expect(const struct case_result *r, const char *name, enum case_status status,
                   const char *reason)
{
    if (r->status != status || !strstr(r->reason, reason))
        fail_msg("%s: expected %s with '%s', found %s with '%s'", name, case_status_name(status),
                 reason, case_status_name(r->status), r->reason);
}

void judge_kit_expect(const char *spec, const char *name, enum case_status status,
                      const char *reason)
{
    const struct case_result r = judge_kit_run_spec(spec, name);

    expect(&r, name, status, reason);
}

void judge_kit_expect_load(const char *spec, enum status status, const char *message)
{
    struct subject s CLOSED_BY(subject_close);
    struct diag diag = { .text = "" };
    enum status found = subject_parse(&s, spec, &diag);

    if (found == STATUS_OK)
        found = subject_load(&s, &diag);
    if (found != status || !strstr(diag.text, message))
        fail_msg("%s: expected %s with '%s', found %s with '%s'", spec, status_text(status),
                 message, status_text(found), diag.text);
}

struct judge *judge_kit_open(struct subject *s, const char *spec, double limit_s)
{
    const struct judge_options how = { .seed = 1, .limit_s = limit_s };
    struct judge *judge = NULL;

    if (subject_parse(s, spec, &err) != STATUS_OK || judge_open(&judge, s, &how, &err) != STATUS_OK)
        fail_msg("%s: %s", spec, err.text);
    return judge;
}

void judge_kit_close(struct judge *judge, struct subject *s)
{
    judge_close(judge);
    subject_close(s);
}

void judge_kit_expect_case(struct judge *judge, const char *name, enum case_status status,
                           const char *reason, bool line_lost)
{
    struct case_result r;

    judge_case(judge, kit_case(name), &r);
    expect(&r, name, status, reason);
    assert_int_equal(r.line_lost, line_lost);
}

void judge_kit_add_asan_options(const char *options)
{
    const char *const given = getenv("ASAN_OPTIONS");
    char all[1024];

    snprintf(all, sizeof all, "%s%s%s", given ? given : "", given ? ":" : "", options);
    setenv("ASAN_OPTIONS", all, 1);
}

int judge_kit_open_agents(void **state)
{
    judge_kit_add_asan_options("handle_segv=0:handle_abort=0");
    return kit_cases_open(state);
}
