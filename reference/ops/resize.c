/* RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR.  x [N,H,W,C] f32, i8, u8 or i16, size [2] i32 = OH,
 * OW; y [N,OH,OW,C] of the type, with x's scale and zero point.
 *
 * Each axis has its scale, in / out, or (in - 1) / (out - 1) with align_corners and more than one
 * output.  Coordinates are f32 operations, each rounded: they decide which elements are read.
 *
 * Bilinear: output o lies at o * scale, or at (o + 0.5) * scale - 0.5 with half_pixel_centers; not
 * both flags.  y is the mean of the four neighbours, weighted bilinearly.  u8 is computed
 * by the same formula in f32, every operation rounded, and then to the nearest integer; i8 has
 * coordinates in units of 1/1024, and a scale that is a whole number of them.
 *
 * Nearest: output o lies at o * scale, or at (o + 0.5) * scale with half_pixel_centers; it takes
 * the element at the integer below that, or with align_corners at the nearest integer, halves away
 * from 0.  Both flags may be set.
 *
 * A size that is not constant makes the output dynamic.
 * Meaning: tflite/kernels/internal/reference/resize_bilinear.h, resize_nearest_neighbor.h */
#include "reference/kernels/quantized.h"

#include "reference/base/memory.h"

#include <math.h>
#include <string.h>

/* Both ops have one struct of parameters in two names. */
_Static_assert(sizeof(TfLiteResizeBilinearParams) == sizeof(TfLiteResizeNearestNeighborParams),
               "resize");

static void read_params(const struct options *options, void *params)
{
    TfLiteResizeBilinearParams *p = params;

    p->align_corners = options_int(options, "align_corners") != 0;
    p->half_pixel_centers = options_int(options, "half_pixel_centers") != 0;
}

/* The shape of the output, once types were checked. */
static enum status prepare_size(struct ref_call *call, struct diag *diag)
{
    struct ref_shape *shape = &call->out_shape[0];

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
        const int64_t extent = ref_load_int(call->in[1], (size_t)i);

        if (extent < 1)
            return ref_fail(call, diag, STATUS_INVALID, "input 1 (size): element %d (%s) is %d", i,
                            i == 0 ? "height" : "width", (int)extent);
        shape->dims[1 + i] = (int32_t)extent;
    }
    return STATUS_OK;
}

static float scale_of(const TfLiteResizeBilinearParams *p, int32_t in, int32_t out)
{
    return p->align_corners && out > 1 ? (float)(in - 1) / (float)(out - 1)
                                       : (float)in / (float)out;
}

/* ---- bilinear ---- */

static enum status prepare_bilinear(struct ref_call *call, struct diag *diag)
{
    const TfLiteResizeBilinearParams *p = call->params;

    TRY(ref_check_in_types(call, diag, 0, "input", REF_TYPE(Float32) | REF_TYPES_QUANTIZED, 4, 4));
    TRY(ref_check_in(call, diag, 1, "size", kTfLiteInt32, 1, 1));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    if (ref_is_steps(call->in[0]->type))
        TRY(ref_check_moves(call, diag, 0, 0));
    if (p->align_corners && p->half_pixel_centers)
        return ref_fail(call, diag, STATUS_INVALID,
                        "align_corners and half_pixel_centers are both 1");
    return prepare_size(call, diag);
}

/* The two neighbours of an output along an axis, and its distance from the first one; negative
 * before the first element, where both neighbours are the same. */
struct place {
    int32_t low, high;
    double t;
};

static struct place place_of(const TfLiteResizeBilinearParams *p, int32_t in, int32_t out,
                             int32_t o)
{
    const float scale = scale_of(p, in, out);
    const float at = p->half_pixel_centers ? ((float)o + 0.5f) * scale - 0.5f : (float)o * scale;
    struct place place;

    /* Rounding may put the last output on index `in`. */
    place.low = at < 0 ? 0 : at >= (float)in ? in - 1 : (int32_t)floorf(at);
    place.high = ceilf(at) >= (float)in ? in - 1 : at < 0 ? 0 : (int32_t)ceilf(at);
    place.t = (double)at - place.low; /* exact */
    return place;
}

