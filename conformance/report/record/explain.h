/* Failures of graphs that one of their ops explains alone.
 *
 * A graph is a case of the gap suite or a random graph.  A node of it is held against the cases of
 * its op in the type of the graph: where at least a quarter of those fail whose classes (anatomy.h)
 * are the nearest to the node's, and near, the op does so alone, too.  Cases that are off by one
 * step tell of graphs that are, and of no others. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_EXPLAIN_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_EXPLAIN_H

#include "conformance/report/record/anatomy.h"

struct explain;

/* Whether a case of the record is a graph: one that is about no node alone is, too. */
bool explain_is_graph(const struct record *r, size_t test_case);

/* Whether a result may be about the node: the one that it tells, or any where it tells none, as
 * reports of before do. */
bool explain_may_be(const struct record_result *r, size_t node);

/* Whether integers are off by one step at most. */
bool explain_is_one_step(const struct record_result *r);

/* Of a record with an anatomy.  The object is in `arena`; explain_close takes NULL, too. */
enum status explain_open(struct explain **e, const struct record *r, struct arena *arena,
                         struct diag *diag);
void explain_close(struct explain *e);
/* The result of an op alone, with wrong values, that a failing graph is like; SIZE_MAX: there is
 * none. */
size_t explain_result(const struct explain *e, size_t graph);

#endif
