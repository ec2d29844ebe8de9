#include "delegate/tests/kit/world.h"

static int world_tensor(struct world *w, TfLiteType type, const void *data, int rank,
                        const int32_t *dims)
{
    struct graph_tensor *t = &w->tensors[w->graph.tensor_count];

    assert_true(w->graph.tensor_count < TENSORS);
    *t = (struct graph_tensor){ .name = "t",
                                .type = type,
                                .rank = rank,
                                .data = data,
                                .producer = -1,
                                .dequantized_from = -1 };
    memcpy(t->dims, dims, (size_t)rank * sizeof dims[0]);
    assert_true(checked_elements(t->dims, (size_t)rank, &t->elements));
    return w->graph.tensor_count++;
}

#define DIMS(...)                                                                                  \
    sizeof((int32_t[]){ __VA_ARGS__ }) / 4, (int32_t[])                                            \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define F32(...) world_tensor(w, kTfLiteFloat32, NULL, DIMS(__VA_ARGS__))
#define F16(...) world_tensor(w, kTfLiteFloat16, NULL, DIMS(__VA_ARGS__))
#define K32(...) world_tensor(w, kTfLiteFloat32, w->floats, DIMS(__VA_ARGS__))
#define K16(...) world_tensor(w, kTfLiteFloat16, w->floats, DIMS(__VA_ARGS__))
#define I32(data, ...)                                                                             \
    world_tensor(w, kTfLiteInt32,                                                                  \
                 memcpy(data, (int32_t[]){ __VA_ARGS__ }, sizeof((int32_t[]){ __VA_ARGS__ })),     \
                 DIMS((int32_t)(sizeof((int32_t[]){ __VA_ARGS__ }) / 4)))

static void world_node(struct world *w, int which, int code, const void *params, int input_count,
                       const int *inputs, int output_count, const int *outputs)
{
    memcpy(w->inputs[which], inputs, (size_t)input_count * sizeof inputs[0]);
    memcpy(w->outputs[which], outputs, (size_t)output_count * sizeof outputs[0]);
    w->nodes[which] = (struct graph_node){ .host_node = which,
                                           .op = gpu_op_find(code),
                                           .code = code,
                                           .version = 1,
                                           .name = builtin_name(code),
                                           .params = params,
                                           .inputs = w->inputs[which],
                                           .outputs = w->outputs[which],
                                           .input_count = input_count,
                                           .output_count = output_count };
    for (int i = 0; i < output_count; i++)
        w->tensors[outputs[i]].producer = which;
}

#define NODE(which, code, params, in, ...)                                                         \
    world_node(w, which, code, params, sizeof((int[])IN in) / sizeof(int), (int[])IN in,           \
               sizeof((int[]){ __VA_ARGS__ }) / sizeof(int), (int[]){ __VA_ARGS__ })
