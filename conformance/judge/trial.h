/* One data set of one case on one subject: what the judge (judge.c) and its habits (habits.c) do
 * with a model on the device. */
#ifndef ASSAY_CONFORMANCE_JUDGE_TRIAL_H
#define ASSAY_CONFORMANCE_JUDGE_TRIAL_H

#include "conformance/judge/judge.h"
#include "conformance/judge/node_compare.h"
#include "reference/runtime/interpreter.h"

/* Delegate objects: one for the run proper, and of ours one for each poison. */
enum { PLAIN, POISON_FIRST, DELEGATE_COUNT = 4 };

struct judge {
    struct subject *subject;
    struct judge_options options;
    TfLiteDelegate *delegates[DELEGATE_COUNT];
    bool ours;
    char report[256]; /* what the delegate said last */
};

struct trial {
    struct judge *j;
    const struct test_case *c;
    enum data_set set;
    struct case_instance instance;
    struct model model; /* as the suite builds it */
    /* The same graph with every intermediate among its outputs, behind its own; it shares all else
     * with model. */
    struct model exposed;
    struct model_subgraph exposed_graph;
    int32_t exposed_outputs[OUTPUTS_MAX];
    bool hides;             /* there is an intermediate */
    uint8_t *untouched;     /* a copy of the file: constants must not change */
    struct outputs got[2];  /* of the exposed graph, frames A and B */
    struct outputs bare[2]; /* of the graph as it is, where it hides something */
    struct case_result *result;
};

/* How the device's interpreter is opened. */
struct trial_device {
    const struct model *model;
    int delegate;         /* PLAIN or a poison */
    uint32_t poison_word; /* what outputs hold before they are written */
    int32_t batch;        /* of the inputs in `resized`; 0: as the file says */
    const bool *resized;  /* of each input */
};
extern const uint32_t trial_poison_words[DELEGATE_COUNT];
extern const char *const trial_poisons[DELEGATE_COUNT]; /* NULL, "nan", "inf", "junk" */

/* Creates the delegate that is missing. */
enum status trial_make_delegate(struct judge *j, int which, struct diag *diag);
/* Opened, inputs resized, delegate applied, allocated. */
enum status trial_open(struct trial *t, const struct trial_device *device, struct interpreter **in,
                       struct diag *diag);
/* An interpreter of a model without delegate, allocated. */
enum status trial_open_reference(struct trial *t, const struct trial_device *device,
                                 struct interpreter **in, struct diag *diag);
/* The node that the case is about is the delegate's, or there is no delegate. */
bool trial_is_taken(const struct trial *t, struct interpreter *in);

/* One inference of x on the frame; false when the case failed. */
bool trial_run(struct trial *t, struct interpreter *in, const struct case_instance *x, int frame,
               struct outputs *got);
/* The first `count` outputs have other bits: then the case failed. */
bool trial_differ(struct trial *t, const struct outputs *first, const struct outputs *second,
                  size_t count, const char *what);
/* Says in shared memory where the case is. */
void trial_stage(const struct trial *t, const char *format, ...) PRINTF_LIKE(2, 3);

/* ---- habits.c ---- */

/* Intermediates that are not seen: the bits of the exposed graph, or, where an op was merged into
 * another, the summed limits.  exposed_steps: of the plan of the exposed graph, bare: with its
 * interpreter, open. */
bool habit_bare(struct trial *t, struct interpreter *bare, int exposed_steps);
/* Steps of the plan that belong to nodes; -1: not known. */
int habit_count_steps(const struct trial *t);
/* Poison in padded lanes, arena and outputs is not seen in the result. */
bool habit_poison(struct trial *t);
/* Variables: a sequence without reset, step by step against the reference. */
bool habit_sequence(struct trial *t);
/* A batch of N gives what N batches of 1 give. */
bool habit_split(struct trial *t);

#endif
