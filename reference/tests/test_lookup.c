/* Lookups find what was added, and compare as often as the logarithm of its number, in whatever
 * order it comes; so do the variables of a model. */
#include "reference/tests/kit/compared.h"
#include "reference/tests/kit/test.h"

#include "reference/base/lookup.h"
#include "reference/base/memory.h"
#include "reference/format/builder.h"
#include "reference/runtime/resources.h"

#include <stdio.h>

enum { MANY = 1 << 15 };

static uint32_t keys[MANY];

static int by_key(const void *list, const void *key, size_t item)
{
    const uint32_t a = *(const uint32_t *)key, b = ((const uint32_t *)list)[item];

    compared++;
    return (a > b) - (a < b);
}

/* Ascending, descending, alternating from both ends, and mixed. */
static uint32_t key_of(int order, uint32_t i)
{
    return order == 0   ? i
           : order == 1 ? MANY - i
           : order == 2 ? (i % 2 ? i : 2 * MANY - i)
                        : i * 2654435761u;
}

TEST(any_order_is_balanced)
{
    for (int order = 0; order < 4; order++) {
        struct lookup l CLOSED_BY(lookup_close) = { .count = 0 };

        compared = 0;
        for (uint32_t i = 0; i < MANY; i++) {
            keys[i] = key_of(order, i);
            assert_int_equal(lookup_find(&l, by_key, keys, &keys[i]), SIZE_MAX);
            assert_true(lookup_add(&l, by_key, keys, &keys[i], i));
        }
        assert_true(compared < 2l * MANY * 2 * 16); /* at most 2 log2(MANY + 1) levels, twice */
        compared = 0;
        for (uint32_t i = 0; i < MANY; i++) {
            assert_true(lookup_add(&l, by_key, keys, &keys[i], 7)); /* the first stays */
            assert_int_equal(lookup_find(&l, by_key, keys, &keys[i]), i);
        }
        assert_true(compared < 2l * MANY * 2 * 16);
    }
}

TEST(failures_leave_it_whole)
{
    const long long before = mem_live_bytes();
    struct lookup l = { .count = 0 };

    for (uint32_t i = 0; i < 100; i++) {
        keys[i] = i;
        mem_fail_after(0);
        if (!lookup_add(&l, by_key, keys, &keys[i], i)) {
            assert_int_equal(lookup_find(&l, by_key, keys, &keys[i]), SIZE_MAX);
            mem_fail_after(-1);
            assert_true(lookup_add(&l, by_key, keys, &keys[i], i));
        }
        mem_fail_after(-1);
        for (uint32_t k = 0; k <= i; k++)
            assert_int_equal(lookup_find(&l, by_key, keys, &keys[k]), k);
    }
    lookup_close(&l);
    assert_int_equal(mem_live_bytes(), before);
}

/* ---- variables ---- */

TEST(variables_are_found_by_name)
{
    static char names[RESOURCES_MAX + 1][12];
    struct resources r = { 0 };
    int32_t id;

    compared = 0;
    for (int i = 0; i < RESOURCES_MAX; i++) {
        snprintf(names[i], sizeof names[i], "%d", i);
        assert_int_equal(resource_id(&r, "", names[i], &id, &err), STATUS_OK);
        assert_int_equal(id, i);
    }
    for (int i = 0; i < RESOURCES_MAX; i++) {
        assert_int_equal(resource_id(&r, "", names[i], &id, &err), STATUS_OK);
        assert_int_equal(id, i);
    }
    assert_true(compared < 3l * RESOURCES_MAX * 2 * 17);
    assert_int_equal(resource_id(&r, "c", "0", &id, &err), STATUS_UNSUPPORTED);
    assert_string_equal(err.text, "more than 65536 resource variables");
    resources_close(&r);
    /* The container is a part of the name. */
    assert_int_equal(resource_id(&r, "a", "bc", &id, &err), STATUS_OK);
    assert_int_equal(resource_id(&r, "ab", "c", &id, &err), STATUS_OK);
    assert_int_equal(id, 1);
    resources_close(&r);
}

TEST(codes_of_operators_are_found)
{
    enum { CODES = 8192 };
    struct builder b CLOSED_BY(builder_close);
    int x;

    builder_init(&b);
    x = builder_tensor(&b, TENSOR_FLOAT32, "x", 0, NULL);
    compared = 0;
    for (int i = 0; i < 2 * CODES; i++) {
        char name[16];

        snprintf(name, sizeof name, "op%d", i % CODES);
        assert_int_equal(builder_custom(&b, name, 1, "", 0, 1, &x, 1, &x), i);
    }
    assert_int_equal(b.opcodes.count, CODES);
    assert_true(compared < 3l * CODES * 2 * 14);
}

/* By numbers that no VAR_HANDLE gave, as inputs of a graph may be. */
TEST(values_are_found_by_number)
{
    float value = 1;
    TfLiteTensor t = { .type = kTfLiteFloat32, .data.f = &value, .bytes = sizeof value };
    struct resources r CLOSED_BY(resources_close) = { 0 };

    for (int i = 0; i < 1000; i++) {
        value = (float)i;
        assert_int_equal(resource_assign(&r, (i % 2 ? -1 : 1) * (i << 20), &t, &err), STATUS_OK);
    }
    for (int i = 0; i < 1000; i++)
        assert_true(*(float *)resource_find(&r, (i % 2 ? -1 : 1) * (i << 20))->data == (float)i);
    assert_null(resource_find(&r, 5));
    resources_forget(&r);
    assert_null(resource_find(&r, 0));
    assert_int_equal(resource_assign(&r, 0, &t, &err), STATUS_OK);
}
