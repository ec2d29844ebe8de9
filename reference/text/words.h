/* The words of the text form that both its reader and its writer know: types, option tables and
 * their named values. */
#ifndef ASSAY_REFERENCE_TEXT_WORDS_H
#define ASSAY_REFERENCE_TEXT_WORDS_H

#include "reference/format/op_options.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { WORDS_NO_TYPE = -1000 };

/* "f32", "FLOAT32" or "t99", which is type 99 of the file; else WORDS_NO_TYPE. */
int32_t words_type(const char *word, size_t length);
/* Writes "f32", or "t99", into text[16]. */
void words_type_text(int32_t type, char *text);

/* NULL: no listed table has the name. */
const struct option_table *words_table(const char *name, size_t length);
/* The option table of an op, which {} alone stands for; NULL: it has none that is known. */
const struct option_table *words_table_of(int32_t code);
/* Writes "RELU6" for fused_activation_function 3, or a number where the value has no name. */
void words_print_value(FILE *f, const struct option_field *field, int32_t value);
/* The number of such a word, or -1. */
int32_t words_value_find(const struct option_field *field, const char *word, size_t length);
/* "NONE RELU RELU6 " for messages; NULL where values of the field have no names. */
const char *words_values(const struct option_field *field);

/* The name of a tensor that has none, as the text "f32[1]" leaves it: "t3"; "t" at index 0. */
void words_tensor_name(size_t index, char text[24]);

#endif
