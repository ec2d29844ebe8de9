/* LiteRT's tensor buffers: memory of the delegate's own making, in which LiteRT keeps inputs and
 * outputs, and the source by which kernels find it. */
#ifndef ASSAY_DELEGATE_API_LITERT_BUFFERS_H
#define ASSAY_DELEGATE_API_LITERT_BUFFERS_H

#include "delegate/api/litert_abi.h"
#include "delegate/runtime/host_source.h"

/* The handlers of LITERT_BUFFER_ASSAY, for the accelerator's definition. */
int litert_memory_create(void *device, void *queue, const void *tensor_type, int type, size_t bytes,
                         size_t packed_bytes, struct litert_memory **memory);
int litert_memory_destroy(struct litert_memory *memory);
int litert_memory_lock(struct litert_memory *memory, int mode, void **address);
int litert_memory_unlock(struct litert_memory *memory);
int litert_memory_clear(struct litert_memory *memory);

/* The source of a delegate that runs in LiteRT; NULL: out of memory. */
struct host_source *litert_source_make(const struct litert_runtime *runtime);

#endif
