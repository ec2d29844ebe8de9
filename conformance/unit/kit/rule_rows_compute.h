/* Rows of the rules of ops that compute. */
#ifndef ASSAY_CONFORMANCE_UNIT_KIT_RULE_ROWS_COMPUTE_H
#define ASSAY_CONFORMANCE_UNIT_KIT_RULE_ROWS_COMPUTE_H

#include "conformance/unit/kit/rule_rows.h"

extern const struct rule_table rule_rows_compute;

#endif
