/* A suite: the rows of one stem of reference/ops.def, and how a row becomes a model.
 *
 * conformance/suites/<stem>.c defines suite_<stem> with SUITE.  A stem has members, its ops; a row
 * is run for each member (or for the one that it names) in each of its types.  Rows are data:
 * structs of the suite's own that begin with a struct op_case.  Sweeps are rows from a list macro.
 *
 *     struct row {
 *         struct op_case base;
 *         struct shape in;
 *         float beta;
 *     };
 *     static const struct row rows[] = {
 *         { ROW("tail", "1001 classes: one lane in the last slice"), .in = DIMS(1, 1001) },
 *     };
 *     SUITE(softmax, members, rows, build);
 */
#ifndef ASSAY_CONFORMANCE_CASES_SUITE_H
#define ASSAY_CONFORMANCE_CASES_SUITE_H

#include "conformance/bounds/bound.h"
#include "conformance/cases/data.h"
#include "reference/format/builder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The types of case names. */
enum case_type {
    CASE_F32,
    CASE_F16, /* f32 activations, f16 constants behind DEQUANTIZE */
    /* f16 inputs, constants and outputs; named f16, too: an op has the one or the other.  For one
     * op alone: what a device keeps between two ops may be wider than f16. */
    CASE_HALF,
    CASE_I8,   /* quantized; weights, too, have one scale */
    CASE_I8PC, /* weights have a scale for each output channel */
    CASE_U8,
    CASE_DYNAMIC, /* f32 activations, i8 weights: with one scale, or in some rows with many */
    CASE_TYPE_COUNT
};
#define TYPE_BIT(type) (1u << (type))
enum {
    TYPES_BYTES = TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_U8),
    TYPES_QUANTIZED = TYPES_BYTES | TYPE_BIT(CASE_I8PC) | TYPE_BIT(CASE_DYNAMIC)
};
/* For a sweep of an op with weights, in which each quantized type comes once in eight rows. */
#define SWEPT_TYPES(i)                                                                             \
    ((i) % 8 == 1   ? TYPE_BIT(CASE_I8)                                                            \
     : (i) % 8 == 3 ? TYPE_BIT(CASE_I8PC)                                                          \
     : (i) % 8 == 5 ? TYPE_BIT(CASE_U8)                                                            \
     : (i) % 8 == 7 ? TYPE_BIT(CASE_DYNAMIC)                                                       \
                    : 0u)
/* For a sweep of an op that has f16 activations, too: all are run in f32, one in four in each type.
 */
#define ONE_IN_FOUR_TYPES(i) ((i) % 4 == 0 ? 0u : TYPE_BIT(CASE_F32))
struct case_type_name {
    const char *name;
    int32_t tensor_type; /* enum tensor_type */
};
extern const struct case_type_name case_types[CASE_TYPE_COUNT];

