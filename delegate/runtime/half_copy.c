/* Speed: whole tensors, at each inference */
#include "delegate/runtime/half_copy.h"

#include <stdbool.h>
#include <string.h>

static uint32_t bits_of(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

/* All cases are computed and one is selected, so that compilers vectorize the loop.  A denormal is
 * rounded by an addition, whose sum has the last bit of an f16 denormal as its own: the rounding
 * mode is to nearest, ties to even, unless the program has changed it. */
void half_copy_in_plain(uint16_t *restrict to, const float *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t bits = bits_of(from[i]), a = bits & 0x7fffffff;
        const uint32_t normal = (a - 0x38000000 + 0xfff + (a >> 13 & 1)) >> 13;
        const uint32_t denormal = bits_of(float_of(a) + 0.5f) - bits_of(0.5f);
        const uint32_t nan = 0x7e00 | (a >> 13 & 0x3ff);
        uint32_t h = a < 0x38800000 ? denormal : normal;

        h = a > 0x477fe000 ? 0x7bff : h; /* 65504 */
        h = a == 0x7f800000 ? 0x7c00 : h;
        h = a > 0x7f800000 ? nan : h;
        to[i] = (uint16_t)(bits >> 16 & 0x8000) | (uint16_t)h;
    }
}

/* The exponent of f16 is moved to that of f32; a denormal is the difference of two normals. */
void half_copy_out_plain(float *restrict to, const uint16_t *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t sign = (uint32_t)(from[i] & 0x8000) << 16, a = from[i] & 0x7fff;
        const uint32_t normal = (a << 13) + 0x38000000;
        const uint32_t denormal = bits_of(float_of(0x38800000 + (a << 13)) - float_of(0x38800000));
        uint32_t f = a < 0x400 ? denormal : normal;

        f = a >= 0x7c00 ? 0x7f800000 | a << 13 : f;
        f = a > 0x7c00 ? f | 0x00400000 : f;
        to[i] = float_of(sign | f);
    }
}

#if defined(__x86_64__) && defined(__GNUC__)

#include <cpuid.h>
#include <immintrin.h>

/* Finite numbers within +-65504. */
__attribute__((target("avx,f16c"))) static __m256 in_range(__m256 v)
{
    const __m256 largest = _mm256_set1_ps(65504), least = _mm256_set1_ps(-65504);
    const __m256 magnitude = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v);
    const __m256 finite = _mm256_cmp_ps(magnitude, _mm256_set1_ps(__builtin_inff()), _CMP_LT_OQ);

    return _mm256_blendv_ps(v, _mm256_max_ps(_mm256_min_ps(v, largest), least), finite);
}

__attribute__((target("avx,f16c"))) static void copy_in_f16c(uint16_t *to, const float *from,
                                                             size_t count)
{
    size_t i = 0;

    for (; i + 8 <= count; i += 8)
        _mm_storeu_si128((__m128i *)(to + i), _mm256_cvtps_ph(in_range(_mm256_loadu_ps(from + i)),
                                                              _MM_FROUND_TO_NEAREST_INT));
    half_copy_in_plain(to + i, from + i, count - i);
}

__attribute__((target("avx,f16c"))) static void copy_out_f16c(float *to, const uint16_t *from,
                                                              size_t count)
{
    size_t i = 0;

    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + i))));
    half_copy_out_plain(to + i, from + i, count - i);
}

/* The CPU has the instructions, and the system keeps the registers of AVX.  __builtin_cpu_supports
 * would link 4.5 KB that know every CPU. */
__attribute__((target("xsave"))) static bool cpu_has_f16c(void)
{
    const unsigned needed = bit_OSXSAVE | bit_AVX | bit_F16C, xmm_and_ymm = 6;
    unsigned a, b, c, d;

    return __get_cpuid(1, &a, &b, &c, &d) && (c & needed) == needed &&
           (_xgetbv(0) & xmm_and_ymm) == xmm_and_ymm;
}

/* Asked once: CPUID leaves a virtual machine, which takes microseconds. */
static bool has_f16c(void)
{
    enum { UNKNOWN, NO, YES };
    static _Atomic int known;

    if (known == UNKNOWN)
        known = cpu_has_f16c() ? YES : NO;
    return known == YES;
}

void half_copy_in(uint16_t *to, const float *from, size_t count)
{
    (has_f16c() ? copy_in_f16c : half_copy_in_plain)(to, from, count);
}

void half_copy_out(float *to, const uint16_t *from, size_t count)
{
    (has_f16c() ? copy_out_f16c : half_copy_out_plain)(to, from, count);
}

#elif defined(__aarch64__)

/* FCVT is in the base instruction set, and __fp16 of GCC and clang is IEEE's f16; it keeps the
 * payload of a NaN as the plain loop does. */
void half_copy_in(uint16_t *to, const float *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const float f = from[i], within = f > 65504 ? 65504 : f < -65504 ? -65504 : f;
        const __fp16 h = (__fp16)(f - f == 0 ? within : f); /* infinity stays */

        memcpy(to + i, &h, sizeof h);
    }
}

void half_copy_out(float *to, const uint16_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        __fp16 h;

        memcpy(&h, from + i, sizeof h);
        to[i] = h;
    }
}

#else

void half_copy_in(uint16_t *to, const float *from, size_t count)
{
    half_copy_in_plain(to, from, count);
}

void half_copy_out(float *to, const uint16_t *from, size_t count)
{
    half_copy_out_plain(to, from, count);
}

#endif
