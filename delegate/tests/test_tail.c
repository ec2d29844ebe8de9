/* The SOFTMAX of a product of few rows by the last workgroup of the product (tail.glsl): edges of
 * rows, slices and workgroups in floats and bytes, what is not done so, and the plan of a device
 * that need not be here.  The bits are those of two steps. */
#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/transform_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "delegate/ops/product/conv_2d_int8.args.h"
#include "delegate/ops/product/matvec.args.h"
#include "delegate/plan/memory.h"
#include "delegate/runtime/kernel.h"
#include "delegate/shaders/args.h"

#include <math.h>

/* ---- models: x, a product, something between or beside, SOFTMAX ---- */

enum shape {
    PLAIN,
    RESHAPED, /* a RESHAPE between, of the same rows */
    DENSE,    /* FULLY_CONNECTED, else CONV_2D of 1x1 */
    SHOWN,    /* the product is an output, too */
    SHOWN_VIEW,
    READ_TWICE,
    SPLIT_ROWS, /* a RESHAPE between, of more rows */
    RESIDUAL,
    COMPUTED, /* the weights are an input */
    APART,    /* another op between */
    TWICE     /* a SOFTMAX of the SOFTMAX */
};

struct net {
    const char *name, *type;
    enum shape shape;
    int32_t rows, depth, classes;
    int activation;
    float beta;
};

static bool is_float(const struct net *n)
{
    return strcmp(n->type, "f32") == 0;
}

/* A scale and a zero point, of bytes. */
static const char *quant(const struct net *n, double scale, int zero)
{
    static char texts[8][40];
    static int next;
    char *const text = texts[next++ % 8];

    snprintf(text, sizeof texts[0], "q(%.9g,%d)", scale, zero + (n->type[0] == 'u' ? 128 : 0));
    return is_float(n) ? "" : text;
}

/* Weights are small integers, so that sums of floats are exact, or any bytes.  The bias is all
 * negative: a padded lane, which is 0, would be the peak.  Logits of bytes are some 40 steps apart.
 */
static void put_product(FILE *f, const struct net *n)
{
    const int seed = n->depth;
    const char *const logits = quant(n, 0.05 * 0.02 * 74 * 74 * sqrt(n->depth) / 40, 5);
    char weights[80] = "w";

    if (n->shape != COMPUTED)
        snprintf(weights, sizeof weights,
                 n->shape == DENSE ? "%s[%d,%d]=~%d(%s)%s" : "%s[%d,1,1,%d]=~%d(%s)%s", n->type,
                 n->classes, n->depth, seed,
                 is_float(n)         ? "-2..2"
                 : n->type[0] == 'u' ? "0..255"
                                     : "-128..127",
                 is_float(n)         ? ""
                 : n->type[0] == 'u' ? "q(0.02,131)"
                                     : "q(0.02,0)");
    fprintf(f, "%s fused_activation_function=%d} x %s ",
            n->shape == DENSE ? "FULLY_CONNECTED:3 {"
                              : "CONV_2D:3 {padding=VALID stride_h=1 stride_w=1",
            n->activation, weights);
    if (is_float(n))
        fprintf(f, "f32[%d]=~%d(%s)", n->classes, seed, n->activation ? "-4..4" : "-1000..-992");
    else
        fprintf(f, "i32[%d]=~%d(-1000..999)q(0.001,0)", n->classes, seed);
    fprintf(f, " -> logits:%s%s\n", n->type, logits);
    if (n->shape == RESHAPED || n->shape == SHOWN_VIEW || n->shape == SPLIT_ROWS)
        fprintf(f, "RESHAPE {} logits i32[2]=%d,%d -> view:%s%s\n",
                n->shape == SPLIT_ROWS ? 2 * n->rows : n->rows,
                n->shape == SPLIT_ROWS ? n->classes / 2 : n->classes, n->type, logits);
}

