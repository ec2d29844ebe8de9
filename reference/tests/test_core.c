/* reference/base: status, diagnostics, memory, arenas and checked arithmetic. */
#include "reference/tests/kit/closed.h"
#include "reference/tests/kit/test.h"

#include "reference/base/arena.h"
#include "reference/base/checked.h"
#include "reference/base/diag.h"
#include "reference/base/memory.h"
#include "reference/base/status.h"

#include <stdalign.h>
#include <string.h>

TEST(status_has_a_text)
{
    for (int s = 0; s < STATUS_COUNT; s++) {
        assert_non_null(status_text((enum status)s));
        assert_string_not_equal(status_text((enum status)s), "unknown status");
    }
    assert_string_equal(status_text(STATUS_OK), "ok");
    assert_string_equal(status_text(STATUS_COUNT), "unknown status");
    assert_string_equal(status_text((enum status) - 1), "unknown status");
}

static enum status pass_up(enum status s, int *reached)
{
    TRY(s);
    ++*reached;
    return STATUS_OK;
}

TEST(try_passes_failures_up)
{
    int reached = 0;

    assert_int_equal(pass_up(STATUS_IO, &reached), STATUS_IO);
    assert_int_equal(reached, 0);
    assert_int_equal(pass_up(STATUS_OK, &reached), STATUS_OK);
    assert_int_equal(reached, 1);
}

TEST(diag_keeps_status_and_text)
{
    struct diag d = { 0 };

    assert_int_equal(diag_fail(&d, STATUS_INVALID, "tensor %d: rank %d", 3, 9), STATUS_INVALID);
    assert_int_equal(d.status, STATUS_INVALID);
    assert_string_equal(d.text, "tensor 3: rank 9");
    assert_int_equal(diag_prefix(&d, STATUS_INVALID, "model %s", "a"), STATUS_INVALID);
    assert_string_equal(d.text, "model a: tensor 3: rank 9");
    assert_int_equal(diag_prefix(&d, STATUS_OK, "not used"), STATUS_OK);
    assert_string_equal(d.text, "model a: tensor 3: rank 9");
    diag_clear(&d);
    assert_int_equal(d.status, STATUS_OK);
    assert_string_equal(d.text, "");
    assert_int_equal(diag_fail(NULL, STATUS_IO, "nobody listens"), STATUS_IO);
    assert_int_equal(diag_prefix(NULL, STATUS_IO, "nobody listens"), STATUS_IO);
    diag_clear(NULL);
}

TEST(missing_memory_is_named)
{
    struct diag d = { 0 };

    assert_int_equal(diag_fail(&d, STATUS_NO_MEMORY, "%d images", 2), STATUS_NO_MEMORY);
    assert_string_equal(d.text, "2 images: out of memory");
    diag_fail(&d, STATUS_NO_MEMORY, "no memory for %d images", 2);
    assert_string_equal(d.text, "no memory for 2 images");
    diag_fail(&d, STATUS_INVALID, "%d images", 2);
    assert_string_equal(d.text, "2 images");
}

TEST(diag_cuts_long_messages)
{
    struct diag d = { 0 };
    char text[3000];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    diag_fail(&d, STATUS_NO_MEMORY, "%s", text);
    assert_int_equal(strlen(d.text), sizeof d.text - 1);
    assert_string_equal(d.text + sizeof d.text - 4, "...");
    diag_fail(&d, STATUS_INVALID, "%s", text);
    assert_int_equal(strlen(d.text), sizeof d.text - 1);
    assert_string_equal(d.text + sizeof d.text - 4, "...");
    diag_fail(&d, STATUS_INVALID, "%.*s", (int)sizeof d.text - 1, text); /* fits just so */
    assert_int_equal(strlen(d.text), sizeof d.text - 1);
    assert_string_equal(d.text + sizeof d.text - 4, "xxx");
    diag_prefix(&d, STATUS_INVALID, "%s", text);
    assert_int_equal(strlen(d.text), sizeof d.text - 1);
    assert_string_equal(d.text + sizeof d.text - 4, "...");
}

TEST(memory_is_zeroed_and_checked)
{
    unsigned char *p = mem_alloc(100, 3);
    void *nothing = mem_alloc(0, 8);

    assert_non_null(p);
    for (int i = 0; i < 300; i++)
        assert_int_equal(p[i], 0);
    p[0] = 7;
    p = mem_resize(p, 1000, 2);
    assert_non_null(p);
    assert_int_equal(p[0], 7);
    mem_free(p);
    assert_non_null(nothing);
    mem_free(nothing);
    assert_null(mem_alloc(SIZE_MAX, 2));
    assert_null(mem_resize(NULL, SIZE_MAX / 2, 3));
    mem_free(NULL);
}

TEST(memory_fails_on_request)
{
    mem_fail_after(1);
    void *a CLOSED_BY(kit_mem_free) = mem_alloc(1, 1);
    void *b CLOSED_BY(kit_mem_free) = mem_alloc(1, 1);
    assert_non_null(a);
    assert_null(b);
    assert_null(mem_resize(NULL, 1, 1)); /* and every one after it */
    assert_int_equal(mem_fail_after(-1), 3);
    b = mem_alloc(1, 1);
    assert_non_null(b);
    assert_int_equal(mem_fail_after(-1), 1);
}

