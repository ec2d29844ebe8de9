#include "conformance/report/record/resume.h"

#include "reference/base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- whether it is the same run ---- */

static enum status same(const char *path, const char *what, const char *there, const char *here,
                        struct diag *diag)
{
    there = there ? there : "";
    here = here ? here : "";
    if (strcmp(there, here) == 0)
        return STATUS_OK;
    return diag_fail(diag, STATUS_USAGE,
                     "%s is of another run: its %s is \"%.120s\", here it is \"%.120s\"", path,
                     what, there, here);
}

static enum status same_number(const char *path, const char *what, uint64_t there, uint64_t here,
                               struct diag *diag)
{
    char a[24], b[24];

    snprintf(a, sizeof a, "%" PRIu64, there);
    snprintf(b, sizeof b, "%" PRIu64, here);
    return same(path, what, a, b, diag);
}

static enum status same_subjects(const char *path, const struct record *old, const struct report *r,
                                 struct diag *diag)
{
    TRY(same_number(path, "number of subjects", old->subject_count, r->subject_count, diag));
    for (size_t i = 0; i < r->subject_count; i++) {
        const struct record_subject *const there = &old->subjects[i];
        const struct subject *const here = &r->subjects[i];
        char what[64], bounds[2 * BOUNDS_TEXT_BYTES];

        snprintf(what, sizeof what, "subject %zu", i);
        TRY(same(path, what, there->label, here->label, diag));
        snprintf(what, sizeof what, "library of subject %zu", i);
        TRY(same(path, what, there->sha256, here->path ? here->sha256 : NULL, diag));
        snprintf(what, sizeof what, "bounds of subject %zu", i);
        TRY(same(path, what, there->bounds, report_bounds(here, bounds), diag));
    }
    return STATUS_OK;
}

static enum status same_run(const char *path, const struct record *old, const struct report *r,
                            struct diag *diag)
{
    const uint32_t shards = r->shards > 1 ? r->shards : 1;

    TRY(same(path, "version", old->run.version, r->run.version, diag));
    TRY(same(path, "commit", old->run.git, r->run.git, diag));
    TRY(same_number(path, "seed", old->run.seed, r->seed, diag));
    TRY(same_number(path, "number of repeats", old->run.repeat, r->run.repeat, diag));
    TRY(same(path, "list of cases", old->run.list_sha256, r->run.list_sha256, diag));
    TRY(same_number(path, "number of shards", old->run.shards > 1 ? old->run.shards : 1, shards,
                    diag));
    if (shards > 1)
        TRY(same_number(path, "shard", old->run.shard, r->shard, diag));
    TRY(same(path, "device", old->device.name, r->device.name, diag));
    TRY(same(path, "driver", old->device.driver, r->device.driver, diag));
    return same_subjects(path, old, r, diag);
}

/* ---- results ---- */

/* A figure that JSON cannot hold was an infinity, or a NaN, which reports show alike. */
static double figure(double v)
{
    return isnan(v) ? INFINITY : v;
}

/* What waivers make of a result follows from the waivers of this run. */
static enum case_status before_waivers(enum case_status status)
{
    return status == CASE_WAIVED ? CASE_FAIL : status == CASE_UNEXPECTED_PASS ? CASE_PASS : status;
}

#define COPY(field, text) snprintf(field, sizeof field, "%s", (text) ? (text) : "")

static void take_failure(struct case_result *out, const struct record_result *in)
{
    for (int set = 0; in->set && set < SET_COUNT; set++) {
        if (strcmp(data_set_name((enum data_set)set), in->set) == 0) {
            out->has_set = true;
            out->set = (enum data_set)set;
        }
    }
    out->frame = in->frame;
    out->output = in->output;
    out->has_element = in->where != NULL;
    COPY(out->where, in->where);
    out->nth_node = in->nth_node;
    COPY(out->equals, in->equals);
    out->got = in->got;
    out->want = in->want;
    out->error = in->error;
    out->limit = in->limit;
    if (!in->worst.where)
        return;
    out->worst.ratio = figure(in->worst.ratio);
    COPY(out->worst.where, in->worst.where);
    out->worst.got = in->worst.got;
    out->worst.want = in->worst.want;
    out->worst.error = in->worst.error;
    out->worst.limit = in->worst.limit;
}

