/* Quantized nodes on the device against the reference interpreter: every element of every output is
 * the same.  Models are texts (conformance/doc/MODEL_TEXT.md), filled from a seed. */
#ifndef ASSAY_DELEGATE_TESTS_KIT_EXACT_KIT_H
#define ASSAY_DELEGATE_TESTS_KIT_EXACT_KIT_H

#include "reference/tests/kit/graph_kit.h"

#include "assay_gpu.h"

#include <math.h>
#include <stdio.h>

struct exact_quant {
    double scale; /* 0: none */
    int zero;
};

/* A scale far from the others', and a zero point at an end of the range or anywhere, of i16 0. */
struct exact_quant exact_random_quant(uint64_t *random, const char *type);
/* A tensor as text, "i8[2,3]q(0.5,3)"; rank -1: without dims, which follow.  It holds until 16 more
 * are made; so do the others. */
const char *exact_text(const char *type, struct exact_quant q, int rank, const int32_t *dims);
/* The same with random values. */
const char *exact_constant(uint64_t *random, const char *type, struct exact_quant q, int rank,
                           const int32_t *dims);
/* "i32[2,4]=0,1,..." */
const char *exact_ints(int rank, const int32_t *dims, const int32_t *values);

struct exact_model {
    uint64_t random;
    FILE *text; /* of the model */
    char *chars;
    size_t count;
    int times;                                           /* invocations with other inputs */
    void (*fill)(struct interpreter *in, uint64_t seed); /* NULL: inputs are random bytes */
};

void exact_begin(struct exact_model *m, uint64_t seed);
/* Adds to the text. */
void exact_add(struct exact_model *m, const char *format, ...) PRINTF_LIKE(2, 3);
/* The model of the text, which is over then. */
void exact_build(struct exact_model *m, struct model *model);
/* Makes models of these seeds, and runs each.  Every node is taken. */
void exact_run(const char *precision, uint64_t first, uint64_t last,
               void (*make)(struct exact_model *m, uint64_t seed));

/* EXACT_TEST(pad, "fp32", 1, 60) { exact_add(m, "PAD ...", ...); }, of the model m of a seed. */
#define EXACT_TEST(name, precision, first, last)                                                   \
    static void make_##name(struct exact_model *m, uint64_t seed);                                 \
    TEST(name)                                                                                     \
    {                                                                                              \
        exact_run(precision, first, last, make_##name);                                            \
    }                                                                                              \
    static void make_##name(struct exact_model *m, uint64_t seed)

#endif
