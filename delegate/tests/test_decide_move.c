/* CONCATENATION, STRIDED_SLICE, RESIZE_BILINEAR, TRANSPOSE_CONV: each rule of the delegate with a
 * graph that passes and one that does not. */
#include "delegate/tests/kit/move_graph.h"
#include "reference/tests/kit/test.h"

#include <limits.h>
#include <math.h>

/* ---- rules ---- */

/* One change to the graph, and the rule that must refuse the node; NULL: taken. */
struct damage {
    const char *rule;
    int node;
    enum {
        NOTHING,
        INPUT_DIM, /* dims[at] of input `index` = value */
        INPUT_RANK,
        INPUT_TYPE,
        INPUT_COMPUTED, /* no constant any more */
        INPUT_CONSTANT,
        INPUT_ABSENT,
        INPUT_COUNT,
        INPUT_VALUE, /* element `at` of a constant i32 = value */
        OUTPUT_DIM,
        OUTPUT_RANK,
        OUTPUT_TYPE,
        OUTPUT_COUNT,
        VERSION,
        PARAMS_NULL,
        PARAM, /* int at byte `at` of the parameters = value */
        FLAG   /* bool */
    } what;
    int index, at, value;
};

#define SLICE_MASK(field)   offsetof(TfLiteStridedSliceParams, field)
#define DECONV_FIELD(field) offsetof(TfLiteTransposeConvParams, field)

