/* Reads tables in text. */
#include "conformance/util/tsv.h"

#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 24 };

const char *tsv_cell(const struct tsv *t, size_t row, size_t column)
{
    assert(row < t->rows && column < t->columns);
    return t->cells[row * t->columns + column];
}

void tsv_close(struct tsv *t)
{
    arena_close(&t->arena);
    *t = (struct tsv){ .rows = 0 };
}

/* Splits a line into cells; false when it does not have as many as there are columns. */
static bool cut(char *line, const char **cells, size_t columns)
{
    for (size_t i = 0; i < columns; i++) {
        char *const cell = strsep(&line, "\t");

        if (!cell)
            return false;
        cells[i] = cell;
    }
    return line == NULL;
}

static enum status read_lines(struct tsv *t, char *text, const char *path,
                              const char *const *header, struct diag *diag)
{
    bool begun = false;
    size_t number = 0;
    char *line;

    while ((line = strsep(&text, "\n")) != NULL) {
        const char **const cells = &t->cells[t->rows * t->columns];
        const size_t length = strlen(line);

        number++;
        if (length > 0 && line[length - 1] == '\r')
            line[length - 1] = '\0';
        if (!*line || *line == '#')
            continue;
        if (!cut(line, cells, t->columns))
            return diag_fail(diag, STATUS_USAGE, "%s: line %zu: expected %zu columns", path, number,
                             t->columns);
        for (size_t i = 0; !begun && i < t->columns; i++) {
            if (strcmp(cells[i], header[i]) != 0)
                return diag_fail(diag, STATUS_USAGE,
                                 "%s: line %zu: column %zu is '%s', expected '%s'", path, number,
                                 i + 1, cells[i], header[i]);
        }
        t->lines[t->rows] = number;
        t->rows += begun;
        begun = true;
    }
    if (!begun)
        return diag_fail(diag, STATUS_USAGE, "%s: no header line", path);
    return STATUS_OK;
}

enum status tsv_read(struct tsv *t, const char *path, const char *const *header, size_t columns,
                     struct diag *diag)
{
    uint8_t *bytes;
    size_t count, lines = 2;
    char *text;

    *t = (struct tsv){ .columns = columns };
    TRY(file_read(path, FILE_LIMIT, &bytes, &count, diag));
    for (size_t i = 0; i < count; i++)
        lines += bytes[i] == '\n';
    text = arena_alloc(&t->arena, count + 1, 1);
    t->cells = ARENA_NEW(&t->arena, lines * columns, const char *);
    t->lines = ARENA_NEW(&t->arena, lines, size_t);
    if (text)
        memcpy(text, bytes, count);
    mem_free(bytes);
    if (!text || !t->cells || !t->lines)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
    text[count] = '\0';
    return read_lines(t, text, path, header, diag);
}
