/* Makes the models of suites/sub_byte.c: a row's operator, its packed weights and their scales. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUITES_SUB_BYTE_BUILD_H
#define ASSAY_CONFORMANCE_SUITE_SUITES_SUB_BYTE_BUILD_H

#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"

enum {
    NO_BIAS = 1,
    ABSENT_BIAS = 2,
    KEEP_DIMS = 4,
    CHANNELS = 8,   /* a scale for each channel */
    SYMMETRIC = 16, /* no lowest integer: -7 to 7, or -1 to 1 */
    ASYMMETRIC_INPUTS = 32,
    ZERO_POINTS = 64,
    DENORMAL = 128,         /* the scales of the first row of blocks are f16 denormals */
    BIAS_32 = 256,          /* of i16 activations */
    LAST_AXIS = 512,        /* channels of a dequantized matrix are those of its last dimension */
    CONSTANTS_FIRST = 1024, /* bias, weights and table are the first tensors of the file */
    TIED = 2048             /* the table is also the weights of a product behind it */
};

struct row {
    struct op_case base;
    struct shape in, w; /* in: x; w: weights, table, constant */
    int32_t units, block;
    int activation, padding, stride, dilation;
    int first; /* kind of the first row of x */
    unsigned flags;
};

/* Kinds of rows of x, which take turns. */
enum row_kind { ROW_NORMAL, ROW_POSITIVE, ROW_SPIKE, ROW_ZERO, ROW_NEGATIVE, ROW_KINDS };

void sub_byte_build(struct case_builder *m);

#endif
