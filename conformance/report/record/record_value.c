#include "conformance/report/record/record_value.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages ---- */

enum { FOUND_BYTES = 80 };

/* Writes a value in words: arrays and objects by their size, since they may be large. */
static void describe(json_t *value, char text[FOUND_BYTES])
{
    char *dump;

    if (!value) {
        snprintf(text, FOUND_BYTES, "nothing");
    } else if (json_is_array(value)) {
        snprintf(text, FOUND_BYTES, "an array of %zu", json_array_size(value));
    } else if (json_is_object(value)) {
        snprintf(text, FOUND_BYTES, "an object of %zu keys", json_object_size(value));
    } else {
        dump = json_dumps(value, JSON_ENCODE_ANY);
        snprintf(text, FOUND_BYTES, "%.60s%s", dump ? dump : "?",
                 dump && strlen(dump) > 60 ? "..." : "");
        free(dump);
    }
}

enum status record_unexpected(const struct record_reader *reader, const char *key,
                              const char *expected, json_t *value)
{
    const struct record_place *const p = &reader->place;
    char place[128] = "", found[FOUND_BYTES];
    size_t used = 0;

    if (p->section)
        used = (size_t)snprintf(place, sizeof place, "%s", p->section);
    if (p->section && p->index != SIZE_MAX)
        used += (size_t)snprintf(place + used, sizeof place - used, "[%zu]", p->index);
    if (p->part)
        used += (size_t)snprintf(place + used, sizeof place - used, ".%s", p->part);
    describe(value, found);
    return diag_fail(reader->diag, STATUS_USAGE, "%s: %s%s%s: expected %s, found %s", p->path,
                     place, used && *key ? "." : "", key, expected, found);
}

static enum status no_memory(const struct record_reader *reader)
{
    return diag_fail(reader->diag, STATUS_NO_MEMORY, "%s: out of memory", reader->place.path);
}

/* ---- values ---- */

static enum status copy_text(const struct record_reader *reader, const char *key, json_t *value,
                             const char **out)
{
    if (!json_is_string(value))
        return record_unexpected(reader, key, "a string", value);
    *out = arena_string(&reader->record->arena, json_string_value(value));
    return *out ? STATUS_OK : no_memory(reader);
}

static enum status read_real(const struct record_reader *reader, const char *key, json_t *value,
                             double *out)
{
    *out = NAN;
    if (json_is_null(value))
        return STATUS_OK;
    if (!json_is_number(value))
        return record_unexpected(reader, key, "a number or null", value);
    *out = json_number_value(value);
    return STATUS_OK;
}

static enum status read_whole(const struct record_reader *reader, const char *key, json_t *value,
                              uint64_t max, uint64_t *out)
{
    const json_int_t n = json_integer_value(value);
    char expected[64];

    snprintf(expected, sizeof expected, "a whole number from 0 to %llu", (unsigned long long)max);
    if (!json_is_integer(value) || n < 0 || (uint64_t)n > max)
        return record_unexpected(reader, key, expected, value);
    *out = (uint64_t)n;
    return STATUS_OK;
}

static enum status read_status(const struct record_reader *reader, const char *key, json_t *value,
                               enum case_status *out)
{
    if (json_is_string(value) &&
        case_status_find(json_string_value(value), json_string_length(value), out))
        return STATUS_OK;
    return record_unexpected(
        reader, key, "pass, fail, declined, crash, timeout, waived or unexpected_pass", value);
}

/* Names of other versions are left out. */
static enum status read_habits(const struct record_reader *reader, const char *key, json_t *value,
                               uint32_t *out)
{
    *out = 0;
    if (!json_is_array(value))
        return record_unexpected(reader, key, "an array of names", value);
    for (size_t i = 0; i < json_array_size(value); i++) {
        json_t *const name = json_array_get(value, i);

        if (!json_is_string(name))
            return record_unexpected(reader, key, "an array of names", name);
        for (int h = 0; h < HABIT_COUNT; h++)
            *out |= strcmp(json_string_value(name), habit_names[h]) == 0 ? 1u << h : 0;
    }
    return STATUS_OK;
}

static enum status read_frame(const struct record_reader *reader, const char *key, json_t *value,
                              char *out)
{
    const char *const text = json_string_value(value);

    *out = '\0';
    if (json_is_null(value))
        return STATUS_OK;
    if (!text || (strcmp(text, "A") != 0 && strcmp(text, "B") != 0))
        return record_unexpected(reader, key, "\"A\", \"B\" or null", value);
    *out = text[0];
    return STATUS_OK;
}

/* A seed may be any 64 bits; JSON has those above 2^63 as negative numbers. */
static enum status read_u64(const struct record_reader *reader, const char *key, json_t *value,
                            uint64_t *out)
{
    if (strcmp(key, "seed") != 0)
        return read_whole(reader, key, value, INT64_MAX, out);
    if (!json_is_integer(value))
        return record_unexpected(reader, key, "a whole number", value);
    *out = (uint64_t)json_integer_value(value);
    return STATUS_OK;
}

static enum status read_size(const struct record_reader *reader, const char *key, json_t *value,
                             size_t *out)
{
    uint64_t n = SIZE_MAX;

    if (!json_is_null(value))
        TRY(read_whole(reader, key, value, INT64_MAX, &n));
    *out = (size_t)n;
    return STATUS_OK;
}

