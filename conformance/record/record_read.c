/* Reads a JSON report, which is not trusted. */
#include "conformance/judge/profile.h"
#include "conformance/record/record_value.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUBJECTS_LIMIT = 1000, SHARDS_LIMIT = 1 << 24 };
static const size_t file_limit = (size_t)1 << 30;

struct reading {
    struct record_reader at;
    json_t *root;
    json_t *names; /* of the cases so far: indices by name */
    size_t room;   /* for cases */
    bool seeded;   /* the seed is known */
};

static enum status no_memory(const struct reading *x)
{
    return diag_fail(x->at.diag, STATUS_NO_MEMORY, "%s: out of memory", x->at.place.path);
}

/* Notes which element is read next; it has to be an object. */
static enum status enter(struct reading *x, const char *section, size_t index, json_t *object)
{
    x->at.place.section = section;
    x->at.place.index = index;
    x->at.place.part = NULL;
    return json_is_object(object) ? STATUS_OK : record_unexpected(&x->at, "", "an object", object);
}

static void leave(struct reading *x)
{
    x->at.place.section = NULL;
    x->at.place.part = NULL;
}

/* ---- the run ---- */

static enum status read_filters(struct reading *x, json_t *run)
{
    struct record_run *const r = &x->at.record->run;
    const char **filters;
    json_t *list;

    TRY(record_read_array(&x->at, run, "filters", true, &list));
    r->filter_count = json_array_size(list);
    r->filters = filters = ARENA_NEW(&x->at.record->arena, r->filter_count, const char *);
    if (!filters)
        return no_memory(x);
    for (size_t i = 0; i < r->filter_count; i++) {
        const char *const text = json_string_value(json_array_get(list, i));

        if (!text)
            return record_unexpected(&x->at, "filters", "strings", json_array_get(list, i));
        filters[i] = arena_string(&x->at.record->arena, text);
        if (!filters[i])
            return no_memory(x);
    }
    return STATUS_OK;
}

/* Which shards a merged report has, in order and each once. */
static enum status read_merged(struct reading *x, json_t *shard)
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
        return no_memory(x);
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

static enum status read_shard(struct reading *x, json_t *run)
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

static enum status read_run(struct reading *x)
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
    TRY(enter(x, "run", SIZE_MAX, run));
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
    leave(x);
    return STATUS_OK;
}

/* ---- subjects ---- */

static enum status read_device(struct reading *x, json_t *object, bool needed,
                               struct record_device *device)
{
    json_t *d;

    TRY(record_read_object(&x->at, object, "device", needed, &d));
    if (!d)
        return STATUS_OK;
    x->at.place.part = "device";
    return record_read_fields(&x->at, d, &record_device_fields, device);
}

static enum status read_options(struct reading *x, json_t *object, struct record_subject *s)
{
    json_t *options, *value;
    const char *key;
    size_t n = 0;

    TRY(record_read_object(&x->at, object, "options", true, &options));
    x->at.place.part = "options";
    s->options = ARENA_NEW(&x->at.record->arena, json_object_size(options), struct record_option);
    if (!s->options)
        return no_memory(x);
    json_object_foreach(options, key, value)
    {
        struct record_option *const o = &((struct record_option *)(uintptr_t)s->options)[n++];

        TRY(record_read_text(&x->at, options, key, &o->value));
        o->key = arena_string(&x->at.record->arena, key);
        if (!o->key)
            return no_memory(x);
    }
    s->option_count = n;
    x->at.place.part = NULL;
    return STATUS_OK;
}

/* Reports of version 0.1.0 have no label: the name of the file, and the options. */
static enum status make_label(struct reading *x, struct record_subject *s)
{
    const char *const slash = s->path ? strrchr(s->path, '/') : NULL;
    const char *const name = slash ? slash + 1 : s->path ? s->path : "reference";
    size_t bytes = strlen(name) + 1, used;
    char *label;

    for (size_t i = 0; i < s->option_count; i++)
        bytes += strlen(s->options[i].key) + strlen(s->options[i].value) + 2;
    s->label = label = arena_alloc(&x->at.record->arena, bytes, 1);
    if (!label)
        return no_memory(x);
    used = (size_t)snprintf(label, bytes, "%s", name);
    for (size_t i = 0; i < s->option_count; i++)
        used += (size_t)snprintf(label + used, bytes - used, " %s=%s", s->options[i].key,
                                 s->options[i].value);
    return STATUS_OK;
}

static enum status read_subjects(struct reading *x)
{
    struct record *const r = x->at.record;
    json_t *list;

    TRY(record_read_array(&x->at, x->root, "subjects", true, &list));
    if (json_array_size(list) > SUBJECTS_LIMIT)
        return record_unexpected(&x->at, "subjects", "at most 1000", list);
    r->subjects = ARENA_NEW(&r->arena, json_array_size(list), struct record_subject);
    if (!r->subjects)
        return no_memory(x);
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct record_subject *const s = &r->subjects[r->subject_count++];
        json_t *const o = json_array_get(list, i);

