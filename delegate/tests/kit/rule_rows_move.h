/* Rows of the rules of ops that move elements, or choose among them. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_RULE_ROWS_MOVE_H
#define ASSAY_DELEGATE_TESTS_KIT_RULE_ROWS_MOVE_H

#include "delegate/tests/kit/rule_rows.h"

extern const struct rule_table rule_rows_move;

#endif
