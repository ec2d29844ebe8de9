/* Reads a JSON report, which is not trusted. */
#include "conformance/report/record/record_reading.h"

#include "conformance/suite/subject/subject.h"
#include "conformance/util/json_parse.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <math.h>
#include <string.h>

enum { SUBJECTS_LIMIT = 1000, SHARDS_LIMIT = 1 << 24 };
static const size_t file_limit = (size_t)1 << 30;

/* ---- the run ---- */

static enum status read_filters(struct record_reading *x, json_t *run)
{
    struct record_run *const r = &x->at.record->run;
    const char **filters;
    json_t *list;

    TRY(record_read_array(&x->at, run, "filters", true, &list));
    r->filter_count = json_array_size(list);
    r->filters = filters = ARENA_NEW(&x->at.record->arena, r->filter_count, const char *);
    if (!filters)
        return record_no_memory(x);
    for (size_t i = 0; i < r->filter_count; i++) {
        const char *const text = json_string_value(json_array_get(list, i));

        if (!text)
            return record_unexpected(&x->at, "filters", "strings", json_array_get(list, i));
        filters[i] = arena_string(&x->at.record->arena, text);
        if (!filters[i])
            return record_no_memory(x);
    }
    return STATUS_OK;
}

/* Which shards a merged report has, in order and each once. */
static enum status read_merged(struct record_reading *x, json_t *shard)
{
    struct record_run *const r = &x->at.record->run;
    uint32_t *merged;
    json_t *list;

    TRY(record_read_array(&x->at, shard, "merged", false, &list));
    if (!list)
        return STATUS_OK;
    r->merged_count = json_array_size(list);
    r->merged = merged = ARENA_NEW(&x->at.record->arena, r->merged_count, uint32_t);
    if (!merged)
        return record_no_memory(x);
    for (size_t i = 0; i < r->merged_count; i++) {
        json_t *const one = json_array_get(list, i);
        const json_int_t n = json_integer_value(one);

        if (!json_is_integer(one) || n < 0 || n >= (json_int_t)r->shards ||
            (i > 0 && n <= (json_int_t)merged[i - 1]))
            return record_unexpected(&x->at, "merged", "indices of shards, in order", one);
        merged[i] = (uint32_t)n;
    }
    return STATUS_OK;
}

static enum status read_shard(struct record_reading *x, json_t *run)
{
    struct record_run *const r = &x->at.record->run;
    json_t *const shard = json_object_get(run, "shard");
    size_t count = 0, index = 0;

    if (json_is_null(shard))
        return STATUS_OK;
    if (!json_is_object(shard))
        return record_unexpected(&x->at, "shard", "an object or null", shard);
    x->at.place.part = "shard";
    TRY(record_read_count(&x->at, shard, "count", SHARDS_LIMIT, &count));
    if (count < 2)
        return record_unexpected(&x->at, "count", "at least 2", json_object_get(shard, "count"));
    r->shards = (uint32_t)count;
    TRY(read_merged(x, shard));
    if (r->merged_count == 0)
        TRY(record_read_count(&x->at, shard, "index", count - 1, &index));
    r->shard = (uint32_t)index;
    x->at.place.part = NULL;
    return STATUS_OK;
}

static enum status read_run(struct record_reading *x)
{
    struct record_run *const r = &x->at.record->run;
    const char *version;
    json_t *run, *list;

    TRY(record_read_text(&x->at, x->root, "assay", &version));
    r->version = version;
    r->seconds = r->timeout_s = NAN;
    TRY(record_read_object(&x->at, x->root, "run", false, &run));
    if (!run)
        return STATUS_OK;
    TRY(record_enter(x, "run", SIZE_MAX, run));
    TRY(record_read_fields(&x->at, run, &record_run_fields, r));
    x->seeded = true;
    if (!r->version || strcmp(r->version, version) != 0)
        return record_unexpected(&x->at, "version", "the value of \"assay\"",
                                 json_object_get(run, "version"));
    TRY(read_filters(x, run));
    TRY(read_shard(x, run));
    TRY(record_read_object(&x->at, run, "list", true, &list));
    x->at.place.part = "list";
    TRY(record_read_count(&x->at, list, "count", INT64_MAX, &r->list_count));
    if (!json_is_null(json_object_get(list, "sha256")))
        TRY(record_read_text(&x->at, list, "sha256", &r->list_sha256));
    record_leave(x);
    return STATUS_OK;
}

/* ---- subjects ---- */

