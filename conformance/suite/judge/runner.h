/* Runs cases on subjects in worker processes.
 *
 * The parent never loads a delegate.  When a worker crashes or takes too long, its case has that
 * status and a new process takes the next one.  So it does for a worker that has grown: drivers
 * keep memory of pipelines that were destroyed, Mesa 22.3 half a megabyte of each.  Neighbouring
 * cases go to the same worker, so that they share pipelines.  A run that is interrupted
 * (util/interrupt.h) keeps the results it has. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_RUNNER_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_RUNNER_H

#include "conformance/suite/judge/judge.h"
#include "conformance/util/process.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run_request {
    struct subject *subjects;
    size_t subject_count;
    const struct test_case *cases;
    size_t case_count;
    uint64_t seed;
    size_t jobs;               /* worker processes; 0: as many as processors */
    double timeout_s;          /* of one case */
    const char *repro_dir;     /* NULL: none */
    struct repeat_plan repeat; /* its limit_s is added to timeout_s; the order of cases is drawn */
    uint64_t give_up;          /* limit of give_up.h; 0: no subject is */
    /* A worker that has grown to more, by a quarter of it at least, is replaced behind its case; 0:
     * 512 MiB. */
    uint64_t worker_bytes;
    const char *what; /* of the progress line; NULL: "conformance" */
    bool quiet;       /* no progress line */
    /* In place of judge_case; false: the worker is to be replaced.  An allocation that fails is
     * then no reason to end the run.  NULL: judge_case. */
    bool (*run_case)(void *user, struct judge *j, const struct test_case *c,
                     struct case_result *result);
    void *run_user; /* the worker has a copy */
    /* Results of an earlier run, in the order of run_outcome: those that are not absent are taken
     * over, and their cases are not run.  NULL: none. */
    const struct case_result *known;
    /* Called with each new result.  NULL: nobody is. */
    void (*stored)(void *user, size_t subject, size_t test_case, const struct case_result *result);
    void *stored_user;
};

struct run_outcome {
    struct case_result *results; /* result of case c on subject s: [s * case_count + c] */
    size_t count;
    size_t broken_ends; /* workers that crashed, hung or failed after their last case */
    char end[400];      /* what the first of them did; empty: none */
    size_t replaced;    /* workers that had grown */
    size_t missing;     /* checks that were not run, for the reason that follows */
    char stopped[256];  /* "SIGINT", or "giving up SUBJECT after 20 timeouts"; empty: neither */
    const char *signal; /* that interrupted the run; NULL: none did */
    double seconds;     /* that the run took */
};

/* STATUS_NO_MEMORY, or STATUS_IO when no process can be made.  Crashes and timeouts of cases are in
 * *outcome. */
enum status runner_run(const struct run_request *request, struct run_outcome *outcome,
                       struct diag *diag);
void run_outcome_close(struct run_outcome *outcome);

/* Loads subjects and creates their delegates in another process, to see whether that works at all.
 * After a crash or a timeout the next subject gets a new process. */
struct prober {
    struct subject *subjects;
    double timeout_s;
    struct process process;
};
/* STATUS_IO, STATUS_USAGE, STATUS_NO_DEVICE as subject_load and subject_create give them; a crash
 * or more than timeout_s: STATUS_DEVICE. */
enum status prober_try(struct prober *p, size_t subject, struct judge_device *device,
                       struct diag *diag);
void prober_close(struct prober *p);

#endif
