/* The arithmetic of `assay eval`, by examples that are computed by hand. */
#include "reference/tests/kit/test.h"

#include "conformance/tools/eval/coco_match.h"
#include "conformance/tools/eval/confusion.h"
#include "conformance/tools/eval/preprocess.h"
#include "conformance/tools/eval/segmentation.h"
#include "conformance/util/interval.h"

#include <math.h>

#define NEAR(a, b, limit) assert_true(fabs((a) - (b)) <= (limit))

/* ---- average precision ---- */

static struct coco_score score(const struct coco_input *input)
{
    struct coco_matches *m;
    struct coco_score mean;

    assert_int_equal(coco_match(&m, input, NULL), STATUS_OK);
    assert_int_equal(coco_score(m, &mean, NULL, NULL), STATUS_OK);
    coco_matches_close(m);
    return mean;
}

#define INPUT(images, objects, detections)                                                         \
    &(struct coco_input)                                                                           \
    {                                                                                              \
        images, 1, objects, sizeof(objects) / sizeof(objects)[0], detections,                      \
            sizeof(detections) / sizeof(detections)[0]                                             \
    }

static const struct coco_object one[] = { { 0, 0, { 10, 10, 20, 20 }, 400, false } };

TEST(a_box_found_exactly)
{
    const struct coco_detection found[] = { { 0, 0, { 10, 10, 20, 20 }, 0.9 } };
    const struct coco_score s = score(INPUT(1, one, found));

    NEAR(s.ap[COCO_ALL], 1, 1e-12);
    NEAR(s.ap[COCO_SMALL], 1, 1e-12);
    assert_true(isnan(s.ap[COCO_MEDIUM]) && isnan(s.ap[COCO_LARGE]));
    NEAR(s.recall[0], 1, 0);
    NEAR(s.area_recall[COCO_SMALL], 1, 0);
}

/* Recall ends at 1/2: 51 of 101 samples have precision 1. */
TEST(half_of_the_objects)
{
    const struct coco_object two[] = { one[0], { 0, 0, { 100, 100, 50, 50 }, 2500, false } };
    const struct coco_detection found[] = { { 0, 0, { 10, 10, 20, 20 }, 0.9 } };
    const struct coco_score s = score(INPUT(1, two, found));

    NEAR(s.ap[COCO_ALL], 51.0 / 101, 1e-12);
    NEAR(s.recall[2], 0.5, 0);
    NEAR(s.ap[COCO_SMALL], 1, 1e-12);
    NEAR(s.ap[COCO_MEDIUM], 0, 0);
}

/* One wrong detection before the right one: precision 1/2 at every recall.  After it, or with an
 * equal score but later in the file, it does not matter. */
TEST(wrong_detections)
{
    const struct coco_detection before[] = { { 0, 0, { 300, 10, 20, 20 }, 0.9 },
                                             { 0, 0, { 10, 10, 20, 20 }, 0.8 } };
    const struct coco_detection tied[] = { { 0, 0, { 300, 10, 20, 20 }, 0.8 },
                                           { 0, 0, { 10, 10, 20, 20 }, 0.8 } };
    const struct coco_detection later[] = { { 0, 0, { 10, 10, 20, 20 }, 0.8 },
                                            { 0, 0, { 300, 10, 20, 20 }, 0.8 } };

    NEAR(score(INPUT(1, one, before)).ap[COCO_ALL], 0.5, 1e-12);
    NEAR(score(INPUT(1, one, before)).recall[0], 0, 0);
    NEAR(score(INPUT(1, one, before)).recall[1], 1, 0);
    NEAR(score(INPUT(1, one, tied)).ap[COCO_ALL], 0.5, 1e-12);
    NEAR(score(INPUT(1, one, later)).ap[COCO_ALL], 1, 1e-12);
}

