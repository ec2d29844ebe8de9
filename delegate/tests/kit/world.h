/* A graph with a node of each op, each on tensors of its own, made by hand, since no interpreter
 * would give the delegate the invalid graphs that tests make of it.  Edits are data, so that tables
 * can hold them. */
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
    int64_t longs[8];
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

/* ---- edits ---- */

struct edit {
    enum {
        NOTHING,
        EDIT_DIM,
        EDIT_RANK,
        EDIT_TYPE,
        EDIT_BYTES,
        EDIT_SCALES,
        EDIT_SCALE,
        EDIT_SCALE_DIM,
        EDIT_SCALE_BITS,
        EDIT_COMPUTED,
        EDIT_CONSTANT,
        EDIT_LONGS,
        EDIT_ABSENT,
        EDIT_TENSOR,
        EDIT_INPUTS,
        EDIT_OUTPUTS,
        EDIT_VALUE,
        EDIT_DYNAMIC,
        EDIT_PREPARED,
        EDIT_SPARSE,
        EDIT_MISFIT,
        EDIT_VARIABLE,
        EDIT_PRODUCER,
        EDIT_VERSION,
        EDIT_CODE,
        EDIT_NO_PARAMS,
        EDIT_PARAM,
        EDIT_FLAG,
        EDIT_WEIGHT,
        EDIT_OPTION,
        EDIT_LSTM_U8,
        EDIT_SEQUENCE_S8,
        EDIT_RANGE,
        EDIT_NO_HALF,
        EDIT_SOFTWARE
    } what;
    int node, tensor, at;
    int64_t value;
    const char *key, *text;
};
/* dims[at] of a tensor of the node */
#define DIM(n, t, at_, v)                                                                          \
    {                                                                                              \
        .what = EDIT_DIM, .node = (n), .tensor = (t), .at = (at_), .value = (v)                    \
    }
/* Drops leading dims, or prepends dims of 1; -1: the rank is unknown. */
#define RANK(n, t, r)                                                                              \
    {                                                                                              \
        .what = EDIT_RANK, .node = (n), .tensor = (t), .value = (r)                                \
    }
#define TYPE(n, t, v)                                                                              \
    {                                                                                              \
        .what = EDIT_TYPE, .node = (n), .tensor = (t), .value = (v)                                \
    }
/* BYTES: i8 with a scale of 0.5 and this zero point.  SCALES: the number of its scales. */
#define BYTES(n, t, zero)                                                                          \
    {                                                                                              \
        .what = EDIT_BYTES, .node = (n), .tensor = (t), .value = (zero)                            \
    }
#define SCALES(n, t, count)                                                                        \
    {                                                                                              \
        .what = EDIT_SCALES, .node = (n), .tensor = (t), .value = (count)                          \
    }
/* SCALE: the first scale becomes 2^exponent.  SCALE_DIM: the quantized dimension. */
#define SCALE(n, t, exponent)                                                                      \
    {                                                                                              \
        .what = EDIT_SCALE, .node = (n), .tensor = (t), .value = (exponent)                        \
    }
#define SCALE_DIM(n, t, d)                                                                         \
    {                                                                                              \
        .what = EDIT_SCALE_DIM, .node = (n), .tensor = (t), .value = (d)                           \
    }
/* The first scale as bits of an f32. */
#define SCALE_BITS(n, t, bits)                                                                     \
    {                                                                                              \
        .what = EDIT_SCALE_BITS, .node = (n), .tensor = (t), .value = (bits)                       \
    }
#define U8_LSTM                                                                                    \
    {                                                                                              \
        .what = EDIT_LSTM_U8, .node = LSTM                                                         \
    }
/* SEQUENCE in integers, with so many outputs. */
#define S8_SEQUENCE(outputs)                                                                       \
    {                                                                                              \
        .what = EDIT_SEQUENCE_S8, .node = SEQUENCE, .value = (outputs)                             \
    }
#define COMPUTED(n, t)                                                                             \
    {                                                                                              \
        .what = EDIT_COMPUTED, .node = (n), .tensor = (t)                                          \
    }
#define CONSTANT(n, t)                                                                             \
    {                                                                                              \
        .what = EDIT_CONSTANT, .node = (n), .tensor = (t)                                          \
    }
