/* Images: each format's kinds, what is refused and why, truncated and damaged files, resizing. */
/* Wrap: png_get_rowbytes */
#include "reference/tests/kit/sanitized.h"
#include "reference/tests/kit/test.h"

#include "conformance/suite/io/image.h"
#include "conformance/suite/io/image_read.h"
#include "reference/base/limits.h"
#include "reference/base/memory.h"

#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <png.h>

struct bytes {
    uint8_t *data;
    size_t count;
};

/* libpng's bytes of a row, and more where a test says so. */
static size_t more_rowbytes;
size_t __real_png_get_rowbytes(png_const_structrp png, png_const_inforp info);
size_t __wrap_png_get_rowbytes(png_const_structrp png, png_const_inforp info);
size_t __wrap_png_get_rowbytes(png_const_structrp png, png_const_inforp info)
{
    return __real_png_get_rowbytes(png, info) + more_rowbytes;
}

/* ---- making files ---- */

static void put16(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static void put32(uint8_t *p, uint32_t v)
{
    put16(p, v);
    put16(p + 2, v >> 16);
}

enum { PIXELS_AT = 14 + 40 + 16 + 1024 };

/* Pixel bytes of row y of the file are 16 * y + 0, 1, 2, ... */
static struct bytes make_bmp(int32_t width, int32_t height, uint32_t bits)
{
    const uint32_t rows = (uint32_t)(height < 0 ? -height : height);
    const uint32_t stride = ((uint32_t)width * bits + 31) / 32 * 4;
    struct bytes b = { NULL, PIXELS_AT + stride * rows };

    b.data = calloc(b.count, 1);
    memcpy(b.data, "BM", 2);
    put32(b.data + 2, (uint32_t)b.count);
    put32(b.data + 10, PIXELS_AT);
    put32(b.data + 14, 40);
    put32(b.data + 18, (uint32_t)width);
    put32(b.data + 22, (uint32_t)height);
    put16(b.data + 26, 1);
    put16(b.data + 28, bits);
    for (uint32_t i = 0; i < 256; i++) { /* palette: B = i, G = 2 i, R = 3 i */
        b.data[54 + 4 * i] = (uint8_t)i;
        b.data[55 + 4 * i] = (uint8_t)(2 * i);
        b.data[56 + 4 * i] = (uint8_t)(3 * i);
    }
    for (uint32_t y = 0; y < rows; y++) {
        for (uint32_t x = 0; x < stride; x++)
            b.data[PIXELS_AT + y * stride + x] = (uint8_t)(16 * y + x);
    }
    return b;
}

/* Of 4 channels CMYK, which a progressive file stores as YCCK. */
static struct bytes make_jpeg(uint32_t width, uint32_t height, int channels, bool progressive)
{
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    struct bytes b = { NULL, 0 };
    unsigned long count = 0;
    uint8_t row[3 * 64];
    JSAMPROW rows = row;

    c.err = jpeg_std_error(&errors);
    jpeg_create_compress(&c);
    jpeg_mem_dest(&c, &b.data, &count);
    c.image_width = width;
    c.image_height = height;
    c.input_components = channels;
    c.in_color_space = channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_set_defaults(&c);
    jpeg_set_quality(&c, 95, TRUE);
    if (progressive && channels == 4)
        jpeg_set_colorspace(&c, JCS_YCCK);
    if (progressive)
        jpeg_simple_progression(&c);
    jpeg_start_compress(&c, TRUE);
    memset(row, 200, sizeof row);
    for (uint32_t y = 0; y < height; y++)
        jpeg_write_scanlines(&c, &rows, 1);
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    b.count = count;
    return b;
}

static void append(png_structp png, png_bytep data, size_t count)
{
    struct bytes *const b = png_get_io_ptr(png);

    b->data = realloc(b->data, b->count + count);
    memcpy(b->data + b->count, data, count);
    b->count += count;
}

/* Rows of bytes 0x11, 0x22, ... */
static struct bytes make_png(uint32_t width, uint32_t height, int depth, int kind, bool transparent,
                             bool interlaced)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    struct bytes b = { NULL, 0 };
    const png_color palette[4] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 }, { 10, 11, 12 } };
    const png_byte alpha[2] = { 0, 128 };
    uint8_t row[64];

    png_set_write_fn(png, &b, append, NULL);
    png_set_IHDR(png, info, width, height, depth, kind,
                 interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE,
                 PNG_FILTER_TYPE_BASE);
    if (kind == PNG_COLOR_TYPE_PALETTE)
        png_set_PLTE(png, info, palette, 4);
    if (transparent)
        png_set_tRNS(png, info, alpha, 2, NULL);
    png_write_info(png, info);
    for (size_t i = 0; i < sizeof row; i++)
        row[i] = (uint8_t)(0x11 * (i + 1));
    if (kind == PNG_COLOR_TYPE_PALETTE)
        row[0] = 0x1b; /* colours 0 1 2 3 at two bits */
    for (int pass = interlaced ? png_set_interlace_handling(png) : 1; pass > 0; pass--) {
        for (uint32_t y = 0; y < height; y++)
            png_write_row(png, row);
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return b;
}

