/* The command line: commands, their flags, and their help. */
#ifndef ASSAY_CONFORMANCE_CLI_ARGS_H
#define ASSAY_CONFORMANCE_CLI_ARGS_H

#include "conformance/util/message.h"
#include "conformance/util/string_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One command: conformance/cmd_<name>.c defines `const struct command command_<name>`, and
 * commands.def lists it. */
struct command {
    const char *name;
    const char *summary;  /* one line, for `assay --help` */
    const char *synopsis; /* "MODEL [--input=FILE]..." */
    const char *examples; /* lines "  assay ..." */
    int (*run)(const struct command *self, int argc, char **argv); /* argv[0] is the name */
};

enum args_kind {
    ARGS_BOOL,   /* bool: set to true */
    ARGS_STRING, /* const char * */
    ARGS_UINT,   /* uint64_t within [min, max] */
    ARGS_DOUBLE, /* double within [min, max] */
    ARGS_LIST,   /* struct string_list */
    ARGS_CHOICE  /* int: index into choices, a NULL-terminated list */
};

struct args_flag {
    const char *name; /* without the dashes; one character: "-o" */
    enum args_kind kind;
    void *target;
    const char *value; /* its name in the help: "FILE"; NULL for ARGS_BOOL */
    const char *help;
    double min, max; /* ARGS_UINT, ARGS_DOUBLE; both 0: any */
    const char *const *choices;
};

/* Flags that most commands share; args_parse adds those whose bit is in `common`. */
enum args_common_bit {
    ARGS_DELEGATE = 1, /* --delegate, --delegate-option, --device */
    ARGS_FORMAT = 2,   /* --format, --out */
    ARGS_SEED = 4,
    ARGS_JOBS = 8,
    ARGS_QUIET = 16
};

/* args_parse sets the defaults: no delegate, text, stdout, seed 1, all processors. */
struct args_common {
    const char *delegate;               /* NULL: not given; "none": the scalar reference */
    struct string_list delegate_option; /* KEY=VALUE each; --device=X is there as device=X */
    const char *device;
    int format;      /* enum args_format */
    const char *out; /* NULL: stdout */
    uint64_t seed;
    uint64_t jobs; /* 0: as many as processors */
    bool quiet;
};

enum args_format { FORMAT_TEXT, FORMAT_JSON };

struct args {
    char **items; /* what is not a flag, in order */
    size_t count;
};

/* Reads the flags of a command.  Returns true to go on.  False: the command returns *exit_code at
 * once (help was printed, or an error).  Positional arguments must number between min and max.
 * Lists are valid until args_close, one that was not given is empty; args points into argv. */
bool args_parse(const struct command *self, int argc, char **argv, const struct args_flag *flags,
                size_t flag_count, unsigned common_bits, struct args_common *common,
                struct args *args, size_t min, size_t max, int *exit_code);

/* Frees what args_parse handed out; main calls it last. */
void args_close(void);

#endif
