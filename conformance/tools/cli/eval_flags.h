/* What the parts of `assay eval` share: their flags, and the way from these to a report. */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_EVAL_FLAGS_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_EVAL_FLAGS_H

#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/subject_flags.h"
#include "conformance/tools/eval/eval_report.h"
#include "conformance/tools/eval/eval_run.h"

struct eval_flags {
    struct subject_flags subject;
    const char *model, *images, *reference, *results, *resume, *max_drop;
    const char *proto; /* --output_file_path, which is refused */
    uint64_t num_images, threads, resamples;
    double timeout_s;
    struct preprocess preprocess;
    struct args_common common;
};

/* Defaults: way and crop are those of the task. */
struct eval_flags eval_flags_default(enum preprocess_way way, double crop);
/* Parses the flags of a part, its own and those that all parts have, takes MODEL from the
 * arguments, and checks what all parts check.  False: return *code. */
bool eval_flags_parse(const struct command *self, int argc, char **argv,
                      const struct args_flag *own, size_t own_count, struct eval_flags *f,
                      int *code);

/* The model and both sides, open. */
struct eval_session {
    struct model_use *use; /* of the flags */
    struct eval_model model;
    struct subject subject, reference;
    bool has_reference;
    char preprocessing[192];
};
enum status eval_session_open(struct eval_session *s, struct eval_flags *f, struct diag *diag);
void eval_session_close(struct eval_session *s);
/* Runs the images, and fills the head of the report. */
enum status eval_session_run(struct eval_session *s, const struct eval_flags *f,
                             const struct eval_task *task, struct eval_images *images,
                             const char *truth_sha256, struct eval_report *r, struct diag *diag);
/* Sets max_drop of the report; STATUS_USAGE. */
enum status eval_flags_max_drop(const struct eval_flags *f, struct eval_report *r,
                                struct diag *diag);
/* STATUS_USAGE where it is set and there is nothing to compare with. */
enum status eval_flags_check_drop(const struct eval_report *r, bool has_reference,
                                  struct diag *diag);
/* Writes report and rows; returns the exit code. */
int eval_flags_print(const struct command *self, const struct eval_flags *f,
                     const struct eval_report *r);

#endif
