/* Bundles of models: the sections, the model that is meant, and damage.  fuzz/corpus/bundles has
 * two of each kind, made with FlatBuffers' and Python's zipfile's own writers. */
#include "reference/tests/kit/test.h"

#include "conformance/suite/io/model_file.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/format/read.h"
#include "reference/tests/kit/graph_kit.h"

#include <stdio.h>
#include <string.h>

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
        struct diag diag = { .status = STATUS_OK };
        struct bundle b;
        uint8_t *bytes;
        size_t count, index;

        KIT_OK(file_read(rows[i].path, 1 << 20, &bytes, &count, &diag));
        assert_true(bundle_is(bytes, count));
        KIT_OK(bundle_open(&b, bytes, count, &diag));
        assert_string_equal(b.kind, rows[i].kind);
        assert_int_equal(b.count, rows[i].sections);
        KIT_OK(bundle_model(&b, b.sections[rows[i].model].name, &index, &diag));
        assert_int_equal(index, rows[i].model);
        assert_memory_equal(bytes + b.sections[index].begin + 4, "TFL3", 4);
        bundle_close(&b);
        mem_free(bytes);
    }
}

static void opens(const char *name, const char *op)
{
    struct diag diag = { .status = STATUS_OK };
    struct model_file file;
    struct model m;

    KIT_OK(model_file_open(&file, name, false, &diag));
    KIT_OK(tflite_read(&m, file.tflite.bytes, file.tflite.count, &diag));
    assert_string_equal(builtin_name(m.opcodes[0].code), op);
    model_close(&m);
    mem_free(file.tflite.bytes);
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
        struct diag diag = { .status = STATUS_OK };
        uint8_t *bytes;
        size_t count;

        KIT_OK(file_read(rows[i].path, 1 << 20, &bytes, &count, &diag));
        for (size_t k = 0; k < 9 * count; k++) {
            const size_t at = k / 9, length = k % 9 == 8 ? at : count;
            uint8_t *const copy = mem_alloc(length ? length : 1, 1);
            struct bundle b;

            assert_non_null(copy);
            memcpy(copy, bytes, length);
            if (k % 9 < 8)
                copy[at] ^= (uint8_t)(1U << k % 9);
            if (!bundle_is(copy, length) || bundle_open(&b, copy, length, &diag) != STATUS_OK) {
                refused++;
            } else {
                for (size_t s = 0; s < b.count; s++)
                    assert_true(b.sections[s].begin <= length &&
                                b.sections[s].size <= length - b.sections[s].begin);
                bundle_close(&b);
            }
            mem_free(copy);
        }
        mem_free(bytes);
    }
    assert_true(refused > 5000);
}
