/* CAST.  The type of a case is that of the result, or where the row says `to` that of the operand;
 * the row has the other one.  i64 and i16 are the result of a first CAST, since no input of a case
 * has these types. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/suites/lanes.h"

#include <math.h>

struct row {
    struct op_case base;
    struct shape in;
    int32_t other; /* enum tensor_type */
    bool to;       /* from the case's type to the other one */
    bool through;  /* from the case's type to the other one and back */
};

enum {
    F32 = TYPE_BIT(CASE_F32),
    HALF = TYPE_BIT(CASE_HALF),
    I32 = TYPE_BIT(CASE_I32),
    BOOLS = TYPE_BIT(CASE_BOOL)
};

static const struct suite_member members[] = {
    { SUITE_OP("cast", CAST, 1), .types = F32 | HALF | I32 | BOOLS | TYPES_BYTES,
      .sets = SET_BIT(SET_RANDOM) | SET_BIT(SET_SPREAD),
      .bound = { .kind = BOUND_ROUNDED, .ulps = 1 } },
};

static const float edges[] = { NAN,    0.0F,   -0.0F,  0.99F,         -0.99F,        1.5F,
                               -2.5F,  126.9F, 127.0F, 128.5F,        -128.5F,       -129.0F,
                               255.5F, 256.0F, -1.0F,  2147483520.0F, 2147483648.0F, -2147483648.0F,
                               3e9F,   -3e9F,  1e30F,  -1e30F };

