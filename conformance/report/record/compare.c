/* What can become of a case, and how far figures may move. */
#include "conformance/report/record/compare.h"

#include <math.h>

static const struct {
    const char *key, *title;
    bool bad;
} kinds[COMPARE_KIND_COUNT] = {
#define X(name, key, title, bad) { key, title, bad },
    COMPARE_KIND_LIST(X)
#undef X
};

const char *compare_kind_key(enum compare_kind k)
{
    return kinds[k].key;
}

const char *compare_kind_title(enum compare_kind k)
{
    return kinds[k].title;
}

bool compare_kind_is_bad(enum compare_kind k)
{
    return kinds[k].bad;
}

struct compare_limits compare_limits_default(void)
{
    return (struct compare_limits){ .margin_growth = 0.1,
                                    .margin_floor = 0.05,
                                    .slowdown = 0.05,
                                    .run_slowdown = INFINITY,
                                    .memory_growth = 0.02,
                                    .memory_floor = 4096 };
}
