/* Some nodes of a model as a model of their own.
 *
 * What the nodes read and no node of the part makes becomes an input, unless it is constant;
 * what others read, or the whole graph gives, becomes an output.  A node that computes from
 * constants alone, such as the DEQUANTIZE of f16 weights, comes along with the node that reads its
 * result. */
#ifndef ASSAY_CONFORMANCE_UTIL_MODEL_CUT_H
#define ASSAY_CONFORMANCE_UTIL_MODEL_CUT_H

#include "reference/base/diag.h"
#include "reference/format/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model_cut_request {
    const struct model *model; /* its first subgraph is cut */
    const bool *nodes;         /* of each operator: whether it belongs to the part */
    /* Of each tensor its dims, as a runtime prepared them; NULL: as the file has them. */
    const struct model_ints *shapes;
    /* No other node comes along, but all inputs, and the other subgraphs with all buffers, for
     * nodes that call them. */
    bool exact;
};

struct model_cut {
    struct model model; /* shares strings, vectors and data with the source, which outlives it */
    const int32_t *tensors; /* of each tensor of the part its index in the source */
    const int32_t *nodes;   /* of each operator of the part its index in the source */
};

/* STATUS_INVALID when no node is asked for, or an index of the graph is out of range.  On failure
 * *out is empty. */
enum status model_cut_make(const struct model_cut_request *request, struct model_cut *out,
                           struct diag *diag);
void model_cut_close(struct model_cut *cut);

#endif
