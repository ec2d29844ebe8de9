/* PNG through libpng: every kind that the format has, as 8 bits a sample.  Palettes are looked up,
 * 16 bits are rounded to 8, transparency becomes an alpha channel; gamma and profiles are ignored.
 *
 * libpng's own error handling prints; here an error jumps back with its text. */
#include "conformance/suite/io/image_read.h"

#include "reference/base/memory.h"

#include <png.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

enum { CHUNK_BYTES_MAX = 8 << 20, CHUNKS_MAX = 128 };

struct source {
    const uint8_t *bytes;
    size_t count, at;
    char text[256];
};

struct reader {
    png_structp png;
    png_infop info;
    struct source source;
    struct image *out;
    bool labels; /* palette indices and grey levels as the file has them */
    png_bytep *rows;
};

static PNG_FUNCTION(void, fail, (png_structp png, png_const_charp text), PNG_NORETURN)
{
    struct source *const s = png_get_error_ptr(png);

    snprintf(s->text, sizeof s->text, "%s", text);
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void read_bytes(png_structp png, png_bytep to, size_t count)
{
    struct source *const s = png_get_io_ptr(png);

    if (count > s->count - s->at)
        png_error(png, "ends in the middle");
    memcpy(to, s->bytes + s->at, count);
    s->at += count;
}

static void ask_for_8_bits(struct reader *r)
{
    const int kind = png_get_color_type(r->png, r->info);

    if (kind == PNG_COLOR_TYPE_PALETTE)
        png_set_palette_to_rgb(r->png);
    if (kind == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(r->png, r->info) < 8)
        png_set_expand_gray_1_2_4_to_8(r->png);
    if (png_get_valid(r->png, r->info, PNG_INFO_tRNS))
        png_set_tRNS_to_alpha(r->png);
    if (png_get_bit_depth(r->png, r->info) == 16)
        png_set_scale_16(r->png);
    png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
}

/* One byte a pixel, of 1 to 8 bits. */
static enum status ask_for_labels(struct reader *r, struct diag *diag)
{
    const int kind = png_get_color_type(r->png, r->info);
    const int bits = png_get_bit_depth(r->png, r->info);

    if (kind != PNG_COLOR_TYPE_PALETTE && kind != PNG_COLOR_TYPE_GRAY)
        return diag_fail(diag, STATUS_UNSUPPORTED, "labels are a palette or grey, found %s",
                         kind == PNG_COLOR_TYPE_GRAY_ALPHA ? "grey with alpha"
                         : kind == PNG_COLOR_TYPE_RGB      ? "RGB"
                                                           : "RGB with alpha");
    if (bits > 8)
        return diag_fail(diag, STATUS_UNSUPPORTED, "labels have at most 8 bits, found %d", bits);
    png_set_packing(r->png);
    png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    return STATUS_OK;
}

static enum status read_into(struct reader *r, struct diag *diag)
{
    uint32_t width, height, channels;

    png_set_read_fn(r->png, &r->source, read_bytes);
    /* The limits of image_alloc come too late for what libpng allocates itself. */
    png_set_user_limits(r->png, IMAGE_SIDE_MAX, IMAGE_SIDE_MAX);
    png_set_chunk_malloc_max(r->png, CHUNK_BYTES_MAX);
    png_set_chunk_cache_max(r->png, CHUNKS_MAX);
    png_read_info(r->png, r->info);
    width = png_get_image_width(r->png, r->info);
    height = png_get_image_height(r->png, r->info);
    if (r->labels)
        TRY(ask_for_labels(r, diag));
    else
        ask_for_8_bits(r);
    channels = png_get_channels(r->png, r->info);
    TRY(image_alloc(r->out, width, height, channels, diag));
    if (png_get_rowbytes(r->png, r->info) != (size_t)width * channels)
        return diag_fail(diag, STATUS_INVALID, "rows of %zu bytes, expected %u x %u",
                         png_get_rowbytes(r->png, r->info), width, channels);
    r->rows = mem_alloc(height, sizeof *r->rows);
    if (!r->rows)
        return diag_fail(diag, STATUS_NO_MEMORY, "%u rows", height);
    for (uint32_t y = 0; y < height; y++)
        r->rows[y] = r->out->pixels + (size_t)y * width * channels;
    png_read_image(r->png, r->rows);
    png_read_end(r->png, NULL);
    return STATUS_OK;
}

static enum status read_guarded(struct reader *r, struct diag *diag)
{
    /* r itself does not change after setjmp, only what it points to. */
    if (setjmp(png_jmpbuf(r->png)))
        return diag_fail(diag, STATUS_INVALID, "%s", r->source.text);
    return read_into(r, diag);
}

static enum status read_png(struct image *out, const uint8_t *bytes, size_t count, bool labels,
                            struct diag *diag)
{
    struct reader r = { .source = { .bytes = bytes, .count = count },
                        .out = out,
                        .labels = labels };
    enum status s;

    r.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r.source, fail, ignore_warning);
    r.info = r.png ? png_create_info_struct(r.png) : NULL;
    if (r.info)
        s = read_guarded(&r, diag);
    else
        s = diag_fail(diag, STATUS_NO_MEMORY, "libpng cannot start");
    png_destroy_read_struct(&r.png, &r.info, NULL);
    mem_free(r.rows);
    if (s != STATUS_OK)
        image_close(out);
    return s;
}

enum status image_read_png(struct image *out, const uint8_t *bytes, size_t count, struct diag *diag)
{
    return read_png(out, bytes, count, false, diag);
}

enum status image_read_png_labels(struct image *out, const uint8_t *bytes, size_t count,
                                  struct diag *diag)
{
    *out = (struct image){ 0 };
    return read_png(out, bytes, count, true, diag);
}
