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

/* ---- parts.c: commands of a second word, such as `golden check` ---- */

/* The run of a command that has parts: runs the part that argv[1] names, or says which there are.
 */
int parts_run(const struct command *self, int argc, char **argv);
/* The part of a command with this second word, "check"; NULL when there is none. */
const struct command *parts_find(const struct command *self, const char *word);

/* ---- cmd_eval.c: the parts of `assay eval`: cmd_eval_<part>.c defines each ---- */

int eval_imagenet_run(const struct command *self, int argc, char **argv);
int eval_coco_run(const struct command *self, int argc, char **argv);
int eval_llm_run(const struct command *self, int argc, char **argv);
int eval_segmentation_run(const struct command *self, int argc, char **argv);

/* ---- cmd_report.c: the parts of `assay report`: cmd_report_<part>.c has each ---- */

int report_show_run(const struct command *self, int argc, char **argv);
int report_merge_run(const struct command *self, int argc, char **argv);
int report_compare_run(const struct command *self, int argc, char **argv);
int report_accept_run(const struct command *self, int argc, char **argv);
int report_site_run(const struct command *self, int argc, char **argv);
int report_statement_run(const struct command *self, int argc, char **argv);

#endif
