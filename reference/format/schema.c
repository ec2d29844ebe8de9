/* The schema as data, made from schema.def. */
#include "reference/format/schema.h"

#define TABLE(table) static const struct schema_field fields_##table[] = {
#define FIELD(table, slot, text, type, value, other)                                               \
    [slot] = { .name = #text, .kind = FB_##type, .of = SCHEMA_##other, .fallback = (value) },
#define END                                                                                        \
    }                                                                                              \
    ;
#include "reference/format/schema.def"

static const struct schema_table_row rows[SCHEMA_COUNT] = {
#define TABLE(table)                                                                               \
    [SCHEMA_##table] = { .name = #table,                                                           \
                         .fields = fields_##table,                                                 \
                         .count = sizeof fields_##table / sizeof fields_##table[0] },
#include "reference/format/schema.def"
};

const struct schema_table_row *schema_row(enum schema_table table)
{
    return table < SCHEMA_COUNT ? &rows[table] : NULL;
}

enum schema_table schema_member(enum schema_table union_, unsigned tag)
{
    static const struct {
        enum schema_table of, table;
        unsigned tag;
    } members[] = {
#define MEMBER(union_name, number, member)                                                         \
    { .of = SCHEMA_##union_name, .table = SCHEMA_##member, .tag = (number) },
#include "reference/format/schema.def"
    };

    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (members[i].of == union_ && members[i].tag == tag)
            return members[i].table;
    return SCHEMA_NONE;
}

size_t fb_inline_bytes(enum fb_kind kind)
{
    switch (kind) {
    case FB_U8:
    case FB_I8: return 1;
    case FB_U64: return 8;
    default: return 4; /* 32-bit scalars, and the offsets of all else */
    }
}

size_t fb_element_bytes(enum fb_kind kind)
{
    switch (kind) {
    case FB_INTS:
    case FB_FLOATS:
    case FB_TABLES: return 4;
    case FB_LONGS: return 8;
    case FB_SHORTS: return 2;
    default: return 1; /* BYTES, DATA, STRING */
    }
}
