/* A result as one JSON object that gives every field back, to the last bit: for logs of runs, which
 * only this program reads.  Reports for others are made elsewhere (conformance/report/record). */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_RESULT_JSON_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_RESULT_JSON_H

#include "conformance/suite/judge/result.h"

#include <jansson.h>

/* NULL: out of memory. */
json_t *result_to_json(const struct case_result *r);
/* STATUS_INVALID with the field that is missing, or holds something else than expected. */
enum status result_from_json(const json_t *o, struct case_result *r, struct diag *diag);

#endif
