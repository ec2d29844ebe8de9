#include "conformance/util/clean.h"

#include "conformance/util/utf8.h"

#include <stdbool.h>

/* C0, DEL, C1; line and paragraph separators; marks, embeddings, overrides and isolates of the
 * bidirectional algorithm. */
static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c || code == 0x200e ||
           code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == UTF8_REPLACEMENT;
}

void clean_print(FILE *out, const char *text)
{
    uint32_t code;
    size_t n;

    for (; text && (n = utf8_decode(text, &code)) > 0; text += n) {
        if (is_control(code))
            fputc('?', out);
        else
            fwrite(text, 1, n, out);
    }
}
