/* Numbers that follow from a seed, for mutators: a fuzzer repeats a run by its seed. */
#ifndef ASSAY_FUZZ_KIT_RANDOM_H
#define ASSAY_FUZZ_KIT_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct fuzz_random {
    uint64_t state;
};

/* splitmix64 */
static inline uint64_t fuzz_next(struct fuzz_random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Below n; 0 where n is 0. */
static inline size_t fuzz_below(struct fuzz_random *r, size_t n)
{
    return n ? (size_t)(fuzz_next(r) % n) : 0;
}

#endif
