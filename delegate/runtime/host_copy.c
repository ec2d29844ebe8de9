/* Speed, -O3: whole tensors, at each inference */
#include "delegate/runtime/host_copy.h"

#include "delegate/runtime/half_copy.h"

#include <string.h>

/* One loop for each type, so that compilers vectorize it (the Makefile asks for -O3): 150,528
 * elements take 0.02 ms in and 0.07 ms out; a loop that calls roundf takes 0.10 and 0.42. */
static void dequantize_i8(float *restrict to, const int8_t *restrict from, size_t count,
                          float scale, float zero)
{
    for (size_t i = 0; i < count; i++)
        to[i] = scale * ((float)from[i] - zero);
}

static void dequantize_u8(float *restrict to, const uint8_t *restrict from, size_t count,
                          float scale, float zero)
{
    for (size_t i = 0; i < count; i++)
        to[i] = scale * ((float)from[i] - zero);
}

/* Rounds to the nearest step; a value within one ULP of a tie may go either way.  Clamping comes
 * first: NaN fails the first comparison, and becomes the lowest value. */
static void quantize(uint8_t *restrict to, const float *restrict from, size_t count, float scale,
                     float zero, float low)
{
    const float high = low + 255;

    for (size_t i = 0; i < count; i++) {
        const float q = from[i] / scale + zero;
        const float most = q > low ? q : low;
        const float in_range = most < high ? most : high;

        to[i] = (uint8_t)(int)(in_range + (in_range < 0 ? -0.5f : 0.5f));
    }
}

static void narrow(int32_t *restrict to, const int64_t *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (int32_t)from[i];
}

static void widen(int64_t *restrict to, const int32_t *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
}

/* The lowest value of an 8-bit type. */
static float lowest(TfLiteType type)
{
    return type == kTfLiteInt8 ? -128 : 0;
}

void host_copy_in(void *staging, const void *host, const struct plan_io *io)
{
    const float scale = io->float_view.scale, zero = (float)io->float_view.zero_point;

    if (io->half)
        half_copy_in(staging, host, io->bytes / sizeof(float));
    else if (io->float_view.type == kTfLiteNoType)
        memcpy(staging, host, io->bytes);
    else if (io->float_view.type == kTfLiteInt64)
        narrow(staging, host, io->bytes / sizeof(int64_t));
    else if (io->float_view.type == kTfLiteInt8)
        dequantize_i8(staging, host, io->bytes, scale, zero);
    else
        dequantize_u8(staging, host, io->bytes, scale, zero);
}

void host_copy_out(void *host, const void *staging, const struct plan_io *io)
{
    if (io->half)
        half_copy_out(host, staging, io->bytes / sizeof(float));
    else if (io->float_view.type == kTfLiteNoType)
        memcpy(host, staging, io->bytes);
    else if (io->float_view.type == kTfLiteInt64)
        widen(host, staging, io->bytes / sizeof(int64_t));
    else
        quantize(host, staging, io->bytes, io->float_view.scale, (float)io->float_view.zero_point,
                 lowest(io->float_view.type));
}

void host_copy_between(void *to, const struct plan_io *io, const void *from, bool from_half)
{
    const float *values = from;
    float *rounded = to;

    if (io->float_view.type == kTfLiteNoType) {
        if (io->half == from_half)
            memcpy(to, from, io->staged_bytes);
        else if (from_half)
            half_copy_out(to, from, io->bytes / sizeof(float));
        else
            half_copy_in(to, from, io->bytes / sizeof(float));
        return;
    }
    if (io->float_view.type == kTfLiteInt64) {
        memcpy(to, from, io->staged_bytes);
        return;
    }
    for (size_t i = 0; i < io->bytes; i++) {
        uint8_t q;

        quantize(&q, &values[i], 1, io->float_view.scale, (float)io->float_view.zero_point,
                 lowest(io->float_view.type));
        rounded[i] =
            io->float_view.scale * (float)((io->float_view.type == kTfLiteInt8 ? (int8_t)q : q) -
                                           io->float_view.zero_point);
    }
}
