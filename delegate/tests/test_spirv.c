/* The shaders that the library unpacks are those that were compiled, damaged files do no harm, and
 * push constants have the offsets of the C structs. */
#include "delegate/tests/kit/gpu_kit.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include "delegate/base/clock.h"
#include "delegate/shaders/spirv.h"
#include "reference/base/memory.h"

#include <glob.h>
#include <pthread.h>
#include <string.h>

/* Whether a file of its name, in a folder of shaders, is the shader. */
static bool same_as_file(const struct spirv *s)
{
    static const char *const folders[] = { "*/%s.spv", "*/*/%s.spv" };
    const size_t bytes = s->count * sizeof(uint32_t);
    unsigned char *const content = malloc(bytes + 1);
    bool same = false;
    glob_t found;

    assert_non_null(content);
    for (int i = 0; i < 2; i++) {
        char name[64];

        snprintf(name, sizeof name, folders[i], s->name);
        assert_true(glob(build_path("delegate", name), i ? GLOB_APPEND : 0, NULL, &found) !=
                    GLOB_NOSPACE);
    }
    for (size_t i = 0; i < found.gl_pathc && !same; i++) {
        FILE *const f = fopen(found.gl_pathv[i], "rb");

        assert_non_null(f);
        same =
            fread(content, 1, bytes + 1, f) == bytes && memcmp(content, spirv_code(s), bytes) == 0;
        fclose(f);
    }
    globfree(&found);
    free(content);
    return same;
}

TEST(shaders_are_the_compiled_ones)
{
    uint32_t *again = malloc(4 * spirv_word_count);
    const uint64_t before = clock_ns();

    assert_non_null(again);
    assert_true(
        spirv_unpack(again, spirv_shaders, spirv_shader_count, spirv_packed, spirv_packed_bytes));
    printf("unpacking %zu shaders, %zu to %zu bytes: %.2f ms\n", spirv_shader_count,
           spirv_packed_bytes, 4 * spirv_word_count, (double)(clock_ns() - before) / 1e6);
    assert_memory_equal(again, spirv_code(&spirv_shaders[0]), 4 * spirv_word_count);
    free(again);
    assert_true(spirv_shader_count > 40);
    for (size_t i = 0; i < spirv_shader_count; i++) {
        const struct spirv *s = &spirv_shaders[i];

        assert_true(spirv_find(s->name) == s);
        assert_int_equal(spirv_code(s)[0], 0x07230203);
        if (!same_as_file(s))
            fail_msg("%s: no file of this name that is the same", s->name);
    }
    assert_null(spirv_find("conv_2d"));
    assert_null(spirv_find(""));
}

/* ---- the packed form, of two shaders ---- */

enum { HEADER = 10, TRAILER = 8, MOST = 60 };

struct lists {
    uint32_t words[MOST];
    size_t count;
};

/* A gzip file without a name, of one stored block; its checksum is not read.  Freed with free(). */
static uint8_t *pack(const struct lists *l, size_t *bytes)
{
    const size_t length = 4 * l->count;
    const uint8_t block[] = { 1, (uint8_t)length, 0, (uint8_t)~length, 0xff };
    uint8_t *file = calloc(1, HEADER + sizeof block + 4 * MOST + TRAILER), *end = file + HEADER;

    assert_non_null(file);
    assert_true(l->count <= MOST);
    memcpy(file, "\x1f\x8b\x08", 3);
    memcpy(end, block, sizeof block);
    end += sizeof block;
    for (size_t i = 0; i < length; i++)
        *end++ = (uint8_t)(l->words[i % l->count] >> 8 * (i / l->count));
    end[TRAILER - 4] = (uint8_t)length;
    *bytes = (size_t)(end - file) + TRAILER;
    return file;
}

static const struct spirv two[] = { { "a", 0, 15 }, { "b", 15, 8 } };

