/* `assay eval imagenet`: the classes of images. */
#ifndef ASSAY_CONFORMANCE_TOOLS_EVAL_IMAGENET_H
#define ASSAY_CONFORMANCE_TOOLS_EVAL_IMAGENET_H

#include "conformance/tools/eval/eval_report.h"
#include "conformance/tools/eval/eval_run.h"
#include "conformance/tools/eval/imagenet_truth.h"

#include <stddef.h>
#include <stdint.h>

enum { IMAGENET_TOP = 10 };

/* What a side made of an image. */
struct imagenet_top {
    uint32_t classes[IMAGENET_TOP];
    double scores[IMAGENET_TOP];
    uint32_t count;
};

struct imagenet {
    const struct eval_model *model;
    struct imagenet_truth truth;
    struct imagenet_top *top[EVAL_SIDES]; /* of each image */
};

/* Reads the files and checks that they fit the model. */
enum status imagenet_open(struct imagenet *x, const struct imagenet_files *files,
                          const struct eval_model *model, struct diag *diag);
void imagenet_close(struct imagenet *x);
struct eval_task imagenet_task(struct imagenet *x);

/* The rank of the true class, from 0; IMAGENET_TOP: it is not among the best. */
uint32_t imagenet_rank(const struct imagenet *x, size_t image, enum eval_side side);
/* Metrics of the images that were answered; has_reference: of both sides. */
enum status imagenet_report(const struct imagenet *x, bool has_reference, struct eval_report *r,
                            struct diag *diag);

#endif
