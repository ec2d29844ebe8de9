/* AVERAGE_POOL_2D, MAX_POOL_2D, and below MaxPoolingWithArgmax2D, MaxUnpooling2D.  x [N,H,W,C], y
 * [N,OH,OW,C]; f32, or i8 and u8 with one scale for both.
 *
 * The mean or the largest of the elements of the window that lie inside the image (the mean divides
 * by their number, not by the window's area), then the fused activation, which clamps
 * infinities to the largest numbers even if it is none.  NaN is never the maximum: a window of NaNs
 * gives the lowest number.  The mean of integers is rounded, ties away from zero, without regard to
 * the zero point. Meaning: tflite/kernels/internal/reference/pooling.h */
#include "reference/kernels/quantized.h"

#include "reference/base/memory.h"

#include <math.h>
#include <string.h>

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

/* ---- MaxPoolingWithArgmax2D, MaxUnpooling2D ----
 *
 * MediaPipe's, as XNNPACK computes them, which alone in the runtime has them.  Windows do not
 * overlap.  The index of an element is ky + kx * filter height, of its row and column in the
 * window: the bits of an integer in a tensor of f32. */

static uint32_t load_bits(const TfLiteTensor *t, size_t i)
{
    uint32_t bits;

    memcpy(&bits, (const char *)t->data.raw + i * sizeof bits, sizeof bits);
    return bits;
}

static enum status check_tiles(const struct ref_call *call, struct diag *diag)
{
    const TfLitePoolParams *p = call->params;

    if (p->activation != kTfLiteActNone)
        return ref_fail(call, diag, STATUS_UNSUPPORTED, "fused activation is %d, expected 0 (NONE)",
                        (int)p->activation);
    if (p->filter_height < 1 || p->filter_width < 1 || p->filter_height != p->stride_height ||
        p->filter_width != p->stride_width ||
        (int64_t)p->filter_height * p->filter_width > INT32_MAX)
        return ref_fail(call, diag, STATUS_INVALID,
                        "filter is %dx%d, stride %dx%d, expected one size of 1 and more",
                        p->filter_height, p->filter_width, p->stride_height, p->stride_width);
    return STATUS_OK;
}

static enum status argmax_prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteTensor *const x = call->in[0];
    struct ref_window wh, ww;

    TRY(ref_check_in(call, diag, 0, "input", kTfLiteFloat32, 4, 4));
    TRY(ref_check_out(call, diag, 0, kTfLiteFloat32));
    TRY(ref_check_out(call, diag, 1, kTfLiteFloat32));
    TRY(check_tiles(call, diag));
    TRY(windows(call, diag, &wh, &ww));
    for (int o = 0; o < 2; o++)
        call->out_shape[o] =
            (struct ref_shape){ .rank = 4,
                                .dims = { ref_dim(x, 0), wh.out, ww.out, ref_dim(x, 3) } };
    return STATUS_OK;
}

/* Beyond the image a window repeats its border, of which the first place counts: row 0, where the
 * window begins before the image, has ky 0.  NaN is never larger: it is the maximum where it is the
 * first element. */
static enum status argmax_eval(struct ref_call *call, struct diag *diag)
{
    const TfLitePoolParams *p = call->params;
    const int *xd = call->in[0]->dims->data, *yd = call->out[0]->dims->data;
    const size_t width = (size_t)xd[2], channels = (size_t)xd[3];
    const size_t count = ref_elements(call->out[0]);
    struct ref_window wh, ww;

    TRY(windows(call, diag, &wh, &ww));
    for (size_t at = 0; at < count; at++) {
        const size_t c = at % channels, pixel = at / channels, row = pixel / (size_t)yd[2];
        const struct ref_taps ty = ref_taps((int32_t)(row % (size_t)yd[1]), wh.before,
                                            p->stride_height, 1, p->filter_height, xd[1]);
        const struct ref_taps tx = ref_taps((int32_t)(pixel % (size_t)yd[2]), ww.before,
                                            p->stride_width, 1, p->filter_width, xd[2]);
        const size_t first = row / (size_t)yd[1] * (size_t)xd[1] + (size_t)ty.first;
        double best = 0;
        uint32_t index = 0;

        for (int32_t kx = tx.begin; kx < tx.end; kx++) {
            for (int32_t ky = ty.begin; ky < ty.end; ky++) {
                const size_t iy = first + (size_t)(ky - ty.begin),
                             ix = (size_t)tx.first + (size_t)(kx - tx.begin);
                const double v = ref_load(call->in[0], (iy * width + ix) * channels + c);
                const bool is_first = kx == tx.begin && ky == ty.begin;

                if (!is_first && !(v > best))
                    continue;
                best = v;
                index = (uint32_t)((kx == tx.begin ? 0 : kx) * p->filter_height +
                                   (ky == ty.begin ? 0 : ky));
            }
        }
        ref_store(call, 0, at, best, fabs(best), 1);
        memcpy(call->out[1]->data.raw + at * sizeof index, &index, sizeof index);
        ref_detail_copied(call, 1, at);
    }
    return STATUS_OK;
}

