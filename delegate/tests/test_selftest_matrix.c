/* The test that matrix units pass before they are used, on a device that need not be here: the
 * executor is that of this file, which multiplies as each test wants it to. */
#include "delegate/tests/kit/fake_executor.h"
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/vulkan/selftest.h"
#include "reference/base/memory.h"

#include <string.h>

/* Of the product that is asked for: selftest_matrix.c. */
enum { PIXELS = 37, DEPTH = 38, OUTPUTS = 19, TILE = 16 };

enum fault {
    GOOD,
    ORDER_TWICE,   /* two elements are read from one place */
    ORDER_BROKEN,  /* a place is no whole number */
    ORDER_OUTSIDE, /* a place is outside the tile */
    ONCE_WRONG,    /* components are set wrong, loads as a whole are right */
    WRONG,
    OPEN_FAILS,
    RECORD_FAILS,
    RUN_FAILS,
    LATER_FAILS /* the second run, of numbers */
};

static struct {
    enum fault fault;
    int runs, products;
    float x[PIXELS][DEPTH], y[PIXELS][OUTPUTS];
} fake;

static enum status fails(enum fault fault, struct diag *diag)
{
    return fake.fault == fault ? diag_fail(diag, STATUS_DEVICE, "call %d failed", (int)fault)
                               : STATUS_OK;
}

/* Where this device keeps element i of a second factor: transposed. */
static float place_of(int i)
{
    if (i == 3 && fake.fault == ORDER_TWICE)
        i = 4;
    if (i == 3 && fake.fault == ORDER_BROKEN)
        return 0.5F;
    if (i == 3 && fake.fault == ORDER_OUTSIDE)
        return TILE * TILE;
    return (float)(i % TILE * TILE + i / TILE);
}

/* The weights of the test. */
static float weight(int o, int k)
{
    return k == 0 || k == DEPTH - 1 ? 2 : (float)((o * 3 + k * 11) % 9 - 4);
}

static void multiply(void)
{
    for (int i = 0; i < PIXELS; i++)
        for (int o = 0; o < OUTPUTS; o++) {
            fake.y[i][o] = 0;
            for (int k = 0; k < DEPTH; k++)
                fake.y[i][o] += fake.x[i][k] * weight(o, k);
        }
    fake.products++;
    if (fake.fault == WRONG || (fake.fault == ONCE_WRONG && fake.products == 1))
        fake.y[PIXELS - 1][OUTPUTS - 1] += 1;
}

static enum status call(enum fake_call call, struct diag *diag)
{
    const bool asks_places = fake.x[0][0] == 1;

    if (call != FAKE_RUN)
        return fails(call == FAKE_OPEN ? OPEN_FAILS : RECORD_FAILS, diag);
    fake.runs++;
    if (asks_places)
        for (int i = 0; i < TILE * TILE; i++)
            fake.y[i / TILE][i % TILE] = place_of(i);
    else
        multiply();
    if (fake.fault == LATER_FAILS && fake.runs == 2)
        return fails(LATER_FAILS, diag);
    return fails(RUN_FAILS, diag);
}

/* ---- devices ---- */

static struct fake_executor executor = {
    .shader = "matrix.", .input = fake.x, .output = fake.y, .call = call
};
static struct diag diag;

static struct device matrix_device(enum fault fault)
{
    struct device d = { .limits = gpu_large_limits() };

    d.limits.device_class = DEVICE_NVIDIA;
    d.limits.max_shared_memory_bytes = 49152;
    d.limits.matrix =
        (struct device_matrix){ .kind = MATRIX_NV, .tile = TILE, .subgroup_size = 32 };
    strcpy(d.info.name, "Fake 9");
    lock_init(&d.selftest_lock, LOCK_RANK_SELFTEST, 0);
    fake_executor = &executor;
    fake.fault = fault;
    executor.shader = "matrix.";
    fake.runs = fake.products = 0;
    diag = (struct diag){ .status = STATUS_OK };
    return d;
}

TEST(right_units_are_used)
{
    struct device d = matrix_device(GOOD);

    assert_int_equal(selftest_matrix(&d, &diag), STATUS_OK);
    assert_true(d.matrix_tested && d.limits.matrix.fragments);
    assert_int_equal(d.limits.matrix.kind, MATRIX_NV);
    for (int i = 0; i < TILE * TILE; i++)
        assert_int_equal(d.limits.matrix.order[i], i % TILE * TILE + i / TILE);
    /* Once a device. */
    assert_int_equal(selftest_matrix(&d, &diag), STATUS_OK);
    assert_int_equal(fake.runs, 2);
    d = matrix_device(WRONG);
    d.limits.matrix.kind = MATRIX_NONE;
    assert_int_equal(selftest_matrix(&d, &diag), STATUS_OK);
    assert_int_equal(fake.runs, 0);
}

