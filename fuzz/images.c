/* Fuzz target: images and arrays.  BMP and .npy have parsers of our own; JPEG and PNG are read by
 * libjpeg and libpng, here in this process, so that the fuzzer sees what we do around them.
 *
 * A run that aborts is a bug: a crash or overread, an image beyond the limits, or an array that
 * changes when it is written and read again. */
#include "conformance/suite/io/image_read.h"
#include "conformance/suite/io/npy.h"
#include "fuzz/fuzz_file.h"
#include "reference/base/limits.h"
#include "reference/base/memory.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

TFL_CAPI_EXPORT const char *__asan_default_options(void);

/* libpng takes what a chunk says that it has: in the program the limit of its process refuses that
 * (util/parser_limits.h), and here an allocation that fails. */
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=256";
}

enum { SMALL_PIXELS = 1 << 16 }; /* of an image that is converted and resized as well */

static enum status read_labels(struct image *out, const uint8_t *bytes, size_t size,
                               struct diag *diag)
{
    const enum status s = image_read_png_labels(out, bytes, size, diag);

    fuzz_expect(s != STATUS_OK || out->channels == 1, "png: expected labels of a byte", "others");
    return s;
}

typedef enum status read_function(struct image *out, const uint8_t *bytes, size_t size,
                                  struct diag *diag);

static void image(const uint8_t *bytes, size_t size, read_function *read)
{
    static const uint32_t channels[] = { 1, 3, 4 };
    struct image im = { 0 }, other;
    struct diag diag = { 0 };
    size_t sum = 0;

    if (read(&im, bytes, size, &diag) != STATUS_OK) {
        fuzz_expect(diag.text[0] && !im.pixels, "image: expected a message and no image",
                    diag.text);
        return;
    }
    fuzz_expect(im.width >= 1 && im.width <= IMAGE_SIDE_MAX && im.height >= 1 &&
                    im.height <= IMAGE_SIDE_MAX &&
                    (uint64_t)im.width * im.height <= limit_of(LIMIT_IMAGE_PIXELS) &&
                    im.channels <= IMAGE_CHANNELS_MAX,
                "image: expected an image within the limits", "another");
    for (size_t i = 0; i < (size_t)im.width * im.height * im.channels; i++)
        sum += im.pixels[i]; /* so that a sanitizer sees what was not written or not allocated */
    fuzz_expect(sum <= (size_t)255 * im.width * im.height * im.channels, "image: sum", "overflow");
    if ((uint64_t)im.width * im.height <= SMALL_PIXELS)
        for (size_t i = 0; i < sizeof channels / sizeof channels[0]; i++) {
            if (image_to_channels(&other, &im, channels[i], &diag) == STATUS_OK)
                image_close(&other);
            if (image_resize(&other, &im, 1 + (uint32_t)i * 7, 5, &diag) == STATUS_OK)
                image_close(&other);
        }
    image_close(&im);
}

static void array(const uint8_t *bytes, size_t size)
{
    struct array a, again;
    struct diag diag = { 0 };
    uint8_t *file;
    size_t count;

    if (npy_read(&a, bytes, size, &diag) != STATUS_OK) {
        fuzz_expect(diag.text[0] && !a.data, "npy: expected a message and no array", diag.text);
        return;
    }
    fuzz_expect(a.rank <= ARRAY_RANK_MAX && a.bytes <= size,
                "npy: expected no more data than the file has", "more");
    if (npy_write(&a, &file, &count, &diag) == STATUS_OK) {
        fuzz_expect(npy_read(&again, file, count, &diag) == STATUS_OK,
                    "npy: expected to read what it wrote", diag.text);
        fuzz_expect(again.type == a.type && again.bytes == a.bytes && again.rank == a.rank &&
                        (a.bytes == 0 || memcmp(again.data, a.data, a.bytes) == 0),
                    "npy: expected the same array", "another");
        array_close(&again);
        mem_free(file);
    }
    array_close(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size ? size : 1);

    if (!exact)
        return 0;
    if (size)
        memcpy(exact, data, size);
    switch (image_sniff(exact, size)) {
    case IMAGE_BMP: image(exact, size, image_read_bmp); break;
    case IMAGE_JPEG: image(exact, size, image_read_jpeg); break;
    case IMAGE_PNG:
        image(exact, size, image_read_png);
        image(exact, size, read_labels);
        break;
    case IMAGE_NONE: array(exact, size); break;
    }
    free(exact);
    return 0;
}
