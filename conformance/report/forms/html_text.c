#include "conformance/report/forms/html_text.h"

#include "conformance/util/sha256.h"
#include "reference/base/utf8.h"

#include <inttypes.h>
#include <stdbool.h>

static const char replacement[] = "\xef\xbf\xbd";

/* Whether the character turns the direction of what follows. */
static bool turns(uint32_t code)
{
    return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
           code == 0x200e || code == 0x200f;
}

static void write_ascii(FILE *out, char c)
{
    switch (c) {
    case '<': fputs("&lt;", out); break;
    case '>': fputs("&gt;", out); break;
    case '&': fputs("&amp;", out); break;
    case '"': fputs("&quot;", out); break;
    case '\'': fputs("&#39;", out); break;
    case '\t':
    case '\n': fputc(c, out); break;
    default: c < ' ' || c == 0x7f ? fputs(replacement, out) : fputc(c, out);
    }
}

void html_text(FILE *out, const char *text)
{
    uint32_t code;
    size_t n;

    for (; text && (n = utf8_decode(text, &code)) > 0; text += n) {
        if (code < 0x80)
            write_ascii(out, (char)code);
        else if (code == UTF8_REPLACEMENT)
            fputs(replacement, out);
        else if (turns(code))
            fprintf(out, "\\u%04x", (unsigned)code);
        else
            fwrite(text, 1, n, out);
    }
}

void html_count(FILE *out, uint64_t count)
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%" PRIu64, count);

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            fputc(',', out);
        fputc(digits[i], out);
    }
}

/* Of JSON only strings hold these characters, and there they may be escaped. */
static int write_escaped(const char *bytes, size_t count, void *out)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '<' || bytes[i] == '>' || bytes[i] == '&')
            fprintf(out, "\\u%04x", (unsigned)bytes[i]);
        else
            fputc(bytes[i], out);
    }
    return 0;
}

bool html_json(FILE *out, const json_t *value)
{
    return json_dump_callback(value, write_escaped, out,
                              JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY |
                                  JSON_REAL_PRECISION(9)) == 0;
}

static unsigned hex_digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

void html_policy_hash(FILE *out, const char *bytes, size_t count)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char hex[SHA256_HEX_BYTES];
    unsigned bits = 0, held = 0;

    sha256_hex(bytes, count, hex);
    fputs("'sha256-", out);
    for (const char *p = hex; *p; p++) {
        bits = bits << 4 | hex_digit(*p);
        held += 4;
        if (held >= 6) {
            held -= 6;
            fputc(alphabet[bits >> held & 63], out);
        }
    }
    /* 32 bytes leave 4 bits, which 2 zeros fill, and one sign of padding. */
    fputc(alphabet[bits << (6 - held) & 63], out);
    fputs("='", out);
}
