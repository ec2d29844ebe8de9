/* Inputs and outputs between dense tensors and rows of padded channels: every element type, channel
 * counts and odd row counts, in the host's memory and in buffers of the caller that end with the
 * tensor, with the faster ways (option no_kernel) on and off; and the f16 that cross a bus in the
 * place of f32.  Those of a device are skipped without one. */
#include "delegate/tests/kit/buffer_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "delegate/base/stored_half.h"
#include "delegate/runtime/half_copy.h"
#include "delegate/runtime/host_copy.h"
#include "delegate/runtime/kernel.h"

#include <math.h>

/* ---- f16 ---- */

static float float_of(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t bits_of(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* What f16 cuts off of a mantissa: at, next to and between the ties. */
static const uint32_t rests[] = { 0, 1, 0xfff, 0x1000, 0x1001, 0x1fff };
enum { RESTS = sizeof rests / sizeof rests[0] };

/* Every sign, exponent and f16 mantissa, with each of the rests. */
TEST(halves_of_floats)
{
    enum { BLOCK = 19 }; /* not a multiple of 8 */

    for (uint32_t high = 0; high < 1u << 19; high += BLOCK) {
        float from[BLOCK * RESTS];
        uint16_t fast[BLOCK * RESTS + 1], plain[BLOCK * RESTS + 1];

        for (uint32_t i = 0; i < BLOCK * RESTS; i++)
            from[i] = float_of(((high + i / RESTS) & 0x7ffff) << 13 | rests[i % RESTS]);
        fast[BLOCK * RESTS] = plain[BLOCK * RESTS] = 0x1234;
        half_copy_in(fast, from, BLOCK * RESTS);
        half_copy_in_plain(plain, from, BLOCK * RESTS);
        assert_int_equal(fast[BLOCK * RESTS], 0x1234);
        assert_memory_equal(fast, plain, sizeof fast);
        for (uint32_t i = 0; i < BLOCK * RESTS; i++) {
            if (isnan(from[i]) ? (plain[i] & 0x7fff) <= 0x7c00 : plain[i] != stored_half(from[i]))
                fail_msg("%a is 0x%04x, expected 0x%04x", (double)from[i], plain[i],
                         stored_half(from[i]));
        }
    }
}

TEST(floats_of_halves)
{
    static uint16_t from[65536];
    static float fast[65537], plain[65537];

    for (uint32_t i = 0; i < 65536; i++)
        from[i] = (uint16_t)i;
    for (size_t count = 65521; count <= 65536; count++) {
        fast[count] = plain[count] = 7;
        half_copy_out(fast, from, count);
        half_copy_out_plain(plain, from, count);
        assert_true(fast[count] == 7 && plain[count] == 7);
        assert_memory_equal(fast, plain, count * sizeof fast[0]);
    }
    for (uint32_t i = 0; i < 65536; i++) {
        const float expected = half_to_float((uint16_t)i);

        if (isnan(expected) ? !isnan(plain[i]) : bits_of(plain[i]) != bits_of(expected))
            fail_msg("0x%04x is %a, expected %a", i, (double)plain[i], (double)expected);
    }
}

/* An output goes on to the input of another partition, whichever of both has f16. */
TEST(between_partitions)
{
    static const float values[] = { 0.5f, -2, 65504, 0x1p-24f, 3 };
    enum { COUNT = sizeof values / sizeof values[0] };

    for (int i = 0; i < 4; i++) {
        const bool from_half = i & 1, to_half = i & 2;
        const struct plan_io io = { .half = to_half,
                                    .bytes = sizeof values,
                                    .dense_bytes = sizeof values,
                                    .staged_bytes = sizeof values / (to_half ? 2 : 1) };
        const struct plan_io back = { .half = to_half, .bytes = sizeof values };
        uint16_t halves[COUNT];
        float staged[COUNT + 1] = { [COUNT] = 9 }, result[COUNT];

        half_copy_in(halves, values, COUNT);
        host_copy_between(staged, &io, from_half ? (const void *)halves : values, from_half);
        host_copy_out(result, staged, &back);
        assert_memory_equal(result, values, sizeof values);
        assert_true(staged[COUNT] == 9);
    }
}

/* ---- on the device ---- */

enum { X, Y };

static const struct type {
    const char *name;
    int code;
    size_t bytes;
} types[] = { { "f32", TENSOR_FLOAT32, 4 },
              { "i32", TENSOR_INT32, 4 },
              { "i16", TENSOR_INT16, 2 },
              { "i8", TENSOR_INT8, 1 },
              { "u8", TENSOR_UINT8, 1 } };

/* y = MAXIMUM(x, x), which is x. */
static void make_model(struct model *m, const struct type *t, int rows, int channels)
{
    const char *const q = t->bytes < 4 ? "q(0.5,0)" : "";

    kit_text(m, "MAXIMUM {} x:%s[1,%d,%d]%s x -> y:%s%s", t->name, rows, channels, q, t->name, q);
}

/* Bytes of every value; floats of moderate size, which f16 rounds. */
static void fill(void *values, const struct type *t, size_t count)
{
    uint64_t seed = count + 1;

    for (size_t i = 0; i < count * t->bytes; i++)
        ((uint8_t *)values)[i] = (uint8_t)(37 * i + 11);
    for (size_t i = 0; i < count && t->code == TENSOR_FLOAT32; i++)
        ((float *)values)[i] = 4 * kit_float(&seed);
}

static void expect(const void *found, const void *given, const struct type *t, size_t count,
                   bool half, const char *what)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *const a = (const uint8_t *)found + i * t->bytes;
        const uint8_t *const b = (const uint8_t *)given + i * t->bytes;
        float f = 0, rounded = 0;

        if (t->code == TENSOR_FLOAT32) {
            memcpy(&f, a, sizeof f);
            memcpy(&rounded, b, sizeof rounded);
            rounded = half ? half_to_float(float_to_half(rounded)) : rounded;
        }
        if (t->code == TENSOR_FLOAT32 ? f != rounded : memcmp(a, b, t->bytes) != 0)
            fail_msg("%s: element %zu of %zu differs", what, i, count);
    }
}

