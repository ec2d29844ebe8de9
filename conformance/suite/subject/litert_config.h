/* How LiteRT is to run models: the accelerators, and the options of a `litert:` subject.
 *
 * LiteRT's own options travel as TOML text: one for the GPU, one for XNNPACK, one for Intel's NPU.
 */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_LITERT_CONFIG_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_LITERT_CONFIG_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>

/* Memory of inputs and outputs. */
enum litert_buffers {
    LITERT_BUFFERS_AUTO,   /* host memory where the accelerator lists it, else its own */
    LITERT_BUFFERS_HOST,   /* host memory of ours, always */
    LITERT_BUFFERS_MANAGED /* what LiteRT allocates, always */
};

enum { LITERT_TOML_BYTES = 2048 };

/* The strings are borrowed. */
struct litert_config {
    int hardware;  /* LITERT_CPU, LITERT_GPU or LITERT_NPU */
    bool fallback; /* the CPU runs what the accelerator does not take, and is judged with it */
    enum litert_buffers buffers;
    int log_severity;
    bool builtin_kernels;        /* kernel_mode is not delegate: XNNPACK takes nothing */
    const char *accelerator;     /* a library that exports LiteRtAcceleratorImpl; NULL: LiteRT's */
    const char *runtime_path;    /* where LiteRT looks for accelerators; NULL: beside itself */
    const char *dispatch_path;   /* of NPUs; may be NULL */
    const char *plugin_path;     /* of NPUs' compilers; may be NULL */
    char gpu[LITERT_TOML_BYTES]; /* empty: no options */
    char xnnpack[LITERT_TOML_BYTES];
    char openvino[LITERT_TOML_BYTES];
};

/* "cpu", "gpu" or "npu"; STATUS_USAGE for another word. */
enum status litert_config_init(struct litert_config *c, const char *hardware, struct diag *diag);
/* One option of the subject; the key `library` is accepted, and left to others.  STATUS_USAGE: the
 * key is not known, does not belong to these accelerators, or the value is not one of its. */
enum status litert_config_set(struct litert_config *c, const char *key, const char *value,
                              struct diag *diag);

#endif
