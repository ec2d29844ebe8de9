/* Files that hold several models beside tokenizers and metadata: LiteRT-LM's .litertlm (a
 * flatbuffer of sections behind "LITERTLM"; LiteRT-LM, schema/core/litertlm_header_schema.fbs) and
 * MediaPipe's .task (a zip archive whose entries are stored).  Models are used where they lie. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_BUNDLE_H
#define ASSAY_CONFORMANCE_SUITE_IO_BUNDLE_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BUNDLE_NAME_BYTES = 96, BUNDLE_SECTIONS_MAX = 4096 };

struct bundle_section {
    char name[BUNDLE_NAME_BYTES]; /* of a model of LiteRT-LM its model_type; of a zip the entry's */
    const char *kind;             /* "model", "SentencePiece tokenizer", "compressed", ... */
    uint64_t begin, size;         /* in the file */
};

struct bundle {
    char kind[32]; /* "LiteRT-LM 1.3.0", "zip" */
    struct bundle_section *sections;
    size_t count;
};

/* Whether the bytes begin as a bundle does. */
bool bundle_is(const uint8_t *bytes, size_t count);
/* Reads the list; every offset and size is checked.  STATUS_INVALID with what was expected and
 * found.  bundle_close frees it. */
enum status bundle_open(struct bundle *b, const uint8_t *bytes, size_t count, struct diag *diag);
void bundle_close(struct bundle *b);

/* The one model of that name, in any case of letters; NULL: the only one.  STATUS_USAGE names those
 * that there are. */
enum status bundle_model(const struct bundle *b, const char *name, size_t *index,
                         struct diag *diag);

#endif
