/* For tests of the interpreter as host of a delegate: a small graph, a mock delegate applied to it,
 * and comparison with a run without a delegate.  Functions fail the test where something is not as
 * expected. */
#ifndef ASSAY_REFERENCE_TESTS_KIT_HOST_KIT_H
#define ASSAY_REFERENCE_TESTS_KIT_HOST_KIT_H

#include "reference/tests/kit/mock_delegate.h"

/* The reports of interpreters with host_options, one line each; host_open empties it. */
extern char host_messages[4096];
extern const struct interpreter_options host_options;

/* An interpreter for *m with host_options. */
struct interpreter *host_open(const struct model *m);
/* Makes *m a chain of RELU, ADD(x, x), RELU, ADD, RELU over [1, 6]; tensor i is the input of node
 * i, and outputs are the last tensor or all that nodes write. */
void host_chain(struct model *m, bool all);
/* Makes *m a chain, sets up *mock and gives an interpreter, to which the mock is not yet applied.
 */
struct interpreter *host_begin(struct model *m, struct mock *mock, bool all);
/* Closes all three; the mock asserts that everything was freed. */
void host_end(struct interpreter *in, struct mock *mock, struct model *m);

/* Applies the mock, which has to succeed. */
void host_apply(struct interpreter *in, struct mock *m);
/* Applies the delegate, which has to fail with this status and a message that contains text. */
void host_expect_refused(struct interpreter *in, TfLiteDelegate *delegate, TfLiteStatus want,
                         const char *text);
/* Outputs have the same bytes as those of *m without a delegate on the same inputs. */
void host_expect_reference_result(const struct model *m, struct interpreter *in);
/* Allocates, fills inputs from the seed, invokes, and compares as above. */
void host_run_and_compare(const struct model *m, struct interpreter *in, uint64_t seed);

#endif
