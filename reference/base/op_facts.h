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

struct op_facts {
    int32_t code;     /* enum builtin */
    const char *stem; /* of its files */
    bool on_gpu;      /* the delegate has a row for it */
    int first, data;  /* inputs [first, first + data) are data; data: OP_ALL: all from first on */
    int weights, bias, shape;
    bool fused_activation;
    int i8, u8, f16, hybrid, hybrid_per_channel; /* first versions, or OP_NONE */
    enum op_result result;
    bool view;
    uint32_t state; /* bit i: input i is overwritten with the new state */
    bool monotone;
    enum op_integers integers;
    enum op_ties ties;
};

/* NULL when ops.def has no row for the code. */
const struct op_facts *op_facts_find(int32_t code);
/* The rows in their order; NULL past the end. */
const struct op_facts *op_facts_at(size_t index);

#endif
