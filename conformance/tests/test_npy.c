/* Arrays in files (.npy, HDF5), and tensors filled from them. */
#include "reference/tests/kit/test.h"

#include "conformance/suite/io/array.h"
#include "conformance/suite/io/array_hdf5.h"
#include "conformance/suite/io/npy.h"
#include "conformance/suite/io/tensor_io.h"
#include "reference/base/half.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- .npy ---- */

/* A version 1 or 2 file with this header and data of count bytes 0, 1, 2, ... */
static uint8_t *make_npy(int version, const char *header, size_t data, size_t *count)
{
    const size_t length = strlen(header), at = version == 1 ? 10 : 12;
    uint8_t *const f = calloc(at + length + data, 1);

    memcpy(f, "\x93NUMPY", 6);
    f[6] = (uint8_t)version;
    f[8] = (uint8_t)length;
    memcpy(f + at, header, length);
    for (size_t i = 0; i < data; i++)
        f[at + length + i] = (uint8_t)i;
    *count = at + length + data;
    return f;
}

TEST(npy_headers)
{
    /* clang-format off */
    static const struct {
        int version;
        const char *header;
        size_t data;
        TfLiteType type;
        size_t rank;
        int32_t dims[3];
    } rows[] = {
        { 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  \n", 24, kTfLiteFloat32,
          2, { 2, 3 } },
        { 2, "{'descr': '|u1', 'fortran_order': False, 'shape': (5,), }", 5, kTfLiteUInt8, 1,
          { 5 } },
        { 3, "{\"shape\":(),\"fortran_order\":True,\"descr\":\"<i8\"}", 8, kTfLiteInt64, 0, { 0 } },
        { 1, "{'descr': '<f2', 'fortran_order': False, 'shape': (4, 0, 7)}", 0, kTfLiteFloat16, 3,
          { 4, 0, 7 } },
    };
    /* clang-format on */

    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t count;
        uint8_t *f CLOSED_BY(kit_free) =
            make_npy(rows[i].version, rows[i].header, rows[i].data, &count);
        struct array a;

        if (npy_read(&a, f, count, &err) != STATUS_OK)
            fail_msg("row %zu: %s", i, err.text);
        assert_int_equal(a.type, rows[i].type);
        assert_int_equal(a.rank, rows[i].rank);
        assert_memory_equal(a.dims, rows[i].dims, rows[i].rank * sizeof a.dims[0]);
        assert_int_equal(a.bytes, rows[i].data);
        assert_memory_equal(a.data, f + count - rows[i].data, rows[i].data);
        array_close(&a);
        for (size_t n = 0; n < count; n++) { /* in a block of the exact size */
            uint8_t *const cut = malloc(n ? n : 1);

            memcpy(cut, f, n);
            diag_clear(&err);
            assert_int_not_equal(npy_read(&a, cut, n, &err), STATUS_OK);
            assert_null(a.data);
            free(cut);
        }
    }
}

TEST(npy_refusals)
{
    static const struct {
        int version;
        const char *header, *text;
    } rows[] = {
        { 4, "{}", "version 4.0, expected 1 to 3" },
        { 1, "[]", "header is no dict" },
        { 1, "{'descr': '<f4', 'shape': (1,)}", "header lacks a key, or goes on behind the dict" },
        { 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
          "header lacks a key, or goes on behind the dict" },
        { 1, "{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}",
          "type >f4, expected little-endian f2, f4, f8, i1 to i8, u1 to u8 or b1" },
        { 1, "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
          "type |O, expected little-endian f2, f4, f8, i1 to i8, u1 to u8 or b1" },
        { 1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
          "header: descr is no plain type" },
        { 1, "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}",
          "Fortran order, expected C order" },
        { 1, "{'descr': '<f4', 'fortran_order': 1, 'shape': (1,)}",
          "header: fortran_order is no bool" },
        { 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
          "header: shape is no tuple" },
        { 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
          "header: dimension 0 of shape" },
        { 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4294967297)}",
          "header: dimension 1 of shape" },
        { 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}",
          "rank above 8" },
        { 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
          "4 bytes of data do not fit the shape" },
        { 1, "{'descr': '<f2', 'fortran_order': False, 'shape': (1,)}",
          "4 bytes of data do not fit the shape" },
        { 1,
          "{'descr': '<f4', 'fortran_order': False, 'shape': (2147483647, 2147483647, 2147483647)}",
          "4 bytes of data do not fit the shape" },
        { 1, "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
          "header: unexpected key descr" },
        { 0, "{}", "version 0.0, expected 1 to 3" },
        { 1, "{xdescrx: '<f4', 'fortran_order': False, 'shape': (1,)}",
          "header is no dict of strings" },
        { 1, "{'desc\\r': '<f4'}", "header is no dict of strings" },
        { 1, "{'sixteen characters': '<f4'}", "header is no dict of strings" },
        { 1, "{: '<f4'}", "header is no dict of strings" },
        { 1, "{'descr' '<f4', 'fortran_order': False, 'shape': (1,)}",
          "header is no dict of strings" },
        { 1, "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}", "header is no dict" },
        { 1, "{'descr': '<f4', 'fortran_order': False, 'shape': 1,)}",
          "header: shape is no tuple" },
        { 1, "{'fortran_order': False, 'shape': (1,)}",
          "header lacks a key, or goes on behind the dict" },
        { 1, "{'descr': '<f4', 'fortran_order': False}",
          "header lacks a key, or goes on behind the dict" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t count;
        uint8_t *f CLOSED_BY(kit_free) = make_npy(rows[i].version, rows[i].header, 4, &count);
        struct diag diag = { .status = STATUS_OK };
        struct array a;

        assert_int_not_equal(npy_read(&a, f, count, &diag), STATUS_OK);
        assert_string_equal(diag.text, rows[i].text);
    }
}

