/* Names in golden files. */
#include "conformance/suite/golden/file_format.h"

#include <string.h>

void golden_case_path(const char *name, char path[CASE_NAME_BYTES])
{
    size_t i = 0;
    int dots = 0;

    for (; name[i] != '\0' && i + 1 < CASE_NAME_BYTES; i++)
        path[i] = name[i] == '.' && dots++ < 2 ? '/' : name[i];
    path[i] = '\0';
}

const char *golden_kind_name(enum golden_kind kind)
{
    static const char *const names[] = { "model", "inputs", "outputs", "tensors" };

    return names[kind];
}

bool golden_plain_name(const char *name)
{
    return name[0] != '\0' && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

bool golden_is_hex(const char *text)
{
    return strlen(text) == SHA256_HEX_BYTES - 1 && text[strspn(text, "0123456789abcdef")] == '\0';
}
