/* Times ops one by one, at the sizes that they have in models of applications, against the bytes
 * that they move and their multiply-adds at the limits of the device (bench_roofline.h): an op that
 * takes many times as long is a cliff.
 *
 * What a dispatch, a transfer or a call costs must not make small ops cliffs.  A delegate that
 * tells the device time of its steps (assay_gpu_get_step) is asked for that of the op's own steps,
 * and for the limits.  Of others the same host times two chains: links of an ADD, the op and a
 * SLICE of one element, which the next ADD takes, and links without the op.  The difference of
 * their medians has neither transfers nor calls; a SOFTMAX of four elements is the floor, a
 * MAX_POOL_2D and a 1x1 CONV_2D are the limits. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_OPS_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_OPS_H

#include "conformance/tools/bench/bench_request.h"
#include "conformance/tools/bench/bench_result.h"
#include "conformance/tools/bench/bench_roofline.h"

#include <jansson.h>
#include <stdio.h>

/* A row is over from so many times its limit on. */
enum { OPS_OVER = 10, OPS_NAME_BYTES = 96 };

struct ops_row {
    int nodes;    /* of the models */
    double terms; /* multiply-adds of an element of the result */
    const char *type, *op, *dims, *rest, *result;
};

struct ops_time {
    const struct ops_row *row;
    char name[OPS_NAME_BYTES]; /* "mean.f32.1x384x384x3" */
    char why[256];             /* not measured; empty: it was */
    struct bench_step step;    /* its time, bytes and operations */
    struct roofline_limit limit;
    double times; /* its limit */
};

struct ops_report {
    char subject[BENCH_LABEL_BYTES], device[256];
    bool profiled; /* by the delegate's own steps; else by chains */
    struct assay_gpu_peaks peaks;
    struct ops_time *times;
    size_t count;
};

/* filter: a glob of names; empty: all.  STATUS_USAGE where none matches. */
enum status bench_ops(struct ops_report *r, const struct bench_request *q, const char *filter,
                      struct diag *diag);
void bench_ops_close(struct ops_report *r);

void bench_ops_print_text(FILE *f, const struct ops_report *r);
json_t *bench_ops_json(const struct ops_report *r);

/* The model of a row, as text. */
void bench_ops_text(const struct ops_row *row, char *text, size_t bytes);

#endif
