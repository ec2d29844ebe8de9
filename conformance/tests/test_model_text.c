/* The text form of models: all cases of the suite and the trained models go through it. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/io/model_file.h"
#include "conformance/tests/kit/cases_kit.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/format/model_compare.h"
#include "reference/format/read.h"
#include "reference/tests/kit/sanitized.h"
#include "reference/tests/kit/test.h"
#include "reference/text/model_text.h"
#include "reference/text/write_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The text of a model, and what a file beside it would hold; the caller frees both. */
static char *text_of(const struct model *m, struct text_data *data)
{
    char *text = NULL;
    FILE *const f = kit_memory_file(&text);

    KIT_OK(text_write(f, m, data, &err));
    fclose(f);
    return text;
}

static void assert_same(const char *name, const char *text, const struct tflite_file *file)
{
    struct model_text source = { .text = text, .count = strlen(text), .as_written = true };
    struct tflite_file again;

    if (model_text_read(&source, &again, &err) != STATUS_OK)
        fail_msg("%s: %s\n%s", name, err.text, text);
    if (again.count != file->count || memcmp(again.bytes, file->bytes, again.count) != 0)
        fail_msg("%s: other bytes from\n%s", name, text);
    mem_free(again.bytes);
}

TEST(every_case_keeps_its_bytes)
{
    assert_true(kit_case_count > 4000);
    for (size_t i = 0; i < kit_case_count; i += KIT_EACH(8)) {
        const struct case_request request = { .set = SET_RANDOM, .seed = 1 };
        struct model m CLOSED_BY(model_close);
        struct case_instance x CLOSED_BY(case_instance_close);
        char *text CLOSED_BY(kit_free);

        if (case_build(&kit_cases[i], &request, &x, &err) != STATUS_OK)
            fail_msg("%s: %s", kit_cases[i].name, err.text);
        KIT_OK(tflite_read_accepting(&m, x.file.bytes, x.file.count, ACCEPT_LEGAL, &err));
        text = text_of(&m, NULL);
        assert_same(kit_cases[i].name, text, &x.file);
    }
}

/* What the text does not keep, made equal: numbers of buffers and of operator codes in the order of
 * their use, and what no runtime reads.  The copy's parts belong to the model's arena. */
static void make_plain(struct model *m)
{
    struct model_opcode *const codes = ARENA_NEW(&m->arena, m->opcode_count, struct model_opcode);
    struct model_buffer *const buffers = ARENA_NEW(&m->arena, m->buffer_count, struct model_buffer);
    uint32_t *const place = ARENA_NEW(&m->arena, m->buffer_count, uint32_t);
    uint32_t buffer_count = 1, code_count = 0;

    for (size_t g = 0; g < m->subgraph_count; g++) {
        const struct model_subgraph *const graph = &m->subgraphs[g];

        for (size_t i = 0; i < graph->tensor_count; i++) {
            struct model_tensor *const t = (struct model_tensor *)&graph->tensors[i];
            struct model_quantization *const q = &t->quantization;

            if (m->buffers[t->buffer].data.data && !place[t->buffer]) {
                place[t->buffer] = buffer_count;
                buffers[buffer_count++] = m->buffers[t->buffer];
            }
            t->buffer = place[t->buffer];
            t->has_rank = true;
            q->present = q->scale.count > 0 || q->min.count > 0;
            if (q->scale.count == 0)
                q->scale.data = NULL, q->zero_point.data = NULL;
            if (q->min.count == 0)
                q->min.data = q->max.data = NULL;
        }
        for (size_t n = 0; n < graph->operator_count; n++) {
            struct model_operator *const op = (struct model_operator *)&graph->operators[n];
            const struct model_opcode *const code = &m->opcodes[op->opcode_index];
            uint32_t k = 0;

            while (k < code_count &&
                   (codes[k].code != code->code || codes[k].version != code->version))
                k++;
            if (k == code_count)
                codes[code_count++] = (struct model_opcode){ .code = code->code,
                                                             .builtin_code = code->code,
                                                             .deprecated_code = code->code,
                                                             .version = code->version };
            op->opcode_index = k;
            op->mutating_variable_inputs = (struct model_bytes){ NULL, 0 };
        }
    }
    for (size_t i = 0; i < m->metadata_count; i++) {
        struct model_metadata *const row = (struct model_metadata *)&m->metadata[i];

        buffers[buffer_count] = m->buffers[row->buffer];
        row->buffer = buffer_count++;
    }
    m->buffers = buffers;
    m->buffer_count = buffer_count;
    m->opcodes = codes;
    m->opcode_count = code_count;
    m->metadata_buffer = (struct model_ints){ NULL, 0 };
    if (m->signature_count == 0)
        m->signatures = NULL;
}

TEST(trained_models_keep_what_they_say)
{
    static const char *const paths[] = { "golden/digits/digits_f32.tflite",
                                         "golden/digits/digits_f16.tflite",
                                         "golden/digits/digits_dynamic.tflite",
                                         "golden/digits/digits_i8.tflite",
                                         "golden/digits/digits_u8.tflite" };
    const char *const path = scratch("m.txt");

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct model_file before, after;
        struct model was, is;

        assert_int_equal(model_file_open(&before, paths[i], false, &err), STATUS_OK);
        KIT_OK(tflite_read(&was, before.tflite.bytes, before.tflite.count, &err));
        assert_int_equal(model_file_write_text(&was, NULL, path, &err), STATUS_OK);
        if (model_file_open(&after, path, false, &err) != STATUS_OK)
            fail_msg("%s: %s", paths[i], err.text);
        assert_true(after.from_text && !before.from_text);
        KIT_OK(tflite_read(&is, after.tflite.bytes, after.tflite.count, &err));
        make_plain(&was);
        make_plain(&is);
        if (model_compare(&was, &is, &err) != STATUS_OK)
            fail_msg("%s: %s", paths[i], err.text);
        model_close(&was);
        model_close(&is);
        file_model_close(&before.tflite);
        file_model_close(&after.tflite);
        assert_int_equal(unlink(path) + unlink(scratch("m.txt.data")), 0);
    }
}

TEST_FILE(.setup = kit_cases_open, .teardown = kit_cases_close, .leaves = "");
