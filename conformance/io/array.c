/* Arrays in memory. */
#include "conformance/io/array.h"

#include "reference/base/memory.h"

#include <inttypes.h>
#include <stdio.h>

void array_close(struct array *a)
{
    mem_free(a->data);
    *a = (struct array){ 0 };
}

void array_shape_text(char *text, size_t bytes, size_t rank, const int32_t *dims)
{
    size_t used = (size_t)snprintf(text, bytes, "[");

    for (size_t i = 0; i < rank && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%" PRId32, i ? ", " : "", dims[i]);
    if (used < bytes)
        snprintf(text + used, bytes - used, "]");
}
