#include "conformance/tools/eval/eval_report.h"

#include "conformance/util/json_text.h"

#include <math.h>
#include <stdarg.h>

void eval_report_note(struct eval_report *r, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (r->note_count < EVAL_NOTES_MAX && (r->notes[r->note_count] = arena_string(&r->arena, text)))
        r->note_count++;
}

struct eval_metric *eval_report_metric(struct eval_report *r, const char *name, const char *key,
                                       double subject, double reference)
{
    struct eval_metric *const m = &r->metrics[r->metric_count++];

    *m = (struct eval_metric){ .name = name, .key = key, .value = { subject, reference } };
    return m;
}

static size_t count(const struct eval_report *r, enum eval_state state)
{
    return r->images ? eval_images_count(r->images, state)
                     : (state == EVAL_ANSWERED ? r->image_count : 0);
}

void eval_report_why(const struct eval_report *r, char *text, size_t bytes)
{
    const struct eval_metric *const m = &r->metrics[0];
    const double drop = r->metric_count ? m->value[EVAL_REFERENCE] - m->value[EVAL_SUBJECT] : NAN;
    const size_t failed = count(r, EVAL_FAILED);

    text[0] = '\0';
    if (failed > 0)
        snprintf(text, bytes, "%zu images failed", failed);
    else if (count(r, EVAL_ANSWERED) == 0)
        snprintf(text, bytes, "no image was evaluated");
    else if (r->outcome.missing > 0)
        snprintf(text, bytes, "%zu images are missing", r->outcome.missing);
    else if (!isnan(r->max_drop) && isnan(drop))
        snprintf(text, bytes, "the drop is not defined, expected at most %g %%", 100 * r->max_drop);
    else if (!isnan(r->max_drop) && drop > r->max_drop + 1e-12)
        snprintf(text, bytes, "%s dropped by %.4g %%, expected at most %g %%", m->key, 100 * drop,
                 100 * r->max_drop);
}

bool eval_report_failed(const struct eval_report *r)
{
    char text[256];

    eval_report_why(r, text, sizeof text);
    return text[0] != '\0';
}

json_t *eval_row(const struct eval_image *image)
{
    json_t *const row = json_object();

    json_object_set_new(row, "image", json_text(image->name));
    json_object_set_new(row, "state", json_string(eval_state_name(image->state)));
    json_object_set_new(row, "reason", json_text(image->reason));
    return row;
}

void eval_report_close(struct eval_report *r)
{
    json_decref(r->rows);
    arena_close(&r->arena);
    *r = (struct eval_report){ .rows = NULL };
}

/* ---- JSON ---- */

static json_t *sides(const struct eval_report *r, const double value[EVAL_SIDES])
{
    json_t *const o = json_object();

    json_object_set_new(o, "subject", json_number(value[EVAL_SUBJECT]));
    if (r->reference)
        json_object_set_new(o, "reference", json_number(value[EVAL_REFERENCE]));
    return o;
}

static json_t *metrics(const struct eval_report *r)
{
    json_t *const o = json_object();

    for (size_t i = 0; i < r->metric_count; i++) {
        const struct eval_metric *const m = &r->metrics[i];
        json_t *const one = sides(r, m->value);

        if (r->reference)
            json_object_set_new(one, "difference",
                                json_number(m->value[EVAL_SUBJECT] - m->value[EVAL_REFERENCE]));
        if (m->has_interval)
            json_object_set_new(one, "interval",
                                json_pack("[f,f]", m->interval.low, m->interval.high));
        json_object_set_new(o, m->key, one);
    }
    return o;
}

