/* A build is in a folder of its own, so folders of libraries say nothing. */
#include "conformance/report/record/subject_key.h"

#include <string.h>

/* A piece of a longer text. */
struct part {
    const char *at;
    size_t length;
};

static bool part_equal(struct part a, struct part b)
{
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

static struct part file_name(const char *path, size_t length)
{
    size_t first = length;

    while (first > 0 && path[first - 1] != '/')
        first--;
    return (struct part){ path + first, length - first };
}

/* "delegate:/opt/libx.so?precision=fp16" to "delegate"; what has no kind gives "". */
static struct part kind_of(const struct record_subject *s)
{
    const size_t length = s->spec ? strcspn(s->spec, "?") : 0;
    const char *const colon = length ? memchr(s->spec, ':', length) : NULL;

    if (!s->spec)
        return (struct part){ "", 0 };
    return (struct part){ s->spec, colon ? (size_t)(colon - s->spec) : length };
}

/* ... to "libx.so"; "litert:gpu" to "gpu". */
static struct part target_of(const struct record_subject *s)
{
    const size_t length = s->spec ? strcspn(s->spec, "?") : 0;
    const struct part kind = kind_of(s);

    if (s->spec && kind.length < length)
        return file_name(s->spec + kind.length + 1, length - kind.length - 1);
    return (struct part){ "", 0 };
}

static struct part library_of(const struct record_subject *s)
{
    return s->path ? file_name(s->path, strlen(s->path)) : (struct part){ "", 0 };
}

static const char *find_option(const struct record_subject *s, const char *key)
{
    for (size_t i = 0; i < s->option_count; i++) {
        if (strcmp(s->options[i].key, key) == 0)
            return s->options[i].value;
    }
    return NULL;
}

bool subject_key_equal(const struct record_subject *a, const struct record_subject *b)
{
    if (a->spec && b->spec &&
        (!part_equal(kind_of(a), kind_of(b)) || !part_equal(target_of(a), target_of(b))))
        return false;
    if (!part_equal(library_of(a), library_of(b)) || a->option_count != b->option_count)
        return false;
    for (size_t i = 0; i < a->option_count; i++) {
        const char *const value = find_option(b, a->options[i].key);

        if (!value || strcmp(value, a->options[i].value) != 0)
            return false;
    }
    return true;
}
