/* SVDF: sizes around slices of four, ranks, with and without a bias, in f32, with i8 weights, and
 * in i8.  The judge runs several inferences, over which the state goes on; rows with several nodes
 * of one state have its steps in one inference. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/case_quant.h"
#include "conformance/suite/cases/suite.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

enum { UNITS_MAX = 1040 };                 /* of i8 */
enum { RELU = 1, RELU_N1 = 2, RELU6 = 3 }; /* file codes */

struct row {
    struct op_case base;
    int32_t batch, depth, units, rank, memory;
    bool no_bias, asymmetric;
    bool own_biases; /* of i8: no two are the same */
    int32_t activation;
    int32_t nodes;  /* 0: 1 */
    double x_scale; /* of i8: the result's is 4 times that; 0: the scales of most rows */
};

static const struct suite_member members[] = {
    { SUITE_OP("svdf", SVDF, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_DYNAMIC),
      .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_POSITIVE), .bound = { .kind = BOUND_DOT } },
};

#define F32     .types = TYPE_BIT(CASE_F32)
#define WEIGHTS .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_DYNAMIC)
#define ALL     .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8) | TYPE_BIT(CASE_DYNAMIC)
#define SIZES(n, k, u, r, m, types_)                                                               \
    {                                                                                              \
        ROW("n" #n "_k" #k "_u" #u "_r" #r "_m" #m, "batch, inputs, units, rank and memory",       \
            types_),                                                                               \
            .batch = (n), .depth = (k), .units = (u), .rank = (r), .memory = (m)                   \
    }

static const struct row rows[] = {
    SIZES(1, 1, 1, 1, 1, ALL),
    SIZES(1, 3, 5, 1, 3, ALL),
    SIZES(1, 8, 4, 2, 4, ALL),
    SIZES(2, 5, 7, 2, 9, ALL),
    SIZES(3, 9, 3, 3, 5, ALL),
    SIZES(1, 33, 17, 1, 8, WEIGHTS),
    { ROW("no_bias", "without a bias", ALL), .batch = 2, .depth = 4, .units = 6, .rank = 1,
      .memory = 6, .no_bias = true },
    { ROW("relu", "fused RELU", WEIGHTS), .batch = 2, .depth = 4, .units = 6, .rank = 2,
      .memory = 5, .activation = RELU },
    { ROW("relu6", "fused RELU6", F32, .scale = 4), .batch = 2, .depth = 4, .units = 6, .rank = 2,
      .memory = 5, .activation = RELU6 },
    { ROW("relu_n1", "fused RELU_N1_TO_1", F32), .batch = 2, .depth = 4, .units = 6, .rank = 2,
      .memory = 5, .activation = RELU_N1 },
    { ROW("asymmetric", "activations that are rounded with a zero point",
          .types = TYPE_BIT(CASE_DYNAMIC), .version = 4),
      .batch = 2, .depth = 5, .units = 6, .rank = 2, .memory = 4, .asymmetric = true },
    { ROW("steps", "five nodes of one state: three of its places are filled twice", ALL,
          .refused_by = "lstm.state_readers"),
      .batch = 2, .depth = 3, .units = 5, .rank = 2, .memory = 3, .nodes = 5 },
    { ROW("steps_m1", "three nodes of one state with a place for one", ALL,
          .refused_by = "lstm.state_readers"),
      .batch = 1, .depth = 4, .units = 3, .rank = 1, .memory = 1, .nodes = 3 },
    { ROW("v", "every version of the op", ALL, .each_version = true), .batch = 1, .depth = 6,
      .units = 3, .rank = 2, .memory = 4 },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("batch4097", "a batch of 4,097", LARGE_POSITIVE(TYPE_BIT(CASE_F32))), .batch = 4097,
      .depth = 1, .units = 1, .rank = 1, .memory = 2 },
    { ROW("deep66001", "66,001 inputs", .types = TYPE_BIT(CASE_F32), .sets = SET_BIT(SET_RANDOM),
          .period = SHORT_PERIOD, .scale = 0.01),
      .batch = 1, .depth = 66001, .units = 1, .rank = 1, .memory = 2 },
    { ROW("filters4099", "4,099 filters", LARGE_POSITIVE(TYPE_BIT(CASE_F32))), .batch = 1,
      .depth = 1, .units = 4099, .rank = 1, .memory = 1 },
    { ROW("units261", "more units than a workgroup has invocations", ALL,
          .sets = SET_BIT(SET_RANDOM)),
      .batch = 2, .depth = 3, .units = 261, .rank = 1, .memory = 2 },
    { ROW("units1031", "more slices of units than a workgroup has invocations",
          .types = TYPE_BIT(CASE_I8), .sets = SET_BIT(SET_RANDOM)),
      .batch = 2, .depth = 2, .units = 1031, .rank = 1, .memory = 1 },
    { ROW("batch9", "a batch of nine", ALL, .sets = SET_BIT(SET_RANDOM)), .batch = 9, .depth = 3,
      .units = 5, .rank = 2, .memory = 3 },
    { ROW("units131_biases", "no two units have the same bias", .types = TYPE_BIT(CASE_I8),
          .sets = SET_BIT(SET_RANDOM)),
      .batch = 2, .depth = 2, .units = 131, .rank = 1, .memory = 2, .own_biases = true },
    { ROW("other_scales", "other scales and zero points", .types = TYPE_BIT(CASE_I8)), .batch = 3,
      .depth = 7, .units = 6, .rank = 2, .memory = 4, .x_scale = 0.017 },
    { ROW("state_saturates", "sums of the state are beyond 16 bits", .types = TYPE_BIT(CASE_I8)),
      .batch = 2, .depth = 33, .units = 9, .rank = 1, .memory = 3, .x_scale = 1 },
    { ROW("batch1030", "a batch of 1,030", .types = TYPE_BIT(CASE_I8), .sets = SET_BIT(SET_RANDOM),
          .period = SHORT_PERIOD),
      .batch = 1030, .depth = 2, .units = 3, .rank = 1, .memory = 2, .x_scale = 0.017 },
    { ROW("deep1030_m40", "1,030 inputs, 40 of its results", .types = TYPE_BIT(CASE_I8),
          .sets = SET_BIT(SET_RANDOM), .period = SHORT_PERIOD),
      .batch = 1, .depth = 1030, .units = 5, .rank = 1, .memory = 40, .x_scale = 0.017 },
    { ROW("units517_m9", "more than 4,096 results in a row of the state",
          .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_I8), .sets = SET_BIT(SET_RANDOM)),
      .batch = 2, .depth = 2, .units = 517, .rank = 1, .memory = 9 },
};

