#include "reference/text/hostile_row.h"

#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const stages[] = {
#define X(name, text) text,
    HOSTILE_STAGES(X)
#undef X
};

const char *hostile_stage_text(enum hostile_stage stage)
{
    return stages[stage];
}

static const char *const statuses[] = {
#define X(name, text) #name,
    STATUS_LIST(X)
#undef X
};

/* The next word of *at, ended in place: up to white space, or between quotes.  NULL: none. */
static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " \t"), *end;

    if (!*word)
        return NULL;
    end = *word == '"' ? strchr(word + 1, '"') : word + strcspn(word, " \t");
    if (*word == '"')
        word++;
    if (!end)
        end = word + strlen(word);
    *at = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

/* "field=stride height" has quotes around the value: field="stride height". */
static char *next_key(char **at)
{
    char *word = *at + strspn(*at, " \t"), *equals = word + strcspn(word, "= \t\"");

    if (*equals != '=' || equals[1] != '"')
        return next_word(at);
    memmove(word + 1, word, (size_t)(equals + 1 - word)); /* over the quote */
    *at = equals + 2 + strcspn(equals + 2, "\"");
    if (**at)
        *(*at)++ = '\0';
    return word + 1;
}

static enum status bad(const struct hostile_row *row, struct diag *diag, const char *what,
                       const char *text)
{
    return diag_fail(diag, STATUS_INVALID, "%s:%d: %s: %s", row->file, row->line, what, text);
}

static int find_text(const char *const *texts, int count, const char *text, bool lower)
{
    for (int i = 0; i < count; i++) {
        size_t c = 0;

        while (text[c] && (lower ? tolower((unsigned char)texts[i][c]) : texts[i][c]) == text[c])
            c++;
        if (!text[c] && !texts[i][c])
            return i;
    }
    return -1;
}

/* "prepare invalid node=0 tensor=2 field=... words" */
static enum status read_verdict(struct hostile_row *row, char *text, struct diag *diag)
{
    char *word = next_word(&text);
    int found = word ? find_text(stages, HOSTILE_STAGE_COUNT, word, false) : -1;

    if (found < 0)
        return bad(row, diag, "no such stage", word ? word : "");
    row->stage = (enum hostile_stage)found;
    row->status = STATUS_OK;
    if (row->stage != HOSTILE_RUNS) {
        word = next_word(&text);
        found = word ? find_text(statuses, STATUS_COUNT, word, true) : -1;
        /* A pending row may name a status that is not there yet. */
        row->status = found > 0 ? (enum status)found : STATUS_COUNT;
    }
    while ((word = next_key(&text))) {
        if (strncmp(word, "node=", 5) == 0)
            row->node = atoi(word + 5);
        else if (strncmp(word, "tensor=", 7) == 0)
            row->tensor = atoi(word + 7);
        else if (strncmp(word, "field=", 6) == 0)
            row->field = word + 6;
        else if (row->word_count < HOSTILE_WORDS_MAX)
            row->words[row->word_count++] = word;
        else
            return bad(row, diag, "too many words", word);
    }
    return STATUS_OK;
}

static enum status read_delegate(struct hostile_row *row, char *text, struct diag *diag)
{
    const char *word;

    row->rule = next_word(&text);
    while ((word = next_word(&text))) {
        if (strncmp(word, "node=", 5) == 0) {
            row->rule_node = atoi(word + 5);
            continue;
        }
        if (row->rule_word_count == HOSTILE_WORDS_MAX)
            return bad(row, diag, "too many words", word);
        row->rule_words[row->rule_word_count++] = word;
    }
    return STATUS_OK;
}

static enum status read_key(struct hostile_row *row, const char *key, char *text, struct diag *diag)
{
    const struct {
        const char *key;
        const char **text;
    } texts[] = {
        { "model", &row->model },       { "base", &row->base },       { "edit", &row->edit },
        { "graph", &row->graph },       { "options", &row->options }, { "limits", &row->limits },
        { "boundary", &row->boundary }, { "litert", &row->litert },   { "why", &row->why },
        { "host", &row->host },         { "device", &row->device },   { "feed", &row->feed },
        { "result", &row->result },     { "pending", &row->pending },
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(key, texts[i].key) == 0) {
            *texts[i].text = text;
            return STATUS_OK;
        }
    if (strcmp(key, "verdict") == 0)
        return read_verdict(row, text, diag);
    if (strcmp(key, "delegate") == 0)
        return read_delegate(row, text, diag);
    if (strcmp(key, "damage") == 0 && row->damage_count < HOSTILE_DAMAGE_MAX) {
        row->damage[row->damage_count++] = text;
        return STATUS_OK;
    }
    return bad(row, diag, "no such key, or too many", key);
}

