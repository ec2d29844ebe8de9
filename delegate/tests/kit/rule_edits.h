/* What tables of rows are written with: kinds of rows, and edits that go together. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_RULE_EDITS_H
#define ASSAY_DELEGATE_TESTS_KIT_RULE_EDITS_H

#include "delegate/tests/kit/rule_rows.h"

#define FAIL(r, n, ...)                                                                            \
    {                                                                                              \
        .rule = RULE_##r, .node = (n), .kind = FAILS, .edits = { __VA_ARGS__ }                     \
    }
#define EDGE(r, n, ...)                                                                            \
    {                                                                                              \
        .rule = RULE_##r, .node = (n), .kind = BOUNDARY, .edits = { __VA_ARGS__ }                  \
    }
#define EDGE_OF(r, next, n, ...)                                                                   \
    {                                                                                              \
        .rule = RULE_##r, .node = (n), .kind = BOUNDARY, .other = RULE_##next + 1, .edits = {      \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

#define CONV_P    TfLiteConvParams
#define POOL_P    TfLitePoolParams
#define LSTM_P    TfLiteLSTMParams
#define SEQ_P     TfLiteUnidirectionalSequenceLSTMParams
#define SLICE_P   TfLiteStridedSliceParams
#define RESIZE_P  TfLiteResizeBilinearParams
#define DENSE_P   TfLiteFullyConnectedParams
#define CONCAT_P  TfLiteConcatenationParams
#define RESHAPE_P TfLiteReshapeParams

/* A window within an image. */
#define LARGE_POOL(h, w)                                                                           \
    DIM(POOL, 0, 1, 300), DIM(POOL, 0, 2, 300), DIM(POOL, OUT, 1, 150), DIM(POOL, OUT, 2, 150),    \
        PARAM(POOL, POOL_P, filter_height, h), PARAM(POOL, POOL_P, filter_width, w)

#define CONCAT_BYTES                                                                               \
    BYTES(CONCAT, 0, 0), BYTES(CONCAT, 1, 0), BYTES(CONCAT, 2, 0), BYTES(CONCAT, OUT, 0)
#define ADD_BYTES           BYTES(ADD, 0, 0), BYTES(ADD, 1, 0), BYTES(ADD, OUT, 0)
#define SOFTMAX_BYTES(zero) BYTES(SOFTMAX, 0, 0), BYTES(SOFTMAX, OUT, zero)
/* All of an 8-bit image in one window. */
#define BYTE_POOL(h, w)                                                                            \
    BYTES(POOL, 0, 0), BYTES(POOL, OUT, 0), DIM(POOL, 0, 1, h), DIM(POOL, 0, 2, w),                \
        DIM(POOL, OUT, 1, 1), DIM(POOL, OUT, 2, 1),                                                \
        PARAM(POOL, POOL_P, padding, kTfLitePaddingValid), PARAM(POOL, POOL_P, filter_height, h),  \
        PARAM(POOL, POOL_P, filter_width, w)

#define MATMUL_BYTES BYTES(MATMUL, 0, 0), BYTES(MATMUL, 1, 0), BYTES(MATMUL, OUT, 0)
/* From [1,3] to [1,4]. */
#define SHORT_PADV2                                                                                \
    VALUE(PADV2, 1, 0, 0), VALUE(PADV2, 1, 1, 0), DIM(PADV2, 0, 0, 1), DIM(PADV2, 0, 1, 3),        \
        DIM(PADV2, OUT, 0, 1), DIM(PADV2, OUT, 1, 4)
#define COMPARE_BYTES BYTES(COMPARE, 0, 0), BYTES(COMPARE, 1, 0)
/* Bits of 65504, the largest f16, and of 65505. */
enum { F16_MOST = 0x477fe000, F16_PAST = 0x477fe100 };

#define FLOAT_VIEW OPTION("quantized", "float_view")
#define RELU_BYTES BYTES(RELU, 0, 0), BYTES(RELU, OUT, 0)
#define CONV_BYTES                                                                                 \
    BYTES(CONV, 0, 0), BYTES(CONV, 1, 0), TYPE(CONV, 2, kTfLiteInt32), BYTES(CONV, OUT, 0)
#define SHORTS(n, t) BYTES(n, t, 0), TYPE(n, t, kTfLiteInt16)
#define CONV_SHORTS                                                                                \
    SHORTS(CONV, 0), BYTES(CONV, 1, 0), TYPE(CONV, 2, kTfLiteInt64), SHORTS(CONV, OUT)
#define DEPTHWISE_SHORTS SHORTS(DEPTHWISE, 0), BYTES(DEPTHWISE, 1, 0), SHORTS(DEPTHWISE, OUT)
/* f32 with constant 8-bit weights */
#define DENSE_BYTES                                                                                \
    TAKES(DENSE, 1, ADD, 1), RANK(DENSE, 1, 2), BYTES(DENSE, 1, 0), DIM(DENSE, 1, 0, 5),           \
        DIM(DENSE, 1, 1, 4)

/* [2,9,8] x [2,8,1] */
#define LONG_MATMUL                                                                                \
    DIM(MATMUL, 0, 1, 9), DIM(MATMUL, 0, 2, 8), DIM(MATMUL, 1, 1, 8), DIM(MATMUL, 1, 2, 1),        \
        DIM(MATMUL, OUT, 1, 9), DIM(MATMUL, OUT, 2, 1)

/* A table of rows. */
#define RULE_TABLE(label, rows_)                                                                   \
    {                                                                                              \
        .name = label, .rows = (rows_), .count = sizeof(rows_) / sizeof((rows_)[0])                \
    }

#endif