static void make(const struct net *n, struct model *m)
{
    const char *const softmax = quant(n, 1. / 256, -128);
    const char *read = "logits";
    MEMORY_FILE(f, text);

    fprintf(f, "tensors x:%s[%d,1,1,%d]%s", n->type, n->rows, n->depth, quant(n, 0.05, 3));
    if (n->shape == COMPUTED)
        fprintf(f, " w:%s[%d,1,1,%d]", n->type, n->classes, n->depth);
    if (n->shape == RESIDUAL)
        fprintf(f, " r:%s[%d,1,1,%d]; ABS r -> z", n->type, n->rows, n->classes);
    fputc('\n', f);
    put_product(f, n);
    if (n->shape == READ_TWICE || n->shape == APART)
        fputs("ABS logits -> abs\n", f);
    if (n->shape == APART)
        read = "abs";
    if (n->shape == RESIDUAL)
        fprintf(f, "ADD {} logits z -> %s\n", read = "sum");
    if (n->shape == RESHAPED || n->shape == SHOWN_VIEW || n->shape == SPLIT_ROWS)
        read = "view";
    fprintf(f, "SOFTMAX {beta=%.9g} %s -> y:%s%s\n", (double)n->beta, read, n->type, softmax);
    if (n->shape == TWICE)
        fprintf(f, "SOFTMAX {beta=%.9g} y -> y2:%s%s\n", (double)n->beta, n->type, softmax);
    fprintf(f, "outputs %s",
            n->shape == SHOWN        ? "logits y"
            : n->shape == READ_TWICE ? "abs y"
            : n->shape == SHOWN_VIEW ? "view y"
            : n->shape == TWICE      ? "y2"
                                     : "y");
    fclose(f);
    kit_text(m, "%s", text);
}

/* ---- on the device ---- */

static void fill(struct interpreter *in, uint64_t seed)
{
    size_t count;
    const int *inputs = interpreter_inputs(in, &count);

    for (size_t i = 0; i < count; i++) {
        TfLiteTensor *t = interpreter_tensor(in, inputs[i]);

        if (t->type == kTfLiteFloat32)
            for (size_t j = 0; j < t->bytes / sizeof(float); j++)
                t->data.f[j] = (float)(kit_below(&seed, 9) - 4);
        else
            for (size_t j = 0; j < t->bytes; j++)
                t->data.uint8[j] = (uint8_t)kit_random(&seed);
    }
}

static struct interpreter *open_interpreter(const struct model *m, TfLiteDelegate *d)
{
    const struct interpreter_options options = { .report = transform_quiet };
    struct interpreter *in;

    KIT_OK(interpreter_open(&in, m, &options, &err));
    if (d)
        KIT_OK(interpreter_apply_delegate(in, d, NULL, &err));
    KIT_OK(interpreter_allocate(in, &err));
    return in;
}

/* Of the shaders of SOFTMAX alone, and those with a tail. */
static void count_steps(const struct plan *p, int *alone, int *tails)
{
    for (int i = 0; i < p->step_count; i++) {
        const struct plan_step *s = p->steps[i];

        *alone += strncmp(s->shader, "softmax", strlen("softmax")) == 0;
        *tails += (strcmp(s->shader, "matvec") == 0 && s->spec[MATVEC_SPEC_TAIL] > 0) ||
                  (strcmp(s->shader, "conv_2d_int8") == 0 && s->spec[CONV_2D_INT8_SPEC_TAIL] > 0);
    }
}

struct setting {
    const char *precision, *poison;
    int variant; /* of workgroups */
    bool off;
};

static TfLiteDelegate *delegate_of(const struct setting *s)
{
    TfLiteDelegate *d = transform_delegate(s->precision, s->poison, NULL);
    struct gpu_options *o = &((struct gpu_delegate *)d->data_)->options;

    o->any_device = true;
    o->workgroup_variant = s->variant;
    /* Kernels that tests force, or devices have, and that would compute the products. */
    o->no_kernel |= 1u << KERNEL_gemm_int8 | 1u << KERNEL_matrix_int8 | 1u << KERNEL_matrix;
    if (s->off)
        o->no_kernel |= 1u << KERNEL_tail;
    return d;
}

/* f16 has 11 bits. */
static void check_near(const struct net *n, const struct setting *s, struct interpreter *truth,
                       struct interpreter *got)
{
    const bool half = strcmp(s->precision, "fp16") == 0;
    const struct transform_case c = { .name = n->name };

