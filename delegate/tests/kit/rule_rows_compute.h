/* Rows of the rules of ops that compute. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_RULE_ROWS_COMPUTE_H
#define ASSAY_DELEGATE_TESTS_KIT_RULE_ROWS_COMPUTE_H

#include "delegate/tests/kit/rule_rows.h"

extern const struct rule_table rule_rows_compute;

#endif
