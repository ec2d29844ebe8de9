/* Copies an input or output between the host's memory and the staging buffer: the same bytes;
 * floats at the host and f16 in the staging buffer (plan_io.half); or, in float view, 8-bit
 * elements at the host and floats in the staging buffer. */
#ifndef ASSAY_DELEGATE_RUNTIME_HOST_COPY_H
#define ASSAY_DELEGATE_RUNTIME_HOST_COPY_H

#include "delegate/plan/plan.h"

void host_copy_in(void *staging, const void *host, const struct plan_io *io);
void host_copy_out(void *host, const void *staging, const struct plan_io *io);
/* Copies an output in the staging buffer of one partition, which holds f16 or not, to input *io in
 * that of another.  The bits are those of a copy by way of the host: in float view they are rounded
 * to 8 bits on the way. */
void host_copy_between(void *to, const struct plan_io *io, const void *from, bool from_half);

#endif
