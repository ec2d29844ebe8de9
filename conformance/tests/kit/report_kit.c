#include "conformance/tests/kit/report_kit.h"

#include "conformance/report/record/from_run.h"
#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/select.h"
#include "conformance/suite/subject/subject_spec.h"
#include "reference/base/memory.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include <stdio.h>
#include <string.h>

struct report_kit report_kit;

/* Two subjects, all cases of four ops; everything passes but what a test changes. */
int report_kit_open(void **state)
{
    const char *patterns[] = { "relu.*", "conv_2d.*", "depthwise_conv_2d.*", "average_pool_2d.*",
                               "gap.f32.conv_2d_after_sub_*" };
    const struct selection s = { .filters = { patterns, 5 } };
    const char *options[] = { "fault=none", "ulps=it's" };
    const struct string_list list = { options, 2 };

    (void)state;
    if (cases_list(&report_kit.cases, &report_kit.case_count, NULL) != STATUS_OK ||
        select_cases(report_kit.cases, &report_kit.case_count, &s, NULL) != STATUS_OK ||
        subject_init(&report_kit.subjects[0], "none", NULL, NULL) != STATUS_OK ||
        subject_init(&report_kit.subjects[1], mock_path("delegate.so"), &list, NULL) != STATUS_OK)
        return -1;
    report_kit.report = (struct report){
        .subjects = report_kit.subjects,
        .subject_count = 2,
        .cases = report_kit.cases,
        .case_count = report_kit.case_count,
        .outcome = { .results = mem_alloc(2 * report_kit.case_count, sizeof(struct case_result)),
                     .count = 2 * report_kit.case_count },
        .device = { "Device \xff 9", "driver 1", "1.3.0" },
        .seed = 7,
    };
    for (size_t i = 0; i < report_kit.report.outcome.count; i++)
        report_kit.report.outcome.results[i] =
            (struct case_result){ .status = CASE_PASS, .margin = 0.25, .ms = 1.5, .bytes = 100 };
    return 0;
}

int report_kit_close(void **state)
{
    (void)state;
    run_outcome_close(&report_kit.report.outcome);
    subject_close(&report_kit.subjects[0]);
    subject_close(&report_kit.subjects[1]);
    mem_free(report_kit.cases);
    return 0;
}

size_t report_kit_find(const char *name)
{
    for (size_t i = 0; i < report_kit.case_count; i++) {
        if (strcmp(report_kit.cases[i].name, name) == 0)
            return i;
    }
    fail_msg("no case %s", name);
    return 0;
}

struct case_result *report_kit_result(size_t subject, const char *name)
{
    return &report_kit.report.outcome
                .results[subject * report_kit.case_count + report_kit_find(name)];
}

void report_kit_fail(struct case_result *r)
{
    *r = (struct case_result){ .status = CASE_FAIL,
                               .margin = 3,
                               .max_abs = 0.5,
                               .has_set = true,
                               .set = SET_INTEGERS,
                               .frame = 'B',
                               .has_element = true,
                               .output = 0,
                               .where = "n 0 h 1 w 2 c 3",
                               .got = 1.5,
                               .want = 1,
                               .error = 0.5,
                               .limit = 0.125,
                               .reason = "over the limit (1 of 60 wrong)" };
}

size_t report_kit_bad(void)
{
    size_t bad = 0;

    for (size_t i = 0; i < report_kit.report.outcome.count; i++)
        bad += result_fails_run(&report_kit.report.outcome.results[i]);
    return bad;
}

char *report_kit_form(const struct record *r, form_write_fn *form)
{
    char *text = NULL;
    FILE *const f = kit_memory_file(&text);

    KIT_OK(form(r, f, &err));
    fclose(f);
    return text;
}

static char *write_form(form_write_fn *form)
{
    struct record record CLOSED_BY(record_close);
    char *text;

    KIT_OK(record_from_run(&record, &report_kit.report, &err));
    text = report_kit_form(&record, form);
    return text;
}

char *report_kit_text(void)
{
    return write_form(form_text);
}

char *report_kit_json(void)
{
    return write_form(form_json);
}

void report_kit_expect(const char *part, const char *text)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in:\n%s", part, text);
}

void report_kit_expect_in(const struct record *r, form_write_fn *form, const char *part)
{
    char *text CLOSED_BY(kit_free) = report_kit_form(r, form);

    report_kit_expect(part, text);
}
