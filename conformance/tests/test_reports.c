/* What users' reports found wrong in `assay diff`: a row a report, on our delegate where it has a
 * device, or on one with a fault. */
/* Needs: mock/delegate.so mock/gpu.so */
/* Needs: libassay_delegate.so */
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tools/diff/diff_print.h"
#include "conformance/tools/diff/part.h"
#include "reference/base/half.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct report {
    const char *name;
    const char *model;    /* text */
    const char *delegate; /* of build/; NULL: ours */
    const char *options[3];
    uint64_t runs; /* 0: 3 */
    enum case_status status;
    const char *says[3];  /* parts of the text, each of which is there */
    const char *never[2]; /* parts that are not */
};

/* clang-format off */
#define DIFFERENCE_OF_SUMS                                                                         \
    "text:MUL {} x:f32[1,256] f32[]=10000 -> z\nSUM {keep_dims=true} z i32[1]=1 -> a\n"           \
    "FULLY_CONNECTED {} z f32[1,256]=1 f32[1]=0 -> b:f32[1,1]\n"                                  \
    "SUB {} a b -> d\nADD {} d f32[]=30 -> y"
#define DETECTIONS                                                                                 \
    "text:MUL {} x:f32[1,12,1] f32[]=0.0003 -> l\nLOGISTIC l -> s\n"                             \
    "CUSTOM(TFLite_Detection_PostProcess) flex(max_detections=12 max_classes_per_detection=1 "     \
    "detections_per_class=12 use_regular_nms=false nms_score_threshold=0.1 "                       \
    "nms_iou_threshold=1.0 num_classes=1 y_scale=10.0 x_scale=10.0 h_scale=5.0 w_scale=5.0) "      \
    "f32[1,12,4]=~5 s f32[12,4]=~6(0.1,0.9) -> boxes:f32[1,12,4] classes:f32[1,12] "               \
    "scores:f32[1,12] count:f32[1]"

