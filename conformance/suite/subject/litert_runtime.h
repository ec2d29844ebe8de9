/* LiteRT in this process: the library, its environment and the accelerators in it. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_LITERT_RUNTIME_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_LITERT_RUNTIME_H

#include "conformance/suite/subject/litert_api.h"
#include "conformance/suite/subject/litert_config.h"

#include <limits.h>

struct litert {
    struct litert_api api;
    struct litert_config config;
    struct litert_environment *environment;
    void *accelerator_library; /* of config.accelerator */
    char runtime_path[PATH_MAX];
    char device[128]; /* names of the accelerators that run models */
    char runtime[64]; /* "LiteRT 2.3.0" */
};

/* Loads the library and creates an environment, in which the accelerators of the config must be.
 * STATUS_NO_DEVICE with LiteRT's own words when one is missing; STATUS_IO for a library or an
 * accelerator that cannot be used.  On failure *out is NULL. */
enum status litert_open(struct litert **out, const char *library,
                        const struct litert_config *config, struct diag *diag);
void litert_close(struct litert *l); /* takes NULL */

/* Writes into diag what a call of LiteRT answered. */
enum status litert_fail(struct diag *diag, enum status s, const char *what, int answer);
/* The lines of LiteRT's log that say why something failed: its errors, else its warnings, without
 * file names and line numbers. */
void litert_explain(const char *printed, char *text, size_t bytes);
/* Adds these lines to a failure; does nothing when s is STATUS_OK.  Returns s. */
enum status litert_add_log(struct diag *diag, enum status s, const char *printed);

#endif
