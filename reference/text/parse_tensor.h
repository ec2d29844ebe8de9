/* Tensors of a text. */
#ifndef ASSAY_REFERENCE_TEXT_PARSE_TENSOR_H
#define ASSAY_REFERENCE_TEXT_PARSE_TENSOR_H

#include "reference/text/parse.h"

/* Whether the tensor is an output of the operator that is read: then a new one may follow from the
 * inputs, whose type is `type` (-1: none of them has one). */
struct parse_producer {
    bool produces;
    int32_t type;
};
/* A tensor, known or new; its index goes to *tensor. */
enum status parse_tensor(struct parse *p, const struct parse_producer *producer, int *tensor);
/* Up to "->", "|" or the end of the statement, as ints in list. */
enum status parse_tensors(struct parse *p, const struct parse_producer *producer,
                          struct parse_list *list);
enum status parse_dims(struct parse *p, const int32_t **dims, size_t *rank);
/* Behind "blocks(": the tensor with the scales, the size of a block, and perhaps a tensor with zero
 * points and a dimension. */
enum status parse_blocks(struct parse *p, struct model_quantization *q);
/* Behind "=" of metadata: bytes, or those of a buffer (*buffer not 0). */
enum status parse_raw(struct parse *p, const uint8_t **bytes, size_t *count, uint32_t *buffer);

#endif
