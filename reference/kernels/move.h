/* What the ops share that move elements by a fixed map of indices: axes, pitches, and the walk over
 * an input in the order of an output. */
#ifndef ASSAY_REFERENCE_KERNELS_MOVE_H
#define ASSAY_REFERENCE_KERNELS_MOVE_H

#include "reference/kernels/quantized.h"

/* Elements between two neighbours along each dimension of t. */
void ref_pitches(const TfLiteTensor *t, int64_t pitch[REF_MAX_RANK]);

/* The dimensions of an output, outermost first: how many places each has, and how many elements of
 * the input lie between two of them.  A dimension of the output may be given as several. */
struct ref_walk {
    int rank;
    int32_t sizes[2 * REF_MAX_RANK];
    int64_t steps[2 * REF_MAX_RANK];
    int64_t first; /* the element of the input that comes first */
};
void ref_walk_dim(struct ref_walk *walk, int32_t size, int64_t step);
/* Copies elements of input i, in the order of the walk, to output o, and sets its detail. */
void ref_walk_copy(struct ref_call *call, int i, int o, const struct ref_walk *walk);

/* The eval of ops that change the shape alone. */
enum status ref_move_whole(struct ref_call *call, struct diag *diag);

/* Input i has one element, i32 or i64 where allowed: an axis.  *known is false while it is neither
 * constant nor computed; then *axis is 0.  A negative axis counts from the end of rank dimensions.
 */
enum status ref_check_axis(const struct ref_call *call, struct diag *diag, int i, bool wide,
                           int rank, int *axis, bool *known);
/* axis is within [-rank, rank); a negative one is counted from the end. */
enum status ref_check_axis_value(const struct ref_call *call, struct diag *diag, int64_t value,
                                 int rank, int *axis);
/* Input i is a vector, i32 or i64 where allowed, of `count` elements (-1: any number). */
enum status ref_check_vector(const struct ref_call *call, struct diag *diag, int i,
                             const char *role, bool wide, int count);
/* Every output has the type of input i, and if `scaled` its scale. */
enum status ref_check_outs(const struct ref_call *call, struct diag *diag, int i, bool scaled);
/* Every output is dynamic. */
void ref_outs_dynamic(struct ref_call *call);

#endif
