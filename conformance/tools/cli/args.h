/* Flags and positional arguments of a command, and its help.
 *
 * A command lists its flags as rows of struct args_flag.  Parsing, --help, the manual page and the
 * completion of shells all read the same rows. */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_ARGS_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_ARGS_H

#include "conformance/suite/io/model_use.h"
#include "conformance/util/message.h"
#include "conformance/util/string_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct command;

/* What a flag's value is, and the type of the variable behind it. */
enum args_kind {
    ARGS_BOOL,   /* bool; the flag takes no value and sets true */
    ARGS_STRING, /* const char * */
    ARGS_MAYBE,  /* const char *; the value, behind "=" alone, may be left out: "" */
    ARGS_UINT,   /* uint64_t within [min, max] */
    ARGS_DOUBLE, /* double within [min, max] */
    ARGS_LIST,   /* struct string_list; the flag may be repeated */
    ARGS_CHOICE  /* int; index into choices, a NULL-terminated list */
};

struct args_flag {
    const char *name; /* without dashes; a name of one character is a short flag, "-o" */
    enum args_kind kind;
    void *target;
    const char *value; /* placeholder in the help; FILE, PATH and DIR complete to paths */
    const char *help;  /* NULL: the command describes it itself (struct command, more_flag_at) */
    double min, max;   /* range of ARGS_UINT and ARGS_DOUBLE; any when both are 0 */
    const char *const *choices;
};
/* A row without range and choices. */
#define ARG(name, kind, target, value, help)                                                       \
    {                                                                                              \
        name, kind, target, value, help, 0, 0, NULL                                                \
    }

/* Flags that most commands share; args_parse adds those whose bit is in `common`, and whose name
 * the command does not have. */
enum args_common_bit {
    ARGS_DELEGATE = 1, /* --delegate, --delegate-option, --device, --limit */
    ARGS_FORMAT = 2,   /* --format, --out */
    ARGS_SEED = 4,
    ARGS_JOBS = 8,
    ARGS_QUIET = 16,  /* --quiet, --progress */
    ARGS_CSV = 32,    /* with ARGS_FORMAT: --format also takes csv */
    ARGS_FORMS = 64,  /* with ARGS_FORMAT: --format takes the names of forms[] (forms/forms.h) */
    ARGS_JSON = 128,  /* with ARGS_FORMAT: JSON is the default */
    ARGS_MODEL = 256, /* --model: a text in the place of the first argument, which is a model */
    ARGS_LIMIT = 512, /* --limit alone; ARGS_DELEGATE has it, too */
    ARGS_USE = 1024,  /* --signature, --input-shape */
    ARGS_HOST = 2048  /* --host */
};

/* A command takes text and JSON, and of the others those that it has a bit for.  With ARGS_FORMS a
 * format is an index of forms[], whose first are text and JSON, too. */
enum args_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

/* args_parse sets the defaults: no delegate, text, stdout, seed 1, all processors. */
struct args_common {
    const char *delegate;               /* NULL when not given; "none" is the scalar reference */
    struct string_list delegate_option; /* KEY=VALUE each; --device=X is appended as device=X */
    const char *device;
    struct string_list limit; /* NAME=VALUE each; args_parse sets them for the process */
    int format;               /* enum args_format */
    const char *out;          /* NULL: stdout */
    uint64_t seed;
    uint64_t jobs; /* 0: one worker for each processor */
    bool quiet;
    int progress;         /* enum progress_mode; args_parse sets it for the program */
    struct model_use use; /* its first members */
    const char *model; /* args_parse makes it the first argument: "text:TEXT" (io/model_file.h) */
};

/* Positional arguments, in order. */
struct args {
    char **items;
    size_t count;
};

/* Reads flags and arguments of a command.  Returns true when the command shall go on; false when it
 * shall return *exit_code at once, because help was printed or an error was reported.  There must
 * be min to max positional arguments.  Lists are valid until args_close; args points into argv. */
bool args_parse(const struct command *self, int argc, char **argv, const struct args_flag *flags,
                size_t flag_count, unsigned common_bits, struct args_common *common,
                struct args *args, size_t min, size_t max, int *exit_code);

/* Frees the lists that args_parse filled; main calls it last. */
void args_close(void);

/* Calls describe with the flags of a command, common ones included, --help excluded, instead of
 * running it. */
typedef void args_describe_fn(const struct command *command, const struct args_flag *flags,
                              size_t count, void *user);
void args_describe(const struct command *command, args_describe_fn *describe, void *user);

/* "--runs=N", "--list" or "-o FILE". */
void args_flag_text(const struct args_flag *flag, char *text, size_t bytes);

#endif
