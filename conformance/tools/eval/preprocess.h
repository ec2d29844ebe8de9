/* Images become inputs: cropped, resized, and scaled to the input's type. */
#ifndef ASSAY_CONFORMANCE_TOOLS_EVAL_PREPROCESS_H
#define ASSAY_CONFORMANCE_TOOLS_EVAL_PREPROCESS_H

#include "conformance/suite/io/image.h"
#include "conformance/suite/io/tensor_io.h"
#include "conformance/tools/eval/eval_model.h"

/* PREPROCESS_WHOLE is that of `assay run`: bilinear with half-pixel centres, rounded to 8 bits.
 * PREPROCESS_TFLITE is that of TFLite's evaluation tools: bilinear from the corner of the pixels,
 * in floats, which are not rounded but cut off where the input is of 8 bits. */
enum preprocess_way { PREPROCESS_TFLITE, PREPROCESS_WHOLE };

struct preprocess {
    int way;                  /* enum preprocess_way */
    double crop;              /* side of the central square, a share of the shorter side; 0: none */
    struct pixel_scale scale; /* of float inputs */
};

/* Writes in->bytes of data. */
enum status preprocess_image(const struct preprocess *p, const struct image *im,
                             const struct eval_input *in, void *data, struct diag *diag);

/* The central square of that share of the shorter side; at least a pixel. */
enum status preprocess_crop(struct image *out, const struct image *im, double share,
                            struct diag *diag);

#endif
