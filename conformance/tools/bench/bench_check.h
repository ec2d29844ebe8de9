/* Whether what is timed is right: outputs beside those of the reference, once, on the same inputs.
 */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_CHECK_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_CHECK_H

#include "conformance/suite/subject/outputs.h"
#include "conformance/tools/bench/bench_result.h"
#include "conformance/tools/bench/bench_session.h"

/* The reference, which runs when it is first needed. */
struct bench_check {
    const struct bench_request *request;
    struct session reference;
    bool opened, known; /* it was tried; it has run */
    char why[200];      /* why not */
    struct diag diag;
};

void bench_check_init(struct bench_check *c, const struct bench_request *q);
void bench_check_close(struct bench_check *c);

/* What the last inference of a session gave; of a model with state, what one more gives from reset
 * variables. */
enum status bench_take_outputs(struct bench_session *t, struct outputs *got, struct diag *diag);

/* Who gave the outputs. */
struct bench_author {
    bool is_reference; /* there is nobody to compare it with */
    enum bounds bounds, quantized;
};
struct bench_author bench_author_of(const struct bench_session *t);

/* Holds outputs to the screens of TOLERANCES.md 10.  What cannot be compared is no failure: it is
 * BENCH_NOT_CHECKED, with the reason. */
void bench_check_outputs(struct bench_check *c, const struct bench_author *by, struct outputs *got,
                         struct bench_checked *result);

#endif
