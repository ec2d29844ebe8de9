/* Models of one op with invalid shapes, parameters, types or values.  For each op there is a valid
 * model, and each row changes one thing in it.  The file remains well-formed, so the reader accepts
 * it; the interpreter refuses it when tensors are allocated, naming op, node, tensor or field, and
 * value.  The delegate refuses the node, also in a graph that has not been prepared. */
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/graph/import.h"

#include "reference/base/builtin.h"
#include "reference/format/read.h"
#include "reference/format/write.h"

#include <math.h>

enum { INPUTS = 5, OUTPUTS = 4, OPTIONS = 7, RANK = 5 };
enum { SAME, VALID };

struct part {
    int32_t type; /* enum tensor_type */
    int rank;
    int32_t dims[RANK];
    bool constant; /* of ints, and of zeros behind them */
    int32_t ints[RANK];
};

struct base {
    const char *op;
    int32_t code;
    uint8_t tag;
    struct {
        const char *field;
        float value;
    } options[OPTIONS];
    struct part in[INPUTS], out[OUTPUTS];
    int in_count, out_count;
};

#define F32(r, ...)                                                                                \
    {                                                                                              \
        .type = TENSOR_FLOAT32, .rank = (r), .dims = { __VA_ARGS__ }                               \
    }
#define F32_CONST(r, ...)                                                                          \
    {                                                                                              \
        .type = TENSOR_FLOAT32, .rank = (r), .dims = { __VA_ARGS__ }, .constant = true             \
    }
#define VALUES(...) __VA_ARGS__
#define I32_CONST(r, d0, d1, values)                                                               \
    {                                                                                              \
        .type = TENSOR_INT32, .rank = (r), .dims = { d0, d1 }, .constant = true, .ints = {         \
            values                                                                                 \
        }                                                                                          \
    }

enum {
    ADD,
    MAXIMUM,
    PRELU,
    CONV,
    DEPTHWISE,
    TRANSPOSE,
    DENSE,
    POOL,
    POOL_SAME,
    PAD,
    RESHAPE,
    CONCAT,
    SLICE,
    RESIZE,
    SOFTMAX,
    MEAN,
    LOGISTIC,
    LSTM,
    BASES
};

