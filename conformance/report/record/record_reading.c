/* Reads the results of a report, one by one. */
#include "conformance/report/record/record_reading.h"

#include "conformance/suite/judge/profile.h"
#include "conformance/util/json_parse.h"

#include <math.h>
#include <string.h>

enum status record_no_memory(const struct record_reading *x)
{
    return diag_fail(x->at.diag, STATUS_NO_MEMORY, "%s: out of memory", x->at.place.path);
}

enum status record_enter(struct record_reading *x, const char *section, size_t index,
                         json_t *object)
{
    x->at.place.section = section;
    x->at.place.index = index;
    x->at.place.part = NULL;
    return json_is_object(object) ? STATUS_OK : record_unexpected(&x->at, "", "an object", object);
}

void record_leave(struct record_reading *x)
{
    x->at.place.section = NULL;
    x->at.place.part = NULL;
}

/* ---- cases ---- */

/* All results of a case have to say the same of it. */
static bool same_case(const struct record_case *a, const struct record_case *b)
{
    return same_text(a->op, b->op) && same_text(a->type, b->type) &&
           same_text(a->title, b->title) && a->version == b->version && a->nodes == b->nodes &&
           a->index == b->index;
}

enum status record_read_pair(struct record_reading *x, json_t *o, size_t *subject,
                             size_t *test_case)
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
static enum status read_case(struct record_reading *x, json_t *o, size_t *subject,
                             size_t *test_case)
{
    struct record *const r = x->at.record;
    struct record_case c = { .name = json_string_value(json_object_get(o, "case")) };
    struct record_case *before;

    TRY(record_read_pair(x, o, subject, test_case));
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
        if (!before->classes)
            before->classes = c.classes;
        return STATUS_OK;
    }
    c.name = arena_string(&r->arena, c.name);
    *test_case = r->case_count;
    if (!c.name ||
        json_object_set_new_nocheck(x->names, c.name, json_integer((json_int_t)*test_case)) != 0)
        return record_no_memory(x);
    r->cases[r->case_count++] = c;
    return STATUS_OK;
}

/* A profile: at most PROFILE_BINS levels, and no more than there are elements. */
static enum status check_profile(const struct record_reading *x, json_t *o, const char *key,
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
static enum status read_details(struct record_reading *x, json_t *o, struct record_result *result)
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
    TRY(record_read_object(&x->at, o, "repeats", false, &part));
    if (part) {
        x->at.place.part = "repeats";
        TRY(record_read_fields(&x->at, part, &record_repeats_fields, result));
        if (result->repeats.wrong > result->repeats.runs)
            return record_unexpected(&x->at, "wrong", "at most as many as there were runs",
                                     json_object_get(part, "wrong"));
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
static enum status read_seed(struct record_reading *x, json_t *o)
{
    json_t *const seed = json_object_get(o, "seed");
    struct record_run *const run = &x->at.record->run;

    if (!json_is_integer(seed) || (x->seeded && (uint64_t)json_integer_value(seed) != run->seed))
        return record_unexpected(&x->at, "seed", "the seed of the run", seed);
    run->seed = (uint64_t)json_integer_value(seed);
    x->seeded = true;
    return STATUS_OK;
}

static enum status read_result(struct record_reading *x, size_t i, json_t *o)
{
    struct record *const r = x->at.record;
    struct record_result *const result = &r->results[r->result_count];
    size_t taken = 0;

    TRY(record_enter(x, "cases", i, o));
    TRY(read_case(x, o, &result->subject, &result->test_case));
    TRY(record_read_fields(&x->at, o, &record_result_fields, result));
    if (result->status == CASE_MISSING)
        return record_unexpected(&x->at, "status", "that of a check that was run",
                                 json_object_get(o, "status"));
    TRY(read_seed(x, o));
    if (r->cases[result->test_case].nodes > 0)
        TRY(record_read_count(&x->at, o, "nodes_taken", (uint64_t)r->cases[result->test_case].nodes,
                              &taken));
    result->taken = (int)taken;
    TRY(read_details(x, o, result));
    r->result_count++;
    return STATUS_OK;
}

/* Parses the text of one element, and reads it. */
static enum status read_slice(struct record_reading *x, size_t i)
{
    const struct record_slice *const slice = &x->slices.items[i];
    json_error_t error;
    json_t *const o = json_parse(slice->text, slice->bytes, JSON_REJECT_DUPLICATES, &error);
    enum status s;

    if (!o)
        return diag_fail(x->at.diag, STATUS_USAGE, "%s: cases[%zu]: %s", x->at.place.path, i,
                         error.text);
    s = read_result(x, i, o);
    json_decref(o);
    return s;
}

static enum status read_results(struct record_reading *x, json_t *list)
{
    for (size_t i = 0; i < x->slices.count; i++)
        TRY(read_slice(x, i));
    for (size_t i = 0; i < json_array_size(list); i++)
        TRY(read_result(x, i, json_array_get(list, i)));
    record_leave(x);
    return STATUS_OK;
}

static enum status read_missing(struct record_reading *x, json_t *list)
{
    struct record *const r = x->at.record;

    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *const o = json_array_get(list, i);
        struct record_missing *const m = &r->missing[r->missing_count];

        TRY(record_enter(x, "missing", i, o));
        TRY(read_case(x, o, &m->subject, &m->test_case));
        r->missing_count++;
    }
    record_leave(x);
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
static enum status sort_cases(struct record_reading *x)
{
    struct record *const r = x->at.record;
    size_t *const order = ARENA_NEW(&r->arena, r->case_count, size_t);
    size_t *const place = ARENA_NEW(&r->arena, r->case_count, size_t);
    struct record_case *const sorted = ARENA_NEW(&r->arena, r->case_count, struct record_case);

    if (!order || !place || !sorted)
        return record_no_memory(x);
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

enum status record_read_cases(struct record_reading *x)
{
    struct record *const r = x->at.record;
    json_t *results, *missing;
    size_t count;

    TRY(record_read_array(&x->at, x->root, "cases", true, &results));
    TRY(record_read_array(&x->at, x->root, "missing", false, &missing));
    count = x->slices.count + json_array_size(results);
    x->room = count + json_array_size(missing);
    r->cases = ARENA_NEW(&r->arena, x->room, struct record_case);
    r->results = ARENA_NEW(&r->arena, count, struct record_result);
    r->missing = ARENA_NEW(&r->arena, json_array_size(missing), struct record_missing);
    if (!r->cases || !r->results || !r->missing)
        return record_no_memory(x);
    TRY(read_results(x, results));
    TRY(read_missing(x, missing));
    TRY(sort_cases(x));
    return diag_prefix(x->at.diag, record_index(r, x->at.diag), "%s: cases", x->at.place.path);
}
