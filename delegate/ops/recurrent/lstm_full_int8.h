/* The full LSTM kernel in integers: i8, with i16 cells.  Meaning: reference/kernels/lstm_int8.c */
#ifndef ASSAY_DELEGATE_OPS_RECURRENT_LSTM_FULL_INT8_H
#define ASSAY_DELEGATE_OPS_RECURRENT_LSTM_FULL_INT8_H

#include "delegate/accept/refusal.h"
#include "delegate/plan/planner.h"

bool lstm_full_int8_accept(struct check *c);
enum status lstm_full_int8_plan(struct planner *p, const struct graph_node *n);

#endif
