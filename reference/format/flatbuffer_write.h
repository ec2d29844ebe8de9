/* Writes flatbuffers front to back: a table, then what it points to.  Offsets go forward, so a
 * parent is written with its offset fields empty, and each is filled when its target is written. */
#ifndef ASSAY_REFERENCE_FORMAT_FLATBUFFER_WRITE_H
#define ASSAY_REFERENCE_FORMAT_FLATBUFFER_WRITE_H

#include "reference/base/diag.h"
#include "reference/format/flatbuffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fb_writer {
    uint8_t *bytes;
    size_t count, room;
    size_t limit;       /* of count: offsets have 32 bits */
    enum status status; /* the first failure; all calls after it do nothing */
    struct diag *diag;
    size_t *vtables; /* positions of the distinct ones */
    size_t vtable_count, vtable_room;
};

/* The fields of a table before it is written. */
struct fb_draft {
    enum schema_table schema; /* SCHEMA_NONE: option tables */
    struct fb_draft_field {
        bool present;
        uint8_t bytes;
        uint64_t value; /* 0 for offsets, until they are linked */
    } fields[SCHEMA_SLOTS_MAX];
    size_t at[SCHEMA_SLOTS_MAX]; /* positions of the fields; 0: absent.  Set by fbw_table */
};

/* Header: the root's offset, to be linked at position 0, and the identifier. */
void fbw_open(struct fb_writer *w, struct diag *diag);
void fbw_close(struct fb_writer *w); /* frees what fbw_open took; *w is empty afterwards */

/* Set a field of a draft.  A scalar that equals its default is left out; one that does not fit its
 * kind fails. */
void fbw_int(struct fb_writer *w, struct fb_draft *d, unsigned slot, int64_t value);
void fbw_u64(struct fb_draft *d, unsigned slot, uint64_t value);
void fbw_field(struct fb_draft *d, unsigned slot, size_t bytes,
               uint64_t value); /* also the default */
void fbw_offset(struct fb_draft *d, unsigned slot, bool present);

/* Writes the draft and links it: the offset at position `link` points to it. */
void fbw_table(struct fb_writer *w, size_t link, struct fb_draft *d);
/* Write a vector or string and link it; nothing when link is 0.  align: of element 0. */
void fbw_vector(struct fb_writer *w, size_t link, const void *data, size_t count, size_t size,
                size_t align);
void fbw_string(struct fb_writer *w, size_t link, const char *text, size_t count);
/* Writes a vector of count offsets to tables and returns the position of the first one, to be
 * linked; the others follow every 4 bytes. */
size_t fbw_tables(struct fb_writer *w, size_t link, size_t count);

/* Appends raw bytes behind everything, aligned, and writes their position to the u64 at `at`. */
void fbw_behind(struct fb_writer *w, size_t at, const void *data, size_t count);

void fbw_fail(struct fb_writer *w, enum status s, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
