/* BMP: uncompressed 24 and 32 bits, and 8 bits with a palette; rows from either end.
 *
 * Layout (little-endian): file header of 14 bytes ("BM", size, 4 reserved, offset of the pixels),
 * information header of 40 bytes or more, palette of B G R x, rows padded to 4 bytes.
 * Run-length coding, 1, 4 and 16 bits, the 12-byte header and odd channel masks are refused. */
#include "conformance/suite/io/image_read.h"

#include <stdbool.h>
#include <string.h>

enum { FILE_HEADER = 14, INFO_HEADER = 40, RGB = 0, BITFIELDS = 3, PALETTE_MAX = 256 };

struct bmp {
    uint32_t header_bytes, pixels_at, width, height, bits, compression;
    bool top_down, has_alpha;
    uint32_t colours; /* of the palette */
    const uint8_t *palette;
    const uint8_t *bytes;
    size_t count;
};

static uint32_t u16(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t u32(const uint8_t *p)
{
    return u16(p) | u16(p + 2) << 16;
}

static enum status read_header(struct bmp *b, struct diag *diag)
{
    const uint8_t *const info = b->bytes + FILE_HEADER;
    uint32_t height;

    if (b->count < FILE_HEADER + INFO_HEADER)
        return diag_fail(diag, STATUS_INVALID, "%zu bytes, the headers alone are %d", b->count,
                         FILE_HEADER + INFO_HEADER);
    b->pixels_at = u32(b->bytes + 10);
    b->header_bytes = u32(info);
    if (b->header_bytes < INFO_HEADER || b->header_bytes > 124)
        return diag_fail(diag, STATUS_UNSUPPORTED, "header of %u bytes, expected 40 to 124",
                         b->header_bytes);
    b->width = u32(info + 4);
    height = u32(info + 8);
    b->top_down = height > INT32_MAX;
    b->height = b->top_down ? 0u - height : height;
    if (u16(info + 12) != 1)
        return diag_fail(diag, STATUS_INVALID, "%u planes, expected 1", u16(info + 12));
    b->bits = u16(info + 14);
    b->compression = u32(info + 16);
    b->colours = u32(info + 32);
    if (b->bits != 8 && b->bits != 24 && b->bits != 32)
        return diag_fail(diag, STATUS_UNSUPPORTED, "%u bits a pixel, expected 8, 24 or 32",
                         b->bits);
    if (b->compression != RGB && !(b->compression == BITFIELDS && b->bits == 32))
        return diag_fail(diag, STATUS_UNSUPPORTED, "compression %u at %u bits, expected none",
                         b->compression, b->bits);
    return STATUS_OK;
}

/* Only the usual order of 8-bit channels. */
static enum status read_masks(struct bmp *b, struct diag *diag)
{
    const uint8_t *const masks = b->bytes + FILE_HEADER + INFO_HEADER;

    if (b->compression != BITFIELDS)
        return STATUS_OK;
    if (b->count < FILE_HEADER + INFO_HEADER + 12 || b->pixels_at < FILE_HEADER + INFO_HEADER + 12)
        return diag_fail(diag, STATUS_INVALID, "no room for the channel masks");
    if (u32(masks) != 0xff0000 || u32(masks + 4) != 0xff00 || u32(masks + 8) != 0xff)
        return diag_fail(diag, STATUS_UNSUPPORTED,
                         "channel masks %08x %08x %08x, expected 00ff0000 0000ff00 000000ff",
                         u32(masks), u32(masks + 4), u32(masks + 8));
    /* From 56 bytes on the header has an alpha mask. */
    b->has_alpha = b->header_bytes >= INFO_HEADER + 16 &&
                   b->count >= FILE_HEADER + INFO_HEADER + 16 && u32(masks + 12) == 0xff000000;
    return STATUS_OK;
}

static enum status read_palette(struct bmp *b, struct diag *diag)
{
    const size_t at = FILE_HEADER + (size_t)b->header_bytes;

    if (b->bits != 8)
        return STATUS_OK;
    if (b->colours == 0)
        b->colours = PALETTE_MAX;
    if (b->colours > PALETTE_MAX)
        return diag_fail(diag, STATUS_INVALID, "palette of %u colours, at most 256", b->colours);
    if (at + 4 * (size_t)b->colours > b->count || b->pixels_at < at + 4 * (size_t)b->colours)
        return diag_fail(diag, STATUS_INVALID,
                         "palette of %u colours at byte %zu: pixels begin at %u, the file has %zu "
                         "bytes",
                         b->colours, at, b->pixels_at, b->count);
    b->palette = b->bytes + at;
    return STATUS_OK;
}

static bool palette_is_grey(const struct bmp *b)
{
    for (uint32_t i = 0; i < b->colours; i++) {
        const uint8_t *const c = b->palette + 4 * (size_t)i;

        if (c[0] != c[1] || c[1] != c[2])
            return false;
    }
    return true;
}

static uint32_t channels(const struct bmp *b)
{
    if (b->bits == 8)
        return palette_is_grey(b) ? 1 : 3;
    return b->has_alpha ? 4 : 3;
}

static enum status read_row(const struct bmp *b, const uint8_t *row, uint32_t y, struct image *im,
                            struct diag *diag)
{
    uint8_t *to = im->pixels + (size_t)y * im->width * im->channels;

    for (uint32_t x = 0; x < im->width; x++, to += im->channels) {
        const uint8_t *from = row + (size_t)x * (b->bits / 8);

        if (b->palette) {
            if (*from >= b->colours)
                return diag_fail(diag, STATUS_INVALID, "pixel %u, %u: colour %u of a palette of %u",
                                 x, y, *from, b->colours);
            from = b->palette + 4 * (size_t)*from;
        }
        if (im->channels == 1) {
            to[0] = from[0];
            continue;
        }
        to[0] = from[2];
        to[1] = from[1];
        to[2] = from[0];
        if (im->channels == 4)
            to[3] = from[3];
    }
    return STATUS_OK;
}

enum status image_read_bmp(struct image *out, const uint8_t *bytes, size_t count, struct diag *diag)
{
    struct bmp b = { .bytes = bytes, .count = count };
    uint64_t stride, needed;
    enum status s;

    TRY(read_header(&b, diag));
    TRY(read_masks(&b, diag));
    TRY(read_palette(&b, diag));
    if (b.pixels_at < FILE_HEADER + b.header_bytes)
        return diag_fail(diag, STATUS_INVALID, "pixels at byte %u, inside the headers (%u bytes)",
                         b.pixels_at, FILE_HEADER + b.header_bytes);
    stride = ((uint64_t)b.width * b.bits + 31) / 32 * 4;
    if (b.width <= IMAGE_SIDE_MAX && b.height <= IMAGE_SIDE_MAX) {
        needed = b.pixels_at + stride * b.height;
        if (needed > count)
            return diag_fail(diag, STATUS_INVALID, "%ux%u at %u bits ends at byte %llu of %zu",
                             b.width, b.height, b.bits, (unsigned long long)needed, count);
    }
    TRY(image_alloc(out, b.width, b.height, channels(&b), diag));
    for (uint32_t y = 0; y < b.height; y++) {
        const uint32_t stored = b.top_down ? y : b.height - 1 - y;

        if ((s = read_row(&b, bytes + b.pixels_at + stride * stored, y, out, diag)) != STATUS_OK) {
            image_close(out);
            return s;
        }
    }
    return STATUS_OK;
}
