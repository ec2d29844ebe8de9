/* A section of a file, with its checksum: that of the checksums of its portions, which several
 * threads read and sum.  So the bytes are summed while the core that read them has them. */
#ifndef ASSAY_DELEGATE_CACHE_SECTION_H
#define ASSAY_DELEGATE_CACHE_SECTION_H

#include "reference/base/diag.h"

#include <stddef.h>
#include <stdint.h>

uint64_t section_hash(const void *data, size_t bytes);

/* Reads `bytes` bytes from position `at` of the file to new memory, which the caller frees with
 * mem_free, also after a failure.  STATUS_INVALID: the file ends before, or the checksum is not
 * `hash`; `what` names the section, `name` the file. */
enum status section_read(void **to, int fd, uint64_t at, size_t bytes, uint64_t hash,
                         const char *what, const char *name, struct diag *diag);

#endif