/* A file of these bytes, in memory that goes on with zeros. */
static void expect_npy(const char *bytes, size_t count, const char *text)
{
    uint8_t f[256] = { 0 };
    struct diag diag = { .status = STATUS_OK };
    struct array a;

    memcpy(f, bytes, count);
    assert_int_not_equal(npy_read(&a, f, count, &diag), STATUS_OK);
    assert_string_equal(diag.text, text);
    assert_null(a.data);
}

TEST(npy_ends_early)
{
    expect_npy("\x93NUMPY\1\0\0", 9, "not a .npy file");
    expect_npy("\x93NUMPX\1\0\2\0{}", 12, "not a .npy file");
    expect_npy("\x93NUMPY\2\0\0\0\0", 11, "ends in the header");
    expect_npy("\x93NUMPY\1\0\x64\0{}", 12, "header of 100 bytes in a file of 12");
}

/* What is behind the header would complete it. */
TEST(npy_header_ends)
{
    static const struct {
        const char *header, *data, *text;
    } rows[] = {
        { "{", "}", "header is no dict of strings" },
        { "{", "'':", "header is no dict of strings" },
        { "{'fortran_order': Tru", "e, }", "header: fortran_order is no bool" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t count;
        uint8_t *f CLOSED_BY(kit_free) = make_npy(1, rows[i].header, strlen(rows[i].data), &count);

        memcpy(f + count - strlen(rows[i].data), rows[i].data, strlen(rows[i].data));
        expect_npy((const char *)f, count, rows[i].text);
    }
}

TEST(npy_long_header)
{
    enum { LONG = 64 * 1024 + 1 };
    static char header[LONG + 1];
    struct array a;
    size_t count;
    uint8_t *f CLOSED_BY(kit_free);

    memset(header, ' ', LONG);
    memcpy(header, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 55);
    f = make_npy(2, header, 4, &count);
    f[8] = 1;
    f[10] = 1;
    assert_int_equal(npy_read(&a, f, count, &err), STATUS_INVALID);
    assert_string_equal(err.text, "header of 65537 bytes in a file of 65553");
}

/* Elements and bytes whose numbers are 2^64, which is 0 in 64 bits. */
TEST(npy_sizes_wrap)
{
    static const char *const headers[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (65536, 65536, 65536, 65536)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (65536, 65536, 1073741824)}",
    };

    for (size_t i = 0; i < COUNT(headers); i++) {
        size_t count;
        uint8_t *f CLOSED_BY(kit_free) = make_npy(1, headers[i], 0, &count);

        expect_npy((const char *)f, count, "0 bytes of data do not fit the shape");
    }
}

TEST(npy_without_memory)
{
    float data[1] = { 1 };
    struct array a = { kTfLiteFloat32, 1, { 1 }, 1, 4, data }, back;
    uint8_t *f;
    size_t count;

    mem_fail_after(0);
    assert_int_equal(npy_write(&a, &f, &count, &err), STATUS_NO_MEMORY);
    mem_fail_after(-1);
    assert_int_equal(npy_write(&a, &f, &count, &err), STATUS_OK);
    mem_fail_after(0);
    assert_int_equal(npy_read(&back, f, count, &err), STATUS_NO_MEMORY);
    mem_fail_after(-1);
    mem_free(f);
    a.bytes = SIZE_MAX;
    assert_int_equal(npy_write(&a, &f, &count, &err), STATUS_NO_MEMORY);
    a.type = kTfLiteString;
    assert_int_equal(npy_write(&a, &f, &count, &err), STATUS_UNSUPPORTED);
}

