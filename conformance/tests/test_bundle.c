/* Bundles of models: the sections, the model that is meant, and damage.  fuzz/corpus/bundles has
 * two of each kind, made with FlatBuffers' and Python's zipfile's own writers. */
#include "reference/tests/kit/test.h"

#include "conformance/suite/io/model_file.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/format/read.h"
#include "reference/tests/kit/graph_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CORPUS "fuzz/corpus/bundles/"

static const struct {
    const char *path, *kind;
    size_t sections, model; /* model: the first section that is one */
} rows[] = {
    { CORPUS "two.litertlm", "LiteRT-LM 1.3.0", 4, 1 },
    { CORPUS "one.litertlm", "LiteRT-LM 1.3.0", 2, 1 },
    { CORPUS "two.task", "zip", 4, 0 },
    { CORPUS "one_zip64.task", "zip", 1, 0 },
};

TEST(sections_are_listed)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bundle b CLOSED_BY(bundle_close);
        uint8_t *bytes CLOSED_BY(kit_mem_free);
        size_t count, index;

        KIT_OK(file_read(rows[i].path, 1 << 20, &bytes, &count, &err));
        assert_true(bundle_is(bytes, count));
        KIT_OK(bundle_open(&b, bytes, count, &err));
        assert_string_equal(b.kind, rows[i].kind);
        assert_int_equal(b.count, rows[i].sections);
        KIT_OK(bundle_model(&b, b.sections[rows[i].model].name, &index, &err));
        assert_int_equal(index, rows[i].model);
        assert_memory_equal(bytes + b.sections[index].begin + 4, "TFL3", 4);
    }
}

static void opens(const char *name, const char *op)
{
    struct model_file file;
    struct model m;

    KIT_OK(model_file_open(&file, name, false, &err));
    KIT_OK(tflite_read(&m, file.tflite.bytes, file.tflite.count, &err));
    assert_string_equal(builtin_name(m.opcodes[0].code), op);
    model_close(&m);
    file_model_close(&file.tflite);
}

static void fails(const char *name, const char *text)
{
    struct diag diag = { .status = STATUS_OK };
    struct model_file file;

    assert_int_equal(model_file_open(&file, name, false, &diag), STATUS_USAGE);
    if (!strstr(diag.text, text))
        fail_msg("%s: got \"%s\", expected \"%s\"", name, diag.text, text);
    assert_null(file.tflite.bytes);
}

TEST(the_model_is_named)
{
    opens(CORPUS "two.litertlm#tf_lite_prefill_decode", "NEG");
    opens(CORPUS "two.litertlm#TF_LITE_EMBEDDER", "ABS");
    opens(CORPUS "one.litertlm", "NEG");
    opens(CORPUS "two.task#TF_LITE_EMBEDDER", "ABS");
    opens(CORPUS "one_zip64.task", "NEG");
    fails(CORPUS "two.litertlm", "has 2 models, expected FILE#NAME with one of "
                                 "tf_lite_prefill_decode, tf_lite_embedder");
    fails(CORPUS "two.task#METADATA", "no model METADATA; the bundle has TF_LITE_PREFILL_DECODE");
    fails("golden/digits/digits_f32.tflite#x", "expected a bundle of models");
    model_file_restore();
}

/* Whatever one byte or the length becomes, a section lies in the file, or the bundle is refused. */
TEST(damage_is_refused_or_inside)
{
    size_t refused = 0;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t *bytes CLOSED_BY(kit_mem_free);
        size_t count;

        KIT_OK(file_read(rows[i].path, 1 << 20, &bytes, &count, &err));
        for (size_t k = 0; k < 9 * count; k++) {
            const size_t at = k / 9, length = k % 9 == 8 ? at : count;
            uint8_t *copy CLOSED_BY(kit_mem_free) = mem_alloc(length ? length : 1, 1);
            struct bundle b;

            assert_non_null(copy);
            memcpy(copy, bytes, length);
            if (k % 9 < 8)
                copy[at] ^= (uint8_t)(1U << k % 9);
            if (!bundle_is(copy, length) || bundle_open(&b, copy, length, &err) != STATUS_OK) {
                refused++;
            } else {
                for (size_t s = 0; s < b.count; s++)
                    assert_true(b.sections[s].begin <= length &&
                                b.sections[s].size <= length - b.sections[s].begin);
                bundle_close(&b);
            }
        }
    }
    assert_true(refused > 5000);
}

