/* Values of tensors: real numbers, the best classes, random inputs, labels. */
#include "reference/tests/kit/test.h"

#include "conformance/suite/io/tensor_value.h"
#include "reference/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static TfLiteTensor make(TfLiteType type, void *data, size_t bytes, int rank, const int *dims)
{
    TfLiteIntArray *const a = malloc(sizeof *a + (size_t)rank * sizeof(int));
    TfLiteTensor t = { .type = type, .dims = a, .bytes = bytes };

    a->size = rank;
    memcpy(a->data, dims, (size_t)rank * sizeof(int));
    t.data.raw = data;
    return t;
}

TEST(top_of_scores)
{
    float data[6] = { 0.5f, NAN, 2, -1, 2, INFINITY };
    TfLiteTensor t = make(kTfLiteFloat32, data, sizeof data, 2, (int[]){ 1, 6 });
    size_t indices[10];

    assert_true(tensor_is_scores(&t));
    assert_int_equal(tensor_top(&t, 10, indices), 6);
    assert_memory_equal(indices, ((size_t[]){ 5, 2, 4, 0, 3, 1 }), 6 * sizeof *indices);
    assert_int_equal(tensor_top(&t, 3, indices), 3);
    assert_memory_equal(indices, ((size_t[]){ 5, 2, 4 }), 3 * sizeof *indices);
    assert_int_equal(tensor_top(&t, 1, indices), 1);
    assert_int_equal(indices[0], 5);
    t.dims->data[0] = 2;
    t.dims->data[1] = 3;
    assert_false(tensor_is_scores(&t));
    free(t.dims);
}

/* One row of at least two numbers, of a type that scores have. */
TEST(rows_of_scores)
{
    static const struct {
        TfLiteType type;
        int rank, dims[3];
        bool scores;
    } rows[] = {
        { kTfLiteFloat32, 0, { 0 }, false },       { kTfLiteFloat32, 1, { 0 }, false },
        { kTfLiteFloat32, 1, { 1 }, false },       { kTfLiteFloat32, 1, { 2 }, true },
        { kTfLiteFloat32, 2, { 1, 1 }, false },    { kTfLiteFloat32, 3, { 1, 1, 2 }, true },
        { kTfLiteFloat32, 3, { 2, 1, 2 }, false }, { kTfLiteFloat32, 3, { 1, 2, 2 }, false },
        { kTfLiteFloat32, 2, { 2, 1 }, false },    { kTfLiteFloat32, 2, { 0, 2 }, false },
        { kTfLiteFloat16, 2, { 1, 2 }, true },     { kTfLiteUInt8, 2, { 1, 2 }, true },
        { kTfLiteInt8, 2, { 1, 2 }, true },        { kTfLiteInt32, 2, { 1, 2 }, false },
        { kTfLiteString, 2, { 1, 2 }, false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        TfLiteTensor t = make(rows[i].type, NULL, 0, rows[i].rank, rows[i].dims);

        if (tensor_is_scores(&t) != rows[i].scores)
            fail_msg("row %zu: expected %s", i, rows[i].scores ? "scores" : "no scores");
        free(t.dims);
    }
}

TEST(real_values)
{
    uint8_t bytes[2] = { 0, 200 };
    int8_t signed_bytes[2] = { -128, 5 };
    uint16_t half[1] = { 0x3e00 };
    int64_t big[1] = { -5000000000 };
    TfLiteTensor t = make(kTfLiteUInt8, bytes, 2, 1, (int[]){ 2 });

    assert_true(tensor_real(&t, 1) == 200);
    t.params = (TfLiteQuantizationParams){ 0.5f, 100 };
    assert_true(tensor_real(&t, 0) == -50 && tensor_real(&t, 1) == 50);
    t.type = kTfLiteInt8;
    t.data.int8 = signed_bytes;
    t.params = (TfLiteQuantizationParams){ 0.25f, -128 };
    assert_true(tensor_real(&t, 0) == 0 && tensor_real(&t, 1) == 33.25);
    t.type = kTfLiteFloat16;
    t.data.raw = (char *)half;
    assert_true(tensor_real(&t, 0) == 1.5);
    t.type = kTfLiteInt64;
    t.data.i64 = big;
    assert_true(tensor_real(&t, 0) == -5e9);
    t.type = kTfLiteString;
    assert_true(isnan(tensor_real(&t, 0)));
    free(t.dims);
}

TEST(random_values)
{
    float a[1000], b[1000];
    uint8_t bytes[1000];
    TfLiteTensor t = make(kTfLiteFloat32, a, sizeof a, 1, (int[]){ 1000 });
    double sum = 0;
    int high = 0;

    assert_int_equal(tensor_fill(&t, 1, 0, &err), STATUS_OK);
    t.data.f = b;
    assert_int_equal(tensor_fill(&t, 1, 0, &err), STATUS_OK);
    assert_memory_equal(a, b, sizeof a);
    for (int i = 0; i < 1000; i++) {
        assert_true(a[i] >= -1 && a[i] < 1);
        sum += a[i];
    }
    assert_true(fabs(sum) < 60); /* deviation 18 */
    assert_int_equal(tensor_fill(&t, 1, 1, &err), STATUS_OK);
    assert_memory_not_equal(a, b, sizeof a);
    assert_int_equal(tensor_fill(&t, 2, 0, &err), STATUS_OK);
    assert_memory_not_equal(a, b, sizeof a);
    t.type = kTfLiteUInt8;
    t.data.uint8 = bytes;
    assert_int_equal(tensor_fill(&t, 1, 0, &err), STATUS_OK);
    for (int i = 0; i < 1000; i++)
        high += bytes[i] > 127;
    assert_true(high > 400 && high < 600);
    t.type = kTfLiteString;
    assert_int_equal(tensor_fill(&t, 1, 0, &err), STATUS_UNSUPPORTED);
    free(t.dims);
}

TEST(labels)
{
    static const struct {
        const char *text;
        size_t count;
        const char *lines[3];
    } rows[] = {
        { "a\nb\n", 2, { "a", "b" } },
        { "a\nb", 2, { "a", "b" } },
        { "a\r\n\r\nc", 3, { "a", "", "c" } },
        { "", 0, { NULL } },
        { "\n", 1, { "" } },
    };
    struct labels l;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(labels_read(&l, scratch_text("labels", rows[i].text), &err), STATUS_OK);
        assert_int_equal(l.count, rows[i].count);
        for (size_t k = 0; k < l.count; k++)
            assert_string_equal(labels_find(&l, k), rows[i].lines[k]);
        assert_null(labels_find(&l, l.count));
        labels_close(&l);
    }
    assert_int_equal(labels_read(&l, scratch("none"), &err), STATUS_IO);
    labels_close(&l);
}

/* Whichever allocation fails. */
TEST(labels_without_memory)
{
    const char *const path = scratch_text("labels", "a\nb\n");
    enum status s = STATUS_NO_MEMORY;
    bool no_text = false, no_lines = false;

    for (long after = 0; s != STATUS_OK; after++) {
        struct labels l CLOSED_BY(labels_close);
        struct diag diag = { .text = "" };

        mem_fail_after(after);
        s = labels_read(&l, path, &diag);
        mem_fail_after(-1);
        assert_true(s == STATUS_OK || s == STATUS_NO_MEMORY);
        no_text = no_text || strstr(diag.text, ": 4 bytes");
        no_lines = no_lines || strstr(diag.text, ": 2 lines");
        if (s != STATUS_OK) {
            assert_null(l.text);
            assert_null(l.lines);
        }
    }
    assert_true(no_text && no_lines);
}
