/* JPEG through libjpeg: grey and colour, baseline and progressive; CMYK is refused.
 *
 * libjpeg's own error handling prints and exits; here an error jumps back with its text, and
 * warnings that mean missing data are errors. */
#include "conformance/suite/io/image_read.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

/* After stdio.h: they need FILE. */
#include <jerror.h>
#include <jpeglib.h>

/* A file of many thin scans would take minutes. */
enum { SCANS_MAX = 200 };

struct reader {
    struct jpeg_decompress_struct decoder;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf back;
    char text[JMSG_LENGTH_MAX];
};

static void fail(j_common_ptr common)
{
    struct reader *const r = common->client_data;

    if (r->text[0] == '\0')
        common->err->format_message(common, r->text);
    longjmp(r->back, 1);
}

static void message(j_common_ptr common, int level)
{
    const int code = common->err->msg_code;

    if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER))
        fail(common);
}

static void no_output(j_common_ptr common)
{
    (void)common;
}

static void watch_scans(j_common_ptr common)
{
    struct reader *const r = common->client_data;

    if (r->decoder.input_scan_number > SCANS_MAX) {
        snprintf(r->text, sizeof r->text, "more than %d scans", SCANS_MAX);
        fail(common);
    }
}

static enum status read_into(struct reader *r, struct image *out, struct diag *diag)
{
    struct jpeg_decompress_struct *const d = &r->decoder;

    jpeg_read_header(d, TRUE);
    d->out_color_space = d->jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE : JCS_RGB;
    if (d->jpeg_color_space == JCS_CMYK || d->jpeg_color_space == JCS_YCCK)
        return diag_fail(diag, STATUS_UNSUPPORTED, "CMYK, expected grey, YCbCr or RGB");
    d->dct_method = JDCT_ISLOW;
    TRY(image_alloc(out, d->image_width, d->image_height,
                    d->out_color_space == JCS_GRAYSCALE ? 1 : 3, diag));
    jpeg_start_decompress(d);
    while (d->output_scanline < d->output_height) {
        JSAMPROW row = out->pixels + (size_t)d->output_scanline * out->width * out->channels;

        jpeg_read_scanlines(d, &row, 1);
    }
    jpeg_finish_decompress(d);
    return STATUS_OK;
}

enum status image_read_jpeg(struct image *out, const uint8_t *bytes, size_t count,
                            struct diag *diag)
{
    struct reader r;
    enum status s;

    memset(&r, 0, sizeof r);
    r.decoder.err = jpeg_std_error(&r.errors);
    r.errors.error_exit = fail;
    r.errors.emit_message = message;
    r.errors.output_message = no_output;
    r.decoder.client_data = &r;
    r.progress.progress_monitor = watch_scans;
    /* Only *out and r change after setjmp, and both are in memory. */
    if (setjmp(r.back)) {
        jpeg_destroy_decompress(&r.decoder);
        image_close(out);
        return diag_fail(diag, STATUS_INVALID, "%s", r.text);
    }
    jpeg_create_decompress(&r.decoder);
    r.decoder.progress = &r.progress;
    jpeg_mem_src(&r.decoder, bytes, (unsigned long)count);
    s = read_into(&r, out, diag);
    jpeg_destroy_decompress(&r.decoder);
    return s;
}
