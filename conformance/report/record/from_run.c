#include "conformance/report/record/from_run.h"

#include "conformance/suite/cases/random_graph.h"
#include "conformance/suite/shrink/shrunk_forms.h"
#include "conformance/suite/subject/subject_kind.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/util/json_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct recorder {
    struct record *out;
    const struct report *in;
    struct diag *diag;
    bool failed;   /* out of memory */
    size_t *cases; /* index in the record of each case of the run; SIZE_MAX: nobody runs it */
};

static void *allocate(struct recorder *b, size_t count, size_t size)
{
    void *const block = arena_alloc(&b->out->arena, count, size);

    b->failed = b->failed || !block;
    return block;
}
#define NEW(b, count, type) ((type *)allocate((b), (count), sizeof(type)))

/* ---- values ---- */

/* A copy in UTF-8: bytes that are none become U+FFFD, as in JSON.  NULL of NULL. */
static const char *copy(struct recorder *b, const char *text)
{
    const char *kept = NULL;
    json_t *clean;

    if (!text)
        return NULL;
    for (const char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x80)
            continue;
        clean = json_text(text);
        if (clean)
            kept = arena_string(&b->out->arena, json_string_value(clean));
        json_decref(clean);
        b->failed = b->failed || !kept;
        return kept;
    }
    kept = arena_string(&b->out->arena, text);
    b->failed = b->failed || !kept;
    return kept;
}

/* The same, NULL of an empty string. */
static const char *copy_set(struct recorder *b, const char *text)
{
    return text && *text ? copy(b, text) : NULL;
}

/* What JSON keeps of a figure. */
static double nine_digits(double x)
{
    char text[32];

    if (isnan(x))
        return NAN; /* without its sign, which text would show */
    if (isinf(x) || (x == trunc(x) && fabs(x) < 1e9))
        return x;
    snprintf(text, sizeof text, "%.9g", x);
    return strtod(text, NULL);
}

/* Collects what a function prints. */
struct printed {
    FILE *file;
    char *text;
    size_t bytes;
};

static bool print_open(struct recorder *b, struct printed *p)
{
    *p = (struct printed){ NULL, NULL, 0 };
    p->file = open_memstream(&p->text, &p->bytes);
    b->failed = b->failed || !p->file;
    return p->file != NULL;
}

static const char *print_close(struct recorder *b, struct printed *p)
{
    const char *kept = NULL;

    if (fclose(p->file) != 0)
        b->failed = true;
    else
        kept = copy(b, p->text);
    free(p->text); /* from open_memstream, hence not of mem_alloc */
    return kept;
}

/* ---- run and subjects ---- */

static void add_run(struct recorder *b)
{
    const struct record_run *const in = &b->in->run;
    struct record_run *const out = &b->out->run;
    const char **const filters = NEW(b, in->filter_count, const char *);

    *out = *in;
    out->version = copy(b, in->version ? in->version : ASSAY_VERSION);
    out->git = copy(b, in->git);
    out->command = copy(b, in->command);
    out->started = copy(b, in->started);
    out->host = copy(b, in->host);
    out->seconds = nine_digits(in->seconds);
    out->timeout_s = nine_digits(in->timeout_s);
    out->seed = b->in->seed;
    out->shard = b->in->shards > 1 ? b->in->shard : 0;
    out->shards = b->in->shards;
    out->list_sha256 = copy(b, in->list_sha256);
    out->interrupted = copy_set(b, in->interrupted);
    for (size_t i = 0; filters && i < in->filter_count; i++)
        filters[i] = copy(b, in->filters[i]);
    out->filters = filters;
}

static struct record_device add_device(struct recorder *b, const struct judge_device *d)
{
    return (struct record_device){ copy_set(b, d->name), copy_set(b, d->driver),
                                   copy_set(b, d->api) };
}

/* As --subject takes it. */
static const char *add_spec(struct recorder *b, const struct subject *s)
{
    char spec[8192];

    if (!s->path)
        return copy(b, "reference");
    return s->kind && subject_spec(s, spec, sizeof spec) ? copy(b, spec) : NULL;
}

