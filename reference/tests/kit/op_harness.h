/* One op without an interpreter: tensors by hand, then prepare and eval, for the tests of the
 * scalar kernels. */
#ifndef ASSAY_REFERENCE_TESTS_KIT_OP_HARNESS_H
#define ASSAY_REFERENCE_TESTS_KIT_OP_HARNESS_H

#include "reference/base/memory.h"
#include "reference/kernels/op.h"
#include "reference/tests/kit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OP_INPUTS = 24, OP_OUTPUTS = 4 };

struct op_test {
    struct ref_call call;
    TfLiteTensor inputs[OP_INPUTS], outputs[OP_OUTPUTS];
    TfLiteTensor *in[OP_INPUTS], *out[OP_OUTPUTS];
    struct ref_shape shapes[OP_OUTPUTS];
    struct ref_detail details[OP_OUTPUTS];
    struct diag diag;
    const char *row; /* what is being tested, for messages; may be NULL */
    union {
        double align;
        char bytes[REF_PARAMS_MAX_BYTES];
    } params;
};

/* Adds an output. */
TfLiteTensor *op_output(struct op_test *t, TfLiteType type);
/* Starts a test of the op `code` with one output. */
void op_begin(struct op_test *t, int32_t code, TfLiteType out_type);
void op_set_dims(TfLiteTensor *tensor, int rank, const int32_t *dims);
/* data NULL: zeroes.  The memory has exactly the size of the tensor, so that a sanitizer sees a
 * read past its end. */
TfLiteTensor *op_input(struct op_test *t, TfLiteType type, int rank, const int32_t *dims,
                       const void *data);
/* Adds an absent optional input. */
void op_absent(struct op_test *t);
enum status op_prepare(struct op_test *t);
/* Prepares, allocates the outputs and their details and evaluates; all of it has to work.  Without
 * details the outputs have to be the same. */
void op_run(struct op_test *t);
void op_end(struct op_test *t);
/* Prepare fails with the status, and its message has all of the words (NULL ends them). */
void op_refused(struct op_test *t, enum status s, ...);

#define DIMS(...)   ((const int32_t[]){ __VA_ARGS__ })
#define FLOATS(...) ((const float[]){ __VA_ARGS__ })
#define INTS(...)   ((const int32_t[]){ __VA_ARGS__ })
#define HALVES(...) ((const uint16_t[]){ __VA_ARGS__ })
#define LONGS(...)  ((const int64_t[]){ __VA_ARGS__ })

void op_has_shape(const struct op_test *t, int rank, const int32_t *dims);
const char *op_row(const struct op_test *t);
/* Value, magnitude and terms of one element of the first output, to 1e-12 of the value's size. */
void op_detail_is(const struct op_test *t, size_t i, double value, double magnitude, double terms);
/* Repeatable numbers in [-1, 1) with full mantissas. */
float op_random(uint64_t *state);

#endif
