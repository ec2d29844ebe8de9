/* A model compiled by LiteRT, with buffers for its inputs and outputs. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUBJECT_LITERT_MODEL_H
#define ASSAY_CONFORMANCE_SUITE_SUBJECT_LITERT_MODEL_H

#include "conformance/suite/subject/litert_io.h"
#include "conformance/suite/subject/litert_runtime.h"

#include <stdint.h>

#define LITERT_IO_ANY SIZE_MAX /* how many inputs or outputs there are is not known */
enum { LITERT_IO_MAX = 48, LITERT_REFUSAL_BYTES = 480 };

struct litert_model {
    const struct litert *litert;
    struct litert_model_file *file;
    struct litert_options *options;
    struct litert_compiled_model *compiled; /* NULL: refused */
    char refusal[LITERT_REFUSAL_BYTES];     /* why it is not run; empty: it is */
    int answer;                             /* of the call that refused it */
    size_t input_count, output_count;
    struct litert_io inputs[LITERT_IO_MAX], outputs[LITERT_IO_MAX];
};

/* A model's file, and what is in it. */
struct litert_source {
    const void *bytes;
    size_t count;
    size_t inputs, outputs;
    size_t offset_bytes; /* of buffers that are ours */
};

/* Compiles the model; its bytes are borrowed.  A model that the accelerator does not take whole is
 * no failure: then m->refusal says why, in LiteRT's words where it has any.  STATUS_MISMATCH when
 * LiteRT finds other inputs or outputs than there are.  On failure nothing is left open. */
enum status litert_model_open(struct litert_model *m, const struct litert *l,
                              const struct litert_source *source, struct diag *diag);
void litert_model_close(struct litert_model *m);

enum status litert_model_run(struct litert_model *m, struct diag *diag);
/* The same without what LiteRT prints, whose reading takes time. */
enum status litert_model_run_timed(struct litert_model *m, struct diag *diag);
/* The shapes of the outputs after a run, which is when those that depend on values are known. */
enum status litert_model_shapes(struct litert_model *m, struct litert_layout shapes[LITERT_IO_MAX],
                                struct diag *diag);
/* Bytes of all buffers. */
size_t litert_model_bytes(const struct litert_model *m);

#endif