#define IN(...)                                                                                    \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* The ops that move elements by a fixed map of indices. */
static void world_make_moves(struct world *w)
{
    w->split.num_splits = w->split_v.num_splits = w->unpack.num = 2;
    w->unpack.axis = 1;
    w->pack = (TfLitePackParams){ .values_count = 2, .axis = 1 };
    w->squeeze = (TfLiteSqueezeParams){ .squeeze_dims = { 1 }, .num_squeeze_dims = 1 };
    w->to_depth.block_size = 2;
    NODE(TRANSPOSE, BUILTIN_TRANSPOSE, NULL, (F32(2, 3, 5), I32(w->perm, 2, 0, 1)), F32(5, 2, 3));
    NODE(SPLIT, BUILTIN_SPLIT, &w->split, (I32(w->axis, 1), F32(2, 4, 3)), F32(2, 2, 3),
         F32(2, 2, 3));
    NODE(SPLIT_V, BUILTIN_SPLIT_V, &w->split_v,
         (F32(2, 4, 3), I32(w->sizes, 1, -1), I32(w->axis, 1)), F32(2, 1, 3), F32(2, 3, 3));
    NODE(UNPACK, BUILTIN_UNPACK, &w->unpack, (F32(3, 2, 5)), F32(3, 5), F32(3, 5));
    NODE(PACK, BUILTIN_PACK, &w->pack, (F32(3, 5), K32(3, 5)), F32(3, 2, 5));
    NODE(PART, BUILTIN_SLICE, NULL,
         (F32(3, 4, 5), I32(w->starts, 1, 0, 2), I32(w->counts, 2, -1, 3)), F32(2, 4, 3));
    NODE(REVERSE, BUILTIN_REVERSE_V2, NULL, (F32(3, 4, 5), I32(w->axes_back, 1, 2)), F32(3, 4, 5));
    NODE(SQUEEZE, BUILTIN_SQUEEZE, &w->squeeze, (F32(3, 1, 5)), F32(3, 5));
    NODE(EXPAND, BUILTIN_EXPAND_DIMS, NULL, (F32(3, 5), I32(w->new_axis, 2)), F32(3, 5, 1));
    NODE(TILE, BUILTIN_TILE, NULL, (F32(2, 3), I32(w->multiples, 2, 3)), F32(4, 9));
    NODE(BROADCAST, BUILTIN_BROADCAST_TO, NULL, (F32(3, 1), I32(w->wide_shape, 2, 3, 4)),
         F32(2, 3, 4));
    NODE(TO_DEPTH, BUILTIN_SPACE_TO_DEPTH, &w->to_depth, (F32(1, 4, 6, 3)), F32(1, 2, 3, 12));
    NODE(TO_BATCH, BUILTIN_SPACE_TO_BATCH_ND, NULL,
         (F32(1, 3, 6, 3), I32(w->block, 2, 2), I32(w->margins, 1, 0, 0, 0)), F32(4, 2, 3, 3));
    w->tensors[w->inputs[TO_BATCH][2]].rank = 2;
    w->tensors[w->inputs[TO_BATCH][2]].dims[0] = w->tensors[w->inputs[TO_BATCH][2]].dims[1] = 2;
}

/* Ops of one kind each. */
static void world_make_others(struct world *w)
{
    int bytes;

    w->arg_max.output_type = kTfLiteInt32;
    w->from_depth.block_size = 2;
    NODE(PEAK, BUILTIN_ARG_MAX, &w->arg_max, (F32(2, 3, 5), I32(w->peak, -1)),
         world_tensor(w, kTfLiteInt32, NULL, DIMS(2, 3)));
    NODE(MATMUL, BUILTIN_BATCH_MATMUL, &w->matmul, (F32(2, 3, 4), F32(2, 4, 5)), F32(2, 3, 5));
    NODE(CUMSUM, BUILTIN_CUMSUM, &w->cumsum, (F32(2, 3, 5), I32(w->along, 1)), F32(2, 3, 5));
    NODE(CAST, BUILTIN_CAST, NULL, (F32(2, 5)), world_tensor(w, kTfLiteInt32, NULL, DIMS(2, 5)));
    NODE(UNIT, BUILTIN_L2_NORMALIZATION, &w->unit, (F32(2, 5)), F32(2, 5));
    NODE(LOGS, BUILTIN_LOG_SOFTMAX, NULL, (F32(2, 5)), F32(2, 5));
    NODE(NEAREST, BUILTIN_RESIZE_NEAREST_NEIGHBOR, &w->nearest,
         (F32(2, 5, 6, 3), I32(w->pixels, 7, 8)), F32(2, 7, 8, 3));
    NODE(PICK, BUILTIN_GATHER_ND, NULL, (F32(3, 4, 5), I32(w->places, 2, 1, 0, 3)), F32(2, 5));
    w->tensors[w->inputs[PICK][1]].rank = 2;
    w->tensors[w->inputs[PICK][1]].dims[0] = w->tensors[w->inputs[PICK][1]].dims[1] = 2;
    NODE(FROM_DEPTH, BUILTIN_DEPTH_TO_SPACE, &w->from_depth, (F32(1, 2, 3, 12)), F32(1, 4, 6, 3));
    NODE(FROM_BATCH, BUILTIN_BATCH_TO_SPACE_ND, NULL,
         (F32(4, 2, 3, 3), I32(w->unblock, 2, 2), I32(w->crops, 1, 0, 0, 0)), F32(1, 3, 6, 3));
    w->tensors[w->inputs[FROM_BATCH][2]].rank = 2;
    w->tensors[w->inputs[FROM_BATCH][2]].dims[0] = 2;
    w->tensors[w->inputs[FROM_BATCH][2]].dims[1] = 2;
    NODE(SUM, BUILTIN_SUM, &w->mean, (F32(1, 3, 3, 4), I32(w->sums, 1, 2)), F32(1, 4));
    NODE(LOGIC, BUILTIN_LOGICAL_AND, NULL,
         (world_tensor(w, kTfLiteBool, NULL, DIMS(2, 4)),
          world_tensor(w, kTfLiteBool, NULL, DIMS(2, 4))),
         world_tensor(w, kTfLiteBool, NULL, DIMS(2, 4)));
    bytes = world_tensor(w, kTfLiteInt8, NULL, DIMS(2, 5));
    w->scales[bytes][0] = 0.5f;
    w->tensors[bytes].quant = (struct graph_quant){
        .scale = w->scales[bytes], .zero_point = w->zero_points[bytes], .count = 1, .inner = 1
    };
    NODE(TO_BYTES, BUILTIN_QUANTIZE, NULL, (F32(2, 5)), bytes);
}