/* clang-format off */
static const struct base bases[BASES] = {
    [ADD] = { "ADD", BUILTIN_ADD, OPTIONS_AddOptions, { { "fused_activation_function", 1 } },
      { F32(2, 2, 3), F32(1, 3) }, { F32(2, 2, 3) }, 2, 1 },
    [MAXIMUM] = { "MAXIMUM", BUILTIN_MAXIMUM, OPTIONS_MaximumMinimumOptions, { { NULL } },
      { F32(2, 2, 3), F32(2, 2, 3) }, { F32(2, 2, 3) }, 2, 1 },
    [PRELU] = { "PRELU", BUILTIN_PRELU, 0, { { NULL } },
      { F32(4, 1, 2, 2, 3), F32_CONST(3, 1, 1, 3) }, { F32(4, 1, 2, 2, 3) }, 2, 1 },
    [CONV] = { "CONV_2D", BUILTIN_CONV_2D, OPTIONS_Conv2DOptions,
      { { "stride_w", 1 }, { "stride_h", 1 }, { "padding", VALID } },
      { F32(4, 1, 4, 4, 4), F32_CONST(4, 2, 3, 3, 4), F32_CONST(1, 2) }, { F32(4, 1, 2, 2, 2) }, 3,
      1 },
    [DEPTHWISE] = { "DEPTHWISE_CONV_2D", BUILTIN_DEPTHWISE_CONV_2D, OPTIONS_DepthwiseConv2DOptions,
      { { "stride_w", 1 }, { "stride_h", 1 }, { "depth_multiplier", 2 } },
      { F32(4, 1, 4, 4, 3), F32_CONST(4, 1, 3, 3, 6), F32_CONST(1, 6) }, { F32(4, 1, 4, 4, 6) }, 3,
      1 },
    [TRANSPOSE] = { "TRANSPOSE_CONV", BUILTIN_TRANSPOSE_CONV, OPTIONS_TransposeConvOptions,
      { { "stride_w", 2 }, { "stride_h", 2 } },
      { I32_CONST(1, 4, 0, VALUES(1, 4, 4, 2)), F32_CONST(4, 2, 3, 3, 3), F32(4, 1, 2, 2, 3), F32_CONST(1, 2) },
      { F32(4, 1, 4, 4, 2) }, 4, 1 },
    [DENSE] = { "FULLY_CONNECTED", BUILTIN_FULLY_CONNECTED, OPTIONS_FullyConnectedOptions,
      { { "fused_activation_function", 0 } }, { F32(2, 2, 6), F32_CONST(2, 4, 6), F32_CONST(1, 4) },
      { F32(2, 2, 4) }, 3, 1 },
    [POOL] = { "MAX_POOL_2D", BUILTIN_MAX_POOL_2D, OPTIONS_Pool2DOptions,
      { { "padding", VALID }, { "stride_w", 2 }, { "stride_h", 2 }, { "filter_width", 2 }, { "filter_height", 2 } },
      { F32(4, 1, 4, 4, 3) }, { F32(4, 1, 2, 2, 3) }, 1, 1 },
    [POOL_SAME] = { "AVERAGE_POOL_2D", BUILTIN_AVERAGE_POOL_2D, OPTIONS_Pool2DOptions,
      { { "padding", SAME }, { "stride_w", 2 }, { "stride_h", 2 }, { "filter_width", 2 }, { "filter_height", 2 } },
      { F32(4, 1, 4, 4, 3) }, { F32(4, 1, 2, 2, 3) }, 1, 1 },
    [PAD] = { "PAD", BUILTIN_PAD, OPTIONS_PadOptions, { { NULL } },
      { F32(2, 2, 3), I32_CONST(2, 2, 2, VALUES(0, 1, 2, 0)) }, { F32(2, 3, 5) }, 2, 1 },
    [RESHAPE] = { "RESHAPE", BUILTIN_RESHAPE, OPTIONS_ReshapeOptions, { { NULL } },
      { F32(2, 2, 3), I32_CONST(1, 2, 0, VALUES(3, -1)) }, { F32(2, 3, 2) }, 2, 1 },
    [CONCAT] = { "CONCATENATION", BUILTIN_CONCATENATION, OPTIONS_ConcatenationOptions,
      { { "axis", 3 } }, { F32(4, 1, 2, 2, 3), F32(4, 1, 2, 2, 2) }, { F32(4, 1, 2, 2, 5) }, 2, 1 },
    [SLICE] = { "STRIDED_SLICE", BUILTIN_STRIDED_SLICE, OPTIONS_StridedSliceOptions, { { NULL } },
      { F32(2, 4, 5), I32_CONST(1, 2, 0, VALUES(1, 1)), I32_CONST(1, 2, 0, VALUES(3, 5)),
        I32_CONST(1, 2, 0, VALUES(1, 2)) },
      { F32(2, 2, 2) }, 4, 1 },
    [RESIZE] = { "RESIZE_BILINEAR", BUILTIN_RESIZE_BILINEAR, OPTIONS_ResizeBilinearOptions,
      { { "align_corners", 1 } }, { F32(4, 1, 2, 2, 3), I32_CONST(1, 2, 0, VALUES(4, 4)) },
      { F32(4, 1, 4, 4, 3) }, 2, 1 },
    [SOFTMAX] = { "SOFTMAX", BUILTIN_SOFTMAX, OPTIONS_SoftmaxOptions, { { "beta", 1 } },
      { F32(2, 2, 5) }, { F32(2, 2, 5) }, 1, 1 },
    [MEAN] = { "MEAN", BUILTIN_MEAN, OPTIONS_ReducerOptions, { { "keep_dims", 1 } },
      { F32(4, 1, 2, 2, 3), I32_CONST(1, 2, 0, VALUES(1, 2)) }, { F32(4, 1, 1, 1, 3) }, 2, 1 },
    [LOGISTIC] = { "LOGISTIC", BUILTIN_LOGISTIC, 0, { { NULL } }, { F32(2, 2, 5) },
      { F32(2, 2, 5) }, 1, 1 },
    [LSTM] = { "LSTM", BUILTIN_LSTM, OPTIONS_LSTMOptions,
      { { "fused_activation_function", 4 }, { "kernel_type", 1 } },
      { F32(2, 1, 2), F32(2, 1, 3), F32_CONST(2, 12, 5), F32_CONST(1, 12), F32(2, 1, 3) },
      { F32(2, 1, 3), F32(2, 1, 3), F32(2, 1, 5), F32(2, 1, 12) }, 5, 4 },
};
/* clang-format on */

