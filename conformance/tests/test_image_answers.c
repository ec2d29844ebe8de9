/* What the process that reads an image may answer: the parent believes nothing that it has not
 * checked.  The linker puts a reader of JPEG in place of ours, which answers what a test says. */
#include "conformance/suite/io/image_jpeg.h"
#include "conformance/suite/io/image_read.h"
#include "reference/base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum status __wrap_image_read_jpeg(struct image *out, const uint8_t *bytes, size_t count,
                                   struct diag *diag);

/* The channels are the byte behind the signature. */
enum status __wrap_image_read_jpeg(struct image *out, const uint8_t *bytes, size_t count,
                                   struct diag *diag)
{
    if (count != 4 || !(out->pixels = mem_alloc(UINT8_MAX + 1, 1)))
        return diag_fail(diag, STATUS_NO_MEMORY, "4 bytes, and room for a pixel");
    out->width = out->height = 1;
    out->channels = bytes[3];
    return STATUS_OK;
}

static enum status read_answer(uint8_t channels, struct diag *diag)
{
    const uint8_t bytes[] = { 0xff, 0xd8, 0xff, channels };
    struct image im;
    enum status s;

    s = image_read(&im, bytes, sizeof bytes, diag);
    if (s == STATUS_OK)
        assert_int_equal(im.channels, channels);
    image_close(&im);
    return s;
}

static void test_channels(void **state)
{
    static const uint8_t wrong[] = { 0, IMAGE_CHANNELS_MAX + 1, UINT8_MAX };
    struct diag diag = { .status = STATUS_OK };

    (void)state;
    for (uint8_t channels = 1; channels <= IMAGE_CHANNELS_MAX; channels++)
        assert_int_equal(read_answer(channels, &diag), STATUS_OK);
    for (size_t i = 0; i < sizeof wrong; i++) {
        assert_int_equal(read_answer(wrong[i], &diag), STATUS_IO);
        if (!strstr(diag.text, "channels for it"))
            fail_msg("%s", diag.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_channels),
    };

    return cmocka_run_group_tests_name("image_answers", tests, NULL, NULL);
}