        TRY(enter(x, "subjects", i, o));
        TRY(record_read_fields(&x->at, o, &record_subject_fields, s));
        TRY(read_options(x, o, s));
        TRY(read_device(x, o, false, &s->device));
        if (!s->label)
            TRY(make_label(x, s));
    }
    leave(x);
    return STATUS_OK;
}

/* ---- cases ---- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* All results of a case have to say the same of it. */
static bool same_case(const struct record_case *a, const struct record_case *b)
{
    return same_text(a->op, b->op) && same_text(a->type, b->type) &&
           same_text(a->title, b->title) && a->version == b->version && a->nodes == b->nodes &&
           a->index == b->index;
}

/* Reads subject and case of an element of "cases", "missing" or "minimal". */
static enum status read_pair(struct reading *x, json_t *o, size_t *subject, size_t *test_case)
{
    struct record *const r = x->at.record;
    const char *const name = json_string_value(json_object_get(o, "case"));
    json_t *known;

    if (r->subject_count == 0)
        return record_unexpected(&x->at, "subject", "no case, as there is no subject",
                                 json_object_get(o, "subject"));
    TRY(record_read_count(&x->at, o, "subject", r->subject_count - 1, subject));
    if (!name || !*name)
        return record_unexpected(&x->at, "case", "the name of a case", json_object_get(o, "case"));
    known = json_object_get(x->names, name);
    *test_case = known ? (size_t)json_integer_value(known) : SIZE_MAX;
    return STATUS_OK;
}

/* The same, and what is said of the case. */
static enum status read_case(struct reading *x, json_t *o, size_t *subject, size_t *test_case)
{
    struct record *const r = x->at.record;
    struct record_case c = { .name = json_string_value(json_object_get(o, "case")) };
    struct record_case *before;

    TRY(read_pair(x, o, subject, test_case));
    before = *test_case == SIZE_MAX ? NULL : &r->cases[*test_case];
    TRY(record_read_fields(&x->at, o, &record_case_fields, &c));
    if (!c.op || !c.type)
        return record_unexpected(&x->at, c.op ? "type" : "op", "a string", NULL);
    if (before && !same_case(before, &c))
        return record_unexpected(&x->at, "case",
                                 "the same op, version, type, gap, nodes and index "
                                 "as in its other results",
                                 json_object_get(o, "case"));
    if (before) {
        if (!before->inputs)
            before->inputs = c.inputs;
        return STATUS_OK;
    }
    c.name = arena_string(&r->arena, c.name);
    *test_case = r->case_count;
    if (!c.name ||
        json_object_set_new_nocheck(x->names, c.name, json_integer((json_int_t)*test_case)) != 0)
        return no_memory(x);
    r->cases[r->case_count++] = c;
    return STATUS_OK;
}

/* A profile: at most PROFILE_BINS levels, and no more than there are elements. */
static enum status check_profile(const struct reading *x, json_t *o, const char *key,
                                 const char *levels, size_t elements)
{
    const size_t length = levels ? strlen(levels) : 0;
    bool ok = length <= PROFILE_BINS && length <= elements;

    for (size_t i = 0; i < length && ok; i++)
        ok = profile_ratio(levels[i]) >= 0;
    return ok ? STATUS_OK
              : record_unexpected(&x->at, key, "at most 32 levels of 0-9, A-Z, a-z",
                                  json_object_get(o, key));
}

/* Where it failed, the worst element and the profile. */
static enum status read_details(struct reading *x, json_t *o, struct record_result *result)
{
    json_t *part;

    if (json_object_get(o, "set"))
        TRY(record_read_fields(&x->at, o, &record_failure_fields, result));
    TRY(record_read_object(&x->at, o, "worst", false, &part));
    if (part) {
        x->at.place.part = "worst";
        TRY(record_read_fields(&x->at, part, &record_worst_fields, result));
        x->at.place.part = NULL;
    }
    TRY(record_read_object(&x->at, o, "profile", false, &part));
    if (part) {
        x->at.place.part = "profile";
        TRY(record_read_fields(&x->at, part, &record_profile_fields, result));
        TRY(check_profile(x, part, "by_element", result->by_element, result->elements));
        TRY(check_profile(x, part, "by_channel", result->by_channel, result->channels));
        x->at.place.part = NULL;
    }
    return STATUS_OK;
}

/* The seed of each case is the run's; reports of version 0.1.0 have it nowhere else. */
static enum status read_seed(struct reading *x, json_t *o)
{
    json_t *const seed = json_object_get(o, "seed");
    struct record_run *const run = &x->at.record->run;

