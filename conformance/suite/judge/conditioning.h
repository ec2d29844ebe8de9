/* How well a model's outputs are determined: what is left of them where each op is off as far as
 * its bound lets it (TOLERANCES.md 10). */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_CONDITIONING_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_CONDITIONING_H

#include "conformance/suite/bounds/classes.h"
#include "conformance/suite/judge/figures.h"
#include "conformance/suite/subject/outputs.h"
#include "reference/base/diag.h"
#include "reference/runtime/interpreter.h"

#include <stdint.h>

/* in: an interpreter with preserve_all and without delegates, whose inputs are written and which
 * has run.  It runs some times more from reset variables, each time with its f32 inputs moved by up
 * to an ulp of the class, constants rounded to f16 where the class stores f16, and each element of
 * a float result moved by up to the limit of its op, at random: outputs[i] has the figures of
 * output i against what it was.  The outputs are what they were afterwards, other tensors are not.
 * STATUS_UNSUPPORTED where a node cannot be run alone. */
enum status conditioning_measure(struct interpreter *in, enum bounds bounds, uint64_t seed,
                                 struct figures outputs[OUTPUTS_MAX], struct diag *diag);

#endif
