/* TRANSPOSE_CONV, and Convolution2DTransposeBias of MediaPipe.  output_shape [4] i32 = N, OH, OW,
 * O; w [O,fh,fw,I], x [N,H,W,I], bias [O] or absent, y [N,OH,OW,O]; the types of kernels/dot.h.
 *
 *     y[n,oy,ox,o] = act(bias[o] + sum w[o,ky,kx,i] * x[n,iy,ix,i])
 *
 * over iy * sh - top + ky = oy, ix * sw - left + kx = ox.  This is the gradient of the CONV_2D that
 * maps [OH,OW] to [H,W], with its padding; [OH,OW] has to be a size that it maps to [H,W].
 *
 * An output_shape that is not constant makes the output dynamic.
 * Meaning: tflite/kernels/internal/reference/transpose_conv.h
 *
 * Convolution2DTransposeBias has x, w, bias, all f32, and no output_shape: the size of the output
 * is the smallest that is maps to [H,W], and more by what the size in the file exceeds a multiple
 * of the stride.  Only XNNPACK has the op. */
#include "reference/kernels/dot.h"

#include <math.h>

enum { SHAPE = 0, WEIGHTS = 1 };
static const struct ref_dot_inputs of_tflite = {
    .x = 2,
    .w = WEIGHTS,
    .bias = 3,
    .symmetric_bias = REF_TYPE(Int8) | REF_TYPE(Int16),
};
static const struct ref_dot_inputs of_mediapipe = {
    .x = 0,
    .w = WEIGHTS,
    .bias = 2,
    .missing_bias = REF_DOT_BIAS_REQUIRED,
};

static const struct ref_dot_inputs *inputs_of(const struct ref_call *call)
{
    return call->op->code == BUILTIN_TRANSPOSE_CONV ? &of_tflite : &of_mediapipe;
}

/* The runtime reads no activation of the options of Convolution2DTransposeBias. */
static TfLiteFusedActivation activation_of(const struct ref_call *call)
{
    return call->op->code == BUILTIN_TRANSPOSE_CONV
               ? ((const TfLiteTransposeConvParams *)call->params)->activation
               : kTfLiteActNone;
}

static const TfLiteTensor *x_of(const struct ref_call *call)
{
    return call->in[inputs_of(call)->x];
}

static void read_params(const struct options *options, void *params)
{
    TfLiteTransposeConvParams *p = params;

    p->padding = ref_padding(options_int(options, "padding"));
    p->stride_width = options_int(options, "stride_w");
    p->stride_height = options_int(options, "stride_h");
    p->activation = (TfLiteFusedActivation)options_int(options, "fused_activation_function");
    p->quantized_bias_type = tensor_type_runtime(options_int(options, "quantized_bias_type"));
}

/* One axis: the forward convolution of the output has to give the input's size. */
static enum status check_axis(const struct ref_call *call, struct diag *diag, int d,
                              const char *axis, int32_t stride, int32_t out)
{
    const TfLiteTransposeConvParams *p = call->params;
    const int32_t filter = ref_dim(call->in[WEIGHTS], d), in = ref_dim(x_of(call), d);
    struct ref_window w;

    if (!ref_window(p->padding, out, filter, stride, 1, &w))
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 0 (output_shape): %s %d, filter %s %d does not fit", axis, out, axis,
                        filter);
    if (w.out != in)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 0 (output_shape): %s %d gives an input %s of %d, expected %d", axis,
                        out, axis, w.out, in);
    return STATUS_OK;
}

static enum status check_shape(const struct ref_call *call, struct diag *diag,
                               struct ref_shape *shape)
{
    static const char *const names[] = { "batch", "height", "width", "channels" };
    const TfLiteTransposeConvParams *p = call->params;
    const int32_t wanted[] = { ref_dim(x_of(call), 0), -1, -1, ref_dim(call->in[WEIGHTS], 0) };

