/* RESIZE_BILINEAR.  x [N,H,W,C] f32, size [2] i32 = OH, OW; y [N,OH,OW,C].
 *
 * Each axis has its scale, in / out, or (in - 1) / (out - 1) with align_corners and more than one
 * output; output o lies at o * scale, or at (o + 0.5) * scale - 0.5 with half_pixel_centers.  These
 * are f32 operations, each rounded: which two cells are read depends on them.  y is the mean of the
 * four cells around, weighted by their nearness.
 *
 * A size that is no constant makes the output dynamic.
 * Meaning: tflite/kernels/internal/reference/resize_bilinear.h */
#include "reference/ref_check.h"

#include <math.h>

static void read_params(const struct options *options, void *params)
{
    TfLiteResizeBilinearParams *p = params;

    p->align_corners = options_int(options, "align_corners") != 0;
    p->half_pixel_centers = options_int(options, "half_pixel_centers") != 0;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    const TfLiteResizeBilinearParams *p = call->params;
    struct ref_shape *shape = &call->out_shape[0];
    int64_t extents[2];

    TRY(ref_check_in(call, diag, 0, "input", kTfLiteFloat32, 4, 4));
    TRY(ref_check_in(call, diag, 1, "size", kTfLiteInt32, 1, 1));
    TRY(ref_check_out(call, diag, 0, kTfLiteFloat32));
    if (p->align_corners && p->half_pixel_centers)
        return ref_fail(call, diag, STATUS_INVALID,
                        "align_corners and half_pixel_centers are both 1");
    TRY(ref_check_not_empty(call, diag, 0, "input", 1, "height"));
    TRY(ref_check_not_empty(call, diag, 0, "input", 2, "width"));
    if (ref_dim(call->in[1], 0) != 2)
        return ref_fail(call, diag, STATUS_INVALID, "input 1 (size): %d elements, expected 2",
                        ref_dim(call->in[1], 0));
    ref_same_shape(shape, call->in[0]);
    if (!ref_known(call, 1)) {
        shape->dynamic = true;
        return STATUS_OK;
    }
    TRY(ref_check_data(call, diag, 1, "size"));
    for (int i = 0; i < 2; i++) {
        extents[i] = ref_load_int(call->in[1], (size_t)i);
        if (extents[i] < 1)
            return ref_fail(call, diag, STATUS_INVALID, "input 1 (size): element %d (%s) is %d", i,
                            i == 0 ? "height" : "width", (int)extents[i]);
        shape->dims[1 + i] = (int32_t)extents[i];
    }
    return STATUS_OK;
}

/* Between which cells of an axis an output lies, and how far from the first one: below 0 in front
 * of the first cell, where both are the same. */
struct place {
    int32_t low, high;
    double t;
};

static struct place place_of(const TfLiteResizeBilinearParams *p, int32_t in, int32_t out,
                             int32_t o)
{
    const float scale =
        p->align_corners && out > 1 ? (float)(in - 1) / (float)(out - 1) : (float)in / (float)out;
    const float at = p->half_pixel_centers ? ((float)o + 0.5f) * scale - 0.5f : (float)o * scale;
    struct place place;

    /* Rounding may put the last output on cell `in`. */
    place.low = at < 0 ? 0 : at >= (float)in ? in - 1 : (int32_t)floorf(at);
    place.high = ceilf(at) >= (float)in ? in - 1 : at < 0 ? 0 : (int32_t)ceilf(at);
    place.t = (double)at - place.low; /* exact */
    return place;
}

/* max - min of the cells that an implementation reads whose coordinates are a little off. */
static double range_around(const float *x, const int *xd, size_t n, size_t c, struct place v,
                           struct place h)
{
    double low = INFINITY, high = -INFINITY;

    for (int32_t iy = v.low - 1; iy <= v.low + 2; iy++) {
        for (int32_t ix = h.low - 1; ix <= h.low + 2; ix++) {
            if (iy < 0 || iy >= xd[1] || ix < 0 || ix >= xd[2])
                continue;
            const double value =
                x[((n * (size_t)xd[1] + (size_t)iy) * (size_t)xd[2] + (size_t)ix) * (size_t)xd[3] +
                  c];
            low = fmin(low, value);
            high = fmax(high, value);
        }
    }
    return high - low;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteResizeBilinearParams *p = call->params;
    const int *xd = call->in[0]->dims->data, *yd = call->out[0]->dims->data;
    const float *x = call->in[0]->data.f;
    const size_t height = (size_t)xd[1], width = (size_t)xd[2], channels = (size_t)xd[3];
    const double side = xd[1] > xd[2] ? xd[1] : xd[2];
    size_t at = 0;

    (void)diag;
    for (size_t n = 0; n < (size_t)yd[0]; n++) {
        for (int32_t oy = 0; oy < yd[1]; oy++) {
            const struct place v = place_of(p, xd[1], yd[1], oy);

            for (int32_t ox = 0; ox < yd[2]; ox++) {
                const struct place h = place_of(p, xd[2], yd[2], ox);
                const size_t low_row = (n * height + (size_t)v.low) * width;
                const size_t high_row = (n * height + (size_t)v.high) * width;

                for (size_t c = 0; c < channels; c++) {
                    const double ll = x[(low_row + (size_t)h.low) * channels + c];
                    const double lh = x[(low_row + (size_t)h.high) * channels + c];
                    const double hl = x[(high_row + (size_t)h.low) * channels + c];
                    const double hh = x[(high_row + (size_t)h.high) * channels + c];

                    ref_store(call, 0, at++,
                              (ll * (1 - h.t) + lh * h.t) * (1 - v.t) +
                                  (hl * (1 - h.t) + hh * h.t) * v.t,
                              fmax(fmax(fabs(ll), fabs(lh)), fmax(fabs(hl), fabs(hh))),
                              side * range_around(x, xd, n, c, v, h));
                }
            }
        }
    }
    return STATUS_OK;
}

static const struct ref_op ops[] = {
    {
        .name = "resize_bilinear",
        .code = BUILTIN_RESIZE_BILINEAR,
        .max_version = 4,
        .options_tag = OPTIONS_ResizeBilinearOptions,
        .params_bytes = sizeof(TfLiteResizeBilinearParams),
        .min_inputs = 2,
        .max_inputs = 2,
        .min_outputs = 1,
        .max_outputs = 1,
        .read_params = read_params,
        .prepare = prepare,
        .eval = eval,
    },
};

const struct ref_family ref_resize = { ops, sizeof ops / sizeof ops[0] };