static void take_result(struct case_result *out, const struct record_result *in,
                        const struct record_case *c)
{
    *out = (struct case_result){ .status = before_waivers(in->status),
                                 .max_abs = figure(in->max_abs),
                                 .max_ulp = figure(in->max_ulp),
                                 .margin = figure(in->margin),
                                 .bias = in->bias,
                                 .integers = in->integers,
                                 .unequal = in->unequal,
                                 .not_judged = in->not_judged,
                                 .designs = in->design ? design_bit(in->design) : 0,
                                 .ms = in->ms,
                                 .bytes = in->bytes,
                                 .nodes = c->nodes,
                                 .taken = in->taken,
                                 .habits = in->checked,
                                 .left_out = in->left_out,
                                 .refused = in->refused,
                                 .elements = in->elements,
                                 .channels = in->channels };
    if (out->status != CASE_PASS)
        COPY(out->reason, in->what ? in->what : in->reason);
    COPY(out->by_element, in->by_element);
    COPY(out->by_channel, in->by_channel);
    COPY(out->inputs, c->inputs);
    COPY(out->classes, c->classes);
    take_failure(out, in);
    out->repeat =
        (struct repeat_counts){ in->repeats.asked, in->repeats.runs, in->repeats.wrong, "" };
    COPY(out->repeat.cut, in->repeats.cut);
}

/* The report lacks the cases that no subject runs, and may have them in another order.  places[i]
 * is where its case i stands in the list of this run; SIZE_MAX: nowhere. */
static void find_cases(const struct record *old, const struct report *r, size_t *places)
{
    for (size_t i = 0; i < old->case_count; i++)
        places[i] = SIZE_MAX;
    for (size_t i = 0; i < r->case_count; i++) {
        const size_t at = record_find_case(old, r->cases[i].name);

        if (at != SIZE_MAX)
            places[at] = i;
    }
}

static enum status take_results(const char *path, const struct record *old, const struct report *r,
                                struct case_result *results, struct diag *diag)
{
    size_t *const places = mem_alloc(old->case_count, sizeof *places);
    enum status s = STATUS_OK;

    if (!places)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
    find_cases(old, r, places);
    for (size_t i = 0; i < r->subject_count * r->case_count; i++)
        results[i].absent = true;
    for (size_t i = 0; i < old->result_count && s == STATUS_OK; i++) {
        const struct record_result *const in = &old->results[i];
        const size_t at = places[in->test_case];

        if (at == SIZE_MAX)
            s = diag_fail(diag, STATUS_INVALID, "%s: case \"%.100s\" is not in the list", path,
                          old->cases[in->test_case].name);
        else
            take_result(&results[in->subject * r->case_count + at], in, &old->cases[in->test_case]);
    }
    mem_free(places);
    return s;
}

enum status resume_from_report(const char *path, const struct report *r,
                               struct case_result **results, double *seconds, struct diag *diag)
{
    const size_t count = r->subject_count * r->case_count;
    struct record old;
    enum status s;

    *results = NULL;
    TRY(record_read(&old, path, diag));
    s = same_run(path, &old, r, diag);
    if (s == STATUS_OK && !old.run.interrupted)
        s = diag_fail(diag, STATUS_USAGE, "--resume=%s: the run was complete", path);
    if (s == STATUS_OK) {
        *results = mem_alloc(count, sizeof **results);
        s = *results ? take_results(path, &old, r, *results, diag)
                     : diag_fail(diag, STATUS_NO_MEMORY, "%zu results: out of memory", count);
    }
    *seconds = isfinite(old.run.seconds) ? old.run.seconds : 0;
    record_close(&old);
    if (s == STATUS_OK)
        return s;
    mem_free(*results);
    *results = NULL;
    return s;
}
