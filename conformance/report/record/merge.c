#include "conformance/report/record/record.h"

#include "reference/base/lookup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A case of an input. */
struct merge_case {
    size_t index; /* in the whole list */
    size_t input, test_case;
};

struct merging {
    struct record *out;
    const struct merge_input *inputs;
    size_t count;
    struct diag *diag;
    size_t **places; /* of each input: its cases in *out */
};

static enum status no_memory(const struct merging *m)
{
    return diag_fail(m->diag, STATUS_NO_MEMORY, "merge: out of memory");
}

/* ---- what has to be the same ---- */

static enum status differ(const struct merging *m, size_t input, const char *what, const char *a,
                          const char *b)
{
    return diag_fail(m->diag, STATUS_USAGE, "%s and %s differ in %s: %s and %s", m->inputs[0].path,
                     m->inputs[input].path, what, a ? a : "not known", b ? b : "not known");
}

static enum status differ_number(const struct merging *m, size_t input, const char *what,
                                 uint64_t a, uint64_t b)
{
    char x[24], y[24];

    snprintf(x, sizeof x, "%llu", (unsigned long long)a);
    snprintf(y, sizeof y, "%llu", (unsigned long long)b);
    return differ(m, input, what, x, y);
}

static enum status check_run(const struct merging *m, size_t input)
{
    const struct record_run *const a = &m->inputs[0].record.run;
    const struct record_run *const b = &m->inputs[input].record.run;

    if (!b->list_sha256)
        return diag_fail(m->diag, STATUS_USAGE,
                         "%s: does not say which list of cases it is of; reports of Assay before "
                         "%s cannot be merged",
                         m->inputs[input].path, ASSAY_VERSION);
    if (!same_text(a->version, b->version))
        return differ(m, input, "the version of Assay", a->version, b->version);
    if (!same_text(a->git, b->git))
        return differ(m, input, "the commit", a->git, b->git);
    if (a->seed != b->seed)
        return differ_number(m, input, "the seed", a->seed, b->seed);
    if (!same_text(a->list_sha256, b->list_sha256))
        return differ(m, input, "the SHA-256 of their lists of cases", a->list_sha256,
                      b->list_sha256);
    if (a->list_count != b->list_count)
        return differ_number(m, input, "the number of cases", a->list_count, b->list_count);
    if ((a->shards > 1 ? a->shards : 1) != (b->shards > 1 ? b->shards : 1))
        return differ_number(m, input, "the number of shards", a->shards, b->shards);
    return STATUS_OK;
}

static enum status check_device(const struct merging *m, size_t input, const char *of,
                                const struct record_device *a, const struct record_device *b)
{
    char what[96];

    snprintf(what, sizeof what, "the device%s", of);
    if (!same_text(a->name, b->name))
        return differ(m, input, what, a->name, b->name);
    snprintf(what, sizeof what, "the driver of the device%s", of);
    if (!same_text(a->driver, b->driver) || !same_text(a->api, b->api))
        return differ(m, input, what, a->driver, b->driver);
    return STATUS_OK;
}

static bool same_options(const struct record_subject *a, const struct record_subject *b)
{
    bool same = a->option_count == b->option_count;

    for (size_t i = 0; i < a->option_count && same; i++)
        same = strcmp(a->options[i].key, b->options[i].key) == 0 &&
               strcmp(a->options[i].value, b->options[i].value) == 0;
    return same;
}

/* Paths may differ, as those of two machines do: the file is the same by its hash. */
static enum status check_subjects(const struct merging *m, size_t input)
{
    const struct record *const a = &m->inputs[0].record, *const b = &m->inputs[input].record;

