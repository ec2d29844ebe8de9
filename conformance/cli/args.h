/* The command line: commands, flags, exit codes, help, messages.
 *
 * Errors go to stderr as "assay: what: why".  Progress goes to stderr when it is a terminal and
 * --quiet is not given. */
#ifndef ASSAY_CONFORMANCE_CLI_ARGS_H
#define ASSAY_CONFORMANCE_CLI_ARGS_H

#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum exit_code {
    EXIT_AS_EXPECTED = 0, /* declined alone is no failure */
    EXIT_FAILED = 1,      /* a failed case, a difference over its limit */
    EXIT_USAGE = 2,       /* usage, or input that cannot be read */
    EXIT_NO_DEVICE = 3
};

/* One command: conformance/cmd_<name>.c defines `const struct command command_<name>`, and
 * commands.def lists it. */
struct command {
    const char *name;
    const char *summary;  /* one line, for `assay --help` */
    const char *synopsis; /* "MODEL [--input=FILE]..." */
    const char *examples; /* lines "  assay ..." */
    int (*run)(const struct command *self, int argc, char **argv); /* argv[0] is the name */
};

/* A repeatable flag's values, in the order given. */
struct cli_list {
    const char **items;
    size_t count;
};

enum cli_kind {
    CLI_BOOL,   /* bool: set to true */
    CLI_STRING, /* const char * */
    CLI_UINT,   /* uint64_t within [min, max] */
    CLI_DOUBLE, /* double within [min, max] */
    CLI_LIST,   /* struct cli_list */
    CLI_CHOICE  /* int: index into choices, a NULL-terminated list */
};

struct cli_flag {
    const char *name; /* without the dashes; one character: "-o" */
    enum cli_kind kind;
    void *target;
    const char *value; /* its name in the help: "FILE"; NULL for CLI_BOOL */
    const char *help;
    double min, max; /* CLI_UINT, CLI_DOUBLE; both 0: any */
    const char *const *choices;
};

/* Flags that most commands share; cli_parse adds those whose bit is in `common`. */
enum cli_common_bit {
    CLI_DELEGATE = 1, /* --delegate, --delegate-option, --device */
    CLI_FORMAT = 2,   /* --format, --out */
    CLI_SEED = 4,
    CLI_JOBS = 8,
    CLI_QUIET = 16
};

/* cli_parse sets the defaults: no delegate, text, stdout, seed 1, all processors. */
struct cli_common {
    const char *delegate;            /* NULL: not given; "none": the scalar reference */
    struct cli_list delegate_option; /* KEY=VALUE each; --device=X is there as device=X */
    const char *device;
    int format;      /* enum cli_format */
    const char *out; /* NULL: stdout */
    uint64_t seed;
    uint64_t jobs; /* 0: as many as processors */
    bool quiet;
};

enum cli_format { FORMAT_TEXT, FORMAT_JSON };

struct cli_args {
    char **items; /* what is not a flag, in order */
    size_t count;
};

/* Reads the flags of a command.  Returns true to go on.  False: the command returns *exit_code at
 * once (help was printed, or an error).  Positional arguments must number between min and max.
 * Lists are valid until cli_close, one that was not given is empty; args points into argv. */
bool cli_parse(const struct command *self, int argc, char **argv, const struct cli_flag *flags,
               size_t flag_count, unsigned common_bits, struct cli_common *common,
               struct cli_args *args, size_t min, size_t max, int *exit_code);

/* Frees what cli_parse handed out; main calls it last. */
void cli_close(void);

/* The name that word was probably meant to be; NULL when none is near. */
const char *cli_nearest(const char *word, const char *const *names, size_t count);

/* "assay: what: why" on stderr, one line whatever the strings hold; what NULL: "assay: why". */
void cli_error(const char *what, const char *format, ...) PRINTF_LIKE(2, 3);
/* The same from a diag, and the exit code that fits its status. */
int cli_fail(const char *what, const struct diag *diag);

/* One line of progress, rewritten in place; does nothing when stderr is no terminal. */
void cli_progress(bool quiet, const char *format, ...) PRINTF_LIKE(2, 3);
void cli_progress_end(void);

/* A report that is written at once when it is whole: to stdout, or to the file of --out, which is
 * replaced by renaming, so that it never holds half a report. */
struct cli_output {
    FILE *file; /* write here */
    char *text;
    size_t bytes;
};
/* False when out of memory. */
bool cli_output_open(struct cli_output *o);
/* path NULL: stdout.  Returns 0, or the exit code after a message on stderr.  With discard nothing
 * is written. */
int cli_output_close(struct cli_output *o, const char *path, bool discard);

/* file_write for regular files; a pipe or a device is written to, not replaced. */
enum status cli_write_file(const char *path, const void *bytes, size_t count, struct diag *diag);

#endif
