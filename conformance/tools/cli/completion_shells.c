/* Completion for fish and zsh.  Their own functions split the line; what is printed here is data: a
 * row for each flag, with its help. */
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/tools/cli/completion.h"

#include <string.h>

/* Prints text within single quotes; each character of `special` gets a backslash. */
static void put_escaped(FILE *out, const char *text, const char *special, const char *quote)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs(quote, out);
        else if (strchr(special, *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

static bool is_path(const struct args_flag *f)
{
    return f->value && (strcmp(f->value, "FILE") == 0 || strcmp(f->value, "PATH") == 0 ||
                        strcmp(f->value, "DIR") == 0);
}

/* The second word of "golden check"; NULL in a name of one word. */
static const char *part_of(const struct command *c)
{
    const char *const space = strchr(c->name, ' ');

    return space ? space + 1 : NULL;
}

/* ---- fish ---- */

static void fish_text(FILE *out, const char *text)
{
    fputc('\'', out);
    put_escaped(out, text, "\\", "\\'");
    fputc('\'', out);
}

/* Prints what a row of a command begins with. */
static void fish_row(FILE *out, const struct command *c)
{
    const char *const part = part_of(c);

    if (part)
        fprintf(out,
                "complete -c assay -n '__fish_seen_subcommand_from %.*s; and "
                "__fish_seen_subcommand_from %s'",
                (int)(part - 1 - c->name), c->name, part);
    else
        fprintf(out, "complete -c assay -n '__fish_seen_subcommand_from %s'", c->name);
}

static void fish_flags(const struct command *command, const struct args_flag *flags, size_t count,
                       void *user)
{
    FILE *const out = user;
    const char *word;

    for (size_t i = 0; i < count; i++) {
        const struct args_flag *const f = &flags[i];

        fish_row(out, command);
        fprintf(out, " %s %s", f->name[1] ? "-l" : "-s", f->name);
        if (f->kind == ARGS_CHOICE) {
            fputs(" -x -a '", out);
            for (int k = 0; f->choices[k]; k++)
                fprintf(out, "%s%s", k ? " " : "", f->choices[k]);
            fputc('\'', out);
        } else if (f->value) {
            fputs(is_path(f) ? " -r -F" : " -x", out);
        }
        fputs(" -d ", out);
        fish_text(out, f->help ? f->help : "as in benchmark_model");
        fputc('\n', out);
    }
    if (command->suffix) {
        fish_row(out, command);
        fprintf(out, " -k -a '(__fish_complete_suffix %s)'\n", command->suffix);
    }
    for (size_t i = 0; command->word_at && (word = command->word_at(i)) != NULL; i++) {
        fish_row(out, command);
        fprintf(out, " -a %s\n", word);
    }
}

void completion_print_fish(FILE *out)
{
    const struct command *c;

    fputs("# fish completion for assay, printed by `assay --print-completion=fish`\n"
          "complete -c assay -f\n"
          "complete -c assay -n __fish_use_subcommand -l version -d 'print the version'\n"
          "complete -c assay -n __fish_use_subcommand -l limits -d 'list the limits of models'\n"
          "complete -c assay -l help -d 'print help'\n"
          "complete -c assay -n __fish_use_subcommand -a help -d 'help of a command'\n",
          out);
    for (size_t i = 0; (c = commands_at(i)) != NULL; i++) {
        fprintf(out, "complete -c assay -n __fish_use_subcommand -a %s -d ", c->name);
        fish_text(out, c->summary);
        fputc('\n', out);
        fprintf(out, "complete -c assay -n '__fish_seen_subcommand_from help' -a %s\n", c->name);
        if (c->part_count == 0)
            args_describe(c, fish_flags, out);
        for (size_t k = 0; k < c->part_count; k++) {
            const struct command *const part = &c->parts[k];

            fprintf(out, "complete -c assay -n '__fish_seen_subcommand_from %s' -a %s -d ", c->name,
                    part_of(part));
            fish_text(out, part->summary);
            fputc('\n', out);
            args_describe(part, fish_flags, out);
        }
    }
}

/* ---- zsh ---- */

static void zsh_text(FILE *out, const char *text)
{
    put_escaped(out, text, "[]:\\", "'\\''");
}

static void zsh_arguments(const struct command *command, const struct args_flag *flags,
                          size_t count, void *user)
{
    FILE *const out = user;
    const char *word;

    fputs("_arguments", out);
    for (size_t i = 0; i < count; i++) {
        const struct args_flag *const f = &flags[i];

        fprintf(out, " \\\n            '%s%s%s%s[", f->kind == ARGS_LIST ? "*" : "",
                f->name[1] ? "--" : "-", f->name,
                !f->value    ? ""
                : f->name[1] ? "="
                             : "+");
        zsh_text(out, f->help ? f->help : "as in benchmark_model");
        fputc(']', out);
        if (f->value) {
            fputc(':', out);
            zsh_text(out, f->value);
            fputc(':', out);
        }
        if (f->kind == ARGS_CHOICE) {
            fputc('(', out);
            for (int k = 0; f->choices[k]; k++)
                fprintf(out, "%s%s", k ? " " : "", f->choices[k]);
            fputc(')', out);
        } else if (is_path(f)) {
            fputs("_files", out);
        }
        fputc('\'', out);
    }
    fputs(" \\\n            '--help[print help]'", out);
    if (command->suffix) {
        fprintf(out, " \\\n            '*:file:_files -g \"*%s\"'", command->suffix);
    } else if (command->word_at) {
        fputs(" \\\n            '*:name:(", out);
        for (size_t i = 0; (word = command->word_at(i)) != NULL; i++)
            fprintf(out, "%s%s", i ? " " : "", word);
        fputs(")'", out);
    }
    fputs(" ;;\n", out);
}

static void zsh_describe(FILE *out, const struct command *c, const char *name)
{
    fprintf(out, " '%s:", name);
    zsh_text(out, c->summary);
    fputc('\'', out);
}

static void zsh_parts(FILE *out, const struct command *c)
{
    fprintf(out,
            "    %s)\n"
            "        if (( CURRENT == 2 )); then\n"
            "            names=(",
            c->name);
    for (size_t k = 0; k < c->part_count; k++)
        zsh_describe(out, &c->parts[k], part_of(&c->parts[k]));
    fputs(")\n"
          "            _describe 'command' names\n"
          "            return\n"
          "        fi\n"
          "        shift words\n"
          "        (( CURRENT-- ))\n"
          "        case $words[1] in\n",
          out);
    for (size_t k = 0; k < c->part_count; k++) {
        fprintf(out, "        %s) ", part_of(&c->parts[k]));
        args_describe(&c->parts[k], zsh_arguments, out);
    }
    fputs("        esac ;;\n", out);
}

void completion_print_zsh(FILE *out)
{
    const struct command *c;

    fputs("#compdef assay\n"
          "# zsh completion for assay, printed by `assay --print-completion=zsh`\n"
          "\n"
          "_assay()\n"
          "{\n"
          "    local -a names\n"
          "    if (( CURRENT == 2 )); then\n"
          "        names=('help:help of a command'",
          out);
    for (size_t i = 0; (c = commands_at(i)) != NULL; i++)
        zsh_describe(out, c, c->name);
    fputs(")\n"
          "        _describe 'command' names\n"
          "        return\n"
          "    fi\n"
          "    shift words\n"
          "    (( CURRENT-- ))\n"
          "    case $words[1] in\n"
          "    help) _arguments '1:command:(",
          out);
    for (size_t i = 0; (c = commands_at(i)) != NULL; i++)
        fprintf(out, "%s%s", i ? " " : "", c->name);
    fputs(")' ;;\n", out);
    for (size_t i = 0; (c = commands_at(i)) != NULL; i++) {
        if (c->part_count > 0) {
            zsh_parts(out, c);
        } else {
            fprintf(out, "    %s) ", c->name);
            args_describe(c, zsh_arguments, out);
        }
    }
    fputs("    esac\n"
          "}\n"
          "\n"
          "# A file in $fpath is the body of the function; a sourced one registers it.\n"
          "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
          "    _assay \"$@\"\n"
          "else\n"
          "    compdef _assay assay\n"
          "fi\n",
          out);
}
