#include "conformance/report/record/record.h"

#include <fnmatch.h>
#include <string.h>

static bool takes_status(const struct record_selection *s, enum case_status status)
{
    return s->statuses == 0 || s->statuses >> status & 1;
}

static bool takes_subject(const struct record_selection *s, size_t subject)
{
    return s->subject == SIZE_MAX || s->subject == subject;
}

static bool takes_name(const struct record_selection *s, const char *name)
{
    for (size_t i = 0; i < s->filters.count; i++) {
        if (fnmatch(s->filters.items[i], name, 0) == 0)
            return true;
    }
    return s->filters.count == 0;
}

static void keep_results(struct record *r, const struct record_selection *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < r->result_count; i++) {
        const struct record_result x = r->results[i];

        if (takes_subject(s, x.subject) && takes_status(s, x.status) &&
            takes_name(s, r->cases[x.test_case].name))
            r->results[kept++] = x;
    }
    r->result_count = kept;
}

/* What is missing has no status. */
static void keep_missing(struct record *r, const struct record_selection *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < r->missing_count; i++) {
        const struct record_missing x = r->missing[i];

        if (s->statuses == 0 && takes_subject(s, x.subject) &&
            takes_name(s, r->cases[x.test_case].name))
            r->missing[kept++] = x;
    }
    r->missing_count = kept;
}

static void keep_minimal(struct record *r)
{
    size_t kept = 0;

    for (size_t i = 0; i < r->minimal_count; i++) {
        const struct record_minimal x = r->minimal[i];

        if (record_find(r, x.subject, x.test_case))
            r->minimal[kept++] = x;
    }
    r->minimal_count = kept;
}

static void keep_models(struct record *r, const struct record_selection *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < r->model_count; i++) {
        const struct record_model x = r->models[i];

        if (takes_status(s, x.status) &&
            (x.is_reference ? s->subject == SIZE_MAX : takes_subject(s, x.subject)))
            r->models[kept++] = x;
    }
    r->model_count = kept;
    if (s->filters.count > 0)
        r->models = NULL, r->model_count = 0, r->models_skipped = NULL;
}

/* Drops the cases that nothing points to any more. */
static enum status drop_cases(struct record *r, struct diag *diag)
{
    size_t *const place = ARENA_NEW(&r->arena, r->case_count, size_t);
    size_t kept = 0;

    if (!place)
        return diag_fail(diag, STATUS_NO_MEMORY, "report: out of memory");
    for (size_t i = 0; i < r->result_count; i++)
        place[r->results[i].test_case] = 1;
    for (size_t i = 0; i < r->missing_count; i++)
        place[r->missing[i].test_case] = 1;
    for (size_t i = 0; i < r->case_count; i++) {
        if (place[i] == 0)
            continue;
        r->cases[kept] = r->cases[i];
        place[i] = kept++;
    }
    r->case_count = kept;
    for (size_t i = 0; i < r->result_count; i++)
        r->results[i].test_case = place[r->results[i].test_case];
    for (size_t i = 0; i < r->missing_count; i++)
        r->missing[i].test_case = place[r->missing[i].test_case];
    for (size_t i = 0; i < r->minimal_count; i++)
        r->minimal[i].test_case = place[r->minimal[i].test_case];
    return record_index(r, diag);
}

enum status record_select(struct record *r, const struct record_selection *s, struct diag *diag)
{
    if (s->filters.count == 0 && s->statuses == 0 && s->subject == SIZE_MAX)
        return STATUS_OK;
    keep_results(r, s);
    keep_missing(r, s);
    keep_minimal(r);
    keep_models(r, s);
    return drop_cases(r, diag);
}

enum status record_read_statuses(const char *list, uint32_t *bits, struct diag *diag)
{
    *bits = 0;
    while (*list) {
        const size_t length = strcspn(list, ",");
        const uint32_t before = *bits;
        enum case_status s;

        if (case_status_find(list, length, &s) && s < CASE_STATUS_COUNT)
            *bits |= 1u << s;
        if (*bits == before && length > 0)
            return diag_fail(diag, STATUS_USAGE,
                             "--status=%.*s: expected pass, fail, declined, crash, timeout, waived "
                             "or unexpected_pass, with commas between, each once",
                             (int)length, list);
        list += length + (list[length] == ',');
    }
    return STATUS_OK;
}
