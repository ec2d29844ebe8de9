/* What the class of a subject, and the device's own values, change in the detail of a node before
 * its outputs are compared (TOLERANCES.md 3.8, 13.2 and 13.4). */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_NODE_LIMITS_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_NODE_LIMITS_H

#include "conformance/suite/bounds/bound.h"
#include "reference/kernels/op.h"
#include "reference/runtime/interpreter.h"

/* Dynamic range, 13.4: what each result of a node may be off by because its f32 activations are
 * rounded to 8 bits before they meet i8 weights.  *added, freed with mem_free, is NULL where the
 * node is none of these; of the full LSTM the evaluation fills it, as ref_detail.rounded.  Call it
 * before the node is evaluated: outputs are overwritten.  packed: of weights of 4 and 2 bits, too,
 * which node_compare judges by their designs; scales of blocks may be rounded to bf16. */
enum status node_limits_hybrid(struct interpreter *in, int node, bool packed, double **added,
                               struct diag *diag);

/* The parts of the activations that are rounded in steps of their own: the rows of FULLY_CONNECTED,
 * the images of a convolution. */
size_t node_limits_parts(const TfLiteTensor *x, const TfLiteTensor *w);

/* Class winograd, 13.2: replaces magnitude and terms of the output of an f32 CONV_2D of 3x3 with
 * stride 1 by those of its tiles; *tiles says whether it did.  Call it after the evaluation. */
enum status node_limits_winograd(struct interpreter *in, int node, const struct ref_detail *detail,
                                 bool *tiles, struct diag *diag);

/* The values of a device that the results of an LSTM follow from. */
struct node_lstm {
    const float *z, *c; /* outputs 3 and 1 */
    const float *c_prev;
};
/* Replaces value and magnitude of h and c, outputs 0 and 1 of an f32 LSTM, by those that follow
 * from the device's own z and c.  detail: of each output. */
void node_limits_lstm(enum bounds bounds, const struct node_lstm *got, size_t batch, size_t cells,
                      const struct ref_detail *detail);

#endif
