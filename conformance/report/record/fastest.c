/* Load makes inferences slower and never faster, so the fastest of several runs is the best
 * estimate of what a case takes on an idle machine. */
#include "conformance/report/record/fastest.h"

#include "conformance/report/record/subject_key.h"

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