void world_make(struct world *w)
{
    memset(w, 0, sizeof *w);
    w->graph = (struct graph){ .tensors = w->tensors, .nodes = w->nodes, .node_count = NODES };
    w->limits = gpu_large_limits();
    w->before_first = (struct graph_tensor){ .name = "none", .data = w->floats, .producer = -1 };
    w->conv = (TfLiteConvParams){ .padding = kTfLitePaddingSame,
                                  .stride_width = 1,
                                  .stride_height = 1,
                                  .dilation_width_factor = 1,
                                  .dilation_height_factor = 1 };
    w->depthwise = (TfLiteDepthwiseConvParams){ .padding = kTfLitePaddingSame,
                                                .stride_width = 1,
                                                .stride_height = 1,
                                                .depth_multiplier = 2,
                                                .dilation_width_factor = 1,
                                                .dilation_height_factor = 1 };
    w->pool = (TfLitePoolParams){ .padding = kTfLitePaddingSame,
                                  .stride_width = 2,
                                  .stride_height = 2,
                                  .filter_width = 2,
                                  .filter_height = 2 };
    w->concat = (TfLiteConcatenationParams){ .axis = -1 };
    w->slice = (TfLiteStridedSliceParams){ .begin_mask = 4, .end_mask = 4, .shrink_axis_mask = 1 };
    w->resize = (TfLiteResizeBilinearParams){ .half_pixel_centers = true };
    w->deconv = (TfLiteTransposeConvParams){ .padding = kTfLitePaddingSame,
                                             .stride_width = 2,
                                             .stride_height = 2 };
    w->lstm =
        (TfLiteLSTMParams){ .activation = kTfLiteActTanh, .kernel_type = kTfLiteLSTMBasicKernel };
    w->sequence = (TfLiteUnidirectionalSequenceLSTMParams){ .activation = kTfLiteActTanh };
    w->softmax = (TfLiteSoftmaxParams){ .beta = 1 };
    w->mirror = (TfLiteMirrorPaddingParams){ .mode = kTfLiteMirrorPaddingReflect };
    w->one_hot = (TfLiteOneHotParams){ .axis = -1 };
    w->reshape = (TfLiteReshapeParams){ .shape = { 3, 4 }, .num_dimensions = 2 };

    NODE(CONV, BUILTIN_CONV_2D, &w->conv, (F32(1, 6, 6, 4), K32(8, 3, 3, 4), K32(8)),
         F32(1, 6, 6, 8));
    NODE(DEPTHWISE, BUILTIN_DEPTHWISE_CONV_2D, &w->depthwise,
         (F32(1, 6, 6, 4), K32(1, 3, 3, 8), K32(8)), F32(1, 6, 6, 8));
    NODE(POOL, BUILTIN_AVERAGE_POOL_2D, &w->pool, (F32(1, 6, 6, 4)), F32(1, 3, 3, 4));
    NODE(PAD, BUILTIN_PAD, NULL, (F32(1, 3, 3, 4), I32(w->paddings, 0, 0, 1, 1, 0, 0, 0, 1)),
         F32(1, 5, 3, 5));
    w->tensors[w->inputs[PAD][1]].rank = 2;
    w->tensors[w->inputs[PAD][1]].dims[0] = 4;
    w->tensors[w->inputs[PAD][1]].dims[1] = 2;
    NODE(RELU, BUILTIN_RELU, NULL, (F32(2, 5)), F32(2, 5));
    NODE(ADD, BUILTIN_ADD, &w->add, (F32(2, 3, 4), K32(4)), F32(2, 3, 4));
    NODE(PRELU, BUILTIN_PRELU, NULL, (F32(1, 3, 3, 4), K32(4)), F32(1, 3, 3, 4));
    NODE(CONCAT, BUILTIN_CONCATENATION, &w->concat, (F32(2, 3), K32(2, 2), F32(2, 3)), F32(2, 8));
    NODE(SLICE, BUILTIN_STRIDED_SLICE, &w->slice,
         (F32(2, 5, 6, 8), I32(w->begin, 1, 1, 0, 1), I32(w->end, 0, 5, 0, 4),
          I32(w->strides, 1, 2, -1, 1)),
         F32(2, 6, 3));
    NODE(RESIZE, BUILTIN_RESIZE_BILINEAR, &w->resize, (F32(2, 5, 6, 3), I32(w->size, 7, 8)),
         F32(2, 7, 8, 3));
    NODE(DECONV, BUILTIN_TRANSPOSE_CONV, &w->deconv,
         (I32(w->shape, 2, 10, 12, 5), K32(5, 3, 3, 3), F32(2, 5, 6, 3), K32(5)),
         F32(2, 10, 12, 5));
    NODE(LSTM, BUILTIN_LSTM, &w->lstm, (F32(2, 3), F32(2, 4), K32(16, 7), K32(16), F32(2, 4)),
         F32(2, 4), F32(2, 4), F32(2, 7), F32(2, 16));
    NODE(MEAN, BUILTIN_MEAN, &w->mean, (F32(1, 3, 3, 4), I32(w->axes, 1, 2)), F32(1, 4));
    NODE(RESHAPE, BUILTIN_RESHAPE, &w->reshape, (F32(2, 6), I32(w->new_shape, 3, 4)), F32(3, 4));
    NODE(WIDEN, BUILTIN_DEQUANTIZE, NULL, (K16(5, 4)), F32(5, 4));
    w->tensors[w->outputs[WIDEN][0]].dequantized_from = w->inputs[WIDEN][0];
    NODE(DEQUANT, BUILTIN_DEQUANTIZE, NULL, (F16(2, 3)), F32(2, 3));
    NODE(DENSE, BUILTIN_FULLY_CONNECTED, &w->dense, (F32(2, 4), w->outputs[WIDEN][0], K32(5)),
         F32(2, 5));
    NODE(SOFTMAX, BUILTIN_SOFTMAX, &w->softmax, (F32(2, 5)), F32(2, 5));
    NODE(GATHER, BUILTIN_GATHER, &w->gather, (F32(5, 4), I32(w->picks, 4, 0, 1)), F32(3, 4));
    NODE(PADV2, BUILTIN_PADV2, NULL, (F32(3, 4), I32(w->around, 1, 1, 0, 1), K32(1)), F32(5, 5));
    NODE(MIRROR_PAD, BUILTIN_MIRROR_PAD, &w->mirror, (F32(3, 4), I32(w->mirrored, 1, 2, 0, 3)),
         F32(6, 7));
    for (int i = 0; i < 2; i++) {
        struct graph_tensor *const t = &w->tensors[w->inputs[i ? MIRROR_PAD : PADV2][1]];

        t->rank = 2;
        t->dims[0] = t->dims[1] = 2;
    }
    NODE(ONE_HOT, BUILTIN_ONE_HOT, &w->one_hot,
         (world_tensor(w, kTfLiteInt32, NULL, DIMS(2, 3)), I32(w->depth, 4), K32(1), K32(1)),
         F32(2, 3, 4));
    NODE(SEQUENCE, BUILTIN_UNIDIRECTIONAL_SEQUENCE_LSTM, &w->sequence,
         (F32(2, 4, 6), K32(5, 6), K32(5, 6), K32(5, 6), K32(5, 6), K32(5, 3), K32(5, 3), K32(5, 3),
          K32(5, 3), K32(5), K32(5), K32(5), K32(5), K32(5), K32(5), K32(5), K32(3, 5), K32(3),
          F32(2, 3), F32(2, 5), -1, -1, -1, -1),
         F32(2, 4, 3));
    NODE(DIVIDE, BUILTIN_FLOOR_DIV, NULL,
         (world_tensor(w, kTfLiteInt32, NULL, DIMS(2, 4)), I32(w->divisors, 1, 2, 3, 4)),
         world_tensor(w, kTfLiteInt32, NULL, DIMS(2, 4)));
    NODE(COMPARE, BUILTIN_LESS, NULL, (F32(2, 4), F32(2, 4)),
         world_tensor(w, kTfLiteBool, NULL, DIMS(2, 4)));
    NODE(CHOOSE, BUILTIN_SELECT, NULL,
         (world_tensor(w, kTfLiteBool, NULL, DIMS(2)), F32(2, 4), F32(2, 4)), F32(2, 4));
    world_make_moves(w);
    world_make_others(w);
}

