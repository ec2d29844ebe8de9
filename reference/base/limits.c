#include "reference/base/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char variable[] = "ASSAY_LIMITS";

static const struct limit_row rows[LIMIT_COUNT] = {
#define LIMIT(NAME, name, value, unit, what) [LIMIT_##NAME] = { #name, value, unit, what },
#include "reference/base/limits.def"
#undef LIMIT
};

/* 0: not set, the standard holds. */
static _Atomic uint64_t values[LIMIT_COUNT];
static atomic_bool environment_read;

const struct limit_row *limit_row(enum limit which)
{
    return &rows[which];
}

static int find(const char *name, size_t length)
{
    for (int i = 0; i < LIMIT_COUNT; i++)
        if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0)
            return i;
    return -1;
}

/* A whole number from 1 with K, M or G; *end is behind it.  0: not one. */
static uint64_t read_value(const char *text, const char **end)
{
    static const char units[] = "KMG";
    const char *unit;
    unsigned shift = 0;
    uint64_t value;
    char *stop;

    *end = text;
    if (text[0] < '0' || text[0] > '9') /* strtoull takes spaces and signs */
        return 0;
    errno = 0;
    value = strtoull(text, &stop, 10);
    if (*stop && (unit = strchr(units, *stop)) != NULL) {
        shift = 10 * (unsigned)(unit - units + 1);
        stop++;
    }
    *end = stop;
    return errno != 0 || value > (uint64_t)INT64_MAX >> shift ? 0 : value << shift;
}

/* Reads text into values of its own, and gives them to the process when all of it is right. */
static enum status read_list(const char *text, struct diag *diag)
{
    uint64_t given[LIMIT_COUNT] = { 0 };

    for (const char *item = text;;) {
        const size_t length = strcspn(item, "=,");
        const int which = find(item, length);
        const char *end;

        if (item[length] != '=' || length == 0)
            return diag_fail(diag, STATUS_USAGE, "'%.80s': expected NAME=VALUE", item);
        if (which < 0)
            return diag_fail(diag, STATUS_USAGE,
                             "'%.*s': no such limit; `assay --limits` lists them",
                             (int)(length < 80 ? length : 80), item);
        given[which] = read_value(item + length + 1, &end);
        if (given[which] == 0 || (*end && *end != ','))
            return diag_fail(diag, STATUS_USAGE,
                             "'%.80s': expected a whole number from 1, with K, M or G behind it "
                             "or nothing",
                             item);
        if (*end == '\0')
            break;
        item = end + 1;
    }
    for (int i = 0; i < LIMIT_COUNT; i++)
        if (given[i])
            atomic_store(&values[i], given[i]);
    return STATUS_OK;
}

static void read_environment(void)
{
    const char *text;

    if (atomic_exchange(&environment_read, true))
        return;
    text = getenv(variable);
    if (text && *text)
        read_list(text, NULL);
}

uint64_t limit_of(enum limit which)
{
    uint64_t value;

    if (!atomic_load(&environment_read))
        read_environment();
    value = atomic_load(&values[which]);
    return value ? value : rows[which].standard;
}

enum status limits_set(const char *text, struct diag *diag)
{
    char list[64 * LIMIT_COUNT];
    size_t used = 0;

    read_environment(); /* what is given here goes before it */
    TRY(read_list(text, diag));
    for (int i = 0; i < LIMIT_COUNT; i++) {
        const uint64_t value = atomic_load(&values[i]);

        if (value)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s=%" PRIu64,
                                     used ? "," : "", rows[i].name, value);
    }
    if (setenv(variable, list, 1) != 0)
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for the limits");
    return STATUS_OK;
}

enum status limits_check_environment(struct diag *diag)
{
    const char *const text = getenv(variable);

    return text && *text ? diag_prefix(diag, read_list(text, diag), "%s", variable) : STATUS_OK;
}

enum status limit_fail(struct diag *diag, enum limit which, const char *format, ...)
{
    char text[768];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return diag_fail(diag, STATUS_LIMIT,
                     "%s, at most %" PRIu64 " (limit %s; --limit=%s=VALUE raises it)", text,
                     limit_of(which), rows[which].name, rows[which].name);
}
