/* Where a host keeps inputs and outputs that are not behind TfLiteTensor.data: LiteRT's tensor
 * buffers (api/litert_buffers.c). */
#ifndef ASSAY_DELEGATE_RUNTIME_HOST_SOURCE_H
#define ASSAY_DELEGATE_RUNTIME_HOST_SOURCE_H

#include "delegate/base/host_block.h"
#include "reference/base/diag.h"
#include "tensorflow/lite/c/common.h"

#include <stdbool.h>
#include <stddef.h>

struct pending;

/* The memory of one tensor during an inference. */
struct host_memory {
    void *data; /* NULL: there is none; TfLiteTensor.data is used */
    size_t bytes;
    struct host_block
        *block; /* the block that begins at data; NULL: the host allocated the memory */
    void *held; /* what the source opened for the run, and close destroys; NULL: nothing */
};

struct host_source {
    /* Tells the host where it may keep a tensor that partitions alone read and write. */
    enum status (*announce)(struct host_source *source, TfLiteContext *context,
                            const TfLiteTensor *t, struct diag *diag);
    /* Finds the memory of a tensor for one inference, after the producer of an input has ended.
     * Nothing is held after a failure. */
    enum status (*open)(struct host_source *source, TfLiteContext *context, const TfLiteTensor *t,
                        bool output, struct host_memory *m, struct diag *diag);
    /* Whether this run may return before its outputs are there. */
    bool (*is_async)(struct host_source *source, TfLiteContext *context);
    /* Tells the host that an output is there when the inference has ended.  STATUS_UNSUPPORTED: it
     * cannot be told. */
    enum status (*defer)(struct host_source *source, TfLiteContext *context,
                         const struct host_memory *m, struct pending *p, struct diag *diag);
    void (*close)(struct host_source *source, struct host_memory *m);
    void (*destroy)(struct host_source *source);
};

#endif
