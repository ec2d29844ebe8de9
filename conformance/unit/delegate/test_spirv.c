/* The shaders that the library unpacks are those that were compiled; files that are not whole are
 * noticed. */
#include "conformance/unit/kit/gpu_kit.h"
#include "conformance/unit/kit/mock_path.h"

#include "delegate/base/clock.h"
#include "delegate/shaders/inflate.h"
#include "delegate/shaders/spirv.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Compares the shader with the file of its name; false: the directory has none. */
static bool same_as_file(const struct spirv *s, const char *directory)
{
    const size_t bytes = s->count * sizeof(uint32_t);
    unsigned char *content;
    char name[64];
    FILE *f;

    snprintf(name, sizeof name, "%s/%s.spv", directory, s->name);
    if (!(f = fopen(build_path("delegate", name), "rb")))
        return false;
    content = malloc(bytes + 1);
    assert_non_null(content);
    assert_int_equal(fread(content, 1, bytes + 1, f), bytes);
    fclose(f);
    assert_memory_equal(content, spirv_code(s), bytes);
    free(content);
    return true;
}

static void shaders_are_the_compiled_ones(void **state)
{
    uint8_t *again = malloc(4 * spirv_word_count);
    const uint64_t before = clock_ns();

    (void)state;
    assert_non_null(again);
    assert_true(inflate_planes(again, spirv_word_count, spirv_packed, spirv_packed_bytes));
    printf("unpacking %zu shaders, %zu to %zu bytes: %.2f ms\n", spirv_shader_count,
           spirv_packed_bytes, 4 * spirv_word_count, (double)(clock_ns() - before) / 1e6);
    assert_memory_equal(again, spirv_code(&spirv_shaders[0]), 4 * spirv_word_count);
    free(again);
    assert_true(spirv_shader_count > 40);
    for (size_t i = 0; i < spirv_shader_count; i++) {
        const struct spirv *s = &spirv_shaders[i];

        assert_true(spirv_find(s->name) == s);
        assert_int_equal(spirv_code(s)[0], 0x07230203);
        if (!same_as_file(s, "ops") && !same_as_file(s, "shaders") && !same_as_file(s, "ops/int8"))
            fail_msg("%s: no such file", s->name);
    }
    assert_null(spirv_find("conv_2d"));
    assert_null(spirv_find(""));
}

/* 80 bytes: 0 to 15, forty 7, eight "abc"; as gzip -n writes them, but for the checksum. */
#define HEADER  0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3
#define TRAILER 0, 0, 0, 0, 80, 0, 0, 0
static const uint8_t stored[] = { HEADER, 0x01, 0x50, 0x00, 0xaf, 0xff, 0,   1,   2,   3,      4,
                                  5,      6,    7,    8,    9,    10,   11,  12,  13,  14,     15,
                                  7,      7,    7,    7,    7,    7,    7,   7,   7,   7,      7,
                                  7,      7,    7,    7,    7,    7,    7,   7,   7,   7,      7,
                                  7,      7,    7,    7,    7,    7,    7,   7,   7,   7,      7,
                                  7,      7,    7,    7,    7,    7,    7,   'a', 'b', 'c',    'a',
                                  'b',    'c',  'a',  'b',  'c',  'a',  'b', 'c', 'a', 'b',    'c',
                                  'a',    'b',  'c',  'a',  'b',  'c',  'a', 'b', 'c', TRAILER };
static const uint8_t fixed[] = { HEADER, 0x63, 0x60, 0x64, 0x62, 0x66, 0x61, 0x65, 0x63,
                                 0xe7,   0xe0, 0xe4, 0xe2, 0xe6, 0xe1, 0xe5, 0xe3, 0x67,
                                 0x27,   0x12, 0x24, 0x26, 0x25, 0x63, 0x45, 0x00, TRAILER };

enum { WORDS = 20 };

static void expect_planes(const uint8_t *file, size_t bytes)
{
    uint8_t plain[4 * WORDS], out[4 * WORDS];

    for (int i = 0; i < 4 * WORDS; i++)
        plain[i] = (uint8_t)(i < 16 ? i : i < 56 ? 7 : "abc"[(i - 56) % 3]);
    assert_true(inflate_planes(out, WORDS, file, bytes));
    for (int i = 0; i < 4 * WORDS; i++)
        assert_int_equal(out[i % WORDS * 4 + i / WORDS], plain[i]);
    assert_false(inflate_planes(out, WORDS - 1, file, bytes));
}

/* Every file that is cut short, and every flipped bit: no crash; cut ones are noticed. */
static void expect_noticed(const uint8_t *file, size_t bytes, size_t words, size_t stride)
{
    uint8_t *out = malloc(4 * words), *copy = NULL;

    assert_non_null(out);
    for (size_t n = 0; n < bytes; n += stride) {
        copy = malloc(n + 1); /* exact, but never 0: the sanitizer sees what lies behind */
        assert_non_null(copy);
        memcpy(copy, file, n);
        assert_false(inflate_planes(out, words, copy, n));
        free(copy);
    }
    copy = malloc(bytes);
    assert_non_null(copy);
    memcpy(copy, file, bytes);
    for (size_t bit = 0; bit < 8 * bytes; bit += 8 * stride - 7) {
        copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
        (void)inflate_planes(out, words, copy, bytes); /* may pass: checksums are not looked at */
        copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(inflate_planes(out, words, copy, bytes));
    free(copy);
    free(out);
}

static void kinds_of_blocks(void **state)
{
    (void)state;
    expect_planes(stored, sizeof stored);
    expect_planes(fixed, sizeof fixed);
    expect_noticed(stored, sizeof stored, WORDS, 1);
    expect_noticed(fixed, sizeof fixed, WORDS, 1);
    expect_noticed(spirv_packed, spirv_packed_bytes, spirv_word_count, 499);
}

/* Any thread may be the first. */
static void *ask(void *user)
{
    *(const uint32_t **)user = spirv_code(&spirv_shaders[1]);
    return (void *)(uintptr_t)(**(const uint32_t **)user == 0x07230203);
}

static void threads_ask_at_once(void **state)
{
    pthread_t threads[4];
    const uint32_t *code[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &code[i]), 0);
    for (int i = 0; i < 4; i++) {
        void *right;

        assert_int_equal(pthread_join(threads[i], &right), 0);
        assert_non_null(right);
        assert_true(code[i] == code[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_ask_at_once),
        cmocka_unit_test(shaders_are_the_compiled_ones),
        cmocka_unit_test(kinds_of_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
