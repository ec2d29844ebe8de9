/* A model with batch 1 where it had N: for graphs whose inputs cannot be resized, because a
 * constant or an option of them holds the batch. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_BATCH_MODEL_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_BATCH_MODEL_H

#include "reference/base/arena.h"
#include "reference/base/diag.h"
#include "reference/format/model.h"

#include <stdbool.h>

struct batch_model {
    struct arena arena;
    struct model model; /* shares everything else with the source, which outlives it */
};

/* The inputs in `resized` get a first dimension of 1, and so do shapes that the model holds as a
 * constant of int32, such as RESHAPE's and TRANSPOSE_CONV's, or as an option, where theirs is
 * batch; axes, sizes and strides stay. Whether the result treats its images as the source does is
 * the caller's to find out. */
enum status batch_model_open(struct batch_model *b, const struct model *source, int32_t batch,
                             const bool *resized, struct diag *diag);
void batch_model_close(struct batch_model *b);

#endif
