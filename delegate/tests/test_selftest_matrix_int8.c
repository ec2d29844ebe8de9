/* The test that matrix units pass before they multiply bytes, on a device that need not be here:
 * the executor is that of this file, which multiplies as each test wants it to. */
#include "delegate/tests/kit/fake_executor.h"
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/vulkan/selftest.h"
#include "reference/base/fixed_point.h"
#include "reference/base/memory.h"

#include <string.h>

/* Of the product that is asked for: selftest_matrix_int8.c. */
enum { PIXELS = 37, DEPTH = 46, OUTPUTS = 19, ROWS = 32, COLUMNS = 16, ELEMENTS = ROWS * COLUMNS };
enum { ORDER_RUNS = 3 }; /* 9 bits, 4 at a time */

enum fault {
    GOOD,
    ORDER_TWICE,   /* two elements are read from one place */
    ORDER_OUTSIDE, /* a place is outside the tile */
    ONCE_WRONG,    /* components are set wrong, loads as a whole are right */
    WRONG,
    OPEN_FAILS,
    RECORD_FAILS,
    RUN_FAILS,
    LATER_FAILS /* the last run, of numbers */
};

static struct {
    enum fault fault;
    int runs, products;
    int8_t x[PIXELS][DEPTH], y[PIXELS][OUTPUTS];
} fake;

static enum status fails(enum fault fault, struct diag *diag)
{
    return fake.fault == fault ? diag_fail(diag, STATUS_DEVICE, "call %d failed", (int)fault)
                               : STATUS_OK;
}

/* Where this device keeps element i of a second factor: transposed. */
static int place_of(int i)
{
    if (i == 3 && fake.fault == ORDER_TWICE)
        i = 4;
    if (i == 3 && fake.fault == ORDER_OUTSIDE)
        return ELEMENTS;
    return i % COLUMNS * ROWS + i / COLUMNS;
}

/* The weights of the test. */
static int weight(int o, int k)
{
    return o == 0 ? -128 : o == 1 ? (k % 8 < 4 ? 127 : -128) : (k * 53 + o * 197) % 256 - 128;
}

static void multiply(void)
{
    for (int i = 0; i < PIXELS; i++)
        for (int o = 0; o < OUTPUTS; o++) {
            int32_t sum = 0;

            for (int k = 0; k < DEPTH; k++)
                sum += fake.x[i][k] * weight(o, k);
            fake.y[i][o] =
                (int8_t)fixed_clamp(fixed_multiply(sum, (struct fixed_multiplier){ 1 << 30, -9 }),
                                    (struct fixed_range){ INT8_MIN, INT8_MAX });
        }
    fake.products++;
    if (fake.fault == WRONG || (fake.fault == ONCE_WRONG && fake.products == 1))
        fake.y[PIXELS - 1][OUTPUTS - 1] ^= 1;
}

static enum status call(enum fake_call call, struct diag *diag)
{
    const bool asks_places = fake.x[0][0] == 1;

    if (call != FAKE_RUN)
        return fails(call == FAKE_OPEN ? OPEN_FAILS : RECORD_FAILS, diag);
    if (asks_places)
        for (int i = 0; i < ELEMENTS; i++)
            fake.y[i / COLUMNS][i % COLUMNS] = (int8_t)(place_of(i) >> 4 * fake.runs & 15);
    else
        multiply();
    fake.runs++;
    if (fake.fault == LATER_FAILS && fake.runs == ORDER_RUNS + 1)
        return fails(LATER_FAILS, diag);
    return fails(RUN_FAILS, diag);
}

/* ---- devices ---- */

static struct fake_executor executor = {
    .shader = "matrix.nvbytes", .input = fake.x, .output = fake.y, .call = call
};
static struct diag diag;

static struct device byte_device(enum fault fault)
{
    struct device d = { .limits = gpu_large_limits() };

