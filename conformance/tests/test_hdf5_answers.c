/* What the process that reads HDF5 files may answer: the parent believes nothing that it has not
 * checked.  The linker puts processes in place of ours that answer what a test says, so that each
 * check meets an answer with this one fault. */
/* Wrap: golden_serve hdf5_serve */
#include "reference/tests/kit/test.h"

#include "conformance/suite/golden/file.h"
#include "conformance/suite/io/array_hdf5.h"
#include "conformance/suite/io/array_hdf5_serve.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* A file, for what is asked of it before the process is made. */
static char path[] = "/tmp/assay-answers-XXXXXX";

static void expect(enum status s, const struct diag *diag, enum status wanted, const char *words)
{
    char text[512];

    snprintf(text, sizeof text, "%s: %s", path, words);
    if (s != wanted || strcmp(diag->text, text) != 0)
        fail_msg("status %d and '%s', expected %d and '%s'", (int)s, diag->text, (int)wanted, text);
}

/* ---- golden files ---- */

static struct {
    struct golden_head head;
    struct golden_case one;
} golden;

static bool answers; /* else files are read */

void __real_golden_serve(int socket, void *user);
void __wrap_golden_serve(int socket, void *user);
void __wrap_golden_serve(int socket, void *user)
{
    if (!answers) {
        __real_golden_serve(socket, user);
        return;
    }
    parser_begin();
    parser_answer(socket,
                  &(struct parser_reply){ .status = STATUS_OK,
                                          .parts = { { &golden.head, sizeof golden.head },
                                                     { &golden.one, sizeof golden.one } } });
}

static void set_good(void)
{
    memset(&golden, 0, sizeof golden);
    golden.head = (struct golden_head){
        .count = 1, .runtime = "itself", .runtime_version = "0", .resolver = "REFERENCE"
    };
    golden.one =
        (struct golden_case){ .name = "relu.f32.c5", .model_sha256 = "0", .inputs_sha256 = "1" };
}

static void expect_golden(enum status wanted, const char *words)
{
    struct golden_file g CLOSED_BY(golden_close);
    const enum status s = golden_open(&g, path, &err);

    if (wanted != STATUS_OK)
        expect(s, &err, wanted, words);
    else if (s != STATUS_OK)
        fail_msg("%s", err.text);
}

static const char garbled_meta[] = "/meta: libhdf5 has garbled it",
                  garbled_case[] = "case 0: libhdf5 has garbled it";

TEST(golden_texts_end)
{
    static const struct {
        char *text;
        size_t room;
        const char *words;
    } rows[] = {
        { golden.head.runtime, sizeof golden.head.runtime, garbled_meta },
        { golden.head.runtime_version, sizeof golden.head.runtime_version, garbled_meta },
        { golden.head.resolver, sizeof golden.head.resolver, garbled_meta },
        { golden.one.name, sizeof golden.one.name, garbled_case },
        { golden.one.model_sha256, sizeof golden.one.model_sha256, garbled_case },
        { golden.one.inputs_sha256, sizeof golden.one.inputs_sha256, garbled_case },
        { golden.one.skipped, sizeof golden.one.skipped, garbled_case },
        { golden.one.wrong, sizeof golden.one.wrong, garbled_case },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t length;

        set_good();
        length = strlen(rows[i].text);
        /* One byte less is a text. */
        memset(rows[i].text + length, 'c', rows[i].room - length - 1);
        expect_golden(STATUS_OK, "");
        rows[i].text[rows[i].room - 1] = 'c';
        expect_golden(STATUS_IO, rows[i].words);
    }
}

TEST(golden_names_are_those_of_cases)
{
    static const char *const names[] = { "",           "relu",         "relu.f32",  "relu/f32.c5",
                                         "relu..c5",   "Relu.f32.c5",  "relu.F.c5", "relu.f32.c-5",
                                         ".f32.c5",    "relu.f32.c.5", "..",        "relu.f32.",
                                         "relu.f32/c5" };

    for (size_t i = 0; i < COUNT(names); i++) {
        set_good();
        snprintf(golden.one.name, sizeof golden.one.name, "%s", names[i]);
        expect_golden(STATUS_IO, garbled_case);
    }
}

