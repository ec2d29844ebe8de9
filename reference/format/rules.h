/* What the checks of a model's rules share (verify.c, verify_tensor.c): which model is checked,
 * at which of its parts, and how a broken rule is reported. */
#ifndef ASSAY_REFERENCE_FORMAT_RULES_H
#define ASSAY_REFERENCE_FORMAT_RULES_H

#include "reference/base/diag.h"
#include "reference/base/limits.h"
#include "reference/format/flatbuffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tflite_accept {
    ACCEPT_SUPPORTED, /* what tflite_read accepts */
    ACCEPT_LEGAL      /* also what is legal and not supported here, or not checked: sparsity,
                         quantization details, data in other files */
};

/* Bytes of a buffer or of large custom options.  present is false when there are none; behind: they
 * lie outside of the flatbuffer, at the position that the table's offset and size say. */
struct tflite_span {
    size_t at, count;
    bool present, behind;
};
struct tflite_span tflite_buffer_span(struct fb_table buffer);
struct tflite_span tflite_custom_span(struct fb_table op);

/* The op code of an OperatorCode table: the larger of its deprecated and its new field. */
int32_t tflite_op_code(struct fb_table opcode);

enum { LABEL_BYTES = 96, NO_INDEX = -1 };

struct rules {
    const uint8_t *bytes;
    size_t count;
    enum tflite_accept accept;
    struct diag *diag;
    struct fb_table model;
    size_t buffers, opcodes, subgraphs;
    uint64_t tensors, operators; /* of the subgraphs so far */
    uint64_t used;               /* bytes behind the flatbuffer, as often as they are used */
    uint8_t *string_data;        /* of each buffer: 1 when it was checked */
    /* The part that is being checked, for messages; NO_INDEX: none. */
    struct fb_table graph;
    int64_t graph_index, tensor_index, operator_index;
};

/* Fails with "offset 0x1f4: Tensor.buffer: <message> (subgraph 0, tensor 3 'conv1')"; index: of an
 * element of a vector, SIZE_MAX for the field itself. */
enum status rules_fail(const struct rules *r, enum status s, struct fb_table t, unsigned slot,
                       size_t index, const char *format, ...) PRINTF_LIKE(6, 7);
/* Fails with STATUS_LIMIT and the same words when value is over the limit; unit is what is counted.
 */
enum status rules_limit(const struct rules *r, enum limit which, uint64_t value, struct fb_table t,
                        unsigned slot);
/* Writes "tensor 3 'conv1'" into text[LABEL_BYTES], the name cut and as printable ASCII. */
void rules_label_tensor(const struct rules *r, size_t index, char *text);

#endif
