#include "conformance/util/version.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Takes the next number off a version, as its digits without leading zeros, so that a number of any
 * length can be compared. */
static const char *next_number(const char **version, size_t *length)
{
    const char *digits = *version + strspn(*version, "0");

    *length = strspn(digits, "0123456789");
    *version = digits + *length;
    if (**version == '.' && isdigit((unsigned char)(*version)[1]))
        ++*version;
    else
        *version = "";
    return digits;
}

int version_compare(const char *a, const char *b)
{
    while (*a || *b) {
        size_t a_length, b_length;
        const char *const x = next_number(&a, &a_length), *const y = next_number(&b, &b_length);
        const int order =
            a_length != b_length ? (a_length < b_length ? -1 : 1) : strncmp(x, y, a_length);

        if (order != 0)
            return order;
    }
    return 0;
}

static size_t version_length(const char *text)
{
    size_t n = strspn(text, "0123456789");

    while (n > 0 && text[n] == '.' && isdigit((unsigned char)text[n + 1]))
        n += 1 + strspn(text + n + 1, "0123456789");
    return n;
}

bool version_find(const char *driver, char *version, size_t bytes)
{
    const char *found = NULL;
    size_t found_length = 0;

    for (const char *p = driver; *p;) {
        const size_t n = version_length(p);
        const bool dotted = memchr(p, '.', n) != NULL;
        const bool in_word =
            (p > driver && isalnum((unsigned char)p[-1])) || isalpha((unsigned char)p[n]);

        if (n > 0 && (dotted || (!in_word && !found))) {
            found = p;
            found_length = n;
        }
        if (dotted)
            break;
        p += n > 0 ? n : 1;
    }
    return found && snprintf(version, bytes, "%.*s", (int)found_length, found) < (int)bytes;
}

enum comparison { LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL, UNEQUAL };

static enum comparison read_comparison(const char **text)
{
    static const struct {
        const char *sign;
        enum comparison comparison;
    } signs[] = {
        { "<=", LESS_EQUAL }, { ">=", GREATER_EQUAL }, { "!=", UNEQUAL }, { "==", EQUAL },
        { "<", LESS },        { ">", GREATER },        { "=", EQUAL },
    };

    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const size_t n = strlen(signs[i].sign);

        if (strncmp(*text, signs[i].sign, n) == 0) {
            *text += n;
            return signs[i].comparison;
        }
    }
    return EQUAL;
}

bool version_range_is_valid(const char *text)
{
    for (;;) {
        size_t n;

        text += strspn(text, " ");
        read_comparison(&text);
        text += strspn(text, " ");
        n = version_length(text);
        if (n == 0)
            return false;
        text += n;
        text += strspn(text, " ");
        if (*text == '\0')
            return true;
        if (*text++ != ',')
            return false;
    }
}

static bool meets(enum comparison comparison, int order)
{
    switch (comparison) {
    case LESS: return order < 0;
    case LESS_EQUAL: return order <= 0;
    case GREATER: return order > 0;
    case GREATER_EQUAL: return order >= 0;
    case EQUAL: return order == 0;
    case UNEQUAL: return order != 0;
    }
    return false;
}

bool version_range_has(const char *range, const char *version)
{
    while (*range) {
        enum comparison comparison;

        range += strspn(range, " ,");
        comparison = read_comparison(&range);
        range += strspn(range, " ");
        if (!meets(comparison, version_compare(version, range)))
            return false;
        range += strcspn(range, ",");
    }
    return true;
}
