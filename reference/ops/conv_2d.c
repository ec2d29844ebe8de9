/* CONV_2D.  x [N,H,W,C], w [O,fh,fw,I], bias [O], y [N,OH,OW,O]; types of kernels/dot.h.
 *
 *     y[n,oy,ox,o] = act(bias[o] + sum w[o,ky,kx,i] * x[n, oy*sh - top + ky*dh,
 *                                                       ox*sw - left + kx*dw, g*I + i])
 *
 * over the taps inside the image.  C / I groups (1 is the usual case); output channel o belongs to
 * group g = o / (O / groups).
 * Meaning: tflite/kernels/internal/reference/conv.h, integer_ops/conv.h */
#include "reference/kernels/dot_block.h"

static void read_params(const struct options *options, void *params)
{
    TfLiteConvParams *p = params;

    p->padding = ref_padding(options_int(options, "padding"));
    p->stride_width = options_int(options, "stride_w");
    p->stride_height = options_int(options, "stride_h");
    p->activation = (TfLiteFusedActivation)options_int(options, "fused_activation_function");
    p->dilation_width_factor = options_int(options, "dilation_w_factor");
    p->dilation_height_factor = options_int(options, "dilation_h_factor");
    p->quantized_bias_type = tensor_type_runtime(options_int(options, "quantized_bias_type"));
}

static const struct ref_dot_inputs inputs = {
    .x = 0,
    .w = 1,
    .bias = 2,
    .channel = 0,
    .symmetric_bias = REF_TYPES_QUANTIZED,
    .missing_bias = REF_DOT_BIAS_REQUIRED,
    .blocks = true,
    .packed = true,
};

static enum status windows(const struct ref_call *call, struct diag *diag, struct ref_window *h,
                           struct ref_window *w)
{
    const TfLiteConvParams *p = call->params;

    return ref_check_windows(call, diag,
                             &(struct ref_window_params){
                                 .padding = p->padding,
                                 .filter_h = ref_dim(call->in[1], 1),
                                 .filter_w = ref_dim(call->in[1], 2),
                                 .stride_h = p->stride_height,
                                 .stride_w = p->stride_width,
                                 .dilation_h = p->dilation_height_factor,
                                 .dilation_w = p->dilation_width_factor,
                                 .step_max = REF_CONV_STEP_MAX,
                             },
                             h, w);
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteConvParams *p = call->params;
    const TfLiteTensor *x, *w;
    struct ref_window wh, ww;
    int32_t channels, depth, outputs;

    TRY(ref_dot_check_types(call, diag, &inputs, 4, 4, 4));
    TRY(ref_check_activation(call, diag, p->activation));
    TRY(ref_check_not_empty(call, diag, 0, "input", 3, "channels"));
    TRY(ref_check_not_empty(call, diag, 1, "weights", 0, "output channels"));
    TRY(ref_check_not_empty(call, diag, 1, "weights", 3, "input channels"));

    x = call->in[0];
    w = call->in[1];
    channels = ref_dim(x, 3);
    depth = ref_dim(w, 3);
    outputs = ref_dim(w, 0);
    if (channels % depth != 0)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 0 (input): %d channels, expected a multiple of the weights' %d",
                        channels, depth);
    if (outputs % (channels / depth) != 0)
        return ref_fail(
            call, diag, STATUS_INVALID,
            "input 1 (weights): %d output channels, expected a multiple of the %d groups", outputs,
            channels / depth);
    TRY(ref_dot_check_scales(call, diag, &inputs, p->activation));
    TRY(windows(call, diag, &wh, &ww));
    call->out_shape[0] =
        (struct ref_shape){ .rank = 4, .dims = { ref_dim(x, 0), wh.out, ww.out, outputs } };
    return STATUS_OK;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteConvParams *p = call->params;
    const int *xd = call->in[0]->dims->data, *wd = call->in[1]->dims->data;
    const int *yd = call->out[0]->dims->data;
    const size_t height = (size_t)xd[1], width = (size_t)xd[2], channels = (size_t)xd[3];
    const size_t filter_h = (size_t)wd[1], filter_w = (size_t)wd[2], depth = (size_t)wd[3];
    const size_t outputs = (size_t)wd[0], group_outputs = outputs / (channels / depth);
    /* Input and weights of the taps of a row lie one after the other: they are added in one run. */
    const bool whole_rows = p->dilation_width_factor == 1 && depth == channels;
    struct ref_window wh, ww;
    struct ref_dot_block block = { 0 };
    struct ref_dot dot;
    enum status s;

    TRY(windows(call, diag, &wh, &ww));
    if ((s = ref_dot_open(&dot, call, diag, &inputs, p->activation)) != STATUS_OK ||
        (s = ref_dot_block_open(&block, &dot, call, diag, filter_h * filter_w * depth)) !=
            STATUS_OK)
        goto done;
    for (size_t first = 0; first < outputs; first += block.count) {
        const size_t group = first / group_outputs, first_channel = group * depth;
        size_t at = first;

        ref_dot_block_load(&block, first, (group + 1) * group_outputs);
        for (size_t n = 0; n < (size_t)yd[0]; n++) {
            for (int oy = 0; oy < yd[1]; oy++) {
                const struct ref_taps ty = ref_taps(oy, wh.before, p->stride_height,
                                                    p->dilation_height_factor, wd[1], xd[1]);

                for (int ox = 0; ox < yd[2]; ox++) {
                    const struct ref_taps tx = ref_taps(ox, ww.before, p->stride_width,
                                                        p->dilation_width_factor, wd[2], xd[2]);
                    const double terms =
                        (double)(ty.end - ty.begin) * (tx.end - tx.begin) * (double)depth +
                        (dot.bias ? 1 : 0);
                    const int run = whole_rows ? tx.end - tx.begin : 1;

                    ref_dot_block_begin(&block);
                    for (int ky = ty.begin; ky < ty.end; ky++) {
                        const size_t iy = (size_t)(ty.first + (int64_t)(ky - ty.begin) *
                                                                  p->dilation_height_factor);

                        for (int kx = tx.begin; kx < tx.end; kx += run) {
                            const size_t ix = (size_t)(tx.first + (int64_t)(kx - tx.begin) *
                                                                      p->dilation_width_factor);

                            ref_dot_block_add(&block, ((size_t)ky * filter_w + (size_t)kx) * depth,
                                              ((n * height + iy) * width + ix) * channels +
                                                  first_channel,
                                              (size_t)run * depth);
                        }
                    }
                    ref_dot_block_store(call, &block, at, terms);
                    at += outputs;
                }
            }
        }
    }
done:
    ref_dot_block_close(&block);
    ref_dot_close(&dot);
    return s;
}

static const struct ref_op ops[] = {
    { REF_OP("conv_2d", CONV_2D, 8, OPTIONS_Conv2DOptions),
      REF_PARAMS(TfLiteConvParams, read_params), REF_RUN(prepare, eval) },
};

const struct ref_family ref_conv_2d = { ops, sizeof ops / sizeof ops[0] };
