/* The result of one case on one subject: plain data, sent by a worker process to its parent. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_RESULT_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_RESULT_H

#include "conformance/suite/bounds/compare.h"
#include "conformance/suite/cases/case.h"
#include "conformance/suite/judge/case_classes.h"
#include "conformance/suite/judge/profile.h"
#include "conformance/suite/judge/repeat_counts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(name, text): as in reports, in the order of the totals line. */
#define CASE_STATUS_LIST(X)                                                                        \
    X(PASS, "pass")                                                                                \
    X(FAIL, "fail")                                                                                \
    X(DECLINED, "declined") /* the delegate did not take the op */                                 \
    X(CRASH, "crash")                                                                              \
    X(TIMEOUT, "timeout")                                                                          \
    X(WAIVED, "waived")                   /* failed, as a waiver expects */                        \
    X(UNEXPECTED_PASS, "unexpected_pass") /* passed, although a waiver expects it to fail */

enum case_status {
#define X(name, text) CASE_##name,
    CASE_STATUS_LIST(X)
#undef X
        CASE_STATUS_COUNT,
    CASE_MISSING = CASE_STATUS_COUNT /* cut: of whole models and trials, not of cases in a run */
};
const char *case_status_name(enum case_status s); /* "pass" ...; "?" when out of range */
/* That of a name of so many bytes; false: there is none. */
bool case_status_find(const char *name, size_t length, enum case_status *s);
bool case_status_fails(enum case_status s); /* of a case alone: fail, crash, timeout */

/* X(name, text): what is checked beside the comparison with the reference, where it applies.  Those
 * from RESIZED on run on a sample of the cases (habits.h). */
#define HABIT_LIST(X)                                                                              \
    X(REPEAT, "A-B-A")                /* frame A has the same bits after frame B */                \
    X(GUARDS, "guard words")          /* round tensors or host buffers */                          \
    X(POISON, "poisoned outputs")     /* every element is written */                               \
    X(DEVICE_POISON, "device poison") /* in padded lanes and unused memory of the device */        \
    X(HIDDEN, "hidden")               /* intermediates that are no outputs */                      \
    X(SEQUENCE, "sequence")           /* state over inferences */                                  \
    X(SPLIT, "split")                 /* a batch as batches of 1 */                                \
    X(RESIZED, "resized")             /* sizes change after the delegate was applied */            \
    X(RUNS, "runs")                   /* 64 in a row */                                            \
    X(INTERPRETERS, "interpreters")   /* two to five alive, asked in turns */                      \
    X(THREADS, "threads")             /* two alive, asked at the same time */                      \
    X(ADDRESSES, "addresses")         /* inputs, outputs, constants at odd addresses */            \
    X(PARTITION, "partition")         /* a second one, behind a node that is declined */           \
    X(OPTIONS, "options")             /* prepared twice, with other options */                     \
    X(CACHE, "cache")                 /* cold, then warm, then of another plan */                  \
    X(WAIT, "wait")                   /* each way to wait for the device */

enum habit {
#define X(name, text) HABIT_##name,
    HABIT_LIST(X)
#undef X
        HABIT_COUNT
};
enum { HABIT_SAMPLED = HABIT_RESIZED }; /* the first of those that run on a sample */
extern const char *const habit_names[HABIT_COUNT];

/* X(name, text): how a node of dynamic range computed (designs.h), the most exact first. */
#define DESIGN_LIST(X)                                                                             \
    X(FLOAT, "float")       /* as weights that are dequantized */                                  \
    X(SYM, "sym")           /* activations in steps of max |x| / 127 */                            \
    X(ASYM, "asym")         /* in steps of (max - min) / 255 */                                    \
    X(XNN, "xnn")           /* the same in the roundings of XNNPACK */                             \
    X(XNN_BF16, "xnn+bf16") /* and the scales of blocks rounded to bf16 */

enum design {
#define X(name, text) DESIGN_##name,
    DESIGN_LIST(X)
#undef X
        DESIGN_COUNT
};
/* The name of the first design of a set of bits 1 << DESIGN_x; NULL: there is none. */
const char *design_name(uint32_t designs);
/* The bit of the design of that name; 0: of none. */
uint32_t design_bit(const char *name);

struct case_result {
    enum case_status status;
    char reason[480]; /* of every status but pass; where an element is wrong, without its index */
    bool absent;      /* there is no result: no other field but missing is set */
    bool missing;     /* the subject runs the case, but the run ended before it came to it */
    bool line_lost;  /* to the agent of the subject: then the case is not run, and this no result */
    bool required;   /* declined, but --require says that it must be taken */
    bool regression; /* it passed in the baseline; of a pass: its margin was smaller there */
    /* Cause, of the waiver that applied; NULL: none.  Set by the parent after the run. */
    const char *waiver;
    /* Over all sets and frames that were compared. */
    double max_abs, max_ulp, margin, bias;
    uint64_t integers; /* elements of quantized outputs that were compared */
    uint64_t unequal;  /* those of them that were not the reference's */
    /* Elements of outputs that have no limit, as some have where intermediates are hidden: as
     * outputs of their nodes these were judged. */
    uint64_t not_judged;
    uint32_t
        designs; /* bit 1 << DESIGN_x: all of what was compared fits it; 0: none was looked for */
    double ms;   /* the fastest inference */
    uint64_t bytes;    /* of the device, or of the host's arena where the library does not say */
    int nodes, taken;  /* of the model: all, and those that the subject took */
    uint32_t habits;   /* bit 1 << HABIT_x: it was checked */
    uint32_t left_out; /* it applies to the case, but the kind of subject does not allow it */
    uint32_t refused;  /* it applies, and the subject refused it in this case */
    struct repeat_counts repeat;
    /* Where it failed. */
    bool has_set;
    enum data_set set;
    char frame; /* 'A' or 'B' */
    bool has_element;
    int output;     /* of the graph */
    char where[64]; /* index of the element */
    double got, want, error, limit;
    int nth_node;    /* the node that made it, from 1; 0: not known */
    char equals[24]; /* what the output looks like as a whole (looks.h); empty: nothing known */
    struct comparison_worst worst; /* of the output that failed; ratio 0: not known */
    /* Error over limit along the output that failed, else along the one with the largest margin, as
     * profile.h encodes it; empty: nothing was compared. */
    char by_element[PROFILE_BINS + 1], by_channel[PROFILE_BINS + 1];
    size_t elements, channels;        /* how many these stand for */
    char classes[CASE_CLASSES_BYTES]; /* case_classes.h; empty: likewise, or of a random graph */
    char inputs[96]; /* "f32 [1, 4, 4, 5]; i32 [2]"; empty: the case was not built */
};

/* Whether the result makes the run's exit code 1. */
bool result_fails_run(const struct case_result *r);

/* Notes that a habit applies to the case, and whether it was checked. */
void result_note_habit(struct case_result *r, enum habit habit, bool checked);

/* Notes a failure, unless one is noted already.  Returns false. */
bool result_fail(struct case_result *r, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