/* ---- rows ---- */

enum edit { OPTION, SHAPE, INTS, TYPE, ABSENT, CONSTANT, BARE };

struct row {
    int base;
    enum edit edit;
    int input; /* OPTION: none */
    const char *field;
    double value;
    int rank;
    int32_t dims[RANK]; /* SHAPE; INTS: the values */
    enum status expected;
    const char *words[2];
};

#define SET(base, field, value, ...)                                                               \
    {                                                                                              \
        base, OPTION, -1, field, value, 0, { 0 }, __VA_ARGS__                                      \
    }
#define DIMS(...) __VA_ARGS__
#define OF(base, input, rank, dims, ...)                                                           \
    {                                                                                              \
        base, SHAPE, input, NULL, 0, rank, { dims }, __VA_ARGS__                                   \
    }
#define WITH(base, input, values, ...)                                                             \
    {                                                                                              \
        base, INTS, input, NULL, 0, 0, { values }, __VA_ARGS__                                     \
    }
#define AS(base, input, type, ...)                                                                 \
    {                                                                                              \
        base, TYPE, input, NULL, type, 0, { 0 }, __VA_ARGS__                                       \
    }
#define WITHOUT(base, input, ...)                                                                  \
    {                                                                                              \
        base, ABSENT, input, NULL, 0, 0, { 0 }, __VA_ARGS__                                        \
    }
/* Without an option table. */
#define NO_OPTIONS(base, ...)                                                                      \
    {                                                                                              \
        base, BARE, -1, NULL, 0, 0, { 0 }, __VA_ARGS__                                             \
    }
