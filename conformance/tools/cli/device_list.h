/* The Vulkan devices that a delegate library sees, in the order of the indices of --device. */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_DEVICE_LIST_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_DEVICE_LIST_H

#include "assay_gpu.h"
#include "reference/base/diag.h"

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

enum { DEVICES_MAX = 64 };

struct device_list {
    struct assay_gpu_device items[DEVICES_MAX];
    size_t count;
};

/* Asks the library at a path, ours where it is NULL, in this process.  STATUS_NO_DEVICE: it sees
 * none; STATUS_UNSUPPORTED: it does not export assay_gpu_devices. */
enum status device_list_read(struct device_list *list, const char *delegate, struct diag *diag);

/* Name, driver, limits and features: as text, indented below the index; as JSON. */
void device_print(FILE *f, const struct assay_gpu_device *d);
json_t *device_json(const struct assay_gpu_device *d);

#endif
