/* Ground truth of classifiers: which class each image of a folder has. */
#ifndef ASSAY_CONFORMANCE_TOOLS_EVAL_IMAGENET_TRUTH_H
#define ASSAY_CONFORMANCE_TOOLS_EVAL_IMAGENET_TRUTH_H

#include "conformance/suite/io/tensor_value.h"
#include "conformance/tools/eval/eval_images.h"
#include "conformance/util/sha256.h"
#include "reference/base/diag.h"

#include <stddef.h>
#include <stdint.h>

/* Files; NULL: not given. */
struct imagenet_files {
    const char *images;       /* folder */
    const char *ground_truth; /* a line for each image: a label, or a number */
    const char *labels;       /* a line for each class of the model */
    const char *names;        /* line N is the label of the number N of the ground truth */
    const char *denylist;     /* numbers of images, from 1, that are left out */
    int64_t offset;           /* class = number of the ground truth + offset, without names;
                                 32 bits hold it */
    uint64_t num_images;      /* 0: all */
};

struct imagenet_truth {
    struct labels labels; /* lines NULL: none were given */
    uint32_t *same;       /* of a class: the first class of the same label */
    size_t classes;
    struct eval_images images;
    uint32_t *expected; /* of each image: its class, as `same` has it */
    int64_t offset;     /* of files, where numbers of the ground truth are classes */
    size_t denied;      /* images that are left out by --denylist_file_path */
    char sha256[SHA256_HEX_BYTES];
};

/* Reads the labels, lists the images and reads the class of each.  A line of the ground truth is
 * that of the image at its place by name, or "NAME LABEL" of an image by name.  LABEL is a line of
 * the labels, or a number where there are none.  STATUS_INVALID, with line and value, where the
 * files do not fit each other or the classes of the model. */
enum status imagenet_truth_open(struct imagenet_truth *t, const struct imagenet_files *files,
                                const char *model, size_t classes, struct diag *diag);
void imagenet_truth_close(struct imagenet_truth *t);

#endif
