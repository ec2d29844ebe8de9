/* Nodes that the reference does not know, run by another runtime: `--host=litert:cpu`.
 *
 * Each such node is cut out of its model and runs in a process of its own (trial.h), which tells
 * the shapes of its outputs, too: from zeros, when the shapes of its inputs are new.  Processes are
 * started as nodes need them, and by whoever runs the model: a process that was forked starts its
 * own. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_NODE_HOST_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_NODE_HOST_H

#include "conformance/suite/subject/subject.h"
#include "reference/base/diag.h"
#include "reference/runtime/interpreter.h"

#include <stddef.h>
#include <sys/types.h>

struct node_slot;

struct node_host {
    struct interpreter_stand_in stand_in; /* for interpreter_options; points to this struct */
    struct subject subject;
    double timeout_s; /* of one run of a node */
    pid_t pid;        /* whose slots they are */
    struct node_slot *slots;
    size_t count;
};

/* spec: as --subject takes it; STATUS_USAGE for one that is no runtime of its own.  Loads nothing.
 */
enum status node_host_open(struct node_host *h, const char *spec, double timeout_s,
                           struct diag *diag);
void node_host_close(struct node_host *h);

#endif
