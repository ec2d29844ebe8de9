/* Draws what a model found over the image that it was given: boxes, classes of pixels, keypoints.
 *
 *   - Boxes: the outputs of TFLite_Detection_PostProcess in any order, [1, N, 4] with ymin, xmin,
 *     ymax, xmax as shares of the image, twice [1, N], classes and scores, and their count.
 *   - Mask: scores [1, h, w, classes], or classes [1, h, w] or [1, h, w, 1] in integers, as ARG_MAX
 *     gives them.  Class 0 is the background, which is not drawn.
 *   - Keypoints: heatmaps [1, h, w, K], as logits or from 0 to 1, and offsets [1, h, w, 2 K] in
 *     pixels of the model's input, of y first.  17 keypoints are joined as those of COCO. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_OVERLAY_H
#define ASSAY_CONFORMANCE_SUITE_IO_OVERLAY_H

#include "conformance/suite/io/image.h"
#include "conformance/suite/io/tensor_value.h"
#include "reference/base/diag.h"
#include "tensorflow/lite/c/common.h"

#include <stddef.h>

enum overlay_kind { OVERLAY_BY_SHAPES, OVERLAY_BOXES, OVERLAY_MASK, OVERLAY_KEYPOINTS };

struct overlay_request {
    enum overlay_kind kind;
    const TfLiteTensor *input; /* [1, h, w, c]: pixels of keypoints are its pixels */
    const TfLiteTensor *const *outputs;
    size_t count;
    const struct labels *labels; /* of classes, or of keypoints */
    double threshold;            /* the least score of a box or keypoint */
};

/* image: RGB.  summary: what was drawn.  STATUS_UNSUPPORTED where the outputs are of no such model,
 * with their shapes. */
enum status overlay_draw(struct image *image, const struct overlay_request *r, char *summary,
                         size_t summary_bytes, struct diag *diag);

#endif
