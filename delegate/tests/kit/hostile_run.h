/* Runs hostile models in child processes whose time and memory are limited, so that a crash or a
 * hang is an answer too. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_HOSTILE_RUN_H
#define ASSAY_DELEGATE_TESTS_KIT_HOSTILE_RUN_H

#include "reference/format/write.h"
#include "reference/text/hostile_row.h"

#include <stdbool.h>
#include <stddef.h>

enum { HOSTILE_RESULTS_MAX = 64, HOSTILE_SECONDS_MAX = 20, HOSTILE_BATCH_MAX = 64 };

struct hostile_outcome {
    bool finished; /* false: the process ended before, and `message` says how */
    enum hostile_stage stage;
    enum status status;
    char message[1200]; /* of the refusal */
    /* What the delegate decides, without a device: "taken", "unseen", or the rule; of the refusal,
     * "node 3, tensor 4: field is value, expected limit". */
    char rule[64], refusal[600];
    /* Planning for each device of device_profiles.h: how many plans were made, and the first
     * failure that is not a limit of the device. */
    int plans;
    char plan_failure[600];
    /* Elements of the first output. */
    double results[HOSTILE_RESULTS_MAX];
    int result_count;
    bool guards_whole;
    long long peak_bytes; /* of what the libraries held at once, in the process until then */
};

/* The bytes of a row: its model, with the edit and the damage. */
enum status hostile_row_write(const struct hostile_row *row, struct tflite_file *file,
                              struct diag *diag);
/* What the delegate decides on a row, in this process: rule, refusal and plan_failure of *o. */
void hostile_row_decide(const struct hostile_row *row, struct hostile_outcome *o);
enum status hostile_judge_delegate(const struct hostile_row *row, const struct hostile_outcome *o,
                                   struct diag *diag);
/* Verifies, reads, opens, plans, prepares and runs rows in a child process, one after the other;
 * one that ends the child is finished = false, and the rest goes on in another.  device: with the
 * delegate on the device that is there, instead of planning without one. */
void hostile_rows_run(const struct hostile_row *const *rows, size_t count, bool device,
                      struct hostile_outcome *outcomes);
void hostile_row_run(const struct hostile_row *row, bool device, struct hostile_outcome *o);

#endif
