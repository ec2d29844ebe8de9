/* Graphs that fail each rule, and those at its boundary, as edits of the world in world.h. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_RULE_ROWS_H
#define ASSAY_DELEGATE_TESTS_KIT_RULE_ROWS_H

#include "delegate/tests/kit/world.h"

enum { FAILS, BOUNDARY, KINDS };

struct rule_row {
    enum rule rule;
    int node;
    int kind;
    struct edit edits[12];
    /* At the boundary the node is taken, or refused by another rule, whose number plus one this is.
     */
    int other;
};

struct rule_table {
    const char *name;
    const struct rule_row *rows;
    size_t count;
};

enum { RULE_TABLES = 3 };
extern const struct rule_table *const rule_tables[RULE_TABLES];

#endif
