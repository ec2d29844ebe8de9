/* A line for each result.  Columns keep their names and places; new ones are added at the end. */
#include "conformance/util/csv.h"
#include "conformance/report/forms/forms.h"
#include "conformance/report/record/cluster.h"

#include <inttypes.h>
#include <math.h>

/* The shortest decimal that reads back as the same double; nothing where it was not measured. */
static void put_number(FILE *out, double x)
{
    char text[40];

    if (!isfinite(x))
        return;
    for (int digits = 6; digits <= 17; digits++) {
        double back;

        snprintf(text, sizeof text, "%.*g", digits, x);
        if (sscanf(text, "%lf", &back) == 1 && back == x)
            break;
    }
    fputs(text, out);
}

static void put_count(FILE *out, uint64_t n)
{
    fprintf(out, "%" PRIu64, n);
}

/* What a column is made from. */
struct row {
    const struct record_subject *subject;
    const struct record_case *c;
    const struct record_result *r;
    bool has_element;              /* got, want, error and limit are of an element */
    const struct finding *finding; /* NULL: it fails nothing */
};

#define TEXT_COLUMN(name, expression)                                                              \
    static void put_##name(FILE *out, const struct row *row)                                       \
    {                                                                                              \
        csv_text(out, expression);                                                                 \
    }
#define NUMBER_COLUMN(name, has, expression)                                                       \
    static void put_##name(FILE *out, const struct row *row)                                       \
    {                                                                                              \
        if (has)                                                                                   \
            put_number(out, expression);                                                           \
    }
#define COUNT_COLUMN(name, has, expression)                                                        \
    static void put_##name(FILE *out, const struct row *row)                                       \
    {                                                                                              \
        if (has)                                                                                   \
            put_count(out, (uint64_t)(expression));                                                \
    }

TEXT_COLUMN(subject, row->subject->label)
TEXT_COLUMN(spec, row->subject->spec)
TEXT_COLUMN(case, row->c->name)
TEXT_COLUMN(op, row->c->op)
TEXT_COLUMN(type, row->c->type)
COUNT_COLUMN(version, row->c->version > 0, row->c->version)
TEXT_COLUMN(title, row->c->title)
TEXT_COLUMN(status, row->subject->not_run ? RECORD_NOT_RUN : case_status_name(row->r->status))
COUNT_COLUMN(fails, true, record_result_is_bad(row->r))
COUNT_COLUMN(required, true, row->r->required)
COUNT_COLUMN(regression, true, row->r->regression)
TEXT_COLUMN(waiver, row->r->waiver)
TEXT_COLUMN(reason, row->r->reason)
TEXT_COLUMN(set, row->r->set)
TEXT_COLUMN(frame, row->r->frame ? ((const char[]){ row->r->frame, '\0' }) : NULL)
COUNT_COLUMN(output, row->has_element, row->r->output)
TEXT_COLUMN(where, row->r->where)
NUMBER_COLUMN(got, row->has_element, row->r->got)
NUMBER_COLUMN(want, row->has_element, row->r->want)
NUMBER_COLUMN(error, row->has_element, row->r->error)
NUMBER_COLUMN(limit, row->has_element, row->r->limit)
NUMBER_COLUMN(max_abs, true, row->r->max_abs)
NUMBER_COLUMN(max_ulp, true, row->r->max_ulp)
NUMBER_COLUMN(margin, true, row->r->margin)
NUMBER_COLUMN(bias, true, row->r->bias)
COUNT_COLUMN(integers, row->r->integers > 0, row->r->integers)
COUNT_COLUMN(unequal, row->r->integers > 0, row->r->unequal)
NUMBER_COLUMN(ms, row->r->ms > 0, row->r->ms)
COUNT_COLUMN(bytes, row->r->bytes > 0, row->r->bytes)
COUNT_COLUMN(nodes, row->c->nodes > 0, row->c->nodes)
COUNT_COLUMN(nodes_taken, row->c->nodes > 0, row->r->taken)
TEXT_COLUMN(inputs, row->c->inputs)
TEXT_COLUMN(rerun, row->r->rerun)
COUNT_COLUMN(repeats, row->r->repeats.asked > 0, row->r->repeats.runs)
COUNT_COLUMN(repeats_wrong, row->r->repeats.asked > 0, row->r->repeats.wrong)
TEXT_COLUMN(design, row->r->design)
TEXT_COLUMN(cause, row->finding ? row->finding->name : NULL)
TEXT_COLUMN(severity, row->finding ? severity_name(severity_of(row->r)) : NULL)
COUNT_COLUMN(not_judged, row->r->not_judged > 0, row->r->not_judged)

static const struct {
    const char *name;
    void (*put)(FILE *out, const struct row *row);
} columns[] = {
#define C(name) { #name, put_##name },
    C(subject) C(spec) C(case) C(op) C(type) C(version) C(title) C(status) C(fails) C(required)
        C(regression) C(waiver) C(reason) C(set) C(frame) C(output) C(where) C(got) C(want) C(error)
            C(limit) C(max_abs) C(max_ulp) C(margin) C(bias) C(integers) C(unequal) C(ms) C(bytes)
                C(nodes) C(nodes_taken) C(inputs) C(rerun) C(repeats) C(repeats_wrong) C(design)
                    C(cause) C(severity) C(not_judged)
#undef C
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static void put_row(FILE *out, const struct row *row)
{
    for (size_t c = 0; c < COLUMNS; c++) {
        if (c)
            fputc(',', out);
        columns[c].put(out, row);
    }
    fputs("\r\n", out);
}

/* A line without a case, of a subject that the device cannot run. */
static void put_not_run(FILE *out, const struct record_subject *s)
{
    const struct record_case none = { .name = NULL };
    const struct record_result why = { .status = CASE_DECLINED,
                                       .reason = s->not_run,
                                       .max_abs = NAN,
                                       .max_ulp = NAN,
                                       .margin = NAN,
                                       .bias = NAN };

    put_row(out, &(struct row){ s, &none, &why, false, NULL });
}

enum status form_csv(const struct record *r, FILE *out, struct diag *diag)
{
    const struct finding *const *findings;
    struct arena arena = { .blocks = NULL };
    const enum status s = cluster_by_result(r, &arena, &findings, diag);

    for (size_t c = 0; c < COLUMNS && s == STATUS_OK; c++)
        fprintf(out, "%s%s", c ? "," : "", columns[c].name);
    fputs(s == STATUS_OK ? "\r\n" : "", out);
    for (size_t i = 0; i < r->result_count && s == STATUS_OK; i++) {
        const struct record_result *const x = &r->results[i];
        const struct row row = { &r->subjects[x->subject], &r->cases[x->test_case], x,
                                 x->where != NULL, findings[i] };

        put_row(out, &row);
    }
    for (size_t i = 0; i < r->subject_count && s == STATUS_OK; i++) {
        if (r->subjects[i].not_run)
            put_not_run(out, &r->subjects[i]);
    }
    arena_close(&arena);
    return s;
}
