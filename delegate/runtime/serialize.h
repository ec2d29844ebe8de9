/* A partition's start with the cache: what is found is used, what was made is kept.  Nothing here
 * fails a start: what goes wrong is told once a graph, and the partition is made without. */
#ifndef ASSAY_DELEGATE_RUNTIME_SERIALIZE_H
#define ASSAY_DELEGATE_RUNTIME_SERIALIZE_H

#include "delegate/cache/cache.h"
#include "delegate/vulkan/pipeline.h"
#include "tensorflow/lite/c/common.h"

#include <stdbool.h>

struct gpu_delegate;

struct serialization {
    bool on;
    bool found; /* a file was used */
    struct cache_identity id;
    char name[CACHE_NAME_BYTES];
    struct cache_content content;    /* of the file, until the partition is ready */
    struct pipeline_cache pipelines; /* the same */
};

/* plan is unpacked.  True: it has its constants now, and measured workgroup sizes; else it is as it
 * was, and a packed one is needed. */
bool serialization_find(struct serialization *s, struct gpu_delegate *d, TfLiteContext *context,
                        struct plan *plan);

/* The cache for the partition's pipelines; NULL when there is none. */
struct pipeline_cache *serialization_pipelines(struct serialization *s, struct gpu_delegate *d,
                                               TfLiteContext *context);

/* The partition is ready: writes what was made, when there was no file or `changed` is set. */
void serialization_keep(struct serialization *s, struct gpu_delegate *d, TfLiteContext *context,
                        const struct plan *plan, bool changed);

/* Frees what the start needed.  May be called again. */
void serialization_close(struct serialization *s);

#endif
