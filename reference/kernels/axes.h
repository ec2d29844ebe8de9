/* Reductions over some dimensions of input 0, which a second input of i32 names, and iteration over
 * them: MEAN, SUM and others. */
#ifndef ASSAY_REFERENCE_KERNELS_AXES_H
#define ASSAY_REFERENCE_KERNELS_AXES_H

#include "reference/kernels/check.h"

/* Each position of the input is the sum of one of `kept` and one of `reduced`: the dimensions of
 * the one are 1 where those of the other are the input's. */
struct ref_axes {
    int rank;
    bool is_reduced[REF_MAX_RANK];
    int32_t kept[REF_MAX_RANK], reduced[REF_MAX_RANK];
    size_t count; /* elements of one result */
    bool all;     /* every dimension is reduced, or there is none */
};

/* Reads the axes, input 1, whose data is known: an axis may be negative, and may repeat.  Without
 * axes each element is its own result. */
enum status ref_read_axes(const struct ref_call *call, struct diag *diag, struct ref_axes *axes);

/* Checks the axes and gives output 0 its shape: without the reduced dimensions, or, where `keep` is
 * set, with 1 in their places.  Axes that are not constant make the output dynamic. */
enum status ref_shape_axes(struct ref_call *call, struct diag *diag, bool keep);

/* The index of an element of the input at a position of both. */
static inline size_t ref_axes_index(const struct ref_axes *a, const int32_t *kept,
                                    const int32_t *reduced)
{
    size_t index = 0;

    for (int d = 0; d < a->rank; d++)
        index =
            index * ((size_t)a->kept[d] * (size_t)a->reduced[d]) + (size_t)(kept[d] + reduced[d]);
    return index;
}

#endif