static const struct damage damages[] = {
    { NULL, CONCAT, NOTHING, 0, 0, 0 },
    { NULL, SLICE, NOTHING, 0, 0, 0 },
    { NULL, RESIZE, NOTHING, 0, 0, 0 },
    { NULL, DECONV, NOTHING, 0, 0, 0 },
    { "op.version", CONCAT, VERSION, 0, 0, 8 },
    { NULL, CONCAT, VERSION, 0, 0, 7 },
    { "op.version", SLICE, VERSION, 0, 0, 9 },
    { NULL, SLICE, VERSION, 0, 0, 8 },
    { "op.version", RESIZE, VERSION, 0, 0, 5 },
    { NULL, RESIZE, VERSION, 0, 0, 4 },
    { "op.version", DECONV, VERSION, 0, 0, 6 },
    { NULL, DECONV, VERSION, 0, 0, 5 },
    { "params.missing", CONCAT, PARAMS_NULL, 0, 0, 0 },
    { "params.missing", SLICE, PARAMS_NULL, 0, 0, 0 },
    { "params.missing", RESIZE, PARAMS_NULL, 0, 0, 0 },
    { "params.missing", DECONV, PARAMS_NULL, 0, 0, 0 },
    { "node.outputs", CONCAT, OUTPUT_COUNT, 0, 0, 0 },
    { "node.outputs", SLICE, OUTPUT_COUNT, 0, 0, 2 },

    { "node.inputs", CONCAT, INPUT_COUNT, 0, 0, 0 },
    { "node.input_absent", CONCAT, INPUT_ABSENT, 2, 0, 0 },
    { "tensor.type", CONCAT, INPUT_TYPE, 0, 0, kTfLiteInt8 },
    { "tensor.type", CONCAT, INPUT_TYPE, 1, 0, kTfLiteFloat16 },
    { "tensor.type", CONCAT, OUTPUT_TYPE, 0, 0, kTfLiteInt32 },
    { "tensor.rank", CONCAT, INPUT_RANK, 1, 0, 3 },
    { "tensor.rank", CONCAT, OUTPUT_RANK, 0, 0, 0 },
    { "concatenation.activation", CONCAT, PARAM, 0, offsetof(TfLiteConcatenationParams, activation),
      kTfLiteActRelu },
    { "concatenation.axis", CONCAT, PARAM, 0, 0, 4 },
    { "concatenation.axis", CONCAT, PARAM, 0, 0, -5 },
    { "concatenation.axis", CONCAT, PARAM, 0, 0, INT_MIN },
    { "concatenation.axis", CONCAT, PARAM, 0, 0, INT_MAX },
    { NULL, CONCAT, PARAM, 0, 0, 3 },
    { "concatenation.input_shape", CONCAT, PARAM, 0, 0, 2 },
    { "concatenation.input_shape", CONCAT, INPUT_DIM, 1, 1, 4 },
    { "concatenation.input_shape", CONCAT, INPUT_DIM, 1, 3, -1 },
    { "concatenation.input_shape", CONCAT, OUTPUT_DIM, 0, 0, 1 },
    { "concatenation.output_shape", CONCAT, OUTPUT_DIM, 0, 3, 9 },
    { "concatenation.output_shape", CONCAT, INPUT_DIM, 1, 3, INT_MAX },
    { "concatenation.output_shape", CONCAT, INPUT_COUNT, 0, 0, 2 },
    { "concatenation.constants", CONCAT, INPUT_CONSTANT, 0, 0, 0 },
    { NULL, CONCAT, INPUT_COMPUTED, 1, 0, 0 },

    { "node.inputs", SLICE, INPUT_COUNT, 0, 0, 3 },
    { "input.constant", SLICE, INPUT_CONSTANT, 0, 0, 0 },
    { "tensor.type", SLICE, INPUT_TYPE, 0, 0, kTfLiteInt64 },
    { "strided_slice.specs_constant", SLICE, INPUT_COMPUTED, 1, 0, 0 },
    { "strided_slice.specs_constant", SLICE, INPUT_COMPUTED, 2, 0, 0 },
    { "strided_slice.specs_constant", SLICE, INPUT_COMPUTED, 3, 0, 0 },
    { "strided_slice.specs_constant", SLICE, INPUT_TYPE, 3, 0, kTfLiteInt64 },
    { "strided_slice.specs_constant", SLICE, INPUT_ABSENT, 1, 0, 0 },
    { "strided_slice.specs_shape", SLICE, INPUT_RANK, 1, 0, 0 },
    { "strided_slice.specs_shape", SLICE, INPUT_DIM, 1, 0, 32 },
    { "strided_slice.specs_shape", SLICE, INPUT_DIM, 1, 0, -1 },
    { "strided_slice.specs_shape", SLICE, INPUT_DIM, 2, 0, 3 },
    { "strided_slice.specs_shape", SLICE, INPUT_DIM, 3, 0, 5 },
    { "strided_slice.stride", SLICE, INPUT_VALUE, 3, 1, 0 },
    { "strided_slice.stride", SLICE, INPUT_VALUE, 3, 0, 0 },
    { "strided_slice.output_shape", SLICE, INPUT_VALUE, 3, 1, INT_MAX },
    { "strided_slice.stride", SLICE, INPUT_VALUE, 3, 1, INT_MIN },
    { "strided_slice.output_shape", SLICE, INPUT_VALUE, 2, 1, INT_MIN },
    { NULL, SLICE, INPUT_VALUE, 2, 1, INT_MAX }, /* clamped */
    { NULL, SLICE, INPUT_VALUE, 1, 1, 2 },       /* 2, 4 */
    { "strided_slice.shrink", SLICE, INPUT_VALUE, 1, 0, 2 },
    { "strided_slice.shrink", SLICE, INPUT_VALUE, 1, 0, -3 },
    { NULL, SLICE, INPUT_VALUE, 1, 0, -2 },
    { "strided_slice.shrink", SLICE, INPUT_VALUE, 3, 0, -1 },
    { "strided_slice.shrink", SLICE, INPUT_VALUE, 1, 0, INT_MIN },
    { NULL, SLICE, PARAM, 0, SLICE_MASK(begin_mask), 5 }, /* index 0 */
    { "strided_slice.output_shape", SLICE, PARAM, 0, SLICE_MASK(shrink_axis_mask), 0 },
    { "strided_slice.output_shape", SLICE, PARAM, 0, SLICE_MASK(end_mask), 0 },
    { NULL, SLICE, PARAM, 0, SLICE_MASK(end_mask), ~15 | 4 }, /* bits of no spec say nothing */
    { "strided_slice.masks", SLICE, PARAM, 0, SLICE_MASK(ellipsis_mask), 16 },
    { "strided_slice.masks", SLICE, PARAM, 0, SLICE_MASK(new_axis_mask), INT_MIN },
    { "strided_slice.masks", SLICE, PARAM, 0, SLICE_MASK(ellipsis_mask), -1 },
    { "strided_slice.ellipsis", SLICE, PARAM, 0, SLICE_MASK(ellipsis_mask), 6 },
    { NULL, SLICE, PARAM, 0, SLICE_MASK(ellipsis_mask), 4 }, /* forwards, then */
    { "strided_slice.output_shape", SLICE, PARAM, 0, SLICE_MASK(ellipsis_mask), 8 },
    { "strided_slice.specs", SLICE, INPUT_RANK, 0, 0, 3 },
    { "strided_slice.output_shape", SLICE, OUTPUT_RANK, 0, 0, 4 },
    { "strided_slice.output_shape", SLICE, OUTPUT_DIM, 0, 2, 4 },

    { "node.inputs", RESIZE, INPUT_COUNT, 0, 0, 1 },
    { "tensor.rank", RESIZE, INPUT_RANK, 0, 0, 3 },
    { "tensor.type", RESIZE, OUTPUT_TYPE, 0, 0, kTfLiteFloat16 },
    { "resize.flags", RESIZE, FLAG, 0, offsetof(TfLiteResizeBilinearParams, align_corners), 1 },
    { NULL, RESIZE, FLAG, 0, offsetof(TfLiteResizeBilinearParams, half_pixel_centers), 0 },
    { "resize.size_constant", RESIZE, INPUT_COMPUTED, 1, 0, 0 },
    { "resize.size_constant", RESIZE, INPUT_TYPE, 1, 0, kTfLiteFloat32 },
    { "resize.size_constant", RESIZE, INPUT_ABSENT, 1, 0, 0 },
    { "resize.size_shape", RESIZE, INPUT_DIM, 1, 0, 3 },
    { "resize.size_shape", RESIZE, INPUT_RANK, 1, 0, 2 },
    { "resize.size_range", RESIZE, INPUT_VALUE, 1, 0, 0 },
    { "resize.size_range", RESIZE, INPUT_VALUE, 1, 1, -8 },
    { "resize.size_range", RESIZE, INPUT_VALUE, 1, 1, 9 },
    { "resize.output_shape", RESIZE, OUTPUT_DIM, 0, 3, 2 },
    { "resize.output_shape", RESIZE, OUTPUT_DIM, 0, 0, 1 },

    { "node.inputs", DECONV, INPUT_COUNT, 0, 0, 2 },
    { NULL, DECONV, INPUT_COUNT, 0, 0, 3 },
    { NULL, DECONV, INPUT_ABSENT, 3, 0, 0 },
    { "node.input_absent", DECONV, INPUT_ABSENT, 1, 0, 0 },
    { "input.constant", DECONV, INPUT_CONSTANT, 2, 0, 0 },
    { NULL, DECONV, INPUT_COMPUTED, 1, 0, 0 },
    { NULL, DECONV, INPUT_COMPUTED, 3, 0, 0 },
    { "tensor.rank", DECONV, INPUT_RANK, 1, 0, 3 },
    { "tensor.type", DECONV, INPUT_TYPE, 1, 0, kTfLiteInt8 },
    { "params.activation", DECONV, PARAM, 0, DECONV_FIELD(activation), kTfLiteActTanh },
    { NULL, DECONV, PARAM, 0, DECONV_FIELD(activation), kTfLiteActRelu6 },
    { "transpose_conv.shape_constant", DECONV, INPUT_COMPUTED, 0, 0, 0 },
    { "transpose_conv.shape_constant", DECONV, INPUT_TYPE, 0, 0, kTfLiteInt64 },
    { "transpose_conv.shape_constant", DECONV, INPUT_ABSENT, 0, 0, 0 },
    { "transpose_conv.shape_shape", DECONV, INPUT_DIM, 0, 0, 3 },
    { "transpose_conv.shape_shape", DECONV, INPUT_RANK, 0, 0, 0 },
    { "transpose_conv.output_shape", DECONV, INPUT_VALUE, 0, 1, -10 },
    { "transpose_conv.output_shape", DECONV, OUTPUT_DIM, 0, 1, 9 },
    { "window.size", DECONV, PARAM, 0, DECONV_FIELD(stride_width), 0 },
    { "window.size", DECONV, PARAM, 0, DECONV_FIELD(stride_height), INT_MIN },
    { "window.padding", DECONV, PARAM, 0, DECONV_FIELD(padding), 7 },
    { "window.output_shape", DECONV, PARAM, 0, DECONV_FIELD(padding), kTfLitePaddingValid },
    { "window.output_shape", DECONV, PARAM, 0, DECONV_FIELD(stride_width), 3 },
    { "transpose_conv.out_channels", DECONV, INPUT_DIM, 1, 0, 6 },
    { "transpose_conv.in_channels", DECONV, INPUT_DIM, 1, 3, 2 },
    { "transpose_conv.bias", DECONV, INPUT_DIM, 3, 0, 4 },
};