static struct gpu_delegate *inside(TfLiteDelegate *d)
{
    return d->data_;
}

/* Ways of an input and an output. */
static const struct way {
    const char *name, *key, *value;
    bool discrete; /* as if the host did not see the device's memory: whole slices are converted */
} ways[] = {
    { "all", "profile", "0", false },         { "discrete", "profile", "0", true },
    { "poison", "poison", "nan", true },      { "profile", "profile", "1", true },
    { "no rows", "no_kernel", "rows", true }, { "no half_rows", "no_kernel", "half_rows", true },
    { "none", "no_kernel", "all", true }
};

static const int row_counts[] = { 1, 3, 7, 65 };
enum { CHANNELS_MAX = 9, ROWS_MAX = 65, GUARD = 64 };

/* The host's tensors, in buffers of just the tensor's size and a guard behind. */
static void check_bound(TfLiteDelegate *d, struct interpreter *in, const struct type *t,
                        size_t count, const void *given, bool half, const char *what)
{
    const struct kit_vulkan v = kit_vulkan_of(d);
    const size_t bytes = (count * t->bytes + 3) / 4 * 4;
    struct kit_buffer x = kit_buffer(&v, bytes + GUARD), y = kit_buffer(&v, bytes + GUARD);

    memset(x.map, 0xa5, bytes + GUARD);
    memcpy(x.map, given, count * t->bytes);
    memset(y.map, 0xa5, bytes + GUARD);
    kit_bind_buffer(d, &v, X, ASSAY_LAYOUT_DENSE, &x);
    kit_bind_buffer(d, &v, Y, ASSAY_LAYOUT_DENSE, &y);
    interpreter_allow_buffer_handles(in, true);
    kit_run(in);
    expect(y.map, given, t, count, half, what);
    for (int i = 0; i < GUARD; i++)
        assert_int_equal(((uint8_t *)y.map)[bytes + (size_t)i], 0xa5);
    memset(interpreter_tensor(in, Y)->data.raw, 0, count * t->bytes);
    kit_read(in, Y);
    expect(interpreter_tensor(in, Y)->data.raw, given, t, count, half, what);
    interpreter_allow_buffer_handles(in, false);
    kit_unbind(d, X);
    kit_unbind(d, Y);
    kit_run(in);
    expect(interpreter_tensor(in, Y)->data.raw, given, t, count, half, what);
    kit_buffer_close(&v, &x);
    kit_buffer_close(&v, &y);
}

static void check_shape(const struct way *w, const char *precision, const struct type *t, int rows,
                        int channels)
{
    static uint8_t given[ROWS_MAX * CHANNELS_MAX * 4];
    const size_t count = (size_t)rows * (size_t)channels;
    const bool half = strcmp(precision, "fp16") == 0;
    DELEGATE(d, "precision", precision, w->key, w->value);
    char what[128];

    snprintf(what, sizeof what, "%s, %s %s, %d rows of %d channels", w->name, precision, t->name,
             rows, channels);
    inside(d)->options.no_kernel |= 1u << KERNEL_small_outputs; /* which need no store */
    fill(given, t, count);
    MODEL_BY(m, make_model(&m, t, rows, channels));
    INTERPRETER(in, &m, d);
    assert_int_equal(interpreter_partition_count(in), 1);
    assert_false(w->discrete && inside(d)->kernels->plan.outputs[0].zero_copy);
    memcpy(interpreter_tensor(in, X)->data.raw, given, count * t->bytes);
    for (int i = 0; i < 2; i++) {
        memset(interpreter_tensor(in, Y)->data.raw, 0, count * t->bytes);
        kit_run(in);
        expect(interpreter_tensor(in, Y)->data.raw, given, t, count, half, what);
    }
    if (rows == 3)
        check_bound(d, in, t, count, given, half, what);
}