    if (!json_is_integer(seed) || (x->seeded && (uint64_t)json_integer_value(seed) != run->seed))
        return record_unexpected(&x->at, "seed", "the seed of the run", seed);
    run->seed = (uint64_t)json_integer_value(seed);
    x->seeded = true;
    return STATUS_OK;
}

static enum status read_results(struct reading *x, json_t *list)
{
    struct record *const r = x->at.record;

    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *const o = json_array_get(list, i);
        struct record_result *const result = &r->results[r->result_count];
        size_t taken = 0;

        TRY(enter(x, "cases", i, o));
        TRY(read_case(x, o, &result->subject, &result->test_case));
        TRY(record_read_fields(&x->at, o, &record_result_fields, result));
        TRY(read_seed(x, o));
        if (r->cases[result->test_case].nodes > 0)
            TRY(record_read_count(&x->at, o, "nodes_taken",
                                  (uint64_t)r->cases[result->test_case].nodes, &taken));
        result->taken = (int)taken;
        TRY(read_details(x, o, result));
        r->result_count++;
    }
    leave(x);
    return STATUS_OK;
}

static enum status read_missing(struct reading *x, json_t *list)
{
    struct record *const r = x->at.record;

    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *const o = json_array_get(list, i);
        struct record_missing *const m = &r->missing[r->missing_count];

        TRY(enter(x, "missing", i, o));
        TRY(read_case(x, o, &m->subject, &m->test_case));
        r->missing_count++;
    }
    leave(x);
    return STATUS_OK;
}

static int compare_places(const void *a, const void *b, void *user)
{
    const struct record_case *const cases = user;
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    const size_t x = cases[i].index, y = cases[j].index;

    return x != y ? (x > y) - (x < y) : (i > j) - (i < j);
}

/* Puts the cases in the order of the list; where it is not known, of their first results. */
static enum status sort_cases(struct reading *x)
{
    struct record *const r = x->at.record;
    size_t *const order = ARENA_NEW(&r->arena, r->case_count, size_t);
    size_t *const place = ARENA_NEW(&r->arena, r->case_count, size_t);
    struct record_case *const sorted = ARENA_NEW(&r->arena, r->case_count, struct record_case);

    if (!order || !place || !sorted)
        return no_memory(x);
    for (size_t i = 0; i < r->case_count; i++)
        order[i] = i;
    qsort_r(order, r->case_count, sizeof *order, compare_places, r->cases);
    for (size_t i = 0; i < r->case_count; i++) {
        sorted[i] = r->cases[order[i]];
        place[order[i]] = i;
        if (i > 0 && sorted[i].index != SIZE_MAX && sorted[i].index == sorted[i - 1].index)
            return diag_fail(x->at.diag, STATUS_USAGE,
                             "%s: cases: %s and %s both have the index %zu", x->at.place.path,
                             sorted[i - 1].name, sorted[i].name, sorted[i].index);
    }
    for (size_t i = 0; i < r->result_count; i++)
        r->results[i].test_case = place[r->results[i].test_case];
    for (size_t i = 0; i < r->missing_count; i++)
        r->missing[i].test_case = place[r->missing[i].test_case];
    r->cases = sorted;
    return STATUS_OK;
}

static enum status read_cases(struct reading *x)
{
    struct record *const r = x->at.record;
    json_t *results, *missing;

    TRY(record_read_array(&x->at, x->root, "cases", true, &results));
    TRY(record_read_array(&x->at, x->root, "missing", false, &missing));
    x->room = json_array_size(results) + json_array_size(missing);
    r->cases = ARENA_NEW(&r->arena, x->room, struct record_case);
    r->results = ARENA_NEW(&r->arena, json_array_size(results), struct record_result);
    r->missing = ARENA_NEW(&r->arena, json_array_size(missing), struct record_missing);
    if (!r->cases || !r->results || !r->missing)
        return no_memory(x);
    TRY(read_results(x, results));
    TRY(read_missing(x, missing));
    TRY(sort_cases(x));
    return diag_prefix(x->at.diag, record_index(r, x->at.diag), "%s: cases", x->at.place.path);
}

/* ---- what is derived ---- */

/* Reports of version 0.1.0 have notes in their lines alone. */
static void read_notes(struct reading *x, const char *key)
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
static enum status check_totals(struct reading *x)
{
    const struct record_totals t = record_totals(x->at.record);
    json_t *totals;

    TRY(record_read_object(&x->at, x->root, "totals", true, &totals));
    TRY(enter(x, "totals", SIZE_MAX, totals));
    for (int i = 0; i < CASE_STATUS_COUNT; i++) {
        const char *const name = case_status_name((enum case_status)i);
        json_t *const value = json_object_get(totals, name);
        char expected[64];

        snprintf(expected, sizeof expected, "%zu, which the cases add up to", t.count[i]);
        if (!json_is_integer(value) || json_integer_value(value) != (json_int_t)t.count[i])
            return record_unexpected(&x->at, name, expected, value);
    }
    leave(x);
    return STATUS_OK;
}

