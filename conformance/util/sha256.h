/* SHA-256, as lower-case hex: what reports name a file or a model by. */
#ifndef ASSAY_CONFORMANCE_UTIL_SHA256_H
#define ASSAY_CONFORMANCE_UTIL_SHA256_H

#include "reference/base/diag.h"

#include <stddef.h>

enum { SHA256_HEX_BYTES = 65 };

void sha256_hex(const void *bytes, size_t count, char hex[SHA256_HEX_BYTES]);
/* Hashes a regular file of at most the limit file_bytes; STATUS_IO or STATUS_LIMIT with path and
 * reason. */
enum status sha256_file(const char *path, char hex[SHA256_HEX_BYTES], struct diag *diag);

#endif