static enum status check_row(const struct hostile_row *row, struct diag *diag)
{
    if (!row->model == !row->base || (row->edit && !row->base))
        return bad(row, diag, row->name, "expected a model, or a base and perhaps an edit of it");
    if (!row->rule || (row->stage == HOSTILE_STAGE_COUNT) != (row->graph != NULL))
        return bad(row, diag, row->name, "lacks verdict or delegate, or has a verdict with graph");
    if (row->graph)
        return STATUS_OK;
    if (row->status == STATUS_COUNT && !row->pending)
        return bad(row, diag, row->name, "no such status");
    if (row->stage != HOSTILE_RUNS && !row->field && !row->word_count)
        return bad(row, diag, row->name, "a refusal without words");
    if (row->device &&
        (!row->why || row->stage != HOSTILE_INVOKE || strcmp(row->device, "runs") != 0))
        return bad(row, diag, row->name, "another end on the device, without saying why");
    if (row->host && !row->why)
        return bad(row, diag, row->name, "another end in LiteRT as host, without saying why");
    if (row->litert && !row->why &&
        strcmp(row->litert, row->stage == HOSTILE_RUNS ? "runs" : "refuses") != 0)
        return bad(row, diag, row->name, "differs from LiteRT, without saying why");
    return STATUS_OK;
}

/* A line that is not indented begins a row, one that is has a key; # begins a comment. */
static enum status read_lines(struct hostile_table *t, const char *file, char *text,
                              struct diag *diag)
{
    struct hostile_row *row = NULL;
    char *line, *next;
    int number = 0;

    for (line = text; line && *line; line = next) {
        char *key = line + strspn(line, " \t");
        char *value = key + strcspn(key, " \t\n");

        number++;
        if ((next = strchr(line, '\n')))
            *next++ = '\0';
        if (strncmp(line, "#= ", 3) == 0) { /* another file, in a text of several */
            file = line + 3;
            number = 0;
        }
        if (*key == '#' || !*key)
            continue;
        if (key == line) {
            if (t->count == HOSTILE_ROWS_MAX)
                return diag_fail(diag, STATUS_INVALID, "%s: more than %d rows", file,
                                 HOSTILE_ROWS_MAX);
            if (row)
                TRY(check_row(row, diag));
            row = &t->rows[t->count++];
            *row = (struct hostile_row){ .name = line,
                                         .stage = HOSTILE_STAGE_COUNT,
                                         .node = -1,
                                         .rule_node = -1,
                                         .tensor = -1,
                                         .file = file,
                                         .line = number };
            continue;
        }
        if (!row)
            return diag_fail(diag, STATUS_INVALID, "%s:%d: a key before any row", file, number);
        if (*value) {
            *value++ = '\0';
            value += strspn(value, " \t");
        }
        TRY(read_key(row, key, value, diag));
    }
    return row ? check_row(row, diag) : STATUS_OK;
}

/* Keeps a text with its name before it, and reads its rows. */
static enum status read_text(struct hostile_table *t, const char *name, const char *text,
                             size_t count, struct diag *diag)
{
    const size_t length = strlen(name) + 1;
    struct hostile_text *const kept = mem_alloc(1, sizeof *kept);

    if (!kept)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s", name);
    kept->next = t->texts;
    t->texts = kept;
    kept->text = mem_alloc(length + count + 1, 1);
    if (!kept->text)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s", name);
    memcpy(kept->text, name, length);
    memcpy(kept->text + length, text, count);
    return read_lines(t, kept->text, kept->text + length, diag);
}

static enum status read_table_file(struct hostile_table *t, const char *folder, const char *name,
                                   struct diag *diag)
{
    char path[512];
    uint8_t *bytes;
    size_t count;
    enum status s;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    TRY(file_read(path, 1 << 20, &bytes, &count, diag));
    s = read_text(t, path, (const char *)bytes, count, diag);
    mem_free(bytes);
    return s;
}

