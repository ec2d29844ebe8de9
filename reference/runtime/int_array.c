#include "reference/runtime/int_array.h"

#include "reference/base/memory.h"

#include <limits.h>
#include <string.h>

TfLiteIntArray *int_array_new(int n)
{
    TfLiteIntArray *array = n < 0 ? NULL : mem_alloc((size_t)n + 1, sizeof(int));

    if (array)
        array->size = n;
    return array;
}

TfLiteIntArray *int_array_copy(const int *data, size_t count)
{
    TfLiteIntArray *array = count > INT_MAX ? NULL : int_array_new((int)count);

    if (array && count)
        memcpy(array->data, data, count * sizeof(int));
    return array;
}
