/* Option tables of operators (union BuiltinOptions, and of BuiltinOptions2 what is known),
 * described by data: op_options.def.
 *
 * One struct holds any of them.  Fields are named as in the schema; asking for a name that the
 * table does not have is a programming error and asserts. */
#ifndef ASSAY_REFERENCE_FORMAT_OP_OPTIONS_H
#define ASSAY_REFERENCE_FORMAT_OP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_I8,
    OPTION_TYPE, /* an I8 that is an enum tensor_type */
    OPTION_I32,
    OPTION_BOOL,
    OPTION_F32,
    OPTION_INTS,
    OPTION_STRING,
    OPTION_BYTES
};

struct option_field {
    uint8_t slot;
    uint8_t kind;    /* enum option_kind */
    double fallback; /* the value of a field that the file omits */
    const char *name;
};

struct option_table {
    uint8_t tag; /* of union BuiltinOptions; beyond its last one: options_2_tag */
    bool listed; /* op_options.def describes the fields; else they are not read */
    uint8_t field_count;
    const char *name; /* "Conv2DOptions" */
    const struct option_field *fields;
};

enum { OPTION_FIELDS_MAX = 8 };

enum {
#define TABLE(tag, name) OPTIONS_##name = tag,
#define FIELD(slot, name, kind, fallback)
#define END
#define UNLISTED(tag, name) OPTIONS_##name = tag,
#include "reference/format/op_options.def"
#undef TABLE
#undef FIELD
#undef END
#undef UNLISTED
    OPTIONS_TAG_COUNT
};

/* BuiltinOptions is full, since a tag has 7 bits: tables of BuiltinOptions2 have the tags behind.
 */
enum { OPTIONS_1_TAG_MAX = 126 };
/* The tag here of a tag of BuiltinOptions2, and the reverse; 0: none, or a table that is not known.
 */
uint8_t options_tag_of_2(unsigned tag_2);
uint8_t options_2_tag(uint8_t tag);

/* The table of a tag; NULL when the tag is 0 or not of the schema. */
const struct option_table *option_table_find(uint8_t tag);

union option_value {
    int32_t i; /* I8, TYPE, I32, BOOL */
    float f;   /* F32 */
    struct {
        const int32_t *data; /* NULL: absent */
        size_t count;
    } ints; /* INTS */
    struct {
        const char *data; /* NULL: absent; a NUL lies behind the last byte */
        size_t count;
    } text; /* STRING */
    struct {
        const uint8_t *data; /* NULL: absent */
        size_t count;
    } bytes; /* BYTES */
};

/* value[i] belongs to field i of the table. */
struct options {
    uint8_t tag; /* 0: none */
    union option_value value[OPTION_FIELDS_MAX];
};

/* Sets every field of the table `tag` to its default. */
void options_init(struct options *o, uint8_t tag);

int32_t options_int(const struct options *o, const char *field);
float options_float(const struct options *o, const char *field);
/* *count is 0 when the vector is absent; the pointer tells absent (NULL) from empty. */
const int32_t *options_ints(const struct options *o, const char *field, size_t *count);

/* NULL when it is absent. */
const char *options_text(const struct options *o, const char *field);

/* NULL when it is absent. */
const uint8_t *options_bytes(const struct options *o, const char *field, size_t *count);

void options_set_int(struct options *o, const char *field, int32_t value);
void options_set_float(struct options *o, const char *field, float value);
/* Borrows data. */
void options_set_ints(struct options *o, const char *field, const int32_t *data, size_t count);

/* Borrows data. */
void options_set_bytes(struct options *o, const char *field, const void *data, size_t count);

/* Borrows text. */
void options_set_text(struct options *o, const char *field, const char *text);

bool options_equal(const struct options *a, const struct options *b);

#endif