/* ---- models, mutants, minimal forms ---- */

static enum status read_model(struct reading *x, json_t *o, struct record_model *m)
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

static enum status read_models(struct reading *x)
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
        return no_memory(x);
    for (size_t i = 0; i < json_array_size(list); i++) {
        TRY(enter(x, "models", i, json_array_get(list, i)));
        TRY(read_model(x, json_array_get(list, i), &r->models[i]));
    }
    r->model_count = json_array_size(list);
    leave(x);
    return STATUS_OK;
}

static enum status read_mutants(struct reading *x)
{
    struct record *const r = x->at.record;
    json_t *list;

    TRY(record_read_array(&x->at, x->root, "mutants", false, &list));
    if (!list)
        return STATUS_OK;
    r->mutants = ARENA_NEW(&r->arena, json_array_size(list), struct record_mutant);
    if (!r->mutants)
        return no_memory(x);
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct record_mutant *const m = &r->mutants[i];

        TRY(enter(x, "mutants", i, json_array_get(list, i)));
        TRY(record_read_fields(&x->at, json_array_get(list, i), &record_mutant_fields, m));
        if (!m->name || !m->file || !m->by || !m->what)
            return record_unexpected(&x->at, "", "strings", json_array_get(list, i));
    }
    r->mutant_count = json_array_size(list);
    leave(x);
    return STATUS_OK;
}

static enum status read_minimal(struct reading *x)
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
        return no_memory(x);
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *const o = json_array_get(list, i);
        struct record_minimal *const m = &r->minimal[i];

        TRY(enter(x, "minimal", i, o));
        TRY(read_pair(x, o, &m->subject, &m->test_case));
        m->test_case = record_find_case(r, json_string_value(json_object_get(o, "case")));
        if (m->test_case == SIZE_MAX)
            return record_unexpected(&x->at, "case", "one of the cases",
                                     json_object_get(o, "case"));
        TRY(record_read_fields(&x->at, o, &record_minimal_fields, m));
    }
    r->minimal_count = json_array_size(list);
    leave(x);
    return STATUS_OK;
}

static enum status read_rest(struct reading *x)
{
    struct record *const r = x->at.record;
    json_t *ends;

    TRY(record_read_object(&x->at, x->root, "broken_ends", false, &ends));
    if (ends) {
        x->at.place.section = "broken_ends";
        x->at.place.index = SIZE_MAX;
        TRY(record_read_count(&x->at, ends, "count", INT64_MAX, &r->broken_ends));
        TRY(record_read_text(&x->at, ends, "first", &r->broken_end));
        leave(x);
    }
    if (json_object_get(x->root, "ledger_problems"))
        TRY(record_read_count(&x->at, x->root, "ledger_problems", INT64_MAX, &r->ledger_problems));
    TRY(read_models(x));
    TRY(read_mutants(x));
    return read_minimal(x);
}

/* ---- the whole ---- */

static enum status read_root(struct reading *x)
{
    json_t *lines;

    if (!json_is_object(x->root) || !json_object_get(x->root, "assay") ||
        !json_object_get(x->root, "cases") || !json_object_get(x->root, "subjects"))
        return diag_fail(x->at.diag, STATUS_USAGE,
                         "%s: expected a JSON report of assay conformance, with assay, subjects "
                         "and cases",
                         x->at.place.path);
    TRY(read_run(x));
    TRY(read_subjects(x));
    TRY(read_device(x, x->root, true, &x->at.record->device));
    leave(x);
    TRY(record_read_array(&x->at, x->root, "gaps", true, &lines));
    TRY(record_read_array(&x->at, x->root, "ops", true, &lines));
    TRY(read_cases(x));
    read_notes(x, "ops");
    TRY(check_totals(x));
    return read_rest(x);
}

enum status record_read(struct record *r, const char *path, struct diag *diag)
{
    struct reading x = { .at = { r, { .path = path, .index = SIZE_MAX }, diag } };
    uint8_t *bytes;
    size_t count;
    json_error_t error;
    enum status s;

    *r = (struct record){ .case_count = 0 };
    TRY(file_read(path, file_limit, &bytes, &count, diag));
    x.root = json_loadb((const char *)bytes, count, JSON_REJECT_DUPLICATES, &error);
    mem_free(bytes);
    if (!x.root)
        return diag_fail(diag, STATUS_USAGE, "%s: line %d: %s", path, error.line, error.text);
    x.names = json_object();
    s = x.names ? read_root(&x) : no_memory(&x);
    json_decref(x.names);
    json_decref(x.root);
    if (s != STATUS_OK)
        record_close(r);
    return s;
}
