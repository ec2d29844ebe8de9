/* The report of `assay bench`: text, JSON, CSV. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_PRINT_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_PRINT_H

#include "conformance/tools/bench/bench_compare.h"
#include "conformance/tools/bench/bench_request.h"
#include "conformance/tools/bench/bench_result.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct bench_report {
    const struct bench_request *request;
    const struct bench_result *result;
    const struct bench_comparison *comparison; /* NULL: none */
    double versus_limit;                       /* of result->versus; negative: none was given */
};

/* The verdict that text, JSON and exit code tell: how the process ended that measured, what is
 * slower or larger than it may be, or a signal; CASE_PASS with no reason. */
enum case_status bench_report_judge(const struct bench_report *b, char *reason, size_t bytes);

void bench_print_text(FILE *f, const struct bench_report *b);
void bench_print_json(FILE *f, const struct bench_report *b);
/* Lines key,value: the keys of JSON, joined by dots, items of lists by their index. */
void bench_print_csv(FILE *f, const struct bench_report *b);
void bench_print_leaves(FILE *f, const json_t *report);
/* Lines of the profile: the steps, one a line. */
void bench_print_steps_csv(FILE *f, const struct bench_result *r);

json_t *bench_json(const struct bench_report *b);

#endif