static enum status unpool_prepare(struct ref_call *call, struct diag *diag)
{
    const TfLitePoolParams *p = call->params;
    const TfLiteTensor *const x = call->in[0];

    TRY(ref_check_in(call, diag, 0, "values", kTfLiteFloat32, 4, 4));
    TRY(ref_check_in(call, diag, 1, "indices", kTfLiteFloat32, 4, 4));
    TRY(ref_check_out(call, diag, 0, kTfLiteFloat32));
    TRY(check_tiles(call, diag));
    if (p->padding != kTfLitePaddingValid)
        return ref_fail(call, diag, STATUS_INVALID, "padding is %d, expected 2 (VALID)",
                        (int)p->padding);
    for (int d = 0; d < 4; d++) {
        const int64_t out = ref_dim(x, d) * (d == 1   ? (int64_t)p->filter_height
                                             : d == 2 ? (int64_t)p->filter_width
                                                      : 1);

        if (ref_dim(call->in[1], d) != ref_dim(x, d))
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (indices): dimension %d is %d, expected %d as of the values",
                            d, ref_dim(call->in[1], d), ref_dim(x, d));
        if (out > INT32_MAX)
            return ref_fail(call, diag, STATUS_INVALID,
                            "output 0: dimension %d is %lld, expected at most %d", d,
                            (long long)out, INT32_MAX);
        call->out_shape[0].dims[d] = (int32_t)out;
    }
    call->out_shape[0].rank = 4;
    return STATUS_OK;
}

/* The runtime writes outside of its memory where an index lies outside of the window. */
static enum status unpool_eval(struct ref_call *call, struct diag *diag)
{
    const TfLitePoolParams *p = call->params;
    const int *xd = call->in[0]->dims->data, *yd = call->out[0]->dims->data;
    const uint32_t fh = (uint32_t)p->filter_height, fw = (uint32_t)p->filter_width;
    const size_t channels = (size_t)xd[3];

    for (size_t i = 0; i < ref_elements(call->out[0]); i++)
        ref_store(call, 0, i, 0, 0, 1);
    for (size_t i = 0; i < ref_elements(call->in[0]); i++) {
        const size_t pixel = i / channels, row = pixel / (size_t)xd[2];
        const size_t n = row / (size_t)xd[1], iy = row % (size_t)xd[1], ix = pixel % (size_t)xd[2];
        const uint32_t index = load_bits(call->in[1], i);
        const double v = ref_load(call->in[0], i);

        if (index / fh >= fw)
            return ref_fail(call, diag, STATUS_INVALID,
                            "input 1 (indices): element %zu is %u, expected below %u", i, index,
                            fh * fw);
        ref_store(
            call, 0,
            ((n * (size_t)yd[1] + iy * fh + index % fh) * (size_t)yd[2] + ix * fw + index / fh) *
                    channels +
                i % channels,
            v, fabs(v), 1);
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    { REF_OP("average_pool_2d", AVERAGE_POOL_2D, 3, OPTIONS_Pool2DOptions),
      REF_PARAMS(TfLitePoolParams, read_params), REF_RUN(prepare, average_eval) },
    { REF_OP("max_pool_2d", MAX_POOL_2D, 3, OPTIONS_Pool2DOptions),
      REF_PARAMS(TfLitePoolParams, read_params), REF_RUN(prepare, max_eval) },
    { REF_OP("max_pooling_with_argmax_2d", MAX_POOLING_WITH_ARGMAX_2D, 1, 0),
      .params_bytes = sizeof(TfLitePoolParams), REF_RUN(argmax_prepare, argmax_eval) },
    { REF_OP("max_unpooling_2d", MAX_UNPOOLING_2D, 1, 0), .params_bytes = sizeof(TfLitePoolParams),
      REF_RUN(unpool_prepare, unpool_eval) },
};

const struct ref_family ref_pool = { ops, sizeof ops / sizeof ops[0] };
