/* Serialization of a partition: a start reads its file, or writes one.  Nothing here fails a start:
 * a failure is reported as one warning for each graph, and the partition is made without. */
#ifndef ASSAY_DELEGATE_RUNTIME_SERIALIZE_H
#define ASSAY_DELEGATE_RUNTIME_SERIALIZE_H

#include "delegate/base/device_rates.h"
#include "delegate/cache/cache.h"
#include "delegate/vulkan/pipeline.h"
#include "tensorflow/lite/c/common.h"

#include <stdbool.h>

struct gpu_delegate;
struct plan_request;

struct serialization {
    bool on;
    bool found; /* a file was read and used */
    struct cache_identity id;
    char name[CACHE_NAME_BYTES];
    struct cache_content content;    /* of the file; until the partition is ready */
    struct pipeline_cache pipelines; /* until the partition is ready */
};

/* Looks for the file of an unpacked plan, made by this request.  True: the plan has its constants
 * and measured workgroup sizes from the file.  False: the plan is unchanged, and must be made again
 * with constants. */
bool serialization_find(struct serialization *s, struct gpu_delegate *d, TfLiteContext *context,
                        const struct plan_request *request, struct plan *plan);

/* The pipeline cache to make the partition's pipelines with; NULL: none. */
struct pipeline_cache *serialization_open_pipelines(struct serialization *s, struct gpu_delegate *d,
                                                    TfLiteContext *context);

/* Writes the file of a partition that is ready, when there was none, or `changed` is set. */
void serialization_write(struct serialization *s, struct gpu_delegate *d, TfLiteContext *context,
                         const struct plan *plan, bool changed);

/* The same for the rates of the device, one file for each.  With rates that were found there is
 * nothing to write. */
bool serialization_find_rates(struct serialization *s, struct gpu_delegate *d,
                              TfLiteContext *context, struct device_rates *rates);
void serialization_write_rates(struct serialization *s, struct gpu_delegate *d,
                               TfLiteContext *context, const struct device_rates *rates);

/* Frees what only the start needs.  May be called again. */
void serialization_close(struct serialization *s);

#endif
