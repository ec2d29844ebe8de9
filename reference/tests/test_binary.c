/* ADD and MUL: broadcasting against coordinates, and halves that are rounded once. */
#include "reference/tests/kit/op_harness.h"
#include "reference/tests/kit/test.h"

#include "reference/base/half.h"

/* Every pair of shapes of rank up to 4 with dimensions 1, 2 and 3 that broadcasts, against the rule
 * applied to coordinates. */
TEST(broadcasting_follows_the_coordinates)
{
    enum { N = 81 };
    size_t checked = 0;

    for (int pair = 0; pair < N * N; pair += 7) { /* 7 has no factor 3: all residues come */
        const int ra = pair % 4 + 1, rb = pair / 4 % 4 + 1, rank = ra > rb ? ra : rb;
        int32_t da[4], db[4], dy[4];
        float a[81], b[81];
        size_t na = 1, nb = 1, i = 0;
        bool fits = true;
        struct op_test t;

        for (int d = 0, left = pair % N; d < ra; d++, left /= 3)
            na *= (size_t)(da[d] = left % 3 + 1);
        for (int d = 0, left = pair / N; d < rb; d++, left /= 3)
            nb *= (size_t)(db[d] = left % 3 + 1);
        for (int d = 0; d < rank; d++) {
            const int32_t ea = d < rank - ra ? 1 : da[d - (rank - ra)];
            const int32_t eb = d < rank - rb ? 1 : db[d - (rank - rb)];

            fits = fits && (ea == eb || ea == 1 || eb == 1);
            dy[d] = ea > eb ? ea : eb;
        }
        for (i = 0; i < na; i++)
            a[i] = (float)i;
        for (i = 0; i < nb; i++)
            b[i] = (float)(100 * i);
        op_begin(&t, BUILTIN_ADD, kTfLiteFloat32);
        op_input(&t, kTfLiteFloat32, ra, da, a);
        op_input(&t, kTfLiteFloat32, rb, db, b);
        if (!fits) {
            op_refused(&t, STATUS_INVALID, "broadcast", "dimension", NULL);
            op_end(&t);
            continue;
        }
        op_run(&t);
        op_has_shape(&t, rank, dy);
        for (i = 0; i < ref_elements(t.out[0]); i++) {
            size_t ia = 0, ib = 0, ma = 1, mb = 1, left = i;

            for (int d = rank - 1; d >= 0; d--) {
                const size_t at = left % (size_t)dy[d];

                left /= (size_t)dy[d];
                if (d >= rank - ra) {
                    ia += (da[d - (rank - ra)] == 1 ? 0 : at) * ma;
                    ma *= (size_t)da[d - (rank - ra)];
                }
                if (d >= rank - rb) {
                    ib += (db[d - (rank - rb)] == 1 ? 0 : at) * mb;
                    mb *= (size_t)db[d - (rank - rb)];
                }
            }
            assert_true(t.out[0]->data.f[i] == a[ia] + b[ib]);
        }
        checked++;
        op_end(&t);
    }
    assert_true(checked > 200);
}

/* Every sum and product of halves from both signs, denormals and large ones, against the exact
 * result rounded once. */
TEST(halves_are_rounded_once)
{
    static const struct {
        int32_t code;
        double sign; /* of b in a + b; 0: a * b */
    } ops[] = { { BUILTIN_ADD, 1 }, { BUILTIN_MUL, 0 } };
    enum { N = 4096 };
    uint16_t a[N], b[N];

    for (int i = 0; i < N; i++) {
        a[i] = (uint16_t)(i * 40503u >> 1 & 0xfbff); /* no infinity, no NaN */
        b[i] = (uint16_t)(i * 52711u >> 2 & 0xfbff);
        if ((a[i] & 0x7c00) == 0x7c00)
            a[i] &= 0x83ff;
        if ((b[i] & 0x7c00) == 0x7c00)
            b[i] &= 0x83ff;
    }
    for (int o = 0; o < 2; o++) {
        struct op_test t CLOSED_BY(op_end);

        op_begin(&t, ops[o].code, kTfLiteFloat16);
        op_input(&t, kTfLiteFloat16, 1, DIMS(N), a);
        op_input(&t, kTfLiteFloat16, 1, DIMS(N), b);
        op_run(&t);
        for (int i = 0; i < N; i++) {
            const double x = half_to_float(a[i]), z = half_to_float(b[i]);
            const double exact = ops[o].sign != 0 ? x + ops[o].sign * z : x * z;
            const double got = half_to_float(t.out[0]->data.f16[i].data);
            const double up = half_to_float((uint16_t)(t.out[0]->data.f16[i].data + 1));

            assert_true(t.details[0].value[i] == exact);
            if (isfinite(got) && isfinite(up)) /* no more than half a step off */
                assert_true(fabs(got - exact) <= fabs(up - got) / 2);
        }
    }
}
