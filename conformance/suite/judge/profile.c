#include "conformance/suite/judge/profile.h"

#include <math.h>
#include <string.h>

enum { LEVEL_ONE = 31, LEVEL_LAST = 61 };

static const char levels[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
_Static_assert(sizeof levels == LEVEL_LAST + 2, "a character for each level");

char profile_level(double ratio)
{
    double level;

    if (ratio == 0)
        return levels[0];
    if (!isfinite(ratio) || ratio < 0)
        return levels[LEVEL_LAST];
    level = ceil(3 * log2(ratio)) + LEVEL_ONE;
    if (level < 1)
        return levels[1];
    return levels[level < LEVEL_LAST ? (int)level : LEVEL_LAST];
}

double profile_ratio(char level)
{
    const char *const at = level ? strchr(levels, level) : NULL;
    const ptrdiff_t k = at ? at - levels : -1;

    if (k <= 0)
        return (double)k;
    return k == LEVEL_LAST ? INFINITY : exp2((double)(k - LEVEL_ONE) / 3);
}

void profile_write(const double *ratios, size_t count, char text[PROFILE_BINS + 1])
{
    if (count > PROFILE_BINS)
        count = PROFILE_BINS;
    for (size_t i = 0; i < count; i++)
        text[i] = profile_level(ratios[i]);
    text[count] = '\0';
}