static void apply(struct move_graph *w, const struct damage *d)
{
    static const char bytes[4096];
    struct graph_node *n = &w->nodes[d->node];
    struct graph_tensor *in = &w->tensors[w->inputs[d->node][d->index]];
    struct graph_tensor *out = &w->tensors[w->outputs[d->node][0]];

    switch (d->what) {
    case NOTHING: break;
    case INPUT_DIM: in->dims[d->at] = d->value; break;
    case INPUT_RANK: in->rank = d->value; break;
    case INPUT_TYPE: in->type = (TfLiteType)d->value; break;
    case INPUT_COMPUTED: in->data = NULL; break;
    case INPUT_CONSTANT: in->data = bytes; break;
    case INPUT_ABSENT: w->inputs[d->node][d->index] = -1; break;
    case INPUT_COUNT: n->input_count = d->value; break;
    case INPUT_VALUE: ((int32_t *)(uintptr_t)in->data)[d->at] = d->value; break;
    case OUTPUT_DIM: out->dims[d->at] = d->value; break;
    case OUTPUT_RANK: out->rank = d->value; break;
    case OUTPUT_TYPE: out->type = (TfLiteType)d->value; break;
    case OUTPUT_COUNT: n->output_count = d->value; break;
    case VERSION: n->version = d->value; break;
    case PARAMS_NULL: n->params = NULL; break;
    case PARAM: memcpy((char *)(uintptr_t)n->params + d->at, &d->value, sizeof(int)); break;
    case FLAG: *((bool *)(uintptr_t)n->params + d->at) = d->value; break;
    }
}

