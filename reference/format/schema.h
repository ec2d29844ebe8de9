/* The schema of .tflite files (version 3) as data, made from schema.def: tables, their fields by
 * slot, and the members of unions.
 *
 * The schema is a tree: no table contains itself, so it bounds nesting (Model, SubGraph, Tensor,
 * SparsityParameters, DimensionMetadata, Int32Vector: 6), and readers need no depth counter. Tables
 * of options that op_options.def does not describe are not descended into. */
#ifndef ASSAY_REFERENCE_FORMAT_SCHEMA_H
#define ASSAY_REFERENCE_FORMAT_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

enum fb_kind {
    FB_U8,
    FB_I8,
    FB_I32,
    FB_U32,
    FB_U64,
    FB_STRING,
    FB_INTS,
    FB_LONGS,
    FB_FLOATS,
    FB_SHORTS,
    FB_BYTES,
    FB_DATA,
    FB_TABLE,
    FB_TABLES,
    FB_UNION
};

enum schema_table {
#define TABLE(table) SCHEMA_##table,
#include "reference/format/schema.def"
    SCHEMA_COUNT,
    SCHEMA_NONE,
    SCHEMA_QuantizationDetails,
    SCHEMA_SparseIndexVector,
    SCHEMA_BuiltinOptions,
    SCHEMA_BuiltinOptions2
};

/* Slots: Tensor_buffer = 2 */
enum schema_slot {
#define FIELD(table, slot, name, kind, fallback, other) table##_##name = slot,
#include "reference/format/schema.def"
    SCHEMA_SLOTS_MAX = 14
};

enum { OPTIONS_2_TAG_MAX = 23 }; /* of union BuiltinOptions2 */

struct schema_field {
    const char *name;
    uint8_t kind; /* enum fb_kind */
    uint8_t of;   /* enum schema_table: of tables, or the union */
    int32_t fallback;
};

struct schema_table_row {
    const char *name;
    const struct schema_field *fields; /* at the index of their slot */
    size_t count;
};

/* The row of a table; NULL when it is not a table. */
const struct schema_table_row *schema_row(enum schema_table table);
/* The table that a tag of a union selects; SCHEMA_NONE: not described (option tables, unknown
 * tags).
 */
enum schema_table schema_member(enum schema_table union_, unsigned tag);

/* Bytes of a field of this kind inside its table, and of an element of such a vector. */
size_t fb_inline_bytes(enum fb_kind kind);
size_t fb_element_bytes(enum fb_kind kind);

#endif