TEST(arena_gives_aligned_zeroed_memory)
{
    struct arena a = { 0 };
    static const size_t sizes[] = { 1, 3, 16, 17, 0, 4095, 4096, 4097, 20000, 16384, 5, 100000, 8 };
    unsigned char *seen[sizeof sizes / sizeof *sizes];

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        seen[i] = arena_alloc(&a, sizes[i], 1);
        assert_non_null(seen[i]);
        assert_int_equal((uintptr_t)seen[i] % alignof(max_align_t), 0);
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(seen[i][k], 0);
        if (sizes[i])
            memset(seen[i], (int)i + 1, sizes[i]);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) /* nothing overlaps */
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(seen[i][k], i + 1);
    assert_true(a.bytes >= 1 + 3 + 16 + 17 + 4095 + 4096 + 4097 + 20000 + 16384 + 5 + 100000 + 8);
    assert_null(arena_alloc(&a, SIZE_MAX, 2));
    assert_null(arena_alloc(&a, SIZE_MAX - 3, 1));
    arena_close(&a);
    assert_int_equal(a.bytes, 0);
    assert_null(a.blocks);
    arena_close(&a); /* empty is fine */
}

TEST(arena_copies)
{
    struct arena a CLOSED_BY(arena_close) = { 0 };
    const int32_t numbers[] = { 1, -2, 3 };
    const int32_t *copy = arena_copy(&a, numbers, 3, sizeof *numbers);

    assert_non_null(copy);
    assert_memory_equal(copy, numbers, sizeof numbers);
    assert_string_equal(arena_string(&a, "slice"), "slice");
    assert_non_null(arena_copy(&a, NULL, 0, 4));
    mem_fail_after(0);
    assert_null(arena_alloc(&a, 100000, 1));
    mem_fail_after(-1);
}

TEST(checked_arithmetic_stops_at_the_limit)
{
    size_t x = 5;

    assert_true(checked_mul(SIZE_MAX / 3, 3, &x));
    assert_int_equal(x, SIZE_MAX / 3 * 3);
    x = 5;
    assert_false(checked_mul(SIZE_MAX / 3 + 1, 3, &x));
    assert_false(checked_mul(SIZE_MAX, SIZE_MAX, &x));
    assert_false(checked_add(SIZE_MAX, 1, &x));
    assert_false(checked_align(SIZE_MAX - 2, 16, &x));
    assert_int_equal(x, 5);
    assert_true(checked_mul(SIZE_MAX, 0, &x) && x == 0);
    assert_true(checked_mul(0, SIZE_MAX, &x) && x == 0);
    assert_true(checked_add(SIZE_MAX - 1, 1, &x) && x == SIZE_MAX);
    assert_true(checked_align(0, 16, &x) && x == 0);
    assert_true(checked_align(1, 16, &x) && x == 16);
    assert_true(checked_align(16, 16, &x) && x == 16);
    assert_true(checked_align(17, 16, &x) && x == 32);
}

TEST(elements_of_a_shape)
{
    size_t n = 7;

    assert_true(checked_elements(NULL, 0, &n) && n == 1);
    assert_true(checked_elements((int32_t[]){ 2, 3, 5 }, 3, &n) && n == 30);
    assert_true(checked_elements((int32_t[]){ 2, 0, 5 }, 3, &n) && n == 0);
    n = 7;
    assert_false(checked_elements((int32_t[]){ 2, 0, -1 }, 3, &n));
    assert_false(checked_elements((int32_t[]){ INT32_MIN }, 1, &n));
    assert_false(checked_elements((int32_t[]){ INT32_MAX, INT32_MAX, INT32_MAX }, 3, &n));
    assert_int_equal(n, 7);
    if (sizeof n == 4) {
        assert_false(checked_elements((int32_t[]){ INT32_MAX, INT32_MAX }, 2, &n));
        return;
    }
    assert_true(checked_elements((int32_t[]){ INT32_MAX, INT32_MAX }, 2, &n));
    assert_int_equal(n, (size_t)INT32_MAX * INT32_MAX);
}

TEST(memory_is_counted)
{
    const long long before = mem_live_bytes();
    char *a, *b;

    a = mem_alloc(1 << 20, 4);
    assert_non_null(a);
    assert_in_range(mem_live_bytes() - before, 4 << 20, (4 << 20) + 8192);
    b = mem_alloc(1, 1 << 20);
    a = mem_resize(a, 1, 6 << 20);
    assert_true(a && b);
    assert_in_range(mem_live_bytes() - before, 7 << 20, (7 << 20) + 16384);
    assert_true(mem_peak_bytes() >= mem_live_bytes());
    mem_free(a);
    mem_free(b);
    assert_int_equal(mem_live_bytes(), before);
    assert_true(mem_peak_bytes() >= before + (7 << 20));
}
