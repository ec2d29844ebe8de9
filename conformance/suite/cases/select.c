/* Which cases run. */
#include "conformance/suite/cases/select.h"

#include "conformance/suite/cases/suite.h"
#include "conformance/util/nearest.h"
#include "reference/base/memory.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

uint32_t select_shard_of(const char *name, uint32_t n)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    hash ^= hash >> 33; /* the low bits of FNV alone are poor */
    hash *= 0xff51afd7ed558ccdu;
    hash ^= hash >> 33;
    return n > 1 ? (uint32_t)(hash % n) : 0;
}

bool select_matches(const char *name, const struct string_list *filters)
{
    for (size_t i = 0; i < filters->count; i++) {
        if (fnmatch(filters->items[i], name, 0) == 0)
            return true;
    }
    return filters->count == 0;
}

/* Whether the filters match anything but a case. */
static bool matches_other(const struct selection *selection, const struct string_list *filters)
{
    const char *name;

    for (size_t i = 0; selection->other_name && (name = selection->other_name(i)) != NULL; i++) {
        if (select_matches(name, filters))
            return true;
    }
    return false;
}

static bool same_group(const struct test_case *a, const struct test_case *b)
{
    if (a->row->gap || b->row->gap)
        return a->row->gap && b->row->gap && strcmp(a->row->gap, b->row->gap) == 0;
    return a->code == b->code && a->suite == b->suite;
}

/* Whether case i is among the `limit` evenly spaced ones of n, the first of which is case 0. */
static bool within_limit(size_t i, size_t n, size_t limit)
{
    return limit == 0 || n <= limit || i == 0 || i * limit / n != (i - 1) * limit / n;
}

/* A filter matches nothing: a misspelt name, or a glob whose op is. */
static enum status no_match(const struct test_case *cases, size_t count, const char *filter,
                            struct diag *diag)
{
    const bool glob = strpbrk(filter, "*?[") != NULL;
    const size_t length = strcspn(filter, glob ? ".*?[" : "");
    const char **names = mem_alloc(count, sizeof *names), *near = NULL;
    char word[CASE_NAME_BYTES] = "";

    for (size_t i = 0; i < count && names; i++)
        names[i] = glob ? cases[i].op : cases[i].name;
    if (names && length < sizeof word) {
        memcpy(word, filter, length);
        near = nearest_name(word, names, count);
    }
    if (near && strcmp(near, word) == 0) /* the op exists: what follows it does not */
        near = NULL;
    mem_free(names);
    return diag_fail(diag, STATUS_USAGE,
                     "--filter=%s matches none of the %zu cases; %s%s%s%s--list shows them", filter,
                     count, near ? "did you mean " : "", near ? near : "",
                     near ? filter + length : "", near ? "? " : "");
}

enum status select_cases(struct test_case *cases, size_t *count, const struct selection *selection,
                         struct diag *diag)
{
    const size_t all = *count;
    size_t kept = 0, last;

    for (size_t f = 0; f < selection->filters.count; f++) {
        const struct string_list one = { &selection->filters.items[f], 1 };
        size_t i = 0;

        while (i < all && !select_matches(cases[i].name, &one))
            i++;
        if (i == all && !matches_other(selection, &one))
            return no_match(cases, all, selection->filters.items[f], diag);
    }
    for (size_t i = 0; i < all; i++) {
        if (select_matches(cases[i].name, &selection->filters))
            cases[kept++] = cases[i];
    }
    last = kept;
    kept = 0;
    for (size_t i = 0, n; i < last; i += n) { /* the n cases of one op, or title */
        for (n = 1; i + n < last && same_group(&cases[i], &cases[i + n]);)
            n++;
        for (size_t j = 0; j < n; j++) {
            if (within_limit(j, n, selection->limit))
                cases[kept++] = cases[i + j];
        }
    }
    last = kept;
    kept = 0;
    for (size_t i = 0; i < last; i++) {
        if (select_shard_of(cases[i].name, selection->shards) == selection->shard)
            cases[kept++] = cases[i];
    }
    *count = kept;
    return STATUS_OK;
}

