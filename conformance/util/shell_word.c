#include "conformance/util/shell_word.h"

#include <string.h>

void shell_word_print(const char *word, FILE *out)
{
    const size_t plain = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_./=,:+@%-");

    if (word[plain] == '\0' && plain > 0) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++) {
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    }
    fputc('\'', out);
}
