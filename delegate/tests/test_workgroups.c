/* The choice of workgroup sizes: the table, and the limits of devices. */
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/graph/gpu_op.h"
#include "delegate/plan/workgroups.h"
#include "delegate/shaders/args.h"

TEST(classes)
{
    assert_int_equal(device_class_of("cpu", 0x10005), DEVICE_SOFTWARE);
    assert_int_equal(device_class_of("integrated", 0x8086), DEVICE_INTEGRATED);
    assert_int_equal(device_class_of("integrated", 0x1002), DEVICE_INTEGRATED);
    assert_int_equal(device_class_of("discrete", 0x10de), DEVICE_NVIDIA);
    assert_int_equal(device_class_of("virtual", 0x10de), DEVICE_NVIDIA);
    assert_int_equal(device_class_of("discrete", 0x1002), DEVICE_AMD);
    assert_int_equal(device_class_of("discrete", 0x8086), DEVICE_INTEL);
    assert_int_equal(device_class_of("discrete", 0x1234), DEVICE_OTHER);
    assert_int_equal(device_class_of("other", 0), DEVICE_OTHER);
}

/* Every class has a size, which the minimum limits allow. */
TEST(table)
{
    for (int c = 0; c < DEVICE_CLASSES; c++) {
        struct device_limits limits = gpu_large_limits();
        uint32_t size;

        limits.device_class = (enum device_class)c;
        size = workgroup_size(&limits);
        assert_true(size >= 16 && size <= 1024 && (size & (size - 1)) == 0);
        limits = device_limits_minimum;
        limits.device_class = (enum device_class)c;
        assert_true(workgroup_size(&limits) <= 128);
        limits.max_workgroup_invocations = 8;
        assert_int_equal(workgroup_size(&limits), 8);
        limits.max_workgroup_invocations = 1024;
        limits.max_workgroup_size[0] = 4;
        assert_int_equal(workgroup_size(&limits), 4);
    }
}

static struct plan_step step_of(uint64_t items)
{
    return (struct plan_step){
        .shader = "unary", .spec = { WORKGROUP, 1, 1 }, .spec_count = 3, .items = items
    };
}

/* The grid has an invocation for each item, and workgroups without items only in its last row. */
TEST(grids)
{
    static const uint64_t items[] = { 1,  15,   16,    17,    63,      64,
                                      65, 1000, 65535, 65536, 4194240, 4194241 };
    static const uint32_t sizes[] = { 1, 16, 32, 64, 128, 256, 0 };
    struct device_limits limits = device_limits_minimum;

    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        for (const uint32_t *size = sizes; *size; size++) {
            struct plan_step s = step_of(items[i]);
            uint64_t groups;

            if (*size > 128) {
                assert_false(workgroup_set(&s, *size, &limits));
                assert_int_equal(s.spec[SPEC_WORKGROUP_X], WORKGROUP);
                continue;
            }
            assert_true(workgroup_set(&s, *size, &limits));
            assert_int_equal(s.spec[SPEC_WORKGROUP_X], *size);
            assert_int_equal(s.groups[2], 1);
            assert_true(s.groups[0] <= 65535 && s.groups[1] <= 65535);
            groups = (uint64_t)s.groups[0] * s.groups[1];
            assert_true(groups * *size >= items[i]);
            assert_true((groups - s.groups[0]) * *size < items[i]);
        }
}

TEST(not_allowed)
{
    struct device_limits limits = gpu_large_limits();
    struct plan_step s = step_of(0), before;

    assert_false(workgroup_set(&s, 64, &limits)); /* the shader's grid is fixed */
    s = step_of(100);
    s.spec[SPEC_WORKGROUP_Y] = 8; /* invocations in y have a meaning */
    assert_false(workgroup_set(&s, 64, &limits));
    s = step_of(100);
    assert_false(workgroup_set(&s, 0, &limits));
    assert_false(workgroup_set(&s, 2048, &limits));
    limits.max_workgroup_count[0] = 10;
    limits.max_workgroup_count[1] = 10;
    s = before = step_of(6400);
    assert_true(workgroup_set(&s, 64, &limits)); /* all of 10 x 10 workgroups */
    s = before = step_of(6401);
    assert_false(workgroup_set(&s, 64, &limits));
    assert_memory_equal(&s, &before, sizeof s);
    assert_true(workgroup_set(&s, 128, &limits));
}

