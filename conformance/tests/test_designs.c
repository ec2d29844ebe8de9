/* Designs of dynamic range: each is named, and no planted fault passes as one. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/judge/node_compare.h"
#include "conformance/suite/subject/outputs.h"
#include "conformance/tests/kit/cases_kit.h"
#include "conformance/tests/kit/report_kit.h"
#include "conformance/tests/kit/sample_record.h"
#include "delegate/tests/kit/memory_faults.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"

#include "reference/base/half.h"
#include "reference/base/packed.h"
#include "reference/format/read.h"
#include "reference/runtime/interpreter.h"

#include <math.h>
#include <string.h>

/* What is wrong with the subject. */
enum plant {
    NOTHING,
    SWAPPED_NIBBLES, /* of each byte, or pairs of crumbs */
    ONE_SWAPPED,     /* of one pair a row of weights */
    UNSIGNED,        /* weights without their sign */
    OTHER_SCALES,    /* those of the next block */
    BIAS_ALONE,
    LATER_ROWS_SYM, /* rows from the third on are of another design */
    ONE_ROW_LOST    /* the last row is that before it */
};

/* FULLY_CONNECTED of f32 [rows, depth] with weights in blocks, and its interpreter. */
struct dense {
    struct case_instance instance;
    struct model model;
    struct interpreter *in;
    const TfLiteTensor *x, *w, *scales, *bias;
    size_t rows, depth, units, block;
};

static void open_subject(struct dense *s, const char *name)
{
    const struct case_request request = { SET_RANDOM, 1, false };
    const struct interpreter_options options = { .preserve_all = true, .num_threads = -1 };
    const TfLiteNode *node;
    const TfLiteBlockwiseQuantization *blocks;

    *s = (struct dense){ .in = NULL };
    KIT_OK(case_build(kit_case(name), &request, &s->instance, &err));
    KIT_OK(tflite_read(&s->model, s->instance.file.bytes, s->instance.file.count, &err));
    KIT_OK(interpreter_open(&s->in, &s->model, &options, &err));
    KIT_OK(interpreter_allocate(s->in, &err));
    KIT_OK(inputs_write(s->in, &s->instance, 0, &err));
    KIT_OK(interpreter_invoke(s->in, &err));
    node = interpreter_node(s->in, 0);
    s->x = interpreter_tensor(s->in, node->inputs->data[0]);
    s->w = interpreter_tensor(s->in, node->inputs->data[1]);
    s->bias = interpreter_tensor(s->in, node->inputs->data[2]);
    blocks = s->w->quantization.params;
    s->scales = interpreter_tensor(s->in, blocks->scale);
    s->block = (size_t)blocks->blocksize;
    s->units = (size_t)s->w->dims->data[0];
    s->depth = (size_t)s->w->dims->data[1];
    s->rows = ref_elements(s->x) / s->depth;
}

static void close_subject(struct dense *s)
{
    interpreter_close(s->in);
    model_close(&s->model);
    case_instance_close(&s->instance);
}