TEST(every_way)
{
    struct device_limits *limits, whole;

    NEEDS_DEVICE;
    TfLiteDelegate *d CLOSED_BY(kit_delegate_end);
    d = kit_delegate(WITH("precision", "fp32")); /* keeps the device open */
    limits = &inside(d)->device->limits;
    whole = *limits;
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        *limits = whole;
        if (ways[w].discrete)
            limits->zero_copy_inputs = limits->zero_copy_outputs = false;
        for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
            for (size_t r = 0; r < sizeof row_counts / sizeof row_counts[0]; r++)
                for (int c = 1; c <= CHANNELS_MAX; c++) {
                    check_shape(&ways[w], "fp32", &types[t], row_counts[r], c);
                    if (types[t].code == TENSOR_FLOAT32)
                        check_shape(&ways[w], "fp16", &types[t], row_counts[r], c);
                }
    }
    *limits = whole;
}

/* What a shader writes behind a result in the arena, and behind an output, fails with option
 * poison: here the plan is told of a result that is a slice shorter. */
TEST(writes_past_the_end_fail)
{
    static const char *const behind[] = { "behind load", "behind an output" };
    struct device_limits *limits, whole;

    NEEDS_DEVICE;
    DELEGATE(d, "poison", "junk");
    inside(d)->options.no_kernel |= 1u << KERNEL_small_outputs; /* which are not in the arena */
    limits = &inside(d)->device->limits;
    whole = *limits;
    for (int zero_copy = 0; zero_copy < 2; zero_copy++) {
        limits->zero_copy_inputs = limits->zero_copy_outputs = zero_copy;
        MODEL_BY(m, make_model(&m, &types[0], 3, 4));
        INTERPRETER(in, &m, d);
        struct plan *const p = &inside(d)->kernels->plan;
        kit_run(in);
        p->tensors[plan_owner(p, p->outputs[0].plan_tensor)].bytes -= 16;
        p->outputs[0].staged_bytes -= zero_copy ? 16 : 0;
        assert_int_not_equal(interpreter_invoke(in, &err), STATUS_OK);
        if (!strstr(err.text, behind[zero_copy]))
            fail_msg("expected \"%s\", found \"%s\"", behind[zero_copy], err.text);
    }
    *limits = whole;
}

/* The device rounds to nearest in integers, ties to even, whatever its conversion does.  The suite
 * takes results that are cut off, too. */
TEST(halves_are_nearest)
{
    enum { STRIDE = 37, COUNT = (1 << 19) / STRIDE * RESTS };

    NEEDS_DEVICE;
    DELEGATE(d, "precision", "fp32");
    MODEL(m, "CAST {} x:f32[%d] -> y:f16[%d]", COUNT, COUNT);
    INTERPRETER(in, &m, d);
    assert_int_equal(interpreter_partition_count(in), 1);
    for (uint32_t i = 0; i < COUNT; i++)
        interpreter_tensor(in, X)->data.f[i] =
            float_of((i / RESTS * STRIDE) << 13 | rests[i % RESTS]);
    kit_run(in);
    for (uint32_t i = 0; i < COUNT; i++) {
        const float given = interpreter_tensor(in, X)->data.f[i];
        const uint16_t found = ((const uint16_t *)interpreter_tensor(in, Y)->data.raw)[i];

        if (isnan(given) ? (found & 0x7fff) <= 0x7c00 : found != float_to_half(given))
            fail_msg("%a is 0x%04x, expected 0x%04x", (double)given, found, float_to_half(given));
    }
}

/* i64 is i32 on the device, and what lies outside of it the nearest end: a row far behind a table,
 * whose low word is within it, is clamped to its last. */
TEST(longs_become_words)
{
    static const int64_t ids[] = { 1,         2,         INT32_MAX,   INT32_MIN,    -1,
                                   INT64_MAX, INT64_MIN, 0x100000001, -0x100000000, 4,
                                   0x80000000 };
    static const float rows[] = { 1, 2, 4, 0, 0, 4, 0, 4, 0, 4, 4 };
    enum { COUNT = sizeof ids / sizeof ids[0] };

    NEEDS_DEVICE;
    DELEGATE(d, "precision", "fp32");
    MODEL(m, "GATHER {} f32[5]=0,1,2,3,4 x:i64[%d] -> y:f32[%d]", COUNT, COUNT);
    INTERPRETER(in, &m, d);
    assert_int_equal(interpreter_partition_count(in), 1);
    memcpy(interpreter_tensor(in, 1)->data.raw, ids, sizeof ids);
    kit_run(in);
    for (int i = 0; i < COUNT; i++)
        if (interpreter_tensor(in, 2)->data.f[i] != rows[i])
            fail_msg("index %lld: row %g, expected %g", (long long)ids[i],
                     (double)interpreter_tensor(in, 2)->data.f[i], (double)rows[i]);
}

TEST_FILE(.before = kit_find_validated_device);
