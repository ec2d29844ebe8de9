#include "conformance/tools/cli/manual.h"

#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "reference/base/limits.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* The date of the version, as in CHANGELOG.md. */
static const char release_date[] = "2026-11-22";

/* ---- text ---- */

/* Writes a character as troff reads it; returns how many it took. */
static size_t put_char(FILE *out, char c)
{
    if (c == '\\')
        return (size_t)fprintf(out, "\\e");
    if (c == '-') /* a minus, which can be copied into a shell, not a hyphen */
        return (size_t)fprintf(out, "\\-");
    fputc(c, out);
    return 1;
}

static size_t flag_length(const char *text)
{
    size_t n = 0;

    if (text[0] != '-' || (!isalpha((unsigned char)text[1]) && text[1] != '-'))
        return 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '-' || text[n] == '_')
        n++;
    return n;
}

/* Writes a word, in bold where it is a flag; returns how many characters it took. */
static size_t put_word(FILE *out, const char *word, size_t length)
{
    const size_t open = length > 0 && word[0] == '(';
    const size_t flag = open < length ? flag_length(word + open) : 0;
    size_t count = 0;

    for (size_t i = 0; i < length; i++) {
        if (flag > 0 && i == open)
            count += (size_t)fprintf(out, "\\fB");
        count += put_char(out, word[i]);
        if (flag > 0 && i + 1 == open + flag)
            count += (size_t)fprintf(out, "\\fR");
    }
    return count;
}

/* Writes running text, in lines of at most 80 characters; an empty line begins a paragraph. */
static void put_text(FILE *out, const char *text)
{
    size_t column = 0;

    while (*text) {
        const size_t length = strcspn(text, " \n"), spaces = strspn(text + length, " \n");

        /* Every character may become two, and bold adds six. */
        if (column > 0 && column + 2 + 2 * length + 6 > 80) {
            fputc('\n', out);
            column = 0;
        }
        if (column > 0)
            column += (size_t)fprintf(out, text[-1] == ' ' && text[-2] == ' ' ? "  " : " ");
        else if (*text == '.' || *text == '\'')
            fputs("\\&", out); /* not a request */
        column += put_word(out, text, length);
        text += length;
        if (strncmp(text, "\n\n", 2) == 0) {
            fputs("\n.PP\n", out);
            column = 0;
        }
        text += spaces;
    }
    fputc('\n', out);
}

/* Writes the text with a capital and a full stop. */
static void put_sentence(FILE *out, const char *text)
{
    char sentence[512];

    snprintf(sentence, sizeof sentence, "%c%s.", toupper((unsigned char)text[0]), text + 1);
    put_text(out, sentence);
}

/* Writes examples: lines are kept, without their indent of two. */
static void put_lines(FILE *out, const char *text)
{
    fputs(".nf\n", out);
    while (*text) {
        size_t n;

        if (strncmp(text, "  ", 2) == 0)
            text += 2;
        n = strcspn(text, "\n");
        fputs(n ? "\\&" : ".sp", out); /* a dot or a quote at the start is no request */
        for (size_t i = 0; i < n; i++)
            put_char(out, text[i]);
        fputc('\n', out);
        text += n + (text[n] == '\n');
    }
    fputs(".fi\n", out);
}

static void put_heading(FILE *out, const char *name)
{
    fputs(".TH \"", out);
    for (; *name; name++)
        put_char(out, (char)toupper((unsigned char)*name));
    fprintf(out, "\" \"1\" \"%s\" \"assay %s\" \"Assay\"\n", release_date, ASSAY_VERSION);
    fputs(".nh\n.ad l\n", out); /* neither hyphens nor wide spaces inside of names and values */
}

/* ---- flags ---- */

static void put_flag(FILE *out, const struct args_flag *f)
{
    char text[64];

    args_flag_text(f, text, sizeof text);
    fputs(".TP\n", out);
    put_text(out, text);
    put_sentence(out, f->help);
    if (f->kind == ARGS_CHOICE) {
        fprintf(out, "%s is", f->value);
        for (int i = 0; f->choices[i]; i++)
            fprintf(out, "%s%s\\fB%s\\fR",
                    i == 0              ? ""
                    : f->choices[i + 1] ? ","
                                        : " or",
                    i % 4 == 3 ? "\n" : " ", f->choices[i]);
        fputs(".\n", out);
    } else if (f->min != 0 || f->max != 0) {
        fprintf(out, "%s is a %snumber from %.15g to %.15g.\n", f->value,
                f->kind == ARGS_UINT ? "whole " : "", f->min, f->max);
    }
}

