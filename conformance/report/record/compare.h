/* Two reports side by side: what got worse, what got better, and what moved.
 *
 * OLD is the report that was, NEW the one that is judged.  Subjects belong together when they are
 * of one kind, one file name and the same options; a case is compared on such a pair of subjects,
 * by its name. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_COMPARE_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_COMPARE_H

#include "conformance/report/record/record.h"

/* X(name, key, title, bad): what became of a case that both reports have.  `bad` ones make the
 * comparison fail. */
#define COMPARE_KIND_LIST(X)                                                                       \
    X(NEW_FAILURE, "new_failure", "new failures", true)  /* did not fail; now it does */           \
    X(WORSE, "worse", "fail in a worse way", true)       /* failed; now it crashes or hangs */     \
    X(LOST, "lost_support", "lost support", true)        /* passed; now it is declined */          \
    X(FIXED, "fixed", "fixed", false)                    /* failed, or was waived; passes */       \
    X(GAINED, "gained_support", "gained support", false) /* was declined; passes */                \
    X(OTHER, "other", "changed in another way", false)   /* such as: failed; now it is waived */

enum compare_kind {
#define X(name, key, title, bad) COMPARE_##name,
    COMPARE_KIND_LIST(X)
#undef X
        COMPARE_KIND_COUNT
};
const char *compare_kind_key(enum compare_kind k);   /* "new_failure" */
const char *compare_kind_title(enum compare_kind k); /* "new failures" */
bool compare_kind_is_bad(enum compare_kind k);

/* Growths are shares: 0.05 is 5 %.  INFINITY: never fails. */
struct compare_limits {
    double margin_growth, margin_floor; /* floor: a smaller step of the margin is no growth */
    double slowdown;                    /* of an op in a type, apart from the whole run's factor */
    double run_slowdown;                /* of all cases of a subject together */
    double memory_growth;
    uint64_t memory_floor;                                       /* in bytes */
    bool no_margins, no_times, no_memory, no_support, no_models; /* are not looked at */
    bool same_cases;                                             /* cases that are gone fail */
};
/* 10 %, 0.05; 5 %, infinity; 2 %, 4096 bytes; all are looked at. */
struct compare_limits compare_limits_default(void);

/* A result of each report: indices; SIZE_MAX in the report that does not have it. */
struct compare_change {
    enum compare_kind kind;
    size_t pair, was, is;
};

/* A case that one report has on a subject, and the other does not: `was` or `is` is SIZE_MAX. */
struct compare_single {
    size_t pair, was, is;
    bool not_reached; /* NEW was cut before it */
};

/* A figure that moved: a margin, or bytes. */
struct compare_growth {
    size_t pair, was, is; /* results */
    double from, to;
    bool fails; /* beyond the limit */
};

/* A subject of OLD with its counterpart in NEW. */
struct compare_pair {
    size_t old_subject, new_subject;
    size_t common; /* cases in both */
    size_t gone, added;
    size_t from_to[CASE_STATUS_COUNT][CASE_STATUS_COUNT]; /* [status in OLD][status in NEW] */
    bool bounds_differ;                                   /* so margins are not compared */
    /* Times. */
    size_t timed;       /* cases with a time in both */
    double time_factor; /* NEW over OLD of the whole run: the median; NaN: no times */
    double time_noise;  /* how far lines of one build scatter round it: the scale of the logarithm,
                           estimated from all lines; NaN: too few lines */
    bool slower;        /* time_factor is beyond run_slowdown */
};

/* An op in a type, or a title of the gap suite, on a pair. */
struct compare_line {
    const char *op, *type, *title; /* as in struct record_line */
    size_t pair, common;
    size_t margins_grown;         /* beyond the limit */
    double margin_was, margin_is; /* the largest; NaN: none */
    size_t memory_grown;
    uint64_t bytes_was, bytes_is; /* sums */
    size_t timed;
    double ms_was, ms_is; /* sums */
    double factor;        /* NEW over OLD, the whole run's factor taken out; NaN: too few cases */
    double p;            /* that chance alone makes it so slow (or fast), corrected; NaN: too few */
    bool slower, faster; /* beyond the limit and beyond noise */
};

/* Whole models: indices into `models`. */
struct compare_model {
    enum compare_kind kind;
    size_t was, is;
};

struct record_comparison {
    struct arena arena;
    const struct record *was, *is;
    struct compare_limits limits;
    struct compare_pair *pairs;
    size_t pair_count;
    const size_t *old_only, *new_only; /* subjects without a counterpart */
    size_t old_only_count, new_only_count;
    struct compare_change *changes; /* by kind, then in the order of NEW */
    size_t change_count, kind_count[COMPARE_KIND_COUNT];
    struct compare_single *singles; /* those that are gone first */
    size_t single_count;
    struct compare_growth *margins, *memory; /* grown or shrunk, the largest growth first */
    size_t margin_count, memory_count;
    struct compare_line *lines; /* by pair, in the order of NEW */
    size_t line_count;
    struct compare_model *models; /* whose status changed */
    size_t model_count;
    const char **notes; /* sentences: what makes the two less comparable than they look */
    size_t note_count;
    const char **failures; /* why the comparison fails, in words; none: it does not */
    size_t failure_count;
};

/* ---- compare_lines.c: margins, memory and times, by op and type ---- */

/* Fills the margins, the memory, the lines, and the times of the pairs, which are paired before. */
enum status compare_lines_fill(struct record_comparison *c, struct diag *diag);

/* ---- compare_reports.c: compares two reports ---- */

/* What became of a case whose status changed. */
enum compare_kind compare_kind_of(enum case_status was, enum case_status is);

/* A subject of OLD and one of NEW that are compared though their names differ. */
struct compare_couple {
    size_t old_subject, new_subject;
};

/* Fills c, which keeps pointers to both records.  STATUS_USAGE, with the reason, when the reports
 * cannot be compared: other seeds, no subject in common, no case in common. */
enum status compare_records(struct record_comparison *c, const struct record *was,
                            const struct record *is, const struct compare_limits *limits,
                            const struct compare_couple *couples, size_t couple_count,
                            struct diag *diag);
void compare_close(struct record_comparison *c);

#endif
