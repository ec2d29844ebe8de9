/* Pictures of what models found: which outputs are drawn as what, where it lies, and what is said
 * where there is nothing to draw. */
#include "conformance/suite/io/canvas.h"
#include "conformance/suite/io/image_read.h"
#include "conformance/suite/io/image_write.h"
#include "conformance/suite/io/overlay.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/kernels/op.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { SIDE = 100 };

static struct image picture(void)
{
    struct diag diag = { .status = STATUS_OK };
    struct image im;

    assert_int_equal(image_alloc(&im, SIDE, SIDE, 3, &diag), STATUS_OK);
    memset(im.pixels, 0, (size_t)SIDE * SIDE * 3);
    return im;
}

static struct colour at(const struct image *im, int x, int y)
{
    const uint8_t *const p = im->pixels + 3 * (y * SIDE + x);

    return (struct colour){ p[0], p[1], p[2] };
}

static bool is(struct colour a, struct colour b)
{
    return a.r == b.r && a.g == b.g && a.b == b.b;
}

static const struct colour black = { 0, 0, 0 };

/* A tensor over data of the test. */
struct made {
    TfLiteTensor tensor;
    struct {
        int size;
        int data[4];
    } dims;
};

static const TfLiteTensor *make(struct made *m, TfLiteType type, const void *data, int rank, int a,
                                int b, int c, int d)
{
    m->dims.size = rank;
    m->dims.data[0] = a;
    m->dims.data[1] = b;
    m->dims.data[2] = c;
    m->dims.data[3] = d;
    m->tensor = (TfLiteTensor){ .type = type };
    m->tensor.dims = (TfLiteIntArray *)&m->dims;
    memcpy(&m->tensor.data, &(void *){ (void *)(uintptr_t)data }, sizeof(void *));
    return &m->tensor;
}

static enum status draw(struct image *im, const TfLiteTensor *const *outputs, size_t count,
                        const TfLiteTensor *input, enum overlay_kind kind, char *summary,
                        struct diag *diag)
{
    const struct overlay_request r = {
        .kind = kind, .input = input, .outputs = outputs, .count = count, .threshold = 0.5
    };

    *diag = (struct diag){ .status = STATUS_OK };
    return overlay_draw(im, &r, summary, 256, diag);
}

/* In the op's order and in another one; the third box is below the threshold, the fourth is not
 * counted. */
static void boxes(void **state)
{
    const float corners[4][4] = { { 0.5F, 0.2F, 0.9F, 0.8F },
                                  { -1, 0.05F, 0.3F, 5 }, /* cut off on the right and above */
                                  { 0.1F, 0.9F, 0.2F, 0.95F },
                                  { 0.95F, 0.95F, 1, 1 } };
    const float classes[] = { 3, 7, 1, 1 }, scores[] = { 0.9F, 0.6F, 0.4F, 0.9F }, all = 3;
    static const int orders[][4] = { { 0, 1, 2, 3 }, { 3, 2, 0, 1 } };
    struct made m[4];
    const TfLiteTensor *const in_order[] = { make(&m[0], kTfLiteFloat32, corners, 3, 1, 4, 4, 0),
                                             make(&m[1], kTfLiteFloat32, classes, 2, 1, 4, 0, 0),
                                             make(&m[2], kTfLiteFloat32, scores, 2, 1, 4, 0, 0),
                                             make(&m[3], kTfLiteFloat32, &all, 1, 1, 0, 0, 0) };

    (void)state;
    for (size_t i = 0; i < COUNT(orders); i++) {
        const TfLiteTensor *outputs[4];
        struct image im = picture();
        char summary[256];
        struct diag diag;

        for (size_t k = 0; k < 4; k++)
            outputs[k] = in_order[orders[i][k]];
        assert_int_equal(draw(&im, outputs, 4, NULL, OVERLAY_BY_SHAPES, summary, &diag), STATUS_OK);
        assert_string_equal(summary, "2 boxes with scores from 0.5");
        assert_true(is(at(&im, 20, 70), canvas_colour(3)));
        assert_true(is(at(&im, 79, 88), canvas_colour(3)));
        assert_true(is(at(&im, 50, 70), black)); /* inside */
        assert_true(is(at(&im, 81, 70), black)); /* outside */
        assert_true(is(at(&im, 5, 25), canvas_colour(7)));
        assert_true(is(at(&im, 91, 12), black)); /* the third */
        assert_true(is(at(&im, 97, 97), black)); /* the fourth */
        image_close(&im);
    }
}

