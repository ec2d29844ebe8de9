/* TFLite_Detection_PostProcess: examples worked by hand, and options that must be refused.  Bits
 * are compared with the real runtime's by conformance/tests/litert/cross_detection.py. */
#include "reference/tests/kit/subgraph_kit.h"
#include "reference/tests/kit/test.h"

#include <math.h>

static TfLiteTensor *end(struct interpreter *in, bool output, size_t i)
{
    size_t count;
    const int *const list =
        output ? interpreter_outputs(in, &count) : interpreter_inputs(in, &count);

    assert_true(i < count);
    return interpreter_tensor(in, list[i]);
}

/* Boxes of size 1 by 1 around these centers: the encodings are 0. */
static const float anchors[] = { 0, 0, 1, 1, 0, 0.25f, 1, 1, 4, 4, 1, 1, 0, 0.75f, 1, 1 };
/* Box 1 overlaps box 0 by 3 in 5, more than 1/2; box 3 overlaps it by 1 in 7, and box 1 by 1 in 3.
 */
enum { BOXES = 4 };

static struct interpreter *run(struct model *m, struct flex_writer *w, int columns, int32_t type,
                               const float *scores)
{
    struct interpreter *in;
    uint8_t *bytes;
    size_t count;

    KIT_OK(flex_write_finish(w, &bytes, &count, &err));
    kit_detection(m, BOXES, columns, type, bytes, count);
    mem_free(bytes);
    in = kit_interpreter(
        m, &(struct interpreter_options){
               .guard_bytes = 64, .poison = true, .poison_word = 0x7fc00000, .num_threads = -1 });
    KIT_OK(interpreter_allocate(in, &err));
    for (int i = 0; i < BOXES * 4; i++)
        for (int t = 0; t < 3; t += 2) {
            const float value = t == 0 ? 0 : anchors[i];

            if (type == TENSOR_UINT8)
                end(in, false, (size_t)t)->data.uint8[i] = (uint8_t)(value * 4);
            else
                end(in, false, (size_t)t)->data.f[i] = value;
        }
    for (int i = 0; i < BOXES * columns; i++)
        if (type == TENSOR_UINT8)
            end(in, false, 1)->data.uint8[i] = (uint8_t)(scores[i] * 4);
        else
            end(in, false, 1)->data.f[i] = scores[i];
    KIT_OK(interpreter_invoke(in, &err));
    KIT_OK(interpreter_check_guards(in, &err));
    return in;
}

struct row {
    int anchor, class; /* anchor -1: no row, all zero */
    float score;
};

static void gives(struct interpreter *in, struct model *m, int detections, int rows,
                  const struct row *want)
{
    const float *const boxes = end(in, true, 0)->data.f, *const classes = end(in, true, 1)->data.f;
    const float *const scores = end(in, true, 2)->data.f;

    assert_true(end(in, true, 3)->data.f[0] == (float)detections);
    assert_int_equal(end(in, true, 2)->bytes, rows * 4);
    for (int i = 0; i < rows; i++) {
        const int a = want[i].anchor;

        for (int k = 0; k < 4; k++) {
            const float half = k < 2 ? -0.5f : 0.5f;

            if (boxes[4 * i + k] != (a < 0 ? 0 : anchors[4 * a + k % 2] + half))
                fail_msg("row %d: coordinate %d is %g", i, k, (double)boxes[4 * i + k]);
        }
        if (classes[i] != (float)want[i].class || scores[i] != want[i].score)
            fail_msg("row %d: class %g, score %g", i, (double)classes[i], (double)scores[i]);
    }
    interpreter_close(in);
    model_close(m);
}

static const float two_classes[] = { 0.5f, 0.25f, 0.75f, 0, 0, 0.5f, 0.25f, 0.25f };

