/* Memory of the caller that an input or output of a partition is bound to
 * (assay_gpu_bind_buffer_to_tensor).  Descriptor bindings of a step are plan_binding. */
#ifndef ASSAY_DELEGATE_VULKAN_IO_BINDING_H
#define ASSAY_DELEGATE_VULKAN_IO_BINDING_H

#include "assay_gpu.h"
#include "delegate/vulkan/device.h"
#include "delegate/vulkan/external.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <vulkan/vulkan.h>

struct io_binding {
    bool on;                         /* false: not bound */
    int layout;                      /* enum assay_gpu_layout */
    bool owned;                      /* external is closed with the binding */
    struct external_buffer external; /* or the caller's VkBuffer */
    VkDeviceSize offset, bytes;      /* of the tensor in the buffer */
};

/* Checks what the caller gives, of which `need` bytes are used, and imports or makes the buffer
 * where the caller gives none.  Results are written to *given.  On failure *b is closed. */
enum status io_binding_open(struct io_binding *b, struct device *d, struct assay_gpu_buffer *given,
                            size_t need, struct diag *diag);
/* Destroys what the binding owns; does nothing when `on` is false. */
void io_binding_close(struct io_binding *b, struct device *d);

#endif