TEST(npy_round_trip)
{
    float data[6] = { 1, 2, 3, 4, 5, 6 };
    const struct array shapes[] = {
        { kTfLiteFloat32, 2, { 2, 3 }, 6, 24, data },
        { kTfLiteUInt8, 1, { 24 }, 24, 24, data },
        { kTfLiteInt64, 0, { 0 }, 1, 8, data },
        { kTfLiteInt16, 8, { 1, 2, 1, 3, 1, 2, 1, 1 }, 12, 24, data },
    };

    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct array back CLOSED_BY(array_close);
        uint8_t *f CLOSED_BY(kit_mem_free);
        size_t count;

        assert_int_equal(npy_write(&shapes[i], &f, &count, &err), STATUS_OK);
        assert_int_equal((count - shapes[i].bytes) % 64, 0);
        assert_int_equal(npy_read(&back, f, count, &err), STATUS_OK);
        assert_int_equal(back.type, shapes[i].type);
        assert_int_equal(back.rank, shapes[i].rank);
        assert_memory_equal(back.dims, shapes[i].dims, sizeof back.dims);
        assert_memory_equal(back.data, data, shapes[i].bytes);
    }
}

/* ---- HDF5 ---- */

static const char *file;

FIXTURE(name_file)
{
    file = scratch("a.h5");
    return 0;
}

TEST(hdf5_round_trip)
{
    uint8_t data[24];
    uint16_t halves[2];
    struct array items[] = {
        { kTfLiteUInt8, 3, { 2, 3, 4 }, 24, 24, data },
        { kTfLiteFloat16, 1, { 2 }, 2, 4, halves },
        { kTfLiteInt64, 0, { 0 }, 1, 8, data },
        { kTfLiteFloat32, 2, { 0, 3 }, 0, 0, data },
    };
    const struct array_item named[] = { { "images", &items[0] },
                                        { "deep/halves", &items[1] },
                                        { "scalar", &items[2] },
                                        { "empty", &items[3] } };
    struct array a;

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)i;
    halves[0] = float_to_half(1.5f);
    halves[1] = float_to_half(-65504);
    KIT_OK(hdf5_write(file, named, COUNT(named), &err));
    for (size_t i = 0; i < COUNT(named); i++) {
        KIT_OK(hdf5_read(&a, file, named[i].name, -1, NULL, &err));
        assert_int_equal(a.type, items[i].type);
        assert_int_equal(a.rank, items[i].rank);
        assert_memory_equal(a.dims, items[i].dims, sizeof a.dims);
        assert_int_equal(a.bytes, items[i].bytes);
        assert_memory_equal(a.data, items[i].data, a.bytes);
        array_close(&a);
    }
    assert_int_equal(hdf5_read(&a, file, "images", 1, NULL, &err), STATUS_OK);
    assert_int_equal(a.rank, 2);
    assert_int_equal(a.dims[0], 3);
    assert_int_equal(a.dims[1], 4);
    assert_memory_equal(a.data, data + 12, 12);
    array_close(&a);

    assert_int_equal(hdf5_read(&a, file, "images", 2, NULL, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "a.h5: images: index 2 of 2"));
    assert_int_equal(hdf5_read(&a, file, "scalar", 0, NULL, &err), STATUS_INVALID);
    assert_int_equal(hdf5_read(&a, file, "labels", -1, NULL, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "no dataset labels; there are: deep/halves, empty, images"));
    assert_int_equal(hdf5_read(&a, "/nowhere/a.h5", "labels", -1, NULL, &err), STATUS_IO);
    assert_null(a.data);
}

/* ---- tensors ---- */

struct tensor_box {
    TfLiteTensor t;
    uint8_t data[256];
};

static TfLiteTensor *make_tensor(struct tensor_box *box, TfLiteType type, size_t bytes, int rank,
                                 const int32_t *dims)
{
    TfLiteIntArray *const shape = malloc(sizeof *shape + (size_t)rank * sizeof(int));

    memset(box, 0, sizeof *box);
    shape->size = rank;
    memcpy(shape->data, dims, (size_t)rank * sizeof(int));
    box->t = (TfLiteTensor){ .type = type, .dims = shape, .bytes = bytes, .name = "x" };
    box->t.data.raw = (char *)box->data;
    return &box->t;
}