/* ---- other types ---- */

static struct graph_tensor *world_at(struct world *w, int node, int tensor)
{
    const int t = tensor >= OUT ? w->outputs[node][tensor - OUT] : w->inputs[node][tensor];

    assert_true(t >= 0 && t < w->graph.tensor_count);
    return &w->tensors[t];
}

void world_count(struct graph_tensor *t)
{
    if (t->rank < 0 || !checked_elements(t->dims, (size_t)t->rank, &t->elements))
        t->elements = 0;
}

void world_quantize(struct world *w, struct graph_tensor *t, TfLiteType type)
{
    float *const scale = w->scales[t - w->tensors];

    t->type = type;
    scale[0] = scale[1] = scale[2] = scale[3] = 0.5f;
    t->quant = (struct graph_quant){
        .scale = scale, .zero_point = w->zero_points[t - w->tensors], .count = 1, .inner = 1
    };
}

void world_sequence_s8(struct world *w, int outputs)
{
    struct graph_node *const n = &w->nodes[SEQUENCE];

    for (int i = 0; i < n->input_count + 6; i++) {
        const bool peephole = i >= 9 && i < 12, bias = (i >= 12 && i < 16) || i == 17;
        const bool input = i<n->input_count, hidden = i> n->input_count;
        struct graph_tensor *t;

        if (input && n->inputs[i] < 0)
            continue;
        if (hidden)
            w->intermediates[i - n->input_count - 1] = world_tensor(w, kTfLiteInt8, NULL, DIMS(0));
        t = hidden ? &w->tensors[w->intermediates[i - n->input_count - 1]]
                   : world_at(w, SEQUENCE, input ? i : OUT);
        t->type = bias ? kTfLiteInt32 : peephole || i == 19 ? kTfLiteInt16 : kTfLiteInt8;
        if ((i >= 5 && i < 9) || i == 18)
            t->dims[1] = outputs;
        if (i == 16 || i == 17)
            t->dims[0] = outputs;
        if (i == n->input_count)
            t->dims[2] = outputs;
        world_count(t);
        if (bias)
            continue;
        world_quantize(w, t, t->type);
        w->scales[t - w->tensors][0] = i == 19 ? 0x1p-11f : 0x1p-7f;
    }
    n->intermediates = w->intermediates;
    n->intermediate_count = 5;
}

enum status world_plan(struct plan *p, struct world *w, int node, const struct gpu_options *o,
                       struct diag *diag)
{
    const struct plan_request r = { .graph = &w->graph,
                                    .options = o,
                                    .limits = &w->limits,
                                    .nodes = &node,
                                    .inputs = w->inputs[node],
                                    .outputs = w->outputs[node],
                                    .node_count = 1,
                                    .input_count = w->nodes[node].input_count,
                                    .output_count = w->nodes[node].output_count };

    return plan_make(p, &r, diag);
}
