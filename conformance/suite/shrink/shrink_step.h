/* Steps that reduce a model and its inputs: each makes one thing smaller or plainer.
 *
 * They follow from the tensors, dims and option fields of the model alone.  A dimension is
 * shortened wherever its size occurs, or a multiple of it, or in one tensor only: which of these
 * keeps the graph valid is for the reference to say. */
#ifndef ASSAY_CONFORMANCE_SUITE_SHRINK_SHRINK_STEP_H
#define ASSAY_CONFORMANCE_SUITE_SHRINK_SHRINK_STEP_H

#include "conformance/suite/cases/case.h"
#include "reference/base/diag.h"
#include "reference/format/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum shrink_step_kind {
    SHRINK_NODES, /* nodes: keeps those of a range */
    SHRINK_SIZE,  /* size: becomes smaller in all tensors, in shapes and sizes that are data, too */
    SHRINK_MULTIPLE, /* size: each multiple of it becomes the same multiple of the smaller one */
    SHRINK_DIM,      /* dims: the first becomes smaller */
    SHRINK_PAIR,   /* dims: both become smaller, those of weights and bias, for instance, where the
                      input has the same size */
    SHRINK_VALUE,  /* value: an element that is a size, an axis or an index */
    SHRINK_OPTION, /* option: a field of a node */
    SHRINK_ZERO,   /* data: a part becomes zero */
    SHRINK_ONE,    /* data: ... becomes 1 */
    SHRINK_ROUND   /* data: ... becomes integers of at most 8 */
};

struct shrink_dim {
    int32_t tensor, dim;
};

struct shrink_step {
    enum shrink_step_kind kind;
    union {
        struct {
            int32_t first, last;
        } nodes;
        struct {
            int32_t from, to;
        } size;
        struct {
            struct shrink_dim of[2];
            int32_t to;
        } dims;
        struct {
            int32_t tensor, index, to;
        } value;
        struct {
            int32_t node, field, to;
        } option;
        struct {
            int32_t tensor, part, parts; /* part `part` of `parts` equal ones of the elements */
        } data;
    };
};

/* Makes the reduced instance.  STATUS_INVALID or STATUS_UNSUPPORTED where the reduction changes
 * nothing, or the reference does not accept what it makes; then *out is empty. */
enum status shrink_step_make(const struct shrink_step *r, const struct case_instance *x,
                             struct case_instance *out, struct diag *diag);

#endif
