#include "conformance/report/record/how.h"

#include "conformance/suite/judge/profile.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The results that are looked at. */
struct failures {
    const struct record *record;
    const size_t *results;
    size_t count;
};

static const struct record_result *at(const struct failures *f, size_t i)
{
    return &f->record->results[f->results[i]];
}

static bool all(const struct failures *f, bool has(const struct record_result *r))
{
    for (size_t i = 0; i < f->count; i++)
        if (!has(at(f, i)))
            return false;
    return true;
}

static void add(char text[HOW_BYTES], const char *format, ...) PRINTF_LIKE(2, 3);
static void add(char text[HOW_BYTES], const char *format, ...)
{
    const size_t used = strlen(text), comma = used > 0 && used + 2 < HOW_BYTES ? 2 : 0;
    va_list args;

    memcpy(text + used, "; ", comma + 1);
    text[used + comma] = '\0';
    va_start(args, format);
    vsnprintf(text + used + comma, HOW_BYTES - used - comma, format, args);
    va_end(args);
}

static bool is_in_frame_b(const struct record_result *r)
{
    return r->frame == 'B';
}

static bool is_intermittent(const struct record_result *r)
{
    return r->repeats.asked > 0 && r->repeats.wrong > 0 && r->repeats.wrong < r->repeats.runs;
}

static bool is_after_resize(const struct record_result *r)
{
    const char *const why = r->what ? r->what : r->reason;

    return why && (strstr(why, "resize") || strstr(why, "sizes"));
}

static bool is_nan_of_lowest(const struct record_result *r)
{
    return r->where && isnan(r->got) && isinf(r->want) && r->want < 0;
}

/* ---- values ---- */

/* The same text for all, where `equals` says it. */
static const char *common_look(const struct failures *f)
{
    const char *const look = at(f, 0)->equals;

    for (size_t i = 0; i < f->count && look; i++)
        if (!at(f, i)->equals || strcmp(at(f, i)->equals, look) != 0)
            return NULL;
    return look;
}

/* The first wrong element is the same number in all, wherever it ought to be another one each
 * time. */
static bool is_one_number(const struct failures *f, double *number)
{
    bool varies = false;

    *number = at(f, 0)->got;
    for (size_t i = 0; i < f->count; i++) {
        const struct record_result *const r = at(f, i);

        if (!r->where || !(r->got == *number))
            return false;
        varies = varies || r->want != at(f, 0)->want;
    }
    return varies;
}

/* ---- places ---- */

/* The first run of a profile that is beyond the limit; -1: none is, or runs are of several. */
static int first_wrong(const char *profile, size_t count)
{
    if (!profile || count < 2 || count > PROFILE_BINS)
        return -1;
    for (int i = 0; profile[i]; i++)
        if (profile_ratio(profile[i]) > 1)
            return i;
    return -1;
}

static bool is_in_last_slice(const struct record_result *r)
{
    const int first = first_wrong(r->by_channel, r->channels);

    return first >= 0 && r->channels > 4 && first >= (int)(r->channels - 1) / 4 * 4;
}

/* The least channel that is wrong in any of them. */
static int least_channel(const struct failures *f)
{
    int least = PROFILE_BINS;

    for (size_t i = 0; i < f->count; i++) {
        const int first = first_wrong(at(f, i)->by_channel, at(f, i)->channels);

        if (first < 0)
            return 0;
        least = first < least ? first : least;
    }
    return least;
}

/* The row of the first wrong element of an image: "n 0 h 3 w 0 c 1" is 3. */
static int least_row(const struct failures *f)
{
    int least = INT32_MAX;

    for (size_t i = 0; i < f->count; i++) {
        int row;

        if (!at(f, i)->where || sscanf(at(f, i)->where, "n 0 h %d", &row) != 1)
            return 0;
        least = row < least ? row : least;
    }
    return least;
}

static void add_places(const struct failures *f, char text[HOW_BYTES])
{
    const int channel = least_channel(f), row = least_row(f);

    if (all(f, is_in_last_slice))
        add(text, "only the last slice of 4 channels is wrong");
    else if (channel > 0)
        add(text, "only channels over %d are wrong", channel - 1);
    if (row > 0)
        add(text, "only rows over %d are wrong", row - 1);
}

bool how_is_telling(const struct record *r, const size_t *results, size_t count)
{
    const struct failures f = { r, results, count };

    return count >= HOW_LEAST && (all(&f, is_in_frame_b) || all(&f, is_intermittent) ||
                                  all(&f, is_after_resize) || common_look(&f));
}

void how_text(const struct record *r, const size_t *results, size_t count, char text[HOW_BYTES])
{
    const struct failures f = { r, results, count };
    const char *look;
    double number;

    text[0] = '\0';
    if (count < HOW_LEAST)
        return;
    if (all(&f, is_intermittent))
        add(text, "in a part of its runs");
    if (all(&f, is_after_resize))
        add(text, "only after a resize");
    if (all(&f, is_in_frame_b))
        add(text, "right in frame A, wrong in frame B");
    if ((look = common_look(&f)) != NULL)
        add(text, "equals %s", look);
    else if (all(&f, is_nan_of_lowest))
        add(text, "NaN where -inf is expected");
    else if (is_one_number(&f, &number))
        add(text, "%.9g where other values are expected", number);
    add_places(&f, text);
}