static const struct pixel_scale usual = { 127.5, 127.5 };

TEST(arrays_into_tensors)
{
    static const struct {
        TfLiteType from, to;
        size_t rank;
        int32_t dims[4];
        const char *text; /* NULL: fits */
    } rows[] = {
        { kTfLiteFloat32, kTfLiteFloat32, 2, { 1, 4 }, NULL },
        { kTfLiteFloat32, kTfLiteFloat32, 1, { 4 }, NULL },
        { kTfLiteFloat32, kTfLiteFloat32, 4, { 4, 1, 1, 1 }, NULL },
        { kTfLiteFloat64, kTfLiteFloat32, 2, { 1, 4 }, NULL },
        { kTfLiteFloat16, kTfLiteFloat32, 2, { 1, 4 }, NULL },
        { kTfLiteFloat32, kTfLiteFloat16, 2, { 1, 4 }, NULL },
        { kTfLiteInt64, kTfLiteInt32, 2, { 1, 4 }, NULL },
        { kTfLiteInt32, kTfLiteFloat32, 2, { 1, 4 }, "array i32 [1, 4] for the tensor f32 [1, 4]" },
        { kTfLiteFloat32, kTfLiteUInt8, 2, { 1, 4 }, "array f32 [1, 4] for the tensor u8 [1, 4]" },
        { kTfLiteFloat32,
          kTfLiteFloat32,
          2,
          { 2, 2 },
          "array f32 [2, 2] for the tensor f32 [1, 4]" },
        { kTfLiteFloat32, kTfLiteFloat32, 1, { 3 }, "array f32 [3] for the tensor f32 [1, 4]" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const double one[4] = { 0, 0, 0, 0 };
        struct array a = { .type = rows[i].from, .rank = rows[i].rank, .data = (void *)one };
        struct tensor_box box;
        struct diag diag = { .status = STATUS_OK };
        TfLiteTensor *const t = make_tensor(&box, rows[i].to,
                                            rows[i].to == kTfLiteUInt8     ? 4
                                            : rows[i].to == kTfLiteFloat16 ? 8
                                                                           : 16,
                                            2, (int32_t[]){ 1, 4 });
        enum status s;

        memcpy(a.dims, rows[i].dims, sizeof rows[i].dims);
        a.elements = 1;
        for (size_t k = 0; k < a.rank; k++)
            a.elements *= (size_t)a.dims[k];
        a.bytes = a.elements * (a.type == kTfLiteFloat16                             ? 2
                                : a.type == kTfLiteFloat64 || a.type == kTfLiteInt64 ? 8
                                                                                     : 4);
        s = tensor_from_array(t, &a, usual, &diag);
        assert_string_equal(diag.text, rows[i].text ? rows[i].text : "");
        assert_int_equal(s, rows[i].text ? STATUS_INVALID : STATUS_OK);
        free(t->dims);
    }
}

TEST(values_convert)
{
    int64_t longs[4] = { -128, 127, 0, 128 };
    uint8_t bools[4] = { 0, 1, 1, 2 };
    double doubles[4] = { 1.5, -2.25, 1e30, 0.1 };
    struct array a = { kTfLiteInt64, 1, { 4 }, 4, 32, longs };
    struct array b = { kTfLiteBool, 1, { 4 }, 4, 4, bools };
    struct array d = { kTfLiteFloat64, 1, { 4 }, 4, 32, doubles };
    struct tensor_box box;
    TfLiteTensor *t;

    t = make_tensor(&box, kTfLiteInt8, 4, 1, (int32_t[]){ 4 });
    assert_int_equal(tensor_from_array(t, &a, usual, &err), STATUS_INVALID);
    assert_string_equal(err.text, "element 3 of the i64 array does not fit i8");
    longs[3] = 5;
    assert_int_equal(tensor_from_array(t, &a, usual, &err), STATUS_OK);
    assert_memory_equal(t->data.int8, ((int8_t[]){ -128, 127, 0, 5 }), 4);
    free(t->dims);

    a = (struct array){ kTfLiteInt64, 2, { 2, 2 }, 4, 32, longs };
    t = make_tensor(&box, kTfLiteInt64, 32, 3, (int32_t[]){ 1, 4, 1 });
    assert_int_equal(tensor_from_array(t, &a, usual, &err), STATUS_INVALID);
    free(t->dims);
    t = make_tensor(&box, kTfLiteInt64, 48, 2, (int32_t[]){ 2, 3 });
    a = (struct array){ kTfLiteInt64, 2, { 3, 2 }, 6, 48, (int64_t[6]){ 0 } };
    assert_int_equal(tensor_from_array(t, &a, usual, &err), STATUS_INVALID);
    assert_string_equal(err.text, "array i64 [3, 2] for the tensor i64 [2, 3]");
    free(t->dims);

    t = make_tensor(&box, kTfLiteBool, 4, 1, (int32_t[]){ 4 });
    assert_int_equal(tensor_from_array(t, &b, usual, &err), STATUS_INVALID);
    free(t->dims);

    t = make_tensor(&box, kTfLiteFloat32, 16, 1, (int32_t[]){ 4 });
    assert_int_equal(tensor_from_array(t, &d, usual, &err), STATUS_OK);
    assert_true(t->data.f[0] == 1.5f && t->data.f[1] == -2.25f && t->data.f[2] == 1e30f &&
                t->data.f[3] == 0.1f);
    free(t->dims);
}

/* Real numbers for a tensor in 8 bits. */
TEST(reals_into_quantized_tensors)
{
    float floats[4] = { -1, 0.25f, 0.75f, 1000 };
    struct array a = { kTfLiteFloat32, 1, { 4 }, 4, 16, floats };
    struct tensor_box box;
    TfLiteTensor *t;

    t = make_tensor(&box, kTfLiteUInt8, 4, 1, (int32_t[]){ 4 });
    assert_int_equal(tensor_from_array(t, &a, usual, &err), STATUS_INVALID); /* plain integers */
    assert_string_equal(err.text, "array f32 [4] for the tensor u8 [4]");
    t->params = (TfLiteQuantizationParams){ 0.5f, 100 };
    assert_int_equal(tensor_from_array(t, &a, usual, &err), STATUS_OK);
    assert_memory_equal(t->data.uint8, ((uint8_t[]){ 98, 101, 102, 255 }),
                        4); /* ties away from 0 */
    floats[2] = NAN;
    assert_int_equal(tensor_from_array(t, &a, usual, &err), STATUS_INVALID);
    assert_string_equal(err.text, "element 2 of the f32 array is no number");
    free(t->dims);

    floats[2] = -INFINITY;
    t = make_tensor(&box, kTfLiteInt8, 4, 1, (int32_t[]){ 4 });
    t->params = (TfLiteQuantizationParams){ 0.25f, -3 };
    assert_int_equal(tensor_from_array(t, &a, usual, &err), STATUS_OK);
    assert_memory_equal(t->data.int8, ((int8_t[]){ -7, -2, -128, 127 }), 4);
    free(t->dims);

    t = make_tensor(&box, kTfLiteInt16, 8, 1, (int32_t[]){ 4 });
    t->params = (TfLiteQuantizationParams){ 0.25f, 0 };
    assert_int_equal(tensor_from_array(t, &a, usual, &err), STATUS_INVALID);
    free(t->dims);
}

/* u8 arrays are pixels where they do not fit as they are. */
TEST(pixels_into_tensors)
{
    uint8_t pixels[4] = { 0, 255, 127, 128 };
    struct array a = { kTfLiteUInt8, 3, { 2, 2, 1 }, 4, 4, pixels };
    struct tensor_box box;
    TfLiteTensor *t;

    t = make_tensor(&box, kTfLiteFloat32, 16, 4, (int32_t[]){ 1, 2, 2, 1 });
    assert_int_equal(tensor_from_array(t, &a, usual, &err), STATUS_OK);
    assert_true(t->data.f[0] == -1 && t->data.f[1] == 1);
    assert_true(t->data.f[2] == -(float)(0.5 / 127.5) && t->data.f[3] == (float)(0.5 / 127.5));
    assert_int_equal(tensor_from_array(t, &a, (struct pixel_scale){ 0, 255 }, &err), STATUS_OK);
    assert_true(t->data.f[0] == 0 && t->data.f[1] == 1);
    free(t->dims);

    t = make_tensor(&box, kTfLiteInt8, 4, 3, (int32_t[]){ 1, 2, 2 });
    assert_int_equal(tensor_from_array(t, &a, usual, &err), STATUS_OK);
    assert_memory_equal(t->data.int8, ((int8_t[]){ -128, 127, -1, 0 }), 4);
    free(t->dims);

    t = make_tensor(&box, kTfLiteUInt8, 12, 4, (int32_t[]){ 1, 2, 2, 3 });
    assert_int_equal(tensor_from_array(t, &a, usual, &err), STATUS_OK);
    assert_memory_equal(t->data.uint8,
                        ((uint8_t[]){ 0, 0, 0, 255, 255, 255, 127, 127, 127, 128, 128, 128 }), 12);
    free(t->dims);

    t = make_tensor(&box, kTfLiteUInt8, 1, 2, (int32_t[]){ 1, 1 });
    assert_int_equal(tensor_from_array(t, &a, usual, &err), STATUS_OK);
    assert_int_equal(t->data.uint8[0], 128); /* the mean, 127.5, rounded */
    free(t->dims);

    t = make_tensor(&box, kTfLiteFloat32, 40, 2, (int32_t[]){ 2, 5 });
    a.rank = 1;
    a.dims[0] = 4;
    assert_int_equal(tensor_from_array(t, &a, usual, &err), STATUS_INVALID);
    free(t->dims);
}

TEST(files_into_tensors)
{
    static const uint8_t raw[4] = { 1, 2, 3, 4 };
    struct array a = { kTfLiteUInt8, 2, { 2, 4 }, 8, 8, (uint8_t[]){ 1, 2, 3, 4, 5, 6, 7, 8 } };
    const struct array_item item = { "x/y", &a };
    struct tensor_box box;
    TfLiteTensor *const t = make_tensor(&box, kTfLiteUInt8, 4, 2, (int32_t[]){ 1, 4 });
    char name[300];

    assert_int_equal(hdf5_write(file, &item, 1, &err), STATUS_OK);
    snprintf(name, sizeof name, "%s:x/y[1]", file);
    KIT_OK(tensor_load(t, name, usual, &err));
    assert_memory_equal(t->data.uint8, ((uint8_t[]){ 5, 6, 7, 8 }), 4);
    assert_int_equal(tensor_load(t, file, usual, &err), STATUS_USAGE);
    snprintf(name, sizeof name, "%s:x/y[2]", file);
    assert_int_equal(tensor_load(t, name, usual, &err), STATUS_INVALID);
    snprintf(name, sizeof name, "%s:x", file);
    assert_int_equal(tensor_load(t, name, usual, &err), STATUS_INVALID);
    unlink(file);

    assert_int_equal(tensor_load(t, scratch_bytes("a.bin", raw, 4), usual, &err), STATUS_OK);
    assert_memory_equal(t->data.uint8, raw, 4);
    assert_int_equal(tensor_load(t, scratch_bytes("a.bin", raw, 3), usual, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "4 raw bytes for the tensor u8 [1, 4]; found 3 raw bytes"));

    assert_int_equal(tensor_load(t, scratch_bytes("a.png", raw, 4), usual, &err), STATUS_INVALID);
    assert_non_null(strstr(err.text, "a.png: not a PNG image"));
    unlink(scratch("a.png"));
    assert_int_equal(tensor_load(t, scratch("a.png"), usual, &err), STATUS_IO);
    free(t->dims);
}

TEST(saved_tensors_load)
{
    static const char *const suffixes[] = { "npy", "raw", "h5" };
    struct tensor_box one, two;
    TfLiteTensor *const tensors[2] = {
        make_tensor(&one, kTfLiteFloat32, 16, 2, (int32_t[]){ 1, 4 }),
        make_tensor(&two, kTfLiteFloat32, 16, 2, (int32_t[]){ 1, 4 })
    };

    for (size_t i = 0; i < COUNT(suffixes); i++) {
        const char *const name = scratch("t.%s", suffixes[i]);

        memcpy(tensors[0]->data.f, (float[]){ 1, -2, 3, 1e-30f }, 16);
        memset(tensors[1]->data.f, 0, 16);
        KIT_OK(tensors_save(tensors, 1, name, &err));
        KIT_OK(tensor_load(tensors[1], i == 2 ? scratch("t.h5:outputs/0") : name, usual, &err));
        assert_memory_equal(tensors[0]->data.f, tensors[1]->data.f, 16);
        assert_int_equal(tensors_save(tensors, 2, name, &err), i == 2 ? STATUS_OK : STATUS_USAGE);
    }
    assert_int_equal(tensors_save(tensors, 1, "/nowhere/t.npy", &err), STATUS_IO);
    free(tensors[0]->dims);
    free(tensors[1]->dims);
}

TEST_FILE(.setup = name_file, .leaves = "@(a.bin|a.h5|t.*)");
