/* Names of statuses, and how a case fails. */
#include "conformance/suite/judge/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const habit_names[HABIT_COUNT] = {
#define X(name, text) text,
    HABIT_LIST(X)
#undef X
};

static const char *const design_names[DESIGN_COUNT] = {
#define X(name, text) text,
    DESIGN_LIST(X)
#undef X
};

const char *design_name(uint32_t designs)
{
    for (int i = 0; i < DESIGN_COUNT; i++)
        if (designs >> i & 1)
            return design_names[i];
    return NULL;
}

uint32_t design_bit(const char *name)
{
    for (int i = 0; i < DESIGN_COUNT; i++)
        if (strcmp(design_names[i], name) == 0)
            return 1u << i;
    return 0;
}

void result_note_habit(struct case_result *r, enum habit habit, bool checked)
{
    if (checked)
        r->habits |= 1u << habit;
    else
        r->left_out |= 1u << habit;
}

const char *case_status_name(enum case_status s)
{
    static const char *const names[CASE_STATUS_COUNT] = {
#define X(name, text) text,
        CASE_STATUS_LIST(X)
#undef X
    };

    return (unsigned)s < CASE_STATUS_COUNT ? names[s] : s == CASE_MISSING ? "missing" : "?";
}

bool case_status_find(const char *name, size_t length, enum case_status *s)
{
    for (int i = 0; i <= CASE_MISSING; i++) {
        const char *const known = case_status_name((enum case_status)i);

        *s = (enum case_status)i;
        if (strlen(known) == length && strncmp(known, name, length) == 0)
            return true;
    }
    return false;
}

bool case_status_fails(enum case_status s)
{
    return s == CASE_FAIL || s == CASE_CRASH || s == CASE_TIMEOUT;
}

bool result_fails_run(const struct case_result *r)
{
    return r->required || r->regression || case_status_fails(r->status) ||
           r->status == CASE_UNEXPECTED_PASS;
}

bool result_fail(struct case_result *r, const char *format, ...)
{
    va_list args;

    if (r->status == CASE_FAIL)
        return false;
    r->status = CASE_FAIL;
    va_start(args, format);
    vsnprintf(r->reason, sizeof r->reason, format, args);
    va_end(args);
    return false;
}
