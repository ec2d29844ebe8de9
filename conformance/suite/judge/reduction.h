/* Reductions of a model and its inputs: each makes one thing smaller or plainer.
 *
 * They follow from the tensors, dims and option fields of the model alone.  A dimension is
 * shortened wherever its size occurs, or a multiple of it, or in one tensor only: which of these
 * keeps the graph valid is for the reference to say. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_REDUCTION_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_REDUCTION_H

#include "conformance/suite/cases/case.h"
#include "reference/base/diag.h"
#include "reference/format/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum reduction_kind {
    REDUCE_NODES,    /* keep nodes a to b */
    REDUCE_SIZE,     /* size a becomes b in all tensors, in shapes and sizes that are data, too */
    REDUCE_MULTIPLE, /* k a becomes k b, likewise, for each k */
    REDUCE_DIM,      /* dimension b of tensor a becomes c */
    REDUCE_PAIR,   /* two dimensions, each as 8 tensor + dimension in a and b, become c: of weights
                      and bias, for instance, where the input has the same size */
    REDUCE_VALUE,  /* value b of tensor a, which holds sizes, axes or indices, becomes c */
    REDUCE_OPTION, /* field b of the options of node a becomes c */
    REDUCE_ZERO,   /* part b of c equal parts of the data of tensor a become zero */
    REDUCE_ONE,    /* ... become 1 */
    REDUCE_ROUND   /* ... become integers of at most 8 */
};

struct reduction {
    enum reduction_kind kind;
    int32_t a, b, c;
};

/* Makes the reduced instance.  STATUS_INVALID or STATUS_UNSUPPORTED where the reduction changes
 * nothing, or the reference does not accept what it makes; then *out is empty. */
enum status reduction_apply(const struct reduction *r, const struct case_instance *x,
                            struct case_instance *out, struct diag *diag);

#endif