TEST(fast_keeps_the_best_boxes)
{
    struct flex_writer w;
    struct model m;

    for (int type = TENSOR_FLOAT32; type <= TENSOR_UINT8; type += TENSOR_UINT8) {
        kit_detection_options(&w);
        /* Box 1 drops box 0; of 2 and 3, box 2 scores higher. */
        gives(run(&m, &w, 2, type, two_classes), &m, 3, 3,
              (struct row[]){ { 1, 0, 0.75f }, { 2, 1, 0.5f }, { 3, 0, 0.25f } });
    }
}

TEST(fast_brings_further_classes_along)
{
    struct flex_writer w;
    struct model m;

    kit_detection_options(&w);
    w.entries[0].value.i = 2; /* max_detections */
    w.entries[1].value.i = 3; /* max_classes_per_detection: there are 2 */
    gives(run(&m, &w, 2, TENSOR_FLOAT32, two_classes), &m, 2, 6,
          (struct row[]){ { 1, 0, 0.75f },
                          { 1, 1, 0 },
                          { -1, 0, 0 },
                          { 2, 1, 0.5f },
                          { 2, 0, 0 },
                          { -1, 0, 0 } });
}

TEST(regular_suppresses_each_class)
{
    struct flex_writer w;
    struct model m;

    kit_detection_options(&w);
    flex_write_bool(&w, "use_regular_nms", true);
    w.entries[0].value.i = 5;
    /* Class 0: box 1, which drops box 0, and box 3.  Class 1: box 2, box 0, box 3. */
    gives(run(&m, &w, 2, TENSOR_FLOAT32, two_classes), &m, 5, 5,
          (struct row[]){
              { 1, 0, 0.75f }, { 2, 1, 0.5f }, { 3, 0, 0.25f }, { 0, 1, 0.25f }, { 3, 1, 0.25f } });
    kit_detection_options(&w);
    flex_write_bool(&w, "use_regular_nms", true);
    flex_write_int(&w, "detections_per_class", 1);
    gives(run(&m, &w, 2, TENSOR_FLOAT32, two_classes), &m, 2, 3,
          (struct row[]){ { 1, 0, 0.75f }, { 2, 1, 0.5f }, { -1, 0, 0 } });
}

TEST(background_is_no_class)
{
    static const float scores[] = { 1, 0.5f, 0, 1, 0, 0, 1, 0, 0.75f, 1, 0, 0 };
    struct flex_writer w;
    struct model m;

    kit_detection_options(&w);
    gives(run(&m, &w, 3, TENSOR_FLOAT32, scores), &m, 2, 3,
          (struct row[]){ { 2, 1, 0.75f }, { 0, 0, 0.5f }, { -1, 0, 0 } });
}

/* ---- refused ---- */

static void refused_by(int boxes, int columns, const void *bytes, size_t count, const char *text)
{
    struct diag diag = { 0 };
    struct interpreter *in;
    struct model m;
    enum status s;

    kit_detection(&m, boxes, columns, TENSOR_FLOAT32, bytes, count);
    s = interpreter_open(&in, &m, NULL, &diag);
    if (s == STATUS_OK)
        s = interpreter_allocate(in, &diag);
    interpreter_close(in);
    model_close(&m);
    assert_int_equal(s, STATUS_INVALID);
    if (!strstr(diag.text, text) || !strstr(diag.text, "TFLite_Detection_PostProcess"))
        fail_msg("\"%s\", expected \"%s\"", diag.text, text);
}

static void refuses(struct flex_writer *w, const char *text)
{
    size_t count;
    uint8_t *bytes CLOSED_BY(kit_mem_free);

    KIT_OK(flex_write_finish(w, &bytes, &count, &err));
    refused_by(BOXES, 2, bytes, count, text);
}

static struct flex_value whole(int64_t value)
{
    return (struct flex_value){ .kind = FLEX_INT, .i = value };
}