static const struct report reports[] = {
    /* LiteRT#9277: weights whose scale is no power of two are rounded where f16 stores q * scale. */
    { "dynamic range in f16",
      "text:FULLY_CONNECTED:12 {keep_num_dims=true asymmetric_quantize_inputs=true} x:f32[1,5,64] "
      "i8[8,64]=~3q(0.0077|0.0077|0.0031|0.0077|0.0077|0.0077|0.0077|0.0013,0|0|0|0|0|0|0|0) "
      "f32[8]=~4 -> y",
      NULL, { "precision=fp16" }, 1, CASE_PASS, { "FULLY_CONNECTED          pass" }, { "fail" } },
    { "the same with DEQUANTIZE in front",
      "text:DEQUANTIZE i8[4,3,3,3]=~3q(0.0077,0) -> w:f32[4,3,3,3]\n"
      "TRANSPOSE_CONV {stride_w=2 stride_h=2} i32[4]=1,10,10,4 w x:f32[1,5,5,3] -> f32[1,10,10,4]",
      NULL, { "precision=fp16" }, 1, CASE_PASS, { "TRANSPOSE_CONV           pass" }, { "fail" } },
    /* LiteRT#8593: rows of a left padding that see nothing; the product and the softmax behind it. */
    { "attention with rows that see nothing",
      "text:BATCH_MATMUL {adj_y=true} q:f32[1,2,4,8] k:f32[1,2,4,8] -> s\n"
      "ADD {} s f32[1,1,4,4]=-3.4028235e38,-3.4028235e38,-3.4028235e38,-3.4028235e38,"
      "-3.4028235e38,0,-3.4028235e38,-3.4028235e38,-3.4028235e38,0,0,-3.4028235e38,0 -> m\n"
      "SOFTMAX {beta=1} m -> p\nBATCH_MATMUL {} p k -> y",
      NULL, { "precision=fp16" }, 3, CASE_PASS, { "taken      4 of 4" }, { "nan" } },
    { "the same, softmax written out, in f16 arithmetic",
      "text:ADD {} x:f32[1,2,2,6] f32[1,1,2,6]=-1e9,-1e9,-1e9,-1e9,-1e9,-1e9,0 -> s\n"
      "REDUCE_MAX {keep_dims=true} s i32[1]=3 -> p\nSUB {} s p -> d\nEXP d -> e\n"
      "SUM {keep_dims=true} e i32[1]=3 -> t\nDIV {} e t -> y",
      NULL, { "precision=fast" }, 3, CASE_PASS, { "taken      6 of 6" }, { "nan" } },
    { "a chain through what f16 does not hold",
      "text:MUL {} x:f32[1,2,4,6] f32[6]=1e6,0 -> s\nABS s -> a\nMUL {} a f32[]=0 -> y",
      NULL, { "precision=fp16" }, 3, CASE_PASS, { "taken      3 of 3" }, { "nan" } },
    { "integers that stand for what f16 does not hold",
      "text:DEQUANTIZE x:i8[1,40]q(1000,0) -> s:f32[1,40]\nMUL {} s f32[]=0 -> y",
      NULL, { "precision=fp16" }, 3, CASE_PASS, { "taken      2 of 2" }, { "nan" } },
    /* The difference of equal sums is 0 but for their rounding, whose order no delegate has to keep;
     * a sum that is further off than its bound still fails. */
    { "ill-conditioned: sums in another order", DIFFERENCE_OF_SUMS, NULL, { "precision=fp32" }, 3, CASE_PASS,
      { "  ill-conditioned: ", " dB are left where each op of the reference errs within its bound" },
      { "FAIL" } },
    { "ill-conditioned, and wrong", DIFFERENCE_OF_SUMS, "mock/delegate.so", { "fault=ulps", "ulps=20000000" }, 3,
      CASE_FAIL, { "  ill-conditioned: ", "though it is ill-conditioned" }, { NULL } },
    { "well-conditioned, and wrong", "text:SUM {keep_dims=true} x:f32[1,256] i32[1]=1 -> y", "mock/delegate.so",
      { "fault=ulps", "ulps=1000000" }, 3, CASE_FAIL, { "SNR " }, { "ill-conditioned" } },
    /* armnn#585: equal scores in f16, in the order of anchors; values that are nowhere fail. */
    { "detections of nearly one score", DETECTIONS, NULL, { "precision=fp16" }, 5, CASE_PASS,
      { "detections changed places with others of nearly their score" }, { "FAIL", "fail together" } },
    { "detections of another box", DETECTIONS, "mock/delegate.so", { "fault=swap", "tensor=s" }, 1, CASE_FAIL,
      { "FAIL" }, { "changed places" } },
    /* openvino#37084: squares beyond f16. */
    { "numbers beyond f16 are named",
      "text:MUL {} x:f32[1,4,8] f32[]=1000 -> s\nMUL {} s s -> q\n"
      "MEAN {keep_dims=true} q i32[1]=2 -> p\nRSQRT p -> d\nMUL {} d s -> y",
      NULL, { "precision=fp16" }, 3, CASE_FAIL,
      { "\nbeyond f16: node 1, MUL, gives ", "f16 holds 65504 (2 nodes)",
        "; node 1, MUL, gives " }, { NULL } },
    /* One wrong element of 4096 passes the screen, and not the bound of the node. */
    { "the verdict is that of the nodes, too",
      "text:RELU x:f32[1,4096] -> y", "mock/delegate.so", { "fault=ulps", "ulps=4" }, 1, CASE_FAIL,
      { "\ndiff: fail: node 0, RELU: ", "first node out of bounds: node 0" }, { "diff: pass" } },
};
/* clang-format on */

static bool have_device;

static char *print(const struct diff *d, void (*form)(FILE *f, const struct diff *d))
{
    char *text;
    FILE *const f = kit_memory_file(&text);

    form(f, d);
    fclose(f);
    return text;
}

