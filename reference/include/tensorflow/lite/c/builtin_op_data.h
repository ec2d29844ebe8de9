/* Parameters of the builtin ops, as node->builtin_data points at them.
 *
 * Natural C alignment, enums are int, bool is one byte; the sizes are asserted in
 * reference/api/abi_check.c.  Enum values differ from the .tflite file's where it is said.  Ops
 * that are not here have builtin_data NULL, even when the file holds an (empty) option table. */
#ifndef TENSORFLOW_LITE_C_BUILTIN_OP_DATA_H_
#define TENSORFLOW_LITE_C_BUILTIN_OP_DATA_H_

#include <stdbool.h>
#include <stdint.h>

#include "tensorflow/lite/c/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the file 0 is SAME and 1 is VALID. */
typedef enum TfLitePadding {
    kTfLitePaddingUnknown = 0,
    kTfLitePaddingSame = 1,
    kTfLitePaddingValid = 2
} TfLitePadding;

/* As in the file; sigmoid is never in files. */
typedef enum TfLiteFusedActivation {
    kTfLiteActNone = 0,
    kTfLiteActRelu = 1,
    kTfLiteActReluN1To1 = 2,
    kTfLiteActRelu6 = 3,
    kTfLiteActTanh = 4,
    kTfLiteActSignBit = 5,
    kTfLiteActSigmoid = 6
} TfLiteFusedActivation;

typedef struct TfLitePaddingValues {
    int width, height, width_offset, height_offset;
} TfLitePaddingValues;

typedef struct TfLiteConvParams { /* CONV_2D */
    TfLitePadding padding;
    int stride_width, stride_height;
    TfLiteFusedActivation activation;
    int dilation_width_factor, dilation_height_factor;
    TfLiteType quantized_bias_type;
} TfLiteConvParams;

typedef struct TfLiteDepthwiseConvParams { /* DEPTHWISE_CONV_2D */
    TfLitePadding padding;
    int stride_width, stride_height;
    int depth_multiplier; /* informative: the weights' shape rules */
    TfLiteFusedActivation activation;
    int dilation_width_factor, dilation_height_factor;
} TfLiteDepthwiseConvParams;

typedef struct TfLitePoolParams { /* AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D */
    TfLitePadding padding;
    int stride_width, stride_height;
    int filter_width, filter_height;
    TfLiteFusedActivation activation;
    struct {
        TfLitePaddingValues padding;
    } computed;
} TfLitePoolParams;

typedef enum TfLiteFullyConnectedWeightsFormat {
    kTfLiteFullyConnectedWeightsFormatDefault = 0,
    kTfLiteFullyConnectedWeightsFormatShuffled4x16Int8 = 1
} TfLiteFullyConnectedWeightsFormat;

typedef struct TfLiteFullyConnectedParams { /* FULLY_CONNECTED */
    TfLiteFusedActivation activation;
    TfLiteFullyConnectedWeightsFormat weights_format;
    bool keep_num_dims;
    bool asymmetric_quantize_inputs;
    TfLiteType quantized_bias_type;
} TfLiteFullyConnectedParams;

typedef struct TfLiteSoftmaxParams { /* SOFTMAX */
    float beta;
} TfLiteSoftmaxParams;

typedef struct TfLiteConcatenationParams { /* CONCATENATION */
    int axis;
    TfLiteFusedActivation activation;
} TfLiteConcatenationParams;

typedef struct TfLiteAddParams { /* ADD */
    TfLiteFusedActivation activation;
    bool pot_scale_int16;
} TfLiteAddParams;

typedef struct TfLiteSubParams { /* SUB */
    TfLiteFusedActivation activation;
    bool pot_scale_int16;
} TfLiteSubParams;

typedef struct TfLiteMulParams { /* MUL */
    TfLiteFusedActivation activation;
} TfLiteMulParams;

typedef struct TfLiteDivParams { /* DIV */
    TfLiteFusedActivation activation;
} TfLiteDivParams;

typedef enum TfLiteLSTMKernelType {
    kTfLiteLSTMFullKernel = 0,
    kTfLiteLSTMBasicKernel = 1
} TfLiteLSTMKernelType;

typedef struct TfLiteLSTMParams { /* LSTM */
    TfLiteFusedActivation activation;
    float cell_clip, proj_clip;
    TfLiteLSTMKernelType kernel_type;
    bool asymmetric_quantize_inputs;
} TfLiteLSTMParams;

typedef struct TfLiteUnidirectionalSequenceLSTMParams { /* UNIDIRECTIONAL_SEQUENCE_LSTM */
    TfLiteFusedActivation activation;
    float cell_clip, proj_clip;
    bool time_major;
    bool asymmetric_quantize_inputs;
    bool diagonal_recurrent_tensors;
} TfLiteUnidirectionalSequenceLSTMParams;

typedef struct TfLiteResizeBilinearParams { /* RESIZE_BILINEAR */
    bool align_corners;
    bool half_pixel_centers;
} TfLiteResizeBilinearParams;

typedef struct TfLiteResizeNearestNeighborParams { /* RESIZE_NEAREST_NEIGHBOR */
    bool align_corners;
    bool half_pixel_centers;
} TfLiteResizeNearestNeighborParams;