TEST(refuses_bad_options)
{
    static const struct {
        size_t entry; /* of kit_detection_options */
        struct flex_value value;
        const char *text;
    } rows[] = {
        { 0, { .kind = FLEX_INT, .i = -1 }, "max_detections is -1, expected 0 to 2147483647" },
        { 0, { .kind = FLEX_INT, .i = INT64_MAX }, "max_detections is 9.22337e+18, expected" },
        { 1, { .kind = FLEX_INT, .i = 0 }, "max_classes_per_detection is 0, expected 1 to" },
        { 2, { .kind = FLEX_INT, .i = 0 }, "num_classes is 0, expected 1 to" },
        { 2, { .kind = FLEX_INT, .i = 5 }, "2 classes, expected num_classes 5 or one more" },
        { 2, { .kind = FLEX_INT, .i = 1 << 30 }, "expected num_classes 1073741824 or one more" },
        { 3, { .kind = FLEX_FLOAT, .f = NAN }, "nms_score_threshold is nan, expected a finite" },
        { 4, { .kind = FLEX_FLOAT, .f = 0 }, "nms_iou_threshold is 0, expected above 0" },
        { 4, { .kind = FLEX_FLOAT, .f = 1.5 }, "nms_iou_threshold is 1.5, expected above 0" },
        { 5, { .kind = FLEX_FLOAT, .f = 0 }, "y_scale is 0, expected another number" },
        { 8, { .kind = FLEX_FLOAT, .f = INFINITY }, "w_scale is inf, expected a finite number" },
    };
    struct flex_writer w;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kit_detection_options(&w);
        w.entries[rows[i].entry].value = rows[i].value;
        refuses(&w, rows[i].text);
    }
    for (size_t i = 0; i < 9; i++) { /* each of them is needed */
        char text[80];

        kit_detection_options(&w);
        snprintf(text, sizeof text, "option %s is missing", w.entries[i].key);
        w.entries[i].key = "another";
        refuses(&w, text);
    }
    kit_detection_options(&w);
    w.entries[0].value = w.entries[1].value = whole(65536);
    refuses(&w, "max_detections 65536 times max_classes_per_detection 65536, expected at most");
    kit_detection_options(&w);
    flex_write_bool(&w, "use_regular_nms", true);
    flex_write_int(&w, "detections_per_class", 0);
    refuses(&w, "max_detections 3 and detections_per_class 0, expected at least 1");
}

TEST(refuses_damaged_options)
{
    struct flex_writer w;
    size_t count;

    kit_detection_options(&w);
    uint8_t *bytes CLOSED_BY(kit_mem_free);
    KIT_OK(flex_write_finish(&w, &bytes, &count, &err));
    refused_by(BOXES, 2, NULL, 0, "no options, expected a FlexBuffer map");
    for (size_t n = 0; n < count; n++)
        refused_by(BOXES, 2, bytes, n, "FlexBuffer");
    refused_by(BOXES, 9, bytes, count, "input 1 (scores): 9 classes, expected num_classes 2");
}

/* Rows without end are a matter of memory, not of arithmetic. */
TEST(fails_for_lack_of_memory)
{
    struct flex_writer w;
    uint8_t *bytes;
    size_t count;

    kit_detection_options(&w);
    w.entries[0].value = whole(1 << 30);
    w.entries[1].value = whole(1);
    KIT_OK(flex_write_finish(&w, &bytes, &count, &err));
    MODEL_BY(m, kit_detection(&m, BOXES, 2, TENSOR_FLOAT32, bytes, count));
    mem_free(bytes);
    mem_fail_after(1000);
    struct interpreter *in CLOSED_BY(kit_interpreter_end);
    KIT_OK(interpreter_open(&in, &m, NULL, &err));
    mem_fail_after(0);
    assert_int_equal(interpreter_allocate(in, &err), STATUS_NO_MEMORY);
    mem_fail_after(-1);
}

TEST(refuses_boxes_of_negative_size)
{
    struct flex_writer w;

    kit_detection_options(&w);
    struct model m CLOSED_BY(model_close);
    INTERPRETER_BY(in, run(&m, &w, 2, TENSOR_FLOAT32, two_classes));
    end(in, false, 2)->data.f[4 * 2 + 3] = -1; /* the width of anchor 2 */
    assert_int_equal(interpreter_invoke(in, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "box 2: [3.5,4.5] to [4.5,3.5], expected a size"));
}
