/* Runs of many reports, by subject, for `assay report site`: what is read is summed up at once
 * (summary.h), so that no two reports are in memory together. */
#ifndef ASSAY_CONFORMANCE_REPORT_RECORD_BOARD_H
#define ASSAY_CONFORMANCE_REPORT_RECORD_BOARD_H

#include "conformance/report/record/compare.h"
#include "conformance/report/record/summary.h"
#include "conformance/util/notes.h"

struct board_line {
    struct summary_line x;
    char *status; /* a letter for each case, in the order of their names */
    size_t cases;
    size_t count[CASE_STATUS_COUNT];
    const char **bad; /* names of those that summary_names, in order */
    size_t bad_count;
};

struct board_run {
    const char *file;
    struct summary_run x;
    struct board_line *lines; /* sorted by name and type */
    size_t line_count;
    size_t count[CASE_STATUS_COUNT];
    size_t all, bad; /* bad: those that summary_names */
    double margin;   /* the largest; NaN: none */
    struct summary_finding *findings;
    size_t finding_count;
};

/* The runs of a subject on a device, the oldest version first, runs of one version by date. */
struct board_page {
    const char *name, *device;
    /* "litert-gpu-precision-fp32": letters, digits and '-', and a number behind a '.' where another
     * page has these words; no two are equal, and none is "index". */
    const char *slug;
    struct board_run **runs;
    size_t count;
};

struct board {
    struct record store; /* of which only the arena is used: all texts and arrays */
    struct board_run **runs;
    size_t run_count, room;
    struct board_page *pages; /* sorted by name and device */
    size_t page_count;
    struct notes broken;  /* reports that cannot be read: "FILE: why" */
    struct notes remarks; /* what makes runs less comparable than they look */
};

/* By name, then type: the order of the lines of a run. */
int board_compare_lines(const struct board_line *a, const struct board_line *b);

/* The files that a path names: itself, or of a directory those that end in ".json", sorted, but
 * those that a site consists of.  Each is given to `add`. */
enum status board_files(const char *path, enum status add(void *user, const char *file), void *user,
                        struct diag *diag);
/* Reads a report or a summary.  One that cannot be read is noted in `broken`; STATUS_NO_MEMORY. */
enum status board_add(struct board *b, const char *file, struct diag *diag);
/* Sorts runs into pages, once all are added, and notes what is to be said of them. */
enum status board_settle(struct board *b, struct diag *diag);
void board_close(struct board *b);

/* ---- board_moves.c: what became of cases between two runs that are summed up ---- */

/* Cases of one line that changed in one way between two runs. */
struct board_move {
    const struct board_line *line;
    enum compare_kind kind;
    /* The lists of cases differ, and what is known is which names failed: NEW_FAILURE may be of a
     * case that OLD did not have, FIXED of one that NEW declines or does not have. */
    bool loose;
    size_t count;
    const char **names; /* NULL: of cases that fail in neither run no names are kept */
};
/* By kind, then line; they live in `arena`. */
enum status board_moves(const struct board_run *was, const struct board_run *is,
                        struct arena *arena, struct board_move **moves, size_t *count,
                        struct diag *diag);

#endif
