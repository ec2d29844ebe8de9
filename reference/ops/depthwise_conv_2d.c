/* DEPTHWISE_CONV_2D.  x [N,H,W,C], w [1,fh,fw,C*m], bias [C*m] or none, y [N,OH,OW,C*m];
 * types of kernels/dot.h.
 *
 *     y[n,oy,ox,o] = act(bias[o] + sum w[0,ky,kx,o] * x[n, oy*sh - top + ky*dh,
 *                                                       ox*sw - left + kx*dw, o / m])
 *
 * over the taps inside the image.  m follows from the weights' shape; the option depth_multiplier
 * is ignored, as in the runtime.
 *
 * Meaning: tflite/kernels/internal/reference/depthwiseconv_float.h,
 * integer_ops/depthwise_conv.h */
/* Speed, -O3: products of whole tensors */
#include "reference/base/memory.h"
#include "reference/kernels/dot.h"

#include <math.h>

static void read_params(const struct options *options, void *params)
{
    TfLiteDepthwiseConvParams *p = params;

    p->padding = ref_padding(options_int(options, "padding"));
    p->stride_width = options_int(options, "stride_w");
    p->stride_height = options_int(options, "stride_h");
    p->depth_multiplier = options_int(options, "depth_multiplier");
    p->activation = (TfLiteFusedActivation)options_int(options, "fused_activation_function");
    p->dilation_width_factor = options_int(options, "dilation_w_factor");
    p->dilation_height_factor = options_int(options, "dilation_h_factor");
}

static const struct ref_dot_inputs inputs = {
    .x = 0,
    .w = 1,
    .bias = 2,
    .channel = 3,
    .symmetric_bias = REF_TYPES_QUANTIZED,
    .missing_bias = REF_DOT_BIAS_NOT_ABSENT,
    .wide_bias = true,
    .packed = true,
};

static enum status windows(const struct ref_call *call, struct diag *diag, struct ref_window *h,
                           struct ref_window *w)
{
    const TfLiteDepthwiseConvParams *p = call->params;

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
    const TfLiteDepthwiseConvParams *p = call->params;
    const TfLiteTensor *x, *w;
    struct ref_window wh, ww;

    TRY(ref_dot_check_types(call, diag, &inputs, 4, 4, 4));
    TRY(ref_check_activation(call, diag, p->activation));
    TRY(ref_check_not_empty(call, diag, 0, "input", 3, "channels"));
    TRY(ref_check_not_empty(call, diag, 1, "weights", 3, "output channels"));

    x = call->in[0];
    w = call->in[1];
    if (ref_dim(w, 0) != 1)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (weights): dimension 0 is %d, expected 1", ref_dim(w, 0));
    if (ref_dim(w, 3) % ref_dim(x, 3) != 0)
        return ref_fail(call, diag, STATUS_INVALID,
                        "input 1 (weights): %d channels, expected a multiple of the input's %d",
                        ref_dim(w, 3), ref_dim(x, 3));
    TRY(ref_dot_check_scales(call, diag, &inputs, p->activation));
    TRY(windows(call, diag, &wh, &ww));
    call->out_shape[0] =
        (struct ref_shape){ .rank = 4, .dims = { ref_dim(x, 0), wh.out, ww.out, ref_dim(w, 3) } };
    return STATUS_OK;
}

/* The sums of all output channels of one place. */
struct sums {
    double *sum, *magnitude; /* magnitude NULL: the caller does not want it */
};

static enum status open_sums(struct sums *sums, const struct ref_call *call, struct diag *diag,
                             size_t outputs)
{
    sums->sum = mem_alloc(outputs, sizeof *sums->sum);
    sums->magnitude = call->detail ? mem_alloc(outputs, sizeof *sums->magnitude) : NULL;
    return sums->sum && (sums->magnitude || !call->detail)
               ? STATUS_OK
               : ref_fail(call, diag, STATUS_NO_MEMORY, "no memory for the sums of a place");
}

