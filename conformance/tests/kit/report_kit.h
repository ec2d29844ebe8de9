/* A report for tests: two subjects, all cases of four ops, and everything passes. */
#ifndef ASSAY_CONFORMANCE_TESTS_KIT_REPORT_KIT_H
#define ASSAY_CONFORMANCE_TESTS_KIT_REPORT_KIT_H

#include "conformance/report/forms/forms.h"
#include "conformance/report/record/report.h"
#include "conformance/suite/cases/case.h"
#include "conformance/suite/subject/subject.h"

#include <stddef.h>

struct report_kit {
    struct test_case *cases;
    size_t case_count;
    struct subject subjects[2];
    struct report report;
};
extern struct report_kit report_kit;

/* Setup and teardown of a test. */
int report_kit_open(void **state);
int report_kit_close(void **state);

/* Index of a case; the test fails when there is none of the name. */
size_t report_kit_find(const char *name);
/* The result of a case on a subject. */
struct case_result *report_kit_result(size_t subject, const char *name);
/* Makes a result a failure of one element. */
void report_kit_fail(struct case_result *r);

/* How many results make the exit code 1. */
size_t report_kit_bad(void);

/* The report as text, to be freed. */
char *report_kit_text(void);
/* The same as JSON. */
char *report_kit_json(void);
/* A record in a form, to be freed. */
char *report_kit_form(const struct record *r, form_write_fn *form);
/* Fail the test when text, or a record in a form, does not hold part. */
void report_kit_expect(const char *part, const char *text);
void report_kit_expect_in(const struct record *r, form_write_fn *form, const char *part);

#endif
