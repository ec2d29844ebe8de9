/* Builds a model in memory: the suite's cases and the zoo.
 *
 *     struct builder b;
 *     builder_init(&b);
 *     int x = builder_tensor(&b, TENSOR_FLOAT32, "x", 4, (int32_t[]){ 1, 8, 8, 3 });
 *     int y = builder_tensor(&b, TENSOR_FLOAT32, "y", 4, (int32_t[]){ 1, 8, 8, 3 });
 *     builder_op(&b, BUILTIN_RELU, 1, NULL, 1, &x, 1, &y);
 *     builder_inputs(&b, 1, &x);
 *     builder_outputs(&b, 1, &y);
 *     TRY(builder_finish(&b, &model, diag));
 *
 * Everything given is copied.  A failure (out of memory) is remembered and returned by
 * builder_finish, so calls in between need no check: after one they return -1 and do nothing. */
#ifndef ASSAY_REFERENCE_FORMAT_BUILDER_H
#define ASSAY_REFERENCE_FORMAT_BUILDER_H

#include "reference/base/builtin.h"
#include "reference/base/diag.h"
#include "reference/base/lookup.h"
#include "reference/format/model.h"
#include "reference/format/sparse.h"

struct builder_item;

struct builder {
    struct arena arena;
    enum status status;
    struct builder_list {
        void *items;
        size_t count, room, size;
    } tensors, buffers, operators, opcodes, graphs, signatures;
    struct lookup opcode_of; /* the index in opcodes */
    struct model_ints inputs, outputs;
};

void builder_init(struct builder *b);
/* Frees a builder that builder_finish has not emptied. */
void builder_close(struct builder *b);

/* An activation (or graph input).  Returns its tensor index. */
int builder_tensor(struct builder *b, int32_t type, const char *name, size_t rank,
                   const int32_t *dims);
/* A constant; bytes are the elements in row-major order. */
int builder_constant(struct builder *b, int32_t type, const char *name, size_t rank,
                     const int32_t *dims, const void *data, size_t bytes);
/* A tensor of an earlier subgraph once more: a constant that signatures share has one buffer.
 * Details of its quantization that name tensors are to be given anew. */
int builder_again(struct builder *b, int graph, int tensor);
/* Marks a tensor as variable: kept between invokes, zero at first. */
void builder_variable(struct builder *b, int tensor);
/* Affine quantization: count scales and zero points, along dimension. */
void builder_quantization(struct builder *b, int tensor, size_t count, const float *scale,
                          const int64_t *zero_point, int32_t dimension);

/* Blockwise quantization of weights [rows, K]: `scales` is a constant f16 [rows, K / block_size].
 */
void builder_blockwise(struct builder *b, int tensor, int scales, int32_t block_size);

/* Stores a constant, given dense and of whole bytes, as the form says: its data become the values.
 * STATUS_INVALID, with *fault, where shape and form do not fit. */
enum status builder_sparse(struct builder *b, int tensor, const struct sparse_form *form,
                           struct sparse_fault *fault);

/* Appends an operator.  options may be NULL.  Input -1: optional, absent.  Returns its index. */
int builder_op(struct builder *b, int32_t code, int32_t version, const struct options *options,
               size_t input_count, const int *inputs, size_t output_count, const int *outputs);
/* The same for a custom op: name, version, and the bytes of its options (flexbuffer.h writes them),
 * which may be NULL. */
int builder_custom(struct builder *b, const char *name, int32_t version, const void *options,
                   size_t option_bytes, size_t input_count, const int *inputs, size_t output_count,
                   const int *outputs);
/* Gives an operator of a custom row (reference/base/custom_rows.def) its options; op -1: nothing.
 */
void builder_custom_options(struct builder *b, int op, const void *options, size_t bytes);
/* Gives an operator tensors that hold what it computes in between, or say how that is scaled. */
void builder_intermediates(struct builder *b, int op, size_t count, const int *tensors);
/* Begins the next subgraph; what follows belongs to it.  Returns its index: 1, 2, ... */
int builder_subgraph(struct builder *b);
/* Of the subgraph. */
void builder_inputs(struct builder *b, size_t count, const int *tensors);
void builder_outputs(struct builder *b, size_t count, const int *tensors);

/* Makes the subgraph callable as key; a name for each of its inputs and outputs, which are given.
 */
void builder_signature(struct builder *b, const char *key, const char *const *inputs,
                       const char *const *outputs);

/* Moves everything into *m (model_close frees it); the builder is empty afterwards.  On failure *m
 * is empty too. */
enum status builder_finish(struct builder *b, struct model *m, struct diag *diag);

#endif
