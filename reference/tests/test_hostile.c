/* The reader, given the files of fuzz/hostile: it refuses what the verifier is to refuse, and what
 * it accepts can be written and read again.  And files that no row describes: those that share data
 * until it explodes, and those of newer writers. */
#include "reference/base/memory.h"
#include "reference/format/flatbuffer_write.h"
#include "reference/format/model_compare.h"
#include "reference/format/read.h"
#include "reference/tests/kit/hostile_model.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"
#include "reference/text/hostile_row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was accepted can be written, read again, and is the same; or its options cannot be written.
 */
static void expect_round_trip(const char *name, const struct model *m)
{
    struct diag diag = { 0 };
    struct tflite_file file;
    struct model back;
    const enum status s = tflite_write(m, &file, &diag);

    if (s == STATUS_UNSUPPORTED && strstr(diag.text, "not known"))
        return;
    if (s != STATUS_OK || tflite_read(&back, file.bytes, file.count, &diag) != STATUS_OK ||
        model_compare(m, &back, &diag) != STATUS_OK)
        fail_msg("%s: %s", name, diag.text);
    model_close(&back);
    mem_free(file.bytes);
}

/* Takes the file, which the reader sees in a block of its exact size. */
static void expect(const char *name, struct tflite_file *file, enum status expected,
                   const char *const *words)
{
    uint8_t *const exact = malloc(file->count ? file->count : 1);
    struct diag diag = { 0 };
    struct model m;

    assert_non_null(exact);
    memcpy(exact, file->bytes, file->count);
    if (tflite_read(&m, exact, file->count, &diag) != expected)
        fail_msg("%s: %s: %s", name, status_text(diag.status), diag.text);
    assert_int_equal(tflite_verify(exact, file->count, NULL), expected);
    if (expected == STATUS_OK) {
        assert_string_equal(diag.text, "");
        expect_round_trip(name, &m);
        model_close(&m);
    } else {
        assert_null(m.subgraphs);
        assert_null(m.arena.blocks);
        if (strncmp(diag.text, "offset 0x", 9) != 0)
            fail_msg("%s: no offset: %s", name, diag.text);
        for (; *words; words++)
            if (!strstr(diag.text, *words))
                fail_msg("%s: no '%s' in: %s", name, *words, diag.text);
        assert_int_equal(tflite_read(&m, exact, file->count, NULL), expected);
    }
    free(exact);
    mem_free(file->bytes);
}

TEST(rows_are_refused_or_come_back)
{
    struct hostile_table table CLOSED_BY(hostile_table_close);

    KIT_OK(hostile_table_read(&table, "fuzz/hostile", &err));
    for (size_t i = 0; i < table.count; i++) {
        const struct hostile_row *const row = &table.rows[i];
        const bool refused = row->stage == HOSTILE_VERIFY;
        const char *words[HOSTILE_WORDS_MAX + 2] = { row->field ? row->field : "" };
        struct tflite_file file;

        if (row->graph || row->pending)
            continue; /* no file is like that, or no verdict is known */
        memcpy(words + 1, row->words, (size_t)row->word_count * sizeof words[0]);
        if (hostile_model_write(row->model, row->edit, &file, &err) != STATUS_OK)
            fail_msg("%s: %s", row->name, err.text);
        for (int d = 0; d < row->damage_count; d++)
            assert_int_equal(hostile_damage(&file, row->damage[d], &err), STATUS_OK);
        expect(row->name, &file, refused ? row->status : STATUS_OK, words);
    }
}

/* ---- files that share ---- */

static void set32(uint8_t *bytes, size_t at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[at + (size_t)i] = (uint8_t)(value >> 8 * i);
}

/* Offsets 1 to count - 1 of a vector lead where offset 0 does. */
static void share_first(struct fb_writer *w, size_t item, size_t count)
{
    const uint32_t first = (uint32_t)fb_load_i32(w->bytes, item);

    for (size_t i = 1; i < count; i++)
        set32(w->bytes, item + 4 * i, first - (uint32_t)(4 * i));
}

/* `graphs` times the same subgraph, which has `tensors` times the same tensor, of so many dims. */
static void expect_shared(const char *name, size_t graphs, size_t tensors, size_t dims,
                          const char *what)
{
    struct fb_draft model = { .schema = SCHEMA_Model }, graph = { .schema = SCHEMA_SubGraph };
    struct fb_draft tensor = { .schema = SCHEMA_Tensor };
    int32_t *ones CLOSED_BY(kit_free) = calloc(dims + 1, sizeof *ones);
    size_t graph_item, tensor_item;
    struct tflite_file file;
    struct fb_writer w CLOSED_BY(fbw_close);

    fbw_open(&w, NULL);
    fbw_int(&w, &model, Model_version, 3);
    fbw_offset(&model, Model_subgraphs, true);
    fbw_table(&w, 0, &model);
    graph_item = fbw_tables(&w, model.at[Model_subgraphs], graphs);
    fbw_offset(&graph, SubGraph_tensors, true);
    fbw_table(&w, graph_item, &graph);
    tensor_item = fbw_tables(&w, graph.at[SubGraph_tensors], tensors);
    if (dims > 0)
        fbw_offset(&tensor, Tensor_shape, true);
    fbw_table(&w, tensor_item, &tensor);
    if (dims > 0)
        fbw_vector(&w, tensor.at[Tensor_shape], ones, dims, 4, 4);
    share_first(&w, graph_item, graphs);
    share_first(&w, tensor_item, tensors);
    assert_int_equal(w.status, STATUS_OK);
    file = (struct tflite_file){ .bytes = w.bytes, .count = w.count };
    w.bytes = NULL;
    expect(name, &file, STATUS_INVALID, (const char *const[]){ what, "shared too often", NULL });
}