static void put_flags(const struct command *command, const struct args_flag *flags, size_t count,
                      void *user)
{
    FILE *const out = user;

    (void)command;
    for (size_t i = 0; i < count; i++) {
        if (flags[i].help)
            put_flag(out, &flags[i]);
    }
    fputs(".TP\n", out);
    put_text(out, "--help");
    put_sentence(out, "print flags and examples");
}

/* ---- sections ---- */

static void put_exit_status(FILE *out)
{
    fprintf(out,
            ".SH EXIT STATUS\n"
            ".TP\n%d\nAll is as expected.  A declined case alone is no failure.\n"
            ".TP\n%d\nA case failed, a limit was exceeded, or something else went wrong.\n"
            ".TP\n%d\nThe usage is wrong, or an input cannot be read.\n"
            ".TP\n%d\nThere is no usable Vulkan device for what was asked by name.\n",
            EXIT_AS_EXPECTED, EXIT_FAILED, EXIT_USAGE, EXIT_NO_DEVICE);
}

static void put_see_also(FILE *out, const struct command *but)
{
    const struct command *c;

    fputs(".SH SEE ALSO\n", out);
    if (but)
        fputs(".BR assay (1),\n", out);
    for (size_t i = 0; (c = commands_at(i)) != NULL; i++) {
        const struct command *next = commands_at(i + 1);

        if (next == but && next)
            next = commands_at(i + 2);
        if (c != but)
            fprintf(out, ".BR assay\\-%s (1)%s\n", c->name, next ? "," : "");
    }
}

static void put_name(FILE *out, const struct command *c)
{
    fprintf(out, ".SH NAME\nassay\\-%s \\- ", c->name);
    put_text(out, c->summary);
}

static void put_synopsis(FILE *out, const struct command *c)
{
    fprintf(out, ".B assay %s\n", c->name);
    put_text(out, c->synopsis);
}

static void print_command(FILE *out, const struct command *c)
{
    const char *title, *above = NULL;
    struct args_flag more;
    char name[64];

    snprintf(name, sizeof name, "assay-%s", c->name);
    put_heading(out, name);
    put_name(out, c);
    fputs(".SH SYNOPSIS\n", out);
    if (c->part_count == 0)
        put_synopsis(out, c);
    for (size_t i = 0; i < c->part_count; i++) {
        put_synopsis(out, &c->parts[i]);
        if (i + 1 < c->part_count)
            fputs(".br\n", out);
    }
    fputs(".SH DESCRIPTION\n", out);
    put_text(out, c->description);
    if (c->part_count == 0) {
        fputs(".SH OPTIONS\n", out);
        args_describe(c, put_flags, out);
    }
    for (size_t i = 0; c->more_flag_at && c->more_flag_at(i, &title, &more); i++) {
        if (title != above)
            fprintf(out, ".SH \"%s\"\n", title);
        above = title;
        put_flag(out, &more);
    }
    for (size_t i = 0; i < c->part_count; i++) {
        const struct command *const part = &c->parts[i];

        fprintf(out, ".SH \"ASSAY ");
        for (const char *p = part->name; *p; p++)
            put_char(out, (char)toupper((unsigned char)*p));
        fputs("\"\n", out);
        put_text(out, part->description);
        args_describe(part, put_flags, out);
    }
    put_exit_status(out);
    fputs(".SH EXAMPLES\n", out);
    put_lines(out, c->examples);
    put_see_also(out, c);
}

static const char overview[] =
    "Assay checks delegates of TensorFlow Lite (LiteRT): libraries that run a model, or parts of "
    "it, on an accelerator.  It builds small models, case by case, runs them on a scalar reference "
    "and on the delegate, and holds the difference against a bound that follows from the "
    "arithmetic.  It also runs, inspects and times whole models.\n\n"
    "A delegate is a shared library with the plug-in ABI of TensorFlow Lite, "
    "tflite_plugin_create_delegate.  Without --delegate the subject is libassay_delegate.so, "
    "Assay's own delegate for Vulkan, which lies beside the program or in ../lib/assay; "
    "delegate/OPTIONS.md of the source describes the options that --delegate-option gives it.\n\n"
    "An error is one line on standard error, \"assay: what: why\".  Flags are written --flag=VALUE "
    "or --flag VALUE, before or after arguments.";

/* The standard limits, whatever the environment says. */
static void put_limits(FILE *out)
{
    char text[256];

    fputs(".SH LIMITS\n", out);
    put_text(out,
             "A file that exceeds one of these values is refused, on every machine alike; the "
             "message names the limit, its value and what the file needs.  --limit=NAME=VALUE of a "
             "command sets another limit; a value may end in K, M or G.  assay --limits prints "
             "those that hold.");
    for (int i = 0; i < LIMIT_COUNT; i++) {
        const struct limit_row *const row = limit_row((enum limit)i);

        fprintf(out, ".TP\n.B %s\n", row->name);
        snprintf(text, sizeof text, "%" PRIu64 " %s of %s.", row->standard, row->unit, row->what);
        put_text(out, text);
    }
}

