/* The monotonic clock, for durations and deadlines. */
#ifndef ASSAY_CONFORMANCE_UTIL_CLOCK_H
#define ASSAY_CONFORMANCE_UTIL_CLOCK_H

#include <time.h>

static inline double clock_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline double clock_ms(void)
{
    return clock_s() * 1e3;
}

#endif