/* IoU 0.72: right at .50, .55, .60, .65 and .70. */
TEST(thresholds)
{
    const struct coco_detection found[] = { { 0, 0, { 10, 10, 14.4, 20 }, 0.9 } };
    const struct coco_score s = score(INPUT(1, one, found));

    NEAR(coco_iou(&found[0].box, &one[0].box, false), 0.72, 1e-12);
    NEAR(s.ap[COCO_ALL], 0.5, 1e-12);
    NEAR(s.ap50, 1, 1e-12);
    NEAR(s.ap75, 0, 0);
    NEAR(coco_threshold(0), 0.5, 0);
    NEAR(coco_threshold(1), 0.55, 1e-15);
    NEAR(coco_threshold(5), 0.75, 1e-15);
    NEAR(coco_threshold(9), 0.95, 0);
}

/* What lies in a crowd is no wrong detection, however many there are; a crowd need not be found. */
TEST(crowds)
{
    const struct coco_object objects[] = { one[0], { 0, 0, { 200, 0, 200, 200 }, 40000, true } };
    const struct coco_detection found[] = { { 0, 0, { 210, 10, 20, 20 }, 0.99 },
                                            { 0, 0, { 250, 50, 20, 20 }, 0.95 },
                                            { 0, 0, { 10, 10, 20, 20 }, 0.9 } };

    NEAR(coco_iou(&found[0].box, &objects[1].box, true), 1, 0);
    NEAR(coco_iou(&found[0].box, &objects[1].box, false), 0.01, 1e-12);
    NEAR(score(INPUT(1, objects, found)).ap[COCO_ALL], 1, 1e-12);
}

/* Of a category only the best 100 of an image count: the right one is number 101. */
TEST(a_hundred_detections)
{
    struct coco_detection found[101];

    for (int i = 0; i < 101; i++)
        found[i] = (struct coco_detection){ 0, 0, { 300 + i, 10, 20, 20 }, 0.9 };
    found[100] = (struct coco_detection){ 0, 0, { 10, 10, 20, 20 }, 0.1 };
    NEAR(score(INPUT(1, one, found)).ap[COCO_ALL], 0, 0);
    found[0].score = 0.05; /* now it is number 100, behind 99 wrong ones */
    NEAR(score(INPUT(1, one, found)).ap[COCO_ALL], 0.01, 1e-12);
    found[100].score = 0.95;
    NEAR(score(INPUT(1, one, found)).ap[COCO_ALL], 1, 1e-12);
}

/* An image with a weight of 2 is the same as that image twice. */
TEST(weights_are_copies)
{
    const struct coco_object once[] = { { 0, 0, { 0, 0, 40, 40 }, 1600, false },
                                        { 1, 0, { 0, 0, 40, 40 }, 1600, false } };
    const struct coco_object twice[] = { once[0],
                                         once[1],
                                         { 2, 0, { 0, 0, 40, 40 }, 1600, false } };
    const struct coco_detection few[] = { { 0, 0, { 0, 0, 30, 40 }, 0.9 },
                                          { 1, 0, { 0, 0, 40, 40 }, 0.8 },
                                          { 1, 0, { 90, 0, 40, 40 }, 0.85 } };
    const struct coco_detection more[] = {
        few[0], few[1], few[2], { 2, 0, { 0, 0, 40, 40 }, 0.8 }, { 2, 0, { 90, 0, 40, 40 }, 0.85 }
    };
    const uint32_t weights[] = { 1, 2 }, none[] = { 0, 0 };
    const struct coco_score expected = score(INPUT(3, twice, more));
    struct coco_matches *m;
    double ap[3];

    assert_int_equal(coco_match(&m, INPUT(2, once, few), NULL), STATUS_OK);
    coco_score_weighted(m, weights, ap);
    NEAR(ap[0], expected.ap[COCO_ALL], 1e-12);
    NEAR(ap[1], expected.ap50, 1e-12);
    NEAR(ap[2], expected.ap75, 1e-12);
    assert_true(ap[0] > 0.4 && ap[0] < 0.7);
    coco_score_weighted(m, none, ap);
    assert_true(isnan(ap[0]));
    coco_matches_close(m);
}

/* ---- pixels ---- */

