/* Copies floats of the host to and from f16 in staging memory. */
#ifndef ASSAY_DELEGATE_RUNTIME_HALF_COPY_H
#define ASSAY_DELEGATE_RUNTIME_HALF_COPY_H

#include <stddef.h>
#include <stdint.h>

/* Rounds to nearest, ties to even; finite numbers beyond the range become +-65504, denormals are
 * kept, NaN becomes a quiet NaN with the upper bits of its payload. */
void half_copy_in(uint16_t *to, const float *from, size_t count);
/* Exact; a NaN becomes quiet. */
void half_copy_out(float *to, const uint16_t *from, size_t count);

/* The same bits without instructions for f16, whatever CPU this is. */
void half_copy_in_plain(uint16_t *to, const float *from, size_t count);
void half_copy_out_plain(float *to, const uint16_t *from, size_t count);

#endif
