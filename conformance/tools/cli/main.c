/* assay: finds the command and runs it. */
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/tools/cli/git_text.h"
#include "conformance/tools/cli/manual.h"
#include "conformance/util/git_state.h"
#include "conformance/util/json_parse.h"
#include "conformance/util/json_text.h"
#include "conformance/util/message.h"
#include "reference/base/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- `assay --limits`: what a model may ask for (reference/base/limits.def) ---- */

static void print_text(void)
{
    for (int i = 0; i < LIMIT_COUNT; i++) {
        const struct limit_row *const row = limit_row((enum limit)i);
        const uint64_t value = limit_of((enum limit)i);

        printf("%-17s %11" PRIu64 "  %s of %s", row->name, value, row->unit, row->what);
        if (value != row->standard)
            printf(" (standard %" PRIu64 ")", row->standard);
        putchar('\n');
    }
    printf("\nA file that asks for more is refused.  --limit=NAME=VALUE of a command, or\n"
           "ASSAY_LIMITS=NAME=VALUE,NAME=VALUE in the environment, sets another limit.\n");
}

static void print_json(void)
{
    json_t *const list = json_array();

    for (int i = 0; i < LIMIT_COUNT; i++) {
        const struct limit_row *const row = limit_row((enum limit)i);
        json_t *const o = json_object();

        json_object_set_new(o, "name", json_text(row->name));
        json_object_set_new(o, "value", json_integer((json_int_t)limit_of((enum limit)i)));
        json_object_set_new(o, "standard", json_integer((json_int_t)row->standard));
        json_object_set_new(o, "unit", json_text(row->unit));
        json_object_set_new(o, "of", json_text(row->what));
        json_array_append_new(list, o);
    }
    json_dumpf(list, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(list);
}

/* args: what follows --limits: nothing, or --format=text|json.  Returns the exit code. */
static int limits_list(int argc, char **args)
{
    const bool json = argc == 1 && strcmp(args[0], "--format=json") == 0;

    if (argc > 1 || (argc == 1 && !json && strcmp(args[0], "--format=text") != 0)) {
        message_error("--limits", "expected --format=text, --format=json or nothing, found '%s'",
                      args[argc - 1]);
        return EXIT_USAGE;
    }
    if (json)
        print_json();
    else
        print_text();
    return EXIT_AS_EXPECTED;
}

/* ---- commands ---- */

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
           "`assay --version` the version and commit.  `assay --limits` lists what a model\n"
           "may ask for.\n"
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
        printf("assay %s%s%s%s\n", ASSAY_VERSION, *git_text ? " (" : "", git_text,
               *git_text ? ")" : "");
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
