/* The reader: models of every table, files that are cut or changed anywhere, and every allocation
 * failing once. */
#include "reference/base/memory.h"
#include "reference/format/builder.h"
#include "reference/format/file.h"
#include "reference/format/model_compare.h"
#include "reference/format/read.h"
#include "reference/format/write.h"
#include "reference/tests/kit/sample_model.h"
#include "reference/tests/kit/test.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tflite_file sample;

static int write_sample(void **state)
{
    struct diag diag = { 0 };

    (void)state;
    if (tflite_write(&sample_model, &sample, &diag) == STATUS_OK)
        return 0;
    fprintf(stderr, "%s\n", diag.text);
    return -1;
}

static int free_sample(void **state)
{
    (void)state;
    mem_free(sample.bytes);
    return 0;
}

TEST(real_models_come_back)
{
    const char *models = getenv("ASSAY_MODELS") ? getenv("ASSAY_MODELS") : "../shared/models";
    const struct dirent *entry;
    char folder[512];
    int seen = 0;
    DIR *d;

    snprintf(folder, sizeof folder, "%s/real", models);
    if (!(d = opendir(folder))) {
        print_message("no folder %s: real models are not read (set ASSAY_MODELS)\n", folder);
        skip();
    }
    while ((entry = readdir(d))) {
        const size_t length = strlen(entry->d_name);
        struct diag diag = { 0 };
        struct tflite_file file;
        struct model m, back;
        uint8_t *bytes;
        size_t count;
        char path[1024];

        if (length < 7 || strcmp(entry->d_name + length - 7, ".tflite") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (file_read(path, 1 << 30, &bytes, &count, &diag) != STATUS_OK ||
            tflite_read(&m, bytes, count, &diag) != STATUS_OK ||
            tflite_write(&m, &file, &diag) != STATUS_OK ||
            tflite_read(&back, file.bytes, file.count, &diag) != STATUS_OK ||
            model_compare(&m, &back, &diag) != STATUS_OK)
            fail_msg("%s: %s", path, diag.text);
        assert_true(m.subgraphs[0].tensor_count > 1);
        seen++;
        model_close(&m);
        model_close(&back);
        mem_free(file.bytes);
        mem_free(bytes);
    }
    closedir(d);
    assert_true(seen > 0);
}

TEST(fields_are_read)
{
    struct diag diag = { 0 };
    const struct model_tensor *t;
    struct model m;

    assert_int_equal(tflite_read_accepting(&m, sample.bytes, sample.count, ACCEPT_LEGAL, &diag),
                     STATUS_OK);
    assert_int_equal(m.version, 3);
    assert_string_equal(m.description.text, "sample");
    assert_int_equal(m.opcodes[3].code, BUILTIN_MUL); /* the larger of two fields */
    assert_int_equal(m.opcodes[3].builtin_code, 0);
    assert_int_equal(m.opcodes[2].version, -7);
    t = &m.subgraphs[0].tensors[1];
    assert_int_equal(t->type, TENSOR_INT8);
    assert_int_equal(t->name.count, 14);
    assert_int_equal(t->quantization.zero_point.data[0], -128);
    assert_true(t->quantization.scale.data[1] == 1e-40f);
    assert_int_equal(m.subgraphs[0].tensors[4].sparsity.dimensions[2].segments.data[1], 65535);
    assert_int_equal(m.subgraphs[0].tensors[4].sparsity.dimensions[1].indices.data[1], 255);
    assert_null(m.subgraphs[0].tensors[3].shape.data);     /* absent */
    assert_non_null(m.subgraphs[0].tensors[6].shape.data); /* present, empty */
    assert_null(m.subgraphs[1].tensors);
    assert_null(m.buffers[0].data.data);
    assert_non_null(m.buffers[4].data.data);
    assert_int_equal(m.buffers[4].data.count, 0);
    assert_int_equal(m.subgraphs[0].operators[3].custom_options.count, 8);
    assert_int_equal(m.external_buffers[0].offset, 0x123456789abcdef0);
    model_close(&m);
}

/* Bytes need not be aligned; the vectors of the model are. */
TEST(bytes_may_stand_anywhere)
{
    uint8_t *room = malloc(sample.count + 8);

    assert_non_null(room);
    for (size_t shift = 0; shift < 8; shift++) {
        struct diag diag = { 0 };
        struct model m;

        memcpy(room + shift, sample.bytes, sample.count);
        assert_int_equal(tflite_read_accepting(&m, room + shift, sample.count, ACCEPT_LEGAL, &diag),
                         STATUS_OK);
        if (model_compare(&m, &sample_model, &diag) != STATUS_OK)
            fail_msg("shift %zu: %s", shift, diag.text);
        assert_int_equal((uintptr_t)m.subgraphs[0].tensors[1].quantization.zero_point.data % 8, 0);
        model_close(&m);
    }
    free(room);
}

/* Old writers align vectors of i64 to 4 bytes alone, as if all tables lay 4 bytes further on. */
TEST(vectors_of_old_writers_are_read)
{
    static const int64_t zeros[] = { -128, 127 };
    static const float scales[] = { 0.5f, 0.25f };
    struct tflite_file file = { .bytes = NULL };
    struct diag diag = { 0 };
    struct model built, read;
    struct builder b;
    uint8_t *moved;
    int x;

    builder_init(&b);
    x = builder_tensor(&b, TENSOR_INT8, "x", 2, (int32_t[]){ 3, 2 });
    builder_quantization(&b, x, 2, scales, zeros, 1);
    builder_inputs(&b, 1, &x);
    builder_outputs(&b, 1, &x);
    assert_int_equal(builder_finish(&b, &built, &diag), STATUS_OK);
    assert_int_equal(tflite_write(&built, &file, &diag), STATUS_OK);
    moved = calloc(1, file.count + 4);
    assert_non_null(moved);
    memcpy(moved, file.bytes, 8);
    memcpy(moved + 12, file.bytes + 8, file.count - 8);
    moved[0] += 4; /* the root; all other offsets are relative */
    assert_int_equal(tflite_read(&read, moved, file.count + 4, &diag), STATUS_OK);
    if (model_compare(&built, &read, &diag) != STATUS_OK)
        fail_msg("%s", diag.text);
    assert_int_equal((uintptr_t)read.subgraphs[0].tensors[0].quantization.zero_point.data % 8, 0);
    model_close(&read);
    model_close(&built);
    mem_free(file.bytes);
    free(moved);
}

TEST(what_is_not_done_here_is_refused)
{
    struct diag diag = { 0 };
    struct model m;

    assert_int_equal(tflite_read(&m, sample.bytes, sample.count, &diag), STATUS_UNSUPPORTED);
    assert_non_null(strstr(diag.text, "tensor 4"));
    assert_null(m.subgraphs);
}

/* Reads a copy in a block of its exact size; what reads must also be written and read again. */
static enum status read_exact(const uint8_t *bytes, size_t count)
{
    struct diag diag = { 0 };
    uint8_t *exact = malloc(count ? count : 1);
    struct model m;
    enum status s;

    assert_non_null(exact);
    memcpy(exact, bytes, count);
    s = tflite_read_accepting(&m, exact, count, ACCEPT_LEGAL, &diag);
    if (s == STATUS_OK) {
        struct tflite_file file;
        struct model back;

        if (tflite_write(&m, &file, &diag) == STATUS_OK) {
            if (tflite_read_accepting(&back, file.bytes, file.count, ACCEPT_LEGAL, &diag) !=
                    STATUS_OK ||
                model_compare(&m, &back, &diag) != STATUS_OK)
                fail_msg("%s", diag.text);
            model_close(&back);
            mem_free(file.bytes);
        } else {
            assert_int_equal(diag.status, STATUS_UNSUPPORTED);
        }
        model_close(&m);
    } else {
        assert_true(s == STATUS_INVALID || s == STATUS_UNSUPPORTED || s == STATUS_LIMIT);
        assert_null(m.arena.blocks);
    }
    free(exact);
    return s;
}

TEST(files_cut_anywhere_are_refused)
{
    size_t end = sample.count;

    assert_int_equal(read_exact(sample.bytes, end), STATUS_OK);
    for (size_t count = 0; count < end; count++) {
        const enum status s = read_exact(sample.bytes, count);

        /* Cut in what is behind the last byte that is used, a file may still do. */
        if (s == STATUS_OK && count + 16 < end)
            fail_msg("cut to %zu of %zu bytes: ok", count, end);
    }
}

TEST(any_byte_may_change)
{
    static const unsigned masks[] = { 1, 2, 4, 8, 16, 32, 64, 128 };
    size_t accepted = 0, refused = 0;
    uint8_t *bytes = malloc(sample.count);

    assert_non_null(bytes);
    memcpy(bytes, sample.bytes, sample.count);
    for (size_t at = 0; at < sample.count; at++) {
        for (size_t k = 0; k < sizeof masks / sizeof *masks + 2; k++) {
            bytes[at] = k == 8 ? 0 : k == 9 ? 0xff : (uint8_t)(sample.bytes[at] ^ masks[k]);
            if (read_exact(bytes, sample.count) == STATUS_OK)
                accepted++;
            else
                refused++;
        }
        bytes[at] = sample.bytes[at];
    }
    free(bytes);
    assert_true(accepted > sample.count);
    assert_true(refused > sample.count);
}

TEST(every_allocation_may_fail)
{
    struct diag first = { 0 };
    long failures = 0;

    mem_fail_after(0);
    assert_int_equal(tflite_verify(sample.bytes, sample.count, &first), STATUS_NO_MEMORY);
    mem_fail_after(-1);
    assert_non_null(strstr(first.text, "verifying a model: out of memory"));
    for (long n = 0;; n++) {
        const long before = mem_failures();
        struct diag diag = { 0 };
        struct model m;
        enum status s;

        mem_fail_after(n);
        s = tflite_read_accepting(&m, sample.bytes, sample.count, ACCEPT_LEGAL, &diag);
        mem_fail_after(-1);
        if (s == STATUS_OK) {
            assert_int_equal(mem_failures(), before); /* none was passed over */
            model_close(&m);
            break;
        }
        assert_int_equal(s, STATUS_NO_MEMORY);
        assert_non_null(strstr(diag.text, "out of memory"));
        assert_null(m.arena.blocks);
        assert_null(m.subgraphs);
        failures++;
    }
    assert_true(failures >= 3);
}

TEST(no_bytes_at_all)
{
    struct diag diag = { 0 };
    struct model m;

    assert_int_equal(tflite_read(&m, NULL, 0, &diag), STATUS_INVALID);
    assert_int_equal(tflite_verify(NULL, 0, NULL), STATUS_INVALID);
}

TEST_FILE(.setup = write_sample, .teardown = free_sample);