#define INVALID(...)                                                                               \
    STATUS_INVALID,                                                                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define UNSUPPORTED(...)                                                                           \
    STATUS_UNSUPPORTED,                                                                            \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static const struct row rows[] = {
    /* convolution family */
    SET(CONV, "stride_h", 0, INVALID("stride height is 0")),
    SET(CONV, "stride_w", -1, INVALID("stride width is -1")),
    SET(CONV, "dilation_h_factor", 0, INVALID("dilation height is 0")),
    SET(CONV, "dilation_w_factor", -2, INVALID("dilation width is -2")),
    SET(CONV, "dilation_w_factor", 32767, INVALID("dilation 32767", "does not fit")),
    /* 16 bits, as the runtime has it */
    SET(CONV, "dilation_w_factor", 32768, INVALID("dilation width is 32768, at most 32767")),
    SET(CONV, "dilation_h_factor", INT32_MAX, INVALID("height is 2147483647, at most 32767")),
    SET(CONV, "stride_w", 32768, INVALID("stride width is 32768, at most 32767")),
    SET(CONV, "stride_h", INT32_MAX, INVALID("stride height is 2147483647, at most 32767")),
    SET(CONV, "quantized_bias_type", 99, INVALID("quantized_bias_type is 99, not an element")),
    SET(CONV, "quantized_bias_type", 23, INVALID("quantized_bias_type is 23", "0 to 22")),
    SET(CONV, "quantized_bias_type", -1, INVALID("quantized_bias_type is -1")),
    NO_OPTIONS(CONV, INVALID("padding is neither SAME nor VALID", "builtin_options are absent")),
    NO_OPTIONS(TRANSPOSE, INVALID("builtin_options are absent: all options are 0")),
    NO_OPTIONS(POOL, INVALID("builtin_options are absent: all options are 0")),
    SET(DEPTHWISE, "stride_h", 32768, INVALID("stride height is 32768, at most 32767")),
    SET(DEPTHWISE, "dilation_w_factor", 32768, INVALID("width is 32768, at most 32767")),
    SET(TRANSPOSE, "stride_w", 32768, INVALID("stride width is 32768, at most 32767")),
    SET(TRANSPOSE, "quantized_bias_type", 99, INVALID("quantized_bias_type is 99")),
    SET(DENSE, "quantized_bias_type", 99, INVALID("quantized_bias_type is 99")),
    /* 32,768 pixels before the image; 65,537 has one less */
    SET(POOL_SAME, "filter_width", 65538, INVALID("filter width 65538", "at most 32767 before")),
    SET(POOL_SAME, "filter_height", INT32_MAX, INVALID("2147483647", "at most 32767 before")),
    SET(CONV, "padding", 7, INVALID("padding is neither SAME nor VALID")),
    SET(CONV, "fused_activation_function", 99, INVALID("fused_activation_function 99")),
    OF(CONV, 1, 4, DIMS(2, 3, 3, 0), INVALID("input 1 (weights)", "(input channels) is 0")),
    OF(CONV, 1, 4, DIMS(2, 3, 3, 3), INVALID("4 channels", "3")),
    OF(CONV, 1, 4, DIMS(3, 3, 3, 2), INVALID("3", "groups")),
    OF(CONV, 1, 4, DIMS(0, 3, 3, 4), INVALID("input 1 (weights)", "(output channels) is 0")),
    OF(CONV, 1, 4, DIMS(2, 0, 3, 4), INVALID("filter height is 0")),
    OF(CONV, 1, 4, DIMS(2, 3, 5, 4), INVALID("filter width 5", "input width 4")),
    OF(CONV, 1, 3, DIMS(3, 3, 4), INVALID("input 1 (weights): rank 3, expected 4")),
    OF(CONV, 2, 1, DIMS(3), INVALID("input 2 (bias): 3 elements, expected 2, one for each")),
    OF(CONV, 2, 1, DIMS(0), INVALID("input 2 (bias): 0 elements, expected 2, one for each")),
    OF(CONV, 0, 3, DIMS(4, 4, 4), INVALID("input 0 (input): rank 3, expected 4")),
    OF(CONV, 0, 4, DIMS(1, 4, 0, 4), INVALID("input width 0")),
    WITHOUT(CONV, 1, INVALID("input 1 is absent, expected a tensor")),
    WITHOUT(CONV, 0, INVALID("input 0 is absent, expected a tensor")),
    AS(CONV, 0, TENSOR_FLOAT16, UNSUPPORTED("input 0 (input): type f16")),
    AS(CONV, 1, TENSOR_INT32, UNSUPPORTED("input 1 (weights): type i32")),
    SET(DEPTHWISE, "stride_w", 0, INVALID("stride width is 0")),
    SET(DEPTHWISE, "dilation_h_factor", 0, INVALID("dilation height is 0")),
    SET(DEPTHWISE, "fused_activation_function", -3, INVALID("fused_activation_function -3")),
    OF(DEPTHWISE, 0, 4, DIMS(1, 4, 4, 0), INVALID("input 0 (input)", "is 0")),
    OF(DEPTHWISE, 0, 4, DIMS(1, 4, 4, 4), INVALID("6", "4")),
    OF(DEPTHWISE, 1, 4, DIMS(2, 3, 3, 6), INVALID("input 1 (weights)", "is 2")),
    OF(DEPTHWISE, 2, 1, DIMS(5), INVALID("input 2 (bias): 5 elements, expected 6")),
    OF(DEPTHWISE, 1, 4, DIMS(1, 3, 0, 6), INVALID("filter width is 0")),
    SET(TRANSPOSE, "stride_h", 0, INVALID("stride height is 0")),
    SET(TRANSPOSE, "stride_w", -2, INVALID("stride width is -2")),
    SET(TRANSPOSE, "padding", 2, INVALID("padding is neither SAME nor VALID")),
    OF(TRANSPOSE, 0, 1, DIMS(3), INVALID("input 0 (output_shape): 3 elements, expected 4")),
    OF(TRANSPOSE, 0, 2, DIMS(2, 2), INVALID("input 0 (output_shape): rank 2, expected 1")),
    WITH(TRANSPOSE, 0, DIMS(1, -4, 4, 2), INVALID("element 1 (height) is -4")),
    WITH(TRANSPOSE, 0, DIMS(1, 4, 0, 2), INVALID("element 2 (width) is 0")),
    WITH(TRANSPOSE, 0, DIMS(1, 4, 5, 2), INVALID("width 5 gives an input width of 3, expected 2")),
    WITH(TRANSPOSE, 0, DIMS(1, 4, 4, 3), INVALID("element 3 (channels) is 3, expected 2")),
    WITH(TRANSPOSE, 0, DIMS(3, 4, 4, 2), INVALID("element 0 (batch) is 3, expected 1")),
    WITH(TRANSPOSE, 0, DIMS(1, INT32_MAX, 4, 2), INVALID("height 2147483647")),
    OF(TRANSPOSE, 2, 4, DIMS(1, 2, 2, 4), INVALID("4 channels, expected 3")),
    OF(TRANSPOSE, 3, 1, DIMS(3), INVALID("input 3 (bias): 3 elements, expected 2")),
    AS(TRANSPOSE, 0, TENSOR_INT64, UNSUPPORTED("input 0 (output_shape): type i64")),
    OF(DENSE, 0, 2, DIMS(1, 7), INVALID("7", "6")),
    OF(DENSE, 1, 2, DIMS(0, 6), INVALID("input 1 (weights)", "is 0")),
    OF(DENSE, 1, 2, DIMS(4, 0), INVALID("input 1 (weights)", "is 0")),
    OF(DENSE, 1, 1, DIMS(6), INVALID("input 1 (weights): rank 1, expected 2")),
    OF(DENSE, 2, 1, DIMS(5), INVALID("input 2 (bias): 5 elements, expected 4")),
    SET(DENSE, "weights_format", 7, UNSUPPORTED("weights_format 7")),
    SET(DENSE, "weights_format", 1, UNSUPPORTED("weights_format 1")),
    SET(DENSE, "fused_activation_function", 4, UNSUPPORTED("fused_activation_function 4")),
    SET(POOL, "filter_width", 0, INVALID("filter width is 0")),
    SET(POOL, "filter_height", -1, INVALID("filter height is -1")),
    SET(POOL, "stride_h", 0, INVALID("stride height is 0")),
    SET(POOL, "stride_w", INT32_MIN, INVALID("stride width is -2147483648")),
    SET(POOL, "filter_height", 5, INVALID("filter height 5", "input height 4")),
    SET(POOL, "padding", -1, INVALID("padding is neither SAME nor VALID")),
    OF(POOL, 0, 3, DIMS(4, 4, 3), INVALID("input 0 (input): rank 3, expected 4")),
    /* data movement */
    WITH(RESHAPE, 1, DIMS(-1, -1), INVALID("new shape", "entries 0 and 1")),
    WITH(RESHAPE, 1, DIMS(4, 2), INVALID("new shape", "8 elements")),
    WITH(RESHAPE, 1, DIMS(0, -1), INVALID("entry 1 is -1", "0 of 6")),
    WITH(RESHAPE, 1, DIMS(-2, 3), INVALID("entry 0", "-2")),
    WITH(RESHAPE, 1, DIMS(INT32_MAX, INT32_MAX), INVALID("new shape")),
    AS(RESHAPE, 1, TENSOR_INT64, UNSUPPORTED("input 1 (shape): type i64")),
    SET(CONCAT, "axis", 4, INVALID("axis is 4", "rank 4")),
    SET(CONCAT, "axis", -5, INVALID("axis is -5")),
    SET(CONCAT, "axis", 2, INVALID("input 1: dimension 3 is 2, expected 3")),
    SET(CONCAT, "fused_activation_function", 1, UNSUPPORTED("fused_activation_function 1")),
    OF(CONCAT, 1, 4, DIMS(1, 2, 3, 2), INVALID("input 1: dimension 2 is 3, expected 2")),
    OF(CONCAT, 1, 3, DIMS(2, 2, 2), INVALID("input 1 (input): rank 3, expected 4")),
    OF(CONCAT, 1, 4, DIMS(0, 1, 1, INT32_MAX), INVALID("input 1: dimension 0 is 0")),
    AS(CONCAT, 1, TENSOR_INT32, UNSUPPORTED("input 1 (input): type i32")),
    WITHOUT(CONCAT, 1, INVALID("input 1 (input) is missing")),
    WITH(SLICE, 3, DIMS(1, 0), INVALID("input 3 (strides): element 1 is 0")),
    WITH(SLICE, 3, DIMS(1, INT32_MIN), INVALID("input 3 (strides): element 1 is -2147483648")),
    SET(SLICE, "ellipsis_mask", 3, INVALID("ellipsis_mask 0x3", "elements 0 and 1")),
    SET(SLICE, "ellipsis_mask", -1, INVALID("ellipsis_mask 0xffffffff")),
    OF(SLICE, 0, 1, DIMS(4), INVALID("input 1 (begin): 2 elements", "rank is 1")),
    OF(SLICE, 2, 1, DIMS(1), INVALID("input 2 (end): 1 elements, input 1 (begin) has 2")),
    OF(SLICE, 1, 2, DIMS(1, 2), INVALID("input 1 (begin): rank 2, expected 1")),
    WITH(PAD, 1, DIMS(0, -1, 2, 0), INVALID("input 1 (paddings)", "-1")),
    WITH(PAD, 1, DIMS(0, INT32_MAX, 2, 0), INVALID("input 1 (paddings)", "2147483647")),
    OF(PAD, 1, 2, DIMS(1, 4), INVALID("input 1 (paddings)", "[1,4]")),
    OF(PAD, 1, 1, DIMS(4), INVALID("input 1 (paddings): rank 1")),
    OF(PAD, 1, 2, DIMS(3, 2), INVALID("input 1 (paddings)", "[3,2]")),
    AS(PAD, 1, TENSOR_FLOAT32, INVALID("input 1 (paddings)", "f32")),
    WITH(RESIZE, 1, DIMS(0, 4), INVALID("input 1 (size): element 0 (height) is 0")),
    WITH(RESIZE, 1, DIMS(4, -4), INVALID("input 1 (size): element 1 (width) is -4")),
    WITH(RESIZE, 1, DIMS(INT32_MAX, INT32_MAX),
         INVALID("tensor 2 (out)", "more bytes than can be counted")),
    OF(RESIZE, 1, 1, DIMS(3), INVALID("input 1 (size): 3 elements, expected 2")),
    OF(RESIZE, 0, 4, DIMS(1, 0, 2, 3), INVALID("input 0 (input): dimension 1 (height) is 0")),
    SET(RESIZE, "half_pixel_centers", 1, INVALID("align_corners and half_pixel_centers")),
    /* arithmetic, reduction */
    WITHOUT(ADD, 1, INVALID("input 1 is absent, expected a tensor")),
    WITHOUT(ADD, 0, INVALID("input 0 is absent, expected a tensor")),
    OF(ADD, 1, 1, DIMS(0), INVALID("3 and 0")),
    OF(ADD, 1, 2, DIMS(2, 5), INVALID("3 and 5")),
    OF(ADD, 0, 5, DIMS(2, 3, 2, 2, 2), INVALID("2 and 3")),
    SET(ADD, "fused_activation_function", 99, INVALID("fused_activation_function 99")),
    AS(ADD, 1, TENSOR_INT32, UNSUPPORTED("input 1 (b): type i32")),
    AS(ADD, 0, TENSOR_BOOL, UNSUPPORTED("input 0 (a): type bool")),
    WITHOUT(MAXIMUM, 1, INVALID("input 1 is absent, expected a tensor")),
    OF(MAXIMUM, 1, 2, DIMS(3, 2), INVALID("do not broadcast")),
    AS(MAXIMUM, 0, TENSOR_BOOL, UNSUPPORTED("input 0 (a): type bool")),
    OF(PRELU, 1, 1, DIMS(2), INVALID("inputs 0 and 1", "3 and 2")),
    OF(PRELU, 1, 5, DIMS(1, 1, 1, 1, 3), INVALID("input 1 (alpha)")),
    OF(PRELU, 1, 3, DIMS(2, 2, 0), INVALID("inputs 0 and 1", "3 and 0")),
    WITHOUT(PRELU, 1, INVALID("input 1 is absent, expected a tensor")),
    SET(SOFTMAX, "beta", NAN, INVALID("beta is", "nan")),
    SET(SOFTMAX, "beta", INFINITY, INVALID("beta is inf")),
    OF(SOFTMAX, 0, 0, DIMS(0), INVALID("input 0 (input): rank 0")),
    WITH(MEAN, 1, DIMS(1, 4), INVALID("input 1 (axes)", "4")),
    WITH(MEAN, 1, DIMS(-5, 1), INVALID("input 1 (axes)", "-5")),
    WITH(MEAN, 1, DIMS(-100000, 1), INVALID("input 1 (axes)", "-100000")),
    AS(MEAN, 1, TENSOR_FLOAT32, UNSUPPORTED("input 1 (axes)", "f32")),
    AS(LOGISTIC, 0, TENSOR_INT32, UNSUPPORTED("input 0 (input): type i32")),
    WITHOUT(LOGISTIC, 0, INVALID("input 0 is absent, expected a tensor")),
    /* state */
    SET(LSTM, "kernel_type", 0, INVALID("5 inputs, expected 20 or 24")),
    SET(LSTM, "kernel_type", 5, INVALID("kernel_type 5")),
    SET(LSTM, "fused_activation_function", 1, INVALID("fused_activation_function 1")),
    SET(LSTM, "cell_clip", 1, INVALID("cell_clip 1")),
    OF(LSTM, 1, 2, DIMS(1, 2), INVALID("input 2 (weights): dimension 0 is 12, expected 8")),
    OF(LSTM, 1, 2, DIMS(2, 3), INVALID("input 1 (previous activation)", "expected 1")),
    OF(LSTM, 2, 2, DIMS(12, 6), INVALID("input 2 (weights): dimension 1 is 6, expected 5")),
    OF(LSTM, 3, 1, DIMS(0), INVALID("input 3 (bias): dimension 0 is 0, expected 12")),
    OF(LSTM, 4, 2, DIMS(1, 4), INVALID("input 4 (previous state)", "expected 3")),
    WITHOUT(LSTM, 3, INVALID("input 3 (bias) is missing")),
    WITHOUT(LSTM, 1, INVALID("input 1 (previous activation) is missing")),
    { LSTM, CONSTANT, 4, NULL, 0, 0, { 0 }, INVALID("input 4 (previous state) is a constant") },
    { LSTM, CONSTANT, 1, NULL, 0, 0, { 0 }, INVALID("input 1 (previous activation) is a c") },
};

