/* LiteRT as an accelerator sees it: a runtime context of the test's own, with tensor buffers, and
 * an interpreter whose inputs and outputs are in them. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_LITERT_KIT_H
#define ASSAY_DELEGATE_TESTS_KIT_LITERT_KIT_H

#include "delegate/tests/kit/device_kit.h"

#include "delegate/api/litert_accelerator.h"

enum { LITERT_TENSORS = 8, LITERT_TYPES = 4 };

/* A tensor buffer; at most one event is attached to it. */
struct litert_buffer {
    int type;
    size_t bytes, offset;
    void *data;                   /* host memory */
    struct litert_memory *memory; /* of the accelerator's making */
    int references;               /* that were handed out and not destroyed */
    bool has_event;
    struct litert_event *event; /* NULL: an event of LiteRT, which counts waits */
    int waits;
};

/* What LiteRT knows about one tensor. */
struct litert_tensor {
    struct litert_buffer *buffer; /* registered for the next inference */
    int types[LITERT_TYPES], type_count, announced;
    size_t bytes; /* required */
};

struct litert_kit {
    struct litert_runtime runtime;
    const char *gpu_options, *our_options; /* NULL: not given */
    int wrap_status;                       /* that wrap_delegate returns */
    bool async;
    TfLiteDelegate *delegate;
    void (*deleter)(TfLiteDelegate *);
    TfLiteStatus (*prepare)(TfLiteContext *, TfLiteDelegate *);
    struct interpreter *in;
    struct litert_tensor tensors[LITERT_TENSORS];
};

/* The functions of a runtime serve the kit that was opened or selected last. */
void litert_kit_open(struct litert_kit *k);
void litert_kit_select(struct litert_kit *k);
/* Asks the accelerator for a delegate; returns its LiteRtStatus. */
int litert_kit_create(struct litert_kit *k);
/* An allocated interpreter with the delegate. */
void litert_kit_load(struct litert_kit *k, const struct model *m);
/* Runs the one partition with tensor i in buffers[i]; the others are the interpreter's. */
TfLiteStatus litert_kit_run(struct litert_kit *k, struct litert_buffer *const *buffers, int count);
/* Deletes interpreter and delegate as LiteRT does: the interpreter first. */
void litert_kit_close(struct litert_kit *k);

/* A buffer of the accelerator's type. */
struct litert_buffer litert_buffer_make(size_t bytes);
void litert_buffer_close(struct litert_buffer *b);
float *litert_buffer_floats(struct litert_buffer *b);

#endif
