/* `assay eval` from files to metrics: digits in the layout of ILSVRC 2012, a detector and a
 * segmentation model that are made here, subjects that go wrong, and runs that go on. */
/* Needs: mock/delegate.so mock/gpu.so */
#include "conformance/suite/io/array_hdf5.h"
#include "conformance/suite/models/digits.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tools/eval/coco.h"
#include "conformance/tools/eval/eval_run.h"
#include "conformance/tools/eval/imagenet.h"
#include "conformance/tools/eval/segmentation.h"
#include "reference/base/memory.h"
#include "reference/format/write.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <png.h>

enum { IMAGES = 20, SIDE = 32 };

/* ---- files ---- */

static void write_png(const char *name, uint32_t width, uint32_t height, const uint8_t *grey)
{
    png_image png = {
        .version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_GRAY
    };

    assert_int_equal(png_image_write_to_file(&png, scratch("%s", name), 0, grey, 0, NULL), 1);
}

static void write_even_png(const char *name, uint32_t width, uint32_t height, uint8_t grey)
{
    uint8_t *pixels CLOSED_BY(kit_free) = malloc((size_t)width * height);

    memset(pixels, grey, (size_t)width * height);
    write_png(name, width, height, pixels);
}

/* The images that digits_run picks, as ILSVRC2012_val_00000001.png and so on, and their classes. */
static void write_digits(void)
{
    struct array pixels CLOSED_BY(array_close), labels CLOSED_BY(array_close);
    FILE *truth;

    KIT_OK(hdf5_read(&pixels, "golden/digits/digits.h5", "images", -1, NULL, NULL));
    KIT_OK(hdf5_read(&labels, "golden/digits/digits.h5", "labels", -1, NULL, NULL));
    assert_int_equal(mkdir(scratch("val"), 0700), 0);
    truth = fopen(scratch("truth.txt"), "w");
    assert_non_null(truth);
    for (size_t i = 0; i < IMAGES; i++) {
        const size_t pick = i * labels.elements / IMAGES;
        char name[64];

        snprintf(name, sizeof name, "val/ILSVRC2012_val_%08zu.png", i + 1);
        write_png(name, SIDE, SIDE, (const uint8_t *)pixels.data + pick * SIDE * SIDE);
        fprintf(truth, "%d\n", ((const uint8_t *)labels.data)[pick]);
    }
    fclose(truth);
}

FIXTURE(make_folder)
{
    write_digits();
    return 0;
}

/* ---- runs ---- */

struct run {
    struct eval_model model;
    struct subject subject, reference;
    struct imagenet x;
    struct eval_request request;
    struct eval_outcome outcome;
    struct eval_report report;
    struct diag diag;
};

static struct imagenet_files digit_files(void)
{
    return (struct imagenet_files){ .images = scratch("val"),
                                    .ground_truth = scratch("truth.txt") };
}

/* fault NULL: the scalar reference alone; else the mock, beside the reference. */
static void run_open(struct run *r, const char *model, const char *fault)
{
    char option[64];
    const char *options[1] = { option };
    const struct string_list list = { options, 1 };

    *r = (struct run){ .outcome = { .seconds = 0 } };
    snprintf(option, sizeof option, "fault=%s", fault ? fault : "none");
    if (subject_init(&r->reference, "none", NULL, &r->diag) != STATUS_OK ||
        subject_init(&r->subject, fault ? mock_path("delegate.so") : "none", fault ? &list : NULL,
                     &r->diag) != STATUS_OK ||
        eval_model_open(&r->model, model, &r->diag) != STATUS_OK)
        fail_msg("%s", r->diag.text);
    r->request = (struct eval_request){ .model = &r->model,
                                        .subject = &r->subject,
                                        .reference = fault ? &r->reference : NULL,
                                        .preprocess = { PREPROCESS_WHOLE, 0, { 127.5, 127.5 } },
                                        .jobs = 2,
                                        .timeout_s = 60,
                                        .truth_sha256 = "",
                                        .quiet = true };
}

static enum status run_digits(struct run *r, const struct imagenet_files *files)
{
    struct eval_task task;