    if (a->subject_count != b->subject_count)
        return differ_number(m, input, "the number of subjects", a->subject_count,
                             b->subject_count);
    for (size_t i = 0; i < a->subject_count; i++) {
        const struct record_subject *const x = &a->subjects[i], *const y = &b->subjects[i];
        char what[64];

        snprintf(what, sizeof what, "subject %zu", i);
        if (!same_text(x->label, y->label) || !same_options(x, y))
            return differ(m, input, what, x->label, y->label);
        snprintf(what, sizeof what, "the SHA-256 of subject %zu", i);
        if (!same_text(x->sha256, y->sha256))
            return differ(m, input, what, x->sha256, y->sha256);
        snprintf(what, sizeof what, "the bounds of subject %zu", i);
        if (!same_text(x->bounds, y->bounds))
            return differ(m, input, what, x->bounds, y->bounds);
        snprintf(what, sizeof what, "why subject %zu was not run", i);
        if (!same_text(x->not_run, y->not_run))
            return differ(m, input, what, x->not_run, y->not_run);
        snprintf(what, sizeof what, " of subject %zu", i);
        TRY(check_device(m, input, what, &x->device, &y->device));
    }
    return check_device(m, input, "", &a->device, &b->device);
}

/* ---- cases ---- */

static int compare_cases(const void *a, const void *b)
{
    const struct merge_case *const x = a, *const y = b;

    if (x->index != y->index)
        return x->index > y->index ? 1 : -1;
    return (x->input > y->input) - (x->input < y->input);
}

static bool same_case(const struct record_case *a, const struct record_case *b)
{
    return same_text(a->name, b->name) && same_text(a->op, b->op) && same_text(a->type, b->type) &&
           same_text(a->title, b->title) && a->version == b->version && a->nodes == b->nodes;
}

static const struct record_case *case_of(const struct merging *m, const struct merge_case *c)
{
    return &m->inputs[c->input].record.cases[c->test_case];
}

/* Puts sorted cases in *out, each once. */
static enum status place_cases(struct merging *m, const struct merge_case *sorted, size_t count)
{
    struct record *const out = m->out;

    for (size_t i = 0; i < count; i++) {
        const struct record_case *const c = case_of(m, &sorted[i]);
        struct record_case *const last = out->case_count ? &out->cases[out->case_count - 1] : NULL;

        if (c->index == SIZE_MAX || c->index >= out->run.list_count)
            return diag_fail(m->diag, STATUS_USAGE,
                             "%s: %s: expected an index below the %zu cases of the list",
                             m->inputs[sorted[i].input].path, c->name, out->run.list_count);
        if (!last || last->index != c->index)
            out->cases[out->case_count++] = *c;
        else if (!same_case(last, c))
            return diag_fail(m->diag, STATUS_USAGE,
                             "%s and %s have different cases at index %zu of the list: %s and %s",
                             m->inputs[sorted[i - 1].input].path, m->inputs[sorted[i].input].path,
                             c->index, last->name, c->name);
        else if (!last->inputs)
            last->inputs = c->inputs;
        if (!out->cases[out->case_count - 1].classes)
            out->cases[out->case_count - 1].classes = c->classes;
        m->places[sorted[i].input][sorted[i].test_case] = out->case_count - 1;
    }
    return STATUS_OK;
}

static enum status merge_cases(struct merging *m)
{
    struct arena *const arena = &m->out->arena;
    struct merge_case *all;
    size_t count = 0, n = 0;

    m->places = ARENA_NEW(arena, m->count, size_t *);
    for (size_t i = 0; i < m->count; i++)
        count += m->inputs[i].record.case_count;
    all = ARENA_NEW(arena, count, struct merge_case);
    m->out->cases = ARENA_NEW(arena, count, struct record_case);
    if (!m->places || !all || !m->out->cases)
        return no_memory(m);
    for (size_t i = 0; i < m->count; i++) {
        const struct record *const r = &m->inputs[i].record;

        m->places[i] = ARENA_NEW(arena, r->case_count, size_t);
        if (!m->places[i])
            return no_memory(m);
        for (size_t c = 0; c < r->case_count; c++)
            all[n++] = (struct merge_case){ r->cases[c].index, i, c };
    }
    qsort(all, count, sizeof *all, compare_cases);
    return place_cases(m, all, count);
}

/* ---- results ---- */