static json_t *classes(const struct eval_report *r)
{
    json_t *const list = json_array();

    for (size_t i = 0; i < r->class_count; i++) {
        json_t *const one = sides(r, r->classes[i].value);

        json_object_set_new(one, "name", json_text(r->classes[i].name));
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *images(const struct eval_report *r)
{
    json_t *const o = json_object(), *const list = json_array();
    size_t all = r->image_count;

    if (r->images) {
        all = r->images->count;
        for (size_t i = 0; i < all; i++) {
            const struct eval_image *const im = &r->images->items[i];

            if (im->state == EVAL_UNREADABLE || im->state == EVAL_FAILED)
                json_array_append_new(list, eval_row(im));
        }
    }
    json_object_set_new(o, "all", json_integer((json_int_t)all));
    for (int s = EVAL_MISSING; s < EVAL_STATES; s++)
        json_object_set_new(o, eval_state_name((enum eval_state)s),
                            json_integer((json_int_t)count(r, (enum eval_state)s)));
    json_object_set_new(o, "left_out", list);
    return o;
}

static void set_run(const struct eval_report *r, json_t *o)
{
    const struct eval_outcome *const out = &r->outcome;

    json_object_set_new(o, "model_sha256", json_text(r->model->sha256));
    json_object_set_new(o, "device", json_text(out->hello.device[0] ? out->hello.device : NULL));
    json_object_set_new(o, "nodes", json_integer((json_int_t)out->hello.nodes));
    json_object_set_new(o, "taken", json_integer((json_int_t)out->hello.taken));
    json_object_set_new(o, "preprocessing", json_text(r->preprocessing));
    json_object_set_new(o, "inference_ms", json_number(eval_images_ms(r->images, EVAL_SUBJECT)));
    if (r->reference)
        json_object_set_new(o, "reference_ms",
                            json_number(eval_images_ms(r->images, EVAL_REFERENCE)));
    json_object_set_new(o, "resumed", json_integer((json_int_t)out->resumed));
    json_object_set_new(o, "seconds", json_real(out->seconds));
}

void eval_report_json(FILE *f, const struct eval_report *r)
{
    json_t *const o = json_object(), *const notes = json_array();
    char why[256];

    eval_report_why(r, why, sizeof why);
    json_object_set_new(o, "task", json_string(r->task));
    json_object_set_new(o, "model", json_text(r->model_name));
    json_object_set_new(o, "signature", json_text(r->signature));
    json_object_set_new(o, "subject", json_text(r->subject));
    json_object_set_new(o, "reference", json_text(r->reference));
    if (r->model)
        set_run(r, o);
    json_object_set_new(o, "interrupted", json_text(r->outcome.signal));
    json_object_set_new(o, "images", images(r));
    json_object_set_new(o, "metrics", metrics(r));
    json_object_set_new(o, "interval_method", json_text(r->reference ? r->interval_method : NULL));
    json_object_set_new(o, "seed", json_integer((json_int_t)r->seed));
    if (r->class_metric) {
        json_object_set_new(o, "class_metric", json_text(r->class_metric));
        json_object_set_new(o, "classes", classes(r));
    }
    if (r->has_pairs)
        json_object_set_new(
            o, "agreement",
            json_pack("{s:I,s:I,s:I,s:I,s:I,s:f}", "same_top_1", (json_int_t)r->same, "both_right",
                      (json_int_t)r->pairs.both, "subject_only", (json_int_t)r->pairs.first_only,
                      "reference_only", (json_int_t)r->pairs.second_only, "both_wrong",
                      (json_int_t)r->pairs.neither, "mcnemar_p", interval_mcnemar(&r->pairs)));
    for (size_t i = 0; i < r->note_count; i++)
        json_array_append_new(notes, json_text(r->notes[i]));
    json_object_set_new(o, "notes", notes);
    json_object_set_new(o, "hint", json_text(r->hint[0] ? r->hint : NULL));
    json_object_set_new(o, "max_drop", json_number(r->max_drop));
    json_object_set_new(o, "status", json_string(why[0] ? "fail" : "pass"));
    json_object_set_new(o, "reason", json_text(why));
    json_dumpf(o, f, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    fputc('\n', f);
    json_decref(o);
}
