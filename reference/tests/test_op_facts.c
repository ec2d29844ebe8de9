/* reference/ops.def: every row has its kernel, and facts that depend on each other agree. */
#include "reference/tests/kit/test.h"

#include "reference/base/builtin.h"
#include "reference/base/op_facts.h"
#include "reference/kernels/op.h"

#include <string.h>

TEST(each_row_has_a_kernel)
{
    const struct op_facts *f;
    size_t count = 0;

    for (; (f = op_facts_at(count)) != NULL; count++) {
        const struct ref_op *const op = ref_find(f->code);

        if (!op)
            fail_msg("%s: stem %s has no kernel for it", builtin_name(f->code), f->stem);
        assert_ptr_equal(ref_at(count), op);
        assert_int_equal(op->code, f->code);
        assert_ptr_equal(op_facts_find(f->code), f);
    }
    assert_true(count > 0);
    assert_null(ref_at(count));
    assert_null(op_facts_find(BUILTIN_CUSTOM));
    assert_null(op_facts_find(-1));
}

TEST(ops_of_a_stem_stand_together)
{
    const struct op_facts *f;

    for (size_t i = 0; (f = op_facts_at(i)) != NULL; i++) {
        for (size_t j = 0; j + 1 < i; j++) {
            if (strcmp(op_facts_at(j)->stem, f->stem) == 0 &&
                strcmp(op_facts_at(i - 1)->stem, f->stem) != 0)
                fail_msg("%s: stem %s began before row %zu", builtin_name(f->code), f->stem, i);
        }
    }
}

TEST(versions_exist)
{
    const struct op_facts *f;

    for (size_t i = 0; (f = op_facts_at(i)) != NULL; i++) {
        const int versions[] = { f->i8, f->u8, f->f16, f->hybrid, f->hybrid_per_channel };
        const int32_t newest = ref_find(f->code)->max_version;

        for (size_t v = 0; v < sizeof versions / sizeof versions[0]; v++) {
            if (versions[v] != OP_NONE && (versions[v] < 1 || versions[v] > newest))
                fail_msg("%s: version %d, expected 1 to %d", builtin_name(f->code), versions[v],
                         newest);
        }
    }
}

TEST(inputs_are_distinct)
{
    const struct op_facts *f;

    for (size_t i = 0; (f = op_facts_at(i)) != NULL; i++) {
        assert_true(f->data == OP_ALL || f->data >= 1);
        assert_true(f->shape == OP_NONE ||
                    (f->shape != f->first && f->shape != f->weights && f->shape != f->bias &&
                     f->shape < ref_find(f->code)->max_inputs));
        assert_true((f->weights == OP_NONE) == (f->bias == OP_NONE));
        if (f->weights == OP_NONE)
            continue;
        assert_int_equal(f->data, 1);
        assert_true(f->weights != f->first && f->weights != f->bias && f->bias != f->first);
        assert_true(f->bias < ref_find(f->code)->max_inputs);
    }
}
