#include "reference/text/scan.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOUND_MAX = 24 }; /* bytes of the text that a message repeats */

enum status scan_fail(const struct scan *t, const char *at, enum status s, const char *format, ...)
{
    char message[512];
    size_t line = 1, column = 1;
    va_list args;

    for (const char *c = t->start; c < at; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return diag_fail(t->diag, s, "line %zu, column %zu: %s", line, column, message);
}

enum status scan_expected(const struct scan *t, const char *what)
{
    const size_t length = strcspn(t->at, "\n");

    if (length == 0)
        return scan_fail(t, t->at, STATUS_INVALID, "expected %s, found the end of the %s", what,
                         *t->at ? "line" : "text");
    return scan_fail(t, t->at, STATUS_INVALID, "expected %s, found '%.*s'", what,
                     (int)(length < FOUND_MAX ? length : FOUND_MAX), t->at);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

void scan_blanks(struct scan *t)
{
    for (;;) {
        const char before = t->at == t->start ? ' ' : t->at[-1];

        if (is_blank(*t->at))
            t->at++;
        else if (*t->at == '\\' && t->at[1] == '\n')
            t->at += 2;
        else if (*t->at == '#' && (is_blank(before) || before == '\n' || before == ';'))
            t->at += strcspn(t->at, "\n");
        else
            return;
    }
}

bool scan_is_end(const struct scan *t)
{
    return *t->at == '\0' || *t->at == ';' || *t->at == '\n';
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool scan_take(struct scan *t, const char *word)
{
    const size_t n = strlen(word);

    if (strncmp(t->at, word, n) != 0 || (is_letter(word[n - 1]) && is_letter(t->at[n])))
        return false;
    t->at += n;
    return true;
}

size_t scan_word(const struct scan *t)
{
    size_t n = 0;

    while (is_letter(t->at[n]))
        n++;
    return n;
}

static size_t plain_length(const char *text)
{
    size_t n = 0;

    if (is_letter(*text))
        while (is_letter(text[n]) || text[n] == '.' || text[n] == '/')
            n++;
    return n;
}

bool scan_is_plain(const char *name)
{
    const size_t n = plain_length(name);

    return n > 0 && name[n] == '\0';
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int hex_byte(const char *at)
{
    const int high = hex_digit(at[0]), low = high < 0 ? -1 : hex_digit(at[1]);

    return low < 0 ? -1 : 16 * high + low;
}

static enum status read_quoted(struct scan *t, char *out)
{
    for (t->at++; *t->at != '"'; t->at++) {
        int byte = (unsigned char)*t->at;

        if (byte == '\0' || byte == '\n')
            return scan_expected(t, "a \" at the end of the name");
        if (byte == '\\' && (t->at[1] == '"' || t->at[1] == '\\'))
            byte = (unsigned char)*++t->at;
        else if (byte == '\\') {
            if (t->at[1] != 'x' || (byte = hex_byte(t->at + 2)) <= 0)
                return scan_expected(t, "\\\", \\\\ or \\x01 to \\xff");
            t->at += 3;
        }
        *out++ = (char)byte;
    }
    t->at++;
    return STATUS_OK;
}

/* Up to the closing quotes, or to what stands in their place. */
static size_t quoted_length(const char *text)
{
    size_t n = 1;

    while (text[n] && text[n] != '\n' && text[n] != '"')
        n += text[n] == '\\' && text[n + 1] ? 2 : 1;
    return n;
}

enum status scan_name(struct scan *t, const char *what, const char **name)
{
    const bool quoted = *t->at == '"';
    const size_t length = quoted ? quoted_length(t->at) : plain_length(t->at);
    char *const text = ARENA_NEW(t->arena, length + 1, char);

    if (length == 0)
        return scan_expected(t, what);
    if (!text)
        return scan_fail(t, t->at, STATUS_NO_MEMORY, "out of memory");
    *name = text;
    if (quoted)
        return read_quoted(t, text);
    memcpy(text, t->at, length);
    t->at += length;
    return STATUS_OK;
}

enum status scan_integer(struct scan *t, const char *what, int64_t least, int64_t most,
                         int64_t *value)
{
    const char *const digits = t->at + (*t->at == '-');
    const bool hex = digits[0] == '0' && digits[1] == 'x';
    char text[256], *end;

    errno = 0;
    *value = strtoll(t->at, &end, hex ? 16 : 10);
    if (isdigit((unsigned char)*digits) && errno == 0 && *value >= least && *value <= most) {
        t->at = end;
        return STATUS_OK;
    }
    snprintf(text, sizeof text, "%s from %" PRId64 " to %" PRId64, what, least, most);
    return scan_expected(t, text);
}

enum status scan_real(struct scan *t, const char *what, double *value, uint64_t *bits)
{
    char *end;

    *bits = 0;
    if (strncmp(t->at, "nan(0x", 6) == 0) {
        *bits = strtoull(t->at + 4, &end, 16);
        *value = 0;
        t->at = end;
        return *bits != 0 && scan_take(t, ")") ? STATUS_OK
                                               : scan_expected(t, "bits and ) behind nan(");
    }
    if (isspace((unsigned char)*t->at) || (*value = strtod(t->at, &end), end == t->at))
        return scan_expected(t, what);
    t->at = end;
    return STATUS_OK;
}

enum status scan_bytes(struct scan *t, uint8_t **bytes, size_t *count)
{
    *count = 0;
    while (hex_byte(t->at + 2 * *count) >= 0)
        ++*count;
    if (!(*bytes = ARENA_NEW(t->arena, *count + 1, uint8_t)))
        return scan_fail(t, t->at, STATUS_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < *count; i++)
        (*bytes)[i] = (uint8_t)hex_byte(t->at + 2 * i);
    t->at += 2 * *count;
    if (hex_digit(*t->at) >= 0)
        return scan_expected(t, "two digits for each byte");
    return STATUS_OK;
}