/* ---- sections that share what describes them ---- */

static void put(uint8_t *at, uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* Every table has this form: fields of 4, 8, 8 and 1 bytes. */
enum {
    HEADER = 32,
    VTABLE = 4,
    ROOT = 16,
    TABLE = 28,
    LIST = ROOT + TABLE,
    OBJECTS = LIST + TABLE
};

/* Sections that are one table, whose list has items of another key before model_type. */
static void share(struct bundle *b, uint32_t sections, uint32_t items)
{
    static const uint16_t vtable[] = { 12, TABLE, 4, 8, 16, 24 };
    const size_t object = OBJECTS + 4 + 4 * sections, list = object + TABLE,
                 other = list + 4 + 4 * items, item = other + TABLE, value = item + TABLE,
                 key = value + TABLE, name = key + 16, end = name + 8;
    uint8_t *file CLOSED_BY(kit_mem_free) = mem_alloc(HEADER + end, 1), *const h = file + HEADER;

    assert_non_null(file);
    memcpy(file, "LITERTLM", 8);
    put(file + 8, 1, 4);
    put(file + 24, HEADER + end, 8);
    put(h, ROOT, 4);
    for (size_t i = 0; i < 6; i++)
        put(h + VTABLE + 2 * i, vtable[i], 2);
    put(h + ROOT, ROOT - VTABLE, 4);
    put(h + ROOT + 8, LIST - (ROOT + 8), 4);
    put(h + LIST, LIST - VTABLE, 4);
    put(h + LIST + 4, OBJECTS - (LIST + 4), 4);
    put(h + OBJECTS, sections, 4);
    for (size_t i = 0, at = OBJECTS + 4; i < sections; i++, at += 4)
        put(h + at, object - at, 4);
    put(h + object, object - VTABLE, 4);
    put(h + object + 4, list - (object + 4), 4);
    put(h + object + 24, 3, 1); /* a model */
    put(h + list, items, 4);
    for (size_t i = 0, at = list + 4; i < items; i++, at += 4)
        put(h + at, (i + 1 < items ? other : item) - at, 4);
    put(h + other, other - VTABLE, 4);
    put(h + other + 4, name - (other + 4), 4);
    put(h + item, item - VTABLE, 4);
    put(h + item + 4, key - (item + 4), 4);
    put(h + item + 8, 9, 1); /* a string */
    put(h + item + 16, value - (item + 16), 4);
    put(h + value, value - VTABLE, 4);
    put(h + value + 4, name - (value + 4), 4);
    put(h + key, 10, 4);
    memcpy(h + key + 4, "model_type", 10);
    put(h + name, 4, 4);
    memcpy(h + name + 4, "twin", 4);
    KIT_OK(bundle_open(b, file, HEADER + end, &err));
    assert_int_equal(b->count, sections);
}

/* A long list is not read for each section that shares it: it took minutes. */
TEST(shared_lists_are_read_in_part)
{
    static const struct {
        uint32_t sections, items;
        const char *last;
    } lists[] = { { 1, 256, "twin" }, { 1, 257, "section_0" }, { 4096, 100000, "section_4095" } };

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct bundle b CLOSED_BY(bundle_close);

        share(&b, lists[i].sections, lists[i].items);
        assert_string_equal(b.sections[b.count - 1].name, lists[i].last);
    }
}