    TRY(imagenet_open(&r->x, files, &r->model, &r->diag));
    task = imagenet_task(&r->x);
    TRY(eval_run(&r->request, &task, &r->x.truth.images, &r->outcome, &r->diag));
    r->report.images = &r->x.truth.images;
    r->report.outcome = r->outcome;
    r->report.max_drop = NAN;
    return imagenet_report(&r->x, r->request.reference != NULL, &r->report, &r->diag);
}

static void run_close(struct run *r)
{
    eval_report_close(&r->report);
    imagenet_close(&r->x);
    eval_model_close(&r->model);
    subject_close(&r->subject);
    subject_close(&r->reference);
}

/* ---- imagenet ---- */

/* As conformance counts them on the same images. */
TEST(digits_have_the_top_1_of_conformance)
{
    const struct digits_options options = { .images = IMAGES, .quiet = true };
    struct imagenet_files files = digit_files();
    struct digits_report expected CLOSED_BY(digits_close);
    size_t models = 0;

    assert_int_equal(digits_run(&expected, NULL, 0, &options, NULL), STATUS_OK);
    for (size_t i = 0; i < expected.count; i++) {
        const struct digits_score *const s = &expected.scores[i];
        char path[128];
        struct run r;

        snprintf(path, sizeof path, "golden/digits/%s.tflite", s->model);
        run_open(&r, path, NULL);
        if (run_digits(&r, &files) != STATUS_OK)
            fail_msg("%s: %s", s->model, r.diag.text);
        assert_int_equal(s->images, IMAGES);
        assert_true(s->right > IMAGES / 2);
        assert_true(fabs(r.report.metrics[0].value[0] - (double)s->right / IMAGES) < 1e-12);
        assert_true(r.report.metrics[9].value[0] == 1); /* top-10 of 10 */
        assert_true(isnan(r.report.metrics[0].value[EVAL_REFERENCE]));
        run_close(&r);
        models++;
    }
    assert_int_equal(models, 5);
}

static void expect_rows(const struct eval_report *report, const char *name, const char *expected)
{
    char text[1024] = "";
    FILE *f;

    assert_int_equal(eval_report_rows(report, scratch("%s", name), NULL), STATUS_OK);
    f = fopen(scratch("%s", name), "rb");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    if (!strstr(text, expected))
        fail_msg("expected \"%s\" in \"%s\"", expected, text);
}

/* Images that nothing can be made of are left out and named; the others count. */
TEST(unreadable_images_are_counted)
{
    struct imagenet_files files = { .images = scratch("some"),
                                    .ground_truth = scratch("some.txt") };
    struct run r CLOSED_BY(run_close);

    assert_int_equal(mkdir(scratch("some"), 0700), 0);
    write_even_png("some/a.png", 8, 8, 0);
    scratch_text("some/b.png", "");
    scratch_text("some/c.jpg", "no image");
    scratch_text("some/notes.txt", "not in the list");
    /* By name, in any order; d is not there. */
    scratch_text("some.txt", "c.jpg 1\nd,\"e\".png 2\na.png 3\nb.png 4\n");
    run_open(&r, "golden/digits/digits_i8.tflite", "none");
    if (run_digits(&r, &files) != STATUS_OK)
        fail_msg("%s", r.diag.text);
    assert_int_equal(eval_images_count(r.report.images, EVAL_ANSWERED), 1);
    assert_int_equal(eval_images_count(r.report.images, EVAL_UNREADABLE), 3);
    assert_non_null(strstr(r.report.images->items[0].reason, "neither BMP nor JPEG nor PNG"));
    assert_non_null(strstr(r.report.images->items[1].reason, "No such file"));
    assert_string_equal(r.report.images->items[3].reason, "the file is empty");
    assert_int_equal(r.report.images->items[2].state, EVAL_ANSWERED);
    assert_int_equal(r.report.same, 1);
    assert_false(eval_report_failed(&r.report));
    expect_rows(
        &r.report, "rows.csv",
        "image,state,reason,class,subject_class,subject_rank,reference_class,reference_rank\n"
        "c.jpg,unreadable,neither BMP nor JPEG nor PNG,1,,,,\n"
        "\"d,\"\"e\"\".png\",unreadable,\"");
    expect_rows(&r.report, "rows.csv", "\nb.png,unreadable,the file is empty,4,,,,\n");
    expect_rows(&r.report, "rows.json", "\"image\": \"d,\\\"e\\\".png\"");
}

