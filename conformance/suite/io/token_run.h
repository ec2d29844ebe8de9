/* A language model that is run token by token: a signature like decode, which takes one token and
 * the caches of keys and values that the step before has left.
 *
 * The names of the signature say what is what: tokens (or token), input_pos, mask and mask_local
 * (0 where a token is seen, -infinity where not), logits; what is an input and an output of one
 * name is carried over. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_TOKEN_RUN_H
#define ASSAY_CONFORMANCE_SUITE_IO_TOKEN_RUN_H

#include "conformance/suite/io/tensor_io.h"
#include "conformance/util/string_list.h"
#include "reference/base/diag.h"
#include "reference/runtime/interpreter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct token_run {
    struct interpreter *in; /* borrowed, allocated */
    /* Tensors; -1: the model has none. */
    int tokens, positions, mask, local_mask, logits;
    struct token_state {
        int in, out;
        bool bound; /* both are one buffer of the device: nothing is carried */
    } * states;
    size_t state_count;
    int *others; /* inputs that no name tells, such as the output of an encoder */
    size_t other_count;
    int32_t window; /* tokens that mask_local lets see; 0: all */
    int32_t slots;  /* how many tokens the caches hold; INT32_MAX: nothing says it */
    int32_t vocabulary;
};

/* Of the model's first signature, which is subgraph 0's.  STATUS_UNSUPPORTED, with what was
 * expected and found, for a model that takes no single token.  States are zero then. */
enum status token_run_open(struct token_run *t, struct interpreter *in, int32_t window,
                           struct diag *diag);
void token_run_close(struct token_run *t);

/* Gives the other inputs, which stay: in the order of the signature those of the files, which may
 * be NULL, then random ones.  STATUS_USAGE for more files than there are such inputs. */
enum status token_run_others(struct token_run *t, const struct string_list *files,
                             struct pixel_scale scale, uint64_t seed, struct diag *diag);

/* STATUS_USAGE for a token outside the vocabulary and for a position behind the caches. */
enum status token_run_check(const struct token_run *t, int32_t token, int32_t position,
                            struct diag *diag);
/* Gives the inputs of a step that token_run_check lets pass; the states stay. */
enum status token_run_give(struct token_run *t, int32_t token, int32_t position, struct diag *diag);
/* What a step has left becomes the next one's; from may be of another interpreter of the model. */
void token_run_carry(struct token_run *t, const struct token_run *from);
/* The likeliest token of logits (NULL: those of the last step): the first among equal ones; -1
 * where none is a number. */
int32_t token_run_best(const struct token_run *t, const void *logits);

/* ---- token_ids.c: token numbers of a text, as a command line or a file has them ---- */

enum { TOKEN_IDS_MAX = 1 << 20 };

/* Reads numbers from 0 on: text in which spaces, lines or commas separate them and what follows #
 * in a line is left out, or .npy of i32 or i64 [N] or [1, N].  *ids, freed with mem_free also after
 * a failure, has room for `more` behind them.  STATUS_INVALID, with the line, for anything else. */
enum status token_ids_read(int32_t **ids, size_t *count, size_t more, const uint8_t *bytes,
                           size_t size, struct diag *diag);

#endif
