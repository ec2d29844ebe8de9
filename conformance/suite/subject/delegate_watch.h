/* Notes which nodes a delegate takes, where its host does not say, and can take some away from it.
 *
 * The C API of TensorFlow Lite has no question for it.  Between begin and end the delegate's
 * Prepare is ours: it calls the delegate's own with a context whose
 * ReplaceNodeSubsetsWithDelegateKernels notes the nodes and goes on to the host's. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_DELEGATE_WATCH_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_DELEGATE_WATCH_H

#include "tensorflow/lite/c/common.h"

#include <stdbool.h>
#include <stddef.h>

struct delegate_watch {
    TfLiteDelegate *delegate; /* borrowed; has a Prepare of its own */
    TfLiteStatus (*prepare)(TfLiteContext *context, TfLiteDelegate *delegate); /* of the delegate */
    int *nodes; /* taken at the last Prepare; delegate_watch_close frees them */
    size_t count;
    bool failed; /* out of memory: nodes is not complete */
    /* Nodes that are left out of what the delegate takes, as if it had declined them. */
    int declined_first, declined_count;
};

/* One watch at a time on a thread; the host prepares on the thread that called it. */
void delegate_watch_begin(struct delegate_watch *w);
void delegate_watch_end(struct delegate_watch *w);
void delegate_watch_close(struct delegate_watch *w);
bool delegate_watch_has(const struct delegate_watch *w, int node);

#endif
