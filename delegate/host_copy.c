#include "delegate/host_copy.h"

#include <math.h>
#include <string.h>

static float dequantized(int q, const struct plan_io *io)
{
    return io->view.scale * (float)(q - io->view.zero_point);
}

/* To the nearest. */
static int quantized(float f, const struct plan_io *io)
{
    const bool is_signed = io->view.type == kTfLiteInt8;
    const float low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;
    const float q = roundf(f / io->view.scale) + (float)io->view.zero_point;

    /* NaN fails both comparisons, and becomes the lowest. */
    return (int)(q >= low ? q <= high ? q : high : low);
}

void host_copy_in(void *staging, const void *host, const struct plan_io *io)
{
    const int8_t *i8 = host;
    const uint8_t *u8 = host;
    float *to = staging;

    if (io->view.type == kTfLiteNoType)
        memcpy(staging, host, io->bytes);
    else
        for (size_t i = 0; i < io->bytes; i++)
            to[i] = dequantized(io->view.type == kTfLiteInt8 ? i8[i] : u8[i], io);
}

void host_copy_out(void *host, const void *staging, const struct plan_io *io)
{
    const float *from = staging;
    uint8_t *to = host;

    if (io->view.type == kTfLiteNoType)
        memcpy(host, staging, io->bytes);
    else
        for (size_t i = 0; i < io->bytes; i++)
            to[i] = (uint8_t)quantized(from[i], io);
}

void host_copy_across(void *to, const void *from, const struct plan_io *io)
{
    const float *values = from;
    float *rounded = to;

    if (io->view.type == kTfLiteNoType)
        memcpy(to, from, io->bytes);
    else
        for (size_t i = 0; i < io->bytes; i++)
            rounded[i] = dequantized(quantized(values[i], io), io);
}
