/* Reasons without numbers. */
#include "conformance/report/record/cluster.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Length of the number that begins at text; 0 when none does.  `before` is the character in front.
 */
static size_t number_length(const char *text, char before)
{
    const char *at = text;
    char *end;

    if (is_word(before))
        return 0;
    if ((*at == '-' || *at == '+') && before != ')')
        at++;
    if (!isdigit((unsigned char)*at) && strncmp(at, "inf", 3) != 0 && strncmp(at, "nan", 3) != 0)
        return 0;
    strtod(at, &end);
    /* "infinite" and "2nd" are words. */
    return end == at || is_word(*end) ? 0 : (size_t)(end - text);
}

/* Length of what a line of glog begins with, "F0000 00:00:1795719277.5   7054 ": time and thread.
 */
static size_t log_prefix_length(const char *text, char before)
{
    if (is_word(before) || !*text || !strchr("IWEF", *text) || strspn(text + 1, "0123456789") != 4)
        return 0;
    return text[5] == ' ' && isdigit((unsigned char)text[6]) ? 1 + strspn(text + 1, "0123456789:. ")
                                                             : 0;
}

void cluster_normalize(const char *reason, char *out, size_t bytes)
{
    size_t used = 0;
    char before = ' ';

    while (*reason && used + 1 < bytes) {
        const size_t prefix = log_prefix_length(reason, before);

        /* Columns are as wide as their numbers. */
        if (prefix > 0 || (*reason == ' ' && before == ' ' && used > 0)) {
            reason += prefix ? prefix : 1;
            continue;
        }
        const bool is_set = *reason == 'S' && isdigit((unsigned char)reason[1]) &&
                            !is_word(reason[2]) && !is_word(before);
        const size_t length = is_set ? 2 : number_length(reason, before);

        if (length == 0) {
            before = *reason;
            out[used++] = *reason++;
            continue;
        }
        reason += length;
        before = reason[-1];
        /* A list of numbers, such as a shape of any rank, becomes one. */
        if (!is_set && used >= 3 && strncmp(out + used - 3, "#, ", 3) == 0) {
            used -= 2;
            continue;
        }
        if (is_set && used + 2 < bytes)
            out[used++] = 'S';
        out[used++] = '#';
    }
    while (used > 0 && out[used - 1] == ' ')
        used--;
    out[used] = '\0';
}