static float to_bf16(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16 << 16;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static double weight(const struct dense *s, enum plant plant, bool bf16, size_t o, size_t k)
{
    const size_t blocks = s->depth / s->block;
    const size_t block = (k / s->block + (plant == OTHER_SCALES)) % blocks;
    const bool swapped = plant == SWAPPED_NIBBLES || (plant == ONE_SWAPPED && k < 2);
    const size_t at = o * s->depth + (swapped ? k ^ 1 : k);
    const float scale = half_to_float(s->scales->data.f16[o * blocks + block].data);
    int32_t q = packed_load(s->w->data.raw_const, s->w->type, at);

    if (plant == UNSIGNED && q < 0)
        q += 1 << packed_bits(s->w->type);
    return (double)(bf16 ? to_bf16(scale) : scale) * q;
}

/* x as the design has it. */
static double activation(const float *row, size_t depth, enum design design, size_t k)
{
    float low = 0, high = 0, a, zero, inverse;
    double scale;

    for (size_t i = 0; i < depth; i++) {
        low = fminf(low, row[i]);
        high = fmaxf(high, row[i]);
    }
    a = fmaxf(-low, high);
    if (design == DESIGN_FLOAT || a == 0)
        return row[k];
    if (design == DESIGN_SYM)
        return roundf(row[k] * (127 / a)) * (double)(a / 127);
    if (design == DESIGN_ASYM) {
        scale = ((double)high - low) / 255;
        zero =
            (float)round(128 + fabs(low / scale) < 127 + fabs(high / scale) ? -128 - low / scale
                                                                            : 127 - high / scale);
        inverse = 1 / (float)scale;
        return (fmaxf(-128, fminf(127, roundf(zero + row[k] * inverse))) - zero) *
               (double)(float)scale;
    }
    inverse = 255 / (high - low);
    zero = rintf(-1 + (low + high) * inverse > 0 ? -128 - low * inverse : 127 - high * inverse);
    return (fmaxf(-128, fminf(127, rintf(row[k] * inverse) + zero)) - zero) * (double)(1 / inverse);
}

static double result(const struct dense *s, enum design design, enum plant plant, size_t r,
                     size_t o)
{
    const float *const row = s->x->data.f + r * s->depth;
    double sum = s->bias->data.f[o];

    for (size_t k = 0; k < s->depth && plant != BIAS_ALONE; k++)
        sum += activation(row, s->depth, design, k) *
               weight(s, plant, design == DESIGN_XNN_BF16, o, k);
    return sum;
}

/* What a subject of this design, with the fault, answers. */
static void answer(struct dense *s, enum design design, enum plant plant, struct outputs *got)
{
    float *y;

    KIT_OK(inputs_write(s->in, &s->instance, 0, &err));
    KIT_OK(interpreter_invoke(s->in, &err));
    KIT_OK(outputs_copy(got, s->in, &err));
    y = got->items[0].data;
    for (size_t i = 0; i < s->rows * s->units; i++) {
        const size_t row = i / s->units;
        const bool other = plant == LATER_ROWS_SYM && row >= 2;

        y[i] = (float)result(s, other ? DESIGN_SYM : design, plant,
                             plant == ONE_ROW_LOST && row == s->rows - 1 ? row - 1 : row,
                             i % s->units);
    }
}

static enum status compare(struct dense *s, enum bounds bounds, const struct outputs *got,
                           struct case_result *r, struct diag *diag)
{
    const struct node_compare_request q = { .instance = &s->instance,
                                            .bounds = bounds,
                                            .set = SET_RANDOM };

    return node_compare_outputs(s->in, &q, got, r, diag);
}

/* Judges one more frame. */
static void judge_frame(struct dense *s, enum bounds bounds, enum design design, enum plant plant,
                        struct case_result *r)
{
    struct outputs got CLOSED_BY(outputs_close);

    answer(s, design, plant, &got);
    KIT_OK(compare(s, bounds, &got, r, &err));
}

static struct case_result judge(struct dense *s, enum bounds bounds, enum design design,
                                enum plant plant)
{
    struct case_result r = { .status = CASE_PASS };

    judge_frame(s, bounds, design, plant, &r);
    return r;
}

static const char *const cases[] = { "fully_connected.w4.b32_k64_u2_x5_r3keep",
                                     "fully_connected.w2.b32_k64_u2_x5_r3keep" };
enum { CASES = 2 };
static const enum bounds class_hybrid = (enum bounds)(BOUNDS_FP32 | BOUNDS_HYBRID);

static void expect(const struct case_result *r, enum case_status status, const char *design,
                   const char *text)
{
    const char *const found = design_name(r->designs);

    if (r->status != status)
        fail_msg("expected %s, found %s: %s", case_status_name(status), case_status_name(r->status),
                 r->reason);
    if (design && (!found || strcmp(found, design) != 0))
        fail_msg("expected design %s, found %s", design, found ? found : "none");
    if (text && !strstr(r->reason, text))
        fail_msg("expected '%s' in '%s'", text, r->reason);
}

/* Each design passes as itself in class hybrid; a subject that has not declared it fails by the
 * name of what it does. */
TEST(test_designs_are_named)
{
    for (int c = 0; c < CASES; c++) {
        struct dense s CLOSED_BY(close_subject);

        open_subject(&s, cases[c]);
        for (int d = 0; d < DESIGN_COUNT; d++) {
            const char *const name = design_name(1u << d);
            const struct case_result hybrid = judge(&s, class_hybrid, (enum design)d, NOTHING);
            const struct case_result plain = judge(&s, BOUNDS_FP32, (enum design)d, NOTHING);

            /* The margin is that of the design which it is. */
            assert_true(hybrid.margin > 0 && hybrid.margin <= 1);
            /* asym and xnn round all elements alike here, or one apart. */
            if (d == DESIGN_XNN && hybrid.designs >> DESIGN_ASYM & 1)
                expect(&hybrid, CASE_PASS, "asym", NULL);
            else
                expect(&hybrid, CASE_PASS, name, NULL);
            if (d == DESIGN_FLOAT)
                expect(&plain, CASE_PASS, "float", NULL);
            else
                expect(&plain, CASE_FAIL, NULL, "which class hybrid allows");
            if (d == DESIGN_SYM)
                expect(&plain, CASE_FAIL, "sym", "computed as sym");
        }
    }
}

/* The faults of kernels of packed weights are beyond every design, on whichever they are planted.
 */
TEST(test_faults)
{
    static const enum plant faults[] = { SWAPPED_NIBBLES, ONE_SWAPPED, UNSIGNED, OTHER_SCALES,
                                         ONE_ROW_LOST };

    for (int c = 0; c < CASES; c++) {
        struct dense s CLOSED_BY(close_subject);

        open_subject(&s, cases[c]);
        for (size_t f = 0; f < sizeof faults / sizeof faults[0]; f++) {
            for (int d = 0; d < DESIGN_COUNT; d++) {
                const struct case_result r = judge(&s, class_hybrid, (enum design)d, faults[f]);

                if (r.status != CASE_FAIL)
                    fail_msg("%s: fault %d of design %s passes as %s", cases[c], faults[f],
                             design_name(1u << d), design_name(r.designs));
            }
        }
    }
}

static void expect_fails(enum bounds bounds, enum design design, enum plant plant, const char *text)
{
    struct dense s CLOSED_BY(close_subject);
    struct case_result r;

    open_subject(&s, cases[0]);
    r = judge(&s, bounds, design, plant);
    expect(&r, CASE_FAIL, NULL, text);
}

TEST(test_bias_alone)
{
    expect_fails(class_hybrid, DESIGN_FLOAT, BIAS_ALONE, "the bias alone");
    expect_fails(BOUNDS_FP32, DESIGN_FLOAT, BIAS_ALONE, "the bias alone");
}

/* Rows of two designs, and two frames of them. */
TEST(test_one_design_holds)
{
    struct case_result r = { .status = CASE_PASS };
    struct dense s CLOSED_BY(close_subject);

    expect_fails(class_hybrid, DESIGN_ASYM, LATER_ROWS_SYM,
                 "rows are of different designs: row 0 of asym, row 3 of sym");
    open_subject(&s, cases[0]);
    judge_frame(&s, class_hybrid, DESIGN_SYM, NOTHING, &r);
    judge_frame(&s, class_hybrid, DESIGN_SYM, NOTHING, &r);
    expect(&r, CASE_PASS, "sym", NULL);
    judge_frame(&s, class_hybrid, DESIGN_XNN_BF16, NOTHING, &r);
    expect(&r, CASE_FAIL, NULL, "frames are of different designs: sym before, here xnn+bf16");
}

/* ---- without memory ---- */

struct scene {
    struct dense s;
    struct outputs got;
};

static enum status compare_again(void *user, struct diag *diag)
{
    struct scene *const x = user;
    struct case_result r = { .status = CASE_PASS };
    const enum status s = compare(&x->s, class_hybrid, &x->got, &r, diag);

    if (s == STATUS_OK)
        expect(&r, CASE_PASS, "xnn+bf16", NULL);
    return s;
}

/* A design for which there is no memory is said, not left out. */
TEST(test_no_memory)
{
    struct scene x;
    const struct memory_scene scene = { "designs", compare_again, &x, true };

    open_subject(&x.s, cases[0]);
    answer(&x.s, DESIGN_XNN_BF16, NOTHING, &x.got);
    memory_faults_try(&scene, MEMORY_BLOCKS);
    outputs_close(&x.got);
    close_subject(&x.s);
}

/* ---- in reports ---- */

TEST(test_reports)
{
    const char *const path = scratch("designs.json");
    struct record r CLOSED_BY(record_close), again CLOSED_BY(record_close);

    sample_record_open(&r, 3);
    sample_record_result(&r, 0, 0)->design = design_name(1u << DESIGN_FLOAT);
    sample_record_result(&r, 0, 1)->design = design_name(1u << DESIGN_XNN_BF16);
    sample_record_result(&r, 0, 2)->design = design_name(1u << DESIGN_XNN_BF16 | 1u << DESIGN_ASYM);
    report_kit_expect_in(
        &r, form_text,
        "  dynamic range was computed by design:\n    float 1, asym 1, xnn+bf16 1\n");
    report_kit_expect_in(&r, form_csv, ",xnn+bf16,,,\r\n");
    report_kit_expect_in(&r, form_json, "\"design\": \"xnn+bf16\"");
    report_kit_expect_in(&r, form_html, "\"design\":");
    sample_record_write(&r, path);
    KIT_OK(record_read(&again, path, &err));
    assert_string_equal(sample_record_result(&again, 0, 2)->design, "asym");
    assert_null(sample_record_result(&again, 1, 0)->design);
    for (int d = 0; d < DESIGN_COUNT; d++)
        assert_int_equal(design_bit(design_name(1u << d)), 1u << d);
    assert_int_equal(design_bit("other"), 0);
    assert_null(design_name(0));
}

TEST_FILE(.setup = kit_cases_open, .teardown = kit_cases_close);
