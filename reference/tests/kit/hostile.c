#include "reference/tests/kit/hostile.h"

#include "reference/format/file.h"
#include "reference/format/model_compare.h"
#include "reference/format/read.h"
#include "reference/format/verify.h"

void hostile_base(struct model *m)
{
    static const int32_t one_two[] = { 1, 2 }, two[] = { 2 }, two_two[] = { 2, 2 };
    static const int8_t weights[] = { 1, -2, 3, -4 };
    static const float bias[] = { 0.5f, -0.25f };
    static const char words[] = "\2\0\0\0\20\0\0\0\22\0\0\0\25\0\0\0hithere";
    static const float scale[] = { 0.5f, 0.125f };
    static const int64_t zero_point[] = { 0, 3 };
    struct diag diag = { 0 };
    struct options options;
    struct builder b;

    builder_init(&b);
    builder_tensor(&b, TENSOR_FLOAT32, "x", 2, one_two);
    builder_constant(&b, TENSOR_INT8, "weights", 2, two_two, weights, sizeof weights);
    builder_quantization(&b, T_WEIGHTS, 2, scale, zero_point, 1);
    builder_tensor(&b, TENSOR_FLOAT32, "state", 1, two);
    builder_variable(&b, T_STATE);
    builder_constant(&b, TENSOR_FLOAT32, "bias", 1, two, bias, sizeof bias);
    builder_tensor(&b, TENSOR_FLOAT32, "sum", 2, one_two);
    builder_tensor(&b, TENSOR_FLOAT32, "shaped", 1, two);
    builder_constant(&b, TENSOR_STRING, "words", 1, two, words, sizeof words - 1);
    builder_tensor(&b, TENSOR_FLOAT32, "product", 1, two);
    options_init(&options, OPTIONS_AddOptions);
    options_set_int(&options, "fused_activation_function", 1);
    builder_op(&b, BUILTIN_ADD, 1, &options, 2, (int[]){ T_X, T_BIAS }, 1, (int[]){ T_SUM });
    options_init(&options, OPTIONS_ReshapeOptions);
    options_set_ints(&options, "new_shape", (int32_t[]){ -1 }, 1);
    builder_op(&b, BUILTIN_RESHAPE, 1, &options, 1, (int[]){ T_SUM }, 1, (int[]){ T_SHAPED });
    builder_op(&b, BUILTIN_MUL, 2, NULL, 3, (int[]){ T_SHAPED, T_STATE, -1 }, 1,
               (int[]){ T_PRODUCT });
    builder_inputs(&b, 1, (int[]){ T_X });
    builder_outputs(&b, 1, (int[]){ T_PRODUCT });
    if (builder_finish(&b, m, &diag) != STATUS_OK)
        abort();
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

static const struct hostile *tested;
static size_t tested_count;

static void every_row_is_as_expected(void **state)
{
    (void)state;
    for (size_t i = 0; i < tested_count; i++)
        expect_row(&tested[i]);
}

static void corpus_is_what_the_rows_make(void **state)
{
    static const char folder[] = "fuzz/corpus/reader";

    (void)state;
    for (size_t i = 0; i < tested_count; i++) {
        struct tflite_file file;
        struct diag diag = { 0 };
        uint8_t *bytes;
        size_t size;
        char path[512];

        if (!tested[i].in_corpus)
            continue;
        make_file(&tested[i], &file);
        corpus_path(path, &tested[i], folder);
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
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_as_expected),
        cmocka_unit_test(corpus_is_what_the_rows_make),
    };

    if (argc == 3 && strcmp(argv[1], "--corpus") == 0)
        return write_corpus(rows, count, argv[2]);
    tested = rows;
    tested_count = count;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* ---- places in a file, for patches ---- */
