#include "reference/base/clean.h"

#include "reference/base/utf8.h"

/* C0, DEL, C1; line and paragraph separators; marks, embeddings, overrides and isolates of the
 * bidirectional algorithm. */
bool clean_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c || code == 0x200e ||
           code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == UTF8_REPLACEMENT;
}

static void print(FILE *out, const char *text, bool lines)
{
    uint32_t code;
    size_t n;

    for (; text && (n = utf8_decode(text, &code)) > 0; text += n) {
        if (!clean_is_control(code) || (lines && code == '\n')) {
            fwrite(text, 1, n, out);
            continue;
        }
        for (size_t i = 0; i < n; i++)
            fprintf(out, "\\x%02x", (unsigned)(unsigned char)text[i]);
    }
}

void clean_print(FILE *out, const char *text)
{
    print(out, text, false);
}

void clean_message(const char *before, const char *text)
{
    fputs(before, stderr);
    print(stderr, text, false);
    fputc('\n', stderr);
}

void clean_print_lines(FILE *out, const char *text)
{
    print(out, text, true);
}
