/* SHA-256 through libmd. */
#include "conformance/util/sha256.h"

#include <sys/types.h>

#include <errno.h>
#include <sha2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

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
    uint8_t block[16 * 1024];
    SHA2_CTX context;
    FILE *f = fopen(path, "rb");
    size_t n;
    int error;

    hex[0] = '\0';
    if (!f)
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    SHA256Init(&context);
    while ((n = fread(block, 1, sizeof block, f)) > 0)
        SHA256Update(&context, block, n);
    error = ferror(f) ? errno : 0;
    fclose(f);
    if (error)
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(error));
    finish(&context, hex);
    return STATUS_OK;
}