/* ---- one model ---- */

static size_t count_of(const struct part *p)
{
    size_t n = 1;

    for (int d = 0; d < p->rank; d++)
        n *= (size_t)p->dims[d];
    return n;
}

static int add_part(struct builder *b, const struct part *p, const char *name)
{
    int32_t data[512] = { 0 };
    const size_t bytes = count_of(p) * tensor_type_bits(p->type) / 8;

    if (!p->constant)
        return builder_tensor(b, p->type, name, (size_t)p->rank, p->dims);
    assert_true(bytes <= sizeof data);
    memcpy(data, p->ints, sizeof p->ints);
    return builder_constant(b, p->type, name, (size_t)p->rank, p->dims, data, bytes);
}

static void set_option(struct options *o, const char *field, double value)
{
    if (strcmp(field, "beta") == 0 || strstr(field, "_clip"))
        options_set_float(o, field, (float)value);
    else
        options_set_int(o, field, (int32_t)value);
}

/* The model has pointers into the file. */
struct sample {
    struct tflite_file file;
    struct model model;
};

static void close_sample(struct sample *s)
{
    model_close(&s->model);
    mem_free(s->file.bytes);
}

/* row NULL: as the base is. */
static void make_model(const struct base *base, const struct row *row, struct sample *s)
{
    struct base now = *base;
    struct diag diag = { 0 };
    struct options options;
    struct model built;
    struct builder b;
    int in[INPUTS], out[OUTPUTS], inputs[INPUTS];
    size_t input_count = 0;

    builder_init(&b);
    if (base->tag)
        options_init(&options, base->tag);
    for (int i = 0; i < OPTIONS && base->options[i].field; i++)
        set_option(&options, base->options[i].field, base->options[i].value);
    if (row && row->edit == OPTION)
        set_option(&options, row->field, row->value);
    if (row && row->edit == SHAPE) {
        now.in[row->input].rank = row->rank;
        memcpy(now.in[row->input].dims, row->dims, sizeof row->dims);
    }
    if (row && row->edit == INTS)
        memcpy(now.in[row->input].ints, row->dims, sizeof row->dims);
    if (row && row->edit == TYPE)
        now.in[row->input].type = (int32_t)row->value;
    if (row && row->edit == CONSTANT)
        now.in[row->input].constant = true;
    for (int i = 0; i < base->in_count; i++) {
        if (row && row->edit == ABSENT && row->input == i) {
            in[i] = -1;
            continue;
        }
        in[i] = add_part(&b, &now.in[i], "in");
        if (!now.in[i].constant)
            inputs[input_count++] = in[i];
    }
    for (int o = 0; o < base->out_count; o++)
        out[o] = add_part(&b, &base->out[o], "out");
    builder_op(&b, base->code, base->code == BUILTIN_LSTM ? 2 : 1,
               base->tag && !(row && row->edit == BARE) ? &options : NULL, (size_t)base->in_count,
               in, (size_t)base->out_count, out);
    builder_inputs(&b, input_count, inputs);
    builder_outputs(&b, (size_t)base->out_count, out);
    KIT_OK(builder_finish(&b, &built, &diag));
    KIT_OK(tflite_write(&built, &s->file, &diag));
    model_close(&built);
    KIT_OK(tflite_read(&s->model, s->file.bytes, s->file.count, &diag));
}

