/* FlexBuffers: the untyped maps in which the options of custom ops are kept.
 *
 * The reader is for one map, whose values are numbers, booleans or anything that is passed over.
 * The bytes are hostile: flex_map_open checks all that the calls after it touch.  The writer makes
 * such a map. */
#ifndef ASSAY_REFERENCE_FORMAT_FLEXBUFFER_H
#define ASSAY_REFERENCE_FORMAT_FLEXBUFFER_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- reading ---- */

struct flex_map {
    const uint8_t *bytes;
    size_t count;
    size_t values, keys; /* positions of element 0 */
    unsigned value_width, key_width;
    size_t entries;
};

enum flex_kind { FLEX_NULL, FLEX_INT, FLEX_UINT, FLEX_FLOAT, FLEX_BOOL, FLEX_OTHER };

struct flex_value {
    enum flex_kind kind;
    int64_t i;  /* INT, BOOL */
    uint64_t u; /* UINT */
    double f;   /* FLOAT */
};

/* Verifies that the bytes are one map: its keys end inside of them, and every number lies inside.
 * STATUS_INVALID with the byte offset otherwise.  The bytes must outlive the map. */
enum status flex_map_open(struct flex_map *m, const void *bytes, size_t count, struct diag *diag);
/* The value of a key; false, with kind FLEX_NULL, where the map has no such key. */
bool flex_map_find(const struct flex_map *m, const char *key, struct flex_value *value);
/* The key at index, below m->entries. */
const char *flex_map_key(const struct flex_map *m, size_t index);
/* "an integer", "a float": what a value is, for messages. */
const char *flex_kind_text(enum flex_kind kind);

/* ---- writing ---- */

enum { FLEX_ENTRIES_MAX = 32 };

/* A zero-initialized writer is empty.  Keys are borrowed until flex_write_finish; each may be given
 * once. */
struct flex_writer {
    struct flex_entry {
        const char *key;
        struct flex_value value;
        bool wide; /* a float of 8 bytes */
    } entries[FLEX_ENTRIES_MAX];
    size_t count;
    bool full; /* more entries than there is room for */
};

void flex_write_int(struct flex_writer *w, const char *key, int64_t value);
void flex_write_float(struct flex_writer *w, const char *key, float value);
/* A float of 8 bytes: all values of the map have 8 bytes then. */
void flex_write_double(struct flex_writer *w, const char *key, double value);
void flex_write_bool(struct flex_writer *w, const char *key, bool value);
/* The bytes of the map, freed with mem_free.  STATUS_INVALID where a key was given twice, or more
 * keys than FLEX_ENTRIES_MAX. */
enum status flex_write_finish(struct flex_writer *w, uint8_t **bytes, size_t *count,
                              struct diag *diag);

#endif
