/* FlexBuffers: what the writer makes is read back, and damaged bytes are refused or read inside
 * their bounds. */
#include "reference/tests/kit/closed.h"
#include "reference/tests/kit/test.h"

#include "reference/base/memory.h"
#include "reference/format/builder.h"
#include "reference/format/flexbuffer.h"

#include <stdio.h>
#include <string.h>

static uint8_t *write_sample(size_t *count)
{
    struct flex_writer w = { 0 };
    uint8_t *bytes;

    flex_write_int(&w, "max_detections", 10);
    flex_write_float(&w, "y_scale", 2.5f);
    flex_write_bool(&w, "use_regular_nms", true);
    flex_write_int(&w, "a", -3);
    assert_int_equal(flex_write_finish(&w, &bytes, count, &err), STATUS_OK);
    return bytes;
}

TEST(reads_what_was_written)
{
    struct flex_value v;
    struct flex_map m;
    size_t count;
    uint8_t *bytes CLOSED_BY(kit_mem_free) = write_sample(&count);

    assert_int_equal(flex_map_open(&m, bytes, count, &err), STATUS_OK);
    assert_int_equal(m.entries, 4);
    assert_string_equal(flex_map_key(&m, 0), "a"); /* sorted */
    assert_string_equal(flex_map_key(&m, 3), "y_scale");
    assert_true(flex_map_find(&m, "max_detections", &v));
    assert_int_equal(v.kind, FLEX_INT);
    assert_int_equal(v.i, 10);
    assert_true(flex_map_find(&m, "a", &v));
    assert_int_equal(v.i, -3);
    assert_true(flex_map_find(&m, "y_scale", &v));
    assert_int_equal(v.kind, FLEX_FLOAT);
    assert_true(v.f == 2.5);
    assert_true(flex_map_find(&m, "use_regular_nms", &v));
    assert_int_equal(v.kind, FLEX_BOOL);
    assert_int_equal(v.i, 1);
    assert_false(flex_map_find(&m, "x_scale", &v));
    assert_int_equal(v.kind, FLEX_NULL);
}

/* The value "wide", which needs 8 bytes: a float beside it has as many, as of an official writer.
 */
static struct flex_value widened(struct flex_writer *w)
{
    struct flex_value v;
    struct flex_map m;
    size_t count;

    flex_write_float(w, "float", 0.1f);
    uint8_t *bytes CLOSED_BY(kit_mem_free);
    assert_int_equal(flex_write_finish(w, &bytes, &count, &err), STATUS_OK);
    assert_int_equal(bytes[count - 1], 8);
    assert_int_equal(flex_map_open(&m, bytes, count, &err), STATUS_OK);
    assert_true(flex_map_find(&m, "float", &v));
    assert_true(v.f == (double)0.1f);
    assert_true(flex_map_find(&m, "wide", &v));
    return v;
}

TEST(widens_for_large_integers)
{
    struct flex_writer w = { 0 };

    flex_write_int(&w, "wide", INT64_MIN);
    assert_true(widened(&w).i == INT64_MIN);
}

TEST(widens_for_a_wide_float)
{
    struct flex_writer w = { 0 };

    flex_write_double(&w, "wide", 0.1);
    assert_true(widened(&w).f == 0.1);
}

/* {"a": -3, "b": an indirect float 1.5, "c": "hi"} as the official writer makes it: widths of one
 * byte, and the keys between what they point to. */
