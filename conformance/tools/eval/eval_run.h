/* Runs a model over a list of images: decoding, the subject and the reference in worker processes.
 *
 * The parent decodes nothing and loads no delegate.  A process that crashes or hangs fails its
 * image and is replaced.  Answers are JSON: a worker sends them, the log of --resume holds them. */
#ifndef ASSAY_CONFORMANCE_TOOLS_EVAL_EVAL_RUN_H
#define ASSAY_CONFORMANCE_TOOLS_EVAL_EVAL_RUN_H

#include "conformance/tools/eval/eval_task.h"

#include <stddef.h>

struct eval_outcome {
    struct eval_hello hello;
    size_t resumed;     /* images whose answers were in the log */
    size_t missing;     /* images that were not run, because of the signal */
    const char *signal; /* that interrupted the run; NULL: none did */
    double seconds;
};

/* STATUS_UNSUPPORTED where the subject takes no node; else failures of single images are part of
 * *images. */
enum status eval_run(const struct eval_request *q, const struct eval_task *task,
                     struct eval_images *images, struct eval_outcome *out, struct diag *diag);

#endif
