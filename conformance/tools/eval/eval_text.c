/* The report of an evaluation as text, and its rows as CSV. */
#include "conformance/tools/eval/eval_report.h"

#include "conformance/util/output.h"
#include "reference/base/clean.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LEFT_OUT_SHOWN = 10 };

/* ---- the head ---- */

static void print_images(FILE *f, const struct eval_report *r)
{
    size_t shown = 0, hidden = 0;

    if (!r->images) {
        fprintf(f, "images      %zu\n", r->image_count);
        return;
    }
    fprintf(f, "images      %zu of %zu evaluated", eval_images_count(r->images, EVAL_ANSWERED),
            r->images->count);
    for (int s = EVAL_MISSING; s < EVAL_STATES; s++) {
        const size_t n = eval_images_count(r->images, (enum eval_state)s);

        if (s != EVAL_ANSWERED && n > 0)
            fprintf(f, ", %zu %s", n, eval_state_name((enum eval_state)s));
    }
    if (r->outcome.resumed > 0)
        fprintf(f, " (%zu by an earlier run)", r->outcome.resumed);
    fputc('\n', f);
    for (size_t i = 0; i < r->images->count; i++) {
        const struct eval_image *const im = &r->images->items[i];

        if (im->state != EVAL_UNREADABLE && im->state != EVAL_FAILED)
            continue;
        if (shown++ >= LEFT_OUT_SHOWN) {
            hidden++;
            continue;
        }
        fprintf(f, "  %-10s ", eval_state_name(im->state));
        clean_print(f, im->name);
        fputs(": ", f);
        clean_print(f, im->reason);
        fputc('\n', f);
    }
    if (hidden > 0)
        fprintf(f, "  and %zu more; --results=FILE lists all\n", hidden);
}

/* "reference" is the label of the scalar reference as a subject. */
static const char *side_name(const char *label)
{
    return strcmp(label, "reference") == 0 ? "scalar reference" : label;
}

static void print_head(FILE *f, const struct eval_report *r)
{
    const struct eval_outcome *const out = &r->outcome;

    if (r->model) {
        fprintf(f, "model       %s\n", r->model_name);
        if (r->signature)
            fprintf(f, "signature   %s\n", r->signature);
        fprintf(f, "subject     %s%s%s, %llu of %llu nodes\n", side_name(r->subject),
                out->hello.device[0] ? " on " : "", out->hello.device,
                (unsigned long long)out->hello.taken, (unsigned long long)out->hello.nodes);
    } else {
        fprintf(f, "detections  %s\n", r->subject);
    }
    fprintf(f, "reference   %s\n", r->reference ? side_name(r->reference) : "none");
    print_images(f, r);
    if (r->preprocessing)
        fprintf(f, "input       %s\n", r->preprocessing);
    if (r->model && eval_images_count(r->images, EVAL_ANSWERED) > 0) {
        fprintf(f, "inference   %.3f ms mean", eval_images_ms(r->images, EVAL_SUBJECT));
        if (r->reference)
            fprintf(f, ", reference %.3f ms", eval_images_ms(r->images, EVAL_REFERENCE));
        fputc('\n', f);
    }
    for (size_t i = 0; i < r->note_count; i++) {
        fputs("left out    ", f);
        clean_print(f, r->notes[i]);
        fputc('\n', f);
    }
}

/* ---- tables ---- */

static void print_value(FILE *f, double x, int width)
{
    if (isnan(x))
        fprintf(f, " %*s", width, "-");
    else
        fprintf(f, " %*.4f", width, x);
}

static void print_metrics(FILE *f, const struct eval_report *r)
{
    size_t widest = 0;

    for (size_t i = 0; i < r->metric_count; i++)
        widest = strlen(r->metrics[i].name) > widest ? strlen(r->metrics[i].name) : widest;
    fprintf(f, "\n%-*s %8s", (int)widest, "", "subject");
    if (r->reference)
        fprintf(f, " %9s %10s  %s", "reference", "difference", "interval of 95 %");
    fputc('\n', f);
    for (size_t i = 0; i < r->metric_count; i++) {
        const struct eval_metric *const m = &r->metrics[i];

        fprintf(f, "%-*s", (int)widest, m->name);
        print_value(f, m->value[EVAL_SUBJECT], 8);
        if (r->reference) {
            const double difference = m->value[EVAL_SUBJECT] - m->value[EVAL_REFERENCE];

            print_value(f, m->value[EVAL_REFERENCE], 9);
            if (isnan(difference))
                fprintf(f, " %10s", "-");
            else
                fprintf(f, " %+8.2f %%", 100 * difference);
        }
        if (m->has_interval)
            fprintf(f, "  [%+.2f %%, %+.2f %%]", 100 * m->interval.low, 100 * m->interval.high);
        fputc('\n', f);
    }
    if (r->reference)
        fprintf(f, "interval: %s\n", r->interval_method);
}

