/* The size of the cache directory: the files that were used least recently go. */
#ifndef ASSAY_DELEGATE_CACHE_TRIM_H
#define ASSAY_DELEGATE_CACHE_TRIM_H

#include "reference/base/diag.h"

#include <stdint.h>

/* Marks an open file of the cache as used now.  Where that fails, it is older than it should be. */
void cache_mark_used(int fd);

/* Removes files of this library, those first that were used least recently, until all of them have
 * limit_bytes at most.  File `kept` stays, and so does what is not a private file of this user that
 * begins as a cache file does.  A process that reads a file which is removed goes on reading it. */
enum status cache_trim(const char *dir, const char *kept, uint64_t limit_bytes, struct diag *diag);

#endif
