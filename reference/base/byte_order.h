/* Included where bytes of a model, an array or a shader are read as words of this host: of the
 * other byte order, results would be wrong in silence. */
#ifndef ASSAY_REFERENCE_BASE_BYTE_ORDER_H
#define ASSAY_REFERENCE_BASE_BYTE_ORDER_H

#include <float.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "big-endian hosts are not supported: models and tensors are little-endian and used in place"
#endif

_Static_assert(sizeof(float) == 4 && FLT_MANT_DIG == 24, "f32 is the float of this host");

#endif
