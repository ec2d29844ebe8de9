#include "conformance/report/record/match.h"

#include "conformance/report/record/compare.h"

#include <stdint.h>
#include <string.h>

/* The kind of a subject is the word before the colon of its spec. */
static bool same_kind(const char *a, const char *b)
{
    const size_t n = a ? strcspn(a, ":?") : 0;

    return !a || !b || (strcspn(b, ":?") == n && strncmp(a, b, n) == 0);
}

static const char *find_option(const struct record_subject *s, const char *key)
{
    for (size_t i = 0; i < s->option_count; i++) {
        if (strcmp(s->options[i].key, key) == 0)
            return s->options[i].value;
    }
    return NULL;
}

static bool same_options(const struct record_subject *a, const struct record_subject *b)
{
    if (a->option_count != b->option_count)
        return false;
    for (size_t i = 0; i < a->option_count; i++) {
        const char *const value = find_option(b, a->options[i].key);

        if (!value || strcmp(value, a->options[i].value) != 0)
            return false;
    }
    return true;
}

size_t record_match_subject(const struct record *r, const struct record_subject *s)
{
    size_t best = SIZE_MAX;
    int best_score = -1;

    for (size_t i = 0; i < r->subject_count; i++) {
        const struct record_subject *const other = &r->subjects[i];
        const int score = 4 * subject_key_equal(other, s) + 2 * same_text(other->label, s->label) +
                          same_text(other->bounds, s->bounds);

        if (same_kind(other->spec, s->spec) && !other->path == !s->path && same_options(other, s) &&
            score > best_score) {
            best = i;
            best_score = score;
        }
    }
    return best;
}

bool record_device_is_same(const struct record_device *a, const struct record_device *b)
{
    return same_text(a->name, b->name) && same_text(a->driver, b->driver);
}

bool record_margin_grew(double then, double now)
{
    const struct compare_limits limits = compare_limits_default();

    /* False for NaN, which was not measured. */
    return now - then > limits.margin_floor && now > then * (1 + limits.margin_growth);
}

/* ---- one subject: a build is in a folder of its own, so folders of libraries say nothing ---- */

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

bool subject_key_equal(const struct record_subject *a, const struct record_subject *b)
{
    if (a->spec && b->spec &&
        (!part_equal(kind_of(a), kind_of(b)) || !part_equal(target_of(a), target_of(b))))
        return false;
    return part_equal(library_of(a), library_of(b)) && same_options(a, b);
}

/* Load makes inferences slower and never faster, so the fastest of several runs is the best
 * estimate of what a case takes on an idle machine. */
static bool has_time(const struct record_result *r)
{
    return r && r->status == CASE_PASS && r->ms > 0;
}

static size_t take(struct record *r, size_t subject, const struct record *more, size_t other)
{
    size_t found = 0;

    for (size_t i = 0; i < r->result_count; i++) {
        struct record_result *const mine = &r->results[i];
        const struct record_result *theirs;
        size_t at;

        if (mine->subject != subject || !has_time(mine))
            continue;
        at = record_find_case(more, r->cases[mine->test_case].name);
        theirs = at == SIZE_MAX ? NULL : record_find(more, other, at);
        if (!has_time(theirs))
            continue;
        mine->ms = theirs->ms < mine->ms ? theirs->ms : mine->ms;
        found++;
    }
    return found;
}

enum status record_take_fastest(struct record *r, const struct record *more, struct diag *diag)
{
    size_t found = 0;

    if (r->run.seed != more->run.seed)
        return diag_fail(diag, STATUS_USAGE, "expected the seed %llu, found %llu",
                         (unsigned long long)r->run.seed, (unsigned long long)more->run.seed);
    for (size_t s = 0; s < r->subject_count; s++) {
        for (size_t o = 0; o < more->subject_count; o++) {
            if (subject_key_equal(&r->subjects[s], &more->subjects[o])) {
                found += take(r, s, more, o);
                break;
            }
        }
    }
    if (found == 0)
        return diag_fail(diag, STATUS_USAGE,
                         "no case passes on a subject of the same library and options");
    return STATUS_OK;
}
