/* A report as plain data: what a run found, on which subjects, and how it was run.
 *
 * A run makes one (conformance/report), a JSON file is read into one, and everything that is done
 * with reports works on it: the forms that people and other programs read
 * (conformance/report/forms), merging, comparing, accepting.  Nothing here needs the cases of this
 * program: a report of another version can be shown.  All strings and arrays live in the record's
 * arena; a string that a report does not have is NULL. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_RECORD_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_RECORD_H

#include "conformance/suite/judge/result.h"
#include "conformance/util/string_list.h"
#include "reference/base/arena.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct record_device {
    const char *name, *driver, *api; /* NULL: the subject does not say */
};

/* How the run was made. */
struct record_run {
    const char *version;          /* of Assay */
    const char *git;              /* "5faf3b7", "5faf3b7-dirty"; NULL: built from a tarball */
    const char *command;          /* as typed, quoted for a shell */
    const char *started;          /* RFC 3339, UTC */
    const char *host;             /* "Linux 6.1.0 x86_64, 2 processors" */
    double seconds;               /* of the run; of merged shards the sum */
    uint64_t seed, graphs, limit; /* limit 0: none */
    /* Of --quick: how many cases the list is a sample of; 0: it is none. */
    uint64_t quick_of;
    uint32_t shard, shards; /* shards 0 or 1: the whole list */
    /* Of a report that was merged while shards were missing: those it has, in order. */
    const uint32_t *merged;
    size_t merged_count;
    const char *const *filters;
    size_t filter_count;
    double timeout_s;
    uint64_t repeat; /* runs of each case; 0: it is judged alone */
    bool statistics; /* every case is listed with its runs, not only those with wrong ones */
    /* The list of cases before it was split into shards: how many names, and the SHA-256 of these
     * names in their order, a line feed behind each. */
    size_t list_count;
    const char *list_sha256;
    const char *interrupted; /* what ended the run early, "SIGINT"; NULL: it is complete */
};

struct record_option {
    const char *key, *value;
};

/* The status of subjects that the device cannot run, and of what a run was cut before. */
#define RECORD_NOT_RUN "not_run"

struct record_subject {
    const char *spec;   /* "delegate:/opt/libx.so?precision=fp16", as --subject takes it */
    const char *label;  /* "libx.so precision=fp16" */
    const char *path;   /* NULL: the scalar reference */
    const char *sha256; /* of the file at path */
    const char *bounds; /* "fp32,float_view" */
    /* What the device lacks for it, and why it has no result; NULL: it was run. */
    const char *not_run;
    const struct record_option *options;
    size_t option_count;
    struct record_device device;
};

/* A case, over all subjects. */
struct record_case {
    const char *name;  /* "conv_2d.f32.same_s2_c5" */
    const char *op;    /* "conv_2d" */
    const char *type;  /* "f32" */
    const char *title; /* of the gap suite; NULL for other cases */
    int32_t version;   /* of the operator */
    int nodes;         /* of a random graph; 0: another case */
    size_t index;      /* in the list before it was split into shards; SIZE_MAX: not known */
    /* Of its inputs: "f32 [1, 4, 4, 5]; i32 [2]"; NULL where no subject got as far. */
    const char *inputs;
    /* Of attributes and shapes, with a space between (judge/case_classes.h); NULL likewise, and of
     * random graphs. */
    const char *classes;
};

