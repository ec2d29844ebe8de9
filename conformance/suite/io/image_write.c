/* Writes PNG through libpng's interface for whole images. */
#include "conformance/suite/io/image_write.h"

#include "conformance/util/output.h"
#include "reference/base/memory.h"

#include <assert.h>
#include <png.h>
#include <string.h>

enum status image_write_png(const struct image *im, const char *path, struct diag *diag)
{
    png_image png = { .version = PNG_IMAGE_VERSION, .width = im->width, .height = im->height };
    png_alloc_size_t bytes;
    uint8_t *encoded;
    enum status s;

    assert(im->channels == 1 || im->channels == 3);
    png.format = im->channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
    /* At most; the memory that is not written to costs nothing. */
    bytes = PNG_IMAGE_PNG_SIZE_MAX(png);
    if (!(encoded = mem_alloc(bytes, 1)))
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: %zu bytes of PNG", path, (size_t)bytes);
    s = png_image_write_to_memory(&png, encoded, &bytes, 0, im->pixels, 0, NULL)
            ? output_write_file(path, encoded, bytes, diag)
            : diag_fail(diag, STATUS_INVALID, "%s: %s", path, png.message);
    png_image_free(&png);
    mem_free(encoded);
    return s;
}
