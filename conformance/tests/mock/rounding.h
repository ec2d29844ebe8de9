/* The designs of arithmetic that arithmetic.c knows: what is rounded, where, and how. */
#ifndef ASSAY_CONFORMANCE_TESTS_MOCK_ROUNDING_H
#define ASSAY_CONFORMANCE_TESTS_MOCK_ROUNDING_H

#include <stdbool.h>

enum order {
    ORDER_FORWARD,
    ORDER_BACKWARD,
    ORDER_PAIRS,   /* halves of the sum, each in the same way */
    ORDER_LANES16, /* sixteen sums, each of every sixteenth product */
    ORDER_CHUNKS8, /* sums of eight products, which are added in f32 */
    ORDER_RUNS32   /* the same of 32 products */
};

struct arithmetic {
    const char *name;
    double (*operand)(double); /* of products, when they are loaded */
    double (*product)(double); /* NULL: not rounded before it is added (fma) */
    double (*rounded)(double); /* every other operation */
    double (*stored)(double);  /* results */
    enum order order;
    bool bias_first;
    bool winograd;             /* CONV_2D of 3x3 and stride 1 by F(2x2, 3x3) */
    bool three;                /* a product is that of the high parts and two mixed ones */
    bool stores_sums;          /* LSTM: the gates read the sums, and h the c, that were stored */
    bool drops_last;           /* a fault: the last product of a sum */
    int hybrid;                /* largest integer of activations that meet i8 weights; 0: floats */
    double exp_ulps;           /* added to exponentials */
    double (*integer)(double); /* of an exact result in steps */
};

/* NULL when there is none of this name. */
const struct arithmetic *arithmetic_find(const char *name);

#endif
