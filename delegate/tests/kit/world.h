/* A graph with a node of each op, each on tensors of its own, made by hand, since no interpreter
 * would give the delegate the invalid graphs that tests make of it. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_WORLD_H
#define ASSAY_DELEGATE_TESTS_KIT_WORLD_H

#include "delegate/tests/kit/gpu_kit.h"

#include "delegate/graph/gpu_op.h"
#include "reference/base/checked.h"
#include "tensorflow/lite/c/builtin_op_data.h"

#include <math.h>

/* Nodes. */
enum {
    CONV,
    DEPTHWISE,
    POOL,
    PAD,
    RELU,
    PRELU,
    CONCAT,
    SLICE,
    RESIZE,
    DECONV,
    LSTM,
    MEAN,
    RESHAPE,
    WIDEN,   /* DEQUANTIZE of an f16 constant, the weights of DENSE */
    DEQUANT, /* of a computed tensor */
    DENSE,
    SOFTMAX,
    ADD,
    GATHER,
    PADV2,
    MIRROR_PAD,
    ONE_HOT,
    SEQUENCE, /* UNIDIRECTIONAL_SEQUENCE_LSTM with peephole weights and a projection */
    DIVIDE,
    COMPARE,
    CHOOSE,
    TRANSPOSE,
    SPLIT,
    SPLIT_V,
    UNPACK,
    PACK,
    PART, /* BUILTIN_SLICE */
    REVERSE,
    SQUEEZE,
    EXPAND,
    TILE,
    BROADCAST,
    TO_DEPTH,
    TO_BATCH,
    PEAK, /* ARG_MAX */
    MATMUL,
    CUMSUM,
    CAST,
    UNIT, /* L2_NORMALIZATION */
    LOGS, /* LOG_SOFTMAX */
    NEAREST,
    PICK, /* GATHER_ND */
    FROM_DEPTH,
    FROM_BATCH,
    SUM,
    LOGIC,    /* LOGICAL_AND */
    TO_BYTES, /* QUANTIZE */
    NODES
};

enum {
    TENSORS = 320,
    FLOATS = 1 << 16,
    OUT = 24
}; /* tensors of a node: inputs from 0, outputs from OUT */

/* The graph and everything that it points to. */
struct world {
    struct graph graph;
    struct graph_tensor before_first; /* what a read of an absent input would find: a constant */
    struct graph_tensor tensors[TENSORS];
    struct graph_node nodes[NODES];
    int inputs[NODES][OUT], outputs[NODES][4], intermediates[5];
    float floats[FLOATS];
    float scales[TENSORS][8];
    int32_t zero_points[TENSORS][8];
    int32_t paddings[8], begin[8], end[8], strides[8], size[4], shape[4], new_shape[4], axes[4];
    int32_t picks[4], around[8], mirrored[8], depth[1], divisors[4];
    int32_t perm[4], axis[4], sizes[4], starts[4], counts[4], axes_back[4], new_axis[4];
    int32_t multiples[4], wide_shape[4], block[4], margins[4];
    int32_t peak[1], along[1], pixels[2], places[4], unblock[2], crops[4], sums[2];
    TfLiteConvParams conv;
    TfLiteDepthwiseConvParams depthwise;
    TfLitePoolParams pool;
    TfLiteAddParams add;
    TfLiteConcatenationParams concat;
    TfLiteStridedSliceParams slice;
    TfLiteResizeBilinearParams resize;
    TfLiteTransposeConvParams deconv;
    TfLiteLSTMParams lstm;
    TfLiteUnidirectionalSequenceLSTMParams sequence;
    TfLiteReducerParams mean;
    TfLiteReshapeParams reshape;
    TfLiteFullyConnectedParams dense;
    TfLiteSoftmaxParams softmax;
    TfLiteGatherParams gather;
    TfLiteMirrorPaddingParams mirror;
    TfLiteOneHotParams one_hot;
    TfLiteSplitParams split;
    TfLiteSplitVParams split_v;
    TfLiteUnpackParams unpack;
    TfLitePackParams pack;
    TfLiteSqueezeParams squeeze;
    TfLiteSpaceToDepthParams to_depth;
    TfLiteDepthToSpaceParams from_depth;
    TfLiteArgMaxParams arg_max;
    TfLiteBatchMatMulParams matmul;
    TfLiteCumsumParams cumsum;
    TfLiteL2NormParams unit;
    TfLiteResizeNearestNeighborParams nearest;
    /* Options and device limits that the graph is planned with. */
    const char *pairs[8];
    struct device_limits limits;
};

/* Every node is one that the delegate takes. */
void world_make(struct world *w);

/* Counts the elements of a tensor whose dims were edited, as the import does. */
void world_count(struct graph_tensor *t);
/* The type, a scale of 0.5 and the zero point that the world has for the tensor, at first 0. */
void world_quantize(struct world *w, struct graph_tensor *t, TfLiteType type);
/* Gives SEQUENCE the types, scales and intermediates of the integer kernel, and so many outputs. */
void world_sequence_s8(struct world *w, int outputs);

/* Plans one node alone. */
enum status world_plan(struct plan *p, struct world *w, int node, const struct gpu_options *o,
                       struct diag *diag);

#endif
