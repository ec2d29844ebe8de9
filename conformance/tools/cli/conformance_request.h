/* What the flags of `assay conformance` ask for. */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_CONFORMANCE_REQUEST_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_CONFORMANCE_REQUEST_H

#include "conformance/suite/cases/select.h"
#include "conformance/suite/judge/repeat_counts.h"
#include "conformance/tools/cli/args.h"

#include <stdbool.h>
#include <stdint.h>

enum { CONFORMANCE_SUBJECTS_MAX = 16 };

struct hostile; /* suite/hostile/hostile.h */

struct conformance_request {
    const char *name; /* of the command, for messages and progress */
    struct hostile
        *hostile; /* of `assay hostile`: its models are the cases; NULL: the suite's are */
    int argc;
    char **argv; /* of the command, for the report */
    struct args_common common;
    struct selection selection;
    struct string_list require, subjects;
    const char *resume; /* report or log; NULL: none */
    uint64_t give_up;
    const char *shard, *waivers, *write_waivers, *baseline, *repro_dir, *mutants, *versions;
    const char *repro; /* of repro_dir: "findings", which NULL is, or "all" */
    const char *require_classes, *write_classes; /* file or list; file */
    const char *today;                           /* YYYY-MM-DD; NULL: the clock's */
    bool strict_waivers;
    double timeout_s;
    struct repeat_plan repeat;
    bool statistics;
    uint64_t graphs;
    const char *habits; /* of habits_parse; NULL: each on its sample */
    const char *bounds; /* classes; NULL: as the subject's options say */
    uint64_t minimize_steps;
    bool list, quick, models, require_integers, minimize;
};

#endif