    d.limits.device_class = DEVICE_NVIDIA;
    d.limits.max_shared_memory_bytes = 49152;
    d.limits.matrix =
        (struct device_matrix){ .kind = MATRIX_NV, .tile = 16, .subgroup_size = 32, .bytes = true };
    strcpy(d.info.name, "Fake 9");
    lock_init(&d.selftest_lock, LOCK_RANK_SELFTEST, 0);
    fake_executor = &executor;
    fake.fault = fault;
    fake.runs = fake.products = 0;
    diag = (struct diag){ .status = STATUS_OK };
    return d;
}

TEST(right_units_are_used)
{
    struct device d = byte_device(GOOD);

    assert_int_equal(selftest_matrix_int8(&d, &diag), STATUS_OK);
    assert_true(d.matrix_int8_tested && d.limits.matrix.bytes && d.limits.matrix.byte_fragments);
    for (int i = 0; i < ELEMENTS; i++)
        assert_int_equal(d.limits.matrix.byte_order[i], i % ROWS * COLUMNS + i / ROWS);
    /* Once a device. */
    assert_int_equal(selftest_matrix_int8(&d, &diag), STATUS_OK);
    assert_int_equal(fake.runs, ORDER_RUNS + 1);
    d = byte_device(WRONG);
    d.limits.matrix.bytes = false;
    assert_int_equal(selftest_matrix_int8(&d, &diag), STATUS_OK);
    assert_int_equal(fake.runs, 0);
}

/* Then matrices are loaded as a whole, and the units are used nevertheless. */
TEST(an_order_that_is_none)
{
    static const enum fault faults[] = { ORDER_TWICE, ORDER_OUTSIDE, ONCE_WRONG };

    for (int i = 0; i < 3; i++) {
        struct device d = byte_device(faults[i]);

        assert_int_equal(selftest_matrix_int8(&d, &diag), STATUS_OK);
        assert_true(d.limits.matrix.bytes);
        assert_false(d.limits.matrix.byte_fragments);
        assert_int_equal(fake.runs, ORDER_RUNS + (faults[i] == ONCE_WRONG ? 2 : 1));
    }
}

TEST(wrong_units_are_left_alone)
{
    struct device d = byte_device(WRONG);

    assert_int_equal(selftest_matrix_int8(&d, &diag), STATUS_NO_DEVICE);
    assert_non_null(strstr(diag.text, "device 'Fake 9': matrix units, bytes: expected "));
    assert_true(d.matrix_int8_tested);
    assert_false(d.limits.matrix.bytes);
    assert_int_equal(d.limits.matrix.kind, MATRIX_NV); /* products of halves are another matter */
    assert_int_equal(selftest_matrix_int8(&d, &diag), STATUS_OK);
    assert_int_equal(fake.runs, ORDER_RUNS + 2);
}

/* What fails says nothing of the units: the next one tests them again. */
TEST(failures_are_tried_again)
{
    static const enum fault faults[] = { OPEN_FAILS, RECORD_FAILS, RUN_FAILS, LATER_FAILS };

    for (int i = 0; i < 4; i++) {
        struct device d = byte_device(faults[i]);

        assert_int_equal(selftest_matrix_int8(&d, &diag), STATUS_DEVICE);
        assert_non_null(strstr(diag.text, "failed"));
        assert_false(d.matrix_int8_tested);
        assert_true(d.limits.matrix.bytes);
        fake.fault = GOOD;
        fake.runs = 0;
        assert_int_equal(selftest_matrix_int8(&d, &diag), STATUS_OK);
        assert_true(d.matrix_int8_tested);
    }
    for (long n = 0, s = STATUS_NO_MEMORY; s != STATUS_OK; n++) {
        struct device d = byte_device(GOOD);

        mem_fail_after(n);
        s = selftest_matrix_int8(&d, &diag);
        mem_fail_after(-1);
        assert_true(s == STATUS_OK || s == STATUS_NO_MEMORY);
        assert_int_equal(d.matrix_int8_tested, s == STATUS_OK);
        assert_true(n < 1000);
    }
}
