/* Gives a hostile model to a subject, and says what it did that nobody may do.
 *
 * A worker process of the runner (judge/runner.h) opens and runs the model, and has limits of time
 * and memory.  A subject that ends or hangs is a crash or a timeout there; the other kinds are
 * failures whose reason begins with the kind's name.  A model that is refused is declined, one that
 * runs as it should passes. */
#ifndef ASSAY_CONFORMANCE_SUITE_HOSTILE_HOSTILE_H
#define ASSAY_CONFORMANCE_SUITE_HOSTILE_HOSTILE_H

#include "conformance/suite/hostile/corpus.h"
#include "conformance/suite/judge/judge.h"

#include <stdbool.h>
#include <stdint.h>

/* X(name, text, words), the worst first. */
#define HOSTILE_KIND_LIST(X)                                                                       \
    X(WRITTEN, "written", "writes outside of its tensors, or to its inputs or the model")          \
    X(FOREIGN, "foreign",                                                                          \
      "the result depends on memory that nobody wrote, or that is not the model's")                \
    X(UNSTABLE, "unstable", "the same model and inputs give another answer each time")             \
    X(MEMORY, "memory", "memory out of proportion to the file")                                    \
    X(TIME, "time", "processor time out of proportion to the file")                                \
    X(WRONG, "wrong", "a sound model runs with another result than the reference's")               \
    X(ACCEPTED, "accepted", "a model runs that the reference and LiteRT's reference kernels refuse")

enum hostile_kind {
#define X(name, text, words) HOSTILE_##name,
    HOSTILE_KIND_LIST(X)
#undef X
        HOSTILE_KIND_COUNT
};
const char *hostile_kind_name(enum hostile_kind kind);
const char *hostile_kind_words(enum hostile_kind kind);
/* That of a failure's reason; HOSTILE_KIND_COUNT: it is none of them. */
enum hostile_kind hostile_kind_of(const char *reason);

/* ASSAY_LIMITS of our interpreter and delegate where the environment has no others: as an
 * application sets them that takes models from strangers. */
#define HOSTILE_LIMITS "activation_bytes=64M,folded_bytes=64M"

struct hostile {
    struct corpus corpus;
    uint64_t memory_bytes; /* that a model may add to what is resident, at its peak */
    double processor_s;    /* that a model may take */
};

/* Fills a tensor with ones, or with the numbers of a row's feed, the last of which fills the rest;
 * returns those of the next input (fuzz/hostile/README.md). */
const char *hostile_feed(const char *text, TfLiteType type, void *data, size_t bytes);
/* Element i of a tensor whose elements are whole bytes. */
double hostile_number(TfLiteType type, const void *data, size_t i);

/* Runs one case, of the corpus of a struct hostile; false: the worker has to be replaced.  As
 * run_case of struct run_request. */
bool hostile_judge(void *user, struct judge *j, const struct test_case *c,
                   struct case_result *result);

#endif
