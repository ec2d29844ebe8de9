/* Counts what jansson allocates. */
#include "conformance/util/json_parse.h"

#include "conformance/util/parser_limits.h"

#include <limits.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Of this thread, while it parses: bytes that it may still take.  LLONG_MAX: any number. */
static _Thread_local long long left = LLONG_MAX;
static _Thread_local bool refused, missing; /* by the limit; by malloc */
static atomic_bool failed;                  /* a value that is no part of a text was not made */

static void *take(size_t bytes)
{
    const bool allowed = left == LLONG_MAX || (left >= 0 && bytes <= (unsigned long long)left);
    void *const memory = allowed ? malloc(bytes) : NULL;

    if (left == LLONG_MAX && !memory)
        atomic_store(&failed, true);
    if (left != LLONG_MAX) {
        if (memory)
            left -= (long long)malloc_usable_size(memory);
        else if (allowed)
            missing = true;
        else
            refused = true;
    }
    return memory;
}

static void give(void *memory)
{
    if (left != LLONG_MAX && memory)
        left += (long long)malloc_usable_size(memory);
    free(memory);
}

void json_watch_memory(void)
{
    json_set_alloc_funcs(take, give);
}

bool json_memory_failed(void)
{
    return atomic_load(&failed);
}

/* In malloc's own memory, so that what jansson had before, and what callers free, is no exception.
 */
json_t *json_parse(const char *text, size_t bytes, size_t flags, json_error_t *error)
{
    const long long most =
        ((long long)PARSER_JSON_VALUES_MIB << 20) + (long long)bytes * PARSER_JSON_VALUES_FACTOR;
    json_error_t own;
    json_t *root;

    if (!error)
        error = &own;
    json_set_alloc_funcs(take, give);
    left = most;
    refused = missing = false;
    root = json_loadb(text, bytes, flags, error);
    left = LLONG_MAX;
    if (!root && refused)
        snprintf(error->text, sizeof error->text, "its values need more than %lld MiB of memory",
                 most >> 20);
    else if (!root && missing)
        snprintf(error->text, sizeof error->text, "no memory for its values");
    return root;
}