/* Every pair of types that the delegate takes, in a shape that fills no slice. */
#define FROM(type, other_, ...)                                                                    \
    ROW("from_" #type, "a pair of types", __VA_ARGS__), .in = DIMS(1, 3, 5, 7), .other = (other_)
#define TO(type, other_, ...)                                                                      \
    ROW("to_" #type, "a pair of types", __VA_ARGS__), .in = DIMS(1, 3, 5, 7), .other = (other_),   \
                                                      .to = true
#define SHAPE(name, why, ...)                                                                      \
    { ROW(name, why, .types = I32, .scale = 50), .in = __VA_ARGS__, .other = TENSOR_FLOAT32 },     \
    {                                                                                              \
        ROW(name, why, .types = BOOLS, .scale = 50), .in = __VA_ARGS__, .other = TENSOR_INT32      \
    }

static const struct row rows[] = {
    { FROM(f32, TENSOR_FLOAT32, .types = I32 | BOOLS | TYPES_BYTES | HALF, .scale = 90) },
    { FROM(f16, TENSOR_FLOAT16, .types = F32 | I32 | BOOLS | TYPES_BYTES, .scale = 90) },
    { FROM(i32, TENSOR_INT32, .types = F32 | BOOLS | TYPES_BYTES | HALF) },
    { FROM(bool, TENSOR_BOOL, .types = F32 | I32 | TYPES_BYTES | HALF) },
    { TO(f32, TENSOR_FLOAT32, .types = TYPES_BYTES) },
    { TO(f16, TENSOR_FLOAT16, .types = TYPES_BYTES) },
    { TO(i32, TENSOR_INT32, .types = TYPES_BYTES) },
    { TO(bool, TENSOR_BOOL, .types = TYPES_BYTES) },
    { TO(i8, TENSOR_INT8, .types = TYPE_BIT(CASE_U8)) },
    { TO(u8, TENSOR_UINT8, .types = TYPE_BIT(CASE_I8)) },
    { ROW("through_i64", "i64, which stays on the CPU", .types = F32 | I32 | TYPES_BYTES | BOOLS,
          .refused_by = "cast.types", .scale = 1e5),
      .in = DIMS(1, 3, 5, 7), .other = TENSOR_INT64, .through = true },
    { ROW("through_i16", "i16, which stays on the CPU", .types = F32 | I32, .scale = 1e5,
          .refused_by = "cast.types"),
      .in = DIMS(1, 3, 5, 7), .other = TENSOR_INT16, .through = true },
    { ROW("edges_f32", "NaN, and numbers at the ends of integer types",
          .types = I32 | TYPES_BYTES | BOOLS, VALUES(edges)),
      .in = DIMS(1, 4, 11, 2), .other = TENSOR_FLOAT32 },
    { ROW("full_i32", "any 32 bits, which f32 rounds and bytes cut off", .types = F32 | TYPES_BYTES,
          .sets = SET_BIT(SET_RANDOM)),
      .in = DIMS(1, 9, 9, 7), .other = TENSOR_INT32 },
    { ROW("v", "every version of the op means the same", .each_version = true, .types = F32 | I32),
      .in = DIMS(1, 2, 3, 6), .other = TENSOR_FLOAT32 },
    SHAPE("rank0", "a scalar", SCALAR),
    SHAPE("rank1", "a vector that does not fill its last slice", DIMS(7)),
    SHAPE("rank3", "[B, T, C]", DIMS(2, 3, 5)),
    SHAPE("rank6", "six dimensions", DIMS(2, 1, 3, 1, 2, 7)),
    SHAPE("batch3_c4", "a batch, whole slices", DIMS(3, 2, 2, 4)),
    SHAPE("n257", "one element more than four workgroups", DIMS(1, 257)),
    /* The ends of each type, and what is no number. */
    { TO(f16_special, TENSOR_FLOAT16, .types = F32, LANES_ONE_SET, .specials = true,
         VALUES(lane_specials)) },
    { ROW("lanes_ends", LANES_END(I32)), .in = END_DIMS, .other = TENSOR_FLOAT32, .to = true },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("places66001", "66,001 places", .types = I32 | BOOLS | TYPE_BIT(CASE_I8),
          .period = SHORT_PERIOD),
      .in = DIMS(66001, 1), .other = TENSOR_FLOAT32 },
    { ROW("places66001", "66,001 places", LARGE_F32), .in = DIMS(66001, 1), .other = TENSOR_INT32 },
    { ROW("channels66001", "66,001 channels", LARGE_F32), .in = DIMS(1, 66001),
      .other = TENSOR_INT32 },
    { ROW("through_u32", "u32, which stays on the CPU", .types = F32 | I32 | TYPES_BYTES | BOOLS,
          .refused_by = "cast.types", .scale = 1e5, .version = 2),
      .in = DIMS(1, 3, 5, 7), .other = TENSOR_UINT32, .through = true },
};

/* Operands hold small integers as well as large ones: bytes of 1 to 255, i32 of any 32 bits. */
static int operand_of(struct case_builder *m, const struct row *r, int32_t type)
{
    const struct fill any = { .terms = 1, .factors = 1 };

    switch (type) {
    case TENSOR_INT32: return case_input_i32(m, "x", &r->in, m->c->type == TENSOR_BOOL ? 1 : 0, 0);
    case TENSOR_BOOL: return case_input_bool(m, "x", &r->in);
    case TENSOR_INT8: return case_input_scaled(m, "x", &r->in, type, 0.0313, -7);
    case TENSOR_UINT8: return case_input_scaled(m, "x", &r->in, type, 0.0313, 121);
    case TENSOR_FLOAT16: return case_input_f16(m, "x", &r->in, &any);
    default: return case_input_f32(m, "x", &r->in, &any);
    }
}

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const bool half = m->c->half;
    const int32_t own = half ? TENSOR_FLOAT16 : m->c->type;
    const int32_t from = r->to || r->through ? own : r->other;
    const int32_t to = r->to || r->through ? r->other : own;
    struct options options;
    int x = operand_of(m, r, from), y;

    options_init(&options, OPTIONS_CastOptions);
    options_set_int(&options, "in_data_type", from);
    options_set_int(&options, "out_data_type", to);
    if (r->through) {
        y = case_output_of(m, "between", &r->in, to);
        case_op(m, BUILTIN_CAST, m->c->version, &options, 1, &x, y);
        options_set_int(&options, "in_data_type", to);
        options_set_int(&options, "out_data_type", from);
        x = y;
    }
    case_judged_op(m, &options, 1, &x, case_output_of(m, "y", &r->in, r->through ? from : to));
}

SUITE(cast, members, rows, build);
