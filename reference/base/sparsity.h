/* Sparse constants: the stored values of a tensor, and how they lie in the dense one.
 *
 * A sparse tensor is stored level by level.  Each dimension of the shape is a level, in traversal
 * order, and behind them each dimension of a block: a block divides the dimension of the shape that
 * the block map says.  A level is dense, then all of its indices follow, or compressed: the indices
 * that there are stand in `indices`, those of row i of the levels before from segments[i] to
 * segments[i + 1].  The values are stored in the order of the last level.
 *
 *     [[0, 5, 0], [7, 0, 9]], rows dense, columns compressed:
 *     segments 0 1 3, indices 1 0 2, values 5 7 9
 *
 * Runtime and delegate expand the same way, whatever the host has checked before.
 * Meaning: tflite/schema/schema.fbs, tflite/kernels/internal/utils/sparsity_format_converter.cc */
#ifndef ASSAY_REFERENCE_BASE_SPARSITY_H
#define ASSAY_REFERENCE_BASE_SPARSITY_H

#include "reference/base/status.h"
#include "tensorflow/lite/c/common.h"

#include <stddef.h>
#include <stdint.h>

enum { SPARSE_RANK_MAX = 8, SPARSE_LEVELS_MAX = 2 * SPARSE_RANK_MAX };

/* A vector of integers of 1, 2 (unsigned) or 4 bytes (signed), unaligned. */
struct sparse_ints {
    const void *data;
    size_t count;
    unsigned width;
};

/* What a model, or a host, says about a sparse tensor; nothing is checked. */
struct sparse_source {
    const int32_t *shape;
    size_t rank;
    struct sparse_ints order, block_map;
    size_t level_count; /* of those in `levels` that are given, and of more */
    struct sparse_source_level {
        int32_t format; /* 0 dense, 1 compressed */
        int32_t dense_size;
        struct sparse_ints segments, indices;
    } levels[SPARSE_LEVELS_MAX];
};

/* What was checked. */
struct sparse_layout {
    size_t level_count, elements, stored; /* elements of the dense tensor, and values */
    struct sparse_level {
        size_t size; /* indices from 0 to size - 1 */
        size_t step; /* elements of the dense tensor from one to the next */
        bool compressed;
        struct sparse_ints segments, indices;
    } levels[SPARSE_LEVELS_MAX];
};

/* Which part of a source is wrong, and how. */
struct sparse_fault {
    enum {
        SPARSE_ORDER,
        SPARSE_BLOCK_MAP,
        SPARSE_LEVELS,
        SPARSE_FORMAT,
        SPARSE_DENSE_SIZE,
        SPARSE_SEGMENTS,
        SPARSE_INDICES
    } part;
    size_t level; /* of the last four */
    size_t index; /* of an element; SIZE_MAX: the whole part */
    char text[96];
};
/* The name of the part in the schema. */
const char *sparse_part_name(const struct sparse_fault *fault);

/* STATUS_INVALID, or STATUS_UNSUPPORTED for what no runtime expands, with *fault. */
enum status sparse_check(const struct sparse_source *source, struct sparse_layout *layout,
                         struct sparse_fault *fault);
/* The same for a constant of the host, whose values have to be there. */
enum status sparse_check_tensor(const TfLiteTensor *t, struct sparse_layout *layout,
                                struct sparse_fault *fault);

/* Writes the dense tensor: layout.elements of element_bytes each, zero where no value is stored. */
void sparse_expand(const struct sparse_layout *layout, const void *values, size_t element_bytes,
                   void *dense);

#endif
