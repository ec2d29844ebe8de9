/* Buffers of inputs and outputs.
 *
 * Buffers in host memory lie between guard words.  Where the accelerator lists other memory alone,
 * LiteRT allocates the buffers, and they are read and written by locking them. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_LITERT_IO_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_LITERT_IO_H

#include "conformance/suite/subject/litert_runtime.h"

struct litert_io {
    struct litert_tensor_type type; /* with the shape that LiteRT gives it */
    size_t bytes;                   /* of its elements */
    size_t room;                    /* of the buffer; at least bytes, and never 0 */
    struct litert_buffer *buffer;
    void *memory;        /* ours, with guard words; NULL: LiteRT's */
    uint8_t *data;       /* the buffer in it */
    uint8_t guard;       /* the guard words are filled with it */
    size_t offset_bytes; /* of ours, from its alignment (offset_memory.h); the caller's to set */
};

/* Makes a buffer for io->type, as the requirements and the subject's option `buffers` say.
 * STATUS_UNSUPPORTED for a shape that is not known. */
enum status litert_io_open(const struct litert *l, struct litert_io *io,
                           struct litert_requirements *need, struct diag *diag);
/* Takes any half-opened one. */
void litert_io_close(const struct litert *l, struct litert_io *io);

/* Copies between a buffer and memory of io->bytes. */
enum status litert_io_write(const struct litert *l, struct litert_io *io, const void *from,
                            struct diag *diag);
enum status litert_io_read(const struct litert *l, struct litert_io *io, void *to,
                           struct diag *diag);
/* Waits until the elements can be read in the host's memory, and leaves them there. */
enum status litert_io_fetch(const struct litert *l, struct litert_io *io, struct diag *diag);
/* Fills the elements with a word, the last one cut to the bytes that are left. */
enum status litert_io_fill(const struct litert *l, struct litert_io *io, uint32_t word,
                           struct diag *diag);
/* Fills the guard words, where there are any, with another byte. */
void litert_io_set_guards(struct litert_io *io, uint8_t byte);
/* STATUS_MISMATCH when a guard word was written to: says where.  Buffers of LiteRT have none. */
enum status litert_io_check(const struct litert_io *io, const char *what, size_t index,
                            struct diag *diag);

#endif
