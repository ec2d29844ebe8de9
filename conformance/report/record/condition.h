/* Conditions on one fact, of which patterns are made. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_CONDITION_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_CONDITION_H

#include "conformance/report/record/anatomy.h"
#include "conformance/report/record/facts.h"

#include <stdbool.h>

enum relation { IS, IS_NOT, AT_LEAST, AT_MOST, DIVIDES, DIVIDES_NOT, HAS, LACKS };

struct condition {
    enum relation relation;
    size_t fact;
    double value;
    int cost; /* of two that explain as much, the cheaper is shown */
};

/* Of a row of facts. */
bool condition_holds(const struct condition *c, const double *row);
/* A condition by the name of its fact, of other rows than those of one search. */
struct claim {
    struct fact fact;
    enum relation relation;
    double value;
};
enum { CLAIMS_MAX = 3 };

struct claim condition_claim(const struct condition *c, const struct facts *facts);
/* Whether a node, of a case of this type, has all of them; false where one is about more than a
 * node tells, and of none. */
bool claims_hold(const struct claim *claims, size_t count, const struct anatomy_node *node,
                 const char *type);
/* "channels % 4 != 0". */
void condition_print(const struct condition *c, const struct facts *facts, char *text,
                     size_t bytes);
/* The logarithm of C(n, k). */
double condition_log_choose(double n, double k);

#endif