/* Opcode 7 has two operands, opcode 3 six, and 1031 is 7 modulo 1024. */
static const uint32_t two_words[] = {
    81, 82, 83, 84, 85, 3 << 16 | 7,    1, 9,         7 << 16 | 3, 2, 4, 40, 2, 3, 1, /* a */
    86, 87, 88, 89, 90, 3 << 16 | 1031, 2, 0x89abcdef                                 /* b */
};
static const struct lists two_lists = {
    { 81,
      82,
      83,
      84,
      85,
      3 << 16 | 7,
      7 << 16 | 3,
      86,
      87,
      88,
      89,
      90,
      3 << 16 | 1031, /* heads */
      1,
      0, /* 2, the newest id of a */
      1,
      UINT32_MAX, /* 4, where 3 would be new */
      0,
      40,
      0,
      2,
      0,
      3,
      1, /* as they are */
      1,
      0,
      UINT32_MAX, /* 1, the newest id of a; 2 in b, where 1 would be */
      0,
      9,
      0x89abcdef },
    30
};

static bool unpack_lists(const struct lists *l, const struct spirv *shaders, uint32_t out[23])
{
    size_t bytes;
    uint8_t *file CLOSED_BY(kit_free) = pack(l, &bytes);
    const bool done = spirv_unpack(out, shaders, 2, file, bytes);

    return done;
}

TEST(lists_become_shaders)
{
    uint32_t out[23] = { 0 };

    assert_true(unpack_lists(&two_lists, two, out));
    assert_memory_equal(out, two_words, sizeof two_words);
}

/* Lists that do not fit the shaders: they are refused, and the sanitizer sees every access. */
TEST(wrong_lists_are_refused)
{
    static const struct {
        size_t word;
        uint32_t value;
    } wrong[] = {
        { 5, 7 },            /* an instruction of no word */
        { 5, 11 << 16 | 7 }, /* longer than its shader */
        { 5, 2 << 16 | 7 },  /* an operand less: the next one is the first of an instruction */
        { 6, 0xffff0003 },
        { 12, 3 << 16 | 8 }, /* a list more than there is */
    };
    static const struct spirv headless[] = { { "a", 0, 15 }, { "b", 15, 4 } };
    struct lists l;
    uint32_t out[23];

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        l = two_lists;
        l.words[wrong[i].word] = wrong[i].value;
        assert_false(unpack_lists(&l, two, out));
    }
    for (size_t count = 0; count < MOST; count++) {
        l = two_lists;
        l.count = count;
        assert_int_equal(unpack_lists(&l, two, out), count == two_lists.count);
    }
    assert_false(unpack_lists(&two_lists, headless, out));
}