static void add_subjects(struct recorder *b)
{
    const struct report *const r = b->in;

    b->out->subjects = NEW(b, r->subject_count, struct record_subject);
    for (size_t i = 0; !b->failed && i < r->subject_count; i++) {
        const struct subject *const s = &r->subjects[i];
        struct record_subject *const out = &b->out->subjects[b->out->subject_count++];
        struct record_option *const options = NEW(b, s->option_count, struct record_option);
        char bounds[2 * BOUNDS_TEXT_BYTES];

        *out = (struct record_subject){ .spec = add_spec(b, s),
                                        .label = copy(b, s->label),
                                        .path = copy(b, s->path),
                                        .sha256 = copy_set(b, s->sha256),
                                        .bounds = copy(b, report_bounds(s, bounds)),
                                        .not_run = copy_set(b, s->not_run),
                                        .options = options };
        if (r->devices)
            out->device = add_device(b, &r->devices[i]);
        for (size_t k = 0; options && k < s->option_count; k++)
            options[out->option_count++] =
                (struct record_option){ copy(b, s->options[k].key), copy(b, s->options[k].value) };
    }
    b->out->device = add_device(b, &r->device);
}

/* ---- cases ---- */

/* Whether a subject has a result of the case, or misses one. */
static bool is_run(const struct report *r, size_t test_case)
{
    for (size_t s = 0; s < r->subject_count; s++) {
        const struct case_result *const c = &r->outcome.results[s * r->case_count + test_case];

        if (!c->absent || c->missing)
            return true;
    }
    return false;
}

static const char *classes_of(const struct report *r, size_t test_case)
{
    for (size_t s = 0; s < r->subject_count; s++) {
        const struct case_result *const c = &r->outcome.results[s * r->case_count + test_case];

        if (!c->absent && c->classes[0])
            return c->classes;
    }
    return NULL;
}

static const char *inputs_of(const struct report *r, size_t test_case)
{
    for (size_t s = 0; s < r->subject_count; s++) {
        const struct case_result *const c = &r->outcome.results[s * r->case_count + test_case];

        if (!c->absent && c->inputs[0])
            return c->inputs;
    }
    return NULL;
}

static int nodes_of(const struct report *r, size_t test_case)
{
    int nodes = 0;

    if (!random_is_graph(&r->cases[test_case]))
        return 0;
    for (size_t s = 0; s < r->subject_count; s++) {
        const int n = r->outcome.results[s * r->case_count + test_case].nodes;

        nodes = n > nodes ? n : nodes;
    }
    return nodes;
}

static void add_cases(struct recorder *b)
{
    const struct report *const r = b->in;

    b->cases = NEW(b, r->case_count, size_t);
    b->out->cases = NEW(b, r->case_count, struct record_case);
    for (size_t i = 0; !b->failed && i < r->case_count; i++) {
        const struct test_case *const c = &r->cases[i];

        b->cases[i] = SIZE_MAX;
        if (!is_run(r, i))
            continue;
        b->cases[i] = b->out->case_count;
        b->out->cases[b->out->case_count++] =
            (struct record_case){ .name = copy(b, c->name),
                                  .op = copy(b, c->op),
                                  .type = copy(b, c->type_name),
                                  .title = copy(b, c->row->gap),
                                  .version = c->version,
                                  .nodes = nodes_of(r, i),
                                  .index = r->indices ? r->indices[i] : i,
                                  .inputs = copy(b, inputs_of(r, i)),
                                  .classes = copy(b, classes_of(r, i)) };
    }
}

/* ---- results ---- */

static void add_failure(struct recorder *b, const struct case_result *c, struct record_result *out)
{
    if (!c->has_set)
        return;
    out->set = copy(b, data_set_name(c->set));
    out->frame = c->frame;
    out->output = c->output;
    out->where = c->has_element ? copy(b, c->where) : NULL;
    out->got = nine_digits(c->got);
    out->want = nine_digits(c->want);
    out->error = nine_digits(c->error);
    out->limit = nine_digits(c->limit);
    out->nth_node = c->nth_node;
    out->equals = copy_set(b, c->equals);
    if (!(c->worst.ratio > 0))
        return;
    out->worst.where = copy(b, c->worst.where);
    out->worst.ratio = nine_digits(c->worst.ratio);
    out->worst.got = nine_digits(c->worst.got);
    out->worst.want = nine_digits(c->worst.want);
    out->worst.error = nine_digits(c->worst.error);
    out->worst.limit = nine_digits(c->worst.limit);
}