static enum status read_device(struct record_reading *x, json_t *object, bool needed,
                               struct record_device *device)
{
    json_t *d;

    TRY(record_read_object(&x->at, object, "device", needed, &d));
    if (!d)
        return STATUS_OK;
    x->at.place.part = "device";
    return record_read_fields(&x->at, d, &record_device_fields, device);
}

static enum status read_options(struct record_reading *x, json_t *object, struct record_subject *s)
{
    json_t *options, *value;
    const char *key;
    size_t n = 0;

    TRY(record_read_object(&x->at, object, "options", true, &options));
    x->at.place.part = "options";
    if (json_object_size(options) > SUBJECT_OPTIONS_MAX)
        return record_unexpected(&x->at, "", "at most 64 options", options);
    s->options = ARENA_NEW(&x->at.record->arena, json_object_size(options), struct record_option);
    if (!s->options)
        return record_no_memory(x);
    json_object_foreach(options, key, value)
    {
        struct record_option *const o = &((struct record_option *)(uintptr_t)s->options)[n++];

        TRY(record_read_text(&x->at, options, key, &o->value));
        o->key = arena_string(&x->at.record->arena, key);
        if (!o->key)
            return record_no_memory(x);
    }
    s->option_count = n;
    x->at.place.part = NULL;
    return STATUS_OK;
}

/* Reports of version 0.1.0 have no label: the name of the file, and the options. */
static enum status make_label(struct record_reading *x, struct record_subject *s)
{
    const char *const slash = s->path ? strrchr(s->path, '/') : NULL;
    const char *const name = slash ? slash + 1 : s->path ? s->path : "reference";
    size_t bytes = strlen(name) + 1, used;
    char *label;

    for (size_t i = 0; i < s->option_count; i++)
        bytes += strlen(s->options[i].key) + strlen(s->options[i].value) + 2;
    s->label = label = arena_alloc(&x->at.record->arena, bytes, 1);
    if (!label)
        return record_no_memory(x);
    used = (size_t)snprintf(label, bytes, "%s", name);
    for (size_t i = 0; i < s->option_count; i++)
        used += (size_t)snprintf(label + used, bytes - used, " %s=%s", s->options[i].key,
                                 s->options[i].value);
    return STATUS_OK;
}

static enum status read_subjects(struct record_reading *x)
{
    struct record *const r = x->at.record;
    json_t *list;

    TRY(record_read_array(&x->at, x->root, "subjects", true, &list));
    if (json_array_size(list) > SUBJECTS_LIMIT)
        return record_unexpected(&x->at, "subjects", "at most 1000", list);
    r->subjects = ARENA_NEW(&r->arena, json_array_size(list), struct record_subject);
    if (!r->subjects)
        return record_no_memory(x);
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct record_subject *const s = &r->subjects[r->subject_count++];
        json_t *const o = json_array_get(list, i);

        TRY(record_enter(x, "subjects", i, o));
        TRY(record_read_fields(&x->at, o, &record_subject_fields, s));
        TRY(read_options(x, o, s));
        TRY(read_device(x, o, false, &s->device));
        if (!s->label)
            TRY(make_label(x, s));
    }
    record_leave(x);
    return STATUS_OK;
}

/* ---- what is derived ---- */

/* Reports of version 0.1.0 have notes in their lines alone. */
static void read_notes(struct record_reading *x, const char *key)
{
    json_t *const lines = json_object_get(x->root, key);
    struct record *const r = x->at.record;

    for (size_t i = 0; i < json_array_size(lines); i++) {
        json_t *const worst = json_object_get(json_array_get(lines, i), "worst");

        for (size_t k = 0; k < json_array_size(worst); k++) {
            json_t *const o = json_array_get(worst, k);
            const char *const name = json_string_value(json_object_get(o, "case"));
            const char *const note = json_string_value(json_object_get(o, "note"));
            const size_t c = name && note ? record_find_case(r, name) : SIZE_MAX;
            const struct record_result *const found =
                c == SIZE_MAX
                    ? NULL
                    : record_find(r, (size_t)json_integer_value(json_object_get(o, "subject")), c);

            if (found && !found->note)
                r->results[found - r->results].note = arena_string(&r->arena, note);
        }
    }
}

/* A report whose sums are not those of its cases was cut or changed. */
static enum status check_totals(struct record_reading *x)
{
    const struct record_totals t = record_totals(x->at.record);
    json_t *totals;

