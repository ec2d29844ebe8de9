/* Tells image formats by their signatures. */
#include "conformance/io/image_read.h"

#include "conformance/io/image_bmp.h"
#include "conformance/io/image_jpeg.h"
#include "conformance/io/image_png.h"

#include <string.h>

enum image_format image_sniff(const uint8_t *bytes, size_t count)
{
    static const uint8_t png[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };

    if (count >= sizeof png && memcmp(bytes, png, sizeof png) == 0)
        return IMAGE_PNG;
    if (count >= 3 && bytes[0] == 0xff && bytes[1] == 0xd8 && bytes[2] == 0xff)
        return IMAGE_JPEG;
    if (count >= 2 && bytes[0] == 'B' && bytes[1] == 'M')
        return IMAGE_BMP;
    return IMAGE_NONE;
}

const char *image_format_name(enum image_format format)
{
    static const char *const names[] = { "no image", "BMP", "JPEG", "PNG" };

    return names[format];
}

enum status image_read(struct image *out, const uint8_t *bytes, size_t count, struct diag *diag)
{
    *out = (struct image){ 0 };
    switch (image_sniff(bytes, count)) {
    case IMAGE_BMP: return diag_prefix(diag, image_read_bmp(out, bytes, count, diag), "BMP");
    case IMAGE_JPEG: return diag_prefix(diag, image_read_jpeg(out, bytes, count, diag), "JPEG");
    case IMAGE_PNG: return diag_prefix(diag, image_read_png(out, bytes, count, diag), "PNG");
    case IMAGE_NONE: break;
    }
    return diag_fail(diag, STATUS_INVALID, "neither BMP nor JPEG nor PNG");
}
