/* Tells image formats by their signatures, and keeps faults of their libraries away. */
#include "conformance/suite/io/image_read.h"

#include "conformance/util/parser.h"

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

/* ---- formats that libraries read, in a child process ---- */

typedef enum status read_function(struct image *out, const uint8_t *bytes, size_t count,
                                  struct diag *diag);

/* What the child is to read: the bytes are the parent's, as they were when it was made. */
struct errand {
    read_function *read;
    const uint8_t *bytes;
    size_t count;
};

/* Its answer, which the parent checks; the pixels follow. */
struct extent {
    uint32_t width, height, channels;
};

static void serve(int socket, void *user)
{
    const struct errand *const e = user;
    struct diag diag = { .status = STATUS_OK };
    struct image im = { 0 };
    struct extent extent;
    enum status s;

    parser_begin();
    s = e->read(&im, e->bytes, e->count, &diag);
    extent = (struct extent){ im.width, im.height, im.channels };
    parser_answer(socket,
                  &(struct parser_reply){
                      .status = s,
                      .diag = &diag,
                      .parts = { { &extent, sizeof extent },
                                 { im.pixels, (size_t)im.width * im.height * im.channels } } });
    image_close(&im);
}

static enum status receive(struct parser *p, struct image *out, struct diag *diag)
{
    struct extent e;

    TRY(parser_result(p, diag));
    TRY(parser_receive(p, &e, sizeof e, diag));
    if (e.channels < 1 || e.channels > IMAGE_CHANNELS_MAX)
        return diag_fail(diag, STATUS_IO, "%s has %u channels for it", p->name, e.channels);
    TRY(image_alloc(out, e.width, e.height, e.channels, diag));
    return parser_receive(p, out->pixels, (size_t)e.width * e.height * e.channels, diag);
}

static enum status read_apart(struct image *out, const char *library, read_function *read,
                              const uint8_t *bytes, size_t count, struct diag *diag)
{
    struct errand e = { read, bytes, count };
    const struct parser_job job = { .name = library, .serve = serve, .user = &e };
    struct parser p;
    enum status s;

    TRY(parser_start(&p, &job, diag));
    s = receive(&p, out, diag);
    parser_end(&p);
    if (s != STATUS_OK)
        image_close(out);
    return s;
}

/* ---- any format ---- */

enum status image_read(struct image *out, const uint8_t *bytes, size_t count, struct diag *diag)
{
    enum status s;

    *out = (struct image){ 0 };
    switch (image_sniff(bytes, count)) {
    case IMAGE_BMP: return diag_prefix(diag, image_read_bmp(out, bytes, count, diag), "BMP");
    case IMAGE_JPEG:
        s = read_apart(out, "libjpeg", image_read_jpeg, bytes, count, diag);
        return diag_prefix(diag, s, "JPEG");
    case IMAGE_PNG:
        s = read_apart(out, "libpng", image_read_png, bytes, count, diag);
        return diag_prefix(diag, s, "PNG");
    case IMAGE_NONE: break;
    }
    return diag_fail(diag, STATUS_INVALID, "neither BMP nor JPEG nor PNG");
}

enum status image_read_labels(struct image *out, const uint8_t *bytes, size_t count,
                              struct diag *diag)
{
    *out = (struct image){ 0 };
    if (image_sniff(bytes, count) != IMAGE_PNG)
        return diag_fail(diag, STATUS_INVALID, "not a PNG file");
    return read_apart(out, "libpng", image_read_png_labels, bytes, count, diag);
}
