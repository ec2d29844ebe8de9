#include "reference/tests/kit/hostile.h"

#include "reference/format/file.h"
#include "reference/format/model_compare.h"
#include "reference/format/read.h"
#include "reference/format/verify.h"
#include "reference/tests/kit/text_kit.h"

void hostile_base(struct model *m)
{
    kit_text(m, "tensors x:f32[1,2]\n"
                "tensors weights:i8[2,2]=1,-2,3,-4q(0.5|0.125,0|3,1)\n"
                "tensors state:f32[2]!\n"
                "ADD {fused_activation_function=RELU} x bias:f32[2]=0.5,-0.25 -> sum:f32[1,2]\n"
                "RESHAPE {new_shape=[-1]} sum -> shaped:f32[2]\n"
                "tensors words:string[2]=x:0200000010000000120000001500000068697468657265\n"
                "MUL:2 shaped state - -> product:f32[2]\n");
}

/* The bytes of a row, in a block of their exact size. */
static void make_file(const struct hostile *row, struct tflite_file *file)
{
    struct diag diag = { 0 };
    struct model m;
    uint8_t *exact;

    hostile_base(&m);
    if (row->edit)
        row->edit(&m);
    if (tflite_write(&m, file, &diag) != STATUS_OK) {
        fprintf(stderr, "%s: %s\n", row->name, diag.text);
        abort();
    }
    model_close(&m);
    if (row->patch)
        row->patch(file);
    exact = malloc(file->count ? file->count : 1);
    if (!exact)
        abort();
    memcpy(exact, file->bytes, file->count);
    mem_free(file->bytes);
    file->bytes = exact;
}

static const char *kind_of(enum status s)
{
    return s == STATUS_OK ? "ok" : s == STATUS_INVALID ? "invalid" : "unsupported";
}

/* What was accepted can be written, read again, and is the same; or its options cannot be written.
 */
static void expect_round_trip(const struct hostile *row, const struct model *m)
{
    struct diag diag = { 0 };
    struct tflite_file file;
    struct model back;
    const enum status s = tflite_write(m, &file, &diag);

    if (s == STATUS_UNSUPPORTED && strstr(diag.text, "not known"))
        return;
    if (s != STATUS_OK || tflite_read(&back, file.bytes, file.count, &diag) != STATUS_OK ||
        model_compare(m, &back, &diag) != STATUS_OK)
        fail_msg("%s: %s", row->name, diag.text);
    model_close(&back);
    mem_free(file.bytes);
}

static void expect_row(const struct hostile *row)
{
    struct diag diag = { 0 };
    struct tflite_file file;
    struct model m;

    make_file(row, &file);
    if (tflite_read(&m, file.bytes, file.count, &diag) != row->expected)
        fail_msg("%s: %s: %s", row->name, status_text(diag.status), diag.text);
    model_close(&m);
    assert_int_equal(tflite_read(&m, file.bytes, file.count, NULL), row->expected);
    assert_int_equal(tflite_verify(file.bytes, file.count, NULL), row->expected);
    if (row->expected == STATUS_OK) {
        assert_string_equal(diag.text, "");
        expect_round_trip(row, &m);
        model_close(&m);
    } else {
        assert_null(m.subgraphs);
        assert_null(m.arena.blocks);
        if (strncmp(diag.text, "offset 0x", 9) != 0)
            fail_msg("%s: no offset: %s", row->name, diag.text);
        assert_non_null(row->words[0]);
        for (size_t i = 0; i < sizeof row->words / sizeof *row->words && row->words[i]; i++)
            if (!strstr(diag.text, row->words[i]))
                fail_msg("%s: no '%s' in: %s", row->name, row->words[i], diag.text);
    }
    free(file.bytes);
}

/* Where a row lies in the corpus. */
static void corpus_path(char path[512], const struct hostile *row, const char *folder)
{
    snprintf(path, 512, "%s/%s-%s.tflite", folder, kind_of(row->expected), row->name);
}

static int write_corpus(const struct hostile *rows, size_t count, const char *folder)
{
    for (size_t i = 0; i < count; i++) {
        struct diag diag = { 0 };
        struct tflite_file file;
        char path[512];

        if (!rows[i].in_corpus)
            continue;
        make_file(&rows[i], &file);
        corpus_path(path, &rows[i], folder);
        if (file_write(path, file.bytes, file.count, &diag) != STATUS_OK) {
            fprintf(stderr, "%s\n", diag.text);
            free(file.bytes);
            return 1;
        }
        free(file.bytes);
    }
    return 0;
}

void hostile_expect(const struct hostile *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect_row(&rows[i]);
}

void hostile_expect_corpus(const struct hostile *rows, size_t count)
{
    static const char folder[] = "fuzz/corpus/reader";

    for (size_t i = 0; i < count; i++) {
        struct tflite_file file;
        struct diag diag = { 0 };
        uint8_t *bytes;
        size_t size;
        char path[512];

        if (!rows[i].in_corpus)
            continue;
        make_file(&rows[i], &file);
        corpus_path(path, &rows[i], folder);
        if (file_read(path, 1 << 20, &bytes, &size, &diag) != STATUS_OK)
            fail_msg("%s (write it with --corpus %s)", diag.text, folder);
        if (size != file.count || memcmp(bytes, file.bytes, size) != 0)
            fail_msg("%s differs from what the test makes (write it with --corpus)", path);
        mem_free(bytes);
        free(file.bytes);
    }
}

int hostile_main(int argc, char **argv, const struct hostile *rows, size_t count)
{
    return argc == 3 && strcmp(argv[1], "--corpus") == 0 ? write_corpus(rows, count, argv[2]) : -1;
}

/* ---- places in a file, for patches ---- */
