/* Shapes and values of inputs, as TensorFlow Lite's benchmark_model names them on its command
 * line. */
#ifndef ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_INPUTS_H
#define ASSAY_CONFORMANCE_TOOLS_BENCH_BENCH_INPUTS_H

#include "reference/base/diag.h"
#include "reference/kernels/op.h"
#include "reference/runtime/interpreter.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_INPUTS_MAX = 16, BENCH_NAME_BYTES = 256 };

struct bench_input {
    char name[BENCH_NAME_BYTES]; /* of the tensor */
    bool has_shape, has_range;
    int rank;
    int32_t dims[REF_MAX_RANK];
    int64_t low, high;   /* both included */
    char file[PATH_MAX]; /* raw bytes; empty: none */
};

struct bench_inputs {
    struct bench_input items[BENCH_INPUTS_MAX];
    size_t count;
};

/* layers "a,b", shapes "1,224,224,3:1,10", ranges "a,0,255:b,-8,7", files "a:FILE,b:FILE" (with \:
 * for a colon in a name); each may be NULL or empty.  STATUS_USAGE for what cannot be read. */
enum status bench_inputs_parse(struct bench_inputs *inputs, const char *layers, const char *shapes,
                               const char *ranges, const char *files, struct diag *diag);
/* Gives the inputs of a graph their shapes.  STATUS_USAGE for a name that no input has. */
enum status bench_inputs_resize(const struct bench_inputs *inputs, struct interpreter *in,
                                struct diag *diag);
/* Fills all inputs: from files, within ranges, else as random_fill. */
enum status bench_inputs_fill(const struct bench_inputs *inputs, struct interpreter *in,
                              uint64_t seed, struct diag *diag);

#endif
