/* Detections that change places: a near tie of scores may fall either way. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_SWAPS_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_SWAPS_H

#include "conformance/suite/subject/outputs.h"
#include "reference/runtime/interpreter.h"

#include <stddef.h>

/* Puts the detections of a TFLite_Detection_PostProcess, whose outputs are those of the graph, into
 * the order that the reference has them in: each to one of its class whose score is nearer than
 * four times the largest difference of scores of one rank (TOLERANCES.md 10).  Returns how many are
 * elsewhere than they were. */
size_t swaps_undo(struct interpreter *in, struct outputs *got);

#endif
