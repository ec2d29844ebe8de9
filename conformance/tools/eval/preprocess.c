#include "conformance/tools/eval/preprocess.h"

#include "reference/base/half.h"

#include <math.h>
#include <string.h>

enum status preprocess_crop(struct image *out, const struct image *im, double share,
                            struct diag *diag)
{
    const uint32_t shorter = im->width < im->height ? im->width : im->height;
    const double wanted = round(share * shorter);
    const uint32_t side = wanted < 1 ? 1 : wanted > shorter ? shorter : (uint32_t)wanted;
    const uint32_t left = (uint32_t)round((im->width - side) / 2.0);
    const uint32_t top = (uint32_t)round((im->height - side) / 2.0);

    TRY(image_alloc(out, side, side, im->channels, diag));
    for (uint32_t y = 0; y < side; y++)
        memcpy(out->pixels + (size_t)y * side * im->channels,
               im->pixels + ((size_t)(top + y) * im->width + left) * im->channels,
               (size_t)side * im->channels);
    return STATUS_OK;
}

/* ---- TFLite's tools ---- */

/* The source of an output position: RESIZE_BILINEAR without half-pixel centres. */
struct tap {
    uint32_t low, high;
    float share; /* of high */
};

static struct tap tap_at(uint32_t i, uint32_t in, uint32_t out)
{
    const float scale = (float)in / (float)out;
    const float at = (float)i * scale;
    const uint32_t low = (uint32_t)floorf(at), high = (uint32_t)ceilf(at);

    return (struct tap){ low, high < in ? high : in - 1, at - floorf(at) };
}

static float sample(const struct image *im, struct tap y, struct tap x, uint32_t c)
{
    const uint8_t *const low = im->pixels + (size_t)y.low * im->width * im->channels;
    const uint8_t *const high = im->pixels + (size_t)y.high * im->width * im->channels;
    const size_t left = (size_t)x.low * im->channels + c, right = (size_t)x.high * im->channels + c;

    return (float)low[left] * (1 - y.share) * (1 - x.share) +
           (float)high[left] * y.share * (1 - x.share) +
           (float)low[right] * (1 - y.share) * x.share + (float)high[right] * y.share * x.share;
}

static void store(const struct eval_input *in, void *data, size_t i, float value,
                  struct pixel_scale scale)
{
    const float real = (value - (float)scale.mean) * (float)(1 / scale.std);

    switch (in->type) {
    case kTfLiteFloat32: ((float *)data)[i] = real; break;
    case kTfLiteFloat16: ((uint16_t *)data)[i] = double_to_half((double)real); break;
    case kTfLiteInt8: ((int8_t *)data)[i] = (int8_t)(value - 128); break;
    default: ((uint8_t *)data)[i] = (uint8_t)value; break;
    }
}

static void resize_floats(const struct preprocess *p, const struct image *im,
                          const struct eval_input *in, void *data)
{
    size_t i = 0;

    for (uint32_t y = 0; y < in->height; y++) {
        const struct tap row = tap_at(y, im->height, in->height);

        for (uint32_t x = 0; x < in->width; x++) {
            const struct tap column = tap_at(x, im->width, in->width);

            for (uint32_t c = 0; c < in->channels; c++)
                store(in, data, i++, sample(im, row, column, c), p->scale);
        }
    }
}

/* ---- `assay run` ---- */

static enum status fill_tensor(const struct preprocess *p, const struct image *im,
                               const struct eval_input *in, void *data, struct diag *diag)
{
    /* TfLiteIntArray ends in a flexible array: room for it and four dimensions. */
    union {
        TfLiteIntArray array;
        int words[1 + 4];
    } dims;
    TfLiteTensor t = { .type = in->type, .bytes = in->bytes };

    dims.words[0] = in->rank;
    memcpy(dims.words + 1, in->dims, sizeof in->dims);
    t.dims = &dims.array;
    t.data.raw = data;
    return tensor_from_image(&t, im, p->scale, diag);
}

enum status preprocess_image(const struct preprocess *p, const struct image *im,
                             const struct eval_input *in, void *data, struct diag *diag)
{
    struct image cropped = { 0 }, converted = { 0 };
    const struct image *from = im;
    enum status s = STATUS_OK;

    if (p->crop > 0) {
        s = preprocess_crop(&cropped, im, p->crop, diag);
        from = &cropped;
    }
    if (s == STATUS_OK && p->way == PREPROCESS_WHOLE)
        s = fill_tensor(p, from, in, data, diag);
    else if (s == STATUS_OK)
        s = image_to_channels(&converted, from, in->channels, diag);
    if (s == STATUS_OK && p->way == PREPROCESS_TFLITE)
        resize_floats(p, &converted, in, data);
    image_close(&converted);
    image_close(&cropped);
    return s;
}