/* Of zip, begins are any; of LiteRT-LM, multiples of 16 KiB. */
TEST(models_are_used_where_they_lie)
{
    static const struct {
        const char *name;
        size_t begin; /* 0: at 561, which is copied */
    } models[] = { { CORPUS "one.litertlm", 0x440 },
                   { CORPUS "two.task#TF_LITE_PREFILL_DECODE", 52 },
                   { CORPUS "two.task#TF_LITE_EMBEDDER", 0 } };

    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        struct model_file file;

        KIT_OK(model_file_open(&file, models[i].name, false, &err));
        assert_ptr_equal(file.tflite.bytes, (const uint8_t *)file.tflite.block + models[i].begin);
        file_model_close(&file.tflite);
    }
}

/* A file with holes: the one model of one.litertlm begins behind 4 GiB. */
TEST(sections_lie_behind_4_gib)
{
    const uint64_t far = 0x100004000;
    char path[] = P_tmpdir "/assay-long-XXXXXX";
    const int fd = mkstemp(path);
    struct model_file file;
    struct bundle b;
    uint8_t *bytes;
    size_t count, index;
    uint64_t begin, size;
    bool holes;

    KIT_OK(file_read(CORPUS "one.litertlm", 1 << 20, &bytes, &count, &err));
    KIT_OK(bundle_open(&b, bytes, count, &err));
    KIT_OK(bundle_model(&b, NULL, &index, &err));
    begin = b.sections[index].begin;
    size = b.sections[index].size;
    bundle_close(&b);
    for (size_t at = 0; at + 8 <= begin; at++) { /* the header has both places in 64 bits */
        uint64_t value, moved;

        memcpy(&value, bytes + at, 8);
        moved = value - begin + far;
        if (value == begin || value == begin + size)
            memcpy(bytes + at, &moved, 8);
    }
    assert_true(fd >= 0);
    holes = sizeof(size_t) > 4 && ftruncate(fd, (off_t)(far + size)) == 0;
    if (holes) {
        assert_int_equal(pwrite(fd, bytes, begin, 0), begin);
        assert_int_equal(pwrite(fd, bytes + begin, size, (off_t)far), size);
        KIT_OK(model_file_open(&file, path, false, &err));
        assert_int_equal(file.tflite.count, size);
        assert_memory_equal(file.tflite.bytes, bytes + begin, size);
        assert_ptr_equal(file.tflite.bytes, (const uint8_t *)file.tflite.block + far);
        file_model_close(&file.tflite);
    }
    mem_free(bytes);
    close(fd);
    unlink(path);
    if (!holes)
        skip(); /* the file system cannot */
}

/* What is mapped and gone cannot be read: that is an error, and no crash. */
TEST(a_file_that_becomes_shorter_is_named)
{
    char path[] = P_tmpdir "/assay-short-XXXXXX", text[256] = "", expected[256];
    const int fd = mkstemp(path);
    int ends[2], code;
    pid_t child;

    assert_int_equal(ftruncate(fd, FILE_MAPPED_MIN), 0);
    assert_int_equal(pipe(ends), 0);
    if ((child = fork()) == 0) {
        struct model_file file;

        dup2(ends[1], STDERR_FILENO);
        if (model_file_open(&file, path, false, NULL) != STATUS_OK || ftruncate(fd, 5) != 0)
            _exit(1);
        _exit(file.tflite.bytes[FILE_MAPPED_MIN - 1]);
    }
    close(ends[1]);
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code) && WEXITSTATUS(code) == 2);
    assert_true(read(ends[0], text, sizeof text - 1) > 0);
    snprintf(expected, sizeof expected, "assay: %s: the file became shorter while it was used\n",
             path);
    assert_string_equal(text, expected);
    close(ends[0]);
    close(fd);
    unlink(path);
}

TEST(one_name_is_of_one_model)
{
    struct bundle b CLOSED_BY(bundle_close);
    size_t index;

    share(&b, 2, 1);
    assert_int_equal(bundle_model(&b, "TWIN", &index, &err), STATUS_USAGE);
    assert_string_equal(err.text, "2 models TWIN, expected one; the bundle has twin, twin");
}
