/* Reads the variant of a case's name word by word, and the text of its inputs. */
#include "conformance/report/record/facts.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANK_MAX = 8 };

static void note(struct facts *f, size_t row, enum fact_kind kind, const char *name, size_t length,
                 double value)
{
    size_t i;

    if (length == 0 || length >= FACT_NAME_BYTES)
        return;
    for (i = 0; i < f->count; i++) {
        if (f->list[i].kind == kind && strncmp(f->list[i].name, name, length) == 0 &&
            f->list[i].name[length] == '\0')
            break;
    }
    if (i == FACTS_MAX)
        return;
    if (i == f->count) {
        f->list[i].kind = kind;
        memcpy(f->list[i].name, name, length);
        f->list[i].name[length] = '\0';
        for (size_t k = 0; k < f->rows; k++)
            f->values[k][i] = NAN;
        f->count++;
    }
    f->values[row][i] = value;
}

static void note_text(struct facts *f, size_t row, enum fact_kind kind, const char *name,
                      double value)
{
    note(f, row, kind, name, strlen(name), value);
}

/* "f32 [1, 4, 4, 5]; ..." to the dimensions of the first input; -1 when it is not of that form. */
static int read_shape(const char *text, double *dims)
{
    const char *at = text ? strchr(text, '[') : NULL;
    const char *const end = text ? strchr(text, ';') : NULL;
    int rank = 0;

    if (!at || (end && end < at))
        return -1;
    for (at++; *at && *at != ']' && rank < RANK_MAX; rank++) {
        char *next;

        dims[rank] = strtod(at, &next);
        if (next == at)
            return -1;
        at = next + strspn(next, ", ");
    }
    return *at == ']' ? rank : -1;
}

double facts_elements(const struct record_case *c)
{
    double dims[RANK_MAX], elements = 1;
    const int rank = read_shape(c->inputs, dims);

    for (int i = 0; i < rank; i++)
        elements *= dims[i];
    return rank < 0 ? INFINITY : elements;
}

static void note_shape(struct facts *f, size_t row, const struct record_case *c)
{
    double dims[RANK_MAX], inputs = 1;
    const int rank = read_shape(c->inputs, dims);

    if (rank < 0)
        return;
    if (rank > 0)
        note_text(f, row, FACT_SHAPE, "channels", dims[rank - 1]);
    if (rank > 1)
        note_text(f, row, FACT_SHAPE, "batch", dims[0]);
    note_text(f, row, FACT_SHAPE, "rank", rank);
    note_text(f, row, FACT_SHAPE, "elements", facts_elements(c));
    for (const char *s = c->inputs; (s = strchr(s, ';')) != NULL; s++)
        inputs++;
    note_text(f, row, FACT_SHAPE, "inputs", inputs);
}

/* A word of the variant, and its number where it is letters before digits, "c5" or "k3x1". */
static void note_word(struct facts *f, size_t row, const char *word, size_t length)
{
    size_t letters = 0, digits;

    note(f, row, FACT_WORD, word, length, 1);
    while (letters < length && isalpha((unsigned char)word[letters]))
        letters++;
    digits = letters;
    while (digits < length && isdigit((unsigned char)word[digits]))
        digits++;
    if (letters > 1 && digits == length)
        note(f, row, FACT_STEM, word, letters, 1);
    if (letters > 0 && digits > letters && digits - letters < 10 &&
        (digits == length || word[digits] == 'x'))
        note(f, row, FACT_NUMBER, word, letters, strtod(word + letters, NULL));
}

static void note_result(struct facts *f, size_t row, const struct record_case *c,
                        const struct record_result *r)
{
    const char *variant = strchr(c->name, '.');

    variant = variant ? strchr(variant + 1, '.') : NULL;
    note_shape(f, row, c);
    if (r->by_channel && r->channels > 0)
        note_text(f, row, FACT_SHAPE, "output channels", (double)r->channels);
    if (c->nodes > 0)
        note_text(f, row, FACT_SHAPE, "nodes", c->nodes);
    if (c->version > 0)
        note_text(f, row, FACT_VERSION, "version", c->version);
    if (c->type)
        note_text(f, row, FACT_TYPE, c->type, 1);
    for (const char *word = variant ? variant + 1 : ""; *word;) {
        const size_t length = strcspn(word, "_");

        note_word(f, row, word, length);
        word += length + (word[length] == '_');
    }
}

enum status facts_open(struct facts *f, const struct record *r, const size_t *results, size_t count,
                       struct arena *arena, struct diag *diag)
{
    *f = (struct facts){ .rows = count };
    f->values = arena_alloc(arena, count, sizeof *f->values);
    if (!f->values)
        return diag_fail(diag, STATUS_NO_MEMORY, "facts of %zu results: out of memory", count);
    for (size_t i = 0; i < count; i++)
        note_result(f, i, &r->cases[r->results[results[i]].test_case], &r->results[results[i]]);
    return STATUS_OK;
}
