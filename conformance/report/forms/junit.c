/* JUnit XML as Jenkins and GitLab read it; conformance/report/junit.xsd describes it.
 *
 * The form needs six elements and one way to escape, so it is printed without a library: a static
 * libxml2 would bring ICU and LZMA into the portable program. */
#include "conformance/report/forms/forms.h"
#include "conformance/report/record/cluster.h"
#include "reference/base/utf8.h"

#include <math.h>
#include <string.h>

/* ---- XML ---- */

/* XML 1.0 has no way to write most control characters, nor U+FFFE and U+FFFF. */
static bool is_xml(uint32_t code)
{
    return code == '\t' || code == '\n' || code == '\r' ||
           (code >= ' ' && code != 0xfffe && code != 0xffff);
}

/* Text of an attribute or an element.  A parser would make a space of a line feed in an attribute,
 * and a line feed of a carriage return anywhere. */
static void put_text(FILE *out, const char *text)
{
    uint32_t code;
    size_t length;

    for (; (length = utf8_decode(text, &code)) > 0; text += length) {
        if (code == UTF8_REPLACEMENT || !is_xml(code))
            fputs("\xef\xbf\xbd", out);
        else if (code < ' ')
            fprintf(out, "&#%u;", (unsigned)code);
        else if (strchr("<>&\"'", (int)code) && code < 0x80)
            fprintf(out, "&#%u;", (unsigned)code);
        else
            fwrite(text, 1, length, out);
    }
}

static void put_attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    put_text(out, value);
    fputc('"', out);
}

/* Without an exponent, which xs:decimal does not have. */
static void put_seconds(FILE *out, double seconds)
{
    fprintf(out, " time=\"%.6f\"", isfinite(seconds) && seconds > 0 ? seconds : 0);
}

static void put_property(FILE *out, const char *name, const char *value)
{
    if (!value)
        return;
    fputs("   <property", out);
    put_attribute(out, "name", name);
    put_attribute(out, "value", value);
    fputs("/>\n", out);
}

/* ---- what a result is ---- */

enum outcome { OUTCOME_PASS, OUTCOME_FAILURE, OUTCOME_ERROR, OUTCOME_SKIPPED, OUTCOME_COUNT };

static enum outcome outcome_of(const struct record_result *r)
{
    if (r->status == CASE_CRASH || r->status == CASE_TIMEOUT)
        return OUTCOME_ERROR;
    if (record_result_is_bad(r))
        return OUTCOME_FAILURE;
    return r->status == CASE_DECLINED || r->status == CASE_WAIVED ? OUTCOME_SKIPPED : OUTCOME_PASS;
}

/* Counts of a suite, which XML wants before its tests. */
struct counts {
    size_t all, of[OUTCOME_COUNT];
    double seconds;
};

static void count_outcome(struct counts *c, enum outcome o)
{
    c->all++;
    c->of[o]++;
}

static void open_suite(FILE *out, const struct record *r, const char *name, const struct counts *c)
{
    fputs(" <testsuite", out);
    put_attribute(out, "name", name);
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", c->all,
            c->of[OUTCOME_FAILURE], c->of[OUTCOME_ERROR], c->of[OUTCOME_SKIPPED]);
    put_seconds(out, c->seconds);
    if (r->run.started)
        put_attribute(out, "timestamp", r->run.started);
    fputs(">\n", out);
}

static void open_case(FILE *out, const char *prefix, const char *class_name, size_t class_length,
                      const char *name, double seconds)
{
    fputs("  <testcase classname=\"", out);
    /* A dot would begin another package. */
    for (const char *at = prefix; *at; at++) {
        const char one[] = { *at == '.' ? '_' : *at, '\0' };

        if ((unsigned char)*at < 0x80)
            put_text(out, one);
        else
            fputc('_', out);
    }
    if (*prefix)
        fputc('.', out);
    for (size_t i = 0; i < class_length; i++) {
        const char one[] = { class_name[i], '\0' };

        put_text(out, one);
    }
    fputc('"', out);
    put_attribute(out, "name", name);
    put_seconds(out, seconds);
}

static void put_problem(FILE *out, enum outcome o, const char *type, const char *message)
{
    static const char *const elements[] = {
        [OUTCOME_FAILURE] = "failure", [OUTCOME_ERROR] = "error", [OUTCOME_SKIPPED] = "skipped"
    };

    fprintf(out, "   <%s", elements[o]);
    put_attribute(out, "type", type);
    put_attribute(out, "message", message);
}

/* ---- cases ---- */

static void put_line(FILE *out, const char *key, const char *value)
{
    if (!value || !*value)
        return;
    put_text(out, key);
    put_text(out, value);
    fputc('\n', out);
}