    TRY(record_read_object(&x->at, x->root, "totals", true, &totals));
    TRY(record_enter(x, "totals", SIZE_MAX, totals));
    for (int i = 0; i < CASE_STATUS_COUNT; i++) {
        const char *const name = case_status_name((enum case_status)i);
        json_t *const value = json_object_get(totals, name);
        char expected[64];

        snprintf(expected, sizeof expected, "%zu, which the cases add up to", t.count[i]);
        if (!json_is_integer(value) || json_integer_value(value) != (json_int_t)t.count[i])
            return record_unexpected(&x->at, name, expected, value);
    }
    record_leave(x);
    return STATUS_OK;
}

/* ---- models, mutants, minimal forms ---- */

static enum status read_model(struct record_reading *x, json_t *o, struct record_model *m)
{
    json_t *const subject = json_object_get(o, "subject");

    TRY(record_read_fields(&x->at, o, &record_model_fields, m));
    if (!m->name)
        return record_unexpected(&x->at, "model", "a string", NULL);
    m->is_reference = json_is_null(subject);
    if (!m->is_reference && x->at.record->subject_count == 0)
        return record_unexpected(&x->at, "subject", "null, as there is no subject", subject);
    if (!m->is_reference)
        TRY(record_read_count(&x->at, o, "subject", x->at.record->subject_count - 1, &m->subject));
    m->compared = !json_is_null(json_object_get(o, "same"));
    if (m->compared)
        return record_read_fields(&x->at, o, &record_figure_fields, m);
    m->snr_db = m->max_abs = m->mean_steps = NAN;
    return STATUS_OK;
}

static enum status read_models(struct record_reading *x)
{
    struct record *const r = x->at.record;
    json_t *list, *skipped = json_object_get(x->root, "models_skipped");

    TRY(record_read_array(&x->at, x->root, "models", false, &list));
    if (skipped)
        TRY(record_read_text(&x->at, x->root, "models_skipped", &r->models_skipped));
    if (!list)
        return STATUS_OK;
    r->models = ARENA_NEW(&r->arena, json_array_size(list), struct record_model);
    if (!r->models)
        return record_no_memory(x);
    for (size_t i = 0; i < json_array_size(list); i++) {
        TRY(record_enter(x, "models", i, json_array_get(list, i)));
        TRY(read_model(x, json_array_get(list, i), &r->models[i]));
    }
    r->model_count = json_array_size(list);
    record_leave(x);
    return STATUS_OK;
}

static enum status read_mutants(struct record_reading *x)
{
    struct record *const r = x->at.record;
    json_t *list;

    TRY(record_read_array(&x->at, x->root, "mutants", false, &list));
    if (!list)
        return STATUS_OK;
    r->mutants = ARENA_NEW(&r->arena, json_array_size(list), struct record_mutant);
    if (!r->mutants)
        return record_no_memory(x);
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct record_mutant *const m = &r->mutants[i];

        TRY(record_enter(x, "mutants", i, json_array_get(list, i)));
        TRY(record_read_fields(&x->at, json_array_get(list, i), &record_mutant_fields, m));
        if (!m->name || !m->file || !m->by || !m->what)
            return record_unexpected(&x->at, "", "strings", json_array_get(list, i));
    }
    r->mutant_count = json_array_size(list);
    record_leave(x);
    return STATUS_OK;
}

static enum status read_remarks(struct record_reading *x)
{
    struct record *const r = x->at.record;
    const char **notes;
    json_t *list;

    TRY(record_read_array(&x->at, x->root, "notes", false, &list));
    if (!list)
        return STATUS_OK;
    r->notes = notes = ARENA_NEW(&r->arena, json_array_size(list), const char *);
    if (!notes)
        return record_no_memory(x);
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!json_is_string(json_array_get(list, i)))
            return record_unexpected(&x->at, "notes", "strings", json_array_get(list, i));
        notes[i] = arena_string(&r->arena, json_string_value(json_array_get(list, i)));
        if (!notes[i])
            return record_no_memory(x);
    }
    r->note_count = json_array_size(list);
    return STATUS_OK;
}

static enum status read_minimal(struct record_reading *x)
{
    struct record *const r = x->at.record;
    json_t *list;

    TRY(record_read_array(&x->at, x->root, "minimal", false, &list));
    if (json_object_get(x->root, "minimal_left_out"))
        TRY(record_read_count(&x->at, x->root, "minimal_left_out", INT64_MAX,
                              &r->minimal_left_out));
    if (!list)
        return STATUS_OK;
    r->minimal = ARENA_NEW(&r->arena, json_array_size(list), struct record_minimal);
    if (!r->minimal)
        return record_no_memory(x);
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *const o = json_array_get(list, i);
        struct record_minimal *const m = &r->minimal[i];

