/* Quantized nodes on the device against the reference interpreter: every element of every output is
 * the same.  Models are built by hand, filled from a seed. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_EXACT_KIT_H
#define ASSAY_DELEGATE_TESTS_KIT_EXACT_KIT_H

#include "reference/tests/kit/graph_kit.h"

#include "assay_gpu.h"

#include <math.h>

bool exact_have_device(void);
/* Unused lanes hold junk. */
TfLiteDelegate *exact_delegate(const char *precision);

struct exact_quant {
    double scale;
    int zero;
};

/* A scale far from the others', and a zero point at an end of the range or anywhere, of i16 0. */
struct exact_quant exact_random_quant(uint64_t *random, int32_t type);

struct exact_model {
    struct builder b;
    uint64_t random;
    char label[160]; /* of what is tested, for messages */
};

void exact_begin(struct exact_model *m, uint64_t seed);
int exact_tensor(struct exact_model *m, int32_t type, struct exact_quant q, size_t rank,
                 const int32_t *dims);
/* Of random bytes. */
int exact_constant(struct exact_model *m, int32_t type, struct exact_quant q, size_t rank,
                   const int32_t *dims);
/* Closes the builder. Every node is taken; `times` invocations with other inputs, or with what
 * fill makes. */
void exact_check(struct exact_model *m, TfLiteDelegate *d, int times,
                 void (*fill)(struct interpreter *, uint64_t));

#define EXACT_NEEDS_DEVICE                                                                         \
    if (!exact_have_device())                                                                      \
    skip()

#endif