static void print_agreement(FILE *f, const struct eval_report *r)
{
    const struct interval_pairs *const p = &r->pairs;
    const uint64_t n = p->both + p->first_only + p->second_only + p->neither;

    if (!r->has_pairs)
        return;
    fprintf(f,
            "\nsame best class on %llu of %llu images\n"
            "right: both %llu, subject alone %llu, reference alone %llu, none %llu; McNemar p = "
            "%.3g\n",
            (unsigned long long)r->same, (unsigned long long)n, (unsigned long long)p->both,
            (unsigned long long)p->first_only, (unsigned long long)p->second_only,
            (unsigned long long)p->neither, interval_mcnemar(p));
}

static void print_classes(FILE *f, const struct eval_report *r)
{
    if (r->class_count == 0)
        return;
    fprintf(f, "\n%8s%s  class\n", r->class_metric, r->reference ? " reference" : "");
    for (size_t i = 0; i < r->class_count; i++) {
        print_value(f, r->classes[i].value[EVAL_SUBJECT], 7);
        if (r->reference)
            print_value(f, r->classes[i].value[EVAL_REFERENCE], 9);
        fputs("  ", f);
        clean_print(f, r->classes[i].name);
        fputc('\n', f);
    }
}

void eval_report_text(FILE *f, const struct eval_report *r)
{
    char why[256];

    print_head(f, r);
    print_metrics(f, r);
    print_agreement(f, r);
    print_classes(f, r);
    if (r->hint[0])
        fprintf(f, "\nhint: %s\n", r->hint);
    if (r->outcome.signal)
        fprintf(f, "\ninterrupted: %s: %zu images are missing\n", r->outcome.signal,
                r->outcome.missing);
    eval_report_why(r, why, sizeof why);
    if (why[0])
        fprintf(f, "\nfail: %s\n", why);
    else if (!isnan(r->max_drop))
        fprintf(f, "\npass: %s dropped by at most %g %%\n", r->metrics[0].key, 100 * r->max_drop);
}

/* ---- rows ---- */

/* RFC 4180: a field with a comma, a quote or a line end stands in quotes. */
static void put_field(FILE *f, const json_t *value)
{
    const char *const text = json_string_value(value);

    if (json_is_integer(value))
        fprintf(f, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        fprintf(f, "%.9g", json_real_value(value));
    if (!text)
        return;
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, f);
        return;
    }
    fputc('"', f);
    for (const char *c = text; *c; c++) {
        if (*c == '"')
            fputc('"', f);
        fputc(*c, f);
    }
    fputc('"', f);
}

static void put_csv(FILE *f, json_t *rows)
{
    json_t *const first = json_array_get(rows, 0);
    const char *key;
    json_t *value;
    bool begun = false;

    json_object_foreach(first, key, value)
    {
        fprintf(f, "%s%s", begun ? "," : "", key);
        begun = true;
    }
    fputs("\n", f);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        begun = false;
        json_object_foreach(json_array_get(rows, i), key, value)
        {
            if (begun)
                fputc(',', f);
            put_field(f, value);
            begun = true;
        }
        fputs("\n", f);
    }
}

enum status eval_report_rows(const struct eval_report *r, const char *path, struct diag *diag)
{
    const size_t length = strlen(path);
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);
    enum status s;

    if (!f || !r->rows)
        s = diag_fail(diag, STATUS_NO_MEMORY, "%s: no rows of images", path);
    else if (length >= 4 && strcasecmp(path + length - 4, ".csv") == 0)
        put_csv(f, r->rows), s = STATUS_OK;
    else
        s = json_dumpf(r->rows, f, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0 &&
                    fputc('\n', f) != EOF
                ? STATUS_OK
                : diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
    if (f && fclose(f) != 0 && s == STATUS_OK)
        s = diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
    if (s == STATUS_OK)
        s = output_write_file(path, text, bytes, diag);
    free(text);
    return s;
}
