/* Integer arrays as the ABI has them: one block, freed with mem_free or, by a delegate, with free.
 */
#ifndef ASSAY_REFERENCE_RUNTIME_INT_ARRAY_H
#define ASSAY_REFERENCE_RUNTIME_INT_ARRAY_H

#include "tensorflow/lite/c/common.h"

#include <stddef.h>

/* n zeros; NULL when out of memory or n is negative. */
TfLiteIntArray *int_array_new(int n);
/* A copy of count values; NULL when out of memory or count is beyond INT_MAX. */
TfLiteIntArray *int_array_copy(const int *data, size_t count);

#endif
