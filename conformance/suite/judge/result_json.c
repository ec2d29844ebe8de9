#include "conformance/suite/judge/result_json.h"

#include "conformance/util/json_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { BOOL, INT, UINT32, UINT64, SIZE, DOUBLE, TEXT, CHAR, STATUS, SET };

#define FIELD(name, kind)                                                                          \
    {                                                                                              \
#name, kind, offsetof(struct case_result, name), sizeof(((struct case_result *)0)->name)   \
    }
/* What a run finds; what waivers and baselines make of it follows from these fields. */
static const struct field {
    const char *name;
    enum kind kind;
    size_t offset, bytes;
} fields[] = {
    FIELD(status, STATUS),       FIELD(reason, TEXT),        FIELD(max_abs, DOUBLE),
    FIELD(max_ulp, DOUBLE),      FIELD(margin, DOUBLE),      FIELD(bias, DOUBLE),
    FIELD(integers, UINT64),     FIELD(unequal, UINT64),     FIELD(ms, DOUBLE),
    FIELD(bytes, UINT64),        FIELD(nodes, INT),          FIELD(taken, INT),
    FIELD(habits, UINT32),       FIELD(left_out, UINT32),    FIELD(refused, UINT32),
    FIELD(repeat.asked, UINT64), FIELD(repeat.runs, UINT64), FIELD(repeat.wrong, UINT64),
    FIELD(repeat.cut, TEXT),     FIELD(has_set, BOOL),       FIELD(set, SET),
    FIELD(frame, CHAR),          FIELD(has_element, BOOL),   FIELD(output, INT),
    FIELD(where, TEXT),          FIELD(got, DOUBLE),         FIELD(want, DOUBLE),
    FIELD(error, DOUBLE),        FIELD(limit, DOUBLE),       FIELD(worst.ratio, DOUBLE),
    FIELD(worst.where, TEXT),    FIELD(worst.got, DOUBLE),   FIELD(worst.want, DOUBLE),
    FIELD(worst.error, DOUBLE),  FIELD(worst.limit, DOUBLE), FIELD(by_element, TEXT),
    FIELD(by_channel, TEXT),     FIELD(elements, SIZE),      FIELD(channels, SIZE),
    FIELD(inputs, TEXT),         FIELD(classes, TEXT),       FIELD(not_judged, UINT64),
    FIELD(designs, UINT32),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

/* ---- writing ---- */

/* JSON has neither infinities nor NaN. */
static json_t *from_double(double v)
{
    if (isfinite(v))
        return json_real(v);
    return json_string(isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
}

static json_t *from_field(const struct field *f, const void *p)
{
    switch (f->kind) {
    case BOOL: return json_boolean(*(const bool *)p);
    case INT: return json_integer(*(const int *)p);
    case UINT32: return json_integer(*(const uint32_t *)p);
    case UINT64: return json_integer((json_int_t) * (const uint64_t *)p);
    case SIZE: return json_integer((json_int_t) * (const size_t *)p);
    case DOUBLE: return from_double(*(const double *)p);
    case TEXT: return json_text(p);
    case CHAR: return json_integer(*(const char *)p);
    case STATUS: return json_integer(*(const enum case_status *)p);
    case SET: return json_integer(*(const enum data_set *)p);
    }
    return NULL;
}

json_t *result_to_json(const struct case_result *r)
{
    json_t *const o = json_object();

    for (size_t i = 0; o && i < FIELDS; i++) {
        if (json_object_set_new(o, fields[i].name,
                                from_field(&fields[i], (const char *)r + fields[i].offset)) != 0) {
            json_decref(o);
            return NULL;
        }
    }
    return o;
}

/* ---- reading ---- */

static bool to_double(const json_t *v, double *out)
{
    const char *const text = json_string_value(v);

    if (json_is_number(v))
        *out = json_number_value(v);
    else if (text && strcmp(text, "nan") == 0)
        *out = NAN;
    else if (text && (strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0))
        *out = text[0] == '-' ? -INFINITY : INFINITY;
    else
        return false;
    return true;
}

static bool to_integer(const json_t *v, json_int_t min, json_int_t max, json_int_t *out)
{
    if (!json_is_integer(v))
        return false;
    *out = json_integer_value(v);
    return *out >= min && *out <= max;
}

static bool to_field(const struct field *f, const json_t *v, void *p)
{
    json_int_t n = 0;

    switch (f->kind) {
    case BOOL: *(bool *)p = json_is_true(v); return json_is_boolean(v);
    case INT: return to_integer(v, INT32_MIN, INT32_MAX, &n) && (*(int *)p = (int)n, true);
    case UINT32: return to_integer(v, 0, UINT32_MAX, &n) && (*(uint32_t *)p = (uint32_t)n, true);
    case UINT64:
        if (!json_is_integer(v))
            return false;
        *(uint64_t *)p = (uint64_t)json_integer_value(v);
        return true;
    case SIZE: return to_integer(v, 0, INT64_MAX, &n) && (*(size_t *)p = (size_t)n, true);
    case DOUBLE: return to_double(v, p);
    case TEXT:
        /* Text of a library may be longer than it was: U+FFFD stands for each odd byte. */
        snprintf(p, f->bytes, "%s", json_is_string(v) ? json_string_value(v) : "");
        return json_is_string(v);
    case CHAR: return to_integer(v, 0, 127, &n) && (*(char *)p = (char)n, true);
    case STATUS:
        return to_integer(v, 0, CASE_STATUS_COUNT - 1, &n) &&
               (*(enum case_status *)p = (enum case_status)n, true);
    case SET:
        return to_integer(v, 0, SET_COUNT - 1, &n) &&
               (*(enum data_set *)p = (enum data_set)n, true);
    }
    return false;
}

enum status result_from_json(const json_t *o, struct case_result *r, struct diag *diag)
{
    *r = (struct case_result){ .status = CASE_PASS };
    for (size_t i = 0; i < FIELDS; i++) {
        const json_t *const v = json_object_get(o, fields[i].name);
        char *text;

        if (v && to_field(&fields[i], v, (char *)r + fields[i].offset))
            continue;
        text = v ? json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
        diag_fail(diag, STATUS_INVALID, "%s of a result is %.80s", fields[i].name,
                  !v     ? "missing"
                  : text ? text
                         : "not what it should be");
        free(text);
        return STATUS_INVALID;
    }
    return STATUS_OK;
}
