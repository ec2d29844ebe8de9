/* Between the files that make findings. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_CLUSTER_IMPL_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_CLUSTER_IMPL_H

#include "conformance/report/record/explain.h"
#include "conformance/report/record/finding.h"
#include "conformance/report/record/pattern.h"

/* Reports may have any number of kinds: parts of them are looked for so often, so many findings are
 * held against each other, and so many of their cases.  Patterns are looked for in so many findings
 * of an op or title, and in so many reasons of a subject, among so many cases at most; so many
 * names of ops are listed. */
enum {
    PATTERNS_PER_HOME = 16,
    PATTERN_CASES = 4000,
    COVERS_PER_HOME = 4,
    COVERS_ALL = 512,
    MERGED_MAX = 1000,
    ROWS_MAX = 1000,
    ALIKE_MAX = 256,
    WORDS_MAX = 256
};

/* In the order in which they are sorted. */
enum outcome { WRONG_VALUES, PASSED, HAS_REASON };

struct entry {
    const char *op, *title, *what;
    bool is_graph, fails_mostly; /* the latter: its home */
    bool one_step;               /* integers are off by one step at most */
    size_t subject, result;
    size_t home; /* once sorted: index of its home */
    enum case_status status;
    enum outcome outcome;
};

/* The cases of an op or title that a subject passes, as entries. */
struct home {
    const struct entry *passed;
    size_t count, bad; /* bad: those that fail */
    size_t visited;    /* the last visit of all homes of a finding that came here */
};

/* A graph, and one of the results whose finding it goes to: that is known when all are made. */
struct explained {
    size_t graph, by;
};

struct clusters {
    const struct record *record;
    struct arena *arena;
    struct diag *diag;
    struct entry *entries;
    size_t entry_count;
    struct entry *reasons; /* those of entries with HAS_REASON */
    size_t reason_count;
    struct home *homes;
    size_t home_count;
    size_t visits;
    int covers; /* looked for until now */
    struct finding *findings;
    size_t count;
    struct explain *explain;       /* NULL: the record has no anatomy */
    size_t *of;                    /* of each result: the index of its finding */
    const struct entry **entry_of; /* of each result */
    struct entry *rest;            /* wrong values that no pattern sets apart yet */
    size_t rest_count;
    struct entry *steps; /* of them those that are off by one step */
    size_t step_count;
    struct explained *explained;
    size_t explained_count;
};

/* ---- cluster_add.c ---- */

int cluster_compare_text(const char *a, const char *b);
/* By subject, then title, then op. */
int cluster_compare_op(const struct entry *a, const struct entry *b);
/* By status, then reason. */
int cluster_compare_kind(const struct entry *a, const struct entry *b);
/* Makes a finding of entries, behind the others. */
enum status cluster_add(struct clusters *c, const struct entry *e, size_t count);
/* The facts of failing entries, and behind them of the passing cases of their homes. */
enum status cluster_gather(struct clusters *c, const struct entry *e, size_t count,
                           struct facts *facts, size_t *failing, struct arena *scratch);
enum status cluster_set_pattern(struct clusters *c, struct finding *f, const struct pattern *p);
/* e holds the failing entries of f. */
enum status cluster_find_pattern(struct clusters *c, struct finding *f, const struct entry *e);

/* ---- one_cause.c ---- */

/* The family of the first of some ops, as reference/ops.def has it; NULL: none is known. */
const char *cluster_stem(const char *ops);
/* Makes one finding of those that are of one cause in several ops. */
enum status cluster_merge(struct clusters *c);

#endif