static void begin_sums(const struct sums *sums, const double *bias, size_t outputs)
{
    for (size_t o = 0; o < outputs; o++) {
        sums->sum[o] = bias ? bias[o] : 0;
        if (sums->magnitude)
            sums->magnitude[o] = fabs(sums->sum[o]);
    }
}

/* Adds the products of one tap, x [channels], w [channels * m].  The sums of neighbouring channels
 * are added at the same time, each in the order of its own taps. */
static void add_tap(const struct sums *to, const float *w, const float *x, size_t channels,
                    size_t m)
{
    /* The usual case, for which the compiler makes a loop over several channels. */
    if (m == 1 && !to->magnitude) {
        for (size_t c = 0; c < channels; c++)
            to->sum[c] += (double)w[c] * x[c]; /* exact */
        return;
    }
    for (size_t o = 0; o < channels * m; o++) {
        const double product = (double)w[o] * x[o / m]; /* exact */

        to->sum[o] += product;
        if (to->magnitude)
            to->magnitude[o] += fabs(product);
    }
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteDepthwiseConvParams *p = call->params;
    const int *xd = call->in[0]->dims->data, *wd = call->in[1]->dims->data;
    const int *yd = call->out[0]->dims->data;
    const size_t height = (size_t)xd[1], width = (size_t)xd[2], channels = (size_t)xd[3];
    const size_t filter_w = (size_t)wd[2], outputs = (size_t)wd[3], m = outputs / channels;
    struct ref_window wh, ww;
    struct sums sums = { 0 };
    struct ref_dot dot;
    enum status s;
    size_t at = 0;

    TRY(windows(call, diag, &wh, &ww));
    if ((s = ref_dot_open(&dot, call, diag, &inputs, p->activation)) != STATUS_OK ||
        (s = open_sums(&sums, call, diag, outputs)) != STATUS_OK)
        goto done;
    for (size_t n = 0; n < (size_t)yd[0]; n++) {
        for (int oy = 0; oy < yd[1]; oy++) {
            const struct ref_taps ty =
                ref_taps(oy, wh.before, p->stride_height, p->dilation_height_factor, wd[1], xd[1]);

            for (int ox = 0; ox < yd[2]; ox++) {
                const struct ref_taps tx = ref_taps(ox, ww.before, p->stride_width,
                                                    p->dilation_width_factor, wd[2], xd[2]);
                const double terms =
                    (double)(ty.end - ty.begin) * (tx.end - tx.begin) + (dot.bias ? 1 : 0);

                begin_sums(&sums, dot.bias, outputs);
                for (int ky = ty.begin; ky < ty.end; ky++) {
                    const size_t iy =
                        (size_t)(ty.first + (int64_t)(ky - ty.begin) * p->dilation_height_factor);

                    for (int kx = tx.begin; kx < tx.end; kx++) {
                        const size_t ix = (size_t)(tx.first + (int64_t)(kx - tx.begin) *
                                                                  p->dilation_width_factor);

                        add_tap(&sums, dot.w + ((size_t)ky * filter_w + (size_t)kx) * outputs,
                                dot.x + ((n * height + iy) * width + ix) * channels, channels, m);
                    }
                }
                for (size_t o = 0; o < outputs; o++)
                    ref_dot_store(call, &dot, at++, o, sums.sum[o],
                                  sums.magnitude ? sums.magnitude[o] : 0, terms);
            }
        }
    }
done:
    mem_free(sums.sum);
    mem_free(sums.magnitude);
    ref_dot_close(&dot);
    return s;
}

static const struct ref_op ops[] = {
    { REF_OP("depthwise_conv_2d", DEPTHWISE_CONV_2D, 7, OPTIONS_DepthwiseConv2DOptions),
      REF_PARAMS(TfLiteDepthwiseConvParams, read_params), REF_RUN(prepare, eval) },
};

const struct ref_family ref_depthwise_conv_2d = { ops, sizeof ops / sizeof ops[0] };