/* What is said of a result that is no plain pass. */
static void add_words(struct recorder *b, size_t index, struct record_result *out)
{
    const struct case_result *const c = &b->in->outcome.results[index];
    struct printed p;
    char reason[1024];

    if (c->status == CASE_PASS && !c->regression)
        return;
    report_reason(b->in, index, reason, sizeof reason);
    out->reason = copy_set(b, reason);
    out->what = copy_set(b, c->reason);
    out->waiver = copy_set(b, c->waiver);
    if (!print_open(b, &p))
        return;
    report_rerun(b->in, index, p.file);
    out->rerun = print_close(b, &p);
}

static void add_result(struct recorder *b, size_t index)
{
    const struct report *const r = b->in;
    const struct case_result *const c = &r->outcome.results[index];
    struct record_result *const out = &b->out->results[b->out->result_count++];

    *out = (struct record_result){ .subject = index / r->case_count,
                                   .test_case = b->cases[index % r->case_count],
                                   .status = c->status,
                                   .required = c->required,
                                   .regression = c->regression,
                                   .max_abs = nine_digits(c->max_abs),
                                   .max_ulp = nine_digits(c->max_ulp),
                                   .margin = nine_digits(c->margin),
                                   .bias = nine_digits(c->bias),
                                   .note = copy(b, report_margin_note(r, index)),
                                   .integers = c->integers,
                                   .unequal = c->unequal,
                                   .not_judged = c->not_judged,
                                   .design = copy(b, design_name(c->designs)),
                                   .ms = nine_digits(c->ms),
                                   .bytes = c->bytes,
                                   .taken = c->taken,
                                   .checked = c->habits,
                                   .left_out = c->left_out,
                                   .refused = c->refused,
                                   .minimal = copy(b, report_minimal_text(r, index)) };
    out->repeats.asked = c->repeat.asked;
    out->repeats.runs = c->repeat.runs;
    out->repeats.wrong = c->repeat.wrong;
    out->repeats.cut = copy_set(b, c->repeat.cut);
    add_words(b, index, out);
    add_failure(b, c, out);
    if (!c->by_element[0])
        return;
    out->by_element = copy(b, c->by_element);
    out->by_channel = copy_set(b, c->by_channel);
    out->elements = c->elements;
    out->channels = c->channels;
}

/* What the run did not come to. */
static void add_missing(struct recorder *b)
{
    const struct report *const r = b->in;

    b->out->missing = NEW(b, r->outcome.missing, struct record_missing);
    for (size_t i = 0; !b->failed && i < r->outcome.count; i++) {
        if (r->outcome.results[i].missing)
            b->out->missing[b->out->missing_count++] =
                (struct record_missing){ .subject = i / r->case_count,
                                         .test_case = b->cases[i % r->case_count] };
    }
}

static void add_notes(struct recorder *b)
{
    const struct notes *const n = b->in->notes;
    const char **const notes = NEW(b, n ? n->count : 0, const char *);

    for (size_t i = 0; !b->failed && n && i < n->count; i++)
        notes[i] = copy(b, n->items[i]);
    b->out->notes = notes;
    b->out->note_count = n ? n->count : 0;
}

static void add_results(struct recorder *b)
{
    const struct report *const r = b->in;

    b->out->results = NEW(b, r->outcome.count, struct record_result);
    for (size_t i = 0; !b->failed && i < r->outcome.count; i++) {
        if (!r->outcome.results[i].absent)
            add_result(b, i);
    }
    add_missing(b);
    add_notes(b);
    b->out->broken_ends = r->outcome.broken_ends;
    if (r->outcome.broken_ends > 0)
        b->out->broken_end = copy(b, r->outcome.end);
}