/* ---- fields ---- */

/* What a field holds that the object does not have. */
static void set_empty(const struct record_field *f, void *at)
{
    switch (f->kind) {
    case RECORD_TEXT:
    case RECORD_WORDS: *(const char **)at = NULL; break;
    case RECORD_REAL: *(double *)at = NAN; break;
    case RECORD_U64: *(uint64_t *)at = 0; break;
    case RECORD_SIZE: *(size_t *)at = f->presence == RECORD_LATER ? SIZE_MAX : 0; break;
    case RECORD_U32:
    case RECORD_HABITS: *(uint32_t *)at = 0; break;
    case RECORD_INT: *(int *)at = 0; break;
    case RECORD_BOOL: *(bool *)at = false; break;
    case RECORD_STATUS: *(enum case_status *)at = CASE_PASS; break;
    case RECORD_FRAME: *(char *)at = '\0'; break;
    }
}

static enum status read_value(const struct record_reader *reader, const struct record_field *f,
                              json_t *value, void *at)
{
    uint64_t n = 0;

    switch (f->kind) {
    case RECORD_TEXT:
        *(const char **)at = NULL;
        return json_is_null(value) ? STATUS_OK : copy_text(reader, f->key, value, at);
    case RECORD_WORDS:
        *(const char **)at = NULL;
        if (json_is_string(value) && json_string_length(value) == 0)
            return STATUS_OK;
        return copy_text(reader, f->key, value, at);
    case RECORD_REAL: return read_real(reader, f->key, value, at);
    case RECORD_U64: return read_u64(reader, f->key, value, at);
    case RECORD_SIZE: return read_size(reader, f->key, value, at);
    case RECORD_U32:
        TRY(read_whole(reader, f->key, value, UINT32_MAX, &n));
        *(uint32_t *)at = (uint32_t)n;
        return STATUS_OK;
    case RECORD_INT:
        TRY(read_whole(reader, f->key, value, INT_MAX, &n));
        *(int *)at = (int)n;
        return STATUS_OK;
    case RECORD_BOOL:
        *(bool *)at = json_is_true(value);
        return json_is_boolean(value) ? STATUS_OK
                                      : record_unexpected(reader, f->key, "true or false", value);
    case RECORD_STATUS: return read_status(reader, f->key, value, at);
    case RECORD_HABITS: return read_habits(reader, f->key, value, at);
    case RECORD_FRAME: return read_frame(reader, f->key, value, at);
    }
    return STATUS_OK;
}

/* Figures that are null because they are infinite: {"margin": 1}, by their sign. */
static enum status read_infinite(const struct record_reader *reader, json_t *object,
                                 const struct record_fields *fields, void *base)
{
    json_t *const signs = json_object_get(object, "infinite");

    if (!signs)
        return STATUS_OK;
    if (!json_is_object(signs))
        return record_unexpected(reader, "infinite", "an object", signs);
    for (size_t i = 0; i < fields->count; i++) {
        const struct record_field *const f = &fields->items[i];
        json_t *const sign = json_object_get(signs, f->key);
        double *const at = (double *)(void *)((char *)base + f->offset);

        if (!sign || f->kind != RECORD_REAL)
            continue;
        if (!json_is_integer(sign) || !isnan(*at) ||
            (json_integer_value(sign) != 1 && json_integer_value(sign) != -1))
            return record_unexpected(reader, "infinite", "1 or -1, of figures that are null", sign);
        *at = json_integer_value(sign) > 0 ? INFINITY : -INFINITY;
    }
    return STATUS_OK;
}

enum status record_read_fields(const struct record_reader *reader, json_t *object,
                               const struct record_fields *fields, void *base)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct record_field *const f = &fields->items[i];
        json_t *const value = json_object_get(object, f->key);
        void *const at = (char *)base + f->offset;

        if (value)
            TRY(read_value(reader, f, value, at));
        else if (f->presence == RECORD_ALWAYS)
            return record_unexpected(reader, f->key, "a value", NULL);
        else
            set_empty(f, at);
    }
    return read_infinite(reader, object, fields, base);
}

/* ---- single values ---- */

enum status record_read_count(const struct record_reader *reader, json_t *object, const char *key,
                              uint64_t max, size_t *out)
{
    uint64_t n = 0;

    TRY(read_whole(reader, key, json_object_get(object, key), max, &n));
    *out = (size_t)n;
    return STATUS_OK;
}

enum status record_read_text(const struct record_reader *reader, json_t *object, const char *key,
                             const char **out)
{
    return copy_text(reader, key, json_object_get(object, key), out);
}

enum status record_read_array(const struct record_reader *reader, json_t *object, const char *key,
                              bool needed, json_t **out)
{
    *out = json_object_get(object, key);
    if (json_is_array(*out) || (!*out && !needed))
        return STATUS_OK;
    return record_unexpected(reader, key, "an array", *out);
}

enum status record_read_object(const struct record_reader *reader, json_t *object, const char *key,
                               bool needed, json_t **out)
{
    *out = json_object_get(object, key);
    if (json_is_object(*out) || (!*out && !needed))
        return STATUS_OK;
    return record_unexpected(reader, key, "an object", *out);
}
