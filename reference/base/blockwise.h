/* Blockwise quantization: weights [rows, K] with a scale for each run of block_size elements of a
 * row.  The scales are a constant of the same subgraph, f16, row after row:
 *
 *     W[o,k] = scales[o, k / block_size] * w[o,k]
 *
 * Reader and runtime ask the same rules; a delegate may, whatever its host has checked.
 * Meaning: tflite/schema/schema.fbs (BlockwiseQuantization) */
#ifndef ASSAY_REFERENCE_BASE_BLOCKWISE_H
#define ASSAY_REFERENCE_BASE_BLOCKWISE_H

#include "reference/base/status.h"
#include "tensorflow/lite/c/c_api_types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a model, or a host, says about blockwise weights; nothing is checked. */
struct blockwise {
    int32_t tensor, tensors; /* the index of the weights, and how many the subgraph has */
    TfLiteType type;
    size_t rank;
    int32_t dims[2]; /* of rank 2 */
    bool constant;
    size_t affine_scales; /* that the same tensor has */
    int32_t dimension;    /* the one that is not in blocks */
    int32_t scales, zero_points, block_size;
    /* Of the tensor `scales`, where there is one. */
    TfLiteType scales_type;
    uint64_t scales_count;   /* elements of its shape */
    const void *scales_data; /* all of them; NULL: it is no constant */
    uint64_t scales_passed;  /* so many of the first were found right before */
};

/* Which part is wrong, and how. */
struct blockwise_fault {
    enum blockwise_part {
        BLOCKWISE_SHAPE,
        BLOCKWISE_TYPE,
        BLOCKWISE_DATA,
        BLOCKWISE_AFFINE,
        BLOCKWISE_DIMENSION,
        BLOCKWISE_SCALES,
        BLOCKWISE_ZERO_POINTS,
        BLOCKWISE_SIZE
    } part;
    char text[128];
};
/* The field of the schema: "BlockwiseQuantization.scales". */
const char *blockwise_part_name(enum blockwise_part part);

/* STATUS_INVALID or STATUS_UNSUPPORTED with *fault.  Reads the scales, each of which is finite and
 * above 0. */
enum status blockwise_check(const struct blockwise *b, struct blockwise_fault *fault);

static inline bool blockwise_in_range(const struct blockwise *b)
{
    return b->scales >= 0 && b->scales < b->tensors && b->scales != b->tensor;
}

#endif
