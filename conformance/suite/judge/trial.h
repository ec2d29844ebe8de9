/* A model and its inputs on a subject, in a process of its own: what crashes, hangs or prints there
 * is a result here.
 *
 * The process is started by the first trial, keeps the subject's delegate for the ones that follow,
 * and is replaced after a crash or a timeout.  The model that was opened last stays open.  A signal
 * (util/interrupt.h) ends the trial: its status is CASE_MISSING. */
#ifndef ASSAY_CONFORMANCE_SUITE_JUDGE_TRIAL_H
#define ASSAY_CONFORMANCE_SUITE_JUDGE_TRIAL_H

#include "conformance/suite/judge/judge.h"
#include "conformance/suite/subject/outputs.h"
#include "conformance/util/process.h"
#include "reference/runtime/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRIAL_POISON_WORD = 0x7fe5a5a5 }; /* what outputs hold before they are written */

struct trial_host {
    struct subject *subject; /* borrowed; its library is loaded in the process alone */
    double timeout_s;        /* of one trial */
    uint64_t seed;
    const struct interpreter_stand_in
        *stand_in;                       /* as in struct engine_request; outlives the host */
    const char *repro_dir, *repro_below; /* as in struct judge; NULL: nothing is written */
    struct process process;
    struct judge_stage *stage; /* shared with the process */
};

/* Starts no process yet. */
enum status trial_host_open(struct trial_host *h, struct subject *subject, double timeout_s,
                            uint64_t seed, struct diag *diag);
void trial_host_close(struct trial_host *h);

/* What an inference on the subject gave. */
struct trial {
    enum case_status status; /* PASS: it ran; DECLINED: no node was taken; FAIL, CRASH, TIMEOUT */
    char reason[480];        /* of every status but PASS */
    uint64_t nodes, taken;   /* of the model; taken by the subject */
    double open_ms;          /* of the model; 0 where it was open already */
    double ms;               /* the fastest inference */
    double mean_ms, std_ms;
    struct outputs outputs;
};

/* Opens the model of the instance where `reopen` is set, writes frame A of its inputs and runs
 * `repeats` inferences, each from reset variables.  A status other than OK: this program failed,
 * not the subject. */
enum status trial_run(struct trial_host *h, const struct case_instance *x, bool reopen,
                      size_t repeats, struct trial *t, struct diag *diag);
void trial_close(struct trial *t);

/* Judges an instance as judge_instance does, as data of the case and set. */
enum status trial_judge(struct trial_host *h, const struct test_case *c, enum data_set set,
                        const struct case_instance *x, struct case_result *result,
                        struct diag *diag);

#endif
