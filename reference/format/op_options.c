/* Option tables, made from op_options.def. */
#include "reference/format/op_options.h"

#include <assert.h>
#include <string.h>

/* One struct for each table with one char for each field: its size is the number of fields. */
#define TABLE(tag, name)                                                                           \
    struct count_##name {                                                                          \
        char none;
#define FIELD(slot, name, kind, fallback) char name;
#define END                                                                                        \
    }                                                                                              \
    ;
#define UNLISTED(tag, name)
#include "reference/format/op_options.def"
#undef TABLE
#undef FIELD
#undef END
#undef UNLISTED

#define TABLE(tag, name)                                                                           \
    _Static_assert(sizeof(struct count_##name) - 1 <= OPTION_FIELDS_MAX, #name " has too many");
#define FIELD(slot, name, kind, fallback)
#define END
#define UNLISTED(tag, name)
#include "reference/format/op_options.def"
#undef TABLE
#undef FIELD
#undef END
#undef UNLISTED

static const struct option_table tables[OPTIONS_TAG_COUNT] = {
#define TABLE(number, text)                                                                        \
    [number] = { .tag = (number),                                                                  \
                 .listed = true,                                                                   \
                 .field_count = sizeof(struct count_##text) - 1,                                   \
                 .name = #text,                                                                    \
                 .fields = (const struct option_field[]) {
#define FIELD(number, text, type, value)                                                           \
    { .slot = (number), .kind = OPTION_##type, .fallback = (value), .name = #text },
#define END                                                                                        \
    {                                                                                              \
        .name = NULL                                                                               \
    }                                                                                              \
    }                                                                                              \
    }                                                                                              \
    ,
#define UNLISTED(number, text) [number] = { .tag = (number), .name = #text },
#include "reference/format/op_options.def"
#undef TABLE
#undef FIELD
#undef END
#undef UNLISTED
};

const struct option_table *option_table_find(uint8_t tag)
{
    return tag != 0 && tag < OPTIONS_TAG_COUNT ? &tables[tag] : NULL;
}

static const uint8_t of_2[][2] = { { OPTIONS_StableHLOCompositeOptions, 21 } };

uint8_t options_tag_of_2(unsigned tag_2)
{
    for (size_t i = 0; i < sizeof of_2 / sizeof of_2[0]; i++)
        if (of_2[i][1] == tag_2)
            return of_2[i][0];
    return 0;
}

uint8_t options_2_tag(uint8_t tag)
{
    for (size_t i = 0; i < sizeof of_2 / sizeof of_2[0]; i++)
        if (of_2[i][0] == tag)
            return of_2[i][1];
    return 0;
}

void options_init(struct options *o, uint8_t tag)
{
    const struct option_table *table = option_table_find(tag);

    *o = (struct options){ .tag = tag };
    if (!table)
        return;
    for (size_t i = 0; i < table->field_count; i++) {
        const struct option_field *field = &table->fields[i];

        if (field->kind == OPTION_F32)
            o->value[i].f = (float)field->fallback;
        else if (field->kind == OPTION_INTS)
            o->value[i].ints.data = NULL;
        else if (field->kind == OPTION_STRING)
            o->value[i].text.data = NULL;
        else if (field->kind == OPTION_BYTES)
            o->value[i].bytes.data = NULL;
        else
            o->value[i].i = (int32_t)field->fallback;
    }
}

/* Index of the field in the table; asserts that it exists and has a kind of the mask. */
static size_t field_index(const struct options *o, const char *name, unsigned kinds)
{
    const struct option_table *table = option_table_find(o->tag);
    size_t i = 0;

    assert(table);
    while (i < table->field_count && strcmp(table->fields[i].name, name) != 0)
        i++;
    assert(i < table->field_count && (kinds >> table->fields[i].kind & 1));
    (void)kinds;
    return i;
}

enum { INTEGER_KINDS = 1 << OPTION_I8 | 1 << OPTION_TYPE | 1 << OPTION_I32 | 1 << OPTION_BOOL };

int32_t options_int(const struct options *o, const char *field)
{
    return o->value[field_index(o, field, INTEGER_KINDS)].i;
}

float options_float(const struct options *o, const char *field)
{
    return o->value[field_index(o, field, 1 << OPTION_F32)].f;
}

const int32_t *options_ints(const struct options *o, const char *field, size_t *count)
{
    const union option_value *value = &o->value[field_index(o, field, 1 << OPTION_INTS)];

    *count = value->ints.count;
    return value->ints.data;
}

const char *options_text(const struct options *o, const char *field)
{
    return o->value[field_index(o, field, 1 << OPTION_STRING)].text.data;
}

const uint8_t *options_bytes(const struct options *o, const char *field, size_t *count)
{
    const union option_value *value = &o->value[field_index(o, field, 1 << OPTION_BYTES)];

    *count = value->bytes.count;
    return value->bytes.data;
}

void options_set_int(struct options *o, const char *field, int32_t value)
{
    o->value[field_index(o, field, INTEGER_KINDS)].i = value;
}

void options_set_float(struct options *o, const char *field, float value)
{
    o->value[field_index(o, field, 1 << OPTION_F32)].f = value;
}

void options_set_ints(struct options *o, const char *field, const int32_t *data, size_t count)
{
    union option_value *value = &o->value[field_index(o, field, 1 << OPTION_INTS)];

    value->ints.data = data;
    value->ints.count = count;
}

void options_set_text(struct options *o, const char *field, const char *text)
{
    union option_value *value = &o->value[field_index(o, field, 1 << OPTION_STRING)];

    value->text.data = text;
    value->text.count = text ? strlen(text) : 0;
}

void options_set_bytes(struct options *o, const char *field, const void *data, size_t count)
{
    union option_value *value = &o->value[field_index(o, field, 1 << OPTION_BYTES)];

    value->bytes.data = data;
    value->bytes.count = count;
}

static bool value_equal(const union option_value *a, const union option_value *b, int kind)
{
    switch (kind) {
    /* NaN equals itself.
     * NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c) */
    case OPTION_F32: return memcmp(&a->f, &b->f, sizeof a->f) == 0;
    case OPTION_INTS:
        return a->ints.count == b->ints.count && !a->ints.data == !b->ints.data &&
               (a->ints.count == 0 ||
                memcmp(a->ints.data, b->ints.data, a->ints.count * sizeof *a->ints.data) == 0);
    case OPTION_STRING:
        return a->text.count == b->text.count && !a->text.data == !b->text.data &&
               (a->text.count == 0 || memcmp(a->text.data, b->text.data, a->text.count) == 0);
    case OPTION_BYTES:
        return a->bytes.count == b->bytes.count && !a->bytes.data == !b->bytes.data &&
               (a->bytes.count == 0 || memcmp(a->bytes.data, b->bytes.data, a->bytes.count) == 0);
    default: return a->i == b->i;
    }
}

bool options_equal(const struct options *a, const struct options *b)
{
    const struct option_table *table = option_table_find(a->tag);

    if (a->tag != b->tag)
        return false;
    for (size_t i = 0; table && i < table->field_count; i++)
        if (!value_equal(&a->value[i], &b->value[i], table->fields[i].kind))
            return false;
    return true;
}
