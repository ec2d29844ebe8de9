/* What the composites of suites/composites.c mean: norms, attention and others as ops. */
#ifndef ASSAY_CONFORMANCE_SUITE_SUITES_DECOMPOSITIONS_H
#define ASSAY_CONFORMANCE_SUITE_SUITES_DECOMPOSITIONS_H

#include "conformance/suite/cases/graph_builder.h"
#include "conformance/suite/cases/suite.h"

enum { OPERANDS_MAX = 4, ATTRIBUTES_MAX = 4 };
enum { UNITS = 3 }; /* of weights in blocks */

enum attribute_kind { NO_ATTRIBUTE, FLOAT_4, FLOAT_8, INTEGER };
struct attribute {
    const char *key;
    enum attribute_kind kind;
    double value;
};

/* What is masked of [T, S]: nothing, as there is no mask; what comes later; what comes later or is
 * more than two places earlier; slots from `used` on; likewise and all of row 1; everything. */
enum mask { NO_MASK, CAUSAL, WINDOW, UNUSED, A_ROW, EVERYTHING };

struct attention {
    int32_t batch, queries, keys, heads, kv_heads, depth;
    enum mask mask;
    float masked;    /* what is added where it is masked */
    bool each_head;  /* the mask has a matrix for each head */
    int32_t used;    /* of `keys`, where the mask is UNUSED or A_ROW */
    bool cache;      /* keys and values are caches, into which those of the queries are written */
    bool mask_input; /* the mask is an input; else a constant */
    int32_t width;   /* channels of values; 0: depth */
};

/* Other spellings of the same, and what only looks like it. */
enum spelling {
    REVERSED = 1,            /* operands of ADD and MUL are the other way round */
    SQUARED = 2,             /* squares are SQUARE's */
    BEHIND = 4,              /* the scale is a factor of logits, not of queries */
    DIVIDED = 8,             /* likewise, and it and the cap are divisors */
    KEYS_TURNED = 16,        /* keys are [B, N, H, S] */
    VALUES_TURNED = 32,      /* values are */
    MASK_FLAT = 64,          /* the mask is [T, S] */
    JOINED = 128,            /* queries of all heads of a group are the rows of one matrix */
    HEADS_FIRST = 256,       /* no operand is transposed */
    SHARPER = 512,           /* not attention: beta is 2 */
    HEAD_SCALES = 1024,      /* nor: each head has a scale of its own */
    MASK_WIDER = 2048,       /* nor: the mask has a batch of two, the logits have not */
    QUERIES_TURNED = 4096,   /* nor: queries are [B, N, H, T] */
    LAST_FIRST = 8192,       /* the last operand is the first tensor of the file */
    ACTIVATED = 1 << 14,     /* not the same: the last ADD, or the scale, has a fused RELU */
    EPSILONS = 1 << 15,      /* nor: each row has an epsilon of its own */
    SLOTS_JOINED = 1 << 16,  /* nor: a row of SOFTMAX has the logits of two */
    SHARES_TURNED = 1 << 17, /* nor: shares are transposed */
    CAPPED_TWICE = 1 << 18,  /* nor */
    KEYS_WIDER = 1 << 19,    /* keys and values have a batch of two, queries have not */
    VALUES_WIDER = 1 << 20,  /* values alone have */
    KEYS_FIRST = 1 << 21,    /* keys alone are not transposed */
    FLAT = 1 << 22           /* heads are channels of one row, [B, T, N H] */
};

struct row;
/* The function of the row's operands, as ops of the subgraph that is built. */
typedef struct value decomposition(struct case_builder *m, const struct row *r,
                                   const struct value *in);

struct row {
    struct op_case base;
    const char *name; /* of the composite */
    decomposition *decompose;
    struct shape in[OPERANDS_MAX]; /* rank 0: none; the first is an input */
    bool inputs;                   /* the others are inputs, too, else constants but the fourth */
    int32_t units;                 /* channels of the result; 0: those of the first operand */
    struct attribute attributes[ATTRIBUTES_MAX];
    struct attention attention; /* its operands are inputs */
    float factor;               /* of a canary: the decomposition ends with it; 0: it does not */
    bool twice;                 /* a composite reads the result of another of the same subgraph */
    bool nested;                /* the composite is all that another one does, but for RELU */
    unsigned spelled;           /* a sum of enum spelling */
};

decomposition decompose_rms_norm, decompose_rms_norm_by_sum, decompose_l2_norm,
    decompose_layer_norm, decompose_layer_norm_by_squares, decompose_negated,
    decompose_layer_norm_by_factors, decompose_group_norm, decompose_softmax, decompose_gelu,
    decompose_rope, decompose_dense, decompose_dense_blocks, decompose_blocks_bias,
    decompose_blocks_residual, decompose_whole_update, decompose_attend;

/* A node of `count` operands, whose result has this shape. */
struct value composite_op(struct case_builder *m, int32_t code, int32_t version,
                          const struct options *options, size_t count, const struct value *in,
                          const struct shape *shape);

static inline const struct row *row_of(const struct case_builder *m)
{
    return (const struct row *)m->c->row;
}

#endif
