/* A suite: the rows of one stem of reference/ops.def, and how a row becomes a model.
 *
 * conformance/suite/suites/<stem>.c defines suite_<stem> with SUITE.  A stem has members, its ops;
 * a row is run for each member (or for the one that it names) in each of its types.  Rows are data:
 * structs of the suite's own that begin with a struct op_case.  Sweeps are rows from a list macro.
 *
 *     struct row {
 *         struct op_case base;
 *         struct shape in;
 *         float beta;
 *     };
 *     static const struct row rows[] = {
 *         { ROW("rank2_c1001", "the last slice has one lane"), .in = DIMS(1, 1001) },
 *     };
 *     SUITE(softmax, members, rows, build);
 */
#ifndef ASSAY_CONFORMANCE_SUITE_CASES_SUITE_H
#define ASSAY_CONFORMANCE_SUITE_CASES_SUITE_H

#include "conformance/suite/bounds/bound.h"
#include "conformance/suite/cases/data.h"
#include "reference/format/builder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The types of case names. */
enum case_type {
    CASE_F32,
    CASE_F16, /* f32 activations, f16 constants behind DEQUANTIZE */
    /* Inputs, constants and outputs are f16.  The case is named f16, too: a member has CASE_F16 or
     * CASE_HALF, never both.  The graph has one op only, since a device may keep what lies between
     * two ops in a wider type than f16. */
    CASE_HALF,
    CASE_I8,   /* quantized; weights, too, have one scale */
    CASE_I8PC, /* weights have a scale for each output channel */
    CASE_U8,
    CASE_DYNAMIC, /* f32 activations, i8 weights: with one scale, or in some rows with many */
    CASE_I32,     /* i32 without a scale */
    CASE_BOOL,
    CASE_I16, /* quantized, symmetric: weights are i8 */
    /* Weights of less than 8 bits (suites/sub_byte.c): of f32 activations or behind DEQUANTIZE, and
     * of activations of i8 and i16. */
    CASE_W4,
    CASE_W2,
    CASE_U4,
    CASE_A8W4,
    CASE_A8W2,
    CASE_A16W4,
    CASE_A16W2,
    CASE_TYPE_COUNT
};
#define TYPE_BIT(type) (1u << (type))
enum {
    TYPES_BYTES = TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_U8),
    TYPES_QUANTIZED = TYPES_BYTES | TYPE_BIT(CASE_I8PC) | TYPE_BIT(CASE_DYNAMIC),
    TYPES_WHOLE = TYPE_BIT(CASE_I32) | TYPE_BIT(CASE_BOOL),
    /* Quantized activations whose suites give them their scales. */
    TYPES_GIVEN = TYPE_BIT(CASE_I16) | TYPE_BIT(CASE_A8W4) | TYPE_BIT(CASE_A8W2) |
                  TYPE_BIT(CASE_A16W4) | TYPE_BIT(CASE_A16W2)
};
/* The types of row i of a sweep of an op with weights: each quantized type comes once in eight
 * rows. */
#define SWEPT_TYPES(i)                                                                             \
    ((i) % 8 == 1   ? TYPE_BIT(CASE_I8)                                                            \
     : (i) % 8 == 3 ? TYPE_BIT(CASE_I8PC)                                                          \
     : (i) % 8 == 5 ? TYPE_BIT(CASE_U8)                                                            \
     : (i) % 8 == 7 ? TYPE_BIT(CASE_DYNAMIC)                                                       \
                    : 0u)
/* The types of row i of a sweep of an op that also has f16 activations: one row in four runs in all
 * types of its member, the others in f32 alone. */
#define ONE_IN_FOUR_TYPES(i) ((i) % 4 == 0 ? 0u : TYPE_BIT(CASE_F32))
struct case_type_name {
    const char *name;
    int32_t tensor_type; /* enum tensor_type */
};
extern const struct case_type_name case_types[CASE_TYPE_COUNT];

#define SET_BIT(set) (1u << (set))
enum {
    SETS_ALL = SET_BIT(SET_ENDS) - 1, /* of floats: S6 is a set of integers */
    /* The sets of ops that only move data: signs and integers show where each value went. */
    SETS_MOVE = SET_BIT(SET_RANDOM) | SET_BIT(SET_INTEGERS)
};

