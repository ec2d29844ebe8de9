/* Pipelines, made once a device and shared by all steps with the same shader and constants. */
#ifndef ASSAY_DELEGATE_VULKAN_PIPELINE_H
#define ASSAY_DELEGATE_VULKAN_PIPELINE_H

#include "delegate/vulkan/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the driver remembers of pipelines, of one partition. */
struct pipeline_cache {
    struct device *device;
    VkPipelineCache handle;
    uint64_t serial; /* handles come again, this does not */
    bool fill;       /* every pipeline asked for goes in, also one that the device has already */
};

/* data from pipeline_cache_read, of any process; 0 bytes: empty. */
enum status pipeline_cache_open(struct pipeline_cache *c, struct device *d, const void *data,
                                size_t bytes, bool fill, struct diag *diag);
void pipeline_cache_close(struct pipeline_cache *c);
/* Its data in memory of its own: mem_free. */
enum status pipeline_cache_read(const struct pipeline_cache *c, uint8_t **data, size_t *bytes,
                                struct diag *diag);

/* The pipeline of a step: made on the first use, then shared.  cache may be NULL. */
enum status device_pipeline(struct device *d, const struct plan_step *step, bool half,
                            struct pipeline_cache *cache, VkPipeline *out, struct diag *diag);
/* One that is not shared: vkDestroyPipeline.  One thread at a time uses the cache. */
enum status device_pipeline_alone(struct device *d, const struct plan_step *step, bool half,
                                  struct pipeline_cache *cache, VkPipeline *out, struct diag *diag);

/* Made by this process so far, on all devices, and the time that it took. */
uint64_t device_pipelines_made(void);
uint64_t device_pipelines_ns(void);

/* Destroys the pipelines of a device. */
void pipelines_close(struct device *d);

#endif
