/* A batch of N gives what N batches of 1 give. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_BATCHES_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_BATCHES_H

#include "conformance/suite/judge/case_run.h"

/* Runs a case whose images the reference treats one by one as batches of 1, and fails it where the
 * results differ; of our delegate bit for bit, of others within the bounds.  A case without a batch
 * passes. */
bool batches_check(struct case_run *run);

#endif
