/* Arrays in memory. */
#include "conformance/suite/io/array.h"

#include "reference/base/builtin.h"
#include "reference/base/checked.h"
#include "reference/base/memory.h"

#include <inttypes.h>
#include <stdio.h>

void array_close(struct array *a)
{
    mem_free(a->data);
    *a = (struct array){ 0 };
}

bool array_measure(struct array *a)
{
    return checked_elements(a->dims, a->rank, &a->elements) &&
           checked_mul(a->elements, runtime_type_bits(a->type) / 8, &a->bytes);
}

void array_shape_text(char *text, size_t bytes, size_t rank, const int32_t *dims)
{
    size_t used = (size_t)snprintf(text, bytes, "[");

    for (size_t i = 0; i < rank && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%" PRId32, i ? ", " : "", dims[i]);
    if (used < bytes)
        snprintf(text + used, bytes - used, "]");
}
