/* The loop that makes a failure smaller. */
#include "conformance/suite/shrink/shrink.h"

#include "conformance/util/interrupt.h"

#include <ctype.h>
#include <string.h>

/* Judges the current form `times` times; false when it once did not fail the same way. */
static bool fails_each_time(const struct shrink_problem *p, int times,
                            struct shrink_outcome *outcome)
{
    for (int i = 0; i < times; i++) {
        outcome->steps++;
        if (!p->judge(p->user))
            return false;
    }
    return true;
}

/* Tries the reductions in a ring.  One that is accepted is tried again at once, as half of a
 * dimension can be halved again; the ring ends when each was tried since the last success. */
static void reduce(const struct shrink_problem *p, size_t step_limit,
                   struct shrink_outcome *outcome)
{
    const size_t first_steps = outcome->steps;
    size_t next = 0, since = 0;
    size_t count = 0; /* of reductions of the current form; 0: not yet known */

    while (!outcome->limited && (count == 0 || since < count)) {
        const enum shrink_answer answer = p->try(p->user, next);

        if (answer == SHRINK_END) {
            if (next == 0)
                return;
            count = next;
            next = 0;
            continue;
        }
        if (answer == SHRINK_FAILS_ALIKE) {
            p->accept(p->user);
            outcome->accepted++;
            count = since = 0;
        } else {
            next++;
            since++;
        }
        outcome->steps += answer != SHRINK_SKIP;
        outcome->limited = outcome->steps - first_steps >= step_limit || interrupt_signal();
    }
}

void shrink_run(const struct shrink_problem *problem, size_t step_limit,
                struct shrink_outcome *outcome)
{
    *outcome = (struct shrink_outcome){ .steps = 0 };
    if (!fails_each_time(problem, SHRINK_REPEATS, outcome)) {
        outcome->limited = interrupt_signal();
        outcome->flaky = !outcome->limited;
        return;
    }
    reduce(problem, step_limit, outcome);
    if (outcome->accepted > 0 && !interrupt_signal())
        outcome->flaky_end = !fails_each_time(problem, 1, outcome) && !interrupt_signal();
}

/* The next character of a reason that counts; 0 at the end of the part that does.  A process that
 * died is said to have been "in S0" where its parent knows the data set. */
static char next_char(const char **at, const char *end)
{
    if (strncmp(*at, " in S", 5) == 0 && isdigit((unsigned char)(*at)[5]))
        *at += 6;
    while (isdigit((unsigned char)**at))
        ++*at;
    if (**at == '(' || **at == end[0] || **at == '\0')
        return '\0';
    return *(*at)++;
}

/* Reasons that say that values are wrong, which of them depends on the values themselves: a limit
 * is 0 where a magnitude is. */
static bool has_wrong_values(const struct case_result *r)
{
    static const char *const reasons[] = { "over the limit",
                                           "not equal",
                                           "not the integer",
                                           "more than a step",
                                           "the row does not sum",
                                           "every element is within its limit",
                                           "SNR " };

    for (size_t i = 0; r->status == CASE_FAIL && i < sizeof reasons / sizeof reasons[0]; i++) {
        if (strncmp(r->reason, reasons[i], strlen(reasons[i])) == 0)
            return true;
    }
    return false;
}

bool result_fails_alike(const struct case_result *a, const struct case_result *b)
{
    const bool died = a->status == CASE_CRASH || a->status == CASE_TIMEOUT;
    const char *const end = died ? ";" : ""; /* the last words stand behind it */
    const char *x = a->reason, *y = b->reason;
    char c;

    if (a->status != b->status || a->status == CASE_PASS || a->status == CASE_DECLINED)
        return false;
    if (has_wrong_values(a) && has_wrong_values(b))
        return true;
    while ((c = next_char(&x, end)) == next_char(&y, end)) {
        if (c == '\0')
            return true;
    }
    return false;
}
