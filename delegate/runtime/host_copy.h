/* Copies an input or output between the host's memory and the staging buffer: the same bytes, or,
 * in float view, 8-bit elements at the host and floats in the staging buffer. */
#ifndef ASSAY_DELEGATE_RUNTIME_HOST_COPY_H
#define ASSAY_DELEGATE_RUNTIME_HOST_COPY_H

#include "delegate/plan/plan.h"

void host_copy_in(void *staging, const void *host, const struct plan_io *io);
void host_copy_out(void *host, const void *staging, const struct plan_io *io);
/* From the staging buffer of one partition to that of another, with the same result as by way of
 * the host. */
void host_copy_between(void *to, const void *from, const struct plan_io *io);

#endif