TEST(reads_narrow_maps)
{
    static const uint8_t narrow[] = {
        0,      0,          0xc0,   0x3f,         /* 0: 1.5f */
        2,      'h',        'i',    0,            /* 4: a string of 2 bytes, element 0 at 5 */
        'a',    0,          'b',    0,    'c', 0, /* 8: keys */
        3,      7,          6,      5,            /* 14: 3 keys, elements at 15 */
        3,      1,          3,      /* 18: offset to the keys, their width, 3 values */
        0xfd,   22,         18,     /* 21: values */
        1 << 2, 8 << 2 | 2, 5 << 2, /* 24: packed types */
        6,      9 << 2,     1       /* 27: offset to the map, its type, the root's width */
    };
    static const struct {
        uint8_t at, value;
        const char *message;
    } damages[] = {
        { 29, 3, "a root of 3 bytes" },
        { 29, 255, "a root of 255 bytes" },
        { 27, 200, "the root points in front" },
        { 28, 9 << 2 | 3, "a map without room" },
        { 20, 200, "200 entries, in 30 bytes" },
        { 20, 5, "5 entries, in 30 bytes" },
        { 19, 3, "keys of a width" },
        { 18, 100, "the keys lie in front" },
        { 18, 18, "the keys lie behind" },
        { 19, 8, "the keys lie behind" },
        { 14, 2, "another number of keys" },
        { 15, 100, "a key that does not end" },
        { 15, 1, "a key that does not end" }, /* no byte behind it is 0 */
        { 22, 23, "a value outside of the bytes" },
    };
    uint8_t changed[sizeof narrow];
    struct flex_value v;
    struct flex_map m;

    assert_int_equal(flex_map_open(&m, narrow, sizeof narrow, &err), STATUS_OK);
    assert_true(flex_map_find(&m, "a", &v));
    assert_int_equal(v.kind, FLEX_INT);
    assert_int_equal(v.i, -3);
    assert_true(flex_map_find(&m, "b", &v));
    assert_int_equal(v.kind, FLEX_FLOAT);
    assert_true(v.f == 1.5);
    assert_true(flex_map_find(&m, "c", &v));
    assert_int_equal(v.kind, FLEX_OTHER);

    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        memcpy(changed, narrow, sizeof narrow);
        changed[damages[i].at] = damages[i].value;
        assert_int_equal(flex_map_open(&m, changed, sizeof changed, &err), STATUS_INVALID);
        if (!strstr(err.text, damages[i].message))
            fail_msg("expected %s, found %s", damages[i].message, err.text);
    }
    assert_int_equal(flex_map_open(&m, narrow, 2, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "2 bytes, expected at least 3"));

    memcpy(changed, narrow, sizeof narrow);
    changed[26] = 3 << 2; /* a float of 1 byte, which does not exist */
    assert_int_equal(flex_map_open(&m, changed, sizeof changed, &err), STATUS_OK);
    assert_true(flex_map_find(&m, "c", &v));
    assert_int_equal(v.kind, FLEX_OTHER);
    changed[23] =
        0; /* an integer of 8 bytes that would begin at its own offset, 7 before the end */
    changed[26] = 6 << 2 | 3;
    assert_int_equal(flex_map_open(&m, changed, sizeof changed, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "a value outside of the bytes"));
}

/* {"s": 0.5} and {"s": an indirect 0.1 of 8 bytes}: attributes come in any width of a float. */
TEST(reads_floats_of_other_widths)
{
    static const uint8_t half[] = {
        's',        0,                   /* 0: the key */
        1,          0,          4, 0,    /* 2: 1 key, element at 4 */
        2,          0,          2, 0,    /* 6: offset to the keys, their width */
        1,          0,          0, 0x38, /* 10: 1 value, 0.5 at 12 */
        3 << 2 | 1,                      /* 14: its type */
        3,          9 << 2 | 1, 1,
    };
    static const uint8_t wide[] = {
        0x9a,       0x99, 0x99,   0x99, 0x99, 0x99, 0xb9, 0x3f, /* 0: 0.1 */
        's',        0,    1,      3,                            /* 8: the key, 1 key */
        1,          1,    1,      15,                           /* 12: keys, width, 1 value */
        8 << 2 | 3, 2,    9 << 2, 1,                            /* 16: its type, the root */
    };
    struct flex_value v;
    struct flex_map m;

    assert_int_equal(flex_map_open(&m, half, sizeof half, &err), STATUS_OK);
    assert_true(flex_map_find(&m, "s", &v) && v.kind == FLEX_FLOAT && v.f == 0.5);
    assert_int_equal(flex_map_open(&m, wide, sizeof wide, &err), STATUS_OK);
    assert_true(flex_map_find(&m, "s", &v) && v.kind == FLEX_FLOAT && v.f == 0.1);
}

/* Sizes whose check must come before they are used, since they would wrap. */
TEST(refuses_sizes_that_wrap)
{
    static const uint8_t wide_root[] = { 0, 9 << 2, 2 };
    uint8_t many[27] = { [8] = 1, [25] = 9 << 2 | 3, [26] = 1 };
    const uint64_t entries = UINT64_MAX / 9 + 1; /* 9 bytes each: 2 in all, modulo 2^64 */
    struct flex_map m;

    assert_int_equal(flex_map_open(&m, wide_root, sizeof wide_root, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "a root of 2 bytes"));
    for (unsigned i = 0; i < 8; i++)
        many[16 + i] = (uint8_t)(entries >> 8 * i);
    assert_int_equal(flex_map_open(&m, many, sizeof many, &err), STATUS_INVALID);
    if (!strstr(err.text, "2049638230412172402 entries, in 27 bytes"))
        fail_msg("%s", err.text);
}

TEST(kinds_have_words)
{
    assert_string_equal(flex_kind_text(FLEX_NULL), "nothing");
    assert_string_equal(flex_kind_text(FLEX_INT), flex_kind_text(FLEX_UINT));
    assert_string_equal(flex_kind_text(FLEX_FLOAT), "a float");
    assert_string_equal(flex_kind_text(FLEX_BOOL), "a boolean");
    assert_string_equal(flex_kind_text(FLEX_OTHER), "a string or vector");
}

static void touch_all(const struct flex_map *m)
{
    struct flex_value v;

    for (size_t i = 0; i < m->entries; i++)
        (void)flex_map_find(m, flex_map_key(m, i), &v);
}