enum { TFLITE_RESHAPE_PARAMS_MAX_DIMENSION_COUNT = 8, TFLITE_SQUEEZE_MAX_DIMENSION_COUNT = 8 };

typedef struct TfLiteReshapeParams { /* RESHAPE */
    int32_t shape[TFLITE_RESHAPE_PARAMS_MAX_DIMENSION_COUNT];
    int num_dimensions;
} TfLiteReshapeParams;

typedef struct TfLiteSqueezeParams { /* SQUEEZE */
    int32_t squeeze_dims[TFLITE_SQUEEZE_MAX_DIMENSION_COUNT];
    int num_squeeze_dims;
} TfLiteSqueezeParams;

typedef struct TfLiteStridedSliceParams { /* STRIDED_SLICE */
    int begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
    bool offset;
} TfLiteStridedSliceParams;

typedef struct TfLiteTransposeConvParams { /* TRANSPOSE_CONV */
    TfLitePadding padding;
    int stride_width, stride_height;
    TfLiteFusedActivation activation;
    TfLiteType quantized_bias_type;
} TfLiteTransposeConvParams;

typedef struct TfLiteSVDFParams { /* SVDF */
    int rank;
    TfLiteFusedActivation activation;
    bool asymmetric_quantize_inputs;
} TfLiteSVDFParams;

typedef struct TfLiteReducerParams { /* MEAN, SUM, REDUCE_* */
    bool keep_dims;
} TfLiteReducerParams;

typedef struct TfLiteGatherParams { /* GATHER */
    int axis, batch_dims;
} TfLiteGatherParams;

typedef struct TfLiteOneHotParams { /* ONE_HOT */
    int axis;
} TfLiteOneHotParams;

typedef struct TfLiteSplitParams { /* SPLIT */
    int num_splits;
} TfLiteSplitParams;

typedef struct TfLiteSplitVParams { /* SPLIT_V */
    int num_splits;
} TfLiteSplitVParams;

typedef struct TfLitePackParams { /* PACK */
    int values_count, axis;
} TfLitePackParams;

typedef struct TfLiteUnpackParams { /* UNPACK */
    int num, axis;
} TfLiteUnpackParams;

typedef struct TfLiteShapeParams { /* SHAPE */
    TfLiteType out_type;
} TfLiteShapeParams;

typedef struct TfLiteCastParams { /* CAST */
    TfLiteType in_data_type, out_data_type;
} TfLiteCastParams;

typedef struct TfLiteArgMaxParams { /* ARG_MAX */
    TfLiteType output_type;
} TfLiteArgMaxParams;

typedef struct TfLiteArgMinParams { /* ARG_MIN */
    TfLiteType output_type;
} TfLiteArgMinParams;

typedef struct TfLiteLeakyReluParams { /* LEAKY_RELU */
    float alpha;
} TfLiteLeakyReluParams;

typedef struct TfLiteGeluParams { /* GELU */
    bool approximate;
} TfLiteGeluParams;

typedef struct TfLiteCumsumParams { /* CUMSUM */
    bool exclusive, reverse;
} TfLiteCumsumParams;

typedef struct TfLiteL2NormParams { /* L2_NORMALIZATION */
    TfLiteFusedActivation activation;
} TfLiteL2NormParams;

typedef struct TfLiteBatchMatMulParams { /* BATCH_MATMUL */
    bool adj_x, adj_y;
    bool asymmetric_quantize_inputs;
} TfLiteBatchMatMulParams;

/* In the file 0 is reflect and 1 is symmetric. */
typedef enum TfLiteMirrorPaddingMode {
    kTfLiteMirrorPaddingUnknown = 0,
    kTfLiteMirrorPaddingReflect = 1,
    kTfLiteMirrorPaddingSymmetric = 2
} TfLiteMirrorPaddingMode;

typedef struct TfLiteMirrorPaddingParams { /* MIRROR_PAD */
    TfLiteMirrorPaddingMode mode;
} TfLiteMirrorPaddingParams;

typedef struct TfLiteSpaceToDepthParams { /* SPACE_TO_DEPTH */
    int block_size;
} TfLiteSpaceToDepthParams;

typedef struct TfLiteDepthToSpaceParams { /* DEPTH_TO_SPACE */
    int block_size;
} TfLiteDepthToSpaceParams;

typedef struct TfLiteIfParams { /* IF */
    int then_subgraph_index, else_subgraph_index;
} TfLiteIfParams;

typedef struct TfLiteWhileParams { /* WHILE */
    int cond_subgraph_index, body_subgraph_index;
} TfLiteWhileParams;

typedef struct TfLiteCallOnceParams { /* CALL_ONCE */
    int init_subgraph_index;
} TfLiteCallOnceParams;

typedef struct TfLiteVarHandleParams { /* VAR_HANDLE; either may be NULL */
    const char *container, *shared_name;
} TfLiteVarHandleParams;

typedef struct TfLiteStablehloCompositeParams { /* STABLEHLO_COMPOSITE */
    const char *name;
    int32_t subgraph_index;
    const uint8_t *attributes; /* FlexBuffers */
    size_t attributes_size;
    int32_t version;
} TfLiteStablehloCompositeParams;

#ifdef __cplusplus
}
#endif

#endif