/* ---- expectations ---- */

/* Reads from a block of the exact size, so that a sanitizer sees an overread. */
static enum status read_exact(struct image *im, const uint8_t *data, size_t count,
                              struct diag *diag)
{
    uint8_t *copy CLOSED_BY(kit_free) = malloc(count ? count : 1);
    enum status s;

    memcpy(copy, data, count);
    s = image_read(im, copy, count, diag);
    return s;
}

static void expect(const struct bytes *b, uint32_t width, uint32_t height, uint32_t channels,
                   const uint8_t *pixels)
{
    struct image im CLOSED_BY(image_close);

    KIT_OK(read_exact(&im, b->data, b->count, &err));
    assert_int_equal(im.width, width);
    assert_int_equal(im.height, height);
    assert_int_equal(im.channels, channels);
    if (pixels)
        assert_memory_equal(im.pixels, pixels, (size_t)width * height * channels);
}

static void expect_refusal(const struct bytes *b, enum status status, const char *text)
{
    struct diag diag = { .status = STATUS_OK };
    struct image im;

    assert_int_equal(read_exact(&im, b->data, b->count, &diag), status);
    assert_string_equal(diag.text, text);
    assert_null(im.pixels);
}

/* ---- BMP ---- */

TEST(bmp_kinds)
{
    static const uint8_t top[] = { 2, 1, 0, 5, 4, 3, 18, 17, 16, 21, 20, 19 };
    static const uint8_t bottom[] = { 18, 17, 16, 21, 20, 19, 2, 1, 0, 5, 4, 3 };
    static const uint8_t wide[] = { 2, 1, 0, 6, 5, 4 };
    static const uint8_t wide_alpha[] = { 2, 1, 0, 3, 6, 5, 4, 7 };
    static const uint8_t looked_up[] = { 0, 0, 0, 3, 2, 1, 6, 4, 2 };
    static const uint8_t grey[] = { 0, 1, 2 };
    static const uint8_t blue[] = { 0, 0, 0, 1, 1, 9, 2, 2, 2 };
    static const uint8_t red[] = { 0, 0, 0, 9, 1, 1, 2, 2, 2 };
    struct bytes b;

    b = make_bmp(2, -2, 24);
    expect(&b, 2, 2, 3, top);
    free(b.data);
    b = make_bmp(2, 2, 24);
    expect(&b, 2, 2, 3, bottom);
    free(b.data);
    b = make_bmp(2, 1, 32);
    expect(&b, 2, 1, 3, wide);
    put32(b.data + 14, 56); /* channel masks, with alpha */
    put32(b.data + 30, 3);
    put32(b.data + 54, 0xff0000);
    put32(b.data + 58, 0xff00);
    put32(b.data + 62, 0xff);
    put32(b.data + 66, 0xff000000);
    expect(&b, 2, 1, 4, wide_alpha);
    put32(b.data + 66, 0);
    expect(&b, 2, 1, 3, wide);
    free(b.data);
    b = make_bmp(3, 1, 8);
    expect(&b, 3, 1, 3, looked_up);
    for (int i = 0; i < 256; i++)
        memset(b.data + 54 + 4 * i, i, 3);
    expect(&b, 3, 1, 1, grey);
    b.data[54 + 4] = 9; /* one blue differs, then one red */
    expect(&b, 3, 1, 3, blue);
    b.data[54 + 4] = 1;
    b.data[54 + 6] = 9;
    expect(&b, 3, 1, 3, red);
    free(b.data);
}

