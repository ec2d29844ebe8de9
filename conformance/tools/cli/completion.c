#include "conformance/tools/cli/completion.h"

#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"

#include <string.h>

/* Bash splits words at '=' where COMP_WORDBREAKS holds it, as it does by default: --format=json
 * arrives as three words.  A flag and its value may also be two words, or one. */
static const char head[] =
    "# bash completion for assay, printed by `assay --print-completion=bash`\n"
    "\n"
    "_assay_words()\n"
    "{\n"
    "    COMPREPLY=($(compgen -P \"$prefix\" -W \"$1\" -- \"$cur\"))\n"
    "    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then\n"
    "        compopt -o nospace 2>/dev/null\n"
    "    fi\n"
    "}\n"
    "\n"
    "# Paths; with a suffix only files that end so, and directories.\n"
    "_assay_files()\n"
    "{\n"
    "    local IFS=$'\\n'\n"
    "    if [[ -n $1 ]]; then\n"
    "        COMPREPLY=($(compgen -P \"$prefix\" -f -X \"!*$1\" -- \"$cur\")\n"
    "            $(compgen -P \"$prefix\" -d -- \"$cur\"))\n"
    "    else\n"
    "        COMPREPLY=($(compgen -P \"$prefix\" -f -- \"$cur\"))\n"
    "    fi\n"
    "    compopt -o filenames 2>/dev/null\n"
    "}\n";

static const char function[] =
    "_assay()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prefix= command=${COMP_WORDS[1]} flag=\n"
    "    local before=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    COMPREPLY=()\n"
    "    if [[ $COMP_CWORD -le 1 || $command == help ]]; then\n"
    "        _assay_command\n"
    "        return\n"
    "    fi\n"
    "    if _assay_has_parts \"$command\"; then\n"
    "        if [[ $COMP_CWORD -eq 2 ]]; then\n"
    "            _assay_part \"$command\"\n"
    "            return\n"
    "        fi\n"
    "        command=\"$command ${COMP_WORDS[2]}\"\n"
    "    fi\n"
    "    if [[ $cur == = ]]; then\n"
    "        flag=$before cur=\n"
    "    elif [[ $before == = ]]; then\n"
    "        flag=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    elif [[ $cur == --*=* ]]; then\n"
    "        flag=${cur%%=*} prefix=${cur%%=*}= cur=${cur#*=}\n"
    "    elif [[ $before == -* ]]; then\n"
    "        flag=$before\n"
    "    fi\n"
    "    if [[ -n $flag ]] && _assay_value \"$command $flag\"; then\n"
    "        return\n"
    "    fi\n"
    "    if [[ $cur == -* ]]; then\n"
    "        _assay_flag \"$command\"\n"
    "    else\n"
    "        _assay_argument \"$command\"\n"
    "    fi\n"
    "}\n"
    "\n"
    "complete -F _assay assay\n";

/* Calls describe for each command, or for each of its parts. */
static void for_each(args_describe_fn *describe, FILE *out)
{
    const struct command *c;

    for (size_t i = 0; (c = commands_at(i)) != NULL; i++) {
        if (c->part_count == 0)
            args_describe(c, describe, out);
        for (size_t k = 0; k < c->part_count; k++)
            args_describe(&c->parts[k], describe, out);
    }
}

static const char *dashes(const struct args_flag *f)
{
    return f->name[1] == '\0' ? "-" : "--";
}

static bool is_path(const struct args_flag *f)
{
    return strcmp(f->value, "FILE") == 0 || strcmp(f->value, "PATH") == 0 ||
           strcmp(f->value, "DIR") == 0;
}

static void put_values(const struct command *command, const struct args_flag *flags, size_t count,
                       void *user)
{
    FILE *const out = user;

    for (size_t i = 0; i < count; i++) {
        const struct args_flag *const f = &flags[i];

        if (!f->value)
            continue;
        fprintf(out, "    '%s %s%s') ", command->name, dashes(f), f->name);
        if (f->kind == ARGS_CHOICE) {
            fputs("_assay_words '", out);
            for (int k = 0; f->choices[k]; k++)
                fprintf(out, "%s%s", k ? " " : "", f->choices[k]);
            fputs("' ;;\n", out);
        } else {
            fputs(is_path(f) ? "_assay_files '' ;;\n" : ";;\n", out);
        }
    }
}

static void put_flags(const struct command *command, const struct args_flag *flags, size_t count,
                      void *user)
{
    FILE *const out = user;

    fprintf(out, "    '%s') _assay_words '", command->name);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s%s ", dashes(&flags[i]), flags[i].name,
                flags[i].value && flags[i].name[1] ? "=" : "");
    fputs("--help' ;;\n", out);
}

static void put_arguments(const struct command *command, const struct args_flag *flags,
                          size_t count, void *user)
{
    FILE *const out = user;
    const char *word;

    (void)flags;
    (void)count;
    if (command->suffix) {
        fprintf(out, "    '%s') _assay_files '%s' ;;\n", command->name, command->suffix);
    } else if (command->word_at) {
        fprintf(out, "    '%s') _assay_words '", command->name);
        for (size_t i = 0; (word = command->word_at(i)) != NULL; i++)
            fprintf(out, "%s%s", i ? " " : "", word);
        fputs("' ;;\n", out);
    }
}

static void put_commands(FILE *out)
{
    const struct command *c;

    fputs("\n_assay_command()\n{\n    _assay_words '", out);
    for (size_t i = 0; (c = commands_at(i)) != NULL; i++)
        fprintf(out, "%s ", c->name);
    fputs("--help --limits --version'\n}\n", out);
    fputs("\n_assay_has_parts()\n{\n    case $1 in\n", out);
    for (size_t i = 0; (c = commands_at(i)) != NULL; i++) {
        if (c->part_count > 0)
            fprintf(out, "    %s) return 0 ;;\n", c->name);
    }
    fputs("    esac\n    return 1\n}\n\n_assay_part()\n{\n    case $1 in\n", out);
    for (size_t i = 0; (c = commands_at(i)) != NULL; i++) {
        if (c->part_count == 0)
            continue;
        fprintf(out, "    %s) _assay_words '", c->name);
        for (size_t k = 0; k < c->part_count; k++)
            fprintf(out, "%s ", c->parts[k].name + strlen(c->name) + 1);
        fputs("--help' ;;\n", out);
    }
    fputs("    esac\n}\n", out);
}

void completion_print_bash(FILE *out)
{
    fputs(head, out);
    put_commands(out);
    fputs("\n_assay_flag()\n{\n    case $1 in\n", out);
    for_each(put_flags, out);
    fputs("    esac\n}\n\n# Fails where the flag takes no value.\n_assay_value()\n{\n    case $1 "
          "in\n",
          out);
    for_each(put_values, out);
    fputs("    *) return 1 ;;\n    esac\n    return 0\n}\n\n_assay_argument()\n{\n    case $1 in\n",
          out);
    for_each(put_arguments, out);
    fputs("    esac\n}\n\n", out);
    fputs(function, out);
}