/* Then matrices are loaded as a whole, and the units are used nevertheless. */
TEST(an_order_that_is_none)
{
    static const enum fault faults[] = { ORDER_TWICE, ORDER_BROKEN, ORDER_OUTSIDE, ONCE_WRONG };

    for (int i = 0; i < 4; i++) {
        struct device d = matrix_device(faults[i]);

        assert_int_equal(selftest_matrix(&d, &diag), STATUS_OK);
        assert_int_equal(d.limits.matrix.kind, MATRIX_NV);
        assert_false(d.limits.matrix.fragments);
        assert_int_equal(fake.runs, faults[i] == ONCE_WRONG ? 3 : 2);
    }
}

/* Invocations that hold another number of elements are not asked for their order. */
TEST(other_subgroups_have_no_order)
{
    struct device d = matrix_device(GOOD);

    d.limits.matrix.subgroup_size = 64;
    assert_int_equal(selftest_matrix(&d, &diag), STATUS_OK);
    assert_false(d.limits.matrix.fragments);
    assert_int_equal(fake.runs, 1);
}

TEST(wrong_units_are_left_alone)
{
    struct device d = matrix_device(WRONG);

    assert_int_equal(selftest_matrix(&d, &diag), STATUS_NO_DEVICE);
    assert_non_null(strstr(diag.text, "device 'Fake 9': matrix units: expected "));
    assert_true(d.matrix_tested);
    assert_int_equal(d.limits.matrix.kind, MATRIX_NONE);
    assert_int_equal(selftest_matrix(&d, &diag), STATUS_OK);
    assert_int_equal(fake.runs, 3);
}

/* What fails says nothing of the units: the next one tests them again. */
TEST(failures_are_tried_again)
{
    static const enum fault faults[] = { OPEN_FAILS, RECORD_FAILS, RUN_FAILS, LATER_FAILS };

    for (int i = 0; i < 4; i++) {
        struct device d = matrix_device(faults[i]);

        assert_int_equal(selftest_matrix(&d, &diag), STATUS_DEVICE);
        assert_non_null(strstr(diag.text, "failed"));
        assert_false(d.matrix_tested);
        assert_int_equal(d.limits.matrix.kind, MATRIX_NV);
        fake.fault = GOOD;
        assert_int_equal(selftest_matrix(&d, &diag), STATUS_OK);
        assert_true(d.matrix_tested);
    }
    for (long n = 0, s = STATUS_NO_MEMORY; s != STATUS_OK; n++) {
        struct device d = matrix_device(GOOD);

        mem_fail_after(n);
        s = selftest_matrix(&d, &diag);
        mem_fail_after(-1);
        assert_true(s == STATUS_OK || s == STATUS_NO_MEMORY);
        assert_int_equal(d.matrix_tested, s == STATUS_OK);
        assert_true(n < 1000);
    }
}

/* ---- f16 sums ---- */

static struct device half_sums_device(enum fault fault)
{
    struct device d = matrix_device(fault);

    d.limits.shader_float16 = true;
    executor.shader = "gemm.fast";
    return d;
}

/* With matrix units or without; once a device. */
TEST(right_half_sums_are_used)
{
    struct device d = half_sums_device(GOOD);

    for (int i = 0; i < 2; i++)
        assert_int_equal(selftest_half_sums(&d, &diag), STATUS_OK);
    assert_true(d.half_sums_tested && d.limits.shader_float16);
    assert_false(d.matrix_tested);
    assert_int_equal(d.limits.matrix.kind, MATRIX_NV);
    assert_int_equal(fake.runs, 1);
    /* What the test asks of f16: no input above 6, and sums that it has. */
    for (int i = 0; i < PIXELS; i++)
        for (int k = 0; k < DEPTH; k++)
            assert_true(fake.x[i][k] >= 0 && fake.x[i][k] <= 6);
    for (int i = 0; i < PIXELS; i++)
        for (int o = 0; o < OUTPUTS; o++)
            assert_true(fake.y[i][o] >= -2048 && fake.y[i][o] <= 2048);
    d = half_sums_device(WRONG);
    d.limits.shader_float16 = false;
    assert_int_equal(selftest_half_sums(&d, &diag), STATUS_OK);
    assert_int_equal(fake.runs, 0);
}

TEST(wrong_half_sums_are_left_alone)
{
    static const enum fault faults[] = { OPEN_FAILS, RECORD_FAILS, RUN_FAILS };
    struct device d = half_sums_device(WRONG);

    assert_int_equal(selftest_half_sums(&d, &diag), STATUS_NO_DEVICE);
    assert_non_null(strstr(diag.text, "device 'Fake 9': f16 sums: expected "));
    assert_true(d.half_sums_tested);
    assert_false(d.limits.shader_float16);
    assert_int_equal(selftest_half_sums(&d, &diag), STATUS_OK);
    assert_int_equal(fake.runs, 1);
    for (int i = 0; i < 3; i++) {
        d = half_sums_device(faults[i]);
        assert_int_equal(selftest_half_sums(&d, &diag), STATUS_DEVICE);
        assert_true(!d.half_sums_tested && d.limits.shader_float16);
    }
}
