#include "reference/kernels/table16.h"

#include "reference/base/fixed_point.h"

#include <math.h>

void table16_fill(double (*f)(double), double low, double high, int16_t table[TABLE16])
{
    const double step = (high - low) / (TABLE16 - 1), half = step / 2;

    for (int i = 0; i < TABLE16 - 1; i++) {
        const double value = round(f(low + i * step) * 32768);
        const double between =
            round((f(low + (i + 1) * step) * 32768 + round(f(low + i * step) * 32768)) / 2);
        const double middle = round(f(low + i * step + half) * 32768);
        const double moved = value - round((between - middle) / 2);

        table[i] = (int16_t)fmin(fmax(moved, -32768), 32767);
    }
    table[TABLE16 - 1] = (int16_t)fmin(fmax(round(f(high) * 32768), -32768), 32767);
}

void table16_fill_scaled(float (*f)(float x, float most), float scale, float scale_y,
                         int16_t table[TABLE16])
{
    const float low = scale * INT16_MIN, high = scale * INT16_MAX, most = scale_y * INT16_MAX;
    const float step = (high - low) / (TABLE16 - 1), half = step / 2;
    const float steps = 65536.0f / (most - scale_y * INT16_MIN);

    for (int i = 0; i < TABLE16; i++) {
        const float at = i < TABLE16 - 1 ? low + (float)i * step : high;
        const float value = roundf(f(at, most) * steps);
        const float between = roundf((f(low + (float)(i + 1) * step, most) * steps + value) / 2);
        const float off = between - roundf(f(at + half, most) * steps);
        const float moved = i < TABLE16 - 1 ? value - roundf(off / 2) : value;

        table[i] = (int16_t)fminf(fmaxf(moved, INT16_MIN), INT16_MAX);
    }
}

int32_t table16_look_up(const int16_t table[TABLE16], int32_t x)
{
    const int32_t at = 256 + (x >> 7);

    return table[at] + (((table[at + 1] - table[at]) * (x & 0x7f) + 64) >> 7);
}

/* ---- 256 values of the sigmoid in units of 2^-16, 1/24 apart ---- */

/* A scale that is a power of two of at most 2^-12 is applied by shifts alone. */
struct sigmoid16 sigmoid16_of(double scale)
{
    struct sigmoid16 s = { 0, 0 };
    double multiplier = (double)((float)scale * 4096.0f * 3.0f);
    int e;

    if (frexp(scale, &e) == 0.5 && (e - 1 + 12 == 0 || e - 1 + 12 == 1))
        return (struct sigmoid16){ 3 << (e - 1 + 12), 0 };
    while (multiplier <= 32767.0 / 2 && s.shift <= 30) {
        multiplier *= 2;
        s.shift++;
    }
    s.multiplier = (int32_t)multiplier;
    return s;
}

static double sigmoid_at(double i)
{
    return 65536 / (1 + exp(-i / 24));
}

/* The last entry, behind which there is no interval, is the largest. */
static uint32_t sigmoid_entry(uint32_t i)
{
    const double between = (sigmoid_at(i) + sigmoid_at(i + 1.0)) / 2;

    return i == 255 ? 65535 : (uint32_t)round(sigmoid_at(i) + (sigmoid_at(i + 0.5) - between) / 2);
}

/* x in units of 1/12288. */
static int32_t brought(struct sigmoid16 s, int32_t x)
{
    const int32_t round = s.shift > 0 ? 1 << (s.shift - 1) : 0;

    return fixed_wrap((int64_t)x * s.multiplier + round) >> s.shift;
}

/* The sigmoid of size intervals of 2^bits parts, in units of 2^-(16 + bits); behind the table it is
 * `most`. */
static uint32_t sigmoid_of(uint32_t size, int bits, uint32_t most)
{
    const uint32_t entry = size >> bits, part = size & ((1u << bits) - 1);

    return entry < 255 ? (sigmoid_entry(entry) << bits) +
                             part * (sigmoid_entry(entry + 1) - sigmoid_entry(entry))
                       : most;
}

int32_t sigmoid16_logistic(struct sigmoid16 s, int32_t x)
{
    const int32_t at = brought(s, x);
    const uint32_t y =
        sigmoid_of((uint32_t)(at < 0 ? -(int64_t)at : at), 9, UINT32_C(0x7fff) << 10);

    return (int32_t)((at >= 0 ? y + (1 << 9) : (UINT32_C(1) << 25) - y + (1 << 9) - 1) >> 10);
}

/* 2 sigmoid(2 x) - 1: an interval has half as many parts. */
int32_t sigmoid16_tanh(struct sigmoid16 s, int32_t x)
{
    const int32_t at = brought(s, x);
    const int32_t y =
        (int32_t)sigmoid_of((uint32_t)(at < 0 ? -(int64_t)at : at), 8, UINT32_C(0xffff) << 8);

    return (at >= 0 ? y - (1 << 23) + (1 << 7) : -y + (1 << 23) + (1 << 7) - 1) >> 8;
}
