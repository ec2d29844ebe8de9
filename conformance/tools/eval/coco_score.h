/* Average precision and recall of detections, as pycocotools computes them for boxes: all images of
 * a category are one list of matches (coco_match.h), sorted by score, whose precision is sampled at
 * 101 recalls. */
#ifndef ASSAY_CONFORMANCE_TOOLS_EVAL_COCO_SCORE_H
#define ASSAY_CONFORMANCE_TOOLS_EVAL_COCO_SCORE_H

#include "conformance/tools/eval/coco_match.h"

/* Of one category, or means over categories.  NaN where no object is in range. */
struct coco_score {
    double ap[COCO_AREAS];          /* mean over thresholds, 100 detections */
    double ap50, ap75;              /* all areas */
    double recall[COCO_LIMITS];     /* all areas, mean over thresholds */
    double area_recall[COCO_AREAS]; /* 100 detections */
};
/* Mean over categories; each: of each category, or NULL.  STATUS_NO_MEMORY. */
enum status coco_score(const struct coco_matches *m, struct coco_score *mean,
                       struct coco_score *each, struct diag *diag);

/* AP, AP at .50 and at .75, all areas, where image i is taken weights[i] times.  NaN as above. */
void coco_score_weighted(const struct coco_matches *m, const uint32_t *weights, double ap[3]);

#endif