/* Whether the delegate takes the node of a graph that has not been prepared. */
static TfLiteStatus see_unprepared(TfLiteContext *context, TfLiteDelegate *delegate)
{
    const struct device_limits limits = gpu_large_limits();
    struct gpu_options o = gpu_options_of((const char *const[]){ NULL });
    struct diag diag = { 0 };
    struct decision d;
    struct graph g;

    KIT_OK(graph_import(&g, context, &diag));
    KIT_OK(decision_make(&d, &g, &o, &limits, &diag));
    *(int *)delegate->data_ = d.take[0];
    decision_close(&d);
    options_close(&o);
    graph_close(&g);
    return kTfLiteOk;
}

static bool is_taken(const struct model *m)
{
    int taken = -1;
    TfLiteDelegate delegate = { .data_ = &taken,
                                .Prepare = see_unprepared,
                                .flags = kTfLiteDelegateFlagsAllowDynamicTensors };
    struct interpreter *in;
    struct diag diag;

    if (interpreter_open(&in, m, NULL, &diag) != STATUS_OK)
        return false; /* there is no graph to see */
    interpreter_apply_delegate(in, &delegate, NULL, &diag);
    interpreter_close(in);
    assert_int_not_equal(taken, -1); /* it was asked */
    return taken;
}

static void ignore(void *user, const char *format, va_list args)
{
    (void)user;
    (void)format;
    (void)args;
}

