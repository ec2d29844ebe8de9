/* A worker process: opens both sides, decodes images, runs them, and answers in JSON. */
#ifndef ASSAY_CONFORMANCE_TOOLS_EVAL_EVAL_WORKER_H
#define ASSAY_CONFORMANCE_TOOLS_EVAL_EVAL_WORKER_H

#include "conformance/tools/eval/eval_task.h"

struct eval_worker_start {
    const struct eval_request *request;
    const struct eval_task *task;
    const struct eval_images *images;
    bool alone; /* no other worker: software devices may use all processors */
};

/* What it sends first, and before the text of each answer. */
struct eval_worker_head {
    enum status status; /* other than OK: the run ends, text says why */
    char text[512];
    struct eval_hello hello; /* of the first head */
    size_t bytes;            /* of the JSON that follows; of the first head 0 */
};

/* Serves a parent that sends the index of an image (size_t) at a time; user: eval_worker_start. */
void eval_worker_serve(int socket, void *user);

#endif
