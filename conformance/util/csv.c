#include "conformance/util/csv.h"

#include "reference/base/clean.h"
#include "reference/base/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

void csv_text(FILE *f, const char *text)
{
    const char *const all = text ? text : "";
    const bool formula = all[0] && strchr("=+-@\t\r", all[0]);
    const bool quoted = formula || strpbrk(all, "\",\r\n") || all[0] == ' ';
    uint32_t code;
    size_t length;

    if (quoted)
        fputc('"', f);
    if (formula)
        fputc('\'', f);
    for (const char *at = all; (length = utf8_decode(at, &code)) > 0; at += length) {
        if (code == '"')
            fputs("\"\"", f);
        else if (clean_is_control(code) && code != '\t' && code != '\n' && code != '\r')
            fputs("\xef\xbf\xbd", f);
        else
            fwrite(at, 1, length, f);
    }
    if (quoted)
        fputc('"', f);
}