/* The text of a failure, and what else is known of it. */
static void put_details(FILE *out, const struct record_case *c, const struct record_result *r,
                        const struct finding *f)
{
    put_line(out, "", r->reason);
    put_line(out, "cause: ", f ? f->name : NULL);
    put_line(out, "severity: ", f ? severity_name(severity_of(r)) : NULL);
    put_line(out, "inputs: ", c->inputs);
    put_line(out, "smallest graph that fails: ", r->minimal);
    put_line(out, "rerun: ", r->rerun);
}

static void put_figures(FILE *out, const struct record_result *r)
{
    char repeats[RECORD_REPEATS_BYTES];

    fputs("   <system-out>", out);
    if (isfinite(r->margin))
        fprintf(out, "margin %.6g (largest error over its limit)\n", r->margin);
    if (isfinite(r->max_abs))
        fprintf(out, "largest error %.6g\n", r->max_abs);
    if (r->worst.where) {
        put_line(out, "worst element ", r->worst.where);
        fprintf(out, "got %.9g, want %.9g, error %.6g, limit %.6g\n", r->worst.got, r->worst.want,
                r->worst.error, r->worst.limit);
    }
    if (r->bytes > 0)
        fprintf(out, "%llu bytes of memory\n", (unsigned long long)r->bytes);
    put_line(out, "", record_repeats_text(r, repeats));
    fputs("</system-out>\n", out);
}

static void put_result(FILE *out, const struct record *r, const struct record_result *x,
                       const struct finding *f, const char *prefix)
{
    const struct record_case *const c = &r->cases[x->test_case];
    const char *const first = strchr(c->name, '.'), *const dot =
                                                        first ? strchr(first + 1, '.') : NULL;
    const enum outcome o = outcome_of(x);
    const char *const type = x->required     ? "required"
                             : x->regression ? "regression"
                                             : case_status_name(x->status);

    open_case(out, prefix, dot ? c->name : "cases", dot ? (size_t)(dot - c->name) : 5,
              dot ? dot + 1 : c->name, x->ms / 1000);
    if (o == OUTCOME_PASS) {
        char repeats[RECORD_REPEATS_BYTES];

        if (x->repeats.asked > 0)
            fprintf(out, ">\n   <system-out>%s</system-out>\n  </testcase>\n",
                    record_repeats_text(x, repeats));
        else
            fputs("/>\n", out);
        return;
    }
    fputs(">\n", out);
    put_problem(out, o, type,
                x->status == CASE_WAIVED && x->waiver ? x->waiver
                : x->reason                           ? x->reason
                                                      : case_status_name(x->status));
    if (o == OUTCOME_SKIPPED) {
        fputs("/>\n", out);
    } else {
        fputs(">", out);
        put_details(out, c, x, f);
        fprintf(out, "</%s>\n", o == OUTCOME_ERROR ? "error" : "failure");
        put_figures(out, x);
    }
    fputs("  </testcase>\n", out);
}

/* A test in the place of all cases of a subject that the device cannot run. */
static void put_not_run(FILE *out, const struct record_subject *s, const char *prefix)
{
    open_case(out, prefix, "subject", 7, "runs_here", 0);
    fputs(">\n", out);
    put_problem(out, OUTCOME_SKIPPED, RECORD_NOT_RUN, s->not_run);
    fputs("/>\n  </testcase>\n", out);
}

static void put_missing(FILE *out, const struct record *r, size_t test_case, const char *prefix)
{
    const char *const name = r->cases[test_case].name;
    const char *const first = strchr(name, '.'), *const dot = first ? strchr(first + 1, '.') : NULL;

    open_case(out, prefix, dot ? name : "cases", dot ? (size_t)(dot - name) : 5,
              dot ? dot + 1 : name, 0);
    fputs(">\n", out);
    put_problem(out, OUTCOME_ERROR, RECORD_NOT_RUN, "the run was cut before this case");
    fputs("/>\n  </testcase>\n", out);
}

/* ---- suites ---- */

static void put_properties(FILE *out, const struct record *r, const struct record_subject *s)
{
    const struct record_device *const device = s->device.name ? &s->device : &r->device;
    char text[32];

    fputs("  <properties>\n", out);
    put_property(out, "subject", s->spec ? s->spec : s->label);
    put_property(out, "library", s->path);
    put_property(out, "library_sha256", s->sha256);
    put_property(out, "bounds", s->bounds);
    for (size_t i = 0; i < s->option_count; i++) {
        char key[80];

        snprintf(key, sizeof key, "option.%.64s", s->options[i].key);
        put_property(out, key, s->options[i].value);
    }
    put_property(out, "device", device->name);
    put_property(out, "driver", device->driver);
    put_property(out, "api", device->api);
    put_property(out, "assay", r->run.version);
    put_property(out, "git", r->run.git);
    put_property(out, "host", r->run.host);
    put_property(out, "command", r->run.command);
    snprintf(text, sizeof text, "%llu", (unsigned long long)r->run.seed);
    put_property(out, "seed", text);
    snprintf(text, sizeof text, "%llu", (unsigned long long)r->run.quick_of);
    put_property(out, "quick_of", r->run.quick_of ? text : NULL);
    put_property(out, "list_sha256", r->run.list_sha256);
    fputs("  </properties>\n", out);
}