    if (!is_float(n))
        kit_same_outputs(truth, got, 0);
    else
        transform_near(&c, s->precision, truth, got, half ? 1.0f / 2048 : 1e-6f);
}

/* Four inferences with two inputs, each with the bits of two steps, and near to the reference. */
static void check(const struct net *n, struct setting s, bool joined)
{
    const struct setting off = { s.precision, s.poison, s.variant, true };
    TfLiteDelegate *d[] = { delegate_of(&s), delegate_of(&off) };
    const int all = n->shape == TWICE ? 2 : 1;
    int alone[2] = { 0 }, tails[2] = { 0 };
    struct interpreter *truth, *one, *two;
    struct model m;

    make(n, &m);
    truth = open_interpreter(&m, NULL);
    one = open_interpreter(&m, d[0]);
    two = open_interpreter(&m, d[1]);
    for (int i = 0; i < 2; i++)
        for (const struct kernel *k = ((struct gpu_delegate *)d[i]->data_)->kernels; k; k = k->next)
            count_steps(&k->plan, &alone[i], &tails[i]);
    if (tails[0] != joined || alone[0] != all - joined || tails[1] || alone[1] != all)
        fail_msg("%s: %d tails and %d steps of SOFTMAX, without the kernel %d and %d", n->name,
                 tails[0], alone[0], tails[1], alone[1]);
    for (uint64_t frame = 0; frame < 4; frame++) {
        struct interpreter *const each[] = { truth, one, two };

        for (int i = 0; i < 3; i++) {
            fill(each[i], frame % 2 + 1);
            KIT_OK(interpreter_invoke(each[i], &err));
        }
        kit_same_outputs(one, two, frame);
        check_near(n, &s, truth, one);
    }
    interpreter_close(one);
    interpreter_close(two);
    interpreter_close(truth);
    model_close(&m);
    assay_gpu_delegate_destroy(d[0]);
    assay_gpu_delegate_destroy(d[1]);
}

#define F32 "f32"
#define I8  "i8"
#define U8  "u8"

static const struct net joined[] = {
    { "one workgroup", F32, PLAIN, 1, 67, 3, 0, 1.0f / 64 },
    { "one slice more", F32, PLAIN, 1, 64, 9, 0, 1.0f / 64 },
    { "whole slices", F32, PLAIN, 1, 128, 16, 0, 1.0f / 64 },
    { "few planes", F32, PLAIN, 1, 84, 257, 0, 1.0f / 64 },
    { "a slice each", F32, PLAIN, 1, 64, 1024, 0, 1.0f / 64 },
    { "more slices than invocations", F32, PLAIN, 1, 65, 1025, 0, 1.0f / 64 },
    { "view", F32, RESHAPED, 1, 100, 1001, 0, 1.0f / 64 },
    { "peak", F32, PLAIN, 1, 256, 37, 0, 1 },
    { "activation", F32, PLAIN, 1, 64, 22, kTfLiteActRelu6, 0.75f },
    { "two rows", F32, PLAIN, 2, 67, 21, 0, 1.0f / 64 },
    { "three rows", F32, RESHAPED, 3, 130, 261, 0, 1.0f / 64 },
    { "dense", F32, DENSE, 1, 256, 261, 0, 1.0f / 64 },
    { "dense rows", F32, DENSE, 3, 261, 257, 0, 1.0f / 64 },
    { "twice", F32, TWICE, 1, 64, 37, 0, 1.0f / 64 },
    { "bytes", I8, PLAIN, 1, 64, 1001, 0, 0.05f },
    { "bytes, one workgroup", I8, PLAIN, 1, 16, 3, 0, 0.05f },
    { "bytes, no shares", I8, RESHAPED, 3, 5, 18, 0, 0.05f },
    { "bytes, slices", I8, RESHAPED, 1, 33, 512, 0, 0.05f },
    { "bytes, one slice more", I8, PLAIN, 1, 36, 513, 0, 1 },
    { "bytes, rows", I8, PLAIN, 3, 67, 129, kTfLiteActRelu, 0.05f },
    { "bytes, dense", I8, DENSE, 1, 128, 37, 0, 0.05f },
    { "bytes, twice", I8, TWICE, 1, 64, 37, 0, 0.05f },
    { "u8", U8, PLAIN, 1, 67, 257, 0, 0.05f },
    { "u8, rows", U8, RESHAPED, 2, 33, 10, 0, 0.05f },
    { "u8, dense", U8, DENSE, 3, 40, 30, 0, 0.05f },
};