TEST(a_crash_fails_its_image_alone)
{
    struct imagenet_files files = digit_files();
    char why[256];
    struct run r;

    files.num_images = 3;
    run_open(&r, "golden/digits/digits_f32.tflite", "crash");
    assert_int_equal(run_digits(&r, &files), STATUS_OK);
    assert_int_equal(eval_images_count(r.report.images, EVAL_FAILED), 3);
    assert_non_null(strstr(r.report.images->items[2].reason, "SIGSEGV"));
    eval_report_why(&r.report, why, sizeof why);
    assert_string_equal(why, "3 images failed");
    run_close(&r);

    run_open(&r, "golden/digits/digits_f32.tflite", "hang");
    r.request.timeout_s = 5;
    files.num_images = 1;
    assert_int_equal(run_digits(&r, &files), STATUS_OK);
    assert_non_null(strstr(r.report.images->items[0].reason, "no answer within 5 s"));
    run_close(&r);

    run_open(&r, "golden/digits/digits_f32.tflite", "decline");
    assert_int_equal(run_digits(&r, &files), STATUS_MISMATCH);
    assert_non_null(strstr(r.diag.text, "takes none of 30 nodes"));
    run_close(&r);

    run_open(&r, "golden/digits/digits_f32.tflite", "crash_prepare");
    assert_int_equal(run_digits(&r, &files), STATUS_DEVICE);
    assert_non_null(strstr(r.diag.text, "opening the model on delegate.so"));
    run_close(&r);
}

/* Ground truth that is one class off, either way, gets the offset that it needs, once. */
TEST(shifted_labels_have_a_hint)
{
    static const struct {
        int64_t offset;
        const char *hint;
    } rows[] = { { 1, "--label-offset=0 gives a top-1 of " },
                 { -1, "--label-offset=0 gives a top-1 of " },
                 { 0, "" },
                 { 3, "" } };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct imagenet_files files = digit_files();
        FILE *const truth = fopen(files.ground_truth, "r"), *f;
        int class, low = 0, high = 9;
        struct run r CLOSED_BY(run_close);

        /* Only classes that exist with the offset. */
        assert_non_null(truth);
        f = fopen(scratch("shifted.txt"), "w");
        assert_non_null(f);
        for (int n = 1; fscanf(truth, "%d", &class) == 1; n++) {
            if (class + rows[i].offset >= low && class + rows[i].offset <= high)
                fprintf(f, "ILSVRC2012_val_%08d.png %d\n", n, class);
        }
        fclose(f);
        fclose(truth);
        files.ground_truth = scratch("shifted.txt");
        files.offset = rows[i].offset;
        run_open(&r, "golden/digits/digits_i8.tflite", NULL);
        if (run_digits(&r, &files) != STATUS_OK)
            fail_msg("%s", r.diag.text);
        assert_int_equal(strncmp(r.report.hint, rows[i].hint, strlen(rows[i].hint)), 0);
        assert_int_equal(r.report.hint[0] == '\0', rows[i].hint[0] == '\0');
    }
}

/* A subject that is wrong loses against the reference, and --max-drop says so. */
TEST(a_drop_is_held_to_its_limit)
{
    struct imagenet_files files = digit_files();
    const struct interval_pairs *p;
    char why[256];
    struct run r CLOSED_BY(run_close);

    run_open(&r, "golden/digits/digits_f32.tflite", "swap");
    if (run_digits(&r, &files) != STATUS_OK)
        fail_msg("%s", r.diag.text);
    p = &r.report.pairs;
    assert_true(r.report.metrics[0].value[0] < r.report.metrics[0].value[1]);
    assert_int_equal(p->both + p->first_only + p->second_only + p->neither, IMAGES);
    assert_true(p->second_only > 0 && r.report.same < IMAGES);
    assert_true(r.report.metrics[0].interval.low < 0);
    assert_false(eval_report_failed(&r.report));
    r.report.max_drop = 0;
    assert_true(eval_report_failed(&r.report));
    eval_report_why(&r.report, why, sizeof why);
    assert_non_null(strstr(why, "top_1 dropped by "));
    r.report.max_drop = 1;
    assert_false(eval_report_failed(&r.report));
}

/* Cuts the last line of a file in two. */
static void cut_file(const char *path)
{
    struct stat info;

    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(truncate(path, info.st_size - 9), 0);
}

