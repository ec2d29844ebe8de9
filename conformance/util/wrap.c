#include "conformance/util/wrap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HANG = 4, KEY_COLUMNS = 16 };

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Where the rest of a folded line begins. */
static size_t hang_of(const char *line, size_t length)
{
    const size_t indent = strspn(line, " ");
    size_t at = indent;

    if (indent > 0)
        return indent + HANG;
    while (at < length && at < KEY_COLUMNS && !(line[at] == ' ' && line[at + 1] == ' '))
        at++;
    while (at < length && line[at] == ' ')
        at++;
    return at < length && at < KEY_COLUMNS && line[at - 1] == ' ' ? at : HANG;
}

/* How many bytes of the line go in so many columns, the place of the break included: at least one
 * code point. */
static size_t fitting(const char *line, size_t length, size_t columns)
{
    size_t at = 0, used = 0, space = 0, mark = 0;

    while (at < length) {
        size_t next = at + 1;

        while (next < length && continues(line[next]))
            next++;
        if (line[at] == ' ' && (at == 0 || line[at - 1] != ' '))
            space = at; /* a line may end here, all spaces left out */
        if (used == columns)
            break;
        if (strchr("/;,|", line[at]))
            mark = next;
        used++;
        at = next;
    }
    if (at == length)
        return length;
    if (space > 0)
        return space;
    return mark > 0 ? mark : at > 0 ? at : 1;
}

static void wrap_line(FILE *out, const char *line, size_t length, size_t width)
{
    const size_t indent = strspn(line, " ") < length ? strspn(line, " ") : 0;
    size_t hang = hang_of(line, length), count;

    if (hang + HANG > width)
        hang = 0;
    count = indent < width ? indent + fitting(line + indent, length - indent, width - indent)
                           : fitting(line, length, width);
    fwrite(line, 1, count, out);
    for (line += count, length -= count; length > 0; line += count, length -= count) {
        while (length > 0 && *line == ' ') {
            line++;
            length--;
        }
        if (length == 0)
            break;
        count = fitting(line, length, width - hang);
        fprintf(out, "\n%*s", (int)hang, "");
        fwrite(line, 1, count, out);
    }
}

void wrap_print(FILE *out, const char *text, size_t width)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");

        wrap_line(out, text, length, width);
        text += length;
        if (*text == '\n') {
            fputc('\n', out);
            text++;
        }
    }
}

bool colour_is_shown(FILE *out)
{
    const char *const none = getenv("NO_COLOR"), *const term = getenv("TERM");

    return isatty(fileno(out)) && term && *term && strcmp(term, "dumb") != 0 && !(none && *none);
}

static const char red[] = "\033[31m", green[] = "\033[32m", yellow[] = "\033[33m",
                  plain[] = "\033[m";

/* The colour of the first `*length` bytes of a line; NULL: none. */
static const char *colour_of(const char *line, size_t *length)
{
    static const struct {
        const char *word, *colour;
    } words[] = {
        { "fail ", red }, { "crash ", red }, { "timeout ", yellow }, { "unexpected_pass ", yellow }
    };
    static const char totals[] = "conformance: ";
    const char *failed;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        *length = strlen(words[i].word) - 1;
        if (strncmp(line, words[i].word, *length + 1) == 0)
            return words[i].colour;
    }
    *length = strcspn(line, "\n");
    if (strncmp(line, totals, strlen(totals)) != 0)
        return NULL;
    failed = strstr(line, " failed");
    if (!failed || failed > line + *length)
        return NULL;
    return failed - line >= 2 && failed[-1] == '0' && failed[-2] == ' ' ? green : red;
}

void colour_print(FILE *out, const char *text)
{
    while (*text) {
        const size_t line = strcspn(text, "\n");
        size_t length;
        const char *const colour = colour_of(text, &length);

        if (colour)
            fprintf(out, "%s%.*s%s", colour, (int)length, text, plain);
        else
            length = 0;
        fwrite(text + length, 1, line - length, out);
        text += line;
        if (*text == '\n') {
            fputc('\n', out);
            text++;
        }
    }
}
