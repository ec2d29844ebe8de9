#include "conformance/util/nearest.h"

#include <string.h>

/* The Damerau-Levenshtein distance between two words: insertions, deletions, replacements and swaps
 * of neighbours.  For words that are too long it is limit + 1. */
static size_t edit_distance(const char *a, const char *b, size_t limit)
{
    enum { WORD_MAX = 48 };
    size_t row[3][WORD_MAX + 1];
    const size_t m = strlen(a), n = strlen(b);

    if (m > WORD_MAX || n > WORD_MAX)
        return limit + 1;
    for (size_t j = 0; j <= n; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t *const now = row[i % 3], *const last = row[(i + 2) % 3];
        const size_t *const before = row[(i + 1) % 3];

        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);

            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[m % 3][n];
}

const char *nearest_name(const char *word, const char *const *names, size_t count)
{
    const size_t length = strlen(word);
    size_t best = length < 3 ? 1 : length < 6 ? 2 : length / 3;
    const char *nearest = NULL;

    for (size_t i = 0; i < count; i++) {
        const size_t n = edit_distance(word, names[i], best);

        /* A word that shares no letter with the name is not a misspelling of it. */
        if (n < strlen(names[i]) && n < length && (nearest ? n < best : n <= best)) {
            best = n;
            nearest = names[i];
        }
    }
    return nearest;
}
