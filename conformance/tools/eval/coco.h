/* `assay eval coco`: the boxes of objects. */
#ifndef ASSAY_CONFORMANCE_TOOLS_EVAL_COCO_H
#define ASSAY_CONFORMANCE_TOOLS_EVAL_COCO_H

#include "conformance/tools/eval/coco_files.h"
#include "conformance/tools/eval/eval_report.h"
#include "conformance/tools/eval/eval_run.h"

#include <stddef.h>
#include <stdint.h>

struct coco_request {
    const char *images;       /* folder */
    const char *ground_truth; /* an instances file */
    const char *labels;       /* a line for each class of the model: a category's name; NULL */
    int64_t offset;           /* category id = class of the model + offset, without labels */
    uint64_t num_images;
};

struct coco {
    const struct eval_model *model; /* NULL: detections come from files */
    struct coco_truth truth;
    struct eval_images images; /* of the truth; only with a model */
    long *categories;          /* index by class of the model; -1: none */
    size_t class_count;
    size_t no_category; /* labels that are no category's name */
    struct coco_detections found[EVAL_SIDES];
    size_t malformed[EVAL_SIDES]; /* boxes of a model that are no boxes, or no numbers: left out */
    int64_t offset;
    bool has_labels;
};

/* model NULL: only the ground truth is read. */
enum status coco_open(struct coco *x, const struct coco_request *request,
                      const struct eval_model *model, struct diag *diag);
/* Detections of a file, instead of a model's. */
enum status coco_take_file(struct coco *x, enum eval_side side, const char *path,
                           struct diag *diag);
void coco_close(struct coco *x);
struct eval_task coco_task(struct coco *x);
enum status coco_report(struct coco *x, bool has_reference, uint64_t resamples, bool quiet,
                        struct eval_report *r, struct diag *diag);

#endif
