/* What the files of the delegate's own API share. */
#ifndef ASSAY_DELEGATE_BASE_STRUCT_COPY_H
#define ASSAY_DELEGATE_BASE_STRUCT_COPY_H

#include <stddef.h>

/* Copies a struct that begins with its size.  A caller's may be shorter than ours (older) or longer
 * (newer): the common part is written, but for struct_size, which stays the caller's.  0; -1 when
 * `to` is NULL or too short to hold its size. */
int struct_copy_out(void *to, const void *from, size_t size);

#endif