/* The last line of the text, JSON and what the exit code follows are one verdict. */
static void expect_one_verdict(const struct diff *d, const char *text)
{
    char *written CLOSED_BY(kit_free) = print(d, diff_print_json), line[64];
    json_t *const j = json_loads(written, 0, NULL);

    assert_non_null(j);
    assert_string_equal(json_string_value(json_object_get(j, "status")),
                        case_status_name(d->status));
    assert_string_equal(json_string_value(json_object_get(j, "reason")), d->reason);
    snprintf(line, sizeof line, "\ndiff: %s", case_status_name(d->status));
    if (!strstr(text, line))
        fail_msg("expected the verdict %s, found:\n%s", line + 1, text);
    assert_int_equal(diff_failed(d), d->status != CASE_PASS);
    json_decref(j);
}

static void check(const struct report *r)
{
    const struct diff_request request = { .path = r->model,
                                          .scale = { 127.5, 127.5 },
                                          .seed = 1,
                                          .runs = r->runs ? r->runs : 3,
                                          .repeats = 1,
                                          .timeout_s = 60,
                                          .per_node = true,
                                          .quiet = true };
    const char *options[] = { r->options[0], r->options[1], r->options[2] };
    size_t count = 0;
    struct subject s CLOSED_BY(subject_close);
    struct diff d CLOSED_BY(diff_close);
    char *text CLOSED_BY(kit_free);

    while (count < 3 && options[count])
        count++;
    KIT_OK(subject_init(
        &s, r->delegate ? build_path(".", r->delegate) : build_path(".", "libassay_delegate.so"),
        &(struct string_list){ options, count }, &err));
    KIT_OK(diff_open(&d, &request, &s, &err));
    KIT_OK(diff_run(&d, &err));
    KIT_OK(cause_find(&d, &err));
    text = print(&d, diff_print_text);
    if (d.status != r->status)
        fail_msg("%s: expected %s, found:\n%s", r->name, case_status_name(r->status), text);
    for (size_t i = 0; i < 3 && r->says[i]; i++) {
        if (!strstr(text, r->says[i]))
            fail_msg("%s: \"%s\" is not in:\n%s", r->name, r->says[i], text);
    }
    for (size_t i = 0; i < 2 && r->never[i]; i++) {
        if (strstr(text, r->never[i]))
            fail_msg("%s: \"%s\" is in:\n%s", r->name, r->never[i], text);
    }
    expect_one_verdict(&d, text);
}

TEST(test_rows)
{
    for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++) {
        if (reports[i].delegate || have_device)
            check(&reports[i]);
    }
}

/* Every multiple is a number of f16, and the scale stays within 1/16 of what it was. */
TEST(test_scales_of_f16)
{
    static const float scales[] = { 0.0077f, 1.f / 3, 7.99f, 1e-6f, 500, 0.02f, 0x1p-7f };

    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        for (int bits = 3; bits <= 8; bits++) {
            const float s = round_half_scale(scales[i], bits);

            for (int q = 0; q <= 1 << bits; q++) {
                const float x = (float)q * s;

                assert_true(half_to_float(float_to_half(x)) == x || q == 1 << bits);
            }
            assert_true(fabsf(s / scales[i] - 1) <= 1.f / 16 || scales[i] == 500);
        }
    }
    assert_true(round_half_scale(1e9f, 7) * 127 <= 65504);
    assert_true(round_half_scale(1e-30f, 7) == 0x1p-24f);
    assert_true(round_half_scale(0, 7) == 0 && isinf(round_half_scale(INFINITY, 7)));
}

static void look_for_device(const char *file)
{
    struct assay_gpu_device any = { .struct_size = sizeof any };
    char error[256] = "no library";
    struct subject s;

    if (subject_init(&s, build_path(".", "libassay_delegate.so"), NULL, &err) == STATUS_OK) {
        have_device = subject_load(&s, &err) == STATUS_OK &&
                      s.extras.devices(&any, 1, error, sizeof error) > 0;
        subject_close(&s);
    }
    if (!have_device)
        printf("skipped: %s: rows of our delegate: %s\n", file, error);
}

TEST_FILE(.before = look_for_device);