/* Every file that is cut short is refused; no flipped bit makes a word be written outside. */
static void expect_no_harm(const uint8_t *file, size_t bytes, const struct spirv *shaders,
                           size_t count, size_t stride)
{
    size_t words = shaders[count - 1].first + shaders[count - 1].count;
    uint32_t *out CLOSED_BY(kit_free) = malloc(4 * words);
    uint8_t *copy;

    assert_non_null(out);
    for (size_t n = 0; n < bytes; n += stride) {
        copy = malloc(n + 1); /* exact, but never 0: the sanitizer sees what lies behind */
        assert_non_null(copy);
        memcpy(copy, file, n);
        assert_false(spirv_unpack(out, shaders, count, copy, n));
        free(copy);
    }
    copy = malloc(bytes);
    assert_non_null(copy);
    memcpy(copy, file, bytes);
    for (size_t bit = 0; bit < 8 * bytes; bit += 8 * stride - 7) {
        copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
        /* The type of the file, and its length. */
        if (spirv_unpack(out, shaders, count, copy, bytes))
            assert_in_range(bit / 8, 4, bytes - 5);
        copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_true(spirv_unpack(out, shaders, count, copy, bytes));
    free(copy);
}

TEST(damage_does_no_harm)
{
    size_t bytes;
    uint8_t *file CLOSED_BY(kit_free) = pack(&two_lists, &bytes);

    expect_no_harm(file, bytes, two, 2, 1);
    expect_no_harm(spirv_packed, spirv_packed_bytes, spirv_shaders, spirv_shader_count, 499);
}

/* Whichever allocation fails, nothing is unpacked, and nothing leaks: the sanitizer would say. */
TEST(memory_runs_out)
{
    uint32_t *out CLOSED_BY(kit_free) = malloc(4 * spirv_word_count);
    long fails = 0;

    assert_non_null(out);
    for (bool done = false; !done; fails++) {
        mem_fail_after(fails);
        done =
            spirv_unpack(out, spirv_shaders, spirv_shader_count, spirv_packed, spirv_packed_bytes);
        mem_fail_after(-1);
        assert_true(fails < 10);
    }
    assert_true(fails > 1);
    assert_memory_equal(out, spirv_code(&spirv_shaders[0]), 4 * spirv_word_count);
}

/* ---- push constants: delegate/shaders/args.h ---- */

enum { OFFSET = 35, ARRAY_STRIDE = 6, PUSH_CONSTANT = 9 };
enum {
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_ARRAY = 28,
    OP_TYPE_STRUCT = 30,
    OP_TYPE_POINTER = 32,
    OP_CONSTANT = 43,
    OP_VARIABLE = 59,
    OP_DECORATE = 71,
    OP_MEMBER_DECORATE = 72
};

/* The next instruction after `at` (NULL: the first) with this opcode, whose words 1 to count are
 * given; NULL: none. */
static const uint32_t *find_op(const struct spirv *s, const uint32_t *at, uint32_t op,
                               const uint32_t *words, uint32_t count)
{
    const uint32_t *code = spirv_code(s);

    for (at = at ? at + (*at >> 16) : code + 5; at < code + s->count; at += *at >> 16)
        if ((*at & 0xffff) == op && *at >> 16 > count &&
            (count == 0 || memcmp(at + 1, words, count * sizeof *words) == 0))
            return at;
    return NULL;
}

/* Bytes of a type.  Scalars have 4; members and elements follow each other without gaps, as those
 * of a C struct of such members do. */
static uint32_t packed_bytes(const struct spirv *s, uint32_t type)
{
    const uint32_t *t;
    uint32_t bytes = 0;

    if ((t = find_op(s, NULL, OP_TYPE_INT, &type, 1)) ||
        (t = find_op(s, NULL, OP_TYPE_FLOAT, &type, 1))) {
        assert_int_equal(t[2], 32);
        return 4;
    }
    if ((t = find_op(s, NULL, OP_TYPE_ARRAY, &type, 1))) {
        const uint32_t stride[] = { type, ARRAY_STRIDE, packed_bytes(s, t[2]) };
        const uint32_t *length = find_op(s, NULL, OP_CONSTANT, NULL, 0);

        while (length && length[2] != t[3])
            length = find_op(s, length, OP_CONSTANT, NULL, 0);
        assert_non_null(length);
        assert_non_null(find_op(s, NULL, OP_DECORATE, stride, 3));
        return length[3] * stride[2];
    }
    t = find_op(s, NULL, OP_TYPE_STRUCT, &type, 1);
    assert_non_null(t);
    for (uint32_t i = 0; i < (*t >> 16) - 2; i++) {
        const uint32_t offset[] = { type, i, OFFSET, bytes };

        if (!find_op(s, NULL, OP_MEMBER_DECORATE, offset, 4))
            fail_msg("%s: member %u of a push constant block is not at offset %u", s->name, i,
                     bytes);
        bytes += packed_bytes(s, t[2 + i]);
    }
    return bytes;
}

TEST(push_constants_are_as_in_c)
{
    int blocks = 0;

    for (size_t i = 0; i < spirv_shader_count; i++) {
        const struct spirv *s = &spirv_shaders[i];

        for (const uint32_t *v = find_op(s, NULL, OP_VARIABLE, NULL, 0); v;
             v = find_op(s, v, OP_VARIABLE, NULL, 0))
            if (v[3] == PUSH_CONSTANT) {
                const uint32_t *pointer = find_op(s, NULL, OP_TYPE_POINTER, &v[1], 1);

                assert_non_null(pointer);
                assert_in_range(packed_bytes(s, pointer[3]), 4, 128);
                blocks++;
            }
    }
    assert_int_equal(blocks, spirv_shader_count); /* each shader has one */
}

/* Any thread may be the first. */
static void *ask(void *user)
{
    *(const uint32_t **)user = spirv_code(&spirv_shaders[1]);
    return (void *)(uintptr_t)(**(const uint32_t **)user == 0x07230203);
}

TEST(threads_ask_at_once)
{
    pthread_t threads[4];
    const uint32_t *code[4];

    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &code[i]), 0);
    for (int i = 0; i < 4; i++) {
        void *right;

        assert_int_equal(pthread_join(threads[i], &right), 0);
        assert_non_null(right);
        assert_true(code[i] == code[0]);
    }
}
