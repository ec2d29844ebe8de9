/* `assay run --draw`: what a model found, over the image that it was given. */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_RUN_DRAW_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_RUN_DRAW_H

#include "conformance/suite/io/overlay.h"
#include "conformance/suite/io/tensor_io.h"
#include "reference/runtime/interpreter.h"

struct run_draw {
    const char *path;  /* of the PNG; NULL: nothing is drawn */
    const char *image; /* the first input's file; where it is no image, its tensor is drawn on */
    int kind;          /* enum overlay_kind */
    double threshold;
    struct pixel_scale scale;
    const struct labels *labels;
    char summary[256]; /* set: what was drawn; empty before */
};

/* After an inference. */
enum status run_draw(struct run_draw *d, struct interpreter *in, struct diag *diag);

#endif