static enum status allocate(const struct model *m, struct diag *diag)
{
    const struct interpreter_options options = { .report = ignore };
    struct interpreter *in;
    enum status s;

    *diag = (struct diag){ 0 };
    s = interpreter_open(&in, m, &options, diag);
    if (s == STATUS_OK)
        s = interpreter_allocate(in, diag);
    interpreter_close(in);
    return s;
}

TEST(sound_models_are_taken)
{
    for (int i = 0; i < BASES; i++) {
        struct sample s;
        struct diag diag;

        make_model(&bases[i], NULL, &s);
        KIT_OK(allocate(&s.model, &diag));
        if (!is_taken(&s.model))
            fail_msg("%s: not taken", bases[i].op);
        close_sample(&s);
    }
}

TEST(unsound_models_are_refused)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *const r = &rows[i];
        const struct base *const base = &bases[r->base];
        struct sample s;
        struct diag diag;

        make_model(base, r, &s);
        if (allocate(&s.model, &diag) != r->expected)
            fail_msg("row %zu, %s: %s: %s", i, base->op, status_text(diag.status), diag.text);
        for (int w = 0; w < 2 && r->words[w]; w++) {
            if (!strstr(diag.text, r->words[w]))
                fail_msg("row %zu: no '%s' in: %s", i, r->words[w], diag.text);
        }
        if (!strstr(diag.text, base->op) || !strstr(diag.text, "node 0"))
            fail_msg("row %zu, %s: neither op nor node in: %s", i, base->op, diag.text);
        if (is_taken(&s.model))
            fail_msg("row %zu, %s: the delegate takes it: %s", i, base->op, diag.text);
        close_sample(&s);
    }
}