/* max - min over the 4x4 neighbourhood: an implementation whose coordinates differ in the last bit
 * reads elements of it. */
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

/* place_of in units of 1/1024, as the runtime's i8 kernel computes it. */
static struct place fixed_place_of(const TfLiteResizeBilinearParams *p, int32_t in, int32_t out,
                                   int32_t o)
{
    const int64_t unit = 1024;
    const int64_t scale = p->align_corners && out > 1
                              ? (unit * (in - 1) + (out - 1) / 2) / (out - 1)
                              : (unit * in + out / 2) / out;
    const int64_t at = o * scale + (p->half_pixel_centers ? scale / 2 - unit / 2 : 0);
    const int64_t low = at / unit > 0 ? at / unit : 0, high = (at + unit - 1) / unit;
    struct place place;

    /* The rounded scale may put the last outputs behind the last element. */
    place.low = (int32_t)(low < in ? low : in - 1);
    place.high = (int32_t)(high < in ? high : in - 1);
    place.t = (double)(at - unit * low);
    return place;
}

/* The four neighbours of an output; the first letter is the row, low or high. */
struct corners {
    double ll, lh, hl, hh;
};

static int32_t blend_u8(const struct corners *k, struct place v, struct place h)
{
    const float tv = (float)v.t, th = (float)h.t;
    const float sum = (float)k->ll * (1 - tv) * (1 - th) + (float)k->hl * tv * (1 - th) +
                      (float)k->lh * (1 - tv) * th + (float)k->hh * tv * th;

    return (int32_t)floorf(sum + 0.5f);
}

