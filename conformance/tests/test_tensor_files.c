/* What no tensor is read from, and what no tensor is written to. */
#include "reference/tests/kit/test.h"

#include "conformance/suite/io/array_hdf5.h"
#include "conformance/suite/io/tensor_io.h"
#include "reference/format/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { RANK_MAX = 9 };

/* A tensor with its memory. */
struct box {
    TfLiteTensor t;
    struct {
        int size, data[RANK_MAX];
    } dims;
    uint64_t data[64];
};

static TfLiteTensor *make(struct box *box, TfLiteType type, size_t bytes, int rank, const int *dims)
{
    TfLiteIntArray *shape;

    *box = (struct box){ .t = { .type = type, .bytes = bytes, .name = "x" } };
    shape = (TfLiteIntArray *)(void *)&box->dims;
    box->dims.size = rank;
    for (int i = 0; i < rank; i++)
        box->dims.data[i] = dims[i];
    box->t.dims = shape;
    box->t.data.raw = (char *)box->data;
    return &box->t;
}

static const struct pixel_scale usual = { 127.5, 127.5 };

static void expect_text(const char *expected, enum status status, enum status found,
                        const struct diag *diag)
{
    if (found != status || !strstr(diag->text, expected))
        fail_msg("expected %s with '%s', found %s with '%s'", status_text(status), expected,
                 status_text(found), diag->text);
}

/* An image becomes no tensor of another type or shape. */
TEST(images_for_other_tensors)
{
    static const struct {
        TfLiteType type;
        int rank, dims[RANK_MAX];
        const char *tensor; /* NULL: it does */
    } rows[] = {
        { kTfLiteUInt8, 4, { 1, 2, 2, 3 }, NULL },
        { kTfLiteUInt8, 2, { 2, 2 }, NULL },
        { kTfLiteInt32, 4, { 1, 2, 2, 3 }, "i32 [1, 2, 2, 3]" },
        { kTfLiteBool, 2, { 2, 2 }, "bool [2, 2]" },
        { kTfLiteUInt8, 4, { 2, 2, 2, 3 }, "u8 [2, 2, 2, 3]" },
        { kTfLiteUInt8, 4, { 1, 2, 2, 2 }, "u8 [1, 2, 2, 2]" },
        { kTfLiteUInt8, 3, { 2, 2, 2 }, "u8 [2, 2, 2]" },
        { kTfLiteUInt8, 1, { 4 }, "u8 [4]" },
        { kTfLiteUInt8, 5, { 1, 1, 2, 2, 3 }, "u8 [1, 1, 2, 2, 3]" },
    };
    uint8_t pixels[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
    const struct image im = { 2, 2, 3, pixels };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct box box;
        char text[100] = "";
        TfLiteTensor *const t = make(&box, rows[i].type, 16, rows[i].rank, rows[i].dims);

        if (rows[i].tensor)
            snprintf(text, sizeof text,
                     "an image for the tensor %s, expected f32, f16, u8 or i8 [1, h, w, c]",
                     rows[i].tensor);
        expect_text(text, rows[i].tensor ? STATUS_UNSUPPORTED : STATUS_OK,
                    tensor_from_image(t, &im, usual, &err), &err);
    }
}

/* An integer that no 64 bits with a sign hold. */
TEST(large_integers)
{
    static uint64_t values[2] = { INT64_MAX, UINT64_MAX };
    const struct array a = { kTfLiteUInt64, 1, { 2 }, 2, sizeof values, values };
    struct box box;
    TfLiteTensor *const t = make(&box, kTfLiteInt64, 16, 1, (int[]){ 2 });

    expect_text("element 1 of the u64 array does not fit i64", STATUS_INVALID,
                tensor_from_array(t, &a, usual, &err), &err);
    assert_true(t->data.i64[0] == INT64_MAX);
}

TEST(raw_bools)
{
    struct box box;
    TfLiteTensor *const t = make(&box, kTfLiteBool, 3, 1, (int[]){ 3 });

    KIT_OK(tensor_load(t, scratch_bytes("other", "\0\1\1", 3), usual, &err));
    assert_memory_equal(t->data.raw, "\0\1\1", 3);
    expect_text("other: byte 2 is 2, expected a bool", STATUS_INVALID,
                tensor_load(t, scratch_bytes("other", "\0\1\2", 3), usual, &err), &err);
}

