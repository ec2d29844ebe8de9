/* Sums of bytes for which it matters how the factor to the output's scale is rounded:
 * FULLY_CONNECTED multiplies in double, which has 53 bits of a product; and the scales of u8 are
 * multiplied in f32. Random models do not have them.  Skipped where there is no device. */
#include "delegate/tests/kit/device_kit.h"
#include "delegate/tests/kit/dots_kit.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "reference/base/fixed_point.h"

#include <math.h>

/* CONV_2D of 1x1 or FULLY_CONNECTED, whose weights are all zero: its sums are these. */
struct sums {
    int count;
    int32_t sum[64];
    float w_scale[64]; /* of i8; u8 has the first one */
    float x_scale, y_scale;
    bool is_unsigned, dense;
};

static void check_sums(const struct sums *s)
{
    const char *const type = s->is_unsigned ? "u8" : "i8";
    char *text = NULL;
    size_t count;
    FILE *const f = open_memstream(&text, &count);

    assert_non_null(f);
    assert_in_range(s->count, 8, 64);
    fprintf(f,
            s->dense ? "FULLY_CONNECTED {} %s[1,1]" : "CONV_2D {stride_w=1 stride_h=1} %s[1,1,1,1]",
            type);
    fprintf(f, "q(%.9g,0) %s[%d,%s]=0q(", (double)s->x_scale, type, s->count,
            s->dense ? "1" : "1,1,1");
    for (int i = 0; i < (s->is_unsigned ? 1 : s->count); i++)
        fprintf(f, "%s%.9g", i ? "|" : "", (double)s->w_scale[i]);
    for (int i = 0; i < (s->is_unsigned ? 1 : s->count); i++)
        fputs(i ? "|0" : ",0", f);
    fprintf(f, ",0) i32[%d]", s->count);
    for (int i = 0; i < s->count; i++)
        fprintf(f, "%c%d", i ? ',' : '=', s->sum[i]);
    fprintf(f, "q(%.9g,0) -> y:%sq(%.9g,0)", (double)(s->x_scale * s->w_scale[0]), type,
            (double)s->y_scale);
    fclose(f);
    MODEL(m, "%s", text);
    free(text);
    dots_check(&m, 0);
}

static bool is_half(double v)
{
    return v - floor(v) == 0.5;
}

/* A double has 53 bits of a product that has up to 84.  Where these say N + 1/2 and the others
 * less, the next integer is the CPU's; where they say the number before that, it is not, though a
 * bit more of rounding would do.  How many there are of the latter. */
static int add_ties(struct sums *s, int k)
{
    const double factor = k / (double)s->y_scale;
    int below = 0;

    for (int32_t sum = 1; sum * factor < 127; sum++) {
        const double product = sum * factor;
        const bool is_below = is_half(nextafter(product, INFINITY));

        if (((is_half(product) && fma(sum, factor, -product) < 0) || is_below) && s->count < 64) {
            s->w_scale[s->count] = (float)k;
            s->sum[s->count++] = sum % 2 ? sum : -sum;
            below += is_below;
        }
    }
    return below;
}

TEST(ties_of_doubles)
{
    static const float steps[] = { 10, 6, 14, 22, 1000 };
    int below = 0;

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct sums s = { .x_scale = 1, .y_scale = steps[i], .dense = true };

        for (int k = 1; k < 50; k++)
            below += add_ties(&s, k);
        check_sums(&s);
    }
    assert_true(below > 8);
}

static int32_t steps_of(const struct sums *s, int32_t sum, double factor)
{
    struct fixed_multiplier m;

    assert_true(fixed_quantize_multiplier(factor, &m));
    return s->dense ? fixed_round(sum * factor) : fixed_multiply(sum, m);
}

/* The scales of u8 are multiplied in f32 for the fixed-point factor, but not for the double. */
TEST(product_of_scales)
{
    for (int dense = 0; dense < 2; dense++) {
        struct sums s = { .x_scale = 0.1f,
                          .w_scale = { 0.3f },
                          .y_scale = 30000.0f,
                          .is_unsigned = true,
                          .dense = dense };
        const double exact = (double)s.x_scale * (double)s.w_scale[0] / (double)s.y_scale;
        const double rounded = (double)(s.x_scale * s.w_scale[0]) / (double)s.y_scale;

        for (int step = 192; step < 255; step++)
            for (int near = -64; near < 64; near++) {
                const int32_t sum = (int32_t)((step + 0.5) / exact) + near;

                if (s.count < 64 && steps_of(&s, sum, exact) != steps_of(&s, sum, rounded)) {
                    s.sum[s.count++] = sum;
                    break;
                }
            }
        check_sums(&s);
    }
}

/* Products around 2^31, 2^32 and far beyond: they saturate.  No case asks for them, since the
 * runtime leaves them to the machine's cast. */
TEST(beyond_32_bits)
{
    static const int32_t sums[] = { 1,         3,         1 << 10, 1 << 21,    0x7fffff,  1 << 30,
                                    INT32_MAX, INT32_MIN, -1,      -(1 << 11), -(1 << 21) };
    static const float factors[] = { 1, 255, 1023.5f, 2048, 0x1p21f };

    for (int is_unsigned = 0; is_unsigned < 2; is_unsigned++)
        for (size_t f = 0; f < sizeof factors / sizeof factors[0]; f++) {
            struct sums s = {
                .x_scale = 1, .y_scale = 1, .is_unsigned = is_unsigned, .dense = true
            };

            for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
                s.w_scale[s.count] = factors[f];
                s.sum[s.count++] = sums[i];
            }
            check_sums(&s);
        }
}

/* Sums near ties of each multiplier 2^-shift and a little more, of both signs, and those at the
 * limits of the shorter fixed-point arithmetic: of sums within 2^29, with multipliers below 1/2,
 * and of those that need all of it. */
TEST(sums_of_both_sizes)
{
    for (int large = 0; large < 2; large++)
        for (int shift = large ? 0 : 1; shift < 29; shift += 3) {
            struct sums s = { .x_scale = 1, .y_scale = 1 };

            for (int step = -19; s.count < 60; step += 2, s.count += 2)
                for (int i = 0; i < 2; i++) {
                    const double factor = ldexp(1 + step * 0x1p-7, -shift - 1);
                    const double limit = large ? 0x1p31 - 1 : 0x1p29 - 1 - 255 * 128;
                    const double sum = i ? limit * (step % 4 == 1 ? 1 : -1) : (step + 0.5) / factor;

                    s.w_scale[s.count + i] = (float)factor;
                    s.sum[s.count + i] = (int32_t)fmax(-limit, fmin(limit, round(sum)));
                }
            check_sums(&s);
        }
}

TEST_FILE(KIT_HOLDS_DEVICE, .before = kit_find_device, .needs = &kit_device);
