/* Prints the results of the digit models. */
#include "conformance/models/digits_report.h"

#include "conformance/util/json_text.h"

#include <math.h>
#include <string.h>

/* A subject's label for a narrow column: its options, else the file's name. */
static const char *short_label(const struct digits_score *s, const struct subject *subjects)
{
    const char *label, *space;

    if (s->subject == DIGITS_REFERENCE)
        return "reference";
    label = subjects[s->subject].label;
    space = strchr(label, ' ');
    return space ? space + 1 : label;
}

static void print_score(FILE *f, const struct digits_score *s, const char *label)
{
    fprintf(f, "%-14s %-20.20s ", s->model, label);
    if (s->images)
        fprintf(f, "%6.4f ", (double)s->right / (double)s->images);
    else
        fprintf(f, "%6s ", "-");
    if (s->compared)
        fprintf(f, "%4zu %4zu %5.1f %7.1e ", s->same, s->differ, s->snr_db, s->max_abs);
    else
        fprintf(f, "%4s %4s %5s %7s ", "-", "-", "-", "-");
    if (s->subject == DIGITS_REFERENCE)
        fprintf(f, "%5s ", "-");
    else
        fprintf(f, "%2zu/%-2zu ", s->taken, s->nodes);
    fprintf(f, "%s%s%s\n", case_status_name(s->status), s->reason[0] ? ": " : "", s->reason);
}

void digits_print(FILE *f, const struct digits_report *r, const struct subject *subjects)
{
    if (r->skipped[0]) {
        fprintf(f, "models: skipped: %s\n", r->skipped);
        return;
    }
    if (r->count == 0)
        return;
    fprintf(f, "%-14s %-20s %-6s %4s %4s %5s %7s %5s %s\n", "model", "run by", "top-1", "same",
            "diff", "dB", "error", "taken", "status");
    for (size_t i = 0; i < r->count; i++)
        print_score(f, &r->scores[i], short_label(&r->scores[i], subjects));
}

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *digits_json(const struct digits_report *r)
{
    json_t *const list = json_array();

    for (size_t i = 0; i < r->count; i++) {
        const struct digits_score *const s = &r->scores[i];
        const bool compared = s->compared;
        json_t *const o = json_object();

        json_object_set_new(o, "model", json_string(s->model));
        json_object_set_new(
            o, "subject", s->subject == DIGITS_REFERENCE ? json_null() : json_integer(s->subject));
        json_object_set_new(o, "status", json_string(case_status_name(s->status)));
        json_object_set_new(o, "reason", json_text(s->reason[0] ? s->reason : NULL));
        json_object_set_new(o, "images", json_integer((json_int_t)s->images));
        json_object_set_new(
            o, "top1", s->images ? json_real((double)s->right / (double)s->images) : json_null());
        json_object_set_new(o, "same", compared ? json_integer((json_int_t)s->same) : json_null());
        json_object_set_new(o, "differ",
                            compared ? json_integer((json_int_t)s->differ) : json_null());
        json_object_set_new(o, "wrong",
                            compared ? json_integer((json_int_t)s->wrong) : json_null());
        json_object_set_new(o, "snr_db", compared ? number(s->snr_db) : json_null());
        json_object_set_new(o, "max_abs", compared ? number(s->max_abs) : json_null());
        json_object_set_new(o, "mean_steps", compared ? number(s->mean_steps) : json_null());
        json_object_set_new(o, "nodes", json_integer((json_int_t)s->nodes));
        json_object_set_new(o, "taken", json_integer((json_int_t)s->taken));
        json_object_set_new(o, "partitions", json_integer(s->partitions));
        json_array_append_new(list, o);
    }
    return list;
}
