/* What the parts of the model reader share, and tests of it. */
#ifndef ASSAY_REFERENCE_FORMAT_VERIFY_H
#define ASSAY_REFERENCE_FORMAT_VERIFY_H

#include "reference/base/diag.h"
#include "reference/format/flatbuffer.h"
#include "reference/format/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tflite_accept {
    ACCEPT_SUPPORTED, /* what tflite_read accepts */
    ACCEPT_LEGAL      /* also what is legal but not done here: sparse tensors, quantization details,
                         data in other files */
};

/* The rules of a model, for bytes that fb_verify passed. */
enum status tflite_check_rules(const uint8_t *bytes, size_t count, enum tflite_accept accept,
                               struct diag *diag);

/* tflite_read, with a choice of what is accepted. */
enum status tflite_read_accepting(struct model *m, const void *bytes, size_t count,
                                  enum tflite_accept accept, struct diag *diag);

/* Where the bytes of a buffer or of large custom options stand.  present is false when there are
 * none; behind: outside of the flatbuffer, at the position that offset and size say. */
struct tflite_span {
    size_t at, count;
    bool present, behind;
};
struct tflite_span tflite_buffer_span(struct fb_table buffer);
struct tflite_span tflite_custom_span(struct fb_table op);

/* ---- while the rules are checked ---- */

enum { LABEL_BYTES = 96, NO_INDEX = -1 };

struct rules {
    const uint8_t *bytes;
    size_t count;
    enum tflite_accept accept;
    struct diag *diag;
    struct fb_table model;
    size_t buffers, opcodes, subgraphs;
    uint64_t used;        /* bytes behind the flatbuffer, as often as they are used */
    uint8_t *string_data; /* of each buffer: 1 when it was checked */
    /* What is looked at, for messages; NO_INDEX: none. */
    struct fb_table graph;
    int64_t graph_index, tensor_index, operator_index;
};

/* What a tensor holds before the next operator runs; 0: nothing yet.  HOLDS_EMPTY: it has a buffer
 * without data, and no elements: converters leave out the data of such constants. */
enum { HOLDS_EMPTY = 1, HOLDS_CONSTANT, HOLDS_STATE, HOLDS_INPUT, HOLDS_OUTPUT };

/* "offset 0x1f4: Tensor.buffer: <message> (subgraph 0, tensor 3 'conv1')"; index: of an element,
 * SIZE_MAX for the field itself. */
enum status rules_fail(const struct rules *r, enum status s, struct fb_table t, unsigned slot,
                       size_t index, const char *format, ...) PRINTF_LIKE(6, 7);
/* All rules of one tensor; *holds becomes EMPTY, CONSTANT or STATE, or stays. */
enum status rules_check_tensor(struct rules *r, struct fb_table t, uint8_t *holds);

#endif
