#include "conformance/report/forms/html_columns.h"

#include "conformance/util/json_text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

bool html_strings_open(struct html_strings *s)
{
    *s = (struct html_strings){ .list = json_array(), .index = json_object() };
    s->failed = !s->list || !s->index;
    return !s->failed;
}

void html_strings_close(struct html_strings *s)
{
    json_decref(s->list);
    json_decref(s->index);
    *s = (struct html_strings){ 0 };
}

/* The index of a text, from 1; 0 of NULL. */
static size_t html_strings_add(struct html_strings *s, const char *text)
{
    json_t *clean;
    const char *key;
    size_t id;

    if (!text || s->failed)
        return 0;
    if (!(clean = json_text(text))) {
        s->failed = true;
        return 0;
    }
    key = json_string_value(clean);
    if ((id = (size_t)json_integer_value(json_object_get(s->index, key))) == 0) {
        id = json_array_size(s->list) + 1;
        s->failed = json_array_append(s->list, clean) != 0 ||
                    json_object_set_new_nocheck(s->index, key, json_integer((json_int_t)id)) != 0;
    }
    json_decref(clean);
    return id;
}

json_t *html_number(double v, bool exact)
{
    char text[32];

    if (isnan(v))
        return json_null();
    if (isinf(v))
        return json_string(v > 0 ? "inf" : "-inf");
    /* Most numbers are looked at, or drawn: five digits are enough, and a third of the bytes. */
    if (!exact) {
        snprintf(text, sizeof text, "%.5g", v);
        v = strtod(text, NULL);
    }
    return v == trunc(v) && fabs(v) < 1e15 ? json_integer((json_int_t)v) : json_real(v);
}

static json_t *value_of(struct html_strings *s, enum html_kind kind, const void *at)
{
    switch (kind) {
    case HTML_TEXT: return json_integer((json_int_t)html_strings_add(s, *(const char *const *)at));
    case HTML_NUMBER: return html_number(*(const double *)at, false);
    case HTML_EXACT: return html_number(*(const double *)at, true);
    case HTML_SIZE: return json_integer((json_int_t) * (const size_t *)at);
    case HTML_U64: return json_integer((json_int_t) * (const uint64_t *)at);
    case HTML_U32: return json_integer((json_int_t) * (const uint32_t *)at);
    case HTML_INT: return json_integer(*(const int *)at);
    case HTML_CHAR: return json_integer(*(const char *)at);
    case HTML_BOOL: return json_integer(*(const bool *)at);
    case HTML_STATUS: return json_integer((json_int_t) * (const enum case_status *)at);
    }
    return NULL;
}

/* A number of 0 was measured; any other 0 is none. */
static bool is_something(enum html_kind kind, const json_t *v)
{
    return kind == HTML_NUMBER || kind == HTML_EXACT ? !json_is_null(v)
                                                     : json_integer_value(v) != 0;
}

static json_t *column(struct html_strings *s, const struct html_column *c, const char *base,
                      size_t count, size_t stride, bool *something)
{
    json_t *const list = json_array();

    for (size_t i = 0; i < count; i++) {
        json_t *const v = value_of(s, c->kind, base + i * stride + c->offset);

        *something = *something || is_something(c->kind, v);
        /* The list takes the value, also where it fails, or has before. */
        s->failed = json_array_append_new(list, v) != 0 || s->failed;
    }
    return list;
}

json_t *html_columns(struct html_strings *s, const struct html_column *columns, const void *array,
                     size_t count, size_t stride)
{
    json_t *const object = json_object();

    for (const struct html_column *c = columns; c->name; c++) {
        bool something = false;
        json_t *const list = column(s, c, array, count, stride, &something);

        if (!something)
            json_decref(list);
        else
            s->failed = json_object_set_new_nocheck(object, c->name, list) != 0 || s->failed;
    }
    s->failed = json_object_set_new_nocheck(object, "rows", json_integer((json_int_t)count)) != 0 ||
                s->failed;
    return object;
}

json_t *html_status(const void *none, size_t status)
{
    (void)none;
    return json_string(case_status_name((enum case_status)status));
}
