/* Files of the cache: a private directory, regular files of ours in it, written in one piece. */
#ifndef ASSAY_DELEGATE_CACHE_FILE_H
#define ASSAY_DELEGATE_CACHE_FILE_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The directory, which must be ours and closed to others, made (mode 0700) when `make` is set and
 * it is not there.  *fd is -1 when it is not there. */
enum status cache_directory_open(int *fd, const char *path, bool make, struct diag *diag);

/* A regular file of ours, closed to others, and no link; *fd is -1 when there is none. */
enum status cache_file_open(int *fd, uint64_t *bytes, int directory, const char *name,
                            struct diag *diag);
/* The next bytes, all of them: STATUS_INVALID when the file ends before. */
enum status cache_file_read(int fd, void *to, size_t bytes, const char *name, struct diag *diag);

struct cache_part {
    const void *data;
    size_t bytes;
};

/* Replaces the file by the parts, one behind the other: others see the old file or the new one.
 * On failure the old one stays and nothing else is left. */
enum status cache_file_replace(int directory, const char *name, const struct cache_part *parts,
                               size_t count, struct diag *diag);

#endif
