/* Sparse tensors of a struct model: to the checked layout (base/sparsity.h), and from dense
 * elements to the sparse ones of a form. */
#ifndef ASSAY_REFERENCE_FORMAT_SPARSE_H
#define ASSAY_REFERENCE_FORMAT_SPARSE_H

#include "reference/base/sparsity.h"
#include "reference/format/model.h"

/* As sparse_check, of a tensor that has sparsity and perhaps comes from no verified file. */
enum status sparse_check_model(const struct model_tensor *t, struct sparse_layout *layout,
                               struct sparse_fault *fault);

/* How a tensor is stored: its levels in traversal order, those of a block last. */
struct sparse_form {
    size_t level_count;
    struct sparse_form_level {
        int32_t dimension;  /* of the shape */
        int32_t block;      /* a block's dimension of so many indices; 0: the shape's own */
        uint8_t compressed; /* 0: dense; else the kind of its vectors: 1 i32, 2 u16, 3 u8 */
    } levels[SPARSE_LEVELS_MAX];
};

/* Makes *sparsity and *values, in the arena, of the elements that are not all zero bytes; of a
 * dense last level all.  STATUS_INVALID, with the text in *fault, where shape and form do not fit.
 */
enum status sparse_compress(struct arena *arena, const struct sparse_form *form,
                            const int32_t *shape, size_t rank, const void *dense,
                            size_t element_bytes, struct model_sparsity *sparsity,
                            struct model_bytes *values, struct sparse_fault *fault);

/* The form of a checked tensor; false where sparse_compress of its dense elements would not give
 * the same levels and values again. */
bool sparse_form_of(const struct model_tensor *t, const struct sparse_layout *layout,
                    const struct model_bytes *values, size_t element_bytes,
                    struct sparse_form *form);

#endif
