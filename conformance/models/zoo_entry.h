/* A topology of the zoo, and its options. */
#ifndef ASSAY_CONFORMANCE_MODELS_ZOO_ENTRY_H
#define ASSAY_CONFORMANCE_MODELS_ZOO_ENTRY_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stdint.h>

struct zoo_options {
    double width;        /* multiplier of all channels */
    uint32_t resolution; /* of the square input */
    uint32_t channels;   /* of the input; 0: 3 */
    uint32_t classes;
    /* TENSOR_FLOAT32; TENSOR_FLOAT16: weights, each behind a DEQUANTIZE; TENSOR_INT8, TENSOR_UINT8:
     * all but biases, input and output too. */
    int32_t type;
    bool weights_only; /* TENSOR_INT8: dynamic range, only large weights are quantized */
    bool quiet;        /* no progress on a terminal, which models in 8 bits have */
    uint64_t seed;
};

struct zoo_net; /* net.h */

/* One topology: models/<name>.c defines `const struct zoo_entry zoo_<name>`. */
struct zoo_entry {
    const char *name, *summary;
    uint32_t resolution, resolution_step, resolution_max; /* default; a multiple of step */
    uint32_t classes;                                     /* default */
    enum status (*build)(struct zoo_net *net, const struct zoo_options *options, struct diag *diag);
};

#endif