TEST(a_run_goes_on)
{
    struct imagenet_files files = digit_files();
    const char *log = scratch("answers.jsonl");
    double top_1;
    struct run r;

    files.num_images = 6;
    run_open(&r, "golden/digits/digits_i8.tflite", "none");
    r.request.resume = log;
    assert_int_equal(run_digits(&r, &files), STATUS_OK);
    assert_int_equal(r.outcome.resumed, 0);
    top_1 = r.report.metrics[0].value[0];
    run_close(&r);

    cut_file(log);
    run_open(&r, "golden/digits/digits_i8.tflite", "none");
    r.request.resume = log;
    assert_int_equal(run_digits(&r, &files), STATUS_OK);
    assert_int_equal(r.outcome.resumed, 5);
    assert_int_equal(r.outcome.hello.taken, 30);
    assert_true(r.report.metrics[0].value[0] == top_1);
    assert_int_equal(eval_images_count(r.report.images, EVAL_ANSWERED), 6);
    run_close(&r);

    /* All is there: no process is started, as a subject that would crash shows. */
    run_open(&r, "golden/digits/digits_i8.tflite", "none");
    r.request.resume = log;
    assert_int_equal(run_digits(&r, &files), STATUS_OK);
    assert_int_equal(r.outcome.resumed, 6);
    run_close(&r);

    run_open(&r, "golden/digits/digits_i8.tflite", "none");
    r.request.resume = log;
    r.request.preprocess.crop = 0.5;
    assert_int_equal(run_digits(&r, &files), STATUS_USAGE);
    assert_non_null(strstr(r.diag.text,
                           "it is of another run: preprocessing: expected \"whole, "
                           "crop 0.5, mean 127.5, std 127.5\", found \"whole, crop 0,"));
    run_close(&r);

    run_open(&r, "golden/digits/digits_i8.tflite", "none");
    r.request.resume = files.ground_truth; /* a file that must survive the mistake */
    assert_int_equal(run_digits(&r, &files), STATUS_USAGE);
    assert_non_null(strstr(r.diag.text, "it holds no answers of `assay eval`"));
    run_close(&r);
}

static void expect_refusal(const char *truth, const char *labels, const char *names,
                           const char *text)
{
    struct imagenet_files files = digit_files();
    const char *const truth_path = scratch("t.txt"), *const labels_path = scratch("l.txt"),
                      *const names_path = scratch("n.txt");
    struct run r CLOSED_BY(run_close);

    scratch_text("t.txt", truth);
    scratch_text("l.txt", labels ? labels : "");
    scratch_text("n.txt", names ? names : "");
    files.ground_truth = truth_path;
    files.labels = labels ? labels_path : NULL;
    files.names = names ? names_path : NULL;
    run_open(&r, "golden/digits/digits_i8.tflite", NULL);
    assert_int_not_equal(imagenet_open(&r.x, &files, &r.model, &r.diag), STATUS_OK);
    if (!strstr(r.diag.text, text))
        fail_msg("expected \"%s\" in \"%s\"", text, r.diag.text);
}

#define TEN      "zero\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n"
#define NINETEEN "1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n"

TEST(files_that_do_not_fit)
{
    expect_refusal("1\n2\n", NULL, NULL, "found 2 lines, ");
    expect_refusal("1\n2\n", NULL, NULL, "has 20 images (and 0 other files)");
    expect_refusal("", NULL, NULL, "it is empty");
    expect_refusal(NINETEEN "10\n", NULL, NULL,
                   "t.txt: line 20: class 10: expected 0 to 9, as the model has 10 classes");
    expect_refusal(NINETEEN "cat\n", NULL, NULL, "\"cat\": expected the number of a class");
    expect_refusal(NINETEEN "-1\n", NULL, NULL, "class -1");
    expect_refusal(NINETEEN "5\n", "a\nb\n", NULL, "l.txt: found 2 labels, the model");
    expect_refusal("one\n" NINETEEN, TEN, NULL, "line 2: \"1\" is none of the 10 labels");
    expect_refusal(NINETEEN "3\n", TEN, "one\ntwo\n",
                   "line 20: \"3\": expected a number from 1 to 2");
    expect_refusal("a.png one\nb.png\n", TEN, NULL,
                   "line 2: \"b.png\": expected the name of an image before the label");
}

