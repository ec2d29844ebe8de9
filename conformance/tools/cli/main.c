/* assay: finds the command and runs it. */
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/tools/cli/completion.h"
#include "conformance/tools/cli/git_text.h"
#include "conformance/tools/cli/limits_list.h"
#include "conformance/tools/cli/manual.h"
#include "conformance/tools/cli/parts.h"
#include "conformance/util/git_state.h"
#include "conformance/util/json_parse.h"
#include "reference/base/limits.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void print_help(void)
{
    const struct command *c;

    printf("Usage: assay COMMAND [FLAG]... [ARGUMENT]...\n"
           "\n"
           "Checks TensorFlow Lite (LiteRT) delegates op by op against a scalar reference,\n"
           "and runs models on either.\n"
           "\n"
           "Commands:\n");
    for (size_t i = 0; (c = commands_at(i)) != NULL; i++)
        printf("  %-12s %s\n", c->name, c->summary);
    printf("\n"
           "`assay help COMMAND` shows the flags of a command, with examples, and\n"
           "`assay --version` the version.  `assay --limits` lists what a model may ask for.\n"
           "\n"
           "Exit codes: 0 all as expected, 1 failures, 2 usage or unreadable input,\n"
           "3 no usable device.\n");
}

static int unknown(const char *name)
{
    const char *const near = commands_nearest(name);

    if (near)
        message_error(name, "unknown command; did you mean %s?", near);
    else
        message_error(name, "unknown command; `assay --help` lists the commands");
    return EXIT_USAGE;
}

/* The value of "--name=VALUE", "" for "--name"; NULL when arg is another flag. */
static const char *flag_value(const char *arg, const char *name)
{
    const size_t length = strlen(name);

    if (strncmp(arg, name, length) != 0)
        return NULL;
    return arg[length] == '=' ? arg + length + 1 : arg[length] == '\0' ? "" : NULL;
}

/* What `make man` and `make install` call: manual pages and completion, printed from the flags. */
static int print_document(const char *page, const char *shell)
{
    if (page && *page && !commands_find(page))
        return unknown(page);
    if (page) {
        manual_print(stdout, *page ? commands_find(page) : NULL);
        return EXIT_AS_EXPECTED;
    }
    if (strcmp(shell, "bash") == 0) {
        completion_print_bash(stdout);
        return EXIT_AS_EXPECTED;
    }
    message_error("--print-completion", "expected bash, found '%s'", shell);
    return EXIT_USAGE;
}

/* `assay help`, `assay help run`, `assay help golden check`. */
static int help(const char *name, const char *part)
{
    const struct command *command;

    if (!name) {
        print_help();
        return EXIT_AS_EXPECTED;
    }
    if (!(command = commands_find(name)))
        return unknown(name);
    if (part && command->part_count == 0) {
        message_error("help", "unexpected argument '%s': assay %s has no parts", part, name);
        return EXIT_USAGE;
    }
    if (part && !parts_find(command, part))
        return command->run(command, 2,
                            (char *[]){ (char[]){ "" }, (char *)(uintptr_t)part, NULL });
    command = part ? parts_find(command, part) : command;
    return command->run(command, 2, (char *[]){ (char[]){ "" }, (char[]){ "--help" }, NULL });
}

static int run(int argc, char **argv)
{
    const struct command *command;
    const char *name = argc > 1 ? argv[1] : "", *page, *shell;
    struct diag diag = { .status = STATUS_OK };

    if (argc < 2) {
        message_error(NULL, "no command; `assay --help` lists the commands");
        return EXIT_USAGE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("assay %s\n", ASSAY_VERSION);
        return EXIT_AS_EXPECTED;
    }
    if (limits_check_environment(&diag) != STATUS_OK)
        return message_fail(NULL, &diag);
    if (strcmp(name, "--limits") == 0)
        return limits_list(argc - 2, argv + 2);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return help(argc > 2 ? argv[2] : NULL, argc > 3 ? argv[3] : NULL);
    page = flag_value(name, "--print-man");
    shell = flag_value(name, "--print-completion");
    if (page || shell)
        return print_document(page, shell);
    if (name[0] == '-') {
        message_error(name, "unknown flag; `assay --help` lists the commands");
        return EXIT_USAGE;
    }
    if (!(command = commands_find(name)))
        return unknown(name);
    return command->run(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int code;

    git_state_set(git_text);
    json_watch_memory();
    code = run(argc, argv);

    message_progress_end();
    if (code == EXIT_AS_EXPECTED && json_memory_failed()) {
        message_error("JSON", "out of memory: what was written is not complete");
        code = EXIT_FAILED;
    }
    /* A full disk must not look like success. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        message_error("standard output", "%s", strerror(errno));
        if (code == EXIT_AS_EXPECTED)
            code = EXIT_USAGE;
    }
    args_close();
    return code;
}