/* Exact in double: elements have 8 bits, and weights 10 each. */
static int32_t blend_i8(const struct corners *k, struct place v, struct place h)
{
    const int64_t sum = (int64_t)((k->ll * (1024 - v.t) + k->hl * v.t) * (1024 - h.t) +
                                  (k->lh * (1024 - v.t) + k->hh * v.t) * h.t);

    return (int32_t)((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
}

static struct corners corners_of(const float *x, const int *xd, size_t n, size_t c, struct place v,
                                 struct place h)
{
    const size_t height = (size_t)xd[1], width = (size_t)xd[2], channels = (size_t)xd[3];
    const float *const low = x + (n * height + (size_t)v.low) * width * channels + c;
    const float *const high = x + (n * height + (size_t)v.high) * width * channels + c;

    return (struct corners){
        .ll = low[(size_t)h.low * channels],
        .lh = low[(size_t)h.high * channels],
        .hl = high[(size_t)h.low * channels],
        .hh = high[(size_t)h.high * channels],
    };
}

/* The place of an output, in f32 and in fixed point. */
struct site {
    struct place v, h, fixed_v, fixed_h;
};

static void eval_one(struct ref_call *call, const float *x, const struct site *s, size_t at,
                     size_t n, size_t c)
{
    const TfLiteType type = call->in[0]->type;
    const int *xd = call->in[0]->dims->data;
    const struct place v = s->v, h = s->h;
    const struct corners k = corners_of(x, xd, n, c, v, h);
    const double value =
        (k.ll * (1 - h.t) + k.lh * h.t) * (1 - v.t) + (k.hl * (1 - h.t) + k.hh * h.t) * v.t;
    const double largest = fmax(fmax(fabs(k.ll), fabs(k.lh)), fmax(fabs(k.hl), fabs(k.hh)));
    const double terms = (xd[1] > xd[2] ? xd[1] : xd[2]) * range_around(x, xd, n, c, v, h);
    struct corners fixed;

    if (type == kTfLiteFloat32) {
        ref_store(call, 0, at, value, largest, terms);
    } else if (type == kTfLiteUInt8) {
        ref_store_quant(call, 0, at, ref_type_range(type), blend_u8(&k, v, h), value, largest,
                        terms);
    } else {
        fixed = corners_of(x, xd, n, c, s->fixed_v, s->fixed_h);
        ref_store_quant(call, 0, at, ref_type_range(type), blend_i8(&fixed, s->fixed_v, s->fixed_h),
                        value, largest, terms);
    }
}

static enum status eval_bilinear(struct ref_call *call, struct diag *diag)
{
    const TfLiteResizeBilinearParams *p = call->params;
    const int *xd = call->in[0]->dims->data, *yd = call->out[0]->dims->data;
    const bool integers = ref_is_steps(call->in[0]->type);
    float *const owned = integers ? ref_floats_of(call->in[0], 0) : NULL;
    const float *const x = integers ? owned : call->in[0]->data.f;
    size_t at = 0;

    if (integers && !owned)
        return ref_fail(call, diag, STATUS_NO_MEMORY, "no memory for the input's values");
    for (size_t n = 0; n < (size_t)yd[0]; n++) {
        for (int32_t oy = 0; oy < yd[1]; oy++) {
            struct site s = { .v = place_of(p, xd[1], yd[1], oy),
                              .fixed_v = fixed_place_of(p, xd[1], yd[1], oy) };

            for (int32_t ox = 0; ox < yd[2]; ox++) {
                s.h = place_of(p, xd[2], yd[2], ox);
                s.fixed_h = fixed_place_of(p, xd[2], yd[2], ox);
                for (size_t c = 0; c < (size_t)xd[3]; c++)
                    eval_one(call, x, &s, at++, n, c);
            }
        }
    }
    mem_free(owned);
    return STATUS_OK;
}

/* ---- nearest ---- */

static enum status prepare_nearest(struct ref_call *call, struct diag *diag)
{
    TRY(ref_check_in_types(call, diag, 0, "input",
                           REF_TYPE(Float32) | REF_TYPES_8BIT | REF_TYPE(Int16), 4, 4));
    TRY(ref_check_in(call, diag, 1, "size", kTfLiteInt32, 1, 1));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    if (call->in[0]->type != kTfLiteFloat32)
        TRY(ref_check_moves(call, diag, 0, 0));
    return prepare_size(call, diag);
}

/* The index of the input for output o along an axis. */
static int32_t index_of(const TfLiteResizeBilinearParams *p, int32_t in, int32_t out, int32_t o)
{
    const float at = ((float)o + (p->half_pixel_centers ? 0.5f : 0.0f)) * scale_of(p, in, out);
    const float whole = p->align_corners ? roundf(at) : floorf(at);

    return whole < (float)in ? (int32_t)whole : in - 1;
}

static enum status eval_nearest(struct ref_call *call, struct diag *diag)
{
    const TfLiteResizeBilinearParams *p = call->params;
    const TfLiteTensor *x = call->in[0], *y = call->out[0];
    const int *xd = x->dims->data, *yd = y->dims->data;
    const size_t pixel = (size_t)xd[3] * (runtime_type_bits(x->type) / 8);
    size_t at = 0;

    (void)diag;
    for (int n = 0; n < yd[0] && pixel > 0; n++) {
        for (int32_t oy = 0; oy < yd[1]; oy++) {
            const size_t row = (size_t)n * (size_t)xd[1] + (size_t)index_of(p, xd[1], yd[1], oy);

            for (int32_t ox = 0; ox < yd[2]; ox++) {
                const size_t from = row * (size_t)xd[2] + (size_t)index_of(p, xd[2], yd[2], ox);

                memcpy(y->data.raw + at++ * pixel, x->data.raw_const + from * pixel, pixel);
            }
        }
    }
    for (size_t i = 0; i < ref_elements(y); i++)
        ref_detail_copied(call, 0, i);
    return STATUS_OK;
}

#define MEMBER(name_, code_, tag, member)                                                          \
    {                                                                                              \
        REF_OP(name_, code_, 4, tag), REF_PARAMS(TfLiteResizeBilinearParams, read_params),         \
            REF_RUN(prepare_##member, eval_##member)                                               \
    }

static const struct ref_op ops[] = {
    MEMBER("resize_bilinear", RESIZE_BILINEAR, OPTIONS_ResizeBilinearOptions, bilinear),
    MEMBER("resize_nearest_neighbor", RESIZE_NEAREST_NEIGHBOR, OPTIONS_ResizeNearestNeighborOptions,
           nearest),
};

const struct ref_family ref_resize = { ops, sizeof ops / sizeof ops[0] };
