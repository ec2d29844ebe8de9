/* Whole files to memory and back. */
#ifndef ASSAY_REFERENCE_FORMAT_FILE_H
#define ASSAY_REFERENCE_FORMAT_FILE_H

#include "reference/base/diag.h"

#include <stddef.h>
#include <stdint.h>

/* Reads the whole file at path, of at most limit bytes.  *bytes is the caller's (mem_free).
 * STATUS_IO with path and reason, STATUS_NO_MEMORY; *bytes is then NULL and *count 0.
 *
 * A directory, a device, a socket or a named pipe is refused at once, without waiting for another
 * process.  A pipe or a terminal of this process is read to its end: /dev/stdin, /dev/fd/N and
 * /proc/self/fd/N, as in `assay run <(zcat model.gz)`. */
enum status file_read(const char *path, size_t limit, uint8_t **bytes, size_t *count,
                      struct diag *diag);

/* A model's file.  A long one is mapped: what is not looked at takes no memory, and what is can be
 * given back.  It then has to stay as it is until it is closed (SECURITY.md). */
struct file_model {
    const uint8_t *bytes; /* all of it, or the part that is meant */
    size_t count;
    void *block;   /* what is given back: memory of mem_alloc, ... */
    size_t mapped; /* ... or so many bytes that are mapped */
};
enum { FILE_MAPPED_MIN = 16 * 1024 * 1024 };

/* As file_read, of at most the limit file_bytes, and of a pipe read_bytes (STATUS_LIMIT). */
enum status file_model_open(const char *path, struct file_model *f, struct diag *diag);
/* Takes one that is closed, too. */
void file_model_close(struct file_model *f);
/* Takes memory of mem_alloc. */
struct file_model file_model_of(uint8_t *bytes, size_t count);

/* Opens a regular file, and nothing else, without waiting for another process; *fd is the caller's
 * (close), -1 after a failure.  STATUS_IO with path and reason. */
enum status file_open_regular(const char *path, int *fd, struct diag *diag);
/* The same before a library opens the path by itself, which could wait or read without an end. */
enum status file_expect_regular(const char *path, struct diag *diag);

/* Writes a temporary file beside path and renames it: path is whole or untouched.  Where path is a
 * pipe or a device, it is written in place.  STATUS_IO with path and reason. */
enum status file_write(const char *path, const void *bytes, size_t count, struct diag *diag);

#endif