TEST(pixels_of_classes)
{
    struct confusion_cell cells[] = { { 0, 0, 3 }, { 0, 1, 1 }, { 1, 1, 2 } };
    const struct confusion_image image = { cells, 3 };
    struct confusion c CLOSED_BY(confusion_close);

    assert_int_equal(confusion_open(&c, 3, NULL), STATUS_OK);
    assert_true(isnan(confusion_mean_iou(&c)) && isnan(confusion_accuracy(&c)));
    confusion_add(&c, &image, 1);
    NEAR(confusion_iou(&c, 0), 3.0 / 4, 1e-15);
    NEAR(confusion_iou(&c, 1), 2.0 / 3, 1e-15);
    assert_true(isnan(confusion_iou(&c, 2)));
    NEAR(confusion_mean_iou(&c), 17.0 / 24, 1e-15);
    NEAR(confusion_accuracy(&c), 5.0 / 6, 1e-15);
}

/* A map of 2 x 2 under a mask of 4 x 4: each pixel of it covers four. */
TEST(maps_are_compared_at_the_size_of_the_mask)
{
    uint8_t pixels[16] = { 0, 0, 1, 1, 0, 255, 1, 1, 2, 2, 0, 0, 2, 2, 0, 0 };
    const struct image mask = { 4, 4, 1, pixels };
    const uint16_t map[4] = { 0, 1, 2, 2 };
    uint64_t cells[9] = { 0 };

    assert_int_equal(segmentation_count(cells, 3, &mask, map, 2, 2, 255, &err), STATUS_OK);
    assert_int_equal(cells[0], 3); /* one of four is ignored */
    assert_int_equal(cells[1 * 3 + 1], 4);
    assert_int_equal(cells[2 * 3 + 2], 4);
    assert_int_equal(cells[0 * 3 + 2], 4);
    assert_int_equal(segmentation_count(cells, 3, &mask, map, 2, 2, 7, &err), STATUS_INVALID);
    assert_string_equal(err.text, "mask: label 255 at [1, 1], expected less than the 3 classes of "
                                  "the model, or 7 for what does not count");
}

/* ---- intervals ---- */

/* The example of Newcombe (1998), table II: 36, 12, 2, 0. */
TEST(intervals_of_shares)
{
    const struct interval_pairs pairs = { 36, 12, 2, 0 }, mirrored = { 36, 2, 12, 0 };
    struct interval i = interval_paired(&pairs), m = interval_paired(&mirrored);

    NEAR(i.low, 0.0569, 5e-5);
    NEAR(i.high, 0.3404, 5e-5);
    NEAR(m.low, -i.high, 1e-12);
    NEAR(m.high, -i.low, 1e-12);
    /* A correlation of 0.98, less its correction: computed apart. */
    i = interval_paired(&(struct interval_pairs){ 712, 3, 2, 283 });
    NEAR(i.low, -0.004055653112141358, 1e-12);
    NEAR(i.high, 0.006073857343545412, 1e-12);
    i = interval_wilson(0, 10);
    assert_true(i.low == 0);
    NEAR(i.high, 0.27753, 1e-5);
    i = interval_wilson(15, 148);
    NEAR(i.low, 0.0624, 5e-5);
    NEAR(i.high, 0.1605, 5e-5);
}

/* One of ten heads or fewer, or nine or more: 22 of 1024. */
TEST(mcnemar_is_exact)
{
    NEAR(interval_mcnemar(&(struct interval_pairs){ 50, 1, 9, 3 }), 22.0 / 1024, 1e-12);
    NEAR(interval_mcnemar(&(struct interval_pairs){ 50, 9, 1, 3 }), 22.0 / 1024, 1e-12);
    NEAR(interval_mcnemar(&(struct interval_pairs){ 50, 0, 0, 3 }), 1, 0);
    NEAR(interval_mcnemar(&(struct interval_pairs){ 50, 5, 5, 3 }), 1, 0);
}

