#include "conformance/report/record/match.h"

#include "conformance/report/record/compare.h"
#include "conformance/report/record/subject_key.h"

#include <stdint.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

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
