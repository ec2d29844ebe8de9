/* The flatbuffer inside a .tflite file: its schema as data, a verifier of the wire format, access
 * to what was verified, and a writer.  Internal to the reader and writer of models.
 *
 * The schema is a tree: no table contains itself, so nesting is bounded by it (Model, SubGraph,
 * Tensor, SparsityParameters, DimensionMetadata, Int32Vector: 6) and needs no counter; tables of
 * options that options.def does not describe are not descended into. */
#ifndef ASSAY_REFERENCE_FORMAT_FLATBUFFER_H
#define ASSAY_REFERENCE_FORMAT_FLATBUFFER_H

#include "reference/base/diag.h"
#include "reference/format/op_options.h"

#include <stdbool.h>
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

/* NULL when it is not a table. */
const struct schema_table_row *schema_row(enum schema_table table);
/* What a tag of a union stands for; SCHEMA_NONE: not described (option tables, unknown tags). */
enum schema_table schema_member(enum schema_table union_, unsigned tag);

/* Bytes of a field of this kind inside its table, and of an element of such a vector. */
size_t fb_inline_bytes(enum fb_kind kind);
size_t fb_element_bytes(enum fb_kind kind);

/* ---- the wire ---- */

enum { FB_TABLES_MAX = 1000000 };

/* Parts of a file may be shared, and converters hardly do it: used, their bytes as often as they
 * are used, stays within some multiples of the file. */
static inline bool fb_shared_too_often(uint64_t used, size_t count)
{
    return used / 16 > (uint64_t)count + 4096;
}

/* Checks everything that access below relies on: after STATUS_OK no access leaves the bytes. */
enum status fb_verify(const uint8_t *bytes, size_t count, struct diag *diag);

/* ---- access to verified bytes ---- */

/* A table; at 0: absent. */
struct fb_table {
    const uint8_t *bytes;
    size_t at;
    enum schema_table schema; /* SCHEMA_NONE for option tables */
};

/* at: of element 0; 0: absent. */
struct fb_vector {
    size_t at, count;
};

struct fb_table fb_root(const uint8_t *bytes);
/* Position of a field, 0 when it is absent. */
size_t fb_find(struct fb_table t, unsigned slot);
int64_t fb_int(struct fb_table t, unsigned slot); /* any scalar but U64; its default when absent */
uint64_t fb_u64(struct fb_table t, unsigned slot);
struct fb_vector fb_vector(struct fb_table t, unsigned slot);            /* vectors and strings */
struct fb_table fb_sub(struct fb_table t, unsigned slot);                /* TABLE, UNION */
struct fb_table fb_item(struct fb_table t, unsigned slot, size_t index); /* TABLES */

int32_t fb_load_i32(const uint8_t *bytes, size_t at);
int64_t fb_load_i64(const uint8_t *bytes, size_t at);
float fb_load_f32(const uint8_t *bytes, size_t at);

#endif
