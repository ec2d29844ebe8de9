/* A model and its inputs, to be changed: every constant has a buffer of its own. */
#ifndef ASSAY_CONFORMANCE_SUITE_SHRINK_MODEL_DRAFT_H
#define ASSAY_CONFORMANCE_SUITE_SHRINK_MODEL_DRAFT_H

#include "conformance/suite/cases/case.h"
#include "reference/base/diag.h"
#include "reference/format/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model_draft {
    struct model read;  /* of the instance's file */
    struct model model; /* the changed one; shares with `read` what is not changed */
    struct model_subgraph graph;
    struct model_subgraph *graphs; /* all of them, where there are several; the first follows graph
                                      in model_draft_finish */
    struct model_tensor *tensors;
    struct model_operator *operators;
    struct model_buffer *buffers;
    size_t input_count;
    struct {
        void *data[2]; /* NULL: the instance has no such frame */
        size_t bytes;
    } inputs[CASE_INPUTS_MAX];
    /* The instance's other fields; its file and its data are not used. */
    struct case_instance rest;
};

/* Copies what an instance says, without its file and inputs. */
void instance_copy_head(const struct case_instance *x, struct case_instance *out);

/* The instance outlives the draft. */
enum status model_draft_open(struct model_draft *d, const struct case_instance *x,
                             struct diag *diag);
void model_draft_close(struct model_draft *d);

/* The data of a constant (frame 0) or of a frame of an input; NULL: it has none.  It may be written
 * to. */
void *model_draft_data(struct model_draft *d, int tensor, int frame, size_t *bytes);
/* Bytes of an element; 0 for types that are packed or have no size. */
size_t model_draft_element_bytes(const struct model_draft *d, int tensor);
/* Whether the tensor is a constant that holds sizes, axes or indices: integers without a scale. */
bool model_draft_is_parameter(const struct model_draft *d, int tensor);
/* Whether the tensor's shape is the model's to choose: no node computes it, and it is no parameter.
 */
bool model_draft_is_source(const struct model_draft *d, int tensor);
/* Shortens a dimension of a tensor with its data and its scales, keeping the first elements. */
enum status model_draft_shorten(struct model_draft *d, int tensor, size_t dim, int32_t size,
                                struct diag *diag);

/* Prepares the graph with the reference, which says the shapes of activations, and writes the
 * instance. */
enum status model_draft_finish(struct model_draft *d, struct case_instance *out, struct diag *diag);

#endif