TEST(shared_data_does_not_explode)
{
    expect_shared("tables", 1, 1000000, 0, "bytes in tables so far");
    expect_shared("graphs", 1100, 1100, 0, "(at subgraphs[");
    expect_shared("vectors", 1, 1000, 1000, "Tensor.shape:");
}

/* A hundred buffers behind the flatbuffer, each as large as the file. */
TEST(shared_buffers_do_not_explode)
{
    struct tflite_file file;
    char damage[64];
    struct model m;

    kit_text(&m, "ADD {} f32[2] f32[2]=1 -> f32[2]");
    {
        struct model_buffer *const list = ARENA_NEW(&m.arena, 100, struct model_buffer);

        for (size_t i = 2; i < 100; i++)
            list[i] = (struct model_buffer){ .data = { (const uint8_t *)"x", 1 }, .large = true };
        memcpy(list, m.buffers, 2 * sizeof *list);
        m.buffers = list;
        m.buffer_count = 100;
    }
    assert_int_equal(tflite_write(&m, &file, &err), STATUS_OK);
    model_close(&m);
    for (int i = 2; i < 100; i++) {
        snprintf(damage, sizeof damage, "buffers[%d].offset = 8", i);
        assert_int_equal(hostile_damage(&file, damage, &err), STATUS_OK);
        snprintf(damage, sizeof damage, "buffers[%d].size = %zu", i, file.count - 8);
        assert_int_equal(hostile_damage(&file, damage, &err), STATUS_OK);
    }
    expect("buffers", &file, STATUS_INVALID,
           (const char *const[]){ "Buffer.offset:", "shared too often", NULL });
}

/* ---- what the builder does not make ---- */

static void write_base(struct tflite_file *file)
{
    assert_int_equal(hostile_model_write("base", NULL, file, &err), STATUS_OK);
}

/* A vtable with more slots than the schema has: a newer writer. */
TEST(unknown_slots_are_skipped)
{
    static const uint8_t vtable[] = { 32, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                      0,  0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 4, 0, 6, 0 };
    struct tflite_file file;
    size_t tensor, at;

    write_base(&file);
    tensor = fb_vector(fb_item(fb_root(file.bytes), Model_subgraphs, 0), SubGraph_tensors).at;
    at = (file.count + 3) & ~(size_t)3;
    file.bytes = mem_resize(file.bytes, at + sizeof vtable + 8, 1);
    assert_non_null(file.bytes);
    memset(file.bytes + file.count, 0, at - file.count);
    memcpy(file.bytes + at, vtable, sizeof vtable);
    file.count = at + sizeof vtable + 8;
    set32(file.bytes, at + sizeof vtable, sizeof vtable); /* soff */
    set32(file.bytes, at + sizeof vtable + 4, 0xffffffff);
    set32(file.bytes, tensor, (uint32_t)(at + sizeof vtable - tensor));
    expect("unknown slots", &file, STATUS_OK, NULL);
}

/* Tables of the second options are not described, but have to be tables: the vtable entries of the
 * first options become those of the second. */
TEST(second_options_are_tables)
{
    static const struct {
        unsigned tag;
        bool broken;
        enum status status;
        const char *words[3];
    } rows[] = {
        { 18, false, STATUS_OK, { NULL } },
        { 24, false, STATUS_UNSUPPORTED, { "Operator.builtin_options_2_type: 24, not in 0..23" } },
        { 18, true, STATUS_INVALID, { "options.vtable: at", "operators[0].builtin_options_2)" } },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tflite_file file;
        struct fb_table t;
        struct model m;
        size_t vtable;

        hostile_base(&m);
        /* Slot 13: the vtable reaches past slot 12. */
        ((struct model_operator *)m.subgraphs[0].operators)->debug_metadata_index = 7;
        assert_int_equal(tflite_write(&m, &file, &err), STATUS_OK);
        model_close(&m);
        t = fb_item(fb_item(fb_root(file.bytes), Model_subgraphs, 0), SubGraph_operators, 0);
        vtable = t.at - (size_t)(int64_t)fb_load_i32(t.bytes, t.at) + 4;
        file.bytes[fb_find(t, Operator_builtin_options_type)] = (uint8_t)rows[i].tag;
        memcpy(file.bytes + vtable + 2 * Operator_builtin_options_2_type,
               file.bytes + vtable + 2 * Operator_builtin_options_type, 4); /* tag and table */
        set32(file.bytes, vtable + 2 * Operator_builtin_options_type, 0);
        if (rows[i].broken)
            set32(file.bytes, fb_sub(t, Operator_builtin_options_2).at, 0x40000000);
        expect("second options", &file, rows[i].status, rows[i].words);
    }
}

TEST(data_of_tensors_lies_in_buffers)
{
    struct tflite_file file;
    struct model m;

    hostile_base(&m);
    ((struct model_tensor *)m.subgraphs[0].tensors)[3].buffer = 0;
    ((struct model_tensor *)m.subgraphs[0].tensors)[3].external_buffer = 4;
    assert_int_equal(tflite_write(&m, &file, &err), STATUS_OK);
    model_close(&m);
    expect("external", &file, STATUS_UNSUPPORTED,
           (const char *const[]){ "Tensor.external_buffer: 4", NULL });

    /* Buffer 0 is that of tensors without data, whatever it has. */
    hostile_base(&m);
    ((struct model_buffer *)m.buffers)[0].data =
        (struct model_bytes){ (const uint8_t *)"not read", 8 };
    assert_int_equal(tflite_write(&m, &file, &err), STATUS_OK);
    model_close(&m);
    expect("buffer 0", &file, STATUS_OK, NULL);
}