static bool same_figure(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Whether two results of one case say the same: times and memory are not compared. */
static bool same_result(const struct record_result *a, const struct record_result *b)
{
    return a->status == b->status && same_text(a->what, b->what) &&
           same_text(a->reason, b->reason) && same_text(a->waiver, b->waiver) &&
           a->required == b->required && a->regression == b->regression &&
           same_figure(a->max_abs, b->max_abs) && same_figure(a->max_ulp, b->max_ulp) &&
           same_figure(a->margin, b->margin) && same_figure(a->bias, b->bias) &&
           a->integers == b->integers && a->unequal == b->unequal &&
           a->not_judged == b->not_judged && a->taken == b->taken && a->checked == b->checked &&
           a->left_out == b->left_out && a->refused == b->refused;
}

/* A result and where it came from, to find those that two inputs have. */
struct merge_result {
    struct record_result result;
    size_t input;
};

static int compare_results(const void *a, const void *b)
{
    const struct merge_result *const x = a, *const y = b;

    if (x->result.subject != y->result.subject)
        return x->result.subject > y->result.subject ? 1 : -1;
    if (x->result.test_case != y->result.test_case)
        return x->result.test_case > y->result.test_case ? 1 : -1;
    return (x->input > y->input) - (x->input < y->input);
}

/* Takes sorted results, each once. */
static enum status place_results(struct merging *m, const struct merge_result *sorted, size_t count)
{
    struct record *const out = m->out;

    for (size_t i = 0; i < count; i++) {
        const struct record_result *const x = &sorted[i].result;
        const bool again = i > 0 && sorted[i - 1].result.subject == x->subject &&
                           sorted[i - 1].result.test_case == x->test_case;

        if (!again)
            out->results[out->result_count++] = *x;
        else if (!same_result(&sorted[i - 1].result, x))
            return diag_fail(
                m->diag, STATUS_MISMATCH,
                "%s and %s have different results of %s on subject %zu: %s with margin "
                "%.3g, and %s with margin %.3g",
                m->inputs[sorted[i - 1].input].path, m->inputs[sorted[i].input].path,
                out->cases[x->test_case].name, x->subject,
                case_status_name(sorted[i - 1].result.status), sorted[i - 1].result.margin,
                case_status_name(x->status), x->margin);
    }
    return STATUS_OK;
}

static enum status merge_results(struct merging *m)
{
    struct arena *const arena = &m->out->arena;
    struct merge_result *all;
    size_t count = 0, n = 0;

    for (size_t i = 0; i < m->count; i++)
        count += m->inputs[i].record.result_count;
    all = ARENA_NEW(arena, count, struct merge_result);
    m->out->results = ARENA_NEW(arena, count, struct record_result);
    if (!all || !m->out->results)
        return no_memory(m);
    for (size_t i = 0; i < m->count; i++) {
        const struct record *const r = &m->inputs[i].record;

        for (size_t k = 0; k < r->result_count; k++) {
            all[n] = (struct merge_result){ r->results[k], i };
            all[n++].result.test_case = m->places[i][r->results[k].test_case];
        }
    }
    qsort(all, count, sizeof *all, compare_results);
    return place_results(m, all, count);
}

static int compare_missing(const void *a, const void *b)
{
    const struct record_missing *const x = a, *const y = b;

    if (x->subject != y->subject)
        return x->subject > y->subject ? 1 : -1;
    return (x->test_case > y->test_case) - (x->test_case < y->test_case);
}

/* What an input misses may be in another one. */
static enum status merge_missing(struct merging *m)
{
    struct record *const out = m->out;
    size_t count = 0, kept = 0;

    for (size_t i = 0; i < m->count; i++)
        count += m->inputs[i].record.missing_count;
    out->missing = ARENA_NEW(&out->arena, count, struct record_missing);
    if (!out->missing)
        return no_memory(m);
    for (size_t i = 0; i < m->count; i++) {
        const struct record *const r = &m->inputs[i].record;

        for (size_t k = 0; k < r->missing_count; k++) {
            const size_t subject = r->missing[k].subject;
            const size_t test_case = m->places[i][r->missing[k].test_case];

            if (!record_find(out, subject, test_case))
                out->missing[kept++] = (struct record_missing){ subject, test_case };
        }
    }
    qsort(out->missing, kept, sizeof *out->missing, compare_missing);
    for (size_t i = 0; i < kept; i++) {
        if (i == 0 || compare_missing(&out->missing[i - 1], &out->missing[i]) != 0)
            out->missing[out->missing_count++] = out->missing[i];
    }
    return STATUS_OK;
}

/* ---- what is not by case ---- */

static enum status merge_minimal(struct merging *m)
{
    struct record *const out = m->out;
    size_t count = 0;
    bool any = false;

    for (size_t i = 0; i < m->count; i++) {
        count += m->inputs[i].record.minimal_count;
        any = any || m->inputs[i].record.minimal;
    }
    if (!any)
        return STATUS_OK;
    out->minimal = ARENA_NEW(&out->arena, count, struct record_minimal);
    if (!out->minimal)
        return no_memory(m);
    for (size_t i = 0; i < m->count; i++) {
        const struct record *const r = &m->inputs[i].record;

        out->minimal_left_out += r->minimal_left_out;
        for (size_t k = 0; k < r->minimal_count; k++) {
            out->minimal[out->minimal_count] = r->minimal[k];
            out->minimal[out->minimal_count++].test_case = m->places[i][r->minimal[k].test_case];
        }
    }
    return STATUS_OK;
}

static int by_text(const void *list, const void *key, size_t item)
{
    return strcmp(key, ((const char *const *)list)[item]);
}

/* Each note once: shards are held against the same files. */
static enum status merge_notes(struct merging *m)
{
    struct record *const out = m->out;
    struct lookup known = { .count = 0 };
    const char **notes;
    size_t count = 0;
    enum status s = STATUS_OK;

    for (size_t i = 0; i < m->count; i++)
        count += m->inputs[i].record.note_count;
    out->notes = notes = ARENA_NEW(&out->arena, count, const char *);
    if (!notes)
        return no_memory(m);
    for (size_t i = 0; i < m->count; i++) {
        const struct record *const r = &m->inputs[i].record;

        for (size_t k = 0; k < r->note_count && s == STATUS_OK; k++) {
            const char *const note = r->notes[k];

            if (lookup_find(&known, by_text, notes, note) != SIZE_MAX)
                continue;
            notes[out->note_count] = note;
            if (!lookup_add(&known, by_text, notes, note, out->note_count++))
                s = no_memory(m);
        }
    }
    lookup_close(&known);
    return s;
}

/* Whole models and planted faults are those of the first input that has them: of several shards
 * the first runs models, and the planted faults are a table from elsewhere. */
static void merge_rest(struct merging *m)
{
    struct record *const out = m->out;

    for (size_t i = 0; i < m->count; i++) {
        const struct record *const r = &m->inputs[i].record;

        if (!out->models && r->models) {
            out->models = r->models;
            out->model_count = r->model_count;
            out->models_skipped = r->models_skipped;
        }
        if (!out->mutants && r->mutants) {
            out->mutants = r->mutants;
            out->mutant_count = r->mutant_count;
        }
        if (!out->broken_end)
            out->broken_end = r->broken_end;
        out->broken_ends += r->broken_ends;
        out->ledger_problems += r->ledger_problems;
    }
}

/* ---- the run ---- */

/* Which shards there are: a byte for each. */
static void mark_shards(const struct record_run *run, unsigned char *there)
{
    for (size_t i = 0; i < run->merged_count; i++)
        there[run->merged[i]] = 1;
    if (run->merged_count == 0)
        there[run->shard] = 1;
}

/* "shards 1, 3 of 4 are missing"; the list ends with "..." where it is long. */
static const char *name_missing(struct merging *m, const unsigned char *there, uint32_t shards)
{
    char text[200];
    size_t used = 0, missing = 0;

    for (uint32_t i = 0; i < shards; i++)
        missing += !there[i];
    used = (size_t)snprintf(text, sizeof text, missing == 1 ? "shard" : "shards");
    for (uint32_t i = 0, named = 0; i < shards; i++) {
        if (there[i])
            continue;
        if (used > 140) {
            used += (size_t)snprintf(text + used, sizeof text - used, ", ...");
            break;
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %u", named++ ? "," : "", i);
    }
    snprintf(text + used, sizeof text - used, " of %u %s missing", shards,
             missing == 1 ? "is" : "are");
    return arena_string(&m->out->arena, text);
}

/* Notes which shards there are, unless these are all. */
static enum status merge_shards(struct merging *m)
{
    struct record_run *const run = &m->out->run;
    const uint32_t shards = run->shards;
    unsigned char *there;
    uint32_t *merged;
    uint32_t count = 0;

    run->shard = run->shards = 0;
    run->merged = NULL;
    run->merged_count = 0;
    if (shards <= 1)
        return STATUS_OK;
    there = ARENA_NEW(&m->out->arena, shards, unsigned char);
    merged = ARENA_NEW(&m->out->arena, shards, uint32_t);
    if (!there || !merged)
        return no_memory(m);
    for (size_t i = 0; i < m->count; i++)
        mark_shards(&m->inputs[i].record.run, there);
    for (uint32_t i = 0; i < shards; i++) {
        if (there[i])
            merged[count++] = i;
    }
    if (count == shards)
        return STATUS_OK;
    run->shards = shards;
    run->merged = merged;
    run->merged_count = count;
    run->interrupted = name_missing(m, there, shards);
    return run->interrupted ? STATUS_OK : no_memory(m);
}

/* The hosts, each once: "a; b". */
static enum status merge_hosts(struct merging *m)
{
    size_t bytes = 1, used = 0;
    char *text;

    for (size_t i = 0; i < m->count; i++) {
        const char *const host = m->inputs[i].record.run.host;

        bytes += host ? strlen(host) + 2 : 0;
    }
    text = arena_alloc(&m->out->arena, bytes, 1);
    if (!text)
        return no_memory(m);
    for (size_t i = 0; i < m->count; i++) {
        const char *const host = m->inputs[i].record.run.host;
        bool again = !host;

        for (size_t k = 0; k < i && !again; k++)
            again = same_text(host, m->inputs[k].record.run.host);
        if (!again)
            used += (size_t)snprintf(text + used, bytes - used, "%s%s", used ? "; " : "", host);
    }
    m->out->run.host = used ? text : NULL;
    return STATUS_OK;
}

static enum status merge_runs(struct merging *m)
{
    struct record_run *const run = &m->out->run;

    *run = m->inputs[0].record.run;
    run->interrupted = NULL;
    for (size_t i = 1; i < m->count; i++) {
        const struct record_run *const other = &m->inputs[i].record.run;

        run->seconds += other->seconds;
        if (other->started && (!run->started || strcmp(other->started, run->started) < 0))
            run->started = other->started;
    }
    TRY(merge_hosts(m));
    return merge_shards(m);
}

/* A run that was cut stays so, unless another input has what it misses. */
static void note_interruption(struct merging *m)
{
    struct record_run *const run = &m->out->run;

    for (size_t i = 0; i < m->count && !run->interrupted && m->out->missing_count > 0; i++)
        run->interrupted = m->inputs[i].record.run.interrupted;
}

static enum status merge_all(struct merging *m)
{
    for (size_t i = 0; i < m->count; i++) {
        TRY(check_run(m, i));
        TRY(check_subjects(m, i));
    }
    TRY(merge_runs(m));
    m->out->device = m->inputs[0].record.device;
    m->out->subjects = m->inputs[0].record.subjects;
    m->out->subject_count = m->inputs[0].record.subject_count;
    TRY(merge_cases(m));
    TRY(merge_results(m));
    TRY(merge_missing(m));
    TRY(merge_minimal(m));
    TRY(merge_notes(m));
    merge_rest(m);
    note_interruption(m);
    return record_index(m->out, m->diag);
}

enum status record_merge(struct record *out, const struct merge_input *inputs, size_t count,
                         struct diag *diag)
{
    struct merging m = { .out = out, .inputs = inputs, .count = count, .diag = diag };
    enum status s;

    *out = (struct record){ .case_count = 0 };
    s = merge_all(&m);
    if (s != STATUS_OK)
        record_close(out);
    return s;
}