/* Each net in both precisions, with one of the pairs of settings. */
TEST(same_bits)
{
    static const struct setting settings[] = {
        { "fp32", "nan", 0, false },
        { "fp32", "junk", 3, false },
        { "fp16", "inf", 0, false },
        { "fp16", "off", 7, false },
    };

    if (!transform_device)
        skip();
    for (size_t i = 0; i < sizeof joined / sizeof joined[0]; i++)
        for (size_t s = i % 2; s < sizeof settings / sizeof settings[0]; s += 2)
            check(&joined[i], settings[s], true);
}

/* Workgroups of bytes may have any size: 1 to 32 output slices, 32 to 256 invocations. */
TEST(any_workgroup)
{
    static const struct net n = { "any", I8, PLAIN, 3, 64, 131, 0, 0.05f };

    if (!transform_device)
        skip();
    for (int variant = 1; variant <= 24; variant++)
        check(&n, (struct setting){ "fp32", "nan", variant, false }, true);
}

static const struct net apart[] = {
    { "shown", F32, SHOWN, 1, 64, 37, 0, 1.0f / 64 },
    { "shown view", F32, SHOWN_VIEW, 1, 64, 37, 0, 1.0f / 64 },
    { "read twice", F32, READ_TWICE, 1, 64, 37, 0, 1.0f / 64 },
    { "split rows", F32, SPLIT_ROWS, 1, 64, 40, 0, 1.0f / 64 },
    { "residual", F32, RESIDUAL, 1, 64, 37, 0, 1.0f / 64 },
    { "computed", F32, COMPUTED, 1, 64, 37, 0, 1.0f / 64 },
    { "apart", F32, APART, 1, 64, 37, 0, 1.0f / 64 },
    { "rows", F32, PLAIN, 4, 64, 37, 0, 1.0f / 64 },
    { "shallow", F32, PLAIN, 1, 60, 37, 0, 1.0f / 64 },
    { "shown bytes", I8, SHOWN, 1, 64, 37, 0, 0.05f },
    { "split bytes", I8, SPLIT_ROWS, 1, 64, 40, 0, 0.05f },
    { "rows of bytes", I8, PLAIN, 4, 64, 37, 0, 0.05f },
};

TEST(two_steps)
{
    if (!transform_device)
        skip();
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++)
        check(&apart[i], (struct setting){ "fp32", "nan", 0, false }, false);
}

/* ---- without a device ---- */

struct look {
    enum device_class device_class;
    uint32_t invocations, shared_bytes; /* of a workgroup, which the device allows; 0: many */
    uint32_t range;                     /* of a storage buffer; 0: large */
    const char *precision;
    struct plan_step step; /* the last one of a node */
    int tails, alone;
    bool copies_no_output;
};

static void look_at_plan(struct graph *g, void *user)
{
    struct look *look = user;
    const char *pairs[] = { "precision", look->precision ? look->precision : "fp32", NULL };
    struct gpu_options o CLOSED_BY(options_close) = gpu_options_of(pairs);
    struct device_limits limits = gpu_large_limits();

    limits.device_class = look->device_class;
    if (look->invocations)
        limits.max_workgroup_invocations = look->invocations;
    if (look->shared_bytes)
        limits.max_shared_memory_bytes = look->shared_bytes;
    if (look->range)
        limits.max_storage_buffer_range = look->range;
    struct plan p CLOSED_BY(plan_close);
    gpu_plan_graph(&p, g, &o, &limits, &err);
    for (int i = 0; i < p.step_count; i++)
        if (p.steps[i]->node >= 0)
            look->step = *p.steps[i];
    count_steps(&p, &look->alone, &look->tails);
    look->copies_no_output = plan_copies_no_output(&p);
}

