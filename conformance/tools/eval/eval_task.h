/* What an evaluation is asked to do, and what one kind of it does with images. */
#ifndef ASSAY_CONFORMANCE_TOOLS_EVAL_EVAL_TASK_H
#define ASSAY_CONFORMANCE_TOOLS_EVAL_EVAL_TASK_H

#include "conformance/suite/subject/subject.h"
#include "conformance/tools/eval/eval_images.h"
#include "conformance/tools/eval/eval_model.h"
#include "conformance/tools/eval/preprocess.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum eval_side { EVAL_SUBJECT, EVAL_REFERENCE, EVAL_SIDES };

/* An image as it was decoded, and what the sides made of it. */
struct eval_view {
    size_t image;
    uint32_t width, height;
    const struct outputs *got[EVAL_SIDES]; /* [EVAL_REFERENCE] NULL: there is none */
};

/* What one kind of evaluation does with images. */
struct eval_task {
    const char *name; /* "imagenet" */
    void *user;
    /* In a worker: what the log and the metrics need of the outputs, of each side.  Sets *unusable
     * and fails where the image has no readable truth; any other failure ends the run. */
    enum status (*answer)(void *user, const struct eval_view *view, json_t *answers[EVAL_SIDES],
                          bool *unusable, struct diag *diag);
    /* In the parent: takes the answer of a side.  STATUS_INVALID where it is none. */
    enum status (*take)(void *user, size_t image, enum eval_side side, const json_t *answer,
                        struct diag *diag);
};

struct eval_request {
    const struct eval_model *model;
    struct subject *subject, *reference; /* reference NULL: none.  Not loaded */
    struct preprocess preprocess;
    uint64_t jobs;      /* worker processes; 0: as many as processors */
    double timeout_s;   /* of an image; the first one of a process opens the model, too */
    const char *resume; /* file of the answers; NULL: none */
    const char *truth_sha256;
    bool quiet;
};

/* What the first worker says of the subject. */
struct eval_hello {
    uint64_t nodes, taken;
    char device[256];
};

#endif
