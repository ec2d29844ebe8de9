/* Files of SHA-256 sums, as `sha256sum -c` reads them: the sum in hexadecimal, two blanks, and the
 * name of a file in the same directory. */
#ifndef ASSAY_CONFORMANCE_UTIL_SUMS_H
#define ASSAY_CONFORMANCE_UTIL_SUMS_H

#include "conformance/util/sha256.h"
#include "reference/base/arena.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct sum {
    const char *name;
    char hex[SHA256_HEX_BYTES];
};

/* Zeroed it is empty. */
struct sums {
    struct arena arena;
    struct sum *items;
    size_t count, room;
};

/* A name that is safe in any directory: letters, digits and "._-", not a dot first. */
bool sums_name_is_safe(const char *name);
/* Adds a copy.  STATUS_NO_MEMORY. */
enum status sums_add(struct sums *s, const char *name, const char hex[SHA256_HEX_BYTES],
                     struct diag *diag);
/* NULL: there is none of the name. */
const struct sum *sums_find(const struct sums *s, const char *name);
/* Sorts by name, and prints. */
void sums_print(struct sums *s, FILE *out);
/* Reads a file of at most 256 KiB.  STATUS_IO, or STATUS_USAGE with the line that is no sum,
 * whose name is not safe or stands in a line before. */
enum status sums_read(struct sums *s, const char *path, struct diag *diag);
void sums_close(struct sums *s);

#endif
