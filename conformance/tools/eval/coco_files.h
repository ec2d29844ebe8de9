/* Ground truth and detections as COCO's files have them: JSON. */
#ifndef ASSAY_CONFORMANCE_TOOLS_EVAL_COCO_FILES_H
#define ASSAY_CONFORMANCE_TOOLS_EVAL_COCO_FILES_H

#include "conformance/tools/eval/coco_match.h"
#include "conformance/util/sha256.h"
#include "reference/base/arena.h"

#include <stdio.h>

struct coco_image {
    int64_t id;
    const char *file; /* "000000000139.jpg"; NULL: the file has none */
};
struct coco_category {
    int64_t id;
    const char *name; /* "" where the file has none */
};

/* An "instances" file. */
struct coco_truth {
    struct arena arena;
    struct coco_image *images; /* by id */
    size_t image_count;
    struct coco_category *categories; /* by id */
    size_t category_count;
    struct coco_object *objects; /* in the order of the file */
    size_t object_count, crowd_count;
    size_t foreign;                /* annotations of images that the file does not list: left out */
    char sha256[SHA256_HEX_BYTES]; /* of the file */
};
/* STATUS_INVALID with the place and the value: annotations of a category that is not listed, ids
 * that are there twice, boxes that are none. */
enum status coco_truth_read(struct coco_truth *t, const char *path, struct diag *diag);
void coco_truth_close(struct coco_truth *t);
/* Index by id; -1: there is none. */
long coco_truth_category(const struct coco_truth *t, int64_t id);

/* A list that grows. */
struct coco_detections {
    struct coco_detection *items; /* mem_free */
    size_t count, capacity;
    size_t foreign; /* of categories that are not in the ground truth: left out */
};
enum status coco_detections_add(struct coco_detections *d, const struct coco_detection *one,
                                struct diag *diag);
/* A "results" file: [{"image_id", "category_id", "bbox", "score"}].  STATUS_INVALID for an image
 * that is not in the ground truth. */
enum status coco_detections_read(struct coco_detections *d, const struct coco_truth *t,
                                 const char *path, struct diag *diag);
/* Prints a results file, which pycocotools reads. */
void coco_detections_print(FILE *f, const struct coco_detections *d, const struct coco_truth *t);
void coco_detections_close(struct coco_detections *d);

#endif
