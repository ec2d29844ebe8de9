/* Files of the cache: private regular files in a private directory, replaced as a whole. */
#ifndef ASSAY_DELEGATE_CACHE_FILE_H
#define ASSAY_DELEGATE_CACHE_FILE_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens the directory, which must belong to this user and be accessible to nobody else.  `make`:
 * make it, with mode 0700, when it does not exist.  *fd is -1 when it does not exist. */
enum status cache_directory_open(int *fd, const char *path, bool make, struct diag *diag);

/* Opens a regular file that belongs to this user and is accessible to nobody else; symbolic links
 * are not followed.  *fd is -1 when it does not exist. */
enum status cache_file_open(int *fd, uint64_t *bytes, int directory, const char *name,
                            struct diag *diag);
/* Reads bytes from position `at`, in any thread.  Returns 0, CACHE_FILE_ENDS when the file ends
 * before, or the value of errno; cache_file_failed makes a status and a message of the latter. */
enum { CACHE_FILE_ENDS = -1 };
int cache_file_read_at(int fd, void *to, size_t bytes, uint64_t at);
enum status cache_file_failed(int error, const char *name, struct diag *diag);
/* Reads the first `bytes` bytes. */
enum status cache_file_read(int fd, void *to, size_t bytes, const char *name, struct diag *diag);

struct cache_part {
    const void *data;
    size_t bytes;
};

/* Replaces the file by the concatenated parts: other processes see the old file or the new one.
 * After a failure the old file is there, and no temporary file is left. */
enum status cache_file_replace(int directory, const char *name, const struct cache_part *parts,
                               size_t count, struct diag *diag);

#endif