/* Class 2 on the right half: as scores of three classes, and as classes. */
static void masks(void **state)
{
    const float scores[2 * 2 * 3] = { 1, 0, 0, 0, 0, 1, 5, 1, 2, -3, -2, -1 };
    const int64_t classes[] = { 0, 2, 0, 2 };
    struct made m[3];
    const TfLiteTensor *const forms[] = { make(&m[0], kTfLiteFloat32, scores, 4, 1, 2, 2, 3),
                                          make(&m[1], kTfLiteInt64, classes, 3, 1, 2, 2, 0),
                                          make(&m[2], kTfLiteInt64, classes, 4, 1, 2, 2, 1) };

    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        struct image im = picture();
        char summary[256];
        struct diag diag;

        assert_int_equal(draw(&im, &forms[i], 1, NULL, OVERLAY_BY_SHAPES, summary, &diag),
                         STATUS_OK);
        assert_string_equal(summary, "mask: 2 50.0%");
        assert_true(is(at(&im, 20, 70), black));
        assert_true(is(at(&im, 49, 70), black));
        assert_false(is(at(&im, 50, 70), black));
        assert_int_equal(at(&im, 90, 70).g, (int)lround(0.55 * canvas_colour(2).g));
        image_close(&im);
    }
}

/* Two keypoints on 3 x 3 cells of an input of 65 pixels, a stride of 32 apart. */
static void keypoints(void **state)
{
    float heat[9 * 2], offsets[9 * 4] = { 0 };
    const float input[1] = { 0 };
    struct made m[3];
    const TfLiteTensor *const in = make(&m[0], kTfLiteFloat32, input, 4, 1, 65, 65, 3);
    const TfLiteTensor *const outputs[] = { make(&m[1], kTfLiteFloat32, offsets, 4, 1, 3, 3, 4),
                                            make(&m[2], kTfLiteFloat32, heat, 4, 1, 3, 3, 2) };
    struct image im = picture();
    char summary[256];
    struct diag diag;

    (void)state;
    for (size_t i = 0; i < COUNT(heat); i++)
        heat[i] = -4;
    heat[2 * 5] = 3;        /* cell (1, 2): y 32, x 64 */
    heat[2 * 0 + 1] = -0.5; /* 0.38: below the threshold */
    offsets[4 * 5 + 0] = 16;
    offsets[4 * 5 + 2] = -32;
    assert_int_equal(draw(&im, outputs, 2, in, OVERLAY_BY_SHAPES, summary, &diag), STATUS_OK);
    assert_string_equal(summary, "1 of 2 keypoints with scores from 0.5");
    assert_true(is(at(&im, 50, 74), canvas_colour(0))); /* x 32 of 64, y 48 of 64 */
    assert_true(is(at(&im, 74, 50), black));
    assert_true(is(at(&im, 2, 2), black));
    image_close(&im);
}

static void refuses(void **state)
{
    const float data[12] = { 0 };
    struct made m[4];
    const TfLiteTensor *const scores[] = { make(&m[0], kTfLiteFloat32, data, 2, 1, 10, 0, 0) };
    const TfLiteTensor *const floats[] = { make(&m[1], kTfLiteFloat32, data, 3, 1, 2, 2, 0) };
    static const struct {
        enum overlay_kind kind;
        const char *text;
    } rows[] = {
        { OVERLAY_BY_SHAPES, "outputs f32 [1, 10]: neither boxes, nor a mask, nor keypoints" },
        { OVERLAY_BOXES, "outputs f32 [1, 10], expected the outputs of "
                         "TFLite_Detection_PostProcess: [1, N, 4], [1, N], [1, N], [1]" },
        { OVERLAY_MASK, "outputs f32 [1, 10], expected one output of scores [1, h, w, classes], or "
                        "of classes [1, h, w] in integers" },
        { OVERLAY_KEYPOINTS, "outputs f32 [1, 10], expected heatmaps [1, h, w, K] and offsets "
                             "[1, h, w, 2 K], and an image as input" },
    };
    struct image im = picture();
    char summary[256];
    struct diag diag;

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(draw(&im, scores, 1, NULL, rows[i].kind, summary, &diag),
                         STATUS_UNSUPPORTED);
        assert_string_equal(diag.text, rows[i].text);
    }
    assert_int_equal(draw(&im, floats, 1, NULL, OVERLAY_BY_SHAPES, summary, &diag),
                     STATUS_UNSUPPORTED); /* depths are no classes */
    image_close(&im);
}

