/* assay run --tokens: a language model goes on with a text, always by the likeliest token. */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_RUN_TOKENS_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_RUN_TOKENS_H

#include "conformance/suite/io/tensor_io.h"
#include "conformance/suite/subject/session.h"
#include "conformance/util/string_list.h"
#include "reference/base/diag.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Zero-initialized, but for the first members; run_tokens_close frees it. */
struct run_tokens {
    const char *text; /* "3,14,15"; NULL: not asked for */
    uint64_t steps, window;
    /* Of the other inputs: files of the first, in their order; the seed of the rest. */
    const struct string_list *inputs;
    struct pixel_scale scale;
    uint64_t seed;
    int *others; /* these inputs, which run_tokens finds */
    size_t other_count;
    int32_t *ids;
    size_t given, count;        /* count: with those that were generated */
    size_t states, bound;       /* caches; that stay on the device */
    double first_ms, median_ms; /* of a step */
};

/* Reads the text, and runs a step for each of its tokens and each that follows.  The caches stay on
 * the device where the session's delegate can bind them. */
enum status run_tokens(struct run_tokens *r, struct session *s, struct diag *diag);
void run_tokens_print(FILE *f, const struct run_tokens *r);
json_t *run_tokens_json(const struct run_tokens *r);
void run_tokens_close(struct run_tokens *r);

#endif