/* The result of a case on a subject. */
struct record_result {
    size_t subject, test_case; /* indices */
    enum case_status status;
    const char *reason; /* in one line, with the element that is wrong; NULL on a plain pass */
    const char *what;   /* the reason without the element: equal for failures of one kind */
    const char *rerun;  /* the command that runs this case alone; NULL on a plain pass */
    const char *waiver; /* cause, of the waiver that applied; NULL: none */
    bool required;      /* declined, but --require says that it must be taken */
    bool regression;    /* it passed in the baseline */
    /* NaN: is not finite, as JSON has no infinity, or was not measured. */
    double max_abs, max_ulp, margin, bias;
    const char *note;           /* of a margin above a half: why it may be */
    uint64_t integers, unequal; /* quantized elements; those that differ from the reference's */
    uint64_t not_judged;        /* elements without a limit */
    const char *design;         /* how a node of dynamic range computed; NULL: it is none */
    double ms;                  /* the fastest inference */
    uint64_t bytes;             /* of the device, or of the host's arena */
    int taken;                  /* nodes of a random graph that the subject took */
    uint32_t checked, left_out, refused; /* bit 1 << HABIT_x */
    struct {
        uint64_t asked, runs, wrong;
        const char *cut; /* why fewer ran than were asked for; NULL: all of them ran */
    } repeats;           /* of --repeat; asked 0: none */
    /* Where it failed. */
    const char *set;   /* "S0"; NULL: it did not come to a comparison */
    char frame;        /* 'A' or 'B'; 0: not known */
    const char *where; /* index of the first wrong element; NULL: none is */
    int output;
    double got, want, error, limit;
    int nth_node;       /* the node that made the output, from 1; 0: not known */
    const char *equals; /* what the output looks like as a whole: "zero"; NULL: not known */
    struct {
        const char *where; /* of the element with the largest error / limit; NULL: not known */
        double ratio, got, want, error, limit;
    } worst;
    /* Error over limit along the output that was judged last or failed, as judge/profile.h encodes
     * it: a character for each of at most PROFILE_BINS runs of elements, and of channels.  NULL:
     * nothing was compared. */
    const char *by_element, *by_channel;
    size_t elements, channels; /* how many these stand for */
    const char *minimal;       /* the smallest random graph that fails */
};

/* A whole model on a subject, or on the reference. */
struct record_model {
    const char *name;
    bool is_reference; /* held to LiteRT's answers; subject is not set */
    size_t subject;
    enum case_status status; /* declined: the subject took no node; or missing */
    const char *reason;
    bool compared;             /* otherwise the figures but top1 are not set */
    double top1;               /* NaN: there are no images */
    double snr_db, max_abs;    /* NaN: not finite */
    double mean_steps;         /* the mean error of scores in 8 bits, in their scale */
    uint64_t images, same;     /* same: all scores have the bits of the reference */
    uint64_t different, wrong; /* of another class; those of them that are no near tie */
    int nodes, taken, partitions;
};

/* With --minimize: the smallest form of a failure, for all that fail alike. */
struct record_minimal {
    size_t subject, test_case;
    enum case_status status;
    const char *reason, *text;
    size_t similar, steps, reductions;
    bool limited, flaky;
};

struct record_mutant {
    const char *name, *file, *by, *what;
    bool caught;
};

struct record {
    struct arena arena;
    struct record_run run;
    struct record_device device; /* of the first subject that names one */
    struct record_subject *subjects;
    size_t subject_count;
    struct record_case *cases; /* in the order of the run: those with a result or missing */
    size_t case_count;
    const size_t *by_name;         /* indices of cases, sorted by name; NULL before record_index */
    struct record_result *results; /* by subject, then by case; those that were run */
    size_t result_count;
    /* What a run that was cut did not come to: pairs of a subject and a case. */
    struct record_missing {
        size_t subject, test_case;
    } * missing;
    size_t missing_count;
    const char
        *broken_end; /* what a worker process did after its last case; NULL: all ended well */
    size_t broken_ends;
    /* What is to be said of the files that the run was held against: a waiver that expires soon, a
     * baseline of another device. */
    const char *const *notes;
    size_t note_count;
    size_t ledger_problems;      /* rows of the version ledger without their proof */
    struct record_model *models; /* NULL: none were asked for; as below */
    size_t model_count;
    const char *models_skipped; /* why none were run */
    struct record_minimal *minimal;
    size_t minimal_count;
    size_t minimal_left_out; /* failures of other kinds than the first ones */
    struct record_mutant *mutants;
    size_t mutant_count;
    const struct anatomy
        *anatomy; /* of each case (anatomy.h); of who writes a form; NULL likewise */
    const struct exposure *exposure; /* exposure.h; of who writes a form; NULL: not known */
};

enum { RECORD_REPEATS_BYTES = 160 };
/* The runs of --repeat in words, with Wilson's interval: "5 of 459 runs wrong: 1.09 %, of all runs
 * 0.466 to 2.52 % (95 %)".  Returns text; empty where the case was not repeated. */
const char *record_repeats_text(const struct record_result *r, char text[RECORD_REPEATS_BYTES]);

void record_close(struct record *r);
/* Sorts results and missing pairs, and makes by_name: a builder calls it when all is filled in.
 * STATUS_USAGE when two cases have the same name, or two results are of the same pair. */
enum status record_index(struct record *r, struct diag *diag);

