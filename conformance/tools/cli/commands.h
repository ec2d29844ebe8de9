/* The commands of `assay`: cmd_<name>.c defines `const struct command command_<name>`, and
 * commands.def lists it. */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_COMMANDS_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct args_flag;

struct command {
    const char *name;
    const char *summary;     /* one line, no full stop, for lists of commands */
    const char *synopsis;    /* "MODEL [--input=FILE]..." */
    const char *description; /* sentences for the manual; an empty line parts paragraphs */
    const char *examples;    /* lines "  assay ..." */
    /* What its arguments are, for completion: files of this suffix (".tflite"), or words. */
    const char *suffix;
    const char *(*word_at)(size_t index); /* NULL past the end */
    /* Commands of a second word, such as `golden check`, whose names have both words. */
    const struct command *parts;
    size_t part_count;
    /* The flags that help and manual list behind the others, and the title above each; false past
     * the end.  May be NULL. */
    bool (*more_flag_at)(size_t index, const char **title, struct args_flag *flag);
    int (*run)(const struct command *self, int argc, char **argv); /* argv[0] is the name */
};

/* In the order of commands.def; NULL past the end. */
const struct command *commands_at(size_t index);
/* NULL when there is none of the name. */
const struct command *commands_find(const char *name);
/* The name of a command nearest to a word; NULL when none is near. */
const char *commands_nearest(const char *word);

#endif
