/* Random values of a graph's inputs: integers that select rows of a table stay inside of it, those
 * of a mask are 0 and 1. */
#ifndef ASSAY_CONFORMANCE_SUITE_IO_RANDOM_IDS_H
#define ASSAY_CONFORMANCE_SUITE_IO_RANDOM_IDS_H

#include "reference/base/diag.h"
#include "reference/runtime/interpreter.h"

#include <stddef.h>
#include <stdint.h>

/* How many values, from 0 on, an input of the graph may have where nodes select by it: through ops
 * that only move or convert it, GATHER, GATHER_ND, EMBEDDING_LOOKUP and SCATTER_ND; in the shapes
 * that the graph has now.  2 of a tensor whose name says mask, as attention_mask, which exporters
 * multiply with -10000 or more.  0: no such node is known. */
int64_t random_ids_limit(struct interpreter *in, int tensor);

/* Fills input number `index`, a tensor of the graph, as tensor_fill does, but with any of the ids
 * that the graph allows where it selects by them. */
enum status random_fill(struct interpreter *in, int tensor, uint64_t seed, size_t index,
                        struct diag *diag);

/* After an inference that failed (s), where random integers from input `first` on may be the cause:
 * adds their names, and how to give other ones.  Returns s. */
enum status random_explain(struct interpreter *in, size_t first, const char *remedy, enum status s,
                           struct diag *diag);

#endif
