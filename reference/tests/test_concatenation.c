/* CONCATENATION of many inputs, against coordinates. */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

static void set_concatenation(struct op_test *t, int axis, TfLiteFusedActivation act)
{
    TfLiteConcatenationParams *p = (void *)t->params.bytes;

    p->axis = axis;
    p->activation = act;
}

/* 16 inputs of 1 to 3 cells, each element with a number of its own, along each axis. */
TEST(concatenation_of_16_inputs)
{
    for (int axis = 0; axis < 4; axis++) {
        const int32_t dims[] = { 2, 3, 2, 3 };
        int32_t total = 0, number = 0, begin[17] = { 0 };
        struct op_test t CLOSED_BY(op_end);

        op_begin(&t, BUILTIN_CONCATENATION, kTfLiteInt32);
        for (int i = 0; i < 16; i++) {
            int32_t own[] = { 2, 3, 2, 3 }, values[2 * 3 * 2 * 3 * 3];
            int32_t count = 1;

            own[axis] = 1 + i % 3;
            for (int d = 0; d < 4; d++)
                count *= own[d];
            for (int32_t k = 0; k < count; k++)
                values[k] = number++;
            op_input(&t, kTfLiteInt32, 4, own, values);
            total += own[axis];
            begin[i + 1] = total;
        }
        set_concatenation(&t, axis, kTfLiteActNone);
        op_run(&t);
        assert_int_equal(t.shapes[0].dims[axis], total);
        for (size_t e = 0; e < ref_elements(t.out[0]); e++) {
            int32_t at[4], left = (int32_t)e, from = 0;
            int i = 0;

            for (int d = 3; d >= 0; d--) {
                const int32_t extent = d == axis ? total : dims[d];

                at[d] = left % extent;
                left /= extent;
            }
            while (begin[i + 1] <= at[axis])
                i++;
            at[axis] -= begin[i];
            for (int d = 0; d < 4; d++)
                from = from * (d == axis ? begin[i + 1] - begin[i] : dims[d]) + at[d];
            assert_int_equal(t.out[0]->data.i32[e], t.in[i]->data.i32[from]);
        }
    }
}