/* What models may say: no number, far outside, too many. */
static void hostile_values(void **state)
{
    const float corners[2][4] = { { NAN, INFINITY, -INFINITY, 1e30F }, { 1e30F, 0, 0, -1e30F } };
    const float classes[] = { NAN, 1e30F }, scores[] = { 0.9F, 0.9F }, all = 1e9F;
    const int64_t masks[] = { INT64_MAX, INT64_MIN, 5000, -1 };
    struct made m[5];
    const TfLiteTensor *const detector[] = { make(&m[0], kTfLiteFloat32, corners, 3, 1, 2, 4, 0),
                                             make(&m[1], kTfLiteFloat32, classes, 2, 1, 2, 0, 0),
                                             make(&m[2], kTfLiteFloat32, scores, 2, 1, 2, 0, 0),
                                             make(&m[3], kTfLiteFloat32, &all, 1, 1, 0, 0, 0) };
    const TfLiteTensor *const mask[] = { make(&m[4], kTfLiteInt64, masks, 3, 1, 2, 2, 0) };
    struct image im = picture();
    char summary[256];
    struct diag diag;

    (void)state;
    assert_int_equal(draw(&im, detector, 4, NULL, OVERLAY_BY_SHAPES, summary, &diag), STATUS_OK);
    assert_int_equal(draw(&im, mask, 1, NULL, OVERLAY_BY_SHAPES, summary, &diag), STATUS_OK);
    assert_string_equal(summary, "mask: 1023 25.0%");
    image_close(&im);
}

static void text_stays_inside(void **state)
{
    struct image im = picture();
    const struct canvas c = canvas_on(&im);

    (void)state;
    canvas_text(&c, 1e9, -50, "I", (struct colour){ 255, 255, 255 });
    assert_true(is(at(&im, SIDE - 1, 0), (struct colour){ 255, 255, 255 }));
    assert_true(is(at(&im, SIDE - 5, 4), black)); /* the letter's stem */
    canvas_text(&c, 0, 50, "a text of several words that is wider than the image \xc3\xa4",
                canvas_colour(1));
    image_close(&im);
}

static void png_reads_back(void **state)
{
    char path[] = "/tmp/test_overlay_XXXXXX";
    struct diag diag = { .status = STATUS_OK };
    struct image im = picture(), back;
    const int fd = mkstemp(path);
    uint8_t *bytes;
    size_t count;

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    for (size_t i = 0; i < (size_t)SIDE * SIDE * 3; i++)
        im.pixels[i] = (uint8_t)(i * 7);
    assert_int_equal(image_write_png(&im, path, &diag), STATUS_OK);
    assert_int_equal(file_read(path, 1 << 20, &bytes, &count, &diag), STATUS_OK);
    assert_int_equal(image_sniff(bytes, count), IMAGE_PNG);
    assert_int_equal(image_read(&back, bytes, count, &diag), STATUS_OK);
    assert_int_equal(back.channels, 3);
    assert_memory_equal(back.pixels, im.pixels, (size_t)SIDE * SIDE * 3);
    mem_free(bytes);
    image_close(&back);
    unlink(path);
    assert_int_equal(image_write_png(&im, "/no/such/folder/x.png", &diag), STATUS_IO);
    image_close(&im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes),          cmocka_unit_test(masks),
        cmocka_unit_test(keypoints),      cmocka_unit_test(refuses),
        cmocka_unit_test(hostile_values), cmocka_unit_test(text_stays_inside),
        cmocka_unit_test(png_reads_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
