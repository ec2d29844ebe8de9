#include "delegate/graph/reasons.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_CAPACITY = 64, TEXT_BYTES = 256 };

/* Room for one more; false: out of memory. */
static bool grow(struct reasons *r)
{
    const int capacity = r->capacity > 0 ? 2 * r->capacity : FIRST_CAPACITY;
    struct reason *list;

    if (r->count < r->capacity)
        return true;
    if (!(list = ARENA_NEW(&r->arena, (size_t)capacity, struct reason)))
        return false;
    if (r->count > 0)
        memcpy(list, r->list, (size_t)r->count * sizeof *list);
    r->list = list;
    r->capacity = capacity;
    return true;
}

bool reasons_add_list(const struct reason_of *of, const char *format, va_list args)
{
    struct reasons *const r = of->reasons;
    struct reason reason = of->about;
    char text[TEXT_BYTES];

    if (!r)
        return false;
    vsnprintf(text, sizeof text, format, args);
    reason.text = arena_string(&r->arena, text);
    reason.op = arena_string(&r->arena, reason.op);
    if (reason.text && reason.op && grow(r))
        r->list[r->count++] = reason;
    else
        r->incomplete = true;
    return false;
}

bool reasons_add(const struct reason_of *of, const char *format, ...)
{
    va_list args;

    if (!of->reasons)
        return false;
    va_start(args, format);
    reasons_add_list(of, format, args);
    va_end(args);
    return false;
}

void reasons_clear(struct reasons *r)
{
    r->count = 0;
}

void reasons_close(struct reasons *r)
{
    arena_close(&r->arena);
    *r = (struct reasons){ .count = 0 };
}
