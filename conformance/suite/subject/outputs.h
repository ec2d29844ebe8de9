/* What goes into an inference, and what comes out of it. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_OUTPUTS_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_OUTPUTS_H

#include "conformance/suite/cases/case.h"
#include "reference/kernels/op.h"
#include "reference/runtime/interpreter.h"

#include <stdbool.h>
#include <stddef.h>

/* A random graph shows the results of all of its nodes. */
enum { OUTPUTS_MAX = 128 };

/* The outputs of one inference, copied. */
struct outputs {
    size_t count;
    struct {
        int tensor; /* index in the model */
        TfLiteType type;
        int rank;
        int dims[REF_MAX_RANK];
        size_t bytes;
        void *data; /* mem_free */
    } items[OUTPUTS_MAX];
};

/* The position of the output that is this tensor of the model; -1: none is. */
int outputs_find(const struct outputs *o, int tensor);

/* One output as its runtime has it. */
struct output_view {
    int tensor;
    TfLiteType type;
    int rank;
    const int *dims;
    size_t bytes;
    const void *data;
};

/* Copies one more output.  On failure *o is empty: STATUS_UNSUPPORTED for more than OUTPUTS_MAX,
 * STATUS_MISMATCH for a rank over REF_MAX_RANK or an output without data. */
enum status outputs_add(struct outputs *o, const struct output_view *view, struct diag *diag);
/* Copies every output of the graph; as outputs_add. */
enum status outputs_copy(struct outputs *o, struct interpreter *in, struct diag *diag);
void outputs_close(struct outputs *o);
/* From one process to another (util/process.h).  false: the other end is closed, or what it sends
 * cannot be; then *o is empty. */
bool outputs_send(int socket, const struct outputs *o);
bool outputs_receive(int socket, struct outputs *o);
/* Finds the first byte that differs, of output *output, among the first `count`; false when all are
 * equal. */
bool outputs_differ(const struct outputs *a, const struct outputs *b, size_t count, int *output,
                    size_t *byte);

/* Writes the inputs of a frame (0: A, 1: B) into the graph's input tensors. */
enum status inputs_write(struct interpreter *in, const struct case_instance *instance, int frame,
                         struct diag *diag);

#endif
