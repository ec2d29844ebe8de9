/* A graph of CONCATENATION, STRIDED_SLICE, RESIZE_BILINEAR and TRANSPOSE_CONV for white-box tests,
 * made by hand: no interpreter would hand over what a test damages it to. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_MOVE_GRAPH_H
#define ASSAY_DELEGATE_TESTS_KIT_MOVE_GRAPH_H

#include "delegate/tests/kit/gpu_kit.h"

#include "delegate/graph/gpu_op.h"
#include "tensorflow/lite/c/builtin_op_data.h"

enum { CONCAT, SLICE, RESIZE, DECONV, NODES };
enum { TENSORS = 20, X = 0 };

/* Everything that a graph points at, so that a damage is never seen by the next. */
struct move_graph {
    struct graph graph;
    struct graph_tensor tensors[TENSORS];
    struct graph_node nodes[NODES];
    int inputs[NODES][8], outputs[NODES][2];
    float weights[512];
    int32_t begin[4], end[4], strides[4], size[2], shape[4];
    TfLiteConcatenationParams concat;
    TfLiteStridedSliceParams slice;
    TfLiteResizeBilinearParams resize;
    TfLiteTransposeConvParams deconv;
};

int move_tensor(struct move_graph *w, TfLiteType type, const void *data, int rank,
                const int32_t *dims);

#define F32(w, data, ...)                                                                          \
    move_tensor(w, kTfLiteFloat32, data, sizeof((int32_t[]){ __VA_ARGS__ }) / 4,                   \
                (int32_t[]){ __VA_ARGS__ })

void move_node(struct move_graph *w, int which, int code, const void *params, int input_count,
               const int *inputs, int output);
void move_make(struct move_graph *w);
const struct refusal *move_refusal(const struct decision *d, int host_node);
/* Plans one node alone. */
enum status move_plan(struct plan *p, struct move_graph *w, int which, const struct gpu_options *o,
                      const struct device_limits *limits, struct diag *diag);
const char *move_rule(struct move_graph *w, int which, const char *precision,
                      const struct device_limits *limits);

#endif
