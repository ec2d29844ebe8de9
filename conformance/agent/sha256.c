/* Nothing, in the place of util/sha256.c and its library: reports are written where the suite is,
 * and name no file of another machine. */
#include "conformance/util/sha256.h"

enum status sha256_file(const char *path, char hex[SHA256_HEX_BYTES], struct diag *diag)
{
    (void)path, (void)diag;
    hex[0] = '\0';
    return STATUS_OK;
}