    TRY(ref_check_data(call, diag, SHAPE, "output_shape"));
    shape->rank = 4;
    for (int d = 0; d < 4; d++) {
        shape->dims[d] = (int32_t)ref_load_int(call->in[SHAPE], (size_t)d);
        if (shape->dims[d] < 0 || (wanted[d] >= 0 && shape->dims[d] != wanted[d]) ||
            (wanted[d] < 0 && shape->dims[d] == 0))
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 0 (output_shape): element %d (%s) is %d, expected %d", d,
                            names[d], shape->dims[d], wanted[d] < 0 ? 1 : wanted[d]);
    }
    TRY(check_axis(call, diag, 1, names[1], p->stride_height, shape->dims[1]));
    return check_axis(call, diag, 2, names[2], p->stride_width, shape->dims[2]);
}

/* What both ops check; those of shapes first. */
static enum status check_operands(struct ref_call *call, struct diag *diag)
{
    const struct ref_dot_inputs *const in = inputs_of(call);
    const TfLiteTransposeConvParams *p = call->params;
    const TfLiteTensor *x;

    TRY(ref_dot_check_types(call, diag, in, 4, 4, 4));
    x = call->in[in->x];
    TRY(ref_check_activation(call, diag, activation_of(call)));
    TRY(ref_check_not_empty(call, diag, WEIGHTS, "weights", 0, "output channels"));
    TRY(ref_check_not_empty(call, diag, WEIGHTS, "weights", 1, "filter height"));
    TRY(ref_check_not_empty(call, diag, WEIGHTS, "weights", 2, "filter width"));
    TRY(ref_check_not_empty(call, diag, WEIGHTS, "weights", 3, "input channels"));
    if (p->padding != kTfLitePaddingSame && p->padding != kTfLitePaddingValid)
        return ref_fail(call, diag, STATUS_INVALID, "padding is neither SAME nor VALID");
    TRY(ref_check_step(call, diag, "stride", "height", p->stride_height, REF_CONV_STEP_MAX));
    TRY(ref_check_step(call, diag, "stride", "width", p->stride_width, REF_CONV_STEP_MAX));
    if (ref_dim(x, 3) != ref_dim(call->in[WEIGHTS], 3))
        return ref_fail(call, diag, STATUS_INVALID,
                        "input %d (input): %d channels, expected %d as of the weights", in->x,
                        ref_dim(x, 3), ref_dim(call->in[WEIGHTS], 3));
    return STATUS_OK;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    TRY(ref_check_in(call, diag, SHAPE, "output_shape", kTfLiteInt32, 1, 1));
    TRY(check_operands(call, diag));
    if (ref_dim(call->in[SHAPE], 0) != 4)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 0 (output_shape): %d elements, expected 4",
                        ref_dim(call->in[SHAPE], 0));
    TRY(ref_dot_check_scales(call, diag, &of_tflite, activation_of(call)));
    /* Unlike other ops it does not read the shape of a result of prepare. */
    call->out_shape[0] = (struct ref_shape){
        .dynamic = !call->late && call->in[SHAPE]->allocation_type != kTfLiteMmapRo, .rank = 4
    };
    return call->out_shape[0].dynamic ? STATUS_OK : check_shape(call, diag, &call->out_shape[0]);
}

/* The size of the output along axis d, of which `stored` is what the file or the prepare before
 * has: it tells sizes apart that a stride maps to one input. */
static enum status bias_op_size(struct ref_call *call, struct diag *diag, int d, int32_t stride,
                                int32_t stored)
{
    const TfLiteTransposeConvParams *p = call->params;
    const int64_t in = ref_dim(x_of(call), d), filter = ref_dim(call->in[WEIGHTS], d);
    const int64_t out =
        p->padding == kTfLitePaddingSame
            ? in * stride - ((int64_t)stride - stored % stride) % stride
            : (in - 1) * stride + filter + ((stored - filter) % stride + stride) % stride;

    if (in == 0 || out > INT32_MAX)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 0 (input): dimension %d is %d: the output has %lld, expected 1 to "
                        "%d",
                        d, (int)in, (long long)out, INT32_MAX);
    call->out_shape[0].dims[d] = (int32_t)out;
    return STATUS_OK;
}

static enum status prepare_bias_op(struct ref_call *call, struct diag *diag)
{
    const TfLiteTransposeConvParams *p = call->params;
    const bool has_shape = ref_rank(call->out[0]) == 4;
    static const char *const names[] = { "", "height", "width" };