/* ---- shards ---- */

static bool read_number(const char *text, size_t length, uint32_t *out)
{
    char digits[16];
    char *end;
    unsigned long n;

    if (length == 0 || length >= sizeof digits || text[0] < '0' || text[0] > '9')
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    errno = 0;
    n = strtoul(digits, &end, 10);
    *out = (uint32_t)n;
    return *end == '\0' && errno == 0 && n <= INT32_MAX;
}

static bool read_variable(const char *name, uint32_t *out)
{
    const char *const value = getenv(name);

    return value && read_number(value, strlen(value), out);
}

/* Variables of those who run many processes at once. */
static const struct system_variables {
    const char *index, *count, *first;
} systems[] = {
    { "TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", NULL },
    { "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN" },
    { "JOB_COMPLETION_INDEX", "JOB_COMPLETIONS", NULL },
};

/* The first whose index is set, be it a number or not; NULL: none is. */
static const struct system_variables *find_system(void)
{
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        const char *const value = getenv(systems[i].index);

        if (value && *value)
            return &systems[i];
    }
    return NULL;
}

/* Reads the index, and the count where it is asked for. */
static enum status from_environment(const char *text, uint32_t *index, uint32_t *count,
                                    struct diag *diag)
{
    const struct system_variables *const v = find_system();
    uint32_t first = 0;

    if (!v)
        return diag_fail(diag, STATUS_USAGE,
                         "--shard=%s: the environment has no index (TEST_SHARD_INDEX, "
                         "SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX)",
                         text);
    if (!read_variable(v->index, index))
        return diag_fail(diag, STATUS_USAGE, "--shard=%s: %s=%s: expected a number", text, v->index,
                         getenv(v->index));
    if (count && !read_variable(v->count, count))
        return diag_fail(diag, STATUS_USAGE,
                         "--shard=%s: %s=%s: expected the number of shards; --shard=/N gives it",
                         text, v->count, getenv(v->count) ? getenv(v->count) : "");
    if (v->first && read_variable(v->first, &first))
        *index -= first < *index ? first : *index;
    return STATUS_OK;
}

/* A process of a job array would run a part that nobody asked for, or all of it many times. */
static enum status nobody_asked(struct diag *diag)
{
    const struct system_variables *const v = find_system();

    if (!v)
        return STATUS_OK;
    return diag_fail(diag, STATUS_USAGE,
                     "%s=%s is set, but --shard is not given: --shard=env runs the part of this "
                     "process, --shard=0/1 all cases",
                     v->index, getenv(v->index));
}

static enum status read_shard(const char *text, uint32_t *index, uint32_t *count, struct diag *diag)
{
    const char *const slash = strchr(text, '/');

    if (strcmp(text, "env") == 0)
        return from_environment(text, index, count, diag);
    if (!slash || !read_number(slash + 1, strlen(slash + 1), count) ||
        (slash != text && !read_number(text, (size_t)(slash - text), index)))
        return diag_fail(diag, STATUS_USAGE, "--shard=%s: expected I/N, such as 0/4, or /N, or env",
                         text);
    return slash == text ? from_environment(text, index, NULL, diag) : STATUS_OK;
}

enum status select_shard(struct selection *selection, const char *text, struct diag *diag)
{
    uint32_t index = 0, count = 1;

    if (!text)
        return nobody_asked(diag);
    TRY(read_shard(text, &index, &count, diag));
    if (count == 0 || index >= count)
        return diag_fail(diag, STATUS_USAGE,
                         "--shard=%s: expected an index below the number of shards, found %u of %u",
                         text, index, count);
    selection->shard = index;
    selection->shards = count;
    return STATUS_OK;
}
