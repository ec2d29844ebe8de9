/* Lists of words in one text: "stride_w tail", "fp16,winograd". */
#ifndef ASSAY_CONFORMANCE_UTIL_WORDS_H
#define ASSAY_CONFORMANCE_UTIL_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether word is one of the words, between which `sign` stands. */
static inline bool words_have(const char *words, const char *word, char sign)
{
    const char signs[] = { sign, '\0' };
    const size_t length = strlen(word);

    for (const char *at = words; *at;) {
        const size_t n = strcspn(at, signs);

        if (n == length && memcmp(at, word, n) == 0)
            return true;
        at += n + (at[n] == sign);
    }
    return false;
}

#endif
