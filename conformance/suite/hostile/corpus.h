/* The hostile models: the rows of fuzz/hostile that are files, and damage to a few small ones.
 *
 *     reader.version_2       a row: what has to become of it stands there
 *     cut.conv.120           the first 120 bytes of the model conv
 *     flip.conv.120.ff       the model conv, with byte 120 changed by an exclusive or with 0xff
 *
 * A case is its name alone: from it the file is made, in whatever process. */
#ifndef ASSAY_CONFORMANCE_SUITE_HOSTILE_CORPUS_H
#define ASSAY_CONFORMANCE_SUITE_HOSTILE_CORPUS_H

#include "conformance/suite/cases/case.h"
#include "reference/base/arena.h"
#include "reference/format/write.h"
#include "reference/text/hostile_row.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What has to become of a model on whoever runs it. */
enum hostile_answer {
    ANSWER_REFUSED, /* it is malformed, and LiteRT refuses it, too */
    ANSWER_RIGHT,   /* it is sound: runs with the right result, or is refused */
    ANSWER_ANY,     /* refused or run, as long as nothing else happens */
};

struct corpus {
    struct hostile_table table;
    struct corpus_base *bases; /* that are cut and flipped */
    size_t base_count;
    struct arena arena; /* of the names of parts */
};

struct hostile_case {
    const struct hostile_row *row; /* NULL: a cut or flipped model */
    enum hostile_answer answer;
    struct tflite_file file; /* mem_free */
};

/* Unpacks the corpus.  On failure, too, it is to be closed. */
enum status corpus_open(struct corpus *c, struct diag *diag);
void corpus_close(struct corpus *c);
/* All cases, in a list that the caller frees with mem_free and that refers to the corpus.  `op` is
 * the table of a row, "cut" or "flip", `type_name` the part of the file that is wrong. */
enum status corpus_cases(struct corpus *c, struct test_case **cases, size_t *count,
                         struct diag *diag);
/* Keeps at most `limit` of the cut and flipped models, drawn by the seed; 0: all. */
void corpus_draw(struct test_case *cases, size_t *count, uint64_t limit, uint64_t seed);
/* Makes the file of a case.  STATUS_USAGE: there is none of the name. */
enum status corpus_make(const struct corpus *c, const char *name, struct hostile_case *out,
                        struct diag *diag);

/* ---- part.c: which part of a .tflite file a byte belongs to, in the words of the schema ---- */

/* Of a file that is sound: parts[i] becomes the part of byte i, for part_text. */
void part_map(const struct tflite_file *file, uint16_t *parts);
/* "Tensor.shape"; "header", "vtable", "options", "padding".  A string that lives as long as the
 * program. */
const char *part_text(uint16_t part);

#endif
