/* bf16: conversions, and nodes that are computed in f32 and rounded once. */
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/runtime/interpreter.h"

#include <math.h>
#include <string.h>

TEST(every_value_comes_back)
{
    for (uint32_t b = 0; b < 1 << 16; b++) {
        const float f = bfloat_to_float((uint16_t)b);

        if (isnan(f))
            assert_true(isnan(bfloat_to_float(double_to_bfloat((double)f))));
        else
            assert_int_equal(double_to_bfloat((double)f), b);
    }
}

TEST(rounds_once_to_even)
{
    static const struct {
        double from;
        uint16_t to;
    } cases[] = {
        { 1 + 0x1p-8, 0x3f80 },
        { 1 + 0x3p-8, 0x3f82 },
        { 1 + 0x1p-8 + 0x1p-30, 0x3f81 },
        { -1 - 0x1p-8 - 0x1p-30, 0xbf81 },
        { 0x1.fep127, 0x7f7f },
        { 0x1.ffp127, 0x7f80 },
        { 0x1p-133, 0x0001 },
        { 0x1p-134, 0x0000 },
        { 0x1.8p-133, 0x0002 },
        { 0x1.fffp-127, 0x0080 },
        { (double)INFINITY, 0x7f80 },
        { -0.0, 0x8000 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (double_to_bfloat(cases[i].from) != cases[i].to)
            fail_msg("%a is 0x%04x, expected 0x%04x", cases[i].from,
                     (unsigned)double_to_bfloat(cases[i].from), cases[i].to);
}

/* Runs a text whose type T is given, with values that bf16 holds; y gets the first output. */
static size_t run(const char *text, const char *type, float y[64])
{
    char of_type[512];
    size_t used = 0, inputs, outputs, count;
    const TfLiteTensor *t;

    for (const char *at = text; *at; at++)
        used += (size_t)snprintf(of_type + used, sizeof of_type - used, "%.*s",
                                 *at == 'T' && at[1] == '[' ? (int)strlen(type) : 1,
                                 *at == 'T' && at[1] == '[' ? type : at);
    MODEL(m, "%s", of_type);
    INTERPRETER_BY(in, kit_interpreter(&m, NULL));
    KIT_OK(interpreter_allocate(in, &err));
    interpreter_inputs(in, &inputs);
    for (size_t i = 0; i < inputs; i++) {
        TfLiteTensor *const x = interpreter_tensor(in, interpreter_inputs(in, &inputs)[i]);

        for (size_t k = 0; k < ref_elements(x); k++) {
            const float v = bfloat_to_float(
                double_to_bfloat(0.37 + 0.61 * (double)k * (i % 2 ? 1 : -1) + (double)i));

            if (x->type == kTfLiteBFloat16)
                ((uint16_t *)x->data.raw)[k] = double_to_bfloat((double)v);
            else if (x->type == kTfLiteInt32)
                x->data.i32[k] = (int32_t)k;
            else
                x->data.f[k] = v;
        }
    }
    KIT_OK(interpreter_invoke(in, &err));
    t = interpreter_tensor(in, interpreter_outputs(in, &outputs)[0]);
    count = ref_elements(t);
    assert_true(count <= 64);
    for (size_t k = 0; k < count; k++)
        y[k] = t->type == kTfLiteBFloat16 ? bfloat_to_float(((const uint16_t *)t->data.raw)[k])
                                          : t->data.f[k];
    return count;
}

/* What moves bf16, what the CPU's kernels of LiteRT take, and what only delegates compute. */
TEST(nodes_compute_in_f32)
{
    static const char *const texts[] = {
        "ADD {} T[2,3] T[2,3] -> T[2,3]",
        "SUB {} T[2,3] T[3] -> T[2,3]",
        "MUL {} T[2,3] T[2,3] -> T[2,3]",
        "DIV {} T[2,3] T[2,3] -> T[2,3]",
        "MAXIMUM {} T[2,3] T[2,3] -> T[2,3]",
        "MINIMUM {} T[2,3] T[2,3] -> T[2,3]",
        "BATCH_MATMUL {} T[2,3] T[3,4] -> T[2,4]",
        "FULLY_CONNECTED {} T[2,3] T[4,3] T[4] -> T[2,4]",
        "MEAN {} T[2,3] i32[1]=1 -> T[2]",
        "SUM {} T[2,3] i32[1]=1 -> T[2]",
        "SQUARE {} T[2,3] -> T[2,3]",
        "MUL {} x:T[2,3] x -> y; RSQRT y -> z:T[2,3]",
        "MUL {} x:T[2,3] x -> y; SQRT y -> z:T[2,3]",
        "EXP {} T[2,3] -> T[2,3]",
        "SIN T[2,3] -> T[2,3]",
        "COS {} T[2,3] -> T[2,3]",
        "ABS {} T[2,3] -> T[2,3]",
        "NEG {} T[2,3] -> T[2,3]",
        "TANH T[2,3] -> T[2,3]",
        "LOGISTIC T[2,3] -> T[2,3]",
        "GELU {approximate=true} T[2,3] -> T[2,3]",
        "SOFTMAX {beta=1} T[2,3] -> T[2,3]",
        "RESHAPE {new_shape=[3,2]} T[2,3] -> T[3,2]",
        "TRANSPOSE {} T[2,3] i32[2]=1,0 -> T[3,2]",
        "SLICE {} T[2,3] i32[2]=0,1 i32[2]=2,2 -> T[2,2]",
        "CONCATENATION {axis=1} T[2,3] T[2,1] -> T[2,4]",
        "PAD {} T[2,3] i32[2,2]=1,0,0,1 -> T[3,4]",
        "GATHER {} T[3,2] i32[3] -> T[3,2]",
        "DYNAMIC_UPDATE_SLICE {} T[2,3] T[1,2] i32[2] -> T[2,3]",
        "CAST {} T[2,3] -> f32[2,3]",
        "CAST {} f32[2,3] -> T[2,3]",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        float rounded[64], single[64];
        size_t count;

        count = run(texts[i], "bf16", rounded);
        assert_int_equal(run(texts[i], "f32", single), count);
        for (size_t k = 0; k < count; k++) {
            /* Of two nodes the first one is rounded, too. */
            const double slack = strchr(texts[i], ';') ? 0x1p-7 : 0;
            const float expected = bfloat_to_float(double_to_bfloat((double)single[k]));

            if (!(fabs((double)rounded[k] - (double)expected) <= slack * fabs((double)expected)))
                fail_msg("%s: element %zu is %g, expected %g", texts[i], k, (double)rounded[k],
                         (double)expected);
        }
    }
}

/* 1 + 2^-8 + 2^-30 is a tie for who rounds it to f32 first. */
TEST(sums_round_once)
{
    float y[64];

    run("SUM {} T[1,3]=x:803f803b8030 i32[1]=1 -> a; ADD {} a T[1] -> T[1]", "bf16", y);
    assert_true(y[0] == bfloat_to_float(double_to_bfloat(
                            1 + 0x1p-7 + (double)bfloat_to_float(double_to_bfloat(0.37)))));
}

static void expect_refusal(const char *text, enum status status, const char *words)
{
    struct diag diag = { 0 };

    MODEL(m, "%s", text);
    INTERPRETER_BY(in, kit_interpreter(&m, NULL));
    assert_int_equal(interpreter_allocate(in, &diag), status);
    assert_non_null(strstr(diag.text, words));
}

/* A type that the kernel has no place for is refused with its own message. */
TEST(others_are_refused)
{
    expect_refusal("LOGICAL_NOT {} x:bf16[4] -> y:bf16[4]", STATUS_UNSUPPORTED,
                   "type bf16, expected bool");
}

/* What f32 is refused for is told, and so is a lack of memory. */
TEST(mistakes_are_those_of_f32)
{
    enum status s = STATUS_NO_MEMORY;
    long n = 0;

    expect_refusal("ADD {} bf16[2] bf16[3] -> bf16[3]", STATUS_INVALID,
                   "inputs 0 and 1 do not broadcast: 2 and 3");
    MODEL(m, "ADD {} bf16[2] bf16[2] -> bf16[2]");
    for (; s == STATUS_NO_MEMORY; n++) {
        INTERPRETER_BY(in, kit_interpreter(&m, NULL));
        mem_fail_after(n);
        diag_clear(&err);
        s = interpreter_allocate(in, &err);
        mem_fail_after(-1);
    }
    assert_int_equal(s, STATUS_OK);
    assert_true(n > 1);
}
