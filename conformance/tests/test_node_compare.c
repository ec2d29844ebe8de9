/* What an output is held to by the data set, and by what the case is about. */
#include "conformance/suite/judge/conditioning.h"
#include "conformance/suite/judge/node_compare.h"
#include "conformance/suite/judge/swaps.h"
#include "conformance/suite/subject/outputs.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "reference/runtime/interpreter.h"

#include <string.h>

enum { ROWS = 40 };

/* Judges y, what a device has made of the input of a model of one node; exact: what the reference
 * has made of it, NULL: anything. */
static struct case_result judge_one(const char *text, const struct case_instance *x,
                                    enum data_set set, const void *exact, const void *y)
{
    const struct interpreter_options options = { .preserve_all = true, .num_threads = -1 };
    const struct node_compare_request q = {
        .instance = x, .bounds = BOUNDS_FP32, .quantized = BOUNDS_FLOAT_VIEW, .set = set
    };
    struct case_result r = { .status = CASE_PASS };
    struct outputs got CLOSED_BY(outputs_close) = { .count = 0 };

    MODEL_BY(m, kit_text(&m, "%s", text));
    INTERPRETER_BY(in, kit_interpreter(&m, &options));
    KIT_OK(interpreter_allocate(in, &err));
    KIT_OK(inputs_write(in, x, 0, &err));
    KIT_OK(interpreter_invoke(in, &err));
    KIT_OK(outputs_copy(&got, in, &err));
    if (exact)
        assert_memory_equal(got.items[0].data, exact, got.items[0].bytes);
    memcpy(got.items[0].data, y, got.items[0].bytes);
    KIT_OK(node_compare_outputs(in, &q, &got, &r, &err));
    return r;
}

static struct case_instance instance_of(TfLiteType type, void *data, size_t bytes)
{
    return (struct case_instance){
        .input_count = 1, .inputs = { { .type = type, .bytes = bytes, .data = { data } } }
    };
}

/* Judges zeros, where exact results are 0.3 and the runtime, which rounds to halves first, has 1.
 */
static struct case_result judge_nearest(const char *text, enum data_set set, int judged_node)
{
    static const int8_t zeros[ROWS];
    static int8_t ones[ROWS];
    struct case_instance x = instance_of(kTfLiteInt8, ones, sizeof ones);
    struct case_result r;

    memset(ones, 1, sizeof ones);
    x.judged_node = judged_node;
    r = judge_one(text, &x, set, ones, zeros);
    assert_int_equal(r.unequal, ROWS);
    return r;
}

/* A device may read denormals as 0, of f32 and of f16, but not as half of what they are; the other
 * elements are what they were. */
TEST(test_denormals_as_zero)
{
    static const char floats[] = "MUL {} x:f32[1,4] f32[]=1e38 -> y",
                      halves[] = "DEQUANTIZE x:f16[1,4] -> y:f32[1,4]";
    float x[] = { 1e-40F, 1, 2, -3 };
    uint16_t h[] = { 0x0010, 0x3c00, 0x4000, 0xc200 }; /* 2^-20, 1, 2, -3 */

    for (int as = 0; as < 3; as++) {
        const float part = (const float[]){ 1, 0, 0.5F }[as];
        const float y[] = { 1e-40F * 1e38F * part, 1e38F, 2e38F, -3e38F };
        const float z[] = { 0x1p-20F * part, 1, 2, -3 };
        const enum case_status expected = as == 2 ? CASE_FAIL : CASE_PASS;
        const struct case_instance of_floats = instance_of(kTfLiteFloat32, x, sizeof x),
                                   of_halves = instance_of(kTfLiteFloat16, h, sizeof h);

        assert_int_equal(judge_one(floats, &of_floats, SET_RANDOM, NULL, y).status, expected);
        assert_int_equal(judge_one(halves, &of_halves, SET_RANDOM, NULL, z).status, expected);
    }
}

/* Each result of SOFTMAX is moved by up to its limit, which grows with the row. */
TEST(test_conditioning_of_a_row)
{
    enum { ROW = 4096, LONGER = 2 * ROW };
    static const struct bound_rule rule = { .kind = BOUND_SOFTMAX };
    const struct interpreter_options options = { .preserve_all = true, .num_threads = -1 };

    for (int row = ROW; row <= LONGER; row *= 2) {
        const double limit =
            bound_limit(&rule, BOUNDS_FP32,
                        &(struct bound_point){ .value = 1.0 / row, .terms = 1, .row = row });
        struct figures moved[OUTPUTS_MAX];

        MODEL_BY(m, kit_text(&m, "SOFTMAX {beta=1} x:f32[1,%d] -> y", row));
        INTERPRETER_BY(in, kit_interpreter(&m, &options));
        KIT_OK(interpreter_allocate(in, &err));
        memset(interpreter_tensor(in, 0)->data.raw, 0, interpreter_tensor(in, 0)->bytes);
        KIT_OK(interpreter_invoke(in, &err));
        KIT_OK(conditioning_measure(in, BOUNDS_FP32, 1, moved, &err));
        if (moved[0].max_abs < 0.98 * limit || moved[0].max_abs > 1.001 * limit)
            fail_msg("row of %d: moved by %g, limit %g", row, moved[0].max_abs, limit);
    }
}