static void print_overview(FILE *out)
{
    const struct command *c;

    put_heading(out, "assay");
    fputs(".SH NAME\nassay \\- conformance suite for TensorFlow Lite delegates\n"
          ".SH SYNOPSIS\n.B assay\n.I command\n[flag]... [argument]...\n.br\n"
          ".B assay\n\\fB\\-\\-help\\fR | \\fB\\-\\-version\\fR | \\fB\\-\\-limits\\fR "
          "[\\fB\\-\\-format=json\\fR]\n.SH DESCRIPTION\n",
          out);
    put_text(out, overview);
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; (c = commands_at(i)) != NULL; i++) {
        fprintf(out, ".TP\n.BR assay\\-%s (1)\n", c->name);
        put_sentence(out, c->summary);
    }
    put_limits(out);
    put_exit_status(out);
    fputs(".SH ENVIRONMENT\n", out);
    fputs(".TP\n.B ASSAY_LIMITS\n"
          "NAME=VALUE, or several with commas between them: limits that a model is held to.\n"
          ".TP\n.B ASSAY_VK_VALIDATION\n"
          "1 makes the delegate enable the Khronos validation layer.\nIts messages fail a case.\n"
          ".TP\n.B LITERT_LIBRARY\n"
          "The libLiteRt.so of subjects litert:cpu, litert:gpu and litert:npu.\nUnless it is set,\n"
          "the loader's path and the packages of python3 are searched.\n"
          ".TP\n.B MESA_SHADER_CACHE_DIR\n"
          "Where Mesa keeps compiled shaders.\nUnless it is set, \\fBassay conformance\\fR uses\n"
          "$XDG_CACHE_HOME/assay/shaders or ~/.cache/assay/shaders.\n"
          ".TP\n.BR VK_DRIVER_FILES \", \" VK_ICD_FILENAMES\n"
          "Which drivers the Vulkan loader considers.\nFiles that are missing leave no device.\n",
          out);
    fputs(".SH EXAMPLES\n", out);
    put_lines(out, "assay devices\n"
                   "assay conformance --filter='softmax.*'\n"
                   "assay conformance --delegate=./libyours.so --delegate-option=KEY=VALUE\n"
                   "assay inspect model.tflite\n"
                   "assay bench model.tflite --delegate-option=precision=fp16\n");
    put_see_also(out, NULL);
}

void manual_print(FILE *out, const struct command *command)
{
    if (command)
        print_command(out, command);
    else
        print_overview(out);
}

/* ---- completion ---- */

/* Rows of a command: a flag, or @ for what is no flag, what follows it, and its words.
 *     flag    nothing          any    a value of the user
 *     words   one of these     files  a path; with a suffix only files that end so, and directories
 *     parts   one of these: the command is then its name and this word, with : between */
static const char completion_head[] =
    "# bash completion for assay, printed by `assay --print-completion=bash`\n"
    "\n"
    "_assay_rows='\n";

/* Bash splits words at '=' where COMP_WORDBREAKS holds it, as it does by default: --format=json
 * arrives as three words.  A flag and its value may also be two words, or one. */
static const char completion_function[] =
    "'\n"
    "\n"
    "_assay()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} prefix= flag=\n"
    "    local command=${COMP_WORDS[1]} name key kind words flags= value= rest=\n"
    "    COMPREPLY=()\n"
    "    if [[ ${COMP_WORDS[0]##*/} == assay-agent ]]; then\n"
    "        command=assay-agent\n"
    "    elif [[ $COMP_CWORD -le 1 || $command == help ]]; then\n"
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
    "complete -F _assay assay assay-agent\n";

/* Of the other program, which this one cannot ask. */
static const char agent[] = "assay-agent --subject any\n"
                            "assay-agent --listen any\n"
                            "assay-agent --secret-file files\n"
                            "assay-agent --version flag\n"
                            "assay-agent @ words\n";

static bool is_path(const struct args_flag *f)
{
    return strcmp(f->value, "FILE") == 0 || strcmp(f->value, "PATH") == 0 ||
           strcmp(f->value, "DIR") == 0;
}

static void put_key(FILE *out, const char *command)
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

        put_key(out, command->name);
        fprintf(out, " %s%s %s", f->name[1] ? "--" : "-", f->name,
                chosen       ? "words"
                : !f->value  ? "flag"
                : is_path(f) ? "files"
                             : "any");
        for (int k = 0; chosen && f->choices[k]; k++)
            fprintf(out, " %s", f->choices[k]);
        fputc('\n', out);
    }
    put_key(out, command->name);
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

    fputs(completion_head, out);
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
    fputs(agent, out);
    fputs(completion_function, out);
}