/* "PATH:DATASET", both filled up by slashes to a length. */
static char *place(size_t path_bytes, const char *path_end, size_t dataset_bytes,
                   const char *dataset_end)
{
    char *const text = malloc(path_bytes + dataset_bytes + 2);
    char *const dataset = text + path_bytes + 1;

    assert_non_null(text);
    memset(text, '/', path_bytes + 1 + dataset_bytes);
    memcpy(text, scratch("/"), strlen(scratch("/")));
    memcpy(text + path_bytes - strlen(path_end), path_end, strlen(path_end));
    text[path_bytes] = ':';
    memcpy(dataset + dataset_bytes - strlen(dataset_end), dataset_end, strlen(dataset_end));
    dataset[dataset_bytes] = '\0';
    return text;
}

/* Names of a dataset in a file, and texts that are none, but would be if they were cut. */
TEST(places_of_datasets)
{
    enum { PATH = 1023, DATASET = 511, SHORT = 100 };
    const struct {
        size_t path_bytes;
        const char *path_end;
        size_t dataset_bytes;
        const char *dataset_end;
        bool loads;
    } rows[] = {
        { SHORT, "a.h5", SHORT, "d", true },         { PATH, "a.h5", SHORT, "d", true },
        { PATH + 1, "a.h5x", SHORT, "d", false },    { SHORT, "a.h5", DATASET, "d", true },
        { SHORT, "a.h5", DATASET + 1, "dx", false }, { SHORT, "a.h5", 0, "", false },
    };
    const struct array a = { kTfLiteUInt8, 1, { 4 }, 4, 4, (uint8_t[]){ 1, 2, 3, 4 } };
    const struct array_item item = { "d", &a };
    struct box box;
    struct diag diag = { .text = "" };
    TfLiteTensor *const t = make(&box, kTfLiteUInt8, 4, 1, (int[]){ 4 });

    assert_int_equal(hdf5_write(scratch("a.h5"), &item, 1, &diag), STATUS_OK);
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *const text =
            place(rows[i].path_bytes, rows[i].path_end, rows[i].dataset_bytes, rows[i].dataset_end);
        enum status s;

        diag = (struct diag){ .text = "" };
        s = tensor_load(t, text, usual, &diag);
        if (s != (rows[i].loads ? STATUS_OK : STATUS_IO))
            fail_msg("%.200s: %s: %.200s", text, status_text(s), diag.text);
        /* It is taken for the path of a file, which is not there; long ones are cut in messages. */
        if (!rows[i].loads)
            expect_text(rows[i].path_bytes == SHORT ? ": No such file" : "...", STATUS_IO, s,
                        &diag);
        free(text);
    }
    expect_text("nowhere: No such file", STATUS_IO, tensor_load(t, "nowhere", usual, &diag), &diag);
    expect_text(":d: No such file", STATUS_IO, tensor_load(t, ":d", usual, &diag), &diag);
}

/* A format that says type and shape takes no tensor of which it cannot. */
TEST(tensors_without_an_array)
{
    static const struct {
        TfLiteType type;
        size_t bytes;
        int rank, dims[RANK_MAX];
        const char *text; /* NULL: it is written */
    } rows[] = {
        { kTfLiteFloat32, 8, 8, { 1, 1, 1, 1, 1, 1, 1, 2 }, NULL },
        { kTfLiteFloat32,
          8,
          9,
          { 1, 1, 1, 1, 1, 1, 1, 1, 2 },
          "tensor x of type f32 and rank 9: no array" },
        { kTfLiteInt4, 0, 1, { 0 }, "tensor x of type i4 and rank 1: no array" },
        { kTfLiteInt4, 2, 1, { 4 }, "tensor x of type i4 and rank 1: no array" },
        { kTfLiteString, 0, 1, { 0 }, "tensor x of type string and rank 1: no array" },
        { kTfLiteFloat32, 12, 1, { 4 }, "tensor x of type f32 and rank 1: no array" },
        { kTfLiteFloat32, 20, 1, { 4 }, "tensor x of type f32 and rank 1: no array" },
    };
    static const char *const suffixes[] = { "npy", "h5" };

    for (size_t i = 0; i < COUNT(rows) * COUNT(suffixes); i++) {
        struct box box;
        TfLiteTensor *const t =
            make(&box, rows[i / 2].type, rows[i / 2].bytes, rows[i / 2].rank, rows[i / 2].dims);
        const char *const name = scratch("t.%s", suffixes[i % 2]);

        expect_text(rows[i / 2].text ? rows[i / 2].text : "",
                    rows[i / 2].text ? STATUS_UNSUPPORTED : STATUS_OK,
                    tensors_save(&t, 1, name, &err), &err);
        assert_int_equal(access(name, F_OK), rows[i / 2].text ? -1 : 0);
        unlink(name);
    }
}

TEST_FILE(.leaves = "@(a.h5|other)");
