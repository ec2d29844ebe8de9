/* What a wrong output looks like as a whole: often that says what went wrong. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_LOOKS_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_LOOKS_H

#include "reference/runtime/interpreter.h"

#include <stddef.h>

struct looks_request {
    struct interpreter *in; /* the reference; its node has been evaluated */
    int node, output;       /* of the node */
    const void *got;
    const void *before; /* the device's answer in frame A; NULL: this is frame A */
    const double *want; /* in steps of a quantized output */
    size_t count;       /* elements */
};

/* "zero", "frame A's answer", "the input", "the bias alone", "shifted by one place"; NULL: like
 * nothing that is known. */
const char *looks_like(const struct looks_request *q);

#endif