/* ---- models, mutants, minimal forms ---- */

static void add_models(struct recorder *b)
{
    const struct digits_report *const d = b->in->digits;

    if (!d)
        return;
    b->out->models = NEW(b, d->count, struct record_model);
    b->out->models_skipped = copy_set(b, d->skipped);
    for (size_t i = 0; !b->failed && i < d->count; i++) {
        const struct digits_score *const s = &d->scores[i];

        b->out->models[b->out->model_count++] = (struct record_model){
            .name = copy(b, s->model),
            .is_reference = s->subject == DIGITS_REFERENCE,
            .subject = s->subject == DIGITS_REFERENCE ? 0 : (size_t)s->subject,
            .status = s->status,
            .reason = copy_set(b, s->reason),
            .compared = s->compared,
            .top1 = s->images ? nine_digits((double)s->right / (double)s->images) : NAN,
            .snr_db = s->compared ? nine_digits(s->snr_db) : NAN,
            .max_abs = s->compared ? nine_digits(s->max_abs) : NAN,
            .mean_steps = s->compared ? nine_digits(s->mean_steps) : NAN,
            .images = s->images,
            .same = s->compared ? s->same : 0,
            .different = s->compared ? s->differ : 0,
            .wrong = s->compared ? s->wrong : 0,
            .nodes = (int)s->nodes,
            .taken = (int)s->taken,
            .partitions = s->partitions
        };
    }
}

static void add_mutants(struct recorder *b)
{
    const struct tsv *const m = b->in->mutants;

    if (!m)
        return;
    b->out->mutants = NEW(b, m->rows, struct record_mutant);
    for (size_t i = 0; !b->failed && i < m->rows; i++)
        b->out->mutants[b->out->mutant_count++] = (struct record_mutant){
            copy(b, tsv_cell(m, i, MUTANT_NAME)), copy(b, tsv_cell(m, i, MUTANT_FILE)),
            copy(b, tsv_cell(m, i, MUTANT_BY)), copy(b, tsv_cell(m, i, MUTANT_WHAT)),
            strcmp(tsv_cell(m, i, MUTANT_CAUGHT), "yes") == 0
        };
}

static void add_minimal(struct recorder *b)
{
    const struct shrunk_forms *const forms = b->in->forms;
    const size_t case_count = b->in->case_count;
    struct printed p;

    if (!forms)
        return;
    b->out->minimal = NEW(b, forms->count, struct record_minimal);
    b->out->minimal_left_out = forms->left_out;
    for (size_t i = 0; !b->failed && i < forms->count; i++) {
        const struct shrunk_form *const form = &forms->items[i];
        const struct shrunk *const m = &form->shrunk;
        struct record_minimal *const out = &b->out->minimal[b->out->minimal_count++];

        *out = (struct record_minimal){ .subject = form->result / case_count,
                                        .test_case = b->cases[form->result % case_count],
                                        .status = m->result.status,
                                        .reason = copy_set(b, m->result.reason),
                                        .similar = form->similar,
                                        .steps = m->outcome.steps,
                                        .reductions = m->outcome.accepted,
                                        .limited = m->outcome.limited,
                                        .flaky = m->outcome.flaky || m->outcome.flaky_end };
        if (!print_open(b, &p))
            return;
        shrunk_print(p.file, m, NULL);
        out->text = print_close(b, &p);
    }
}

enum status record_from_run(struct record *out, const struct report *r, struct diag *diag)
{
    struct recorder b = { .out = out, .in = r, .diag = diag };
    enum status s;

    *out = (struct record){ .ledger_problems = r->ledger_problems };
    add_run(&b);
    add_subjects(&b);
    add_cases(&b);
    add_results(&b);
    add_models(&b);
    add_mutants(&b);
    add_minimal(&b);
    s = b.failed ? diag_fail(diag, STATUS_NO_MEMORY, "report: out of memory")
                 : record_index(out, diag);
    if (s != STATUS_OK)
        record_close(out);
    return s;
}
