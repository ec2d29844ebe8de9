/* SHA-256 through libmd. */
#include "conformance/util/sha256.h"

#include "reference/base/limits.h"
#include "reference/format/file.h"

#include <sys/types.h>

#include <errno.h>
#include <sha2.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

_Static_assert(SHA256_HEX_BYTES == SHA256_DIGEST_STRING_LENGTH, "32 bytes in hex and a NUL");

static void finish(SHA2_CTX *context, char hex[SHA256_HEX_BYTES])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[SHA256_DIGEST_LENGTH];

    SHA256Final(digest, context);
    for (size_t i = 0; i < sizeof digest; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[SHA256_HEX_BYTES - 1] = '\0';
}

void sha256_hex(const void *bytes, size_t count, char hex[SHA256_HEX_BYTES])
{
    SHA2_CTX context;

    SHA256Init(&context);
    SHA256Update(&context, bytes, count);
    finish(&context, hex);
}

enum status sha256_file(const char *path, char hex[SHA256_HEX_BYTES], struct diag *diag)
{
    const uint64_t limit = limit_of(LIMIT_FILE_BYTES);
    uint8_t block[16 * 1024];
    uint64_t count = 0;
    SHA2_CTX context;
    ssize_t n;
    int fd, error;

    hex[0] = '\0';
    TRY(file_open_regular(path, &fd, diag));
    SHA256Init(&context);
    while ((n = read(fd, block, sizeof block)) > 0 && (count += (uint64_t)n) <= limit)
        SHA256Update(&context, block, (size_t)n);
    error = n < 0 ? errno : 0;
    close(fd);
    if (error)
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(error));
    if (count > limit)
        return limit_fail(diag, LIMIT_FILE_BYTES, "%s: a longer file", path);
    finish(&context, hex);
    return STATUS_OK;
}
