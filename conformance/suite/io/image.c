/* Limits, channels and sizes of images. */
#include "conformance/suite/io/image.h"

#include "reference/base/limits.h"
#include "reference/base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum status image_check(uint64_t width, uint64_t height, struct diag *diag)
{
    if (width == 0 || height == 0)
        return diag_fail(diag, STATUS_INVALID, "%llux%llu: no pixels", (unsigned long long)width,
                         (unsigned long long)height);
    if (width > IMAGE_SIDE_MAX || height > IMAGE_SIDE_MAX ||
        width * height > limit_of(LIMIT_IMAGE_PIXELS))
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "%llux%llu: at most %d a side, %llu pixels (limit image_pixels)",
                         (unsigned long long)width, (unsigned long long)height, IMAGE_SIDE_MAX,
                         (unsigned long long)limit_of(LIMIT_IMAGE_PIXELS));
    return STATUS_OK;
}

enum status image_alloc(struct image *im, uint64_t width, uint64_t height, uint32_t channels,
                        struct diag *diag)
{
    *im = (struct image){ 0 };
    TRY(image_check(width, height, diag));
    im->pixels = mem_alloc((size_t)(width * height), channels);
    if (!im->pixels)
        return diag_fail(diag, STATUS_NO_MEMORY, "%llux%llu pixels", (unsigned long long)width,
                         (unsigned long long)height);
    im->width = (uint32_t)width;
    im->height = (uint32_t)height;
    im->channels = channels;
    return STATUS_OK;
}

void image_close(struct image *im)
{
    mem_free(im->pixels);
    *im = (struct image){ 0 };
}

static void convert_pixel(const uint8_t *in, uint32_t from, uint8_t *out, uint32_t to)
{
    const bool colour = from >= 3;
    const uint8_t alpha = from == 2 ? in[1] : from == 4 ? in[3] : 255;

    if (to == 1) {
        out[0] =
            colour ? (uint8_t)((299u * in[0] + 587u * in[1] + 114u * in[2] + 500u) / 1000u) : in[0];
        return;
    }
    for (int c = 0; c < 3; c++)
        out[c] = colour ? in[c] : in[0];
    if (to == 4)
        out[3] = alpha;
}

enum status image_to_channels(struct image *out, const struct image *in, uint32_t channels,
                              struct diag *diag)
{
    const size_t count = (size_t)in->width * in->height;

    if (channels != 1 && channels != 3 && channels != 4)
        return diag_fail(diag, STATUS_UNSUPPORTED, "%u channels: an image has 1, 3 or 4", channels);
    TRY(image_alloc(out, in->width, in->height, channels, diag));
    for (size_t i = 0; i < count; i++)
        convert_pixel(in->pixels + i * in->channels, in->channels, out->pixels + i * channels,
                      channels);
    return STATUS_OK;
}

/* The source of output position i: between low and low + 1 (or low twice), at fraction. */
static void tap(uint32_t i, uint32_t in, uint32_t out, uint32_t *low, uint32_t *high,
                double *fraction)
{
    double at = ((double)i + 0.5) * in / out - 0.5;

    if (at < 0)
        at = 0;
    if (at > in - 1)
        at = in - 1;
    *low = (uint32_t)at;
    *high = *low + 1 < in ? *low + 1 : *low;
    *fraction = at - *low;
}

enum status image_resize(struct image *out, const struct image *in, uint32_t width, uint32_t height,
                         struct diag *diag)
{
    const uint32_t channels = in->channels;
    const size_t row_bytes = (size_t)in->width * channels;

    TRY(image_alloc(out, width, height, channels, diag));
    for (uint32_t y = 0; y < height; y++) {
        uint32_t y0, y1;
        double fy;

        tap(y, in->height, height, &y0, &y1, &fy);
        for (uint32_t x = 0; x < width; x++) {
            const uint8_t *const top = in->pixels + y0 * row_bytes;
            const uint8_t *const bottom = in->pixels + y1 * row_bytes;
            uint8_t *const to = out->pixels + ((size_t)y * width + x) * channels;
            uint32_t x0, x1;
            double fx;

            tap(x, in->width, width, &x0, &x1, &fx);
            for (uint32_t c = 0; c < channels; c++) {
                const uint8_t *const t = top + c, *const b = bottom + c;
                const double above =
                    t[(size_t)x0 * channels] * (1 - fx) + t[(size_t)x1 * channels] * fx;
                const double below =
                    b[(size_t)x0 * channels] * (1 - fx) + b[(size_t)x1 * channels] * fx;

                to[c] = (uint8_t)floor(above * (1 - fy) + below * fy + 0.5);
            }
        }
    }
    return STATUS_OK;
}
