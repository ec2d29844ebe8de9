/* Random graphs: DAGs of 3 to 30 ops, whose cases are named graph.type.s<seed>_<index>.
 *
 * A graph is a list of items, each an input of the graph, a constant, or a node over earlier items.
 * It has no shapes but those of inputs and constants: the others follow when it is built, so that
 * an item can be changed and the rest adapts, or does not fit any more (shrink_graph.h).  The same
 * seed and index give the same graph on every machine. */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_RANDOM_GRAPH_H
#define ASSAY_CONFORMANCE_SUITE_CASES_RANDOM_GRAPH_H

#include "conformance/suite/cases/random_node.h"

enum { RANDOM_NODES_MIN = 3, RANDOM_NODES_MAX = 30, RANDOM_ITEMS_MAX = 64 };

enum random_item_kind { RANDOM_INPUT, RANDOM_CONSTANT, RANDOM_NODE };

struct random_item {
    enum random_item_kind kind;
    struct shape shape; /* of an input or a constant */
    uint16_t number;    /* of its random streams: it keeps its data when others are dropped */
    /* Of a node. */
    const struct suite_member *member;
    uint8_t operands[RANDOM_OPERANDS_MAX]; /* items before this one */
    uint8_t operand_count;
    uint32_t choice[RANDOM_CHOICES];
    bool output; /* of the graph */
};

struct random_graph {
    struct random_item items[RANDOM_ITEMS_MAX];
    size_t count;
};

/* The row of one graph. */
struct random_row {
    struct op_case base;
    char name[32];
    uint64_t seed;
    uint32_t index;
    const struct random_graph *graph; /* that is used instead of the one drawn; NULL: none */
};

/* Works out the tensor of each item without building a model: false where an item does not fit its
 * operands, or the graph has no output. */
bool random_graph_check(const struct test_case *c, const struct random_graph *graph,
                        struct random_operand results[RANDOM_ITEMS_MAX]);
/* Drops the items that no output needs.  False when nothing is left. */
bool random_graph_prune(struct random_graph *graph);

/* A builder that has failed before: the functions of graph_builder.h give shapes, and add nothing.
 */
struct random_dry_run {
    struct case_request request;
    struct case_instance instance; /* stays empty */
    struct case_builder m;
};
void random_dry_init(struct random_dry_run *d, const struct test_case *c);

/* Whether nodes of the member read tensors of this kind. */
bool random_can_take(const struct suite_member *member, enum random_kind kind);
/* Adds item i; false when it does not fit. */
bool random_add_item(struct case_builder *m, const struct random_graph *graph, size_t i,
                     struct random_shared *shared, struct random_operand *results);

/* ---- random_draw.c ---- */

/* Draws random graphs.
 *
 * A seed and an index have the same graph in each release.  Later ops change no draw: a graph has
 * up to three of them behind the nodes that were drawn before them, if the fourth bit of its index
 * is set (8 to 15, 24 to 31, ...), which comes from a random stream of its own.  Ops that are added
 * after these get another bit and another stream. */

/* Draws the graph of a case. */
void random_graph_draw(const struct test_case *c, struct random_graph *graph);

/* ---- random_later.c ---- */

/* Nodes that random graphs draw behind those of earlier releases (random_draw.c): shape arithmetic
 * and tables that follow from it, indices of i64, custom ops, and nodes of the host between. */

/* What members of a suite are, without rows. */
extern const struct suite_member random_later[];
extern const size_t random_later_count;

/* ---- random_cases.c: the cases of random graphs ---- */

/* Makes the cases of graphs [0, count) of a seed.  The caller frees both with mem_free; cases point
 * to rows. */
enum status random_cases(uint64_t seed, size_t count, struct test_case **cases,
                         struct random_row **rows, struct diag *diag);
/* Adds these cases to a list of others.  *rows, which live as long as the cases, may be NULL. */
enum status random_cases_append(uint64_t seed, size_t graphs, struct test_case **cases,
                                size_t *count, struct random_row **rows, struct diag *diag);
/* Whether the case is a random graph; then its row is a struct random_row. */
bool random_is_graph(const struct test_case *c);
/* Which graph of its seed it is. */
uint32_t random_index(const struct test_case *c);

#endif
