/* Describes reports, and checks what they claim. */
#include "conformance/report/record/statement.h"

#include "conformance/util/date.h"
#include "conformance/util/json_text.h"
#include "conformance/util/sha256.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- describing ---- */

static json_t *totals_json(const struct record_totals *t)
{
    json_t *const o = json_object();

    for (int i = 0; o && i < CASE_STATUS_COUNT; i++)
        json_object_set_new(o, case_status_name((enum case_status)i),
                            json_integer((json_int_t)t->count[i]));
    return o;
}

static json_t *subject_json(const struct record *r, size_t index)
{
    const struct record_subject *const s = &r->subjects[index];
    const struct record_device *const d = s->device.name ? &s->device : &r->device;
    struct record_totals t = { .worst = SIZE_MAX };

    for (size_t i = 0; i < r->result_count; i++) {
        if (r->results[i].subject == index)
            record_totals_add(&t, r, i);
    }
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "spec", json_text(s->spec), "label",
                     json_text(s->label), "path", json_text(s->path), "sha256",
                     json_text(s->sha256), "bounds", json_text(s->bounds), "device",
                     json_text(d->name), "driver", json_text(d->driver), "api", json_text(d->api),
                     "totals", totals_json(&t));
}

json_t *statement_describe(const struct record *r, const char *file)
{
    const struct record_totals totals = record_totals(r);
    json_t *const subjects = json_array();

    for (size_t i = 0; subjects && i < r->subject_count; i++)
        json_array_append_new(subjects, subject_json(r, i));
    return json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:I,s:I,s:o,s:s,s:o,s:I,s:o}", "file", file, "assay",
                     json_text(r->run.version), "git", json_text(r->run.git), "command",
                     json_text(r->run.command), "started", json_text(r->run.started), "host",
                     json_text(r->run.host), "seed", (json_int_t)r->run.seed, "cases",
                     (json_int_t)r->run.list_count, "cases_sha256", json_text(r->run.list_sha256),
                     "verdict", record_failed(r) ? "fail" : "pass", "totals", totals_json(&totals),
                     "failures", (json_int_t)totals.bad, "subjects", subjects);
}

/* ---- checks ---- */

enum status statement_check_whole(const struct record *r, struct diag *diag)
{
    if (r->run.interrupted)
        return diag_fail(diag, STATUS_USAGE, "its run was ended by %s: %zu results are missing",
                         r->run.interrupted, r->missing_count);
    if (r->missing_count > 0)
        return diag_fail(diag, STATUS_USAGE, "%zu results are missing", r->missing_count);
    if (r->run.shards > 1)
        return diag_fail(diag, STATUS_USAGE,
                         "it is of a part of %u shards: `assay report merge` joins them",
                         (unsigned)r->run.shards);
    if (!r->run.list_sha256)
        return diag_fail(diag, STATUS_USAGE,
                         "it has no hash of its list of cases: an older Assay wrote it");
    return r->result_count > 0 ? STATUS_OK : diag_fail(diag, STATUS_USAGE, "it has no results");
}

/* Waivers are held against the day of the run. */
static struct date day_of(const struct record *r)
{
    struct date day = { .year = 0 };
    char text[DATE_TEXT_BYTES];

    snprintf(text, sizeof text, "%.10s", r->run.started ? r->run.started : "");
    return date_read(text, &day) ? day : date_today();
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static bool is_explained(const struct record *r, const struct record_result *result,
                         const struct waivers *w, struct date day)
{
    const struct record_subject *const s = &r->subjects[result->subject];
    const struct record_device *const d = s->device.name ? &s->device : &r->device;
    const struct waiver_target target = {
        .test_case = r->cases[result->test_case].name,
        .label = or_empty(s->label),
        .bounds = or_empty(s->bounds),
        .device = or_empty(d->name),
        .driver = or_empty(d->driver),
    };
    const struct waiver *const row = waivers_find(w, &target, day);

    return row && !waiver_is_expired(row, day) &&
           (!result->waiver || strcmp(result->waiver, row->cause) == 0);
}

size_t statement_check_waivers(const struct record *r, const char *file, const struct waivers *w,
                               struct notes *notes)
{
    const struct date day = day_of(r);
    size_t bad = 0;

    for (size_t i = 0; i < r->result_count; i++) {
        const struct record_result *const result = &r->results[i];

        if (result->status != CASE_WAIVED || (w && is_explained(r, result, w, day)))
            continue;
        if (++bad <= 10)
            notes_add(notes, "%s: %s on %s is waived, and no waiver of that cause speaks of it%s",
                      file, r->cases[result->test_case].name,
                      or_empty(r->subjects[result->subject].label),
                      w ? "" : ": there is no file of waivers");
    }
    if (bad > 10)
        notes_add(notes, "%s: %zu more waived results have no waiver", file, bad - 10);
    return bad;
}

bool statement_list_fits(const struct record *r, const void *text, size_t bytes)
{
    char hex[SHA256_HEX_BYTES];

    sha256_hex(text, bytes, hex);
    return r->run.list_sha256 && strcmp(hex, r->run.list_sha256) == 0;
}
