/* The judge's state: one subject, and the delegates that it made. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_JUDGE_IMPL_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_JUDGE_IMPL_H

#include "conformance/suite/judge/judge_options.h"
#include "conformance/suite/subject/subject.h"

#include <stdbool.h>

/* Delegate objects, made when they are needed: one for the comparison, one more with the same
 * options, and of our delegate one for each poison, one with other options, and one for each other
 * way to wait. */
enum {
    DELEGATE_PLAIN,
    DELEGATE_POISON_FIRST,
    DELEGATE_POISON_END = 4,
    DELEGATE_SECOND = DELEGATE_POISON_END,
    DELEGATE_OTHER,
    DELEGATE_WAIT_FIRST,
    DELEGATE_COUNT = DELEGATE_WAIT_FIRST + 3
};

struct judge {
    struct subject *subject;
    struct judge_options options;
    /* The instances are not the case's own: files lie in this directory below that of the case, and
     * their command runs the model alone.  NULL: they are. */
    const char *repro_below;
    TfLiteDelegate *delegates[DELEGATE_COUNT];
    /* Of subjects at the end of a line: nothing is asked before its turn.  What would have come
     * first in this process then comes first here, too. */
    bool one_by_one;
    bool ahead; /* the last case has passed, and so may this one: its sets are begun at once */
    bool ours;  /* it exports assay_gpu_*, so it takes poison and names refusals */
    char report[256]; /* the last message that the interpreter's error reporter got */
};

#endif
