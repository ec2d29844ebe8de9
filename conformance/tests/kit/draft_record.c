#include "conformance/tests/kit/draft_record.h"
#include "reference/tests/kit/test.h"

#include <stdio.h>
#include <string.h>

static char *copy(struct record *r, const char *text, size_t length)
{
    char *const s = arena_alloc(&r->arena, length + 1, 1);

    assert_non_null(s);
    memcpy(s, text, length);
    return s;
}

void draft_open(struct record *r)
{
    *r = (struct record){ .case_count = 0 };
    r->run = (struct record_run){ .version = "0.1.0",
                                  .git = "5faf3b7",
                                  .command = "assay conformance",
                                  .started = "2026-01-02T03:04:05Z",
                                  .host = "Linux",
                                  .seconds = 1.5,
                                  .seed = 1,
                                  .list_count = 12,
                                  .list_sha256 = "ab12" };
    r->subjects = ARENA_NEW(&r->arena, DRAFT_SUBJECTS, struct record_subject);
    r->cases = ARENA_NEW(&r->arena, DRAFT_CASES, struct record_case);
    r->results = ARENA_NEW(&r->arena, DRAFT_SUBJECTS * DRAFT_CASES, struct record_result);
    assert_true(r->subjects && r->cases && r->results);
}

size_t draft_subject(struct record *r, const char *folder, const char *library,
                     const char *precision)
{
    struct record_subject *const s = &r->subjects[r->subject_count];
    struct record_option *const o = ARENA_NEW(&r->arena, 1, struct record_option);
    char text[256];

    assert_true(r->subject_count < DRAFT_SUBJECTS && o);
    *o = (struct record_option){ "precision", precision };
    *s = (struct record_subject){ .bounds = precision, .options = o, .option_count = 1 };
    snprintf(text, sizeof text, "%s/%s", folder, library);
    s->path = copy(r, text, strlen(text));
    snprintf(text, sizeof text, "delegate:%s/%s?precision=%s", folder, library, precision);
    s->spec = copy(r, text, strlen(text));
    snprintf(text, sizeof text, "%s precision=%s", library, precision);
    s->label = copy(r, text, strlen(text));
    return r->subject_count++;
}

size_t draft_case(struct record *r, const char *name, const char *inputs)
{
    struct record_case *const c = &r->cases[r->case_count];
    const char *const dot = strchr(name, '.'), *const second = dot ? strchr(dot + 1, '.') : NULL;

    assert_true(r->case_count < DRAFT_CASES && second);
    *c = (struct record_case){ .name = copy(r, name, strlen(name)),
                               .op = copy(r, name, (size_t)(dot - name)),
                               .type = copy(r, dot + 1, (size_t)(second - dot - 1)),
                               .version = 1,
                               .inputs = inputs ? copy(r, inputs, strlen(inputs)) : NULL };
    return r->case_count++;
}

struct record_result *draft_result(struct record *r, size_t subject, size_t test_case)
{
    struct record_result *const x = &r->results[r->result_count++];

    *x = (struct record_result){ .subject = subject,
                                 .test_case = test_case,
                                 .status = CASE_PASS,
                                 .margin = 0.25,
                                 .max_abs = 1e-7,
                                 .max_ulp = 1,
                                 .bias = 0,
                                 .ms = 0.1,
                                 .bytes = 8192 };
    return x;
}

void draft_fail(struct record_result *r, const char *what, const char *reason)
{
    r->status = CASE_FAIL;
    r->what = what;
    r->reason = reason;
    r->rerun = "assay conformance --filter=one";
    r->margin = 3;
}

void draft_done(struct record *r)
{
    KIT_OK(record_index(r, &err));
}
