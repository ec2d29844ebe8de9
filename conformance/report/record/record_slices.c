#include "conformance/report/record/record_slices.h"

#include "conformance/util/json_parse.h"

#include <jansson.h>
#include <string.h>

/* Where the scan is. */
struct scan {
    const char *at, *end;
};

static bool skip_char(struct scan *s, char c)
{
    bool found = false;

    while (s->at < s->end && (memchr(" \n\t\r", *s->at, 4) || (*s->at == c && !found)))
        found = *s->at++ == c || found;
    return found;
}

/* Parses the value that begins here; NULL: there is none. */
static json_t *load(struct scan *s)
{
    json_error_t error;
    json_t *const value =
        json_parse(s->at, (size_t)(s->end - s->at),
                   JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);

    s->at += value ? error.position : 0;
    return value;
}

/* Goes behind the '[' of the array under the key. */
static bool find_array(struct scan *s, const char *key)
{
    bool found = false, ok = skip_char(s, '{');

    while (ok && !found) {
        json_t *const name = load(s);

        found = json_is_string(name) && strcmp(json_string_value(name), key) == 0;
        json_decref(name);
        ok = name && skip_char(s, ':');
        if (ok && !found) {
            json_t *const value = load(s);

            json_decref(value);
            ok = value && skip_char(s, ',');
        }
    }
    return ok && skip_char(s, '[');
}

/* Goes through the elements behind '['. */
static bool scan_elements(struct scan *s, struct record_slices *slices, struct arena *arena)
{
    do {
        const char *const begin = s->at;
        json_t *const value = load(s);
        const size_t n = slices->count;
        const bool is_object = json_is_object(value);

        json_decref(value);
        if (!is_object)
            return false;
        if ((n & (n - 1)) == 0) { /* room doubles */
            struct record_slice *const more = arena_alloc(arena, n ? 2 * n : 1, sizeof *more);

            if (!more)
                return false;
            if (n > 0)
                memcpy(more, slices->items, n * sizeof *more);
            slices->items = more;
        }
        slices->items[slices->count++] = (struct record_slice){ begin, (size_t)(s->at - begin) };
    } while (skip_char(s, ','));
    return s->at < s->end && *s->at == ']';
}

bool record_slices_find(struct record_slices *s, struct arena *arena, const char *text,
                        size_t bytes, const char *key)
{
    struct scan scan = { text, text + bytes };
    size_t head, tail;

    *s = (struct record_slices){ .items = NULL };
    if (!find_array(&scan, key))
        return false;
    head = (size_t)(scan.at - text);
    if (!scan_elements(&scan, s, arena))
        return false;
    tail = (size_t)(scan.end - scan.at);
    s->rest_bytes = head + tail;
    s->rest = arena_alloc(arena, s->rest_bytes, 1);
    if (!s->rest)
        return false;
    memcpy(s->rest, text, head);
    memcpy(s->rest + head, scan.at, tail);
    return true;
}