/* Each copy has exactly its own bytes, so that a sanitizer sees the first byte outside. */
static bool opens(const uint8_t *bytes, size_t count)
{
    uint8_t *copy CLOSED_BY(kit_mem_free) = mem_alloc(count, 1);
    struct diag diag = { 0 };
    struct flex_map m;
    bool ok;

    if (count)
        memcpy(copy, bytes, count);
    ok = flex_map_open(&m, copy, count, &diag) == STATUS_OK;
    if (ok)
        touch_all(&m);
    else
        assert_non_null(strstr(diag.text, "FlexBuffer: "));
    return ok;
}

TEST(refuses_bytes_cut_short)
{
    size_t count, opened = 0;
    uint8_t *bytes CLOSED_BY(kit_mem_free) = write_sample(&count);

    for (size_t n = 0; n < count; n++)
        opened += opens(bytes, n);
    assert_int_equal(opened, 0); /* the root is at the end: no prefix has one */
    for (size_t n = 1; n < count; n++)
        opened += opens(bytes + n, count - n);
    assert_int_equal(opened, 0); /* the first key is lost */
}

TEST(stays_inside_of_changed_bytes)
{
    size_t count, refused = 0;
    uint8_t *bytes CLOSED_BY(kit_mem_free) = write_sample(&count);

    for (size_t at = 0; at < count; at++)
        for (int value = 0; value < 256; value++) {
            const uint8_t before = bytes[at];

            bytes[at] = (uint8_t)value;
            refused += !opens(bytes, count);
            bytes[at] = before;
        }
    assert_true(refused > 1000);
}

TEST(refuses_another_root)
{
    static const uint8_t number[] = { 5, 1 << 2, 1 }, wide[] = { 5, 9 << 2, 3 };
    struct flex_map m;

    assert_int_equal(flex_map_open(&m, number, sizeof number, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "a root of type 1, expected a map (9)"));
    assert_int_equal(flex_map_open(&m, wide, sizeof wide, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "a root of 3 bytes"));
}

TEST(refuses_to_write_a_key_twice)
{
    struct flex_writer w = { 0 };
    uint8_t *bytes;
    size_t count;

    flex_write_int(&w, "twice", 1);
    flex_write_float(&w, "twice", 2);
    assert_int_equal(flex_write_finish(&w, &bytes, &count, &err), STATUS_INVALID);
    assert_null(bytes);
    assert_non_null(strstr(err.text, "\"twice\""));
}

TEST(refuses_to_write_what_has_no_room)
{
    static char keys[FLEX_ENTRIES_MAX + 1][8];
    struct flex_writer w = { 0 };
    uint8_t *bytes;
    size_t count;

    for (int i = 0; i <= FLEX_ENTRIES_MAX; i++) {
        snprintf(keys[i], sizeof keys[i], "k%d", i);
        flex_write_int(&w, keys[i], i);
        if (i == FLEX_ENTRIES_MAX - 1) {
            assert_int_equal(flex_write_finish(&w, &bytes, &count, &err), STATUS_OK);
            mem_free(bytes);
        }
    }
    assert_int_equal(flex_write_finish(&w, &bytes, &count, &err), STATUS_INVALID);
    assert_null(bytes);
    assert_non_null(strstr(err.text, "more than"));
    w.count = 1;
    w.full = false;
    mem_fail_after(0);
    assert_int_equal(flex_write_finish(&w, &bytes, &count, &err), STATUS_NO_MEMORY);
    mem_fail_after(-1);
    assert_null(bytes);
}

TEST(builds_custom_operators)
{
    static const int32_t dims[] = { 2 };
    size_t count;
    uint8_t *bytes CLOSED_BY(kit_mem_free) = write_sample(&count);
    struct builder b;
    int x, y, z;

    builder_init(&b);
    x = builder_tensor(&b, TENSOR_FLOAT32, "x", 1, dims);
    y = builder_tensor(&b, TENSOR_FLOAT32, "y", 1, dims);
    z = builder_tensor(&b, TENSOR_FLOAT32, "z", 1, dims);
    builder_custom(&b, "First", 1, bytes, count, 1, &x, 1, &y);
    builder_custom(&b, "Second", 1, NULL, 0, 1, &y, 1, &z);
    builder_custom(&b, "First", 1, NULL, 0, 1, &z, 1, &x);
    struct model m CLOSED_BY(model_close);
    assert_int_equal(builder_finish(&b, &m, &err), STATUS_OK);
    assert_int_equal(m.opcode_count, 2);
    assert_int_equal(m.opcodes[1].code, BUILTIN_CUSTOM);
    assert_string_equal(m.opcodes[1].custom_code.text, "Second");
    assert_int_equal(m.subgraphs[0].operators[2].opcode_index, 0);
    assert_int_equal(m.subgraphs[0].operators[0].custom_options.count, count);
    assert_memory_equal(m.subgraphs[0].operators[0].custom_options.data, bytes, count);
    assert_null(m.subgraphs[0].operators[1].custom_options.data);
}
