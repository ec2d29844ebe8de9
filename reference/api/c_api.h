/* The objects behind the opaque types of the C API. */
#ifndef ASSAY_REFERENCE_API_C_API_H
#define ASSAY_REFERENCE_API_C_API_H

#include "reference/format/file.h"
#include "reference/format/model.h"
#include "reference/runtime/interpreter.h"
#include "reference/runtime/state.h"
#include "tensorflow/lite/c/c_api.h"

#include <stdatomic.h>
#include <stdbool.h>

struct api_reporter {
    TfLiteErrorReporterCallback call; /* NULL: a line on stderr */
    void *user;
};

/* Sends a printf-style message to the reporter. */
void api_report(const struct api_reporter *to, const char *format, ...) PRINTF_LIKE(2, 3);

/* A model is freed with its last reference: TfLiteModelDelete drops one, and each interpreter made
 * from it holds one. */
struct TfLiteModel {
    atomic_int references;
    struct model model;
    struct file_model file; /* that was opened here; empty: the bytes are the caller's */
};

struct TfLiteInterpreterOptions {
    int32_t num_threads;
    TfLiteDelegate **delegates; /* borrowed, in order */
    size_t delegate_count, delegate_room;
    struct interpreter_kernel *kernels; /* of the user; their names are copies */
    size_t kernel_count, kernel_room;
    bool out_of_memory; /* in an Add function, which returns nothing */
    struct api_reporter reporter;
    bool cancellable, fallback;
};

struct TfLiteInterpreter {
    struct interpreter *in;
    TfLiteModel *model;
    struct api_reporter reporter;
    bool fallback;
    /* Of subgraphs behind the first that have a signature, by subgraph: interpreters beside this
     * one, without a model of their own.  NULL: none. */
    struct TfLiteInterpreter *others;
    size_t other_count;
};

struct TfLiteSignatureRunner {
    TfLiteInterpreter *interpreter;
    const struct model_signature *signature;
};

/* Adds a kernel; custom_name, NULL for a builtin op, is copied. */
void api_add_kernel(TfLiteInterpreterOptions *options, const struct interpreter_kernel *kernel);

/* Reports a failure and returns the status that the API has for it. */
TfLiteStatus api_status(const TfLiteInterpreter *interpreter, enum status s,
                        const struct diag *diag);

TfLiteStatus api_resize(TfLiteInterpreter *interpreter, int tensor, const int *dims, int32_t rank);

#endif
