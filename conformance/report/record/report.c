#include "conformance/report/record/report.h"

#include "conformance/suite/cases/random_graph.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/subject/subject_find.h"
#include "conformance/suite/subject/subject_kind.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/util/shell_word.h"

#include <inttypes.h>

const char *const mutants_columns[MUTANT_COLUMNS] = { "name", "file", "caught", "by", "what" };

const char *report_margin_note(const struct report *r, size_t index)
{
    const struct case_result *const result = &r->outcome.results[index];
    const struct test_case *const c = &r->cases[index % r->case_count];
    const enum bounds bounds = r->subjects[index / r->case_count].bounds;
    const struct suite_member *member;

    if ((result->status != CASE_PASS && result->status != CASE_FAIL) || !(result->margin > 0.5))
        return NULL;
    if (c->quantized)
        return "float view: a float error reached a rounding tie";
    member = suite_find_member(c->code);
    return member ? bound_note(&member->bound, c->half ? BOUNDS_FP16 : bounds) : NULL;
}

static void print_rest(const struct report *r, FILE *out)
{
    if (r->bounds)
        fprintf(out, " --bounds=%s", r->bounds);
    fprintf(out, " --seed=%llu", (unsigned long long)r->seed);
}

const char *report_minimal_text(const struct report *r, size_t index)
{
    for (size_t i = 0; i < r->minimal_count; i++) {
        if (r->minimal[i].index == index)
            return r->minimal[i].text;
    }
    return NULL;
}

void report_rerun(const struct report *r, size_t index, FILE *out)
{
    const struct subject *const s = &r->subjects[index / r->case_count];
    const struct test_case *const c = &r->cases[index % r->case_count];
    char spec[4096];

    fprintf(out, "assay %s --filter=%s", c->suite ? "conformance" : "hostile", c->name);
    if (random_is_graph(c))
        fprintf(out, " --graphs=%" PRIu32, random_index(c) + 1);
    if (r->outcome.results[index].repeat.wrong > 0)
        fprintf(out, " --repeat=%" PRIu64, r->run.repeat);
    if (s->kind->shown && s->path && subject_spec(s, spec, sizeof spec)) {
        fputs(" --subject=", out);
        shell_word_print(spec, out);
        print_rest(r, out);
        return;
    }
    if (!s->path)
        fputs(" --delegate=none", out);
    else if (!subject_is_default(s)) {
        fputs(" --delegate=", out);
        shell_word_print(s->path, out);
    }
    for (size_t i = 0; i < s->option_count; i++) {
        fputs(" --delegate-option=", out);
        shell_word_print(s->options[i].key, out);
        fputc('=', out);
        shell_word_print(s->options[i].value, out);
    }
    print_rest(r, out);
}

void report_reason(const struct report *r, size_t index, char *text, size_t bytes)
{
    const struct case_result *const c = &r->outcome.results[index];
    size_t used = 0;

    text[0] = '\0';
    if (c->status == CASE_PASS && !c->regression)
        return;
    if (c->required)
        used += (size_t)snprintf(text, bytes, "required, but declined: ");
    else if (c->regression)
        used += (size_t)snprintf(text, bytes, "passed in the baseline: ");
    used += (size_t)snprintf(text + used, bytes - used, "%s", c->reason);
    if (c->status != CASE_FAIL || !c->has_set || used >= bytes)
        return;
    used += (size_t)snprintf(text + used, bytes - used, "; %s frame %c", data_set_name(c->set),
                             c->frame ? c->frame : 'A');
    if (c->has_element && used < bytes)
        snprintf(text + used, bytes - used,
                 " output %d at %s: got %.9g, expected %.9g, error %.3g, limit %.3g", c->output,
                 c->where, c->got, c->want, c->error, c->limit);
    else if (c->limit > 0 && used < bytes)
        snprintf(text + used, bytes - used, ": error %.3g, limit %.3g", c->error, c->limit);
}

const struct judge_device *report_device(const struct report *r, size_t subject)
{
    return r->devices && r->devices[subject].name[0] ? &r->devices[subject] : &r->device;
}

const char *report_bounds(const struct subject *s, char text[2 * BOUNDS_TEXT_BYTES])
{
    char floats[BOUNDS_TEXT_BYTES], integers[BOUNDS_TEXT_BYTES];

    snprintf(text, (size_t)2 * BOUNDS_TEXT_BYTES, "%s%s%s",
             s->skips_floats ? "" : bounds_text(s->bounds, floats),
             s->skips_floats || s->skips_quantized ? "" : ",",
             s->skips_quantized ? "" : bounds_text(s->quantized, integers));
    return text;
}