TEST(golden_numbers_are_in_range)
{
    static const int32_t sets[] = { -1, INT32_MIN, SET_COUNT, INT32_MAX };
    static const uint32_t counts[] = { GOLDEN_CASES_MAX + 1, UINT32_MAX };

    for (size_t i = 0; i < COUNT(sets); i++) {
        set_good();
        golden.one.set = sets[i];
        expect_golden(STATUS_IO, garbled_case);
    }
    set_good();
    golden.one.set = SET_COUNT - 1;
    expect_golden(STATUS_OK, "");
    for (size_t i = 0; i < COUNT(counts); i++) {
        golden.head.count = counts[i];
        expect_golden(STATUS_IO, garbled_meta);
    }
    golden.head.count = 0;
    expect_golden(STATUS_OK, "");
}

/* Also after a test that has ended in the middle. */
FIXTURE(memory_is_there)
{
    mem_fail_after(-1);
    return 0;
}

TEST(golden_cases_need_memory, .teardown = memory_is_there)
{
    set_good();
    mem_fail_after(0);
    expect_golden(STATUS_NO_MEMORY, "no memory for 1 cases");
    mem_fail_after(-1);
}

/* ---- arrays ---- */

static struct hdf5_shape shape;
static const float element = 1.5F;

void __real_hdf5_serve(int socket, void *user);
void __wrap_hdf5_serve(int socket, void *user);
void __wrap_hdf5_serve(int socket, void *user)
{
    char go;

    if (!answers) {
        __real_hdf5_serve(socket, user);
        return;
    }
    parser_begin();
    if (parser_answer(socket, &(struct parser_reply){ .parts = { { &shape, sizeof shape } } }) &&
        process_read(socket, &go, 1))
        parser_answer(socket, &(struct parser_reply){ .parts = { { &element, sizeof element } } });
}

TEST(shapes_can_be_measured)
{
    static const char no_type[] = "x: libhdf5 has no type or rank for it",
                      large[] = "x: more than 1024 MiB (limit dataset_bytes)";
    static const struct {
        struct hdf5_shape shape;
        enum status wanted;
        const char *words;
    } rows[] = {
        { { -1, 1, { 1 } }, STATUS_IO, no_type },
        { { INT32_MAX, 1, { 1 } }, STATUS_IO, no_type },
        { { kTfLiteNoType, 1, { 1 } }, STATUS_IO, no_type },
        { { kTfLiteString, 1, { 1 } }, STATUS_IO, no_type },
        { { kTfLiteInt4, 1, { 1 } }, STATUS_IO, no_type },
        { { kTfLiteFloat32, -1, { 1 } }, STATUS_IO, no_type },
        { { kTfLiteFloat32, INT32_MIN, { 1 } }, STATUS_IO, no_type },
        { { kTfLiteFloat32, ARRAY_RANK_MAX + 1, { 1 } }, STATUS_IO, no_type },
        { { kTfLiteFloat32, 1, { -1 } }, STATUS_UNSUPPORTED, large },
        { { kTfLiteFloat32, 2, { 1, -1 } }, STATUS_UNSUPPORTED, large },
        { { kTfLiteFloat32, 3, { INT32_MAX, INT32_MAX, 4 } }, STATUS_UNSUPPORTED, large },
        { { kTfLiteFloat32, 1, { (1 << 28) + 1 } }, STATUS_UNSUPPORTED, large },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct array a;
        enum status s;

        shape = rows[i].shape;
        s = hdf5_read(&a, path, "x", -1, NULL, &err);
        expect(s, &err, rows[i].wanted, rows[i].words);
        assert_null(a.data);
    }
}

TEST(elements_are_received, .teardown = memory_is_there)
{
    struct array a;
    enum status s;

    shape = (struct hdf5_shape){ kTfLiteFloat32, ARRAY_RANK_MAX, { 1, 1, 1, 1, 1, 1, 1, 1 } };
    assert_int_equal(hdf5_read(&a, path, "x", -1, NULL, &err), STATUS_OK);
    assert_int_equal(a.bytes, sizeof element);
    assert_memory_equal(a.data, &element, sizeof element);
    array_close(&a);
    mem_fail_after(0);
    s = hdf5_read(&a, path, "x", -1, NULL, &err);
    mem_fail_after(-1);
    expect(s, &err, STATUS_NO_MEMORY, "x: 4 bytes: out of memory");
}

FIXTURE(set_up)
{
    const int fd = mkstemp(path);

    answers = true;
    return fd < 0 ? -1 : close(fd);
}

FIXTURE(tear_down)
{
    return unlink(path);
}

TEST_FILE(.setup = set_up, .teardown = tear_down);
