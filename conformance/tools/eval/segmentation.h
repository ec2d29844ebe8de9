/* `assay eval segmentation`: the classes of pixels. */
#ifndef ASSAY_CONFORMANCE_TOOLS_EVAL_SEGMENTATION_H
#define ASSAY_CONFORMANCE_TOOLS_EVAL_SEGMENTATION_H

#include "conformance/suite/io/image.h"
#include "conformance/suite/io/tensor_value.h"
#include "conformance/tools/eval/confusion.h"
#include "conformance/tools/eval/eval_report.h"
#include "conformance/tools/eval/eval_run.h"

#include <stddef.h>
#include <stdint.h>

struct segmentation_files {
    const char *images; /* folder */
    const char *masks;  /* folder of PNG files with the names of the images */
    const char *labels; /* a line for each class; NULL: none */
    int ignore;         /* label of pixels that do not count; -1: all count */
    uint64_t num_images;
};

struct segmentation {
    const struct eval_model *model;
    const struct segmentation_files *files; /* borrowed */
    struct labels labels;
    struct eval_images images;
    size_t without_mask; /* images that were left out of the list */
    const char *first_without_mask;
    const char **masks;                        /* path of each */
    size_t classes;                            /* of the model, 256 where it puts out labels */
    bool scores;                               /* the model puts out scores, else labels */
    struct confusion_image *found[EVAL_SIDES]; /* of each image */
    char truth_sha256[SHA256_HEX_BYTES];
};

enum status segmentation_open(struct segmentation *x, const struct segmentation_files *files,
                              const struct eval_model *model, struct diag *diag);
void segmentation_close(struct segmentation *x);
struct eval_task segmentation_task(struct segmentation *x);
enum status segmentation_report(struct segmentation *x, bool has_reference, uint64_t resamples,
                                bool quiet, struct eval_report *r, struct diag *diag);

/* Compares a map of classes with a mask of another size: at the mask's size, by the nearest pixel
 * with half-pixel centres.  cells: row by row of truth, classes * classes, and is added to.
 * STATUS_INVALID for a label that is no class. */
enum status segmentation_count(uint64_t *cells, size_t classes, const struct image *mask,
                               const uint16_t *map, uint32_t width, uint32_t height, int ignore,
                               struct diag *diag);

#endif