/* The share of integers that are not the runtime's counts where they are a sample of all. */
TEST(test_share_of_random_integers)
{
    static const char *const texts[] = {
        "CONV_2D {stride_w=1 stride_h=1} x:i8[1,40,1,1]q(0.5,0) i8[1,1,1,1]=1q(0.6,0)\\\n"
        " i32[1]=0q(0.3,0) -> y:i8[1,40,1,1]q(1,0)",
        "QUANTIZE x:i8[1,40]q(0.3,0) -> y:i8[1,40]q(1,0)" /* one requantization */
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const struct case_result r = judge_nearest(texts[i], SET_RANDOM, 0);

        assert_int_equal(r.status, CASE_FAIL);
        assert_non_null(strstr(r.reason, "40 of 40 are not the reference's integers"));
        assert_int_equal(judge_nearest(texts[i], SET_INTEGERS, 0).status, CASE_PASS);
        assert_int_equal(judge_nearest(texts[i], SET_RANDOM, -1).status, CASE_PASS);
    }
}

/* Detections that only changed places are put back, where scores allow the change, and class by
 * class; where one of them fits nowhere, all stay. */
TEST(test_swaps)
{
    enum { BOXES, CLASSES, SCORES, SIDES = 4 };
    static const struct {
        float boxes[2], classes[2], scores[2]; /* of two detections; a box has one value */
        size_t moved;
    } rows[] = {
        { { 1, 2 }, { 0, 0 }, { 0.9F, 0.8F }, 0 },          /* as the reference has them */
        { { 2, 1 }, { 0, 0 }, { 0.9F, 0.8F }, 0 },          /* other boxes have these scores */
        { { 2, 1 }, { 0, 0 }, { 0.85F, 0.85F }, 2 },        /* scores that are near */
        { { 2, 1 }, { 0, 0 }, { 0.879F, 0.821F }, 2 },      /* within 4 times what scores are off */
        { { 2, 1 }, { 0, 0 }, { 0.8815F, 0.8185F }, 0 },    /* not within it */
        { { 2, 1 }, { 0, 3 }, { 0.85F, 0.85F }, 0 },        /* a class that there is not */
        { { 1.75F, 1.25F }, { 0, 0 }, { 0.84F, 0.86F }, 2 } /* the nearest box */
    };

    MODEL_BY(m, kit_text(&m, "CUSTOM(TFLite_Detection_PostProcess) flex(max_detections=2 "
                             "max_classes_per_detection=1 detections_per_class=2 "
                             "use_regular_nms=false nms_score_threshold=0.1 nms_iou_threshold=1.0 "
                             "num_classes=1 y_scale=10.0 x_scale=10.0 h_scale=5.0 w_scale=5.0) "
                             "f32[1,2,4]=~5 s:f32[1,2,1] f32[2,4]=~6(0.1,0.9) -> "
                             "boxes:f32[1,2,4] classes:f32[1,2] scores:f32[1,2] count:f32[1]"));
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const struct interpreter_options options = { .preserve_all = true, .num_threads = -1 };
        struct outputs got CLOSED_BY(outputs_close) = { .count = 0 };
        float *made[3];
        size_t count;

        INTERPRETER_BY(in, kit_interpreter(&m, &options));
        KIT_OK(interpreter_allocate(in, &err));
        for (int i = 0; i < 4; i++) {
            const float values[4][2] = { { 1, 2 }, { 0, 0 }, { 0.9F, 0.8F }, { 2, 0 } };
            TfLiteTensor *const t = interpreter_tensor(in, interpreter_outputs(in, &count)[i]);

            for (size_t k = 0; k < t->bytes / sizeof(float); k++)
                t->data.f[k] = values[i][i == BOXES ? k / SIDES : k];
        }
        KIT_OK(outputs_copy(&got, in, &err));
        for (int i = 0; i < 3; i++)
            made[i] = got.items[i].data;
        for (int k = 0; k < 2; k++) {
            for (int side = 0; side < SIDES; side++)
                made[BOXES][SIDES * k + side] = rows[r].boxes[k];
            made[CLASSES][k] = rows[r].classes[k];
            made[SCORES][k] = rows[r].scores[k];
        }
        if (swaps_undo(in, &got) != rows[r].moved ||
            made[BOXES][SIDES] != rows[r].boxes[rows[r].moved == 0] ||
            made[SCORES][1] != rows[r].scores[rows[r].moved == 0])
            fail_msg("row %zu: expected %zu moved, found box %g and score %g", r, rows[r].moved,
                     (double)made[BOXES][SIDES], (double)made[SCORES][1]);
    }
}
