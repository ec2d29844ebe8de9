/* The flatbuffer inside a .tflite file: a verifier of the wire format, and access to the fields of
 * verified bytes.  Written by flatbuffer_write.h; the schema is in schema.h. */
#ifndef ASSAY_REFERENCE_FORMAT_FLATBUFFER_H
#define ASSAY_REFERENCE_FORMAT_FLATBUFFER_H

#include "reference/base/diag.h"
#include "reference/format/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Flatbuffers may share vectors and tables, which converters hardly do.  A file in which the bytes
 * used, counted each time that they are used, exceed 8 times its size is refused: it would make
 * readers slow, and large.  Models of converters come to 1 to 3 times, small ones to 4. */
enum { FB_SHARED_MAX = 8, FB_SHARED_FREE = 4096 };
static inline bool fb_shared_too_often(uint64_t used, size_t count)
{
    return used / FB_SHARED_MAX > (uint64_t)count + FB_SHARED_FREE;
}

/* Verifies all offsets, vtables, vectors and strings: after STATUS_OK no access below reads outside
 * of bytes.  STATUS_INVALID with byte offset, table and field otherwise. */
enum status fb_verify(const uint8_t *bytes, size_t count, struct diag *diag);

/* ---- access to verified bytes ---- */

/* A table; absent when at is 0. */
struct fb_table {
    const uint8_t *bytes;
    size_t at;
    enum schema_table schema; /* SCHEMA_NONE for option tables */
};

/* A vector or string: position of element 0, or 0 when it is absent, and number of elements. */
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
