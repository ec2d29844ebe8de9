/* EMBEDDING_LOOKUP: rows of a table of f32, and of i8 that become f32. */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/suite.h"

#include <assert.h>

enum { IDS_MAX = 66001 };

struct row {
    struct op_case base;
    struct shape table;
    int32_t ids;
    bool computed; /* the table is an input of the graph */
    bool last;     /* the ids go from one near the end to the front, over and over */
};

static const struct suite_member members[] = {
    { SUITE_OP("embedding_lookup", EMBEDDING_LOOKUP, 1),
      .types = TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_DYNAMIC), .sets = SETS_MOVE,
      .bound = { .kind = BOUND_ROUNDED, .ulps = 1, .units = 1 } },
};

#define BOTH_TYPES (TYPE_BIT(CASE_F32) | TYPE_BIT(CASE_DYNAMIC))
#define BOTH       .types = BOTH_TYPES

static const struct row rows[] = {
    { ROW("rows", "rows of a constant table", BOTH), .table = DIMS(9, 8), .ids = 5 },
    { ROW("rows_c5", "rows that do not fill their last slice", BOTH), .table = DIMS(7, 5),
      .ids = 9 },
    { ROW("one", "one row", BOTH), .table = DIMS(11, 6), .ids = 1 },
    { ROW("matrices", "rows of two dimensions", BOTH), .table = DIMS(5, 3, 4), .ids = 4 },
    { ROW("computed", "a table that is computed", .types = TYPE_BIT(CASE_F32)), .table = DIMS(6, 7),
      .ids = 5, .computed = true },
    { ROW("v", "every version of the op means the same", .each_version = true), .table = DIMS(5, 6),
      .ids = 3 },
    { ROW("wide", "rows of many slices", BOTH), .table = DIMS(5, 67), .ids = 7 },
    { ROW("column", "rows of one element", BOTH), .table = DIMS(13, 1), .ids = 6 },
    { ROW("rank4", "rows of three dimensions", BOTH), .table = DIMS(4, 2, 3, 5), .ids = 3 },
    { ROW("alone", "a table of one row", BOTH), .table = DIMS(1, 8), .ids = 4 },
    /* Sizes beyond 16 bits (test_sizes.c). */
    { ROW("table66001", "a table of 66,001 rows", LARGE_F32), .table = DIMS(66001, 2), .ids = 300 },
    { ROW("table66001_last", "the last rows of 66,001", LARGE_IN(BOTH_TYPES)),
      .table = DIMS(66001, 2), .ids = 9, .last = true },
    { ROW("ids66001", "66,001 ids", LARGE_IN(BOTH_TYPES)), .table = DIMS(7, 2), .ids = 66001,
      .last = true },
};

static void build(struct case_builder *m)
{
    const struct row *const r = (const struct row *)m->c->row;
    const struct shape ids = DIMS(r->ids);
    const struct fill weights = { .terms = 1, .factors = 1, .role = FILL_WEIGHTS };
    struct shape out = r->table;
    static int32_t values[2][IDS_MAX];
    int in[2];

    assert(r->ids <= IDS_MAX);
    out.d[0] = r->ids;
    for (unsigned frame = 0; frame < 2; frame++) {
        struct random_stream s;
        int32_t first;

        random_init(&s, m->request->seed, m->c->name, (uint64_t)m->request->set, 1000, frame);
        first = r->last ? 2 * (int32_t)random_below(&s, 3) + (int32_t)frame : 0;
        for (int32_t i = 0; i < r->ids; i++)
            values[frame][i] = r->last ? r->table.d[0] - 1 - (i + first) % r->table.d[0]
                                       : (int32_t)random_below(&s, (uint64_t)r->table.d[0]);
    }
    in[0] = case_input_values(m, "ids", &ids, TENSOR_INT32, values[0], values[1]);
    in[1] = case_operand(m, r->computed, "table", &r->table, &weights);
    case_judged_op(m, NULL, 2, in, case_output_f32(m, "y", &out));
}

SUITE(embedding_lookup, members, rows, build);
