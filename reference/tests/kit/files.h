/* Files of tests: in memory, and in a directory of the process that the runner removes with all
 * that is in it. */
#ifndef ASSAY_REFERENCE_TESTS_KIT_FILES_H
#define ASSAY_REFERENCE_TESTS_KIT_FILES_H

#include "reference/base/diag.h"
#include "reference/tests/kit/closed.h"

#include <stddef.h>
#include <stdio.h>

/* A file whose text, to be freed, is there once it is closed. */
FILE *kit_memory_file(char **text);
/* The same, for the length of a block. */
#define MEMORY_FILE(f, text)                                                                       \
    char *text CLOSED_BY(kit_free) = NULL;                                                         \
    FILE *const f = kit_memory_file(&text)
/* The text that a call, or a check of it, prints to f. */
#define PRINTED(text, f, ...)                                                                      \
    char *text CLOSED_BY(kit_free) = NULL;                                                         \
    do {                                                                                           \
        FILE *const f = kit_memory_file(&text);                                                    \
        __VA_ARGS__;                                                                               \
        fclose(f);                                                                                 \
    } while (0)

/* A path in the directory, valid until the process ends. */
const char *scratch(const char *format, ...) PRINTF_LIKE(1, 2);
/* The same, of a file with these bytes, or this text. */
const char *scratch_bytes(const char *name, const void *bytes, size_t count);
const char *scratch_text(const char *name, const char *text);
/* The text of a file, to be freed. */
char *text_of_file(const char *path);
/* Runs a command of the shell in the directory; returns its exit code. */
int scratch_run(const char *format, ...) PRINTF_LIKE(1, 2);
/* Removes the directory and all that is in it, and returns how many of its entries match no pattern
 * of names, "@(a|b*)"; NULL: 0. */
int scratch_close(const char *names);
/* The same of any names: after each test where that is its teardown. */
int scratch_remove(void **state);

#endif