TEST(bmp_refusals)
{
    static const struct {
        size_t at;
        uint32_t value;
        enum status status;
        const char *text;
    } rows[] = {
        { 14, 12, STATUS_UNSUPPORTED, "BMP: header of 12 bytes, expected 40 to 124" },
        { 14, 0xffffffff, STATUS_UNSUPPORTED,
          "BMP: header of 4294967295 bytes, expected 40 to 124" },
        { 30, 1, STATUS_UNSUPPORTED, "BMP: compression 1 at 8 bits, expected none" },
        { 30, 3, STATUS_UNSUPPORTED, "BMP: compression 3 at 8 bits, expected none" },
        { 26, 2 | 8 << 16, STATUS_INVALID, "BMP: 2 planes, expected 1" },
        { 26, 1 | 4 << 16, STATUS_UNSUPPORTED, "BMP: 4 bits a pixel, expected 8, 24 or 32" },
        { 18, 0, STATUS_INVALID, "BMP: 0x2: no pixels" },
        { 22, 0, STATUS_INVALID, "BMP: 3x0: no pixels" },
        { 18, 30000, STATUS_INVALID, "BMP: 30000x2 at 8 bits ends at byte 61094 of 1102" },
        { 18, 0x7fffffff, STATUS_UNSUPPORTED,
          "BMP: 2147483647x2: at most 32768 a side, 33554432 pixels (limit image_pixels)" },
        { 22, 0x80000000, STATUS_UNSUPPORTED,
          "BMP: 3x2147483648: at most 32768 a side, 33554432 pixels (limit image_pixels)" },
        { 46, 257, STATUS_INVALID, "BMP: palette of 257 colours, at most 256" },
        { 46, 18, STATUS_INVALID, "BMP: pixel 2, 0: colour 18 of a palette of 18" },
        { 10, 100, STATUS_INVALID,
          "BMP: palette of 256 colours at byte 54: pixels begin at 100, the file has 1102 bytes" },
        { 10, 0xffffffff, STATUS_INVALID, "BMP: 3x2 at 8 bits ends at byte 4294967303 of 1102" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bytes b = make_bmp(3, 2, 8);

        put32(b.data + rows[i].at, rows[i].value);
        expect_refusal(&b, rows[i].status, rows[i].text);
        free(b.data);
    }
}

TEST(bmp_masks)
{
    struct bytes b = make_bmp(2, 1, 32);

    put32(b.data + 30, 3);
    put32(b.data + 54, 0xff);
    put32(b.data + 58, 0xff00);
    put32(b.data + 62, 0xff0000);
    expect_refusal(
        &b, STATUS_UNSUPPORTED,
        "BMP: channel masks 000000ff 0000ff00 00ff0000, expected 00ff0000 0000ff00 000000ff");
    put32(b.data + 54, 0xff0000);
    expect_refusal(
        &b, STATUS_UNSUPPORTED,
        "BMP: channel masks 00ff0000 0000ff00 00ff0000, expected 00ff0000 0000ff00 000000ff");
    put32(b.data + 62, 0xff);
    put32(b.data + 58, 0xff01);
    expect_refusal(
        &b, STATUS_UNSUPPORTED,
        "BMP: channel masks 00ff0000 0000ff01 000000ff, expected 00ff0000 0000ff00 000000ff");
    put32(b.data + 58, 0xff00);
    put32(b.data + 54, 0xff0001);
    expect_refusal(
        &b, STATUS_UNSUPPORTED,
        "BMP: channel masks 00ff0001 0000ff00 000000ff, expected 00ff0000 0000ff00 000000ff");
    put32(b.data + 54, 0xff0000);
    b.count = 14 + 40 + 11; /* the last mask is cut */
    expect_refusal(&b, STATUS_INVALID, "BMP: no room for the channel masks");
    b.count = PIXELS_AT + 8;
    put32(b.data + 10, 60);
    expect_refusal(&b, STATUS_INVALID, "BMP: no room for the channel masks");
    free(b.data);
}

TEST(bmp_headers_cut)
{
    struct bytes b = make_bmp(2, 1, 32);

    b.count = 53;
    expect_refusal(&b, STATUS_INVALID, "BMP: 53 bytes, the headers alone are 54");
    free(b.data);
    b = make_bmp(3, 2, 8);
    b.count = 200;
    expect_refusal(
        &b, STATUS_INVALID,
        "BMP: palette of 256 colours at byte 54: pixels begin at 1094, the file has 200 bytes");
    free(b.data);
    b = make_bmp(2, 1, 24); /* without a palette */
    put32(b.data + 10, 53);
    expect_refusal(&b, STATUS_INVALID, "BMP: pixels at byte 53, inside the headers (54 bytes)");
    free(b.data);
}

TEST(no_memory_for_pixels)
{
    struct image im;
    struct bytes b;

    mem_fail_after(0);
    assert_int_equal(image_alloc(&im, 30, 20, 3, &err), STATUS_NO_MEMORY);
    mem_fail_after(-1);
    assert_non_null(strstr(err.text, "30x20 pixels"));
    assert_null(im.pixels);
    assert_int_equal(im.width, 0);
    b = make_png(2, 3, 8, PNG_COLOR_TYPE_RGB, false, false);
    mem_fail_after(1); /* the pixels are there, the list of rows is not */
    assert_int_equal(image_read_png(&im, b.data, b.count, &err), STATUS_NO_MEMORY);
    mem_fail_after(-1);
    assert_string_equal(err.text, "3 rows: out of memory");
    assert_null(im.pixels);
    assert_int_equal(image_read_png(&im, b.data, b.count, &err), STATUS_OK);
    image_close(&im);
    free(b.data);
}

/* ---- JPEG and PNG ---- */

TEST(jpeg_kinds)
{
    uint8_t flat[9 * 7 * 3];
    struct bytes b;

    memset(flat, 200, sizeof flat);
    b = make_jpeg(9, 7, 1, false);
    expect(&b, 9, 7, 1, flat);
    free(b.data);
    b = make_jpeg(9, 7, 3, false);
    expect(&b, 9, 7, 3, flat);
    free(b.data);
    b = make_jpeg(9, 7, 3, true);
    expect(&b, 9, 7, 3, flat);
    free(b.data);
    b = make_jpeg(9, 7, 4, false);
    expect_refusal(&b, STATUS_UNSUPPORTED, "JPEG: CMYK, expected grey, YCbCr or RGB");
    free(b.data);
    b = make_jpeg(9, 7, 4, true);
    expect_refusal(&b, STATUS_UNSUPPORTED, "JPEG: CMYK, expected grey, YCbCr or RGB");
    free(b.data);
}

TEST(png_kinds)
{
    static const uint8_t rgb[] = { 0x11, 0x22, 0x33, 0x44, 0x55, 0x66 };
    static const uint8_t bits[] = { 0, 0, 0, 255, 0, 0, 0, 255 };
    static const uint8_t sixteen[] = { 0x11, 0x33 }; /* of 0x1122, 0x3344 */
    static const uint8_t palette[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
    static const uint8_t clear[] = { 1, 2, 3, 0, 4, 5, 6, 128, 7, 8, 9, 255, 10, 11, 12, 255 };
    struct bytes b;

    b = make_png(2, 1, 8, PNG_COLOR_TYPE_RGB, false, false);
    expect(&b, 2, 1, 3, rgb);
    free(b.data);
    b = make_png(8, 1, 1, PNG_COLOR_TYPE_GRAY, false, false);
    expect(&b, 8, 1, 1, bits);
    free(b.data);
    b = make_png(2, 1, 16, PNG_COLOR_TYPE_GRAY, false, false);
    expect(&b, 2, 1, 1, sixteen);
    free(b.data);
    b = make_png(4, 1, 2, PNG_COLOR_TYPE_PALETTE, false, false);
    expect(&b, 4, 1, 3, palette);
    free(b.data);
    b = make_png(4, 1, 2, PNG_COLOR_TYPE_PALETTE, true, false);
    expect(&b, 4, 1, 4, clear);
    free(b.data);
    b = make_png(1, 1, 8, PNG_COLOR_TYPE_GRAY_ALPHA, false, false);
    expect(&b, 1, 1, 2, rgb);
    free(b.data);
    b = make_png(2, 3, 8, PNG_COLOR_TYPE_RGB, false, true);
    expect(&b, 2, 3, 3, NULL);
    free(b.data);
}

/* The rows that libpng would write are not those that there is room for. */
TEST(png_rows_of_another_size)
{
    struct bytes b = make_png(2, 3, 8, PNG_COLOR_TYPE_RGB, false, false);

    more_rowbytes = 3;
    expect_refusal(&b, STATUS_INVALID, "PNG: rows of 9 bytes, expected 2 x 3");
    more_rowbytes = 0;
    free(b.data);
}

TEST(png_too_large)
{
    struct bytes b = make_png(1, 1, 8, PNG_COLOR_TYPE_GRAY, false, false);
    uint32_t crc;
    struct image im;

    memcpy(b.data + 16, "\0\0\x80\0\0\0\x80\0", 8); /* 32768 x 32768: each side is allowed */
    crc = 0xffffffff;
    for (int i = 12; i < 29; i++) {
        crc ^= b.data[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    crc = ~crc;
    for (int i = 0; i < 4; i++)
        b.data[29 + i] = (uint8_t)(crc >> (24 - 8 * i));
    assert_int_equal(read_exact(&im, b.data, b.count, &err), STATUS_UNSUPPORTED);
    assert_string_equal(err.text, "PNG: 32768x32768: at most 32768 a side, 33554432 pixels "
                                  "(limit image_pixels)");
    free(b.data);
}

/* --limit=image_pixels=VALUE reaches the readers of images. */
TEST(the_number_of_pixels_is_a_limit)
{
    assert_int_equal(image_check(1 << 13, 1 << 12, &err), STATUS_OK);
    assert_int_equal(image_check(1 << 13, (1 << 12) + 1, &err), STATUS_UNSUPPORTED);
    assert_int_equal(limits_set("image_pixels=10", &err), STATUS_OK);
    assert_int_equal(image_check(2, 5, &err), STATUS_OK);
    assert_int_equal(image_check(1, 11, &err), STATUS_UNSUPPORTED);
    assert_non_null(strstr(err.text, "1x11: at most 32768 a side, 10 pixels (limit image_pixels)"));
    assert_int_equal(limits_set("image_pixels=32M", &err), STATUS_OK);
}

/* Labels are what the file holds: indices, not colours, and levels that are not stretched. */
static void expect_labels(struct bytes b, uint32_t width, const uint8_t *labels,
                          const char *refusal)
{
    struct diag diag = { .status = STATUS_OK };
    struct image im;
    const enum status s = image_read_labels(&im, b.data, b.count, &diag);

    if (refusal) {
        assert_int_equal(s, STATUS_UNSUPPORTED);
        assert_string_equal(diag.text, refusal);
    } else {
        assert_int_equal(s, STATUS_OK);
        assert_int_equal(im.channels, 1);
        assert_memory_equal(im.pixels, labels, width);
        image_close(&im);
    }
    assert_null(im.pixels);
    free(b.data);
}

TEST(png_labels)
{
    static const uint8_t indices[] = { 0, 1, 2, 3 }, bits[] = { 0, 0, 0, 1, 0, 0, 0, 1 },
                         levels[] = { 0x11, 0x22, 0x33 };
    struct bytes b = make_png(4, 1, 2, PNG_COLOR_TYPE_PALETTE, false, false);
    struct image im;

    for (size_t count = 0; count < b.count; count++)
        assert_int_not_equal(image_read_labels(&im, b.data, count, &err), STATUS_OK);
    expect_labels(b, 4, indices, NULL);
    expect_labels(make_png(4, 1, 2, PNG_COLOR_TYPE_PALETTE, true, false), 4, indices, NULL);
    expect_labels(make_png(8, 1, 1, PNG_COLOR_TYPE_GRAY, false, false), 8, bits, NULL);
    expect_labels(make_png(3, 1, 8, PNG_COLOR_TYPE_GRAY, false, false), 3, levels, NULL);
    expect_labels(make_png(2, 1, 16, PNG_COLOR_TYPE_GRAY, false, false), 0, NULL,
                  "labels have at most 8 bits, found 16");
    expect_labels(make_png(2, 1, 8, PNG_COLOR_TYPE_RGB, false, false), 0, NULL,
                  "labels are a palette or grey, found RGB");
    expect_labels(make_png(1, 1, 8, PNG_COLOR_TYPE_GRAY_ALPHA, false, false), 0, NULL,
                  "labels are a palette or grey, found grey with alpha");
    b = make_bmp(3, 1, 8);
    assert_int_equal(image_read_labels(&im, b.data, b.count, &err), STATUS_INVALID);
    assert_string_equal(err.text, "not a PNG file");
    free(b.data);
}

/* ---- damage ---- */

TEST(each_prefix_and_many_mutations)
{
    struct bytes files[] = { make_bmp(3, 2, 8),
                             make_bmp(3, 2, 24),
                             make_jpeg(9, 7, 3, false),
                             make_jpeg(9, 7, 3, true),
                             make_png(4, 1, 2, PNG_COLOR_TYPE_PALETTE, true, false),
                             make_png(2, 3, 8, PNG_COLOR_TYPE_RGB, false, true) };
    uint32_t random = 1;

    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        uint8_t *const copy = malloc(files[f].count);
        struct diag diag;
        struct image im;

        for (size_t n = 0; n < files[f].count; n += KIT_EACH(4)) {
            diag_clear(&diag);
            assert_int_not_equal(read_exact(&im, files[f].data, n, &diag), STATUS_OK);
            assert_int_not_equal(diag.text[0], '\0');
            assert_null(im.pixels);
        }
        for (int i = 0; i < 3000; i += KIT_EACH(32)) {
            memcpy(copy, files[f].data, files[f].count);
            for (int k = 0; k < 3; k++) {
                random = random * 1664525 + 1013904223;
                copy[(random >> 8) % files[f].count] = (uint8_t)(random >> 24);
            }
            diag_clear(&diag);
            if (read_exact(&im, copy, files[f].count, &diag) == STATUS_OK)
                assert_true(im.width > 0 && im.height > 0 && im.channels > 0);
            else
                assert_int_not_equal(diag.text[0], '\0');
            image_close(&im);
        }
        free(copy);
        free(files[f].data);
    }
}

TEST(no_image)
{
    const struct bytes b = { (uint8_t[]){ "GIF89a" }, 6 };

    expect_refusal(&b, STATUS_INVALID, "neither BMP nor JPEG nor PNG");
}

/* ---- channels and size ---- */

TEST(channels)
{
    struct image rgba = { 2, 1, 4, (uint8_t[]){ 255, 0, 0, 9, 10, 20, 30, 7 } };
    struct image grey = { 1, 1, 1, (uint8_t[]){ 5 } };
    struct image clear = { 1, 1, 2, (uint8_t[]){ 5, 6 } };
    struct image out;

    assert_int_equal(image_to_channels(&out, &rgba, 1, &err), STATUS_OK);
    assert_memory_equal(out.pixels, ((uint8_t[]){ 76, 18 }), 2); /* 76.245, 18.15 */
    image_close(&out);
    assert_int_equal(image_to_channels(&out, &rgba, 3, &err), STATUS_OK);
    assert_memory_equal(out.pixels, ((uint8_t[]){ 255, 0, 0, 10, 20, 30 }), 6);
    image_close(&out);
    assert_int_equal(image_to_channels(&out, &grey, 4, &err), STATUS_OK);
    assert_memory_equal(out.pixels, ((uint8_t[]){ 5, 5, 5, 255 }), 4);
    image_close(&out);
    assert_int_equal(image_to_channels(&out, &clear, 4, &err), STATUS_OK);
    assert_memory_equal(out.pixels, ((uint8_t[]){ 5, 5, 5, 6 }), 4);
    image_close(&out);
    assert_int_equal(image_to_channels(&out, &grey, 2, &err), STATUS_UNSUPPORTED);
}

TEST(resizing)
{
    struct image in = { 2, 2, 1, (uint8_t[]){ 0, 100, 200, 50 } };
    struct image wide = { 4, 1, 2, (uint8_t[]){ 0, 255, 10, 245, 20, 235, 31, 225 } };
    /* positions -0.25, 0.25, 0.75, 1.25 of 0..1, edges repeated */
    static const uint8_t twice[] = { 0,   25,  75, 100, 50,  59,  78, 88,
                                     150, 128, 84, 63,  200, 163, 88, 50 };
    struct image out;

    assert_int_equal(image_resize(&out, &in, 4, 4, &err), STATUS_OK);
    assert_memory_equal(out.pixels, twice, sizeof twice);
    image_close(&out);
    assert_int_equal(image_resize(&out, &in, 2, 2, &err), STATUS_OK);
    assert_memory_equal(out.pixels, in.pixels, 4);
    image_close(&out);
    /* Half the width: positions 0.5 and 2.5, so 25.5 rounds up. */
    assert_int_equal(image_resize(&out, &wide, 2, 1, &err), STATUS_OK);
    assert_memory_equal(out.pixels, ((uint8_t[]){ 5, 250, 26, 230 }), 4);
    image_close(&out);
    assert_int_equal(image_resize(&out, &in, 0, 4, &err), STATUS_INVALID);
    assert_int_equal(image_resize(&out, &in, 40000, 1, &err), STATUS_UNSUPPORTED);
}
