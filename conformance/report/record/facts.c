/* Reads the variant of a case's name word by word, and the text of its inputs. */
#include "conformance/report/record/facts.h"

#include "conformance/report/record/anatomy.h"
#include "conformance/util/words.h"

#include <ctype.h>
#include <math.h>
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

static const struct {
    const char *name, *text;
} class_texts[] = {
    { "activation", "a fused activation" },
    { "broadcast", "operands of two shapes" },
    { "lower_input", "an input of lower rank" },
    { "lower_const", "a constant of lower rank" },
    { "scales", "operands of two scales" },
    { "rescaled", "a result of another scale" },
    { "flattened", "an input that is flattened" },
    { "weights_i8", "weights of i8" },
    { "bias_no_scale", "a bias without a scale" },
    { "bias_scale", "a bias of another scale" },
    { "multiplier", "a depth multiplier" },
    { "runtime_weights", "weights that are not constant" },
    { "runtime_bias", "a bias that is not constant" },
    { "tail", "channels % 4 != 0" },
    { "output_tail", "output channels % 4 != 0" },
    { "batch", "a batch over 1" },
    { "empty", "an empty tensor" },
    { "large", "over 65535 elements" },
    { "same", "padding SAME" },
    { "valid", "padding VALID" },
    { "const0", "a constant first operand" },
    { "const1", "a constant second operand" },
    { "stride", "a stride over 1" },
    { "stride_w", "stride_w > 1" },
    { "stride_h", "stride_h > 1" },
    { "dilation", "a dilation" },
    { "dilation_w_factor", "dilation_w_factor > 1" },
    { "dilation_h_factor", "dilation_h_factor > 1" },
};

const char *facts_class_text(const char *name)
{
    for (size_t i = 0; i < sizeof class_texts / sizeof class_texts[0]; i++)
        if (strcmp(class_texts[i].name, name) == 0)
            return class_texts[i].text;
    return name;
}

bool facts_class_is_kind(const char *name)
{
    return strcmp(name, "activation") == 0 || strcmp(name, "stride") == 0 ||
           strcmp(name, "dilation") == 0;
}

/* Reads "output_channels=9 ": the name has spaces then.  Returns what stands behind, NULL at the
 * end. */
static const char *read_number(const char *text, char name[FACT_NAME_BYTES], double *value)
{
    const size_t length = strcspn(text, "=");
    char *end;

    if (text[length] != '=' || length >= FACT_NAME_BYTES)
        return NULL;
    for (size_t i = 0; i < length; i++)
        name[i] = text[i] == '_' ? ' ' : text[i];
    name[length] = '\0';
    *value = strtod(text + length + 1, &end);
    return end + strspn(end, " ");
}

static void note_numbers(struct facts *f, size_t row, const char *text)
{
    char name[FACT_NAME_BYTES];
    double value;

    while ((text = read_number(text, name, &value)) != NULL)
        note_text(f, row, FACT_SHAPE, name, value);
}

double facts_number(const char *numbers, const char *name)
{
    char own[FACT_NAME_BYTES];
    double value;

    while ((numbers = read_number(numbers, own, &value)) != NULL)
        if (strcmp(own, name) == 0)
            return value;
    return NAN;
}

static const char bytes_class[] = "8 bits";

static bool is_of_bytes(const char *type)
{
    return strncmp(type, "i8", 2) == 0 || strcmp(type, "u8") == 0;
}

bool facts_has_class(const char *classes, const char *type, const char *name)
{
    return strcmp(name, bytes_class) == 0 ? is_of_bytes(type) : words_have(classes, name, ' ');
}

/* Of the node that a case is about; of a graph nothing is known. */
static void note_model(struct facts *f, size_t row, const struct record *r, size_t test_case)
{
    const struct anatomy_node *const node = r->anatomy ? &r->anatomy[test_case].judged : NULL;
    const char *at = node && node->op ? node->classes : r->cases[test_case].classes;

    while (at && *at) {
        const size_t length = strcspn(at, " ");

        note(f, row, FACT_CLASS, at, length, 1);
        at += length + (at[length] == ' ');
    }
    if (node && node->op)
        note_numbers(f, row, node->numbers);
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
    if (c->type && is_of_bytes(c->type))
        note_text(f, row, FACT_CLASS, bytes_class, 1);
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
        note_model(f, i, r, r->results[results[i]].test_case);
    for (size_t i = 0; i < count; i++)
        note_result(f, i, &r->cases[r->results[results[i]].test_case], &r->results[results[i]]);
    return STATUS_OK;
}
