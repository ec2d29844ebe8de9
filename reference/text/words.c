#include "reference/text/words.h"

#include "reference/base/builtin.h"
#include "reference/format/composite.h"
#include "reference/kernels/op.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Enums of the schema, in the order of their values. */
static const struct value_names {
    const char *field;
    const char *names; /* each with a blank behind it */
} value_names[] = {
    { "", "false true " }, /* of every OPTION_BOOL */
    { "padding", "SAME VALID " },
    { "fused_activation_function", "NONE RELU RELU_N1_TO_1 RELU6 TANH SIGN_BIT " },
    { "mode", "REFLECT SYMMETRIC " },
    { "kernel_type", "FULL BASIC " },
    { "weights_format", "DEFAULT SHUFFLED4x16INT8 " },
};

static bool is_word(const char *name, const char *word, size_t length)
{
    return name && strlen(name) == length && memcmp(name, word, length) == 0;
}

int32_t words_type(const char *word, size_t length)
{
    char *end;
    long number;

    for (int i = 0; i < TENSOR_TYPE_COUNT; i++)
        if (is_word(runtime_type_name(tensor_type_runtime(i)), word, length) ||
            is_word(tensor_type_name(i), word, length))
            return i;
    if (length < 2 || length > 4 || word[0] != 't' || !strchr("-0123456789", word[1]))
        return WORDS_NO_TYPE;
    number = strtol(word + 1, &end, 10);
    return end == word + length && number <= INT8_MAX ? (int32_t)number : WORDS_NO_TYPE;
}

void words_type_text(int32_t type, char *text)
{
    if (tensor_type_name(type))
        snprintf(text, 16, "%s", runtime_type_name(tensor_type_runtime(type)));
    else
        snprintf(text, 16, "t%d", type);
}

const struct option_table *words_table(const char *name, size_t length)
{
    for (int tag = 1; tag < OPTIONS_TAG_COUNT; tag++) {
        const struct option_table *const table = option_table_find((uint8_t)tag);

        if (table && table->listed && is_word(table->name, name, length))
            return table;
    }
    return NULL;
}

/* "CallOnceOptions" for CALL_ONCE: what tables of ops outside of reference/ops are called. */
static size_t table_name(const char *op, char *text, size_t room)
{
    size_t n = 0;
    bool begins = true;

    for (; *op && n + 1 < room; begins = *op++ == '_')
        if (*op != '_')
            text[n++] = (char)(begins ? *op : tolower((unsigned char)*op));
    return n + (size_t)snprintf(text + n, room - n, "Options");
}

const struct option_table *words_table_of(int32_t code)
{
    const struct ref_op *const op = ref_find(code);
    char name[64];

    if (op)
        return option_table_find(op->options_tag);
    if (composite_is(code)) /* its table is spelled otherwise */
        return option_table_find(OPTIONS_StableHLOCompositeOptions);
    return builtin_name(code) ? words_table(name, table_name(builtin_name(code), name, sizeof name))
                              : NULL;
}

const char *words_values(const struct option_field *field)
{
    if (field->kind == OPTION_BOOL)
        return value_names[0].names;
    if (field->kind != OPTION_I8)
        return NULL;
    for (size_t i = 0; i < sizeof value_names / sizeof *value_names; i++)
        if (strcmp(value_names[i].field, field->name) == 0)
            return value_names[i].names;
    return NULL;
}

void words_print_value(FILE *f, const struct option_field *field, int32_t value)
{
    const char *name = value >= 0 ? words_values(field) : NULL;
    char type[16];

    for (int32_t i = 0; name && *name && i < value; i++)
        name += strcspn(name, " ") + 1;
    if (name && *name)
        fprintf(f, "%.*s", (int)strcspn(name, " "), name);
    else if (field->kind == OPTION_TYPE && tensor_type_name(value)) {
        words_type_text(value, type);
        fputs(type, f);
    } else
        fprintf(f, "%d", value);
}

int32_t words_value_find(const struct option_field *field, const char *word, size_t length)
{
    const char *name = words_values(field);

    if (field->kind == OPTION_TYPE) {
        const int32_t type = words_type(word, length);

        return type >= 0 ? type : -1;
    }
    for (int32_t value = 0; name && *name; value++, name += strcspn(name, " ") + 1)
        if (strcspn(name, " ") == length && memcmp(name, word, length) == 0)
            return value;
    return -1;
}

void words_tensor_name(size_t index, char text[24])
{
    snprintf(text, 24, index ? "t%zu" : "t", index);
}
