/* What the process that reads an image may answer: the parent believes nothing that it has not
 * checked.  The linker puts a reader of JPEG in place of ours, which answers what a test says. */
/* Wrap: image_read_jpeg */
#include "reference/tests/kit/test.h"

#include "conformance/suite/io/image_read.h"
#include "reference/base/memory.h"

#include <string.h>

static bool answers; /* else images are read */

enum status __real_image_read_jpeg(struct image *out, const uint8_t *bytes, size_t count,
                                   struct diag *diag);
enum status __wrap_image_read_jpeg(struct image *out, const uint8_t *bytes, size_t count,
                                   struct diag *diag);

/* The channels are the byte behind the signature. */
enum status __wrap_image_read_jpeg(struct image *out, const uint8_t *bytes, size_t count,
                                   struct diag *diag)
{
    if (!answers)
        return __real_image_read_jpeg(out, bytes, count, diag);
    if (count != 4 || !(out->pixels = mem_alloc(UINT8_MAX + 1, 1)))
        return diag_fail(diag, STATUS_NO_MEMORY, "4 bytes, and room for a pixel");
    out->width = out->height = 1;
    out->channels = bytes[3];
    return STATUS_OK;
}

static enum status read_answer(uint8_t channels, struct diag *diag)
{
    const uint8_t bytes[] = { 0xff, 0xd8, 0xff, channels };
    struct image im CLOSED_BY(image_close);
    enum status s;

    answers = true;
    s = image_read(&im, bytes, sizeof bytes, diag);
    answers = false;
    if (s == STATUS_OK)
        assert_int_equal(im.channels, channels);
    return s;
}

TEST(test_channels)
{
    static const uint8_t wrong[] = { 0, IMAGE_CHANNELS_MAX + 1, UINT8_MAX };

    for (uint8_t channels = 1; channels <= IMAGE_CHANNELS_MAX; channels++)
        assert_int_equal(read_answer(channels, &err), STATUS_OK);
    for (size_t i = 0; i < sizeof wrong; i++) {
        assert_int_equal(read_answer(wrong[i], &err), STATUS_IO);
        if (!strstr(err.text, "channels for it"))
            fail_msg("%s", err.text);
    }
}
