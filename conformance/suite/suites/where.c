/* WHERE of constants, which the delegate leaves to the host: every rank, none and all elements,
 * zeros of both signs. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"
#include "reference/base/memory.h"

#include <string.h>

struct row {
    struct op_case base;
    struct shape in;
    uint32_t every, from; /* element i is true where i % every is at least from; every 0: none */
};

static const struct suite_member members[] = {
    { SUITE_OP("where", WHERE, 1), .types = TYPE_BIT(CASE_F32) | TYPES_WHOLE,
      .sets = SET_BIT(SET_RANDOM), .bound = { .kind = BOUND_BITS } },
};

#define ALL_TYPES(name, why) ROW(name, why, .types = TYPE_BIT(CASE_F32) | TYPES_WHOLE)

static const struct row rows[] = {
    { ALL_TYPES("rank1", "a vector"), .in = DIMS(13), .every = 3, .from = 1 },
    { ALL_TYPES("rank2", "a matrix"), .in = DIMS(3, 5), .every = 4, .from = 2 },
    { ALL_TYPES("rank3", "three dimensions"), .in = DIMS(2, 3, 4), .every = 5, .from = 3 },
    { ALL_TYPES("rank4", "an image"), .in = DIMS(1, 3, 4, 5), .every = 7, .from = 5 },
    { ALL_TYPES("rank5", "five dimensions"), .in = DIMS(2, 1, 3, 2, 2), .every = 3, .from = 2 },
    { ALL_TYPES("rank6", "six dimensions"), .in = DIMS(1, 2, 1, 3, 2, 2), .every = 5, .from = 4 },
    { ALL_TYPES("one", "one element, which is true"), .in = DIMS(1), .every = 1 },
    { ALL_TYPES("all", "every element"), .in = DIMS(4, 3), .every = 1 },
    { ALL_TYPES("last", "the last element alone"), .in = DIMS(4, 7), .every = 28, .from = 27 },
    { ROW("v", "every version of the op", .each_version = true), .in = DIMS(2, 7), .every = 3,
      .from = 1 },
    { ROW("large", "more elements than 16 bits count", .types = TYPE_BIT(CASE_F32)),
      .in = DIMS(2, 35003), .every = 1009, .from = 1007 },
};

/* True are 1, -2, 3, ..., false 0 and -0. */
static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const size_t elements = shape_elements(&r->in);
    const size_t width = m->c->type == TENSOR_BOOL ? 1 : 4;
    uint8_t *const data = mem_alloc(elements, width);
    struct shape out = { .rank = 2, .d = { 0, r->in.rank } };
    struct options options;
    int x;

    if (!data)
        return;
    for (size_t i = 0; i < elements; i++) {
        const bool is_true = r->every > 0 && i % r->every >= r->from;
        const int32_t whole = !is_true ? 0
                              : i % 2  ? -(int32_t)(i % 100) - 1
                                       : (int32_t)(i % 100) + 1;
        const float real = whole ? (float)whole / 4 : i % 2 ? -0.0F : 0;

        out.d[0] += is_true;
        if (width == 1)
            data[i] = is_true;
        else
            memcpy(data + i * width,
                   m->c->type == TENSOR_FLOAT32 ? (const void *)&real : (const void *)&whole,
                   width);
    }
    x = builder_constant(&m->builder, m->c->type, "x", (size_t)r->in.rank, r->in.d, data,
                         elements * width);
    mem_free(data);
    options_init(&options, OPTIONS_WhereOptions);
    case_judged_op(m, &options, 1, &x, case_output_of(m, "y", &out, TENSOR_INT64));
}

SUITE_UNDRAWN(where, members, rows, build);
