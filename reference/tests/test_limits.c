/* The limits of base/limits.def: read and set, and each of them met by a small model. */
#include "reference/tests/kit/test.h"

#include "reference/base/limits.h"
#include "reference/base/memory.h"
#include "reference/format/builder.h"
#include "reference/format/file.h"
#include "reference/format/read.h"
#include "reference/format/write.h"
#include "reference/runtime/interpreter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

/* Sets one limit for the time of a check; the standard is put back by its number. */
static void set(enum limit which, uint64_t value)
{
    char text[96];

    snprintf(text, sizeof text, "%s=%llu", limit_row(which)->name, (unsigned long long)value);
    KIT_OK(limits_set(text, &err));
}

static void reset(enum limit which)
{
    set(which, limit_row(which)->standard);
}

TEST(texts_are_read)
{
    static const struct {
        const char *text, *words;
    } wrong[] = {
        { "", "expected NAME=VALUE" },
        { "rank", "expected NAME=VALUE" },
        { "=5", "expected NAME=VALUE" },
        { "depth=5", "'depth': no such limit; `assay --limits` lists them" },
        { "rank=", "'rank=': expected a whole number from 1" },
        { "rank=0", "expected a whole number from 1" },
        { "rank=-1", "expected a whole number from 1" },
        { "rank= 1", "expected a whole number from 1" },
        { "rank=1T", "expected a whole number from 1" },
        { "rank=1KB", "expected a whole number from 1" },
        { "rank=99999999999999999999", "expected a whole number from 1" },
        { "rank=9000000000000000000G", "expected a whole number from 1" },
        { "rank=7,", "expected NAME=VALUE" },
        { "rank=7,nodes", "'nodes': expected NAME=VALUE" },
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (limits_set(wrong[i].text, &err) != STATUS_USAGE || !strstr(err.text, wrong[i].words))
            fail_msg("'%s': %s", wrong[i].text, err.text);
        assert_int_equal(limit_of(LIMIT_RANK), limit_row(LIMIT_RANK)->standard);
    }
    assert_int_equal(limits_set("rank=7,folded_bytes=3M", &err), STATUS_OK);
    assert_int_equal(limit_of(LIMIT_RANK), 7);
    assert_int_equal(limit_of(LIMIT_FOLDED_BYTES), 3 << 20);
    assert_int_equal(limit_of(LIMIT_NODES), limit_row(LIMIT_NODES)->standard);
    /* For the libraries that are loaded later. */
    assert_non_null(strstr(getenv("ASSAY_LIMITS"), "rank=7"));
    assert_non_null(strstr(getenv("ASSAY_LIMITS"), "folded_bytes=3145728"));
    reset(LIMIT_RANK);
    reset(LIMIT_FOLDED_BYTES);
}

TEST(the_environment_is_checked)
{
    setenv("ASSAY_LIMITS", "rank=six", 1);
    assert_int_equal(limits_check_environment(&err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "ASSAY_LIMITS: 'rank=six'"));
    setenv("ASSAY_LIMITS", "rank=6", 1);
    assert_int_equal(limits_check_environment(&err), STATUS_OK);
    assert_int_equal(limit_of(LIMIT_RANK), 6);
    unsetenv("ASSAY_LIMITS");
    assert_int_equal(limits_check_environment(&err), STATUS_OK);
    reset(LIMIT_RANK);
}

/* ---- models ---- */

struct sample {
    struct model built;
    struct tflite_file file;
};

static void finish(struct builder *b, struct sample *s)
{
    if (builder_finish(b, &s->built, &err) != STATUS_OK ||
        tflite_write(&s->built, &s->file, &err) != STATUS_OK)
        fail_msg("%s", err.text);
}

static void close_sample(struct sample *s)
{
    model_close(&s->built);
    mem_free(s->file.bytes);
}

/* x [1, size], then so many RELU. */
static void make_chain(struct sample *s, int nodes, int32_t size)
{
    const int32_t dims[] = { 1, size };
    struct builder b;
    int first, at;

    builder_init(&b);
    first = at = builder_tensor(&b, TENSOR_FLOAT32, "x", 2, dims);
    for (int i = 0; i < nodes; i++) {
        const int to =
            builder_tensor(&b, TENSOR_FLOAT32, i + 1 == nodes ? "last" : "some", 2, dims);

        builder_op(&b, BUILTIN_RELU, 1, NULL, 1, &at, 1, &to);
        at = to;
    }
    builder_inputs(&b, 1, &first);
    builder_outputs(&b, 1, &at);
    finish(&b, s);
}

/* DEQUANTIZE of a constant of f16, which is folded, and PAD of it to size x size. */
static void make_pad(struct sample *s, bool constant, int32_t size)
{
    static const uint16_t one = 0x3c00;
    const int32_t paddings[] = { 0, size - 1, size - 1, 0 };
    struct builder b;
    int from, wide, ends, out;

    builder_init(&b);
    from = constant ? builder_constant(&b, TENSOR_FLOAT16, "half", 2, (int32_t[]){ 1, 1 }, &one, 2)
                    : builder_tensor(&b, TENSOR_FLOAT16, "half", 2, (int32_t[]){ 1, 1 });
    wide = builder_tensor(&b, TENSOR_FLOAT32, "wide", 2, (int32_t[]){ 1, 1 });
    ends = builder_constant(&b, TENSOR_INT32, "ends", 2, (int32_t[]){ 2, 2 }, paddings,
                            sizeof paddings);
    out = builder_tensor(&b, TENSOR_FLOAT32, "huge", 2, (int32_t[]){ size, size });
    builder_op(&b, BUILTIN_DEQUANTIZE, 3, NULL, 1, &from, 1, &wide);
    builder_op(&b, BUILTIN_PAD, 1, NULL, 2, (int[]){ wide, ends }, 1, &out);
    if (!constant)
        builder_inputs(&b, 1, &from);
    builder_outputs(&b, 1, &out);
    finish(&b, s);
}

