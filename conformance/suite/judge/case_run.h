/* One data set of one case on one subject: its model, opened and run with the delegate. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_CASE_RUN_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_CASE_RUN_H

#include "conformance/suite/judge/judge_impl.h"
#include "conformance/suite/judge/result.h"
#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/outputs.h"
#include "reference/runtime/interpreter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CASE_GRAPHS_MAX = 3 }; /* subgraphs of a case */

struct sets;

struct case_run {
    struct judge *judge;
    const struct test_case *test_case;
    enum data_set set;
    struct case_instance instance;
    struct model model; /* as the suite builds it, with decompositions in the place of composites */
    const struct model_subgraph *composed; /* its subgraphs with composites; NULL: it has none */
    /* The same graph with every intermediate among its outputs, behind its own; it shares all else
     * with model. */
    struct model exposed;
    struct model_subgraph exposed_graphs[CASE_GRAPHS_MAX];
    int32_t exposed_outputs[OUTPUTS_MAX];
    bool repeats;               /* it is run for repeat.h, not for what is checked once a case */
    bool hides_intermediates;   /* model has an intermediate that is no output */
    bool hides_constants;       /* exposed lacks what is rounded and of constants alone */
    uint8_t *file_copy;         /* shows whether the model's constants were written to */
    struct outputs got[2];      /* of the exposed graph, frames A and B */
    struct outputs original[2]; /* of the graph as it is, where it hides intermediates */
    struct engine *begun;       /* ahead of time, with all that is expected; NULL: it was not */
    struct engine *device;      /* in which the poisons were run ahead; NULL: they were not */
    struct sets *sets; /* of which it is one, and others may be begun ahead of time; NULL: alone */
    struct case_result *result;
    int habit; /* HABIT_x that is being checked (habits.h) */
};

/* How the model is opened. */
struct case_run_setup {
    const struct model *model;
    int delegate;         /* DELEGATE_x; of others than ours PLAIN or SECOND */
    uint32_t poison_word; /* what outputs hold before they are written */
    /* As in struct engine_request. */
    int32_t batch;
    int axis;
    const bool *resized;
    size_t offset_bytes;
    int declined_first, declined_count;
    const struct engine_expected *expected; /* as in struct engine_request */
    size_t expected_count;
    const struct model *then;
    size_t then_at;
    TfLiteDelegate *made; /* instead of `delegate`; NULL: none */
};
extern const uint32_t case_run_poison_words[DELEGATE_POISON_END];
extern const char *const case_run_poisons[DELEGATE_POISON_END]; /* NULL, "nan", "inf", "junk" */

/* Creates a delegate of the judge, where it is missing. */
enum status case_run_make_delegate(struct judge *j, int which, struct diag *diag);
/* Makes a delegate that is the caller's, with more options than the subject's. */
enum status case_run_create(const struct judge *j, const struct subject_option *more, size_t count,
                            TfLiteDelegate **out, struct diag *diag);
/* Opens the model on the subject, with its inputs resized. */
enum status case_run_open(struct case_run *run, const struct case_run_setup *setup,
                          struct engine **e, struct diag *diag);
/* Begins to, where the subject can (engine_begin_open). */
void case_run_begin_open(struct case_run *run, const struct case_run_setup *setup,
                         struct engine **e);
/* Opens it after it was opened, with another word of poison; *e may be NULL.  On failure it is. */
enum status case_run_reopen(struct case_run *run, const struct case_run_setup *setup,
                            struct engine **e, struct diag *diag);
/* Opens it in our interpreter without a delegate; every tensor keeps its value. */
enum status case_run_open_reference(struct case_run *run, const struct case_run_setup *setup,
                                    struct interpreter **in, struct diag *diag);
/* Nodes of the graph that the subject took. */
int case_run_count_taken(const struct case_run *run, struct engine *e);
/* The subject took the node that the case is about; of a random graph, at least one node. */
bool case_run_is_taken(const struct case_run *run, struct engine *e);

/* Sets the variables to zero.  False when the case failed. */
bool case_run_reset(struct case_run *run, struct engine *e);
/* One inference of the frame (0: A, 1: B) of x.  False when the case failed: the inference itself,
 * or something was written that a subject must leave alone. */
bool case_run_invoke(struct case_run *run, struct engine *e, const struct case_instance *x,
                     int frame, struct outputs *got);
/* Whether the first `count` outputs have other bits: then the case failed, for the reason what. */
bool case_run_differ(struct case_run *run, const struct outputs *first,
                     const struct outputs *second, size_t count, const char *what);
/* Writes to shared memory where the case is, for the parent of a process that dies. */
void case_run_stage(const struct case_run *run, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
