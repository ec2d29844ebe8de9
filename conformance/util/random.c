/* xoshiro256** by Blackman and Vigna; splitmix64 by Steele, Lea and Flood. */
#include "conformance/util/random.h"

#include <assert.h>

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Mixes a number into a hash. */
static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash ^= splitmix(&value);
    return splitmix(&hash);
}

void random_init(struct random_stream *s, uint64_t seed, const char *name, uint64_t set,
                 uint64_t tensor, uint64_t frame)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    hash = mix(mix(mix(mix(hash, seed), set), tensor), frame);
    for (int i = 0; i < 4; i++)
        s->s[i] = splitmix(&hash);
}

static uint64_t rotate(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

uint64_t random_next(struct random_stream *s)
{
    const uint64_t result = rotate(s->s[1] * 5, 7) * 9;
    const uint64_t t = s->s[1] << 17;

    s->s[2] ^= s->s[0];
    s->s[3] ^= s->s[1];
    s->s[1] ^= s->s[2];
    s->s[0] ^= s->s[3];
    s->s[2] ^= t;
    s->s[3] = rotate(s->s[3], 45);
    return result;
}

uint64_t random_below(struct random_stream *s, uint64_t n)
{
    assert(n > 0);
    return random_next(s) % n; /* n is far below 2^64: the bias of the remainder is negligible */
}

double random_normal(struct random_stream *s)
{
    uint64_t sum = 0;

    for (int i = 0; i < 6; i++) {
        const uint64_t x = random_next(s);
        sum += (x >> 32) + (x & 0xffffffffu);
    }
    /* Below 2^36: both conversions and the product are exact. */
    return (double)((int64_t)sum - (6ll << 32)) * 0x1p-32;
}