/* The result of a case on a subject; NULL when it was not run.  Takes logarithmic time. */
const struct record_result *record_find(const struct record *r, size_t subject, size_t test_case);
/* The results of a subject are results[*first] to results[*last - 1]. */
void record_subject_results(const struct record *r, size_t subject, size_t *first, size_t *last);
/* The index of a case by name, SIZE_MAX when there is none.  Takes logarithmic time once
 * record_index was called, which readers and builders do. */
size_t record_find_case(const struct record *r, const char *name);

/* ---- totals ---- */

struct record_totals {
    size_t count[CASE_STATUS_COUNT];
    size_t all, bad; /* bad: those that make the exit code 1 */
    uint64_t integers, unequal, not_judged;
    double margin; /* the largest of those that passed or failed; infinity where it is NaN */
    size_t worst;  /* index of its result; SIZE_MAX when nothing was compared */
};
bool record_result_is_bad(const struct record_result *r);
/* Whether the model failed; one that is missing did not. */
bool record_model_is_bad(const struct record_model *m);
/* Why it is no pass, the same for all of one kind: the reason without the element; "" where none
 * is known. */
const char *record_result_why(const struct record_result *r);
void record_totals_add(struct record_totals *t, const struct record *r, size_t result);
struct record_totals record_totals(const struct record *r);
/* Whether nothing was judged: all was declined, or nothing ran, no whole model either. */
bool record_shows_nothing(const struct record *r);
/* Whether a run that found this ends with exit code 1: results or models that fail, a worker that
 * ended badly, the ledger, an interruption, or nothing that shows anything. */
bool record_failed(const struct record *r);

/* A line of the tables: the cases of one op in one type, or of one title of the gap suite. */
struct record_line {
    const char *op, *type; /* NULL in a line of a title */
    const char *title;     /* NULL in a line of an op */
    size_t *cases;         /* indices, in order */
    size_t case_count;
};
/* All lines, in the order of their first case; they live in `arena`. */
enum status record_lines(const struct record *r, struct arena *arena, struct record_line **lines,
                         size_t *count, struct diag *diag);
/* Adds a subject's results of a line. */
void record_totals_add_line(struct record_totals *t, const struct record *r,
                            const struct record_line *line, size_t subject);

/* ---- JSON ---- */

/* The key `schema`: raised when keys come that a program may look for; reports before 2 have none.
 * What findings and declined say is made from the cases whenever a report is written. */
enum { RECORD_SCHEMA = 2 };

/* Reads a report, which is not trusted: every value is checked against what is expected of it.
 * STATUS_IO when it cannot be read, STATUS_USAGE with place, expectation and value. */
enum status record_read(struct record *r, const char *path, struct diag *diag);
/* Writes it as conformance/report/report.schema.json describes it. */
enum status record_write(const struct record *r, FILE *out, struct diag *diag);

/* ---- record_select.c: a part of a record: the results that a reader asks for ---- */

struct record_selection {
    struct string_list filters; /* globs of cases; none: all */
    uint32_t statuses;          /* bits 1 << CASE_x; 0: all */
    size_t subject;             /* SIZE_MAX: all */
};

/* Drops what was not asked for: results, missing pairs, minimal forms, and cases that then have
 * neither; whole models by status and subject, and all of them where cases are filtered. */
enum status record_select(struct record *r, const struct record_selection *selection,
                          struct diag *diag);
/* Reads "fail,crash" into bits.  STATUS_USAGE with the word that is no status. */
enum status record_read_statuses(const char *list, uint32_t *bits, struct diag *diag);

/* ---- merge.c: shards of one run as one record ---- */

struct merge_input {
    const char *path; /* for messages */
    struct record record;
};

/* Merges reports of parts of the same list of cases: the result is the report of the whole list,
 * with the times that the parts took.  It points into the inputs, which have to stay.
 *
 * STATUS_USAGE where inputs are not parts of one run: they differ in version, commit, seed, list of
 * cases, number of shards, subjects or device.  STATUS_MISMATCH where two have another result of
 * the same case.  Shards that are missing are no failure: then out->run.merged names those there
 * are, and out->run.interrupted those that are missing. */
enum status record_merge(struct record *out, const struct merge_input *inputs, size_t count,
                         struct diag *diag);

/* ---- texts, which may be NULL ---- */

static inline bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static inline bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static inline const char *text_or_not_known(const char *text)
{
    return text ? text : "not known";
}

#endif
