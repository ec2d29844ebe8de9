#include "delegate/base/struct_copy.h"

#include <string.h>

int struct_copy_out(void *to, const void *from, size_t size)
{
    size_t theirs;

    if (!to)
        return -1;
    memcpy(&theirs, to, sizeof theirs);
    if (theirs < sizeof theirs)
        return -1;
    memcpy((char *)to + sizeof theirs, (const char *)from + sizeof theirs,
           (theirs < size ? theirs : size) - sizeof theirs);
    return 0;
}
