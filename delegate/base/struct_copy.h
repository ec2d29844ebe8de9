/* Structs of assay_gpu.h, which callers may know in a shorter or longer version. */
#ifndef ASSAY_DELEGATE_BASE_STRUCT_COPY_H
#define ASSAY_DELEGATE_BASE_STRUCT_COPY_H

#include <stddef.h>

/* Copies `size` bytes of a struct that begins with size_t struct_size to the caller's struct, which
 * may be shorter (older) or longer (newer): the common members are written, except struct_size.
 * Returns 0; -1 when `to` is NULL, or too short to hold struct_size. */
int struct_copy_out(void *to, const void *from, size_t size);

#endif
