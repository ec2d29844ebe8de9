/* AVERAGE_POOL_2D, MAX_POOL_2D.  x [N,H,W,C], y [N,OH,OW,C]; f32, or i8 and u8 with one scale for
 * both.
 *
 * The mean or the largest of the elements of the window that lie inside the image (the mean divides
 * by their number, not by the window's area), then the fused activation, which clamps
 * infinities to the largest numbers even if it is none.  NaN is never the maximum: a window of NaNs
 * gives the lowest number.  The mean of integers is rounded, ties away from zero, without regard to
 * the zero point. Meaning: tflite/kernels/internal/reference/pooling.h */
#include "reference/kernels/quantized.h"

#include "reference/base/memory.h"

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

    TRY(ref_check_in_types(call, diag, 0, "input", REF_TYPE(Float32) | REF_TYPES_QUANTIZED, 4, 4));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    TRY(ref_check_activation(call, diag, p->activation));
    if (ref_is_steps(call->in[0]->type)) {
        struct fixed_range range;

        TRY(ref_check_scale_in(call, diag, 0, "input"));
        TRY(ref_check_moves(call, diag, 0, 0));
        TRY(ref_check_range(call, diag, 0, p->activation, &range));
    }
    TRY(windows(call, diag, &wh, &ww));
    x = call->in[0];
    call->out_shape[0] =
        (struct ref_shape){ .rank = 4, .dims = { ref_dim(x, 0), wh.out, ww.out, ref_dim(x, 3) } };
    return STATUS_OK;
}

/* Sums over one window, row by row. */
struct window_sum {
    double sum, magnitude, largest, count;
};

typedef void store_function(struct ref_call *call, size_t at, const struct window_sum *s,
                            struct fixed_range range);

/* Calls store for each output.  x: the input's elements; integers with their zero point. */
static enum status each_window(struct ref_call *call, struct diag *diag, const float *x,
                               store_function *store)
{
    const TfLitePoolParams *p = call->params;
    const int *xd = call->in[0]->dims->data, *yd = call->out[0]->dims->data;
    const size_t height = (size_t)xd[1], width = (size_t)xd[2], channels = (size_t)xd[3];
    struct fixed_range range = { 0 };
    struct ref_window wh, ww;
    size_t at = 0;

    TRY(windows(call, diag, &wh, &ww));
    if (ref_is_steps(call->in[0]->type))
        TRY(ref_check_range(call, diag, 0, p->activation, &range));
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
                    store(call, at++, &s, range);
                }
            }
        }
    }
    return STATUS_OK;
}

/* Sums of integers are exact in double. */
static void store_average(struct ref_call *call, size_t at, const struct window_sum *s,
                          struct fixed_range range)
{
    const TfLitePoolParams *p = call->params;

    if (ref_is_steps(call->out[0]->type)) {
        const int64_t sum = (int64_t)s->sum, count = (int64_t)s->count, half = count / 2;

        ref_store_quant(call, 0, at, range, (sum >= 0 ? sum + half : sum - half) / count,
                        s->sum / s->count, s->magnitude / s->count, s->count);
        return;
    }
    ref_store_fused(call, 0, at, p->activation, s->sum / s->count, s->magnitude / s->count,
                    s->count);
}

static void store_max(struct ref_call *call, size_t at, const struct window_sum *s,
                      struct fixed_range range)
{
    const TfLitePoolParams *p = call->params;

    if (ref_is_steps(call->out[0]->type))
        ref_store_int(call, 0, at, fixed_clamp((int64_t)s->largest, range));
    else
        ref_store_fused(call, 0, at, p->activation, s->largest,
                        fabs(ref_activation(p->activation, s->largest)), 1);
}

static enum status pool(struct ref_call *call, struct diag *diag, store_function *store)
{
    const TfLiteTensor *const x = call->in[0];
    enum status s;
    float *values;

    if (!ref_is_steps(x->type))
        return each_window(call, diag, x->data.f, store);
    values = ref_floats_of(x, 0);
    if (!values)
        return ref_fail(call, diag, STATUS_NO_MEMORY, "no memory for the input's values");
    s = each_window(call, diag, values, store);
    mem_free(values);
    return s;
}

static enum status average_eval(struct ref_call *call, struct diag *diag)
{
    return pool(call, diag, store_average);
}

static enum status max_eval(struct ref_call *call, struct diag *diag)
{
    return pool(call, diag, store_max);
}

static const struct ref_op ops[] = {
    {
        .name = "average_pool_2d",
        REF_OP(AVERAGE_POOL_2D),
        .max_version = 3,
        .options_tag = OPTIONS_Pool2DOptions,
        .params_bytes = sizeof(TfLitePoolParams),
        .read_params = read_params,
        .prepare = prepare,
        .eval = average_eval,
    },
    {
        .name = "max_pool_2d",
        REF_OP(MAX_POOL_2D),
        .max_version = 3,
        .options_tag = OPTIONS_Pool2DOptions,
        .params_bytes = sizeof(TfLitePoolParams),
        .read_params = read_params,
        .prepare = prepare,
        .eval = max_eval,
    },
};

const struct ref_family ref_pool = { ops, sizeof ops / sizeof ops[0] };
