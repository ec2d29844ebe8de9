/* Pairwise sweeps: each pair is there, few rows, and names. */
#include "reference/tests/kit/test.h"

#include "conformance/suite/cases/pairwise.h"

#include <string.h>

static const struct pairwise_level eight[] = {
    { "a1", 1, 0 }, { "a2", 2, 0 }, { "a3", 3, 0 }, { "a4", 4, 0 },
    { "a5", 5, 0 }, { "a6", 6, 0 }, { "a7", 7, 0 }, { "a8", 8, 0 },
};
static const struct pairwise_level five[] = {
    { "b1", 1, 1 }, { "b2", 2, 1 }, { "b3", 3, 1 }, { "b4", 4, 1 }, { "b5", 5, 1 },
};
static const struct pairwise_level three[] = { { "", 0, 0 }, { "x", 0, 0 }, { "y", 0, 0 } };
static const struct pairwise_level two[] = { { "", 0, 0 }, { "valid", 0, 0 } };
static const struct pairwise_axis axes[] = {
    PAIRWISE_AXIS(two),   PAIRWISE_AXIS(three), PAIRWISE_AXIS(eight),
    PAIRWISE_AXIS(three), PAIRWISE_AXIS(five),  PAIRWISE_AXIS(two),
};
enum { AXES = sizeof axes / sizeof axes[0] };

static struct pairwise_row rows[PAIRWISE_ROWS_MAX];

static bool has_pair(size_t count, size_t a, size_t i, size_t b, size_t j)
{
    for (size_t r = 0; r < count; r++) {
        if (rows[r].level[a] == &axes[a].levels[i] && rows[r].level[b] == &axes[b].levels[j])
            return true;
    }
    return false;
}

TEST(test_every_pair_is_there)
{
    const size_t count = pairwise_rows(axes, AXES, rows);

    for (size_t a = 0; a < AXES; a++) {
        for (size_t b = a + 1; b < AXES; b++) {
            for (size_t i = 0; i < axes[a].count; i++) {
                for (size_t j = 0; j < axes[b].count; j++) {
                    if (!has_pair(count, a, i, b, j))
                        fail_msg("axis %zu level %zu is in no row with axis %zu level %zu", a, i, b,
                                 j);
                }
            }
        }
    }
}

/* The two longest axes need 8 x 5 rows; greed adds a few, far from the product's 1,440. */
TEST(test_rows_are_few)
{
    const size_t count = pairwise_rows(axes, AXES, rows);

    assert_in_range(count, 40, 50);
}

TEST(test_names_are_the_labels)
{
    const size_t count = pairwise_rows(axes, AXES, rows);

    for (size_t r = 0; r < count; r++) {
        char want[PAIRWISE_NAME_BYTES] = "";

        for (size_t a = 0; a < AXES; a++) {
            const char *const label = rows[r].level[a]->label;

            if (label[0] && want[0])
                strcat(want, "_");
            strcat(want, label);
        }
        assert_string_equal(rows[r].name, want);
    }
}

TEST(test_rows_are_the_same_each_time)
{
    static struct pairwise_row again[PAIRWISE_ROWS_MAX];
    const size_t count = pairwise_rows(axes, AXES, rows);

    assert_int_equal(pairwise_rows(axes, AXES, again), count);
    for (size_t r = 0; r < count; r++)
        assert_string_equal(again[r].name, rows[r].name);
}