/* A constant of i32 becomes one of i64. */
#define LONGS(n, t)                                                                                \
    {                                                                                              \
        .what = EDIT_LONGS, .node = (n), .tensor = (t)                                             \
    }
#define ABSENT(n, t)                                                                               \
    {                                                                                              \
        .what = EDIT_ABSENT, .node = (n), .tensor = (t)                                            \
    }
/* Input t of n is tensor `other` of node m. */
#define TAKES(n, t, m, other)                                                                      \
    {                                                                                              \
        .what = EDIT_TENSOR, .node = (n), .tensor = (t), .at = (m), .value = (other)               \
    }
#define INPUTS(n, count)                                                                           \
    {                                                                                              \
        .what = EDIT_INPUTS, .node = (n), .value = (count)                                         \
    }
#define OUTPUTS(n, count)                                                                          \
    {                                                                                              \
        .what = EDIT_OUTPUTS, .node = (n), .value = (count)                                        \
    }
/* Element `at_` of a constant i32. */
#define VALUE(n, t, at_, v)                                                                        \
    {                                                                                              \
        .what = EDIT_VALUE, .node = (n), .tensor = (t), .at = (at_), .value = (v)                  \
    }
#define PREPARED(n, t)                                                                             \
    {                                                                                              \
        .what = EDIT_PREPARED, .node = (n), .tensor = (t)                                          \
    }
#define DYNAMIC(n, t)                                                                              \
    {                                                                                              \
        .what = EDIT_DYNAMIC, .node = (n), .tensor = (t)                                           \
    }
#define SPARSE(n, t)                                                                               \
    {                                                                                              \
        .what = EDIT_SPARSE, .node = (n), .tensor = (t)                                            \
    }
/* A constant of so many bytes. */
#define MISFIT(n, t, v)                                                                            \
    {                                                                                              \
        .what = EDIT_MISFIT, .node = (n), .tensor = (t), .value = (v)                              \
    }
#define VARIABLE(n, t)                                                                             \
    {                                                                                              \
        .what = EDIT_VARIABLE, .node = (n), .tensor = (t)                                          \
    }
#define MADE_BY(n, t, m)                                                                           \
    {                                                                                              \
        .what = EDIT_PRODUCER, .node = (n), .tensor = (t), .value = (m)                            \
    }
#define VERSION(n, v)                                                                              \
    {                                                                                              \
        .what = EDIT_VERSION, .node = (n), .value = (v)                                            \
    }
#define CODE(n, v)                                                                                 \
    {                                                                                              \
        .what = EDIT_CODE, .node = (n), .value = (v)                                               \
    }
#define NO_PARAMS(n)                                                                               \
    {                                                                                              \
        .what = EDIT_NO_PARAMS, .node = (n)                                                        \
    }
#define PARAM(n, type, field, v)                                                                   \
    {                                                                                              \
        .what = EDIT_PARAM, .node = (n), .at = offsetof(type, field), .value = (v)                 \
    }
#define FLAG(n, type, field, v)                                                                    \
    {                                                                                              \
        .what = EDIT_FLAG, .node = (n), .at = offsetof(type, field), .value = (v)                  \
    }
/* Element 7 of all float constants; v is an integer. */
#define WEIGHT(v)                                                                                  \
    {                                                                                              \
        .what = EDIT_WEIGHT, .value = (v)                                                          \
    }
#define OPTION(k, v)                                                                               \
    {                                                                                              \
        .what = EDIT_OPTION, .key = (k), .text = (v)                                               \
    }
/* maxStorageBufferRange */
#define RANGE(v)                                                                                   \
    {                                                                                              \
        .what = EDIT_RANGE, .value = (v)                                                           \
    }
#define NO_16BIT_STORAGE                                                                           \
    {                                                                                              \
        .what = EDIT_NO_HALF                                                                       \
    }
#define SOFTWARE_DEVICE                                                                            \
    {                                                                                              \
        .what = EDIT_SOFTWARE                                                                      \
    }

void world_edit(struct world *w, const struct edit *e);
/* NULL: the node is taken. */
const struct refusal *world_refusal(const struct decision *d, int node);
/* Plans one node alone. */
enum status world_plan(struct plan *p, struct world *w, int node, const struct gpu_options *o,
                       struct diag *diag);

#endif
