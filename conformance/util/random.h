/* Random numbers that are the same on each machine and with each compiler: integer arithmetic, and
 * conversions and products of floats that are exact. */
#ifndef ASSAY_CONFORMANCE_UTIL_RANDOM_H
#define ASSAY_CONFORMANCE_UTIL_RANDOM_H

#include <stdint.h>

/* xoshiro256**, seeded by splitmix64. */
struct random_stream {
    uint64_t s[4];
};

/* A stream of its own for each combination of the run's seed, a name, a data set, a tensor and a
 * frame: what is added to a case later leaves its other tensors alone. */
void random_init(struct random_stream *s, uint64_t seed, const char *name, uint64_t set,
                 uint64_t tensor, uint64_t frame);
uint64_t random_next(struct random_stream *s);
/* Uniform in [0, n), n > 0. */
uint64_t random_below(struct random_stream *s, uint64_t n);
/* Sum of twelve uniforms less six: mean 0, variance 1, within (-6, 6); a multiple of 2^-32. */
double random_normal(struct random_stream *s);

#endif
