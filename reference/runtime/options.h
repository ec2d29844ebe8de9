/* How an interpreter is opened. */
#ifndef ASSAY_REFERENCE_RUNTIME_OPTIONS_H
#define ASSAY_REFERENCE_RUNTIME_OPTIONS_H

#include "reference/base/diag.h"
#include "tensorflow/lite/c/common.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A kernel of the user for an op in some of its versions. */
struct interpreter_kernel {
    int32_t code;            /* enum builtin */
    const char *custom_name; /* where code is BUILTIN_CUSTOM */
    int32_t min_version, max_version;
    TfLiteRegistration registration;
};

struct interpreter;
struct ref_shape;

/* Who runs the nodes of the primary graph that the reference cannot prepare: ops that it lacks, or
 * types.  Delegates are not offered these nodes, unless their op or its version is unknown. */
struct interpreter_stand_in {
    void *user;
    /* shapes: of the outputs, as the file has them; changed where the node gives others.  The
     * inputs have their shapes.  NULL: those of the file are right. */
    enum status (*prepare)(void *user, struct interpreter *in, int node, struct ref_shape *shapes,
                           struct diag *diag);
    /* Computes the outputs of a node from what its inputs hold.  NULL: nothing is run. */
    enum status (*run)(void *user, struct interpreter *in, int node, struct diag *diag);
};

struct interpreter_options {
    size_t graph; /* the subgraph that it runs, of which `primary graph` is said here */
    /* Another one of the model, whose resource variables it shares, and which outlives it; NULL. */
    struct interpreter *beside;
    /* Every tensor keeps memory of its own, so that all can be read after invoke. */
    bool preserve_all;
    /* Guard zones of this many bytes (rounded up to 64) before and behind every tensor that the
     * interpreter allocates, which then share no memory; 0: none. */
    size_t guard_bytes;
    /* Every tensor that the interpreter allocates lies so many bytes behind a multiple of 64,
     * rounded down to the size of its elements; less than 64. */
    size_t offset_bytes;
    /* Before each invoke every allocated tensor but inputs, variables and constants is filled with
     * poison_word. */
    bool poison;
    uint32_t poison_word;
    bool cancellable;
    /* Ops that are not known are prepared with the shapes of the file, so that a delegate can be
     * asked which nodes of any model it takes.  Nothing can be run. */
    bool shapes_only;
    const struct interpreter_stand_in *stand_in; /* NULL: nobody; outlives the interpreter */
    /* They come before the kernels of the reference, the last one first.  Read by open alone. */
    const struct interpreter_kernel *kernels;
    size_t kernel_count;
    /* How often a WHILE may run its body; 0: what the environment says (ASSAY_MAX_ITERATIONS), else
     * the limit loop_iterations. */
    uint32_t max_iterations;
    int32_t num_threads; /* -1: not set.  Told to delegates; the kernels use one. */
    /* Printf-style messages (errors of kernels and delegates, the standard delegate warning).
     * NULL: one line each on stderr. */
    void (*report)(void *user, const char *format, va_list args);
    void *report_user;
};

#endif