static enum status check_edit(const struct hostile_row *row, struct diag *diag)
{
    struct model m = { .version = 0 };
    const enum status s = hostile_text_build(row->model, row->edit, &m, diag);

    model_close(&m);
    return s;
}

/* Gives rows the models of their bases, and makes each edit once: one that is wrong is no row. */
static enum status find_bases(struct hostile_table *t, struct diag *diag)
{
    for (size_t i = 0; i < t->count; i++) {
        struct hostile_row *const row = &t->rows[i];
        size_t b = 0;
        enum status s;

        if (!row->base)
            continue;
        while (b < t->count && (t->rows[b].base || strcmp(t->rows[b].name, row->base) != 0))
            b++;
        if (b == t->count)
            return bad(row, diag, "no row with a model has the name", row->base);
        t->rows[b].is_base = true;
        row->model = t->rows[b].model;
        s = row->edit ? check_edit(row, diag) : STATUS_OK;
        TRY(diag_prefix(diag, s, "%s:%d: %s", row->file, row->line, row->name));
    }
    return STATUS_OK;
}

static int is_table(const struct dirent *e)
{
    const size_t n = strlen(e->d_name);

    return n > 4 && strcmp(e->d_name + n - 4, ".txt") == 0;
}

static enum status make_room(struct hostile_table *t, const char *what, struct diag *diag)
{
    *t = (struct hostile_table){ .rows = mem_alloc(HOSTILE_ROWS_MAX, sizeof *t->rows) };
    return t->rows ? STATUS_OK : diag_fail(diag, STATUS_NO_MEMORY, "%s", what);
}

enum status hostile_table_open(struct hostile_table *t, const char *text, size_t count,
                               struct diag *diag)
{
    TRY(make_room(t, "hostile", diag));
    TRY(read_text(t, "hostile", text, count, diag));
    return find_bases(t, diag);
}

enum status hostile_table_read(struct hostile_table *t, const char *folder, struct diag *diag)
{
    struct dirent **names;
    enum status s = STATUS_OK;
    int count;

    TRY(make_room(t, folder, diag));
    if ((count = scandir(folder, &names, is_table, alphasort)) < 0)
        return diag_fail(diag, STATUS_IO, "%s: cannot be listed", folder);
    for (int i = 0; i < count; i++) {
        if (s == STATUS_OK)
            s = read_table_file(t, folder, names[i]->d_name, diag);
        free(names[i]);
    }
    free(names);
    return s == STATUS_OK ? find_bases(t, diag) : s;
}

void hostile_table_close(struct hostile_table *t)
{
    while (t->texts) {
        struct hostile_text *next = t->texts->next;

        mem_free(t->texts->text);
        mem_free(t->texts);
        t->texts = next;
    }
    mem_free(t->rows);
    *t = (struct hostile_table){ 0 };
}

/* "node 3", but not in "node 31". */
static bool names_index(const char *message, const char *const *forms, int index)
{
    for (; *forms; forms++) {
        char text[64];
        const char *found = message;
        const size_t n = (size_t)snprintf(text, sizeof text, *forms, index);

        while ((found = strstr(found, text))) {
            if (!isdigit((unsigned char)found[n]))
                return true;
            found += n;
        }
    }
    return false;
}

enum status hostile_row_judge(const struct hostile_row *row, const char *message, struct diag *diag)
{
    static const char *const nodes[] = { "node %d", "operator %d", "operators[%d]", NULL };
    static const char *const tensors[] = { "tensor %d", "tensors[%d]", "input %d", "inputs[%d]",
                                           "output %d", "outputs[%d]", NULL };

    if (row->node >= 0 && !names_index(message, nodes, row->node))
        return diag_fail(diag, STATUS_MISMATCH, "does not name node %d: %s", row->node, message);
    if (row->tensor >= 0 && !names_index(message, tensors, row->tensor))
        return diag_fail(diag, STATUS_MISMATCH, "does not name tensor, input or output %d: %s",
                         row->tensor, message);
    if (row->field && !strstr(message, row->field))
        return diag_fail(diag, STATUS_MISMATCH, "does not name '%s': %s", row->field, message);
    for (int i = 0; i < row->word_count; i++)
        if (!strstr(message, row->words[i]))
            return diag_fail(diag, STATUS_MISMATCH, "no '%s' in: %s", row->words[i], message);
    return STATUS_OK;
}