/* Tiles: the grid covers all columns and runs, and the count in the push constants is the grid's.
 */
TEST(tiles)
{
    static const uint32_t columns[] = { 1, 2, 3, 8, 33, 256 }, runs[] = { 1, 3, 64, 12544 / 4 },
                          shares[] = { 1, 4, 16 };
    const struct device_limits limits = gpu_large_limits();

    for (int i = 0; i < 6 * 4 * 3; i++) {
        struct plan_step s = { .shader = "conv_2d",
                               .spec = { 8, 4, shares[i % 3], 3 },
                               .spec_count = 4,
                               .push_bytes = 8,
                               .items = columns[i / 3 % 6],
                               .runs = runs[i / 18],
                               .invocation_bytes = shares[i % 3] > 1 ? 64 : 0 };
        uint32_t codes[WORKGROUP_CANDIDATES];
        const int count = workgroup_candidates(&s, &limits, codes);
        const uint64_t key = workgroup_key(&s, false);

        assert_true(count >= 1 && count <= WORKGROUP_CANDIDATES);
        for (int c = 0; c < count; c++) {
            uint32_t wanted, pushed;

            assert_true(workgroup_set(&s, codes[c], &limits));
            assert_int_equal(workgroup_of(&s), codes[c]);
            assert_int_equal(s.spec[SPEC_WORKGROUP_Z], shares[i % 3]); /* z is fixed */
            assert_true(s.spec[SPEC_WORKGROUP_X] * s.spec[SPEC_WORKGROUP_Y] *
                            s.spec[SPEC_WORKGROUP_Z] <=
                        256);
            assert_true(s.spec[SPEC_WORKGROUP_X] * s.spec[SPEC_WORKGROUP_Y] *
                            s.spec[SPEC_WORKGROUP_Z] >=
                        32);
            wanted =
                (uint32_t)(((s.items + s.spec[SPEC_WORKGROUP_X] - 1) / s.spec[SPEC_WORKGROUP_X]) *
                           ((s.runs + s.spec[SPEC_WORKGROUP_Y] - 1) / s.spec[SPEC_WORKGROUP_Y]));
            memcpy(&pushed, s.push, sizeof pushed);
            assert_int_equal(pushed, wanted);
            assert_true((uint64_t)s.groups[0] * s.groups[1] >= wanted);
            assert_true(workgroup_key(&s, false) == key);
        }
    }
}

/* Sizes that a device does not allow are no candidates: invocations, shared memory, extents. */
TEST(tiles_not_allowed)
{
    struct device_limits limits = device_limits_minimum;
    struct plan_step s = { .shader = "conv_2d",
                           .spec = { 8, 4, 4, 3 },
                           .spec_count = 4,
                           .push_bytes = 8,
                           .items = 100,
                           .runs = 100,
                           .invocation_bytes = 64 },
                     before = s;
    uint32_t codes[WORKGROUP_CANDIDATES];

    assert_false(workgroup_set(&s, workgroup_code(8, 8), &limits)); /* 256 invocations */
    assert_false(workgroup_set(&s, workgroup_code(0, 4), &limits));
    assert_false(workgroup_set(&s, workgroup_code(8, 0), &limits));
    limits.max_shared_memory_bytes = 128 * 64 - 1;
    assert_false(workgroup_set(&s, workgroup_code(8, 4), &limits));
    assert_memory_equal(&s, &before, sizeof s);
    assert_true(workgroup_set(&s, workgroup_code(8, 2), &limits));
    for (int i = workgroup_candidates(&s, &limits, codes) - 1; i >= 0; i--)
        assert_true((codes[i] & 0xffff) * (codes[i] >> 16) * 4 <= 64);
    limits.max_workgroup_size[2] = 2;
    assert_int_equal(workgroup_candidates(&s, &limits, codes), 0);
}
