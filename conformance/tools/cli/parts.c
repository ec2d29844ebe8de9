#include "conformance/tools/cli/commands.h"

#include "conformance/tools/cli/args.h"
#include "conformance/util/nearest.h"

#include <stdio.h>
#include <string.h>

enum { PARTS_MAX = 16 };

const struct command *parts_find(const struct command *self, const char *word)
{
    const size_t length = strlen(self->name) + 1; /* of "golden " in "golden check" */

    for (size_t i = 0; i < self->part_count; i++) {
        if (strcmp(self->parts[i].name + length, word) == 0)
            return &self->parts[i];
    }
    return NULL;
}

/* "list, check or export" */
static void list_parts(const struct command *self, char *text, size_t bytes)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < self->part_count && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s",
                                 i == 0                      ? ""
                                 : i + 1 == self->part_count ? " or "
                                                             : ", ",
                                 self->parts[i].name + strlen(self->name) + 1);
}

int parts_run(const struct command *self, int argc, char **argv)
{
    const char *const word = argc > 1 ? argv[1] : "";
    const struct command *const part = parts_find(self, word);
    const char *names[PARTS_MAX], *near;
    char list[256];
    struct args args;
    int code = 0;

    if (part)
        return part->run(part, argc - 1, argv + 1);
    list_parts(self, list, sizeof list);
    if (argc < 2 || word[0] == '-') { /* --help, an unknown flag, or a description of the command */
        if (!args_parse(self, argc, argv, NULL, 0, 0, NULL, &args, 0, 0, &code))
            return code;
        message_error(self->name, "expected %s", list);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < self->part_count && i < PARTS_MAX; i++)
        names[i] = self->parts[i].name + strlen(self->name) + 1;
    near = nearest_name(word, names, self->part_count < PARTS_MAX ? self->part_count : PARTS_MAX);
    if (near)
        message_error(self->name, "unknown command '%s'; did you mean %s?", word, near);
    else
        message_error(self->name, "expected %s, found '%s'", list, word);
    return EXIT_USAGE;
}