static enum status verify(const struct sample *s, struct diag *diag)
{
    diag_clear(diag);
    return tflite_verify(s->file.bytes, s->file.count, diag);
}

/* Reads, opens and allocates. */
static enum status allocate(const struct sample *s, struct diag *diag)
{
    struct interpreter *in = NULL;
    struct model m CLOSED_BY(model_close);
    enum status status = tflite_read(&m, s->file.bytes, s->file.count, diag);

    if (status == STATUS_OK)
        status = interpreter_open(&in, &m, NULL, diag);
    if (status == STATUS_OK)
        status = interpreter_allocate(in, diag);
    interpreter_close(in);
    return status;
}

/* At value the model is taken, and below it refused with the words. */
static void expect_edge(const struct sample *s, enum limit which, uint64_t value,
                        enum status (*run)(const struct sample *, struct diag *), const char *words)
{
    struct diag diag;
    char named[64];

    set(which, value);
    KIT_OK_DIAG(run(s, &diag), diag);
    set(which, value - 1);
    snprintf(named, sizeof named, "at most %llu (limit %s;", (unsigned long long)value - 1,
             limit_row(which)->name);
    if (run(s, &diag) != STATUS_LIMIT || !strstr(diag.text, words) || !strstr(diag.text, named))
        fail_msg("%s: %s", status_text(diag.status), diag.text);
    reset(which);
}

TEST(the_reader_has_limits)
{
    struct sample s;
    struct diag diag;
    uint64_t tables = 1;

    make_chain(&s, 5, 8);
    expect_edge(&s, LIMIT_NODES, 5, verify, "SubGraph.operators: 5 operators");
    expect_edge(&s, LIMIT_TENSORS, 6, verify, "SubGraph.tensors: 6 tensors");
    expect_edge(&s, LIMIT_RANK, 2, verify, "Tensor.shape: 2 dimensions");
    expect_edge(&s, LIMIT_TENSOR_ELEMENTS, 8, verify, "Tensor.shape: 8 elements");
    for (; tables < 1000; tables++) {
        set(LIMIT_TABLES, tables);
        if (verify(&s, &diag) == STATUS_OK)
            break;
        assert_int_equal(diag.status, STATUS_LIMIT);
    }
    expect_edge(&s, LIMIT_TABLES, tables, verify, "table number ");
    close_sample(&s);

    make_pad(&s, true, 4);
    expect_edge(&s, LIMIT_NODE_TENSORS, 2, verify, "Operator.inputs: 2 tensors");
    close_sample(&s);
}

TEST(the_interpreter_has_limits)
{
    struct sample s;

    make_pad(&s, false,
             64); /* f32 [64, 64] is 16 KiB; the others have 64 bytes with their padding */
    expect_edge(&s, LIMIT_ACTIVATION_BYTES, 64 * 64 * 4 + 2 * 64, allocate,
                "PAD: node 1: tensor 3 (huge): 16384 bytes, 16512 with all activations at once");
    close_sample(&s);
    make_pad(&s, true, 64);
    /* DEQUANTIZE of a constant is folded; PAD is not. */
    expect_edge(&s, LIMIT_FOLDED_BYTES, 4, allocate,
                "DEQUANTIZE: node 0: output 0: tensor 1 (wide): a constant of 4 bytes, 4 with");
    close_sample(&s);
}

/* The file has some hundred bytes. */
TEST(a_small_file_does_not_take_gigabytes)
{
    struct sample s;

    for (int constant = 0; constant < 2; constant++) {
        const long long before = mem_peak_bytes();

        make_pad(&s, constant, 30001);
        assert_true(s.file.count < 1000);
        assert_int_equal(allocate(&s, &err), STATUS_LIMIT);
        if (!strstr(err.text, "PAD: node 1: ") || !strstr(err.text, "tensor 3 (huge)") ||
            !strstr(err.text, "3600240004") || !strstr(err.text, "raises it"))
            fail_msg("%s", err.text);
        assert_true(mem_peak_bytes() - before < 1 << 20);
        close_sample(&s);
    }
}

/* A shape that is computed, not that of the file. */
TEST(a_computed_shape_has_limits)
{
    struct sample s CLOSED_BY(close_sample);
    struct interpreter *in;

    make_chain(&s, 2, 8);
    KIT_OK(interpreter_open(&in, &s.built, NULL, &err));
    set(LIMIT_TENSOR_ELEMENTS, 99);
    assert_int_equal(interpreter_resize_input(in, 0, (int32_t[]){ 10, 10 }, 2, &err), STATUS_LIMIT);
    assert_non_null(strstr(err.text, "tensor 0 (x): dims: 100 elements, at most 99 (limit"));
    reset(LIMIT_TENSOR_ELEMENTS);
    assert_int_equal(interpreter_resize_input(in, 0, (int32_t[]){ 10, 10 }, 2, &err), STATUS_OK);
    assert_int_equal(interpreter_allocate(in, &err), STATUS_OK);
    interpreter_close(in);
}

TEST(a_file_has_a_limit)
{
    const char *const path = scratch_text("nine", "123456789");
    struct file_model file;

    set(LIMIT_FILE_BYTES, 9);
    assert_int_equal(file_model_open(path, &file, &err), STATUS_OK);
    assert_int_equal(file.count, 9);
    file_model_close(&file);
    set(LIMIT_FILE_BYTES, 8);
    assert_int_equal(file_model_open(path, &file, &err), STATUS_LIMIT);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "at most 8 (limit file_bytes;"));
    assert_null(file.bytes);
    reset(LIMIT_FILE_BYTES);
}
