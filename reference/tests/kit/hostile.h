/* Models each of which breaks one rule, or is at its boundary.  A row starts from the base model,
 * edits it as data (the writer judges nothing), then edits the file's bytes, and says what the
 * reader makes of the result.  The rows marked for the corpus are also the seeds of the reader's
 * fuzz target:
 *
 *     $(B)/tests/reference test_hostile_wire --corpus fuzz/corpus/reader
 *     $(B)/tests/reference test_hostile_rules --corpus fuzz/corpus/reader */
#ifndef ASSAY_REFERENCE_TESTS_KIT_HOSTILE_H
#define ASSAY_REFERENCE_TESTS_KIT_HOSTILE_H

#include "reference/tests/kit/test.h"

#include "reference/base/memory.h"
#include "reference/format/builder.h"
#include "reference/format/flatbuffer.h"
#include "reference/format/write.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hostile {
    const char *name;
    enum status expected;
    const char *words[4]; /* that the message has */
    void (*edit)(struct model *m);
    void (*patch)(struct tflite_file *file);
    bool in_corpus;
};

/* The base model: two subgraphs are not needed for any rule. */
enum { T_X, T_WEIGHTS, T_STATE, T_BIAS, T_SUM, T_SHAPED, T_WORDS, T_PRODUCT, TENSORS };
enum { OP_ADD, OP_RESHAPE, OP_MUL, OPS };
enum { BUFFER_NONE, BUFFER_WEIGHTS, BUFFER_BIAS, BUFFER_WORDS, BUFFERS };

void hostile_base(struct model *m);

/* Each row is as expected, and the files of fuzz/corpus/reader are those that the rows make; with
 * --corpus FOLDER they are written. */
void hostile_expect(const struct hostile *rows, size_t count);
void hostile_expect_corpus(const struct hostile *rows, size_t count);
int hostile_main(int argc, char **argv, const struct hostile *rows, size_t count);

#define HOSTILE_TESTS(rows)                                                                        \
    TEST(every_row_is_as_expected)                                                                 \
    {                                                                                              \
        hostile_expect(rows, sizeof(rows) / sizeof *(rows));                                       \
    }                                                                                              \
    TEST(corpus_is_what_the_rows_make)                                                             \
    {                                                                                              \
        hostile_expect_corpus(rows, sizeof(rows) / sizeof *(rows));                                \
    }                                                                                              \
    static int write_rows(int argc, char **argv)                                                   \
    {                                                                                              \
        return hostile_main(argc, argv, rows, sizeof(rows) / sizeof *(rows));                      \
    }                                                                                              \
    TEST_FILE(.main = write_rows)

/* ---- places in a file, for patches ---- */

static inline struct fb_table file_graph(const struct tflite_file *file)
{
    return fb_item(fb_root(file->bytes), Model_subgraphs, 0);
}

static inline struct fb_table file_tensor(const struct tflite_file *file, size_t index)
{
    return fb_item(file_graph(file), SubGraph_tensors, index);
}

static inline struct fb_table file_operator(const struct tflite_file *file, size_t index)
{
    return fb_item(file_graph(file), SubGraph_operators, index);
}

static inline void set8(struct tflite_file *file, size_t at, unsigned value)
{
    file->bytes[at] = (uint8_t)value;
}

static inline void set16(struct tflite_file *file, size_t at, unsigned value)
{
    set8(file, at, value);
    set8(file, at + 1, value >> 8);
}

static inline void set32(struct tflite_file *file, size_t at, uint32_t value)
{
    set16(file, at, value & 0xffff);
    set16(file, at + 2, value >> 16);
}

static inline size_t vtable_of(struct fb_table t)
{
    return t.at - (size_t)(int64_t)fb_load_i32(t.bytes, t.at);
}

static inline size_t vtable_entry(struct fb_table t, unsigned slot)
{
    return vtable_of(t) + 4 + 2 * (size_t)slot;
}

#endif
