/* RESIZE_NEAREST_NEIGHBOR.  x [N,H,W,C] f32, i8, u8 or i16, size [2] i32 = OH, OW; y [N,OH,OW,C] of
 * the type, with x's scale and zero point.
 *
 * Each axis has its scale, in / out, or (in - 1) / (out - 1) with align_corners and more than one
 * output.  Output o lies at o * scale, or at (o + 0.5) * scale with half_pixel_centers, computed in
 * f32, each operation rounded; it takes the element at the integer below that, or with
 * align_corners at the nearest integer, halves away from 0.  Both flags may be set.
 *
 * A size that is not constant makes the output dynamic.
 * Meaning: tflite/kernels/internal/reference/resize_nearest_neighbor.h */
#include "reference/kernels/quantized.h"

#include <math.h>
#include <string.h>

static void read_params(const struct options *options, void *params)
{
    TfLiteResizeNearestNeighborParams *p = params;

    p->align_corners = options_int(options, "align_corners") != 0;
    p->half_pixel_centers = options_int(options, "half_pixel_centers") != 0;
}

static enum status prepare(struct ref_call *call, struct diag *diag)
{
    struct ref_shape *shape = &call->out_shape[0];

    TRY(ref_check_in_types(call, diag, 0, "input",
                           REF_TYPE(Float32) | REF_TYPES_8BIT | REF_TYPE(Int16), 4, 4));
    TRY(ref_check_in(call, diag, 1, "size", kTfLiteInt32, 1, 1));
    TRY(ref_check_out(call, diag, 0, call->in[0]->type));
    if (call->in[0]->type != kTfLiteFloat32)
        TRY(ref_check_moves(call, diag, 0, 0));
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

/* The index of the input for output o along an axis. */
static int32_t index_of(const TfLiteResizeNearestNeighborParams *p, int32_t in, int32_t out,
                        int32_t o)
{
    const float scale =
        p->align_corners && out > 1 ? (float)(in - 1) / (float)(out - 1) : (float)in / (float)out;
    const float at = ((float)o + (p->half_pixel_centers ? 0.5f : 0.0f)) * scale;
    const float whole = p->align_corners ? roundf(at) : floorf(at);

    return whole < (float)in ? (int32_t)whole : in - 1;
}

static enum status eval(struct ref_call *call, struct diag *diag)
{
    const TfLiteResizeNearestNeighborParams *p = call->params;
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

static const struct ref_op ops[] = {
    {
        .name = "resize_nearest_neighbor",
        REF_OP(RESIZE_NEAREST_NEIGHBOR),
        .max_version = 4,
        .options_tag = OPTIONS_ResizeNearestNeighborOptions,
        .params_bytes = sizeof(TfLiteResizeNearestNeighborParams),
        .read_params = read_params,
        .prepare = prepare,
        .eval = eval,
    },
};

const struct ref_family ref_resize_nearest = { ops, sizeof ops / sizeof ops[0] };
