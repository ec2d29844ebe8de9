/* The titles of the gap suite, for `gap` in struct op_case: known faults of delegates, as their
 * users report them, and what delegates leave out, as far as a case can show it. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUITES_GAPS_H
#define ASSAY_CONFORMANCE_SUITE_SUITES_GAPS_H

#include "conformance/suite/cases/suite.h"

#define GAP_HALF_RANGE "fp16: infinity or NaN near 65504"
#define GAP_HALF_SUM   "fp16: long sums overflow or lose digits"
#define GAP_EPSILON    "fp16: tiny constants become zero"
#define GAP_LANES      "padded lanes leak from one op into the next"
#define GAP_BROADCAST  "broadcasting is wrong or refused"
#define GAP_BATCH      "a batch over 1 is wrong or refused"
#define GAP_RANK       "a rank other than 4 is wrong or refused"
#define GAP_OVERWRITE  "a tensor is overwritten before it is read"
#define GAP_FUSION     "ops merged into one give another result"
#define GAP_STATE      "state is lost or mixed up between inferences"
#define GAP_VERSION    "a newer version of an op is refused"
#define GAP_RUNTIME    "weights, bias, slopes must be constant"
#define GAP_BYTES      "8-bit models: f32 at the ends, mixed scales"
#define GAP_RESIZE     "align_corners, half_pixel_centers ignored"
#define GAP_DEPTHWISE  "a depthwise convolution of 1 channel fails"
#define GAP_SHAPES     "values that follow from shapes are stale"

/* A member without bound and ranges: those of the op's own suite hold (suite_find_member). */
#define GAP_MEMBER(op_, code_, types_, sets_)                                                      \
    {                                                                                              \
        SUITE_OP(op_, code_, 1), .types = (types_), .sets = (sets_)                                \
    }

#endif
