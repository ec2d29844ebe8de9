/* The reader: models of every table, files that are cut or changed anywhere, and every allocation
 * failing once. */
#include "reference/base/memory.h"
#include "reference/format/builder.h"
#include "reference/format/file.h"
#include "reference/format/model_compare.h"
#include "reference/format/read.h"
#include "reference/format/write.h"
#include "reference/runtime/interpreter.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/sample_model.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"
#include "reference/text/hostile_row.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct tflite_file sample;

FIXTURE(write_sample)
{
    if (tflite_write(&sample_model, &sample, &err) == STATUS_OK)
        return 0;
    fprintf(stderr, "%s\n", err.text);
    return -1;
}

FIXTURE(free_sample)
{
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
        struct tflite_file file;
        struct model m, back;
        uint8_t *bytes;
        size_t count;
        char path[1024];

        if (length < 7 || strcmp(entry->d_name + length - 7, ".tflite") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (file_read(path, 1 << 30, &bytes, &count, &err) != STATUS_OK ||
            tflite_read(&m, bytes, count, &err) != STATUS_OK ||
            tflite_write(&m, &file, &err) != STATUS_OK ||
            tflite_read(&back, file.bytes, file.count, &err) != STATUS_OK ||
            model_compare(&m, &back, &err) != STATUS_OK)
            fail_msg("%s: %s", path, err.text);
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
    const struct model_tensor *t;
    struct model m CLOSED_BY(model_close);

    KIT_OK(tflite_read_accepting(&m, sample.bytes, sample.count, ACCEPT_LEGAL, &err));
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
}

/* Bytes need not be aligned; the vectors of the model are.  Archives align models to 4 bytes: they
 * are not copied. */
TEST(bytes_may_stand_anywhere)
{
    uint8_t *room CLOSED_BY(kit_free) = malloc(sample.count + 8);

    assert_non_null(room);
    for (size_t shift = 0; shift < 8; shift++) {
        const uint8_t *shape;

        memcpy(room + shift, sample.bytes, sample.count);
        struct model m CLOSED_BY(model_close);
        KIT_OK(tflite_read_accepting(&m, room + shift, sample.count, ACCEPT_LEGAL, &err));
        if (model_compare(&m, &sample_model, &err) != STATUS_OK)
            fail_msg("shift %zu: %s", shift, err.text);
        shape = (const uint8_t *)m.subgraphs[0].tensors[1].shape.data;
        assert_int_equal(shape > room && shape < room + shift + sample.count, shift % 4 == 0);
        assert_int_equal((uintptr_t)m.subgraphs[0].tensors[1].quantization.zero_point.data % 8, 0);
    }
}

/* Old writers align vectors of i64 to 4 bytes alone, as if all tables lay 4 bytes further on. */
TEST(vectors_of_old_writers_are_read)
{
    static const int64_t zeros[] = { -128, 127 };
    static const float scales[] = { 0.5f, 0.25f };
    struct tflite_file file = { .bytes = NULL };
    struct model built, read;
    struct builder b;
    int x;

    builder_init(&b);
    x = builder_tensor(&b, TENSOR_INT8, "x", 2, (int32_t[]){ 3, 2 });
    builder_quantization(&b, x, 2, scales, zeros, 1);
    builder_inputs(&b, 1, &x);
    builder_outputs(&b, 1, &x);
    assert_int_equal(builder_finish(&b, &built, &err), STATUS_OK);
    assert_int_equal(tflite_write(&built, &file, &err), STATUS_OK);
    uint8_t *moved CLOSED_BY(kit_free) = calloc(1, file.count + 4);
    assert_non_null(moved);
    memcpy(moved, file.bytes, 8);
    memcpy(moved + 12, file.bytes + 8, file.count - 8);
    moved[0] += 4; /* the root; all other offsets are relative */
    assert_int_equal(tflite_read(&read, moved, file.count + 4, &err), STATUS_OK);
    KIT_OK(model_compare(&built, &read, &err));
    assert_int_equal((uintptr_t)read.subgraphs[0].tensors[0].quantization.zero_point.data % 8, 0);
    model_close(&read);
    model_close(&built);
    mem_free(file.bytes);
}

TEST(what_is_not_done_here_is_refused)
{
    struct model m;

    assert_int_equal(tflite_read(&m, sample.bytes, sample.count, &err), STATUS_UNSUPPORTED);
    assert_non_null(strstr(err.text, "tensor 4"));
    assert_null(m.subgraphs);
}

/* Reads a copy in a block of its exact size; what reads must also be written and read again. */
static enum status read_exact(const uint8_t *bytes, size_t count)
{
    struct diag diag = { 0 };
    uint8_t *exact CLOSED_BY(kit_free) = malloc(count ? count : 1);
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
    struct model m;

    assert_int_equal(tflite_read(&m, NULL, 0, &err), STATUS_INVALID);
    assert_int_equal(tflite_verify(NULL, 0, NULL), STATUS_INVALID);
}

/* A file with holes, in which weights begin behind 4 GiB, and end where the file does. */
TEST(weights_lie_behind_4_gib)
{
    static const char *const damage[] = { "buffers[1].offset = 0x100000040",
                                          "buffers[1].offset = 0x100000041",
                                          "buffers[1].offset = 0xffffffffffffffff" };
    const uint64_t far = 0x100000040;
    const float weights[] = { 3, 5 };
    char path[] = P_tmpdir "/assay-long-XXXXXX";
    const int fd = mkstemp(path);
    struct tflite_file head;
    struct model m;
    bool holes;

    assert_true(fd >= 0);
    holes = sizeof(size_t) > 4 && ftruncate(fd, (off_t)(far + sizeof weights)) == 0;
    kit_text(&m, "ADD {} f32[2] f32[2]=1^ -> f32[2]");
    KIT_OK(tflite_write(&m, &head, &err));
    model_close(&m);
    for (size_t i = 0; i < sizeof damage / sizeof damage[0] && holes; i++) {
        struct file_model file;
        struct interpreter *in;

        KIT_OK(hostile_damage(&head, damage[i], &err));
        assert_int_equal(pwrite(fd, head.bytes, head.count, 0), head.count);
        assert_int_equal(pwrite(fd, weights, sizeof weights, (off_t)far), sizeof weights);
        KIT_OK(file_model_open(path, &file, &err));
        if (i > 0) { /* a byte, or all of the addresses, too far */
            assert_int_equal(tflite_read(&m, file.bytes, file.count, &err), STATUS_INVALID);
            assert_non_null(strstr(err.text, "size 8, in a file of 4294967368 bytes"));
            diag_clear(&err);
            file_model_close(&file);
            continue;
        }
        KIT_OK(tflite_read(&m, file.bytes, file.count, &err));
        in = kit_interpreter(&m, NULL);
        KIT_OK(interpreter_allocate(in, &err));
        assert_ptr_equal(interpreter_tensor(in, 1)->data.raw, file.bytes + far);
        interpreter_tensor(in, 0)->data.f[0] = interpreter_tensor(in, 0)->data.f[1] = 1;
        KIT_OK(interpreter_invoke(in, &err));
        assert_true(interpreter_tensor(in, 2)->data.f[0] == 4);
        assert_true(interpreter_tensor(in, 2)->data.f[1] == 6);
        interpreter_close(in);
        model_close(&m);
        file_model_close(&file);
    }
    mem_free(head.bytes);
    close(fd);
    unlink(path);
    if (!holes)
        skip(); /* the file system cannot */
}

TEST_FILE(.setup = write_sample, .teardown = free_sample);
