/* A language model over a text that is given: at each token the subject runs one step from the
 * reference's caches, so that an error of one step is not counted against those behind it. */
#ifndef ASSAY_CONFORMANCE_TOOLS_DIFF_TOKENS_H
#define ASSAY_CONFORMANCE_TOOLS_DIFF_TOKENS_H

#include "conformance/suite/io/token_run.h"
#include "conformance/tools/diff/diff.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What one step gave. */
struct token_row {
    /* PASS: logits and caches are within their summed limits, and pass the screen of models. */
    enum case_status status;
    char reason[160];
    int32_t best[2];     /* likeliest token: of the reference, of the subject; -1: no number */
    double kl;           /* of the subject's distribution from the reference's, in nats */
    double loss[2];      /* minus the logarithm of the next token's share; NaN at the last one */
    double snr_db;       /* of the logits */
    double margin;       /* largest error / summed limit */
    uint64_t not_judged; /* logits and elements of caches without a limit */
    double ms;           /* of the subject */
};

struct tokens {
    struct diff diff;
    struct token_run run;       /* of diff.reference */
    struct interpreter *limits; /* a reference of its own, in which limits are added up */
    int32_t *ids;               /* the text */
    struct token_row *rows;
    size_t id_count, row_count; /* row_count: that are known, the first ones */
    bool is_open;               /* the subject has the model open */
    size_t resumed;             /* rows that were known before */
    size_t wrong;               /* the first row that fails; id_count: none does */
    size_t beyond_at;           /* the row of diff.beyond_half */
    struct {
        /* rows where the reference has numbers; of them those whose best token is the subject's */
        size_t numbers, agreed;
        double kl_mean, kl_largest; /* NaN: of a row that is NaN, at kl_at */
        double snr_db, margin, perplexity[2];
        size_t kl_at, margin_at;
        uint64_t not_judged;
    } sums;
};

/* Reads a file as token_ids_read has it. */
enum status tokens_read(struct tokens *t, const char *path, struct diag *diag);
/* Opens model and subject as diff_open does. */
enum status tokens_open(struct tokens *t, const struct diff_request *request,
                        struct subject *subject, int32_t window, struct diag *diag);
/* Runs the steps from row_count on; take gets each row.  At the first that fails judges each node
 * by itself, where the request asks for it.  A signal ends it: the other rows are missing. */
enum status tokens_run(struct tokens *t,
                       enum status (*take)(void *user, size_t position, const struct token_row *row,
                                           struct diag *diag),
                       void *user, struct diag *diag);
/* Computes the sums, and the status and reason of t->diff. */
void tokens_conclude(struct tokens *t);
void tokens_close(struct tokens *t);

/* A row as --format=json has it, with null for what is no finite number, or, exact, as the log of
 * --resume, with "inf", "-inf" or "nan". */
json_t *token_row_json(size_t position, const struct token_row *row, bool exact);
/* The next row of t; STATUS_INVALID where it is none. */
enum status tokens_take_json(struct tokens *t, const json_t *line, struct diag *diag);

/* max_drop: a share; NAN: none.  Whether the verdict is a pass. */
bool tokens_passed(const struct tokens *t, double max_drop);
void tokens_print_text(FILE *f, const struct tokens *t, double max_drop);
void tokens_print_json(FILE *f, const struct tokens *t, double max_drop);

#endif
