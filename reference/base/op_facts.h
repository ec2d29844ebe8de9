/* The facts about ops that reference/ops.def lists; what each column means stands there. */
#ifndef ASSAY_REFERENCE_BASE_OP_FACTS_H
#define ASSAY_REFERENCE_BASE_OP_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum op_result { OP_RESULT_NO, OP_RESULT_SAME, OP_RESULT_FIXED, OP_RESULT_GIVEN, OP_RESULT_RANGE };
/* Which quantized nodes of an op the delegate takes. */
enum op_integers { OP_INTEGERS_SOME, OP_INTEGERS_BYTES, OP_INTEGERS_TAKEN };
enum op_ties { OP_TIES_SUM, OP_TIES_PRODUCT, OP_TIES_ONCE, OP_TIES_ANY, OP_TIES_DRIFT };

/* OP_NONE: there is no such input; no version has the type.  OP_ALL: every input is data. */
enum { OP_NONE = -1, OP_ALL = -1 };

/* Bytes, and no pointer, which would need a relocation: both libraries have a row for each op. */
struct op_facts {
    int32_t code;       /* enum builtin */
    uint32_t state;     /* bit i: input i is overwritten with the new state */
    char stem[24];      /* of its files */
    bool on_gpu;        /* the delegate has a row for it */
    int8_t first, data; /* inputs [first, first + data) are data; data: OP_ALL: all from first on */
    int8_t weights, bias, shape;
    bool fused_activation;
    int8_t i8, u8, f16, hybrid, hybrid_per_channel; /* first versions, or OP_NONE */
    bool view;
    uint8_t monotone; /* 1, or 2: in its first input */
    uint8_t result;   /* enum op_result */
    uint8_t integers; /* enum op_integers */
    uint8_t ties;     /* enum op_ties */
};

/* NULL when ops.def has no row for the code. */
const struct op_facts *op_facts_find(int32_t code);
/* The rows in their order; NULL past the end. */
const struct op_facts *op_facts_at(size_t index);

#endif