        TRY(record_enter(x, "minimal", i, o));
        TRY(record_read_pair(x, o, &m->subject, &m->test_case));
        m->test_case = record_find_case(r, json_string_value(json_object_get(o, "case")));
        if (m->test_case == SIZE_MAX)
            return record_unexpected(&x->at, "case", "one of the cases",
                                     json_object_get(o, "case"));
        TRY(record_read_fields(&x->at, o, &record_minimal_fields, m));
    }
    r->minimal_count = json_array_size(list);
    record_leave(x);
    return STATUS_OK;
}

static enum status read_rest(struct record_reading *x)
{
    struct record *const r = x->at.record;
    json_t *ends;

    TRY(record_read_object(&x->at, x->root, "broken_ends", false, &ends));
    if (ends) {
        x->at.place.section = "broken_ends";
        x->at.place.index = SIZE_MAX;
        TRY(record_read_count(&x->at, ends, "count", INT64_MAX, &r->broken_ends));
        TRY(record_read_text(&x->at, ends, "first", &r->broken_end));
        record_leave(x);
    }
    if (json_object_get(x->root, "ledger_problems"))
        TRY(record_read_count(&x->at, x->root, "ledger_problems", INT64_MAX, &r->ledger_problems));
    TRY(read_models(x));
    TRY(read_mutants(x));
    TRY(read_remarks(x));
    return read_minimal(x);
}

/* ---- the whole ---- */

static enum status read_root(struct record_reading *x)
{
    json_t *lines;
    size_t schema; /* one that is newer has more keys, which are left out */

    /* What is no object has no keys. */
    if (json_object_get(x->root, "summary"))
        return diag_fail(x->at.diag, STATUS_USAGE,
                         "%s: a summary, which has no single results; `assay report site` shows it",
                         x->at.place.path);
    if (!json_object_get(x->root, "assay") || !json_object_get(x->root, "cases") ||
        !json_object_get(x->root, "subjects"))
        return diag_fail(x->at.diag, STATUS_USAGE,
                         "%s: expected a JSON report of assay conformance, with assay, subjects "
                         "and cases",
                         x->at.place.path);
    if (json_object_get(x->root, "schema"))
        TRY(record_read_count(&x->at, x->root, "schema", INT32_MAX, &schema));
    TRY(read_run(x));
    TRY(read_subjects(x));
    TRY(read_device(x, x->root, true, &x->at.record->device));
    record_leave(x);
    TRY(record_read_array(&x->at, x->root, "gaps", true, &lines));
    TRY(record_read_array(&x->at, x->root, "ops", true, &lines));
    TRY(record_read_cases(x));
    read_notes(x, "ops");
    TRY(check_totals(x));
    return read_rest(x);
}

/* Parses the text, without its cases where these can be parsed one by one. */
static enum status parse(struct record_reading *x, struct arena *arena, const char *text,
                         size_t bytes)
{
    json_error_t error;

    if (record_slices_find(&x->slices, arena, text, bytes, "cases"))
        x->root = json_parse(x->slices.rest, x->slices.rest_bytes, JSON_REJECT_DUPLICATES, NULL);
    if (x->root)
        return STATUS_OK;
    x->slices = (struct record_slices){ .count = 0 };
    x->root = json_parse(text, bytes, JSON_REJECT_DUPLICATES, &error);
    return x->root ? STATUS_OK
                   : diag_fail(x->at.diag, STATUS_USAGE, "%s: line %d: %s", x->at.place.path,
                               error.line > 0 ? error.line : 1, error.text);
}

enum status record_read(struct record *r, const char *path, struct diag *diag)
{
    struct record_reading x = { .at = { r, { .path = path, .index = SIZE_MAX }, diag } };
    struct arena arena = { 0 };
    uint8_t *bytes;
    size_t count;
    enum status s;

    *r = (struct record){ .case_count = 0 };
    TRY(file_read(path, file_limit, &bytes, &count, diag));
    s = parse(&x, &arena, (const char *)bytes, count);
    if (s == STATUS_OK) {
        x.names = json_object();
        s = x.names ? read_root(&x) : record_no_memory(&x);
    }
    json_decref(x.names);
    json_decref(x.root);
    arena_close(&arena);
    mem_free(bytes);
    if (s != STATUS_OK)
        record_close(r);
    return s;
}