static void put_subject(FILE *out, const struct record *r, size_t subject,
                        const struct finding *const *findings)
{
    const char *const label = r->subjects[subject].label ? r->subjects[subject].label : "subject";
    /* GitLab and Jenkins know a test by its class and name alone. */
    const char *const prefix = r->subject_count > 1 ? label : "";
    struct counts c = { .all = 0 };
    size_t first, last;

    record_subject_results(r, subject, &first, &last);
    for (size_t i = first; i < last; i++) {
        count_outcome(&c, outcome_of(&r->results[i]));
        c.seconds += r->results[i].ms > 0 ? r->results[i].ms / 1000 : 0;
    }
    for (size_t i = 0; i < r->missing_count; i++) {
        if (r->missing[i].subject == subject)
            count_outcome(&c, OUTCOME_ERROR);
    }
    if (r->subjects[subject].not_run)
        count_outcome(&c, OUTCOME_SKIPPED);
    open_suite(out, r, label, &c);
    put_properties(out, r, &r->subjects[subject]);
    if (r->subjects[subject].not_run)
        put_not_run(out, &r->subjects[subject], prefix);
    for (size_t i = first; i < last; i++)
        put_result(out, r, &r->results[i], findings[i], prefix);
    for (size_t i = 0; i < r->missing_count; i++) {
        if (r->missing[i].subject == subject)
            put_missing(out, r, r->missing[i].test_case, prefix);
    }
    fputs(" </testsuite>\n", out);
}

static enum outcome model_outcome(const struct record_model *m)
{
    return m->status == CASE_PASS                                   ? OUTCOME_PASS
           : m->status == CASE_DECLINED || m->status == CASE_WAIVED ? OUTCOME_SKIPPED
           : m->status == CASE_CRASH || m->status == CASE_TIMEOUT || m->status == CASE_MISSING
               ? OUTCOME_ERROR
               : OUTCOME_FAILURE;
}

static void put_models(FILE *out, const struct record *r)
{
    struct counts c = { .all = 0 };

    for (size_t i = 0; i < r->model_count; i++)
        count_outcome(&c, model_outcome(&r->models[i]));
    if (c.all == 0)
        return;
    open_suite(out, r, "whole models", &c);
    for (size_t i = 0; i < r->model_count; i++) {
        const struct record_model *const m = &r->models[i];
        const char *const label = m->is_reference ? "reference" : r->subjects[m->subject].label;
        const enum outcome o = model_outcome(m);

        open_case(out, label ? label : "subject", "models", 6, m->name, 0);
        fputs(o == OUTCOME_PASS ? "/>\n" : ">\n", out);
        if (o == OUTCOME_PASS)
            continue;
        put_problem(out, o, case_status_name(m->status),
                    m->reason ? m->reason : case_status_name(m->status));
        fputs("/>\n  </testcase>\n", out);
    }
    fputs(" </testsuite>\n", out);
}

/* What fails the run and is no case: one test, so that a run with exit code 1 has a failure. */
static void put_run(FILE *out, const struct record *r)
{
    const bool failed = record_failed(r);
    struct counts c = { .all = 0 };
    char text[256];

    count_outcome(&c, failed ? OUTCOME_FAILURE : OUTCOME_PASS);
    c.seconds = r->run.seconds;
    open_suite(out, r, "run", &c);
    open_case(out, "", "assay", 5, "exit_code", r->run.seconds);
    if (!failed) {
        fputs("/>\n </testsuite>\n", out);
        return;
    }
    fputs(">\n", out);
    put_problem(out, OUTCOME_FAILURE, "run", "the run failed");
    fputs(">", out);
    if (r->run.interrupted)
        put_line(out, "it was ended early by ", r->run.interrupted);
    put_line(out, "a worker process, after its last case: ", r->broken_end);
    snprintf(text, sizeof text,
             "%zu rows of the version ledger lack their proof, or classes are not taken\n",
             r->ledger_problems);
    if (r->ledger_problems > 0)
        fputs(text, out);
    snprintf(text, sizeof text, "%zu of %zu results fail it, %zu checks were not run\n",
             record_totals(r).bad, r->result_count, r->missing_count);
    fputs(text, out);
    fputs("</failure>\n  </testcase>\n </testsuite>\n", out);
}

enum status form_junit(const struct record *r, FILE *out, struct diag *diag)
{
    const struct finding *const *findings;
    struct arena arena = { .blocks = NULL };
    const enum status status = cluster_by_result(r, &arena, &findings, diag);

    if (status != STATUS_OK)
        goto done;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay\"", out);
    put_seconds(out, r->run.seconds);
    fputs(">\n", out);
    for (size_t s = 0; s < r->subject_count; s++)
        put_subject(out, r, s, findings);
    put_models(out, r);
    put_run(out, r);
    fputs("</testsuites>\n", out);
done:
    arena_close(&arena);
    return status;
}