enum { SHAPE_RANK_MAX = 8 };
struct shape {
    int rank;
    int32_t d[SHAPE_RANK_MAX];
};
#define DIMS(...)                                                                                  \
    {                                                                                              \
        (int)(sizeof((const int32_t[]){ __VA_ARGS__ }) / sizeof(int32_t)),                         \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
/* The shape of rank 0, which has one element. */
#define SCALAR                                                                                     \
    {                                                                                              \
        .rank = 0                                                                                  \
    }
size_t shape_elements(const struct shape *s);
/* The shape of the result of an elementwise op: dimensions are aligned at the last one, and a
 * dimension of 1 is broadcast. */
struct shape shape_broadcast(const struct shape *a, const struct shape *b);

/* Where the zero point of activations lies; APART: that of the first one low, of the others high.
 */
enum zero_place { ZERO_ANYWHERE, ZERO_LOW, ZERO_HIGH, ZERO_MIDDLE, ZERO_APART };
/* How the scales of the output channels of weights compare: all within a factor of 8, the same but
 * one 2^-10 times as large, or up to 2^9 apart. */
enum channel_scales { CHANNELS_NEAR, CHANNELS_ONE_TINY, CHANNELS_FAR };

/* How a row is quantized.  What is 0 is chosen such that results fill the range of their type, with
 * a random stream that the name of the case seeds. */
struct quant_row {
    double in, in2; /* scales of the first input, and of the others */
    double out;     /* scale of the result */
    /* A factor of the scale with which results fill their range.  With less than 1 results
     * saturate, with more they use a part of the range.  0: 1, or sometimes 0.5 or 2. */
    double out_times;
    enum zero_place zero, zero_out; /* of inputs and u8 weights, of the result */
    enum channel_scales channels;
};

/* The fields that all rows have. */
struct op_case {
    const char *name; /* the variant, unique among the rows of an op: [a-z0-9_]+ */
    const char *why;  /* why the row is there */
    const char *only; /* the ops that the row is for, separated by spaces; NULL: all members */
    /* TYPE_BITs.  0: the float types of the member, and each of its other types with a
     * probability of 3 in 8 (i32 and bool: 2 in 8) (in the gap suite of 2 in 8), which a hash of op
     * and name decides.  A row whose data would saturate or vanish in 8 bits has no quantized type
     * then; a row of each version has all of them, in the gap suite none. */
    uint32_t types;
    uint32_t sets; /* SET_BITs; 0: the member's */
    /* SET_BITs of quantized types, besides S0; 0: those that the op has.  Goldens hold the last of
     * them, so a row that is about certain integers has the runtime's answer to these. */
    uint32_t byte_sets;
    int32_t version; /* of the operator; 0: the member's */
    double scale;    /* factor of the data of all sets but S2; 0: 1 */
    double offset;   /* added to the data of all sets but S2, after the factor */
    bool overflow;   /* the row is about results beyond the range of f16 */
    /* The title of a known fault of delegates (suites/gaps.h), or NULL.  A row with a title belongs
     * to the gap suite: it is named gap.type.op_variant and comes first in reports. */
    const char *gap;
    /* The row is about what is another thing after a resize: every run resizes it. */
    bool resized;
    /* The row is a case for each version that the reference knows, whose number is added to the
     * name: "v" becomes v1, v2, ...  A type that a later version added begins with that version. */
    bool each_version;
    bool floats;       /* the row has the float types alone, though the member has others */
    int32_t i32_limit; /* in place of the member's; 0: the member's */
    /* Of quantized types: the number of first inputs that together hold every byte (1: all 256) or
     * every pair of bytes (2: all 65,536); 0: none.  Frame B has another order.  The first input
     * has that many elements, or a multiple. */
    unsigned every_byte;
    /* Floats: weights of sums of products are drawn such that results are about as large as inputs;
     * a graph of many ops keeps its values in range. */
    bool unit_gain;
    struct quant_row quant;
    bool without_scales; /* the model has none */
    /* Of elementwise ops: the first input holds every f16 value, infinities and NaNs too; frame B
     * has another order.  The input has the shape of the output and a multiple of 65,536 elements.
     * TOLERANCES.md 6 says which results pass for infinities and NaNs. */
    bool every_half;
    /* The first input holds these values over and over instead of drawn ones, in frame B from the
     * last to the first.  Some may be NaN. */
    const float *values;
    size_t value_count;
    /* The same of i32 and of quantized integers.  The ends of i32 stand for those of the type. */
    const int32_t *integers;
    size_t integer_count;
    /* Not the first input, but the drawn input or constant with this number holds them. */
    unsigned values_of;
    /* And the one after it, such that every pair of them meets. */
    bool pairs;
    /* Class fp16, too, keeps infinities and denormals among the values; else they become the
     * largest number and 0. */
    bool specials;
    /* Of large tensors: drawn values repeat after so many elements, a prime number.  An index that
     * is cut to 16 bits still finds another value, and goldens compress to a few kilobytes. */
    size_t period;
    /* The elements of the first input rise (1) or fall (-1) with their index, so that the largest
     * or the least is the last one; of bool the last is true (1), or false.  0: as drawn. */
    int ramp;
    /* Inputs and constants keep all of their 24 bits in class fp16, too, so that the device rounds
     * them to f16 itself (TOLERANCES.md 3.10). */
    bool full_mantissas;
    /* The rule by which our delegate leaves the node to the CPU; NULL: it takes it. */
    const char *refused_by;
    bool one_frame; /* as of large rows, frame A is enough, and nothing is checked beside it */
    bool empty;     /* a tensor has no elements, for which our delegate refuses the node */
};
/* Periods of large rows: 65,536 is no multiple of them. */
enum { LARGE_PERIOD = 1009, SHORT_PERIOD = 61 };
/* A row of more results than 16 bits count: small integers alone, in f32. */
#define LARGE LARGE_OF(LARGE_PERIOD)
/* Of a period so short that gzip, which looks 32 KiB back, makes its golden small. */
#define LARGE_OF(n) .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_INTEGERS), .period = (n)
/* The same of other types, where integers have any values; goldens of the short period are small.
 */
#define LARGE_IN(types_) .types = (types_), .sets = SET_BIT(SET_INTEGERS), .period = SHORT_PERIOD
#define LARGE_F32        LARGE_IN(TYPE_BIT(CASE_F32))
/* Where sets of small integers tell nothing, or are not the member's. */
#define LARGE_POSITIVE(types_)                                                                     \
    .types = (types_), .sets = SET_BIT(SET_POSITIVE), .period = SHORT_PERIOD
#define LARGE_ANY .types = SIZED, .sets = SET_BIT(SET_RANDOM), .period = SHORT_PERIOD
/* One type of each storage: what only counts places does the same in the others. */
#define SIZED (TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_I32))
/* A row for a kind of node that models have: one data set. */
#define REAL(types_) .types = (types_), .sets = SET_BIT(SET_RANDOM)
/* Elements that are copied or compared need no scale. */
#define WITHOUT_SCALES                                                                             \
    "bytes without a scale", .types = TYPE_BIT(CASE_I8), .sets = SET_BIT(SET_RANDOM),              \
                             .without_scales = true, .refused_by = "quant.scale"
/* A row with a tensor of no elements, for which all data sets are alike. */
#define EMPTY          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8), EMPTY_TENSOR
#define EMPTY_TENSOR   .empty = true, .sets = SET_BIT(SET_RANDOM)
#define VALUES(list)   .values = (list), .value_count = sizeof(list) / sizeof(list)[0]
#define INTEGERS(list) .integers = (list), .integer_count = sizeof(list) / sizeof(list)[0]
/* ROW(name, why), or with more of its fields: ROW("far", "why", .scale = 30) */
#define ROW(name_, ...) .base = { .name = (name_), .why = __VA_ARGS__ }

struct case_builder;
struct case_interval;
struct case_node;
struct random_call;

/* What the operands of a node of a random graph are. */
enum random_operands {
    RANDOM_NONE,      /* the op is in no random graph */
    RANDOM_ONE,       /* one tensor */
    RANDOM_BROADCAST, /* two, which broadcast to one shape; the second may be a constant */
    RANDOM_JOINED     /* two to four, which differ in one dimension at most */
};
/* How random graphs use an op (random_node.h). */
struct random_use {
    enum random_operands operands;
    uint32_t kinds; /* bits of enum random_kind that the operands may have; 0: RANDOM_VALUES */
    /* Adds a node; false, with nothing added, when the op does not fit the operands. */
    bool (*add)(struct case_builder *m, struct random_call *call);
};

/* An op of the stem, and what all of its cases share. */
struct suite_member {
    const char *op; /* as ref_op's name */
    int32_t code;   /* enum builtin */
    int32_t version;
    uint32_t types, sets;
    uint32_t named_types; /* more quantized types, of the rows that name them alone */
    /* The first versions with i32 and bool operands; 0: `version`. */
    int32_t i32_version, bool_version;
    /* Random i32 operands lie within +-i32_limit, so that results stay within 32 bits; 0: they have
     * any 32 bits. */
    int32_t i32_limit;
    struct bound_rule bound;
    /* The rule of f32 results of quantized inputs (DEQUANTIZE).  Kind BOUND_BITS, which is the
     * default, means that `bound` holds for them, too. */
    struct bound_rule bound_integers;
    /* The range of the results of a quantized node, a function of case_range.h.  It is needed where
     * reference/ops.def says RANGE. */
    struct case_interval (*range)(struct case_node *node);
    bool rescales_u8; /* ops.def says SAME, but u8 inputs may have other scales than the result */
    /* In dynamic range the weights have a scale for each channel in every case: LiteRT reads beyond
     * the end of the scales when there is only one. */
    bool dynamic_by_channel;
    struct random_use random;
    /* Begins a group of draws within its suite: random graphs draw a group, then a member of it,
     * and seeds keep their graphs as long as the groups stay the same. */
    bool draws_apart;
    /* A later addition to its family: it has the rows alone that name it, and random graphs leave
     * it out, so that their seeds keep their graphs.  Behind the others. */
    bool named_alone;
    /* Kernels of 3x3 with stride 1 may be computed by Winograd's F(2x2, 3x3), which has bounds of
     * its own (TOLERANCES.md 13.2); the parameters are a TfLiteConvParams. */
    bool winograd;
};

/* What a row of struct suite_member begins with. */
#define SUITE_OP(op_, code_, version_) .op = op_, .code = BUILTIN_##code_, .version = version_

struct suite {
    const char *stem;
    const struct suite_member *members;
    size_t member_count;
    const void *rows; /* row_count structs of row_bytes */
    size_t row_count, row_bytes;
    /* Returns more rows, which are made from axes (pairwise.h, sweep.h) rather than written down;
     * NULL when the suite has none.  The function owns them, and returns the same in each call. */
    const void *(*sweep)(size_t *count);
    /* Adds the tensors and operators of the row m->c->row to the model, with the functions of
     * case_builder.h, which remember failures. */
    void (*build)(struct case_builder *m);
    /* Draws of random graphs leave it out, which it has no ops for: with one suite more to draw
     * from, each seed would have other graphs. */
    bool undrawn;
};
#define SUITE(stem_, members_, rows_, build_) SUITE_OF(stem_, members_, rows_, build_, NULL, false)
#define SUITE_SWEPT(stem_, members_, rows_, build_, sweep_)                                        \
    SUITE_OF(stem_, members_, rows_, build_, sweep_, false)
#define SUITE_UNDRAWN(stem_, members_, rows_, build_)                                              \
    SUITE_OF(stem_, members_, rows_, build_, NULL, true)
#define SUITE_OF(stem_, members_, rows_, build_, sweep_, undrawn_)                                 \
    const struct suite suite_##stem_ = {                                                           \
        .stem = #stem_,                                                                            \
        .members = (members_),                                                                     \
        .member_count = sizeof(members_) / sizeof(members_)[0],                                    \
        .rows = (rows_),                                                                           \
        .row_count = sizeof(rows_) / sizeof(rows_)[0],                                             \
        .row_bytes = sizeof(rows_)[0],                                                             \
        .build = (build_),                                                                         \
        .sweep = (sweep_),                                                                         \
        .undrawn = (undrawn_),                                                                     \
    }