static struct look planned(const struct net *n, struct look look)
{
    MODEL_BY(m, make(n, &m));
    gpu_look(&m, look_at_plan, &look);
    return look;
}

static const struct net floats = { "floats", F32, RESHAPED, 1, 100, 1001, 0, 1 };
static const struct net bytes = { "bytes", I8, RESHAPED, 1, 64, 1001, 0, 1 };

/* On a device that was measured; the result is written to memory of the host. */
TEST(chosen)
{
    static const struct {
        enum device_class device_class;
        bool joined;
    } rows[] = { { DEVICE_NVIDIA, true },
                 { DEVICE_AMD, true },
                 { DEVICE_SOFTWARE, false },
                 { DEVICE_OTHER, false } };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int k = 0; k < 2; k++) {
            const struct look got = planned(k ? &bytes : &floats,
                                            (struct look){ .device_class = rows[i].device_class });

            assert_int_equal(got.tails, rows[i].joined);
            assert_int_equal(got.alone, !rows[i].joined);
            assert_true(got.copies_no_output);
        }
}

/* Workgroups are wide enough for the sums of a SOFTMAX of its own, within the limits. */
TEST(workgroups)
{
    static const uint32_t allowed[] = { 0, 200, 128 };

    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++) {
        const uint32_t width = allowed[i] ? 128 : 256;
        const struct look f = planned(
            &floats, (struct look){ .device_class = DEVICE_NVIDIA, .invocations = allowed[i] });
        const struct look b = planned(
            &bytes, (struct look){ .device_class = DEVICE_NVIDIA, .invocations = allowed[i] });
        const uint32_t *const size = b.step.spec;

        assert_int_equal(f.step.spec[MATVEC_SPEC_TAIL], width);
        assert_int_equal(f.step.spec[SPEC_WORKGROUP_X], width);
        /* 16 planes of 2 slices. */
        assert_int_equal(f.step.spec[MATVEC_SPEC_PLANES], 16);
        assert_int_equal(f.step.shared_bytes, 32 * 16 + width * 4);
        assert_int_equal(b.step.spec[CONV_2D_INT8_SPEC_TAIL], CONV_2D_INT8_SIGNED_TAIL);
        assert_int_equal(b.step.shared_bytes, size[0] * size[1] * size[2] * 20);
    }
}

/* The next best variant where there is no room; bytes of the largest buffer are the limit. */
TEST(room)
{
    const struct look f = planned(&floats, (struct look){ .device_class = DEVICE_NVIDIA });
    const struct look b = planned(&bytes, (struct look){ .device_class = DEVICE_NVIDIA });
    const uint32_t sizes[] = { (uint32_t)f.step.bindings[2].bytes,
                               (uint32_t)b.step.bindings[2].bytes };

    /* Behind the weights, and what requantizes bytes, a counter, 251 slices, and 256 words. */
    assert_int_equal(sizes[0], (100 * 251 * 16 + 255) / 256 * 256 + 16 + 251 * 16);
    assert_int_equal(sizes[1], (16 * 251 * 16 + 255) / 256 * 256 + (251 * 48 + 255) / 256 * 256 +
                                   16 + 251 * 4 + 1024);
    for (int k = 0; k < 2; k++) {
        const struct net *n = k ? &bytes : &floats;
        const uint32_t aligned = (sizes[k] + 255) / 256 * 256;
        const struct look large = { .device_class = DEVICE_NVIDIA, .range = aligned - 1 };
        const struct look just = { .device_class = DEVICE_NVIDIA, .range = aligned };
        /* What the product needs, and 1024 bytes for the sums. */
        const struct look narrow = { .device_class = DEVICE_NVIDIA,
                                     .shared_bytes = (k ? 2048 : 512) + 1024 - 1 };

        assert_int_equal(planned(n, just).tails, 1);
        assert_int_equal(planned(n, large).tails, 0);
        assert_int_equal(planned(n, narrow).tails, 0);
    }
}

TEST_FILE(KIT_HOLDS_DEVICE, .before = transform_find_device);
