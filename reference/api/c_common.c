/* Arrays for kernels of the user.  They are freed with free(), here or by the runtime. */
#include "tensorflow/lite/c/common.h"

#include "reference/runtime/int_array.h"

#include <stdlib.h>
#include <string.h>

TfLiteIntArray *TfLiteIntArrayCreate(int size)
{
    return int_array_new(size);
}

TfLiteIntArray *TfLiteIntArrayCopy(const TfLiteIntArray *src)
{
    return src && src->size >= 0 ? int_array_copy(src->data, (size_t)src->size) : NULL;
}

void TfLiteIntArrayFree(TfLiteIntArray *a)
{
    free(a);
}

int TfLiteIntArrayEqual(const TfLiteIntArray *a, const TfLiteIntArray *b)
{
    if (a == b)
        return 1;
    if (!a || !b || a->size != b->size)
        return 0;
    return a->size <= 0 || memcmp(a->data, b->data, (size_t)a->size * sizeof(int)) == 0;
}
