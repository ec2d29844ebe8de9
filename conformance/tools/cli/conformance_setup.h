/* What `assay conformance` needs before it runs anything: subjects, cases, a place for its files.
 */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_CONFORMANCE_SETUP_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_CONFORMANCE_SETUP_H

#include "conformance/report/record/report.h"
#include "conformance/suite/hostile/hostile.h"
#include "conformance/tools/cli/conformance_request.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether the subjects are our delegate as it is: it has to take what reference/ops.def says. */
bool conformance_runs_ours(const struct conformance_request *q);
/* Opens the subjects that the flags name, at most CONFORMANCE_SUBJECTS_MAX. */
enum status conformance_open_subjects(const struct conformance_request *q, struct subject *subjects,
                                      size_t *count, struct diag *diag);
/* What a subject lacks, of the words why it cannot be made, which may begin with its label. */
const char *conformance_lack(const struct subject *s, const char *text);
/* The cases of the run, and where they stand in the list before it was split into shards. */
struct conformance_cases {
    struct test_case *items;
    size_t count;
    size_t *indices;
    struct random_row *graphs;
    struct test_case *list; /* the whole one */
    size_t list_count;
    size_t quick_of; /* cases that --quick has taken the list from; 0: none */
    char list_sha256[65];
};
enum status conformance_open_cases(const struct conformance_request *q,
                                   struct conformance_cases *cases, struct diag *diag);
void conformance_close_cases(struct conformance_cases *cases);
/* Drops the subjects that run none of the whole list, so that all shards have the same subjects. */
void conformance_drop_idle(const struct conformance_cases *cases, struct subject *subjects,
                           size_t *count);

/* Fails when the report could not be written, before minutes of work are spent on it. */
enum status conformance_try_output(const char *path, struct diag *diag);
/* Likewise for the directory of --repro-dir. */
enum status conformance_try_directory(const char *path, struct diag *diag);
/* Sets environment variables that worker processes inherit. */
void conformance_prepare_environment(size_t jobs);

/* ---- conformance_run.c: a run of the suite as the flags describe it ---- */

/* Runs the suite, writes its reports and returns the exit code. */
int conformance_run(const struct conformance_request *q);

/* ---- hostile_text.c: the report of `assay hostile` as text ---- */

/* Writes it to path, or to stdout where that is NULL.  Returns the exit code of the writing. */
int hostile_text(const struct report *r, const struct hostile *h, const char *path);

#endif