/* Returns the suites in the order of ops.def, then suite_binary_i32, which shares the stem of ADD,
 * then the suites of graphs of several ops (suite_gap, suite_gap_bytes, suite_combinations,
 * suite_chains, suite_pairs, suite_shape_values, suite_sub_byte, suite_variables,
 * suite_composites, suite_shape_folds).  A member of the latter names the op that its rows are
 * about; its bound is not used.  NULL past the end. */
const struct suite *suite_at(size_t index);

/* Returns the suite's member for an op; NULL when it has none. */
const struct suite_member *suite_member_of(const struct suite *suite, int32_t code);
/* Returns the member for an op from the suite of its stem; NULL when no suite has it. */
const struct suite_member *suite_find_member(int32_t code);

/* Counts of channels around multiples of four, where code that works on slices of four goes wrong.
 */
#define CHANNEL_LIST(X)                                                                            \
    X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(15), X(16), X(17), X(31), X(32),       \
        X(33), X(64), X(67)
/* Sizes of tiles that kernels are likely to have, and their neighbours. */
#define TILE_LIST(X)                                                                               \
    X(3), X(4), X(5), X(7), X(8), X(9), X(15), X(16), X(17), X(31), X(32), X(33), X(63), X(64),    \
        X(65), X(127), X(128), X(129), X(255), X(256), X(257)

#endif