static int weights(struct case_builder *m, const char *name, int32_t outputs, int32_t columns,
                   int32_t terms)
{
    const struct shape shape = DIMS(outputs, columns);
    const struct fill fill = { .terms = terms,
                               .factors = 2,
                               .role = FILL_WEIGHTS,
                               .unscaled = true,
                               .gain = 0.8 / sqrt((double)terms) };

    return case_constant(m, name, &shape, &fill);
}

/* Of i8: weights of 1/64, a state of 2^-6, whose sums have 31 bits, time weights of 2^-15. */
static int constant(struct case_builder *m, const struct row *r, int i)
{
    const int32_t filters = r->units * r->rank;
    const struct shape feature = DIMS(filters, r->depth), time = DIMS(filters, r->memory);
    const struct shape bias = DIMS(r->units);
    const struct fill fill = { .terms = 4, .role = FILL_BIAS, .gain = 0.5 };
    int32_t values[UNITS_MAX];
    int b;

    if (!m->c->quantized)
        return i == 1   ? weights(m, "feature", filters, r->depth, r->depth)
               : i == 2 ? weights(m, "time", filters, r->memory, r->memory * r->rank)
                        : case_constant(m, "bias", &bias, &fill);
    if (i < 3)
        return case_constant_scaled(m, i == 1 ? "feature" : "time", i == 1 ? &feature : &time,
                                    i == 1 ? TENSOR_INT8 : TENSOR_INT16, i == 1 ? 1. / 64 : 0x1p-15,
                                    0);
    assert(r->units <= UNITS_MAX);
    for (int32_t u = 0; u < r->units; u++)
        values[u] = (u % 2 ? -1 : 1) * (1000003 + (r->own_biases ? 190001 * u : 777777 * (u % 32)));
    b = case_constant_i32(m, "bias", &bias, values);
    case_set_scale(m, b, TENSOR_INT32, 0x1p-21, 0);
    return b;
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const int32_t nodes = r->nodes ? r->nodes : 1;
    const struct shape x = DIMS(r->batch, r->depth), y = DIMS(r->batch, r->units);
    const struct shape state = DIMS(r->batch, r->units * r->rank * r->memory);
    const struct fill values = { .terms = r->depth, .factors = 2 };
    struct options options;
    int in[5];

    options_init(&options, OPTIONS_SVDFOptions);
    options_set_int(&options, "rank", r->rank);
    options_set_int(&options, "fused_activation_function", m->c->quantized ? RELU : r->activation);
    options_set_int(&options, "asymmetric_quantize_inputs", r->asymmetric);
    for (int i = 1; i < 4; i++)
        in[i] = i == 3 && r->no_bias ? -1 : constant(m, r, i);
    in[4] = m->c->quantized ? case_variable_scaled(m, "state", &state, TENSOR_INT16, 0x1p-6, 0)
                            : case_variable_f32(m, "state", &state);
    for (int32_t n = 0; n < nodes; n++) {
        char name[16];
        int out;

        snprintf(name, sizeof name, "x%d", (int)n);
        in[0] = m->c->quantized
                    ? case_input_scaled(m, name, &x, TENSOR_INT8, r->x_scale ? r->x_scale : 0.03,
                                        r->x_scale ? -9 : 5)
                    : case_input(m, name, &x, &values);
        snprintf(name, sizeof name, "y%d", (int)n);
        out = m->c->quantized
                  ? case_output_scaled(m, name, &y, TENSOR_INT8, r->x_scale ? 4 * r->x_scale : 0.05,
                                       r->x_scale ? 11 : -128)
                  : case_output(m, name, &y);
        if (n < nodes - 1)
            case_op(m, BUILTIN_SVDF, m->c->version, &options, 5, in, out);
        else
            case_judged_op(m, &options, 5, in, out);
    }
}

SUITE(svdf, members, rows, build);
