/* Judges one case on one subject.
 *
 * For each data set: the model is built, written, verified and read; the delegate runs it in the
 * reference interpreter, with poisoned outputs and guard zones, on the frames A, B and A.  A must
 * give the same bits twice, inputs and constants must stay as they were, and both frames must keep
 * the bounds of TOLERANCES.md.  With our own delegate (it exports assay_gpu_*) set S0 is run
 * again with its options poison=nan, inf and junk: the bits must not change.
 * Last, the case is repeated as the options ask (repeat.h). */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_JUDGE_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_JUDGE_H

#include "conformance/suite/judge/judge_options.h"
#include "conformance/suite/judge/result.h"
#include "conformance/suite/subject/subject.h"

struct judge;

/* Loads the subject and creates its delegate; both live until judge_close, so that pipelines are
 * shared by cases.  The subject is borrowed. */
enum status judge_open(struct judge **out, struct subject *subject,
                       const struct judge_options *options, struct diag *diag);
void judge_close(struct judge *j);

/* Judges a case; failures of any kind are part of *result. */
void judge_case(struct judge *j, const struct test_case *c, struct case_result *result);
/* Judges one instance, which may have been changed since the suite built it, as data of the case
 * and set; c gives the name of the judged op. */
void judge_instance(struct judge *j, const struct test_case *c, enum data_set set,
                    const struct case_instance *x, struct case_result *result);

/* The device that the subject's delegate runs on; empty strings where the library lacks
 * assay_gpu_get_stats. */
struct judge_device {
    char name[ASSAY_GPU_NAME_BYTES], driver[ASSAY_GPU_NAME_BYTES], api[32];
};
void judge_device(const struct judge *j, struct judge_device *device);

#endif
