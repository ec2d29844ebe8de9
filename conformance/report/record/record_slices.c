#include "conformance/report/record/record_slices.h"

#include <stdint.h>
#include <string.h>

/* Where the scan is. */
struct scan {
    const char *at, *end;
};

static char peek(const struct scan *s)
{
    return s->at < s->end ? *s->at : '\0';
}

static void skip_blanks(struct scan *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r'))
        s->at++;
}

static bool skip_char(struct scan *s, char c)
{
    skip_blanks(s);
    if (peek(s) != c)
        return false;
    s->at++;
    skip_blanks(s);
    return true;
}

/* Skips a string, all of the text where it does not end. */
static void skip_string(struct scan *s)
{
    bool escaped = false;

    for (s->at++; s->at < s->end; s->at++) {
        if (!escaped && *s->at == '"') {
            s->at++;
            return;
        }
        escaped = !escaped && *s->at == '\\';
    }
}

/* Skips a value up to the comma or bracket that follows it, all of the text where none does. */
static void skip_value(struct scan *s)
{
    size_t depth = 0;

    while (s->at < s->end) {
        const char c = *s->at;

        if (c == '"') {
            skip_string(s);
            continue;
        }
        if (depth == 0 && (c == ',' || c == ']' || c == '}'))
            return;
        depth += c == '[' || c == '{';
        depth -= c == ']' || c == '}';
        s->at++;
    }
}

/* Goes through the elements behind '['; the first time items is NULL, and they are counted. */
static bool scan_elements(struct scan *s, struct record_slice *items, size_t *count)
{
    *count = 0;
    do {
        const char *const begin = s->at;

        if (peek(s) != '{')
            return false;
        skip_value(s);
        if (items)
            items[*count] = (struct record_slice){ begin, (size_t)(s->at - begin), 0 };
        ++*count;
    } while (skip_char(s, ','));
    return peek(s) == ']';
}

/* Goes behind the '[' of the array under the key. */
static bool find_array(struct scan *s, const char *key)
{
    const size_t length = strlen(key);

    if (!skip_char(s, '{'))
        return false;
    do {
        const char *const begin = s->at + 1;
        bool found;

        if (peek(s) != '"')
            return false;
        skip_string(s);
        found = (size_t)(s->at - begin) == length + 1 && memcmp(begin, key, length) == 0;
        if (!skip_char(s, ':'))
            return false;
        if (found)
            return skip_char(s, '[');
        skip_value(s);
    } while (skip_char(s, ','));
    return false;
}

static size_t count_lines(const char *text, const char *end)
{
    size_t lines = 0;

    while ((text = memchr(text, '\n', (size_t)(end - text))) != NULL) {
        lines++;
        text++;
    }
    return lines;
}

/* Copies what stands before and behind the elements, with their line feeds between. */
static bool copy_rest(struct record_slices *s, struct arena *arena, const char *text,
                      const char *begin, const char *behind, const char *end)
{
    const size_t lines = count_lines(begin, behind);
    const size_t head = (size_t)(begin - text), tail = (size_t)(end - behind);

    s->rest_bytes = head + lines + tail;
    s->rest = arena_alloc(arena, s->rest_bytes, 1);
    if (!s->rest)
        return false;
    memcpy(s->rest, text, head);
    memset(s->rest + head, '\n', lines);
    memcpy(s->rest + head + lines, behind, tail);
    return true;
}

static void number_lines(struct record_slices *s, const char *text)
{
    const char *before = text;
    size_t line = 0;

    for (size_t i = 0; i < s->count; i++) {
        line += count_lines(before, s->items[i].text);
        before = s->items[i].text;
        s->items[i].line = line;
    }
}

bool record_slices_find(struct record_slices *s, struct arena *arena, const char *text,
                        size_t bytes, const char *key)
{
    struct scan scan = { text, text + bytes };
    const char *begin;

    *s = (struct record_slices){ .items = NULL };
    if (!find_array(&scan, key))
        return false;
    begin = scan.at;
    if (!scan_elements(&scan, NULL, &s->count))
        return false;
    s->items = arena_alloc(arena, s->count, sizeof *s->items);
    if (!s->items || !copy_rest(s, arena, text, begin, scan.at, text + bytes))
        return false;
    scan.at = begin;
    scan_elements(&scan, s->items, &s->count);
    number_lines(s, text);
    return true;
}
