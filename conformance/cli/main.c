/* assay: picks the command and runs it.  The commands are listed in commands.def. */
#include "conformance/cli/args.h"
#include "conformance/util/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define COMMAND(name) extern const struct command command_##name;
#include "conformance/cli/commands.def"
#undef COMMAND

static const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "conformance/cli/commands.def"
#undef COMMAND
    NULL
};

static const struct command *find(const char *name)
{
    for (size_t i = 0; commands[i]; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    }
    return NULL;
}

static void print_help(void)
{
    printf(
        "Usage: assay COMMAND [FLAG]... [ARGUMENT]...\n"
        "\n"
        "Checks TensorFlow Lite (LiteRT) delegates op by op against a scalar reference, and runs "
        "models\non either.\n"
        "\n"
        "Commands:\n");
    for (size_t i = 0; commands[i]; i++)
        printf("  %-12s %s\n", commands[i]->name, commands[i]->summary);
    printf("\n"
           "`assay COMMAND --help` shows a command's flags, with examples.\n"
           "\n"
           "Exit codes: 0 all as expected, 1 failures, 2 usage or unreadable input, 3 no usable "
           "device\n");
}

static int unknown(const char *name)
{
    const char *names[sizeof commands / sizeof commands[0]] = { NULL };
    const char *near;
    size_t count = 0;

    for (; commands[count]; count++)
        names[count] = commands[count]->name;
    near = nearest_name(name, names, count);
    if (near)
        message_error(name, "unknown command; did you mean %s?", near);
    else
        message_error(name, "unknown command; `assay --help` lists the commands");
    return EXIT_USAGE;
}

static int run(int argc, char **argv)
{
    const struct command *command;
    const char *name = argc > 1 ? argv[1] : "";

    if (argc < 2) {
        message_error(NULL, "no command; `assay --help` lists the commands");
        return EXIT_USAGE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("assay %s\n", ASSAY_VERSION);
        return EXIT_AS_EXPECTED;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        char *const wanted = argc > 2 ? argv[2] : NULL;

        if (!wanted) {
            print_help();
            return EXIT_AS_EXPECTED;
        }
        if (!(command = find(wanted)))
            return unknown(wanted);
        return command->run(command, 2, (char *[]){ wanted, (char[]){ "--help" }, NULL });
    }
    if (name[0] == '-') {
        message_error(name, "unknown flag; `assay --help` lists the commands");
        return EXIT_USAGE;
    }
    if (!(command = find(name)))
        return unknown(name);
    return command->run(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int code = run(argc, argv);

    message_progress_end();
    /* A full disk must not look like success. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        message_error("standard output", "%s", strerror(errno));
        if (code == EXIT_AS_EXPECTED)
            code = EXIT_USAGE;
    }
    args_close();
    return code;
}
