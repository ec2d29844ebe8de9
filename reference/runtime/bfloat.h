/* Nodes with bf16 tensors.  No kernel computes with bf16, so where one takes f32 in its place it is
 * given the values in f32; results are rounded to bf16 once, to nearest even, from what they are in
 * double.  The runtime's CPU kernels only move bf16, and such moves need nothing of this. */
#ifndef ASSAY_REFERENCE_RUNTIME_BFLOAT_H
#define ASSAY_REFERENCE_RUNTIME_BFLOAT_H

#include "reference/kernels/op.h"

/* Some input or output is bf16, and none of these is a variable. */
bool bfloat_has(const struct ref_call *call);
/* The op's prepare and eval, which see f32 in place of bf16. */
enum status bfloat_prepare(const struct ref_call *call, struct diag *diag);
enum status bfloat_eval(const struct ref_call *call, struct diag *diag);

#endif
