#include "conformance/tools/cli/commands.h"

#include "conformance/util/nearest.h"

#include <string.h>

#define COMMAND(name) extern const struct command command_##name;
#include "conformance/tools/cli/commands.def"
#undef COMMAND

static const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "conformance/tools/cli/commands.def"
#undef COMMAND
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

const struct command *commands_at(size_t index)
{
    return index < COMMANDS ? commands[index] : NULL;
}

const struct command *commands_find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    }
    return NULL;
}

const char *commands_nearest(const char *word)
{
    const char *names[COMMANDS];

    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i]->name;
    return nearest_name(word, names, COMMANDS);
}
