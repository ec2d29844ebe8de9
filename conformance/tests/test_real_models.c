/* Trained models of ASSAY_MODELS (default ../shared/models), skipped where there are none: what
 * they find in pictures is what is in them, on the reference. */
#include "reference/tests/kit/test.h"

#include "conformance/suite/io/image_read.h"
#include "conformance/suite/io/tensor_io.h"
#include "conformance/suite/io/tensor_value.h"
#include "conformance/suite/subject/session.h"
#include "reference/format/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 1024, DOG = 12, MASK_DOG = 0, MASK_BORDER = 2 };

static void path_of(char path[PATH_BYTES], const char *folder, const char *name)
{
    const char *const models = getenv("ASSAY_MODELS") ? getenv("ASSAY_MODELS") : "../shared/models";

    snprintf(path, PATH_BYTES, "%s/%s/%s", models, folder, name);
    if (access(path, R_OK) != 0) {
        print_message("skipped: no %s (set ASSAY_MODELS)\n", path);
        skip();
    }
}

/* Runs the model on the picture; the session is closed by the caller. */
static const TfLiteTensor *run(struct session *s, const char *model, const char *picture)
{
    const struct pixel_scale scale = { 127.5, 127.5 };
    const struct string_list none = { .count = 0 };
    size_t count;

    memset(s, 0, sizeof *s);
    if (session_open(s, model, &err) != STATUS_OK ||
        session_subject(s, "none", &none, &err) != STATUS_OK ||
        session_start(s, &err) != STATUS_OK ||
        tensor_load(interpreter_tensor(s->in, interpreter_inputs(s->in, &count)[0]), picture, scale,
                    &err) != STATUS_OK ||
        interpreter_invoke(s->in, &err) != STATUS_OK)
        fail_msg("%s: %s", model, err.text);
    return interpreter_tensor(s->in, interpreter_outputs(s->in, &count)[0]);
}

static struct image read_image(const char *path)
{
    struct image im = { .pixels = NULL };
    uint8_t *bytes CLOSED_BY(kit_mem_free);
    size_t count;

    if (file_read(path, 1 << 24, &bytes, &count, &err) != STATUS_OK ||
        image_read(&im, bytes, count, &err) != STATUS_OK)
        fail_msg("%s: %s", path, err.text);
    return im;
}

/* Pixels that both call a dog, by those that either does; the mask's border counts for neither. */
static double overlap(const TfLiteTensor *classes, const struct image *mask)
{
    const size_t high = (size_t)classes->dims->data[1], wide = (size_t)classes->dims->data[2];
    size_t both = 0, either = 0;

    for (size_t y = 0; y < mask->height; y++) {
        for (size_t x = 0; x < mask->width; x++) {
            const uint8_t truth = mask->pixels[mask->channels * (y * mask->width + x)];
            const size_t from = (2 * y + 1) * high / (2 * mask->height) * wide +
                                (2 * x + 1) * wide / (2 * mask->width);
            const bool found = tensor_real(classes, from) == DOG, is = truth == MASK_DOG;

            if (truth == MASK_BORDER)
                continue;
            both += found && is;
            either += found || is;
        }
    }
    return either ? (double)both / (double)either : 0;
}

TEST(the_dog_is_covered)
{
    char model[PATH_BYTES], picture[PATH_BYTES], truth[PATH_BYTES];
    const TfLiteTensor *classes;
    struct session s CLOSED_BY(session_close);
    struct image mask CLOSED_BY(image_close);
    double iou;

    path_of(model, "real", "deeplabv3_mnv2_dm05_pascal_quant.tflite");
    path_of(picture, "images", "dog_segmentation_256.bmp");
    path_of(truth, "images", "dog_segmentation_mask_256.bmp");
    mask = read_image(truth);
    classes = run(&s, model, picture);
    iou = overlap(classes, &mask);
    print_message("intersection over union of the dog: %.3f\n", iou);
    assert_true(iou >= 0.95);
}

TEST(the_nine_is_a_nine)
{
    char model[PATH_BYTES], picture[PATH_BYTES];
    const TfLiteTensor *scores;
    struct session s CLOSED_BY(session_close);
    size_t best;

    path_of(model, "real", "keras_lstm_mnist_ptq.tflite");
    path_of(picture, "images", "mnist_nine.bmp");
    scores = run(&s, model, picture);
    assert_int_equal(tensor_top(scores, 1, &best), 1);
    assert_int_equal(best, 9);
    assert_true(tensor_real(scores, best) > 0.9);
}

TEST(the_op_that_nobody_knows_is_named)
{
    const struct string_list none = { .count = 0 };
    char model[PATH_BYTES];
    struct session s CLOSED_BY(session_close);

    path_of(model, "real", "model_invoking_error.tflite");
    memset(&s, 0, sizeof s);
    assert_int_equal(session_open(&s, model, &err), STATUS_OK);
    assert_int_equal(session_subject(&s, "none", &none, &err), STATUS_OK);
    assert_int_equal(session_start(&s, &err), STATUS_UNSUPPORTED);
    assert_non_null(strstr(err.text, "the custom op \"fake-op-double\" version 1 is not known"));
}