#define SET_BIT(set) (1u << (set))
enum {
    SETS_ALL = (1 << SET_COUNT) - 1,
    /* Nothing is computed: signs and integers show where each value went. */
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
/* Rank 0: one element. */
#define SCALAR                                                                                     \
    {                                                                                              \
        .rank = 0                                                                                  \
    }
size_t shape_elements(const struct shape *s);
/* Of an elementwise op: aligned at the right, a dimension of 1 is stretched. */
struct shape shape_broadcast(const struct shape *a, const struct shape *b);

/* Where the zero point of activations lies. */
enum zero_place { ZERO_ANYWHERE, ZERO_LOW, ZERO_HIGH, ZERO_MIDDLE };
/* How channels of weights compare. */
enum channel_scales { CHANNELS_NEAR, CHANNELS_ONE_TINY, CHANNELS_FAR };

/* How a row is quantized; all zero: by its name, so that results fill their range. */
struct quant_row {
    double in, in2;   /* scales of the first input, and of the others; 0: by the name */
    double out;       /* scale of the result; 0: so that results fill the range, times out_times */
    double out_times; /* 0: 1; below, results saturate, above, they take a part of the range */
    enum zero_place zero, zero_out; /* of inputs, of the result; u8 weights have that of inputs */
    enum channel_scales channels;
};

/* What all rows have. */
struct op_case {
    const char *name; /* the variant, unique among the rows of an op: [a-z0-9_]+ */
    const char *why;  /* why the row is there */
    const char *only; /* the members that it is for, with a space between two; NULL: all */
    /* TYPE_BITs; 0: those of the member, of its quantized types three in eight (of the gap suite
     * two), by the name, and none where the data are about floats */
    uint32_t types;
    uint32_t sets;   /* SET_BITs; 0: the member's */
    int32_t version; /* of the operator; 0: the member's */
    double scale;    /* of the data of all sets but S2; 0: 1 */
    double offset;   /* added to them */
    bool overflow;   /* results beyond the range of f16 are the point */
    /* What goes wrong elsewhere, as a title: the row is one of the gap suite, is named
     * gap.type.op_variant and comes first in reports. */
    const char *gap;
    /* The row is a case for each version that the reference knows, named by it: "v" becomes v1,
     * v2, ...; in type CASE_HALF from the version on that has f16. */
    bool each_version;
    bool floats; /* in none of the quantized types, though the member has them */
    /* Quantized types only: so many of the first inputs hold every byte, in frame B in another
     * order: of one input the 256, of two all pairs.  The first has as many elements, or a multiple
     * of them.  0: none. */
    unsigned every_byte;
    struct quant_row quant;
    /* Elementwise ops only: the first input holds every f16 value, infinities and NaNs too, in
     * frame B in another order.  It has 65,536 elements or a multiple of them, and the shape of the
     * output; what infinities and NaNs give is judged by TOLERANCES.md 6. */
    bool every_half;
};
/* ROW(name, why), or with more of its fields: ROW("far", "why", .scale = 30) */
#define ROW(name_, ...) .base = { .name = (name_), .why = __VA_ARGS__ }

struct case_builder;
struct case_interval;
struct case_node;

/* An op of the stem. */
struct suite_member {
    const char *op; /* as ref_op's name */
    int32_t code;   /* enum builtin */
    int32_t version;
    uint32_t types, sets;
    struct bound_rule bound;
    /* Of floats that are made of quantized integers; kind BOUND_BITS: bound says that, too. */
    struct bound_rule bound_integers;
    /* Where reference/ops.def says RANGE: the range of the results of a quantized node, one of
     * case_range.h. */
    struct case_interval (*range)(struct case_node *node);
    bool rescales_u8; /* result SAME, but u8 inputs may have other scales */
    /* In dynamic range the weights have a scale for each channel in every case: with one scale the
     * runtime reads beyond it. */
    bool dynamic_by_channel;
};

struct suite {
    const char *stem;
    const struct suite_member *members;
    size_t member_count;
    const void *rows; /* row_count structs of row_bytes */
    size_t row_count, row_bytes;
    /* More rows, made from axes (pairwise.h) rather than written down; NULL: none.  They are the
     * callee's, and the same in each call. */
    const void *(*sweep)(size_t *count);
    /* Makes the model of m->c->row.  The builder remembers failures. */
    void (*build)(struct case_builder *m);
};
#define SUITE(stem_, members_, rows_, build_) SUITE_SWEPT(stem_, members_, rows_, build_, NULL)
#define SUITE_SWEPT(stem_, members_, rows_, build_, sweep_)                                        \
    const struct suite suite_##stem_ = {                                                           \
        .stem = #stem_,                                                                            \
        .members = (members_),                                                                     \
        .member_count = sizeof(members_) / sizeof(members_)[0],                                    \
        .rows = (rows_),                                                                           \
        .row_count = sizeof(rows_) / sizeof(rows_)[0],                                             \
        .row_bytes = sizeof(rows_)[0],                                                             \
        .build = (build_),                                                                         \
        .sweep = (sweep_),                                                                         \
    }

/* The suites, in the order of ops.def, behind them suite_arg_max, which shares a stem, and those of
 * graphs of several ops (suite_gap, suite_pairs): a member of these is what its rows are about, its
 * bound is not used.  NULL past the end. */
const struct suite *suite_at(size_t index);

/* The suite's member that is an op; NULL: it has none. */
const struct suite_member *suite_member_of(const struct suite *suite, int32_t code);
/* The member that is an op, of the suite of its stem; NULL when no suite has it. */
const struct suite_member *suite_find_member(int32_t code);

/* Counts of channels that find what slices of four get wrong. */
#define CHANNEL_LIST(X)                                                                            \
    X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(15), X(16), X(17), X(31), X(32),       \
        X(33), X(64), X(67)

#endif