TEST(every_rule)
{
    const struct device_limits limits = gpu_large_limits();
    struct gpu_options o = gpu_options_of((const char *const[]){ NULL });

    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        const struct damage *d = &damages[i];
        struct diag diag = { 0 };
        struct decision decision;
        const struct refusal *r;
        struct move_graph w;
        struct plan p;

        move_make(&w);
        apply(&w, d);
        KIT_OK(decision_make(&decision, &w.graph, &o, &limits, &diag));
        r = move_refusal(&decision, d->node);
        if (!d->rule && r)
            fail_msg("damage %zu, node %d refused by %s: %s is %s, limit %s", i, d->node, r->rule,
                     r->field, r->value, r->limit);
        if (d->rule && (!r || strcmp(r->rule, d->rule) != 0))
            fail_msg("damage %zu, node %d: %s, expected %s", i, d->node, r ? r->rule : "taken",
                     d->rule);
        assert_int_equal(decision.take[d->node], d->rule == NULL);
        if (r) {
            assert_true(r->field[0] && r->value[0] && r->limit[0] && r->hint[0]);
        } else {
            KIT_OK(move_plan(&p, &w, d->node, &o, &limits, &diag));
            plan_close(&p);
        }
        decision_close(&decision);
    }
    options_close(&o);
}

/* ---- limits ---- */

TEST(constants_in_the_range_of_f16)
{
    const struct device_limits limits = gpu_large_limits();
    const float values[] = { 65504.0f, 65505.0f, INFINITY };
    struct move_graph w;

    for (int i = 0; i < 3; i++) {
        move_make(&w);
        w.weights[7] = values[i];
        assert_string_equal(move_rule(&w, CONCAT, "fp32", &limits), "taken");
        assert_string_equal(move_rule(&w, CONCAT, "fp16", &limits),
                            i ? "constant.f16_range" : "taken");
        assert_string_equal(move_rule(&w, DECONV, "fp16", &limits),
                            i ? "constant.f16_range" : "taken");
    }
}

TEST(limits_of_the_device)
{
    struct device_limits limits = gpu_large_limits();
    struct move_graph w;

    move_make(&w);
    /* 9 taps of 4 inputs by 2 slices of outputs: 72 vec4; the other tensors are made smaller. */
    limits.max_storage_buffer_range = 72 * 16;
    for (int i = 0; i < w.graph.tensor_count; i++)
        if (!w.tensors[i].data && w.tensors[i].rank == 4)
            w.tensors[i].dims[0] = w.tensors[i].dims[1] = w.tensors[i].dims[2] = 1;
    w.shape[0] = w.shape[1] = w.shape[2] = 1;
    assert_string_equal(move_rule(&w, DECONV, "fp32", &limits), "taken");
    limits.max_storage_buffer_range--;
    assert_string_equal(move_rule(&w, DECONV, "fp32", &limits), "limits.constant_bytes");

    /* A height of 2^24 + 1 is not representable in f32. */
    limits = gpu_large_limits();
    limits.max_storage_buffer_range = 1u << 31;
    for (int i = 0; i < 2; i++) {
        move_make(&w);
        w.tensors[X].dims[0] = w.tensors[w.outputs[RESIZE][0]].dims[0] = 1;
        w.tensors[X].dims[1] = (1 << 24) + i;
        w.tensors[X].dims[2] = 1;
        assert_string_equal(move_rule(&w, RESIZE, "fp32", &limits),
                            i ? "resize.input_size" : "taken");
    }
}

/* Eight dims and a new axis. */
TEST(results_of_nine_dims)
{
    const struct device_limits limits = gpu_large_limits();
    struct graph_tensor *x;
    struct move_graph w;

    move_make(&w);
    x = &w.tensors[w.inputs[SLICE][0]];
    x->rank = 8;
    x->elements = 1;
    for (int d = 0; d < 8; d++)
        x->dims[d] = 1;
    w.slice = (TfLiteStridedSliceParams){ .new_axis_mask = 15 };
    assert_string_equal(move_rule(&w, SLICE, "fp32", &limits), "strided_slice.rank");
    w.slice = (TfLiteStridedSliceParams){ .new_axis_mask = 8, .ellipsis_mask = 1 };
    assert_string_equal(move_rule(&w, SLICE, "fp32", &limits), "strided_slice.rank");
}
