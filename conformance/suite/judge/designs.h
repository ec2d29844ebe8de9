/* How a node of dynamic range computed: in float, or with activations rounded to 8 bits in one of
 * the ways that CPUs have (TOLERANCES.md 13.9).
 *
 * Results are taken row by row: those of a row of FULLY_CONNECTED, of an image of a convolution,
 * which have one scale.  A row fits a design where all of its results are within its bound; the
 * tensor fits those that all of its rows fit. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_DESIGNS_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_DESIGNS_H

#include "conformance/suite/bounds/compare.h"
#include "conformance/suite/judge/result.h"
#include "reference/kernels/op.h"
#include "reference/runtime/interpreter.h"

#include <stdbool.h>

/* A sum of products of f32 activations and constant integer weights, of which designs are known. */
bool designs_apply(struct interpreter *in, int node);
/* Whether its weights have less than 8 bits: then its results must fit a design. */
bool designs_decide(struct interpreter *in, int node);

struct designs_verdict {
    uint32_t fits;          /* bit 1 << DESIGN_x: what all rows fit */
    bool rows_differ;       /* each row fits some design, but none fits all of them */
    bool bias_alone;        /* every result is that of the bias, bit for bit */
    char text[160];         /* of rows that differ: which need which */
    double margin, max_abs; /* of the first design but float that fits */
};
/* Judges output 0 of the node, which `request` compared with float: got, type and dims of it, its
 * rule, class and detail.  The inputs of the node are as they were when it was evaluated. */
enum status designs_judge(struct interpreter *in, int node, const struct compare_request *request,
                          struct designs_verdict *verdict, struct diag *diag);

#endif