/* Numbers by way of names, labels that are there twice, images that are left out. */
TEST(labels_of_the_ground_truth)
{
    const char *const labels = scratch("l.txt"), *const names = scratch("n.txt"),
                      *const deny = scratch("deny.txt"), *const truth = scratch("t.txt"),
                      *const images = scratch("val");
    const struct imagenet_files files = { .images = images,
                                          .ground_truth = truth,
                                          .labels = labels,
                                          .names = names,
                                          .denylist = deny,
                                          .num_images = 4 };
    struct imagenet_truth t CLOSED_BY(imagenet_truth_close);

    scratch_text("l.txt", "zero\ncrane\ntwo\nthree\ncrane\nfive\nsix\nseven\neight\nnine\r\n");
    scratch_text("n.txt", "nine\ncrane\n");
    scratch_text("deny.txt", "2\n1\n");
    scratch_text("t.txt", "1\n1\n2\n1\n2\n"
                          "1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n");
    assert_int_equal(imagenet_truth_open(&t, &files, "model", 10, NULL), STATUS_OK);
    assert_int_equal(t.images.count, 4);
    assert_int_equal(t.denied, 2);
    assert_string_equal(t.images.items[0].name, "ILSVRC2012_val_00000003.png");
    assert_int_equal(t.expected[0], 1);
    assert_int_equal(t.expected[1], 9);
    assert_int_equal(t.same[4], 1);
}

static void take_classes(struct run *r, size_t image, enum eval_side side, const char *text)
{
    const struct eval_task task = imagenet_task(&r->x);
    json_t *const answer = json_loads(text, 0, NULL);

    if (task.take(task.user, image, side, answer, &r->diag) != STATUS_OK)
        fail_msg("%s", r->diag.text);
    eval_images_settle(&r->x.truth.images, image, EVAL_ANSWERED, NULL);
    json_decref(answer);
}

/* Image 0 has class 1: third with the subject, first with the reference.  Image 1 has class 4, of
 * the same label as 1: fourth and second.  The others have no answer, and do not count. */
TEST(ranks_of_classes)
{
    static const double top[2][5] = { { 0, 0, 0.5, 1, 1 }, { 0.5, 1, 1, 1, 1 } };
    struct imagenet_files files = digit_files();
    const char *labels = scratch("l.txt");
    struct run r CLOSED_BY(run_close);

    scratch_text("l.txt", "zero\ncrane\ntwo\nthree\ncrane\nfive\nsix\nseven\neight\nnine\n");
    scratch_text("t.txt",
                 "crane\ncrane\ntwo\ntwo\ntwo\ntwo\ntwo\ntwo\ntwo\ntwo\ntwo\ntwo\ntwo\ntwo\n"
                 "two\ntwo\ntwo\ntwo\ntwo\ntwo\n");
    files.ground_truth = scratch("t.txt");
    files.labels = labels;
    run_open(&r, "golden/digits/digits_i8.tflite", "none");
    if (imagenet_open(&r.x, &files, &r.model, &r.diag) != STATUS_OK)
        fail_msg("%s", r.diag.text);
    take_classes(&r, 0, EVAL_SUBJECT, "{\"classes\": [3, 2, 1], \"scores\": [0.5, 0.3, 0.1]}");
    take_classes(&r, 0, EVAL_REFERENCE, "{\"classes\": [1, 2, 3], \"scores\": [0.5, 0.3, 0.1]}");
    take_classes(&r, 1, EVAL_SUBJECT, "{\"classes\": [0, 2, 3, 4], \"scores\": [4, 3, 2, null]}");
    take_classes(&r, 1, EVAL_REFERENCE, "{\"classes\": [0, 1], \"scores\": [4, 3]}");
    assert_int_equal(imagenet_rank(&r.x, 0, EVAL_SUBJECT), 2);
    assert_int_equal(imagenet_rank(&r.x, 1, EVAL_SUBJECT), 3);
    assert_int_equal(imagenet_rank(&r.x, 1, EVAL_REFERENCE), 1);
    assert_int_equal(imagenet_report(&r.x, true, &r.report, &r.diag), STATUS_OK);
    for (size_t side = 0; side < 2; side++) {
        for (size_t k = 0; k < 5; k++)
            assert_true(r.report.metrics[k].value[side] == top[side][k]);
    }
    assert_int_equal(r.report.same, 1); /* image 1: both say 0 */
    assert_int_equal(r.report.pairs.second_only, 1);
    assert_int_equal(r.report.pairs.neither, 1);
}

