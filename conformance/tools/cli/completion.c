#include "conformance/tools/cli/completion.h"

#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"

#include <string.h>

/* Rows of a command: a flag, or @ for what is no flag, what follows it, and its words.
 *     flag    nothing          any    a value of the user
 *     words   one of these     files  a path; with a suffix only files that end so, and directories
 *     parts   one of these: the command is then its name and this word, with : between */
static const char head[] =
    "# bash completion for assay, printed by `assay --print-completion=bash`\n"
    "\n"
    "_assay_rows='\n";

/* Bash splits words at '=' where COMP_WORDBREAKS holds it, as it does by default: --format=json
 * arrives as three words.  A flag and its value may also be two words, or one. */
static const char function[] =
    "'\n"
    "\n"
    "_assay()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} prefix= flag=\n"
    "    local command=${COMP_WORDS[1]} name key kind words flags= value= rest=\n"
    "    COMPREPLY=()\n"
    "    if [[ $COMP_CWORD -le 1 || $command == help ]]; then\n"
    "        command=assay\n"
    "    elif [[ $COMP_CWORD -gt 2 && $_assay_rows == *$'\\n'\"$command @ parts \"* ]]; then\n"
    "        command=$command:${COMP_WORDS[2]}\n"
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
    "    while read -r name key kind words; do\n"
    "        if [[ $name != \"$command\" ]]; then\n"
    "            continue\n"
    "        elif [[ $key == @ ]]; then\n"
    "            rest=\"$kind $words\"\n"
    "        elif [[ $kind == flag || $key != --* ]]; then\n"
    "            flags+=\"$key \"\n"
    "        else\n"
    "            flags+=\"$key= \"\n"
    "        fi\n"
    "        [[ $key == \"$flag\" && $kind != flag ]] && value=\"$kind $words\"\n"
    "    done <<<\"$_assay_rows\"\n"
    "    if [[ -z $value && $cur == -* && $rest != parts* ]]; then\n"
    "        value=\"words $flags--help\"\n"
    "    fi\n"
    "    read -r kind words <<<\"${value:-$rest}\"\n"
    "    case $kind in\n"
    "    words | parts)\n"
    "        COMPREPLY=($(compgen -P \"$prefix\" -W \"$words\" -- \"$cur\"))\n"
    "        if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then\n"
    "            compopt -o nospace 2>/dev/null\n"
    "        fi ;;\n"
    "    files)\n"
    "        local IFS=$'\\n'\n"
    "        COMPREPLY=($(compgen -P \"$prefix\" -f -X \"${words:+!*$words}\" -- \"$cur\")\n"
    "            $([[ -z $words ]] || compgen -P \"$prefix\" -d -- \"$cur\"))\n"
    "        compopt -o filenames 2>/dev/null ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "complete -F _assay assay\n";

static bool is_path(const struct args_flag *f)
{
    return strcmp(f->value, "FILE") == 0 || strcmp(f->value, "PATH") == 0 ||
           strcmp(f->value, "DIR") == 0;
}

static void put_name(FILE *out, const char *command)
{
    for (; *command; command++)
        fputc(*command == ' ' ? ':' : *command, out);
}

static void put_rows(const struct command *command, const struct args_flag *flags, size_t count,
                     void *user)
{
    FILE *const out = user;
    const char *word;

    for (size_t i = 0; i < count; i++) {
        const struct args_flag *const f = &flags[i];
        const bool chosen = f->value && f->kind == ARGS_CHOICE;

        put_name(out, command->name);
        fprintf(out, " %s%s %s", f->name[1] ? "--" : "-", f->name,
                chosen       ? "words"
                : !f->value  ? "flag"
                : is_path(f) ? "files"
                             : "any");
        for (int k = 0; chosen && f->choices[k]; k++)
            fprintf(out, " %s", f->choices[k]);
        fputc('\n', out);
    }
    put_name(out, command->name);
    fprintf(out, " @ %s", command->suffix ? "files " : "words");
    if (command->suffix)
        fputs(command->suffix, out);
    for (size_t i = 0; command->word_at && (word = command->word_at(i)) != NULL; i++)
        fprintf(out, " %s", word);
    fputc('\n', out);
}

void completion_print_bash(FILE *out)
{
    const struct command *c;

    fputs(head, out);
    fputs("assay @ parts", out);
    for (size_t i = 0; (c = commands_at(i)) != NULL; i++)
        fprintf(out, " %s", c->name);
    fputs(" --help --limits --version\n", out);
    for (size_t i = 0; (c = commands_at(i)) != NULL; i++) {
        if (c->part_count == 0) {
            args_describe(c, put_rows, out);
            continue;
        }
        fprintf(out, "%s @ parts", c->name);
        for (size_t k = 0; k < c->part_count; k++)
            fprintf(out, " %s", c->parts[k].name + strlen(c->name) + 1);
        fputs(" --help\n", out);
        for (size_t k = 0; k < c->part_count; k++)
            args_describe(&c->parts[k], put_rows, out);
    }
    fputs(function, out);
}