    TRY(ref_check_in(call, diag, 0, "input", kTfLiteFloat32, 4, 4));
    TRY(ref_check_in(call, diag, WEIGHTS, "weights", kTfLiteFloat32, 4, 4));
    TRY(check_operands(call, diag));
    TRY(ref_dot_check_scales(call, diag, &of_mediapipe, kTfLiteActNone));
    call->out_shape[0] = (struct ref_shape){
        .rank = 4, .dims = { ref_dim(x_of(call), 0), 0, 0, ref_dim(call->in[WEIGHTS], 0) }
    };
    for (int d = 1; d <= 2; d++) {
        const int32_t stride = d == 1 ? p->stride_height : p->stride_width;

        TRY(bias_op_size(call, diag, d, stride, has_shape ? ref_dim(call->out[0], d) : 0));
        TRY(check_axis(call, diag, d, names[d], stride, call->out_shape[0].dims[d]));
    }
    return STATUS_OK;
}

/* The input index along an axis that tap k adds to output o; -1: none. */
static int64_t cell_of(int32_t o, int32_t before, int32_t k, int32_t stride, int32_t in)
{
    const int64_t at = (int64_t)o + before - k;

    return at >= 0 && at % stride == 0 && at / stride < in ? at / stride : -1;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteTransposeConvParams *p = call->params;
    const int *xd = x_of(call)->dims->data, *wd = call->in[WEIGHTS]->dims->data;
    const int *yd = call->out[0]->dims->data;
    const size_t height = (size_t)xd[1], width = (size_t)xd[2], depth = (size_t)xd[3];
    struct ref_window wh, ww;
    struct ref_dot dot;
    enum status s;
    size_t at = 0;

    if ((s = ref_dot_open(&dot, call, diag, inputs_of(call), activation_of(call))) != STATUS_OK)
        goto done;
    /* Prepare has checked that both fit. */
    ref_window(p->padding, yd[1], wd[1], p->stride_height, 1, &wh);
    ref_window(p->padding, yd[2], wd[2], p->stride_width, 1, &ww);
    for (size_t n = 0; n < (size_t)yd[0]; n++) {
        for (int oy = 0; oy < yd[1]; oy++) {
            for (int ox = 0; ox < yd[2]; ox++) {
                for (size_t o = 0; o < (size_t)yd[3]; o++) {
                    double sum = dot.bias ? dot.bias[o] : 0, magnitude = fabs(sum);
                    double terms = dot.bias ? 1 : 0;

                    for (int ky = 0; ky < wd[1]; ky++) {
                        const int64_t iy = cell_of(oy, wh.before, ky, p->stride_height, xd[1]);

                        for (int kx = 0; kx < wd[2] && iy >= 0; kx++) {
                            const int64_t ix = cell_of(ox, ww.before, kx, p->stride_width, xd[2]);
                            const float *xs, *ws;

                            if (ix < 0)
                                continue;
                            xs = dot.x + ((n * height + (size_t)iy) * width + (size_t)ix) * depth;
                            ws = dot.w +
                                 ((o * (size_t)wd[1] + (size_t)ky) * (size_t)wd[2] + (size_t)kx) *
                                     depth;
                            for (size_t i = 0; i < depth; i++) {
                                const double product = (double)ws[i] * xs[i]; /* exact */

                                sum += product;
                                magnitude += fabs(product);
                            }
                            terms += (double)depth;
                        }
                    }
                    ref_dot_store(call, &dot, at++, o, sum, magnitude, terms);
                }
            }
        }
    }
done:
    ref_dot_close(&dot);
    return s;
}

static const struct ref_op ops[] = {
    { REF_OP("transpose_conv", TRANSPOSE_CONV, 5, OPTIONS_TransposeConvOptions),
      REF_PARAMS(TfLiteTransposeConvParams, read_params), REF_RUN(prepare, eval) },
    { REF_OP("convolution_2d_transpose_bias", CONVOLUTION_2D_TRANSPOSE_BIAS, 1, 0),
      .params_bytes = sizeof(TfLiteTransposeConvParams), REF_RUN(prepare_bias_op, eval) },
};

const struct ref_family ref_transpose_conv = { ops, sizeof ops / sizeof ops[0] };