/* The mean of values 0, 1, ... 99 over the images drawn; the second one is never defined. */
static void measure(void *user, const uint32_t *weights, double *differences)
{
    double sum = 0, count = 0;

    (void)user;
    for (int i = 0; i < 100; i++) {
        sum += (double)weights[i] * i;
        count += weights[i];
    }
    assert_true(count == 100);
    differences[0] = sum / count;
    differences[1] = NAN;
}

TEST(bootstrap_has_the_error_of_a_mean)
{
    const struct interval_bootstrap b = {
        .images = 100, .metrics = 2, .resamples = 2000, .seed = 1, .quiet = true, .measure = measure
    };
    struct interval found[2], again[2];

    assert_int_equal(interval_bootstrap(&b, found, NULL), STATUS_OK);
    /* Mean 49.5, deviation 28.866 / sqrt(100): 1.96 of them. */
    NEAR(found[0].low, 49.5 - 5.658, 0.5);
    NEAR(found[0].high, 49.5 + 5.658, 0.5);
    assert_true(isnan(found[1].low) && isnan(found[1].high));
    assert_int_equal(interval_bootstrap(&b, again, NULL), STATUS_OK);
    assert_true(again[0].low == found[0].low && again[0].high == found[0].high);
}

/* ---- preprocessing ---- */

TEST(the_central_square)
{
    uint8_t pixels[8 * 6];
    const struct image im = { 8, 6, 1, pixels };
    struct image out;

    for (int i = 0; i < 8 * 6; i++)
        pixels[i] = (uint8_t)i;
    /* Side 3 = 0.5 * 6; from x = round(2.5), y = round(1.5). */
    assert_int_equal(preprocess_crop(&out, &im, 0.5, NULL), STATUS_OK);
    assert_int_equal(out.width, 3);
    assert_int_equal(out.height, 3);
    assert_int_equal(out.pixels[0], 2 * 8 + 3);
    assert_int_equal(out.pixels[8], 4 * 8 + 5);
    image_close(&out);
    assert_int_equal(preprocess_crop(&out, &im, 0.001, NULL), STATUS_OK);
    assert_int_equal(out.width, 1);
    image_close(&out);
}

/* Without half-pixel centres output 1 of 4 lies at 0.5 of 2, and the last one beyond the end. */
TEST(resizing_as_the_tools_of_tflite)
{
    uint8_t pixels[2] = { 10, 21 };
    const struct image im = { 2, 1, 1, pixels };
    struct eval_input in = { kTfLiteFloat32, 1, 4, 1, 4, { 1, 1, 4, 1 }, 4, 16 };
    struct preprocess p = { PREPROCESS_TFLITE, 0, { 127.5, 127.5 } };
    float floats[4];
    uint8_t bytes[4];
    int8_t integers[4];

    assert_int_equal(preprocess_image(&p, &im, &in, floats, NULL), STATUS_OK);
    NEAR(floats[0], (10 - 127.5) / 127.5, 1e-6);
    NEAR(floats[1], (15.5 - 127.5) / 127.5, 1e-6);
    NEAR(floats[2], (21 - 127.5) / 127.5, 1e-6);
    NEAR(floats[3], (21 - 127.5) / 127.5, 1e-6);
    in.type = kTfLiteUInt8;
    assert_int_equal(preprocess_image(&p, &im, &in, bytes, NULL), STATUS_OK);
    assert_int_equal(bytes[1], 15); /* cut off */
    in.type = kTfLiteInt8;
    assert_int_equal(preprocess_image(&p, &im, &in, integers, NULL), STATUS_OK);
    assert_int_equal(integers[1], -112); /* -112.5, cut off towards 0 */
    /* With half-pixel centres it lies at 0.25 of the way, and is rounded. */
    p.way = PREPROCESS_WHOLE;
    in.type = kTfLiteUInt8;
    assert_int_equal(preprocess_image(&p, &im, &in, bytes, NULL), STATUS_OK);
    assert_int_equal(bytes[1], 13); /* 12.75 */
    assert_int_equal(bytes[2], 18); /* 18.25 */
}
