/* AVERAGE_POOL_2D, MAX_POOL_2D.  x [N,H,W,C], y [N,OH,OW,C]; f32.
 *
 * The mean or the largest of the cells of the window that are inside the image (a mean is never
 * over the window's full area), then the fused activation.  A NaN is no maximum.
 * Meaning: tflite/kernels/internal/reference/pooling.h */
#include "reference/ref_check.h"

#include <math.h>

static void read_params(const struct options *options, void *params)
{
    TfLitePoolParams *p = params;

    p->padding = ref_padding(options_int(options, "padding"));
    p->stride_width = options_int(options, "stride_w");
    p->stride_height = options_int(options, "stride_h");
    p->filter_width = options_int(options, "filter_width");
    p->filter_height = options_int(options, "filter_height");
    p->activation = (TfLiteFusedActivation)options_int(options, "fused_activation_function");
}

static enum status windows(const struct ref_call *call, struct diag *diag, struct ref_window *h,
                           struct ref_window *w)
{
    const TfLitePoolParams *p = call->params;

    return ref_check_windows(call, diag,
                             &(struct ref_window_params){
                                 .padding = p->padding,
                                 .filter_h = p->filter_height,
                                 .filter_w = p->filter_width,
                                 .stride_h = p->stride_height,
                                 .stride_w = p->stride_width,
                                 .dilation_h = 1,
                                 .dilation_w = 1,
                             },
                             h, w);
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLitePoolParams *p = call->params;
    const TfLiteTensor *x;
    struct ref_window wh, ww;

    TRY(ref_check_in(call, diag, 0, "input", kTfLiteFloat32, 4, 4));
    TRY(ref_check_out(call, diag, 0, kTfLiteFloat32));
    TRY(ref_check_activation(call, diag, p->activation));
    TRY(windows(call, diag, &wh, &ww));
    x = call->in[0];
    call->out_shape[0] =
        (struct ref_shape){ .rank = 4, .dims = { ref_dim(x, 0), wh.out, ww.out, ref_dim(x, 3) } };
    return STATUS_OK;
}

/* What a window gives; its cells come in the order of rows. */
struct window_sum {
    double sum, magnitude, largest, count;
};

static enum status each_window(struct ref_call *call, struct diag *diag,
                               void (*store)(struct ref_call *call, size_t at,
                                             const struct window_sum *s))
{
    const TfLitePoolParams *p = call->params;
    const int *xd = call->in[0]->dims->data, *yd = call->out[0]->dims->data;
    const float *x = call->in[0]->data.f;
    const size_t height = (size_t)xd[1], width = (size_t)xd[2], channels = (size_t)xd[3];
    struct ref_window wh, ww;
    size_t at = 0;

    TRY(windows(call, diag, &wh, &ww));
    for (size_t n = 0; n < (size_t)yd[0]; n++) {
        for (int oy = 0; oy < yd[1]; oy++) {
            const struct ref_taps ty =
                ref_taps(oy, wh.before, p->stride_height, 1, p->filter_height, xd[1]);

            for (int ox = 0; ox < yd[2]; ox++) {
                const struct ref_taps tx =
                    ref_taps(ox, ww.before, p->stride_width, 1, p->filter_width, xd[2]);

                for (size_t c = 0; c < channels; c++) {
                    struct window_sum s = {
                        .largest = -INFINITY,
                        .count = (double)(ty.end - ty.begin) * (tx.end - tx.begin),
                    };

                    for (size_t ky = 0; ky < (size_t)(ty.end - ty.begin); ky++) {
                        for (size_t kx = 0; kx < (size_t)(tx.end - tx.begin); kx++) {
                            const size_t iy = (size_t)ty.first + ky, ix = (size_t)tx.first + kx;
                            const double v = x[((n * height + iy) * width + ix) * channels + c];

                            s.sum += v;
                            s.magnitude += fabs(v);
                            s.largest = v > s.largest ? v : s.largest;
                        }
                    }
                    store(call, at++, &s);
                }
            }
        }
    }
    return STATUS_OK;
}

static void store_average(struct ref_call *call, size_t at, const struct window_sum *s)
{
    const TfLitePoolParams *p = call->params;

    ref_store(call, 0, at, ref_activation(p->activation, s->sum / s->count),
              s->magnitude / s->count, s->count);
}

static void store_max(struct ref_call *call, size_t at, const struct window_sum *s)
{
    const TfLitePoolParams *p = call->params;
    const double y = ref_activation(p->activation, s->largest);

    ref_store(call, 0, at, y, fabs(y), 1);
}

static enum status average_eval(struct ref_call *call, struct diag *diag)
{
    return each_window(call, diag, store_average);
}

static enum status max_eval(struct ref_call *call, struct diag *diag)
{
    return each_window(call, diag, store_max);
}

static const struct ref_op ops[] = {
    {
        .name = "average_pool_2d",
        .code = BUILTIN_AVERAGE_POOL_2D,
        .max_version = 3,
        .options_tag = OPTIONS_Pool2DOptions,
        .params_bytes = sizeof(TfLitePoolParams),
        .min_inputs = 1,
        .max_inputs = 1,
        .min_outputs = 1,
        .max_outputs = 1,
        .read_params = read_params,
        .prepare = prepare,
        .eval = average_eval,
    },
    {
        .name = "max_pool_2d",
        .code = BUILTIN_MAX_POOL_2D,
        .max_version = 3,
        .options_tag = OPTIONS_Pool2DOptions,
        .params_bytes = sizeof(TfLitePoolParams),
        .min_inputs = 1,
        .max_inputs = 1,
        .min_outputs = 1,
        .max_outputs = 1,
        .read_params = read_params,
        .prepare = prepare,
        .eval = max_eval,
    },
};

const struct ref_family ref_pool = { ops, sizeof ops / sizeof ops[0] };
