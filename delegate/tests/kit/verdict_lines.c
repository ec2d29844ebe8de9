#include "delegate/tests/kit/verdict_lines.h"
#include "reference/tests/kit/test.h"

#include <stdlib.h>
#include <string.h>

enum { SECTIONS = 4096 };

static FILE *file;
static char last[192], section[1 << 14], line_base[16], line_name[64];
static const char *section_name;
static unsigned times;
static bool line_printed;
static struct {
    char *key, *text;
} first[SECTIONS];
static size_t first_count;

void verdict_lines_open(FILE *out)
{
    file = out;
}

void verdict_lines_close(void)
{
    while (first_count > 0) {
        free(first[--first_count].key);
        free(first[first_count].text);
    }
}

void verdict_line(const char *base, const char *name)
{
    snprintf(line_base, sizeof line_base, "%s", base);
    snprintf(line_name, sizeof line_name, "%s", name);
    line_printed = false;
}

void verdict_section(const char *name)
{
    section_name = name;
    section[0] = '\0';
}

static void flush_last(void)
{
    const size_t used = strlen(section);
    const int n = times > 1
                      ? snprintf(section + used, sizeof section - used, " %s x%u", last, times)
                      : snprintf(section + used, sizeof section - used, " %s", last);

    assert_true(n > 0 && (size_t)n < sizeof section - used);
    times = 0;
}

void verdict_print(const char *text)
{
    if (times > 0 && strcmp(text, last) != 0)
        flush_last();
    snprintf(last, sizeof last, "%s", text);
    times++;
}

void verdict_section_end(void)
{
    char key[96];
    size_t i = 0;

    if (times > 0)
        flush_last();
    snprintf(key, sizeof key, "%s %s", line_name, section_name);
    while (i < first_count && strcmp(first[i].key, key) != 0)
        i++;
    if (i < first_count && strcmp(first[i].text, section) == 0)
        return;
    if (i == first_count) {
        assert_true(first_count < SECTIONS);
        first[first_count].key = strdup(key);
        first[first_count++].text = strdup(section);
    }
    if (!line_printed)
        fprintf(file, "%s %s\n", line_base, line_name);
    line_printed = true;
    fprintf(file, "    %s:%s\n", section_name, section);
}