/* ---- models that are made here ---- */

static void save_model(const char *text, const char *name)
{
    struct tflite_file file;
    struct model m CLOSED_BY(model_close);
    FILE *f;

    kit_text(&m, "%s", text);
    KIT_OK(tflite_write(&m, &file, &err));
    f = fopen(scratch("%s", name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(file.bytes, 1, file.count, f), file.count);
    fclose(f);
    mem_free(file.bytes);
}

/* Two anchors, upper left and lower right, moved by the image's pixels, each of a class of its own:
 * 0 with a score of 0.9, 1 with one of 0.8. */
static void write_detector(const char *name)
{
    save_model("RESHAPE image:f32[1,2,4,1] shape:i32[3]=1,2,4 -> encoded:f32[1,2,4]\n"
               "CUSTOM(TFLite_Detection_PostProcess) flex(max_detections=2 "
               "max_classes_per_detection=1 num_classes=2 nms_score_threshold=0.5 "
               "nms_iou_threshold=0.5 y_scale=1.0 x_scale=1.0 h_scale=1000000.0 w_scale=1000000.0) "
               "encoded table:f32[1,2,3]=0,0.9,0.1,0,0.1,0.8 "
               "anchors:f32[2,4]=.25,.25,.5,.5,.75,.75,.5,.5 "
               "-> boxes:f32[1,2,4] classes:f32[1,2] scores:f32[1,2] count:f32[1]",
               name);
}

/* Scores (pixel - 127.5) / 127.5 and 0: bright pixels have class 0. */
static void write_segmenter(const char *name)
{
    save_model("CONCATENATION {axis=3} image:f32[1,4,4,1] f32[1,4,4,1]=0 -> scores", name);
}

/* ---- coco ---- */

/* Images of 40 x 20 pixels.  Grey of 128 leaves the anchors where they are, [0, 0, 20, 10] and
 * [20, 10, 20, 10]; white moves the first one to the lower right.  Of category 1 those of a and w
 * are found and that of b is not, where a detection of the same score is wrong:
 *     a 0.9 right, b 0.9 wrong, w 0.9 right: recalls 1/3, 1/3, 2/3, precisions 1, 1/2, 2/3;
 * 34 recalls (0 to .33) have precision 1, 33 more (.34 to .66) 2/3.  Category 2: found in a, and
 * two wrong ones of the same score after it: 1. */
static const char coco_truth_text[] =
    "{\"images\": [{\"id\": 5, \"file_name\": \"a.png\"}, {\"id\": 7, \"file_name\": \"b.png\"},"
    " {\"id\": 9, \"file_name\": \"w.png\"}, {\"id\": 11, \"file_name\": \"gone.png\"}],"
    " \"categories\": [{\"id\": 1, \"name\": \"one\"}, {\"id\": 2, \"name\": \"two\"}],"
    " \"annotations\": ["
    "{\"id\": 1, \"image_id\": 5, \"category_id\": 1, \"bbox\": [0, 0, 20, 10], \"area\": 200},"
    "{\"id\": 2, \"image_id\": 5, \"category_id\": 2, \"bbox\": [20, 10, 20, 10], \"area\": 200},"
    "{\"id\": 3, \"image_id\": 7, \"category_id\": 1, \"bbox\": [20, 10, 20, 10], \"area\": 200},"
    "{\"id\": 4, \"image_id\": 9, \"category_id\": 1, \"bbox\": [20, 10, 20, 10], \"area\": 200},"
    "{\"id\": 5, \"image_id\": 11, \"category_id\": 2, \"bbox\": [0, 0, 20, 10], \"area\": 200}]}";

static void check_detector(const char *labels, int64_t offset)
{
    const char *const images = scratch("coco"), *const truth = scratch("coco.json");
    const struct coco_request q = {
        .images = images, .ground_truth = truth, .labels = labels, .offset = offset
    };
    struct run r CLOSED_BY(run_close);
    struct coco x CLOSED_BY(coco_close);
    struct eval_report report CLOSED_BY(eval_report_close) = { .max_drop = NAN };
    struct eval_task task;

    run_open(&r, scratch("detector.tflite"), NULL);
    r.request.reference = &r.reference; /* the mock does not know custom ops */
    r.request.preprocess = (struct preprocess){ PREPROCESS_TFLITE, 0, { 128, 127 } };
    if (coco_open(&x, &q, &r.model, &r.diag) != STATUS_OK)
        fail_msg("%s", r.diag.text);
    task = coco_task(&x);
    if (eval_run(&r.request, &task, &x.images, &r.outcome, &r.diag) != STATUS_OK ||
        coco_report(&x, true, 20, true, &report, &r.diag) != STATUS_OK)
        fail_msg("%s", r.diag.text);
    if (eval_images_count(&x.images, EVAL_ANSWERED) != 3)
        fail_msg("%s", x.images.items[0].reason);
    assert_int_equal(x.images.items[3].state, EVAL_UNREADABLE);
    assert_int_equal(x.found[0].count, 6);
    assert_int_equal(report.class_count, 2);
    for (int side = 0; side < EVAL_SIDES; side++) {
        assert_true(fabs(report.classes[0].value[side] - (34 + 33 * 2.0 / 3) / 101) < 1e-9);
        assert_true(fabs(report.classes[1].value[side] - 1) < 1e-9);
    }
    assert_true(report.metrics[0].has_interval && report.metrics[0].interval.low == 0);
}

TEST(a_detector_finds_its_boxes)
{
    write_detector("detector.tflite");
    assert_int_equal(mkdir(scratch("coco"), 0700), 0);
    write_even_png("coco/a.png", 40, 20, 128);
    write_even_png("coco/b.png", 40, 20, 128);
    write_even_png("coco/w.png", 40, 20, 255);
    scratch_text("coco.json", coco_truth_text);
    check_detector(NULL, 1); /* class 0 is category 1 */
    scratch_text("l.txt", "???\none\ntwo\n");
    check_detector(scratch("l.txt"), 1);
    scratch_text("l.txt", "one\ntwo\n");
    check_detector(scratch("l.txt"), 0);
}

static void expect_coco_refusal(const char *truth, const char *detections, const char *text)
{
    const char *const truth_path = scratch("t.json"), *const found = scratch("d.json");
    const struct coco_request q = { .ground_truth = truth_path };
    struct diag diag = { .status = STATUS_OK };
    struct coco x CLOSED_BY(coco_close);
    enum status s;

    scratch_text("t.json", truth);
    scratch_text("d.json", detections);
    s = coco_open(&x, &q, NULL, &diag);
    if (s == STATUS_OK)
        s = coco_take_file(&x, EVAL_SUBJECT, found, &diag);
    assert_int_not_equal(s, STATUS_OK);
    if (!strstr(diag.text, text))
        fail_msg("expected \"%s\" in \"%s\"", text, diag.text);
}

TEST(coco_files_that_are_wrong)
{
    expect_coco_refusal("[", "[]", "t.json: line 1: ");
    expect_coco_refusal("[]", "[]", "expected a COCO instances file");
    expect_coco_refusal("{\"images\": [{\"id\": 1}, {\"id\": 1}], \"annotations\": [], "
                        "\"categories\": []}",
                        "[]", "two images have the id 1");
    expect_coco_refusal("{\"images\": [{\"id\": 1}], \"categories\": [{\"id\": 3}], "
                        "\"annotations\": [{\"image_id\": 1, \"category_id\": 4, \"bbox\": "
                        "[0, 0, 1, 1]}]}",
                        "[]", "annotation 0: category 4 is not among the 1 of \"categories\"");
    expect_coco_refusal("{\"images\": [{\"id\": 1}], \"categories\": [{\"id\": 3}], "
                        "\"annotations\": [{\"image_id\": 1, \"category_id\": 3, \"bbox\": "
                        "[0, 0, -1, 1]}]}",
                        "[]", "annotation 0: \"bbox\": [0, 0, -1, 1]");
    expect_coco_refusal(coco_truth_text, "{}", "expected a COCO results file");
    expect_coco_refusal(coco_truth_text,
                        "[{\"image_id\": 6, \"category_id\": 1, \"bbox\": [0, 0, 1, 1], "
                        "\"score\": 1}]",
                        "detection 0: image 6 is not among the 4 of the ground truth");
    expect_coco_refusal(
        coco_truth_text,
        "[{\"image_id\": 5, \"category_id\": 1, \"bbox\": [0, 0, 1], \"score\": 1}]",
        "detection 0: \"bbox\": expected [x, y, width, height]");
}

/* ---- segmentation ---- */

/* a: the left half is bright; the mask agrees but for a column, of which one pixel does not count.
 * Of 15 pixels 8 have class 0 in the model's map.  b has a mask of another size, c none. */
TEST(pixels_are_compared_with_masks)
{
    static const uint8_t image[16] = { 200, 200, 0, 0, 200, 200, 0, 0,
                                       200, 200, 0, 0, 200, 200, 0, 0 };
    static const uint8_t mask[16] = { 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 255, 1, 1 };
    const char *const images = scratch("seg"), *const masks = scratch("masks");
    const struct segmentation_files files = { .images = images, .masks = masks, .ignore = 255 };
    struct run r CLOSED_BY(run_close);
    struct segmentation x CLOSED_BY(segmentation_close);
    struct eval_report report CLOSED_BY(eval_report_close) = { .max_drop = NAN };
    struct eval_task task;

    write_segmenter("segmenter.tflite");
    assert_int_equal(mkdir(images, 0700), 0);
    assert_int_equal(mkdir(masks, 0700), 0);
    write_png("seg/a.png", 4, 4, image);
    write_png("masks/a.png", 4, 4, mask);
    write_even_png("seg/b.png", 4, 4, 0);
    write_even_png("masks/b.png", 4, 5, 0);
    write_even_png("seg/c.png", 4, 4, 0);
    run_open(&r, scratch("segmenter.tflite"), "none");
    if (segmentation_open(&x, &files, &r.model, &r.diag) != STATUS_OK)
        fail_msg("%s", r.diag.text);
    task = segmentation_task(&x);
    if (eval_run(&r.request, &task, &x.images, &r.outcome, &r.diag) != STATUS_OK ||
        segmentation_report(&x, true, 0, true, &report, &r.diag) != STATUS_OK)
        fail_msg("%s", r.diag.text);
    assert_int_equal(x.without_mask, 1);
    assert_int_equal(x.images.items[1].state, EVAL_UNREADABLE);
    assert_non_null(strstr(x.images.items[1].reason, "is 4x5, the image 4x4"));
    /* Class 0: 4 in both of 7 in either; class 1: 8 of 11. */
    assert_true(fabs(report.metrics[0].value[0] - (4.0 / 7 + 8.0 / 11) / 2) < 1e-12);
    assert_true(fabs(report.metrics[1].value[0] - 12.0 / 15) < 1e-12);
    assert_true(fabs(report.classes[0].value[1] - 4.0 / 7) < 1e-12);
}

/* ---- models that are something else ---- */

TEST(models_of_another_task)
{
    struct imagenet_files files = digit_files();
    const struct segmentation_files masks = { .images = files.images, .masks = files.images };
    struct coco_request q = { .images = files.images };
    const char *truth = scratch("coco.json");
    struct segmentation s;
    struct coco c;
    struct run r;

    scratch_text("coco.json", coco_truth_text);
    q.ground_truth = truth;
    run_open(&r, "golden/digits/digits_f32.tflite", NULL);
    assert_int_equal(segmentation_open(&s, &masks, &r.model, &r.diag), STATUS_UNSUPPORTED);
    assert_non_null(strstr(r.diag.text, "not a segmentation model: found 1 outputs, the first f32 "
                                        "[1, 10]"));
    assert_int_equal(coco_open(&c, &q, &r.model, &r.diag), STATUS_UNSUPPORTED);
    assert_non_null(strstr(r.diag.text, "not a detector: found 1 outputs, expected the 4"));
    run_close(&r);
    run_open(&r, scratch("segmenter.tflite"), NULL);
    assert_int_equal(imagenet_open(&r.x, &files, &r.model, &r.diag), STATUS_UNSUPPORTED);
    assert_non_null(strstr(r.diag.text, "not a classifier: output 0 is f32 [1, 4, 4, 2]"));
    run_close(&r);
}

TEST_FILE(.setup = make_folder);
