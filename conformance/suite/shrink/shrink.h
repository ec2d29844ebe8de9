/* Makes what fails smaller, as long as it fails the same way.
 *
 * The loop knows neither models nor subjects.  A caller has a current form, a list of reductions of
 * it, counted from 0, and a way to judge one:
 *
 *     static enum shrink_answer try(void *user, size_t reduction);   judges one reduction
 *     static void accept(void *user);                                it is the current form now
 *     static bool judge(void *user);                                 the current form once more
 *
 * A reduction that fails the same way (result_fails_alike) becomes the current form.  The loop ends
 * when no reduction of the current form does, or at the step limit. */
#ifndef ASSAY_CONFORMANCE_SUITE_SHRINK_SHRINK_H
#define ASSAY_CONFORMANCE_SUITE_SHRINK_SHRINK_H

#include "conformance/suite/judge/result.h"

#include <stdbool.h>
#include <stddef.h>

enum shrink_answer {
    SHRINK_END,  /* the current form has no reduction of this number, nor of a larger one */
    SHRINK_SKIP, /* the reduction does not apply here, or is not valid: nothing was judged */
    SHRINK_FAILS_ALIKE,
    SHRINK_OTHER /* it passes, or fails in another way */
};

struct shrink_problem {
    enum shrink_answer (*try)(void *user, size_t reduction);
    /* Makes the reduction that was tried last the current form. */
    void (*accept)(void *user);
    /* Whether the current form, judged again, fails the same way. */
    bool (*judge)(void *user);
    void *user;
};

struct shrink_outcome {
    size_t steps;    /* forms that were judged */
    size_t accepted; /* reductions that were made */
    bool limited;    /* it ended at the step limit, or by a signal: a smaller form may exist */
    /* The first form, judged again, did not fail the same way each time: nothing was reduced. */
    bool flaky;
    /* The last form did not fail the same way when judged once more. */
    bool flaky_end;
};

/* The first form is judged SHRINK_REPEATS times before anything is reduced. */
enum { SHRINK_REPEATS = 2 };

/* step_limit: the most forms that are judged between the first and the last one. */
void shrink_run(const struct shrink_problem *problem, size_t step_limit,
                struct shrink_outcome *outcome);

/* Whether two results are failures of one kind: the same status and the same reason, but for the
 * numbers in it, what stands in parentheses, and the last words of a process that died.  All
 * reasons that say that values are wrong are one kind. */
bool result_fails_alike(const struct case_result *a, const struct case_result *b);

#endif
