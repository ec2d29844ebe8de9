/* Builds the tables of getopt_long from rows of struct args_flag, and prints help from the same
 * rows. */
#include "conformance/tools/cli/args.h"

#include "conformance/report/forms/forms.h"
#include "conformance/suite/io/model_file.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/util/nearest.h"
#include "conformance/util/progress.h"
#include "reference/base/arena.h"
#include "reference/base/limits.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLAGS_MAX = 192, LONG_BASE = 256 }; /* above every short flag's character */
enum { FORMS_MAX = 16 };
enum { HELP_WIDTH = 80, HELP_COLUMN = 30 }; /* of the texts of flags */

/* Memory of the lists that args_parse fills. */
static struct arena kept;

/* Set while args_describe runs. */
static struct {
    args_describe_fn *call;
    void *user;
} describing;

static const char *const progress_names[] = {
    [PROGRESS_AUTO] = "auto", [PROGRESS_PLAIN] = "plain", [PROGRESS_NONE] = "none", NULL
};
static const char *const format_names[] = { [FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", NULL };
static const char *const format_names_csv[] = {
    [FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", [FORMAT_CSV] = "csv", NULL
};

/* The names of forms[], as choices. */
static const char *const *form_names(void)
{
    static const char *names[FORMS_MAX + 1];

    assert(form_count <= FORMS_MAX);
    for (size_t i = 0; i < form_count; i++)
        names[i] = forms[i].name;
    return names;
}

struct flag_table {
    struct args_flag flags[FLAGS_MAX];
    size_t count;
};

void args_close(void)
{
    arena_close(&kept);
}

/* ---- values ---- */

static bool in_range(const struct args_flag *f, double x)
{
    return (f->min == 0 && f->max == 0) || (x >= f->min && x <= f->max);
}

static bool read_uint(const struct args_flag *f, const char *text, uint64_t *out)
{
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;

    /* strtoull accepts leading spaces and a sign, which are refused here. */
    if (!isxdigit((unsigned char)text[hex ? 2 : 0]))
        return false;
    errno = 0;
    *out = strtoull(text, &end, hex ? 16 : 10);
    return errno == 0 && *end == '\0' && in_range(f, (double)*out);
}

static bool read_double(const struct args_flag *f, const char *text, double *out)
{
    char *end;

    if (text[0] == '\0' || isspace((unsigned char)text[0]))
        return false;
    *out = strtod(text, &end);
    return *end == '\0' && isfinite(*out) && in_range(f, *out);
}

static void bad_number(const char *what, const struct args_flag *f, const char *text)
{
    const char *const kind = f->kind == ARGS_UINT ? "a whole number" : "a number";

    if (f->min == 0 && f->max == 0)
        message_error(what, "--%s=%s: expected %s", f->name, text, kind);
    else
        message_error(what, "--%s=%s: expected %s from %.15g to %.15g", f->name, text, kind, f->min,
                      f->max);
}

static bool read_choice(const char *what, const struct args_flag *f, const char *text)
{
    char list[256] = "";
    size_t used = 0;

    for (int i = 0; f->choices[i]; i++) {
        if (strcmp(f->choices[i], text) == 0) {
            *(int *)f->target = i;
            return true;
        }
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                     f->choices[i]);
    }
    message_error(what, "--%s=%s: expected one of %s", f->name, text, list);
    return false;
}

static bool list_add(struct string_list *list, const char *item)
{
    const char **const items = ARENA_NEW(&kept, list->count + 1, const char *);

    if (!items)
        return false;
    if (list->count)
        memcpy(items, list->items, list->count * sizeof *items);
    items[list->count] = item;
    *list = (struct string_list){ items, list->count + 1 };
    return true;
}

static bool set_value(const char *what, const struct args_flag *f, const char *text)
{
    bool ok = true;

    switch (f->kind) {
    case ARGS_BOOL: *(bool *)f->target = true; return true;
    case ARGS_STRING: *(const char **)f->target = text; return true;
    case ARGS_MAYBE: *(const char **)f->target = text ? text : ""; return true;
    case ARGS_CHOICE: return read_choice(what, f, text);
    case ARGS_LIST:
        if (!list_add(f->target, text)) {
            message_error(what, "--%s: out of memory", f->name);
            return false;
        }
        return true;
    case ARGS_UINT: ok = read_uint(f, text, f->target); break;
    case ARGS_DOUBLE: ok = read_double(f, text, f->target); break;
    }
    if (!ok)
        bad_number(what, f, text);
    return ok;
}

/* ---- help ---- */

void args_flag_text(const struct args_flag *f, char *text, size_t bytes)
{
    const bool is_short = f->name[1] == '\0';

    snprintf(text, bytes, "%s%s%s%s%s", is_short ? "-" : "--", f->name,
             !f->value               ? ""
             : is_short              ? " "
             : f->kind == ARGS_MAYBE ? "[="
                                     : "=",
             f->value ? f->value : "", f->kind == ARGS_MAYBE ? "]" : "");
}

/* Prints words from column on, in lines of at most HELP_WIDTH that begin at HELP_COLUMN.  Returns
 * the column behind the last one. */
static int print_wrapped(const char *text, int column)
{
    while (*text) {
        const int length = (int)strcspn(text, " ");

        if (column > HELP_COLUMN && column + 1 + length > HELP_WIDTH) {
            printf("\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        } else if (column > HELP_COLUMN) {
            putchar(' ');
            column++;
        }
        printf("%.*s", length, text);
        column += length;
        text += length + (text[length] == ' ');
    }
    return column;
}

static void print_flag(const struct args_flag *f)
{
    char left[64], values[256] = "";
    size_t used = 0;
    int column;

    args_flag_text(f, left, sizeof left);
    printf("  %-*s", HELP_COLUMN - 2, left);
    if (strlen(left) > HELP_COLUMN - 3)
        printf("\n%*s", HELP_COLUMN, "");
    for (int i = 0; f->kind == ARGS_CHOICE && f->choices[i] && used < sizeof values; i++)
        used += (size_t)snprintf(values + used, sizeof values - used, "%s%s", i ? ", " : "",
                                 f->choices[i]);
    column = print_wrapped(f->help, HELP_COLUMN);
    if (used > 0) {
        putchar(':');
        print_wrapped(values, column + 1);
    }
    putchar('\n');
}

static void print_help(const struct command *self, const struct flag_table *table)
{
    const char *title, *above = NULL;
    struct args_flag more;

    printf("Usage: assay %s %s\n\n%c%s.\n\nFlags:\n", self->name, self->synopsis,
           toupper((unsigned char)self->summary[0]), self->summary + 1);
    for (size_t i = 0; i < table->count; i++) {
        if (table->flags[i].help)
            print_flag(&table->flags[i]);
    }
    printf("  %-*s%s\n", HELP_COLUMN - 2, "--help", "print this help");
    for (size_t i = 0; self->more_flag_at && self->more_flag_at(i, &title, &more); i++) {
        if (title != above)
            printf("\n%s:\n", title);
        above = title;
        print_flag(&more);
    }
    for (size_t i = 0; i < self->part_count; i++) {
        printf("%s  assay %-*s", i == 0 ? "\nCommands:\n" : "", HELP_COLUMN - 8,
               self->parts[i].name);
        print_wrapped(self->parts[i].summary, HELP_COLUMN);
        putchar('\n');
    }
    if (self->examples)
        printf("\nExamples:\n%s", self->examples);
}

/* ---- parsing ---- */

static void table_add(struct flag_table *table, struct args_flag flag)
{
    assert(table->count < FLAGS_MAX);
    table->flags[table->count++] = flag;
}

/* Flags of struct args_common: the bit that asks for each, and where its value goes. */
static const struct {
    unsigned bit;
    size_t offset;
    struct args_flag flag;
} common_flags[] = {
    { ARGS_DELEGATE, offsetof(struct args_common, delegate),
      ARG("delegate", ARGS_STRING, NULL, "PATH",
          "delegate library (default: ours; none: the scalar reference)") },
    { ARGS_DELEGATE, offsetof(struct args_common, delegate_option),
      ARG("delegate-option", ARGS_LIST, NULL, "KEY=VALUE", "option of the delegate; repeatable") },
    { ARGS_DELEGATE, offsetof(struct args_common, device),
      ARG("device", ARGS_STRING, NULL, "N|NAME", "device, by index or by part of its name") },
    { ARGS_MODEL, offsetof(struct args_common, model),
      ARG("model", ARGS_STRING, NULL, "TEXT",
          "the model, as text: 'RELU x:f32[1,4] -> y'; conformance/doc/MODEL_TEXT.md") },
    { ARGS_USE, offsetof(struct args_common, use.signature),
      ARG("signature", ARGS_STRING, NULL, "KEY",
          "the signature whose subgraph is used (default: the first subgraph)") },
    { ARGS_USE, offsetof(struct args_common, use.shapes),
      ARG("input-shape", ARGS_LIST, NULL, "NAME:DIMS",
          "shape of an input, as in image:1,224,224,3; repeatable (default: that of the file)") },
    { ARGS_HOST, offsetof(struct args_common, use.host),
      ARG("host", ARGS_STRING, NULL, "SPEC",
          "who runs the nodes that the reference does not know, such as litert:cpu (default: "
          "nobody)") },
    { ARGS_DELEGATE | ARGS_LIMIT, offsetof(struct args_common, limit),
      ARG("limit", ARGS_LIST, NULL, "NAME=VALUE",
          "what a model may ask for (assay --limits lists them); repeatable") },
    { ARGS_FORMAT,
      offsetof(struct args_common, format),
      { "format", ARGS_CHOICE, NULL, "FORMAT", "form of the report", 0, 0, format_names } },
    { ARGS_FORMAT, offsetof(struct args_common, out),
      ARG("out", ARGS_STRING, NULL, "PATH", "file of the report (default: standard output)") },
    { ARGS_SEED, offsetof(struct args_common, seed),
      ARG("seed", ARGS_UINT, NULL, "N", "seed of all random data (default 1)") },
    { ARGS_JOBS,
      offsetof(struct args_common, jobs),
      { "jobs", ARGS_UINT, NULL, "N", "worker processes (default: one for each processor)", 1, 1024,
        NULL } },
    { ARGS_QUIET, offsetof(struct args_common, quiet),
      ARG("quiet", ARGS_BOOL, NULL, NULL, "show no progress") },
    { ARGS_QUIET,
      offsetof(struct args_common, progress),
      { "progress", ARGS_CHOICE, NULL, "WHEN",
        "progress on stderr: on a terminal a line that is rewritten, elsewhere a line every ten "
        "seconds (auto); such lines on a terminal, too (plain); or none",
        0, 0, progress_names } },
};

static bool table_has(const struct flag_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->flags[i].name, name) == 0)
            return true;
    return false;
}

/* A flag of the command's own goes before one of the same name, which nobody could give: where
 * --limit counts cases, the environment alone sets limits. */
static void add_common(struct flag_table *table, unsigned bits, struct args_common *c)
{
    for (size_t i = 0; i < sizeof common_flags / sizeof common_flags[0]; i++) {
        struct args_flag flag = common_flags[i].flag;

        flag.target = (char *)c + common_flags[i].offset;
        if (flag.choices == format_names && bits & ARGS_CSV)
            flag.choices = format_names_csv;
        if (flag.choices == format_names && bits & ARGS_FORMS)
            flag.choices = form_names();
        if (bits & common_flags[i].bit && !table_has(table, flag.name))
            table_add(table, flag);
    }
}

static void unknown_flag(const char *what, const char *arg, const struct flag_table *table)
{
    const char *names[FLAGS_MAX];
    char word[64];
    const char *near;

    if (strncmp(arg, "--", 2) != 0) {
        message_error(what, "unknown flag %s; `assay %s --help` lists them", arg, what);
        return;
    }
    snprintf(word, sizeof word, "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
    for (size_t i = 0; i < table->count; i++)
        names[i] = table->flags[i].name;
    near = nearest_name(word, names, table->count);
    if (near)
        message_error(what, "unknown flag --%s; did you mean --%s?", word, near);
    else
        message_error(what, "unknown flag --%s; `assay %s --help` lists them", word, what);
}

/* Reports why getopt_long, which returned result, refused arg. */
static void explain(const char *what, int result, const char *arg, const struct flag_table *table)
{
    const struct args_flag *f = NULL;

    if (optopt >= LONG_BASE && (size_t)(optopt - LONG_BASE) < table->count)
        f = &table->flags[optopt - LONG_BASE];
    if (result == ':' && f)
        message_error(what, "--%s needs a value: --%s=%s", f->name, f->name, f->value);
    else if (result == ':')
        message_error(what, "-%c needs a value", optopt);
    else if (f)
        message_error(what, "--%s takes no value", f->name);
    else if (optopt == LONG_BASE + FLAGS_MAX)
        message_error(what, "--help takes no value");
    else if (optopt != 0)
        unknown_flag(what, (char[]){ '-', (char)optopt, '\0' }, table);
    else
        unknown_flag(what, arg, table);
}

/* A delegate has options only: --device=X reaches it as the option device=X. */
static bool device_to_option(struct args_common *c)
{
    static const char key[] = "device=";
    const size_t bytes = sizeof key + strlen(c->device);
    char *const item = arena_alloc(&kept, bytes, 1);

    if (!item)
        return false;
    snprintf(item, bytes, "%s%s", key, c->device);
    return list_add(&c->delegate_option, item);
}

static bool check_options(const char *what, const struct string_list *options)
{
    for (size_t i = 0; i < options->count; i++) {
        const char *const equals = strchr(options->items[i], '=');

        if (!equals || equals == options->items[i]) {
            message_error(what, "--delegate-option=%s: expected KEY=VALUE", options->items[i]);
            return false;
        }
    }
    return true;
}

static bool set_limits(const char *what, const struct string_list *limits)
{
    struct diag diag = { .status = STATUS_OK };

    for (size_t i = 0; i < limits->count; i++) {
        if (limits_set(limits->items[i], &diag) != STATUS_OK) {
            message_error(what, "--limit=%s: %s", limits->items[i], diag.text);
            return false;
        }
    }
    return true;
}

static void fill_getopt(const struct flag_table *table, struct option *longs, char *shorts)
{
    size_t long_count = 0;

    *shorts++ = ':'; /* makes getopt_long tell a missing value from an unknown flag */
    *shorts++ = 'h';
    for (size_t i = 0; i < table->count; i++) {
        const struct args_flag *const f = &table->flags[i];

        if (f->name[1] == '\0') {
            *shorts++ = f->name[0];
            if (f->kind != ARGS_BOOL)
                *shorts++ = ':';
        } else {
            longs[long_count++] = (struct option){ f->name,
                                                   f->kind == ARGS_BOOL    ? no_argument
                                                   : f->kind == ARGS_MAYBE ? optional_argument
                                                                           : required_argument,
                                                   NULL, LONG_BASE + (int)i };
        }
    }
    *shorts = '\0';
    longs[long_count++] = (struct option){ "help", no_argument, NULL, LONG_BASE + FLAGS_MAX };
    longs[long_count] = (struct option){ NULL, 0, NULL, 0 };
}

static const struct args_flag *flag_of(const struct flag_table *table, int result)
{
    if (result >= LONG_BASE)
        return &table->flags[result - LONG_BASE];
    for (size_t i = 0; i < table->count; i++) {
        if (table->flags[i].name[1] == '\0' && table->flags[i].name[0] == result)
            return &table->flags[i];
    }
    return NULL;
}

/* Whether a flag of one value has no other one yet, which would be lost. */
static bool is_new(const char *what, const struct args_flag *f, const char **before,
                   const char *text)
{
    if (f->kind == ARGS_BOOL || f->kind == ARGS_LIST)
        return true;
    if (*before && strcmp(*before, text) != 0) {
        message_error(what, "%s%s is given twice, as %s and as %s: expected one value",
                      f->name[1] ? "--" : "-", f->name, *before, text);
        return false;
    }
    *before = text;
    return true;
}

/* Reads all flags; returns false with *exit_code set. */
static bool read_flags(const struct command *self, int argc, char **argv,
                       const struct flag_table *table, int *exit_code)
{
    struct option longs[FLAGS_MAX + 2];
    char shorts[2 * FLAGS_MAX + 3];
    const char *given[FLAGS_MAX] = { NULL };

    fill_getopt(table, longs, shorts);
    optind = 0; /* GNU getopt starts anew */
    opterr = 0;
    for (;;) {
        const int at = optind ? optind : 1;
        const int result = getopt_long(argc, argv, shorts, longs, NULL);
        const struct args_flag *f;

        if (result == -1)
            return true;
        if (result == 'h' || result == LONG_BASE + FLAGS_MAX) {
            print_help(self, table);
            *exit_code = EXIT_AS_EXPECTED;
            return false;
        }
        *exit_code = EXIT_USAGE;
        if (result == ':' || result == '?') {
            explain(self->name, result, argv[optind > at ? optind - 1 : at], table);
            return false;
        }
        f = flag_of(table, result);
        assert(f);
        if (!is_new(self->name, f, &given[f - table->flags], optarg ? optarg : ""))
            return false;
        if (!set_value(self->name, f, optarg))
            return false;
    }
}

/* The text of --model as the first argument, before the others.  NULL: out of memory. */
static char **put_model_first(const char *text, char **rest, size_t count)
{
    const size_t bytes = strlen(MODEL_FILE_PREFIX) + strlen(text) + 1;
    char **const items = ARENA_NEW(&kept, count + 1, char *);
    char *const name = ARENA_NEW(&kept, bytes, char);

    if (!items || !name)
        return NULL;
    snprintf(name, bytes, "%s%s", MODEL_FILE_PREFIX, text);
    items[0] = name;
    memcpy(items + 1, rest, count * sizeof *items);
    return items;
}

static bool read_args(const struct command *self, int argc, char **argv, const char *model,
                      struct args *args, size_t min, size_t max)
{
    const size_t count = (size_t)(argc - optind) + (model != NULL);
    char **items = argv + optind;

    if (model && !(items = put_model_first(model, items, count - 1))) {
        message_error(self->name, "out of memory");
        return false;
    }

    if (count < min) {
        message_error(self->name, "missing argument; usage: assay %s %s", self->name,
                      self->synopsis);
        return false;
    }
    if (count > max) {
        message_error(self->name, "unexpected argument %s", items[max]);
        return false;
    }
    if (args)
        *args = (struct args){ items, count };
    return true;
}

bool args_parse(const struct command *self, int argc, char **argv, const struct args_flag *flags,
                size_t flag_count, unsigned common_bits, struct args_common *common,
                struct args *args, size_t min, size_t max, int *exit_code)
{
    struct flag_table table = { .count = 0 };
    struct args_common unused;

    for (size_t i = 0; i < flag_count; i++)
        table_add(&table, flags[i]);
    if (!common)
        common = &unused;
    *common = (struct args_common){ .seed = 1,
                                    .format = common_bits & ARGS_JSON ? FORMAT_JSON : FORMAT_TEXT };
    add_common(&table, common_bits, common);
    if (describing.call) {
        describing.call(self, table.flags, table.count, describing.user);
        *exit_code = EXIT_AS_EXPECTED;
        return false;
    }
    if (!read_flags(self, argc, argv, &table, exit_code))
        return false;
    progress_set_mode((enum progress_mode)common->progress);
    *exit_code = EXIT_USAGE;
    if (!read_args(self, argc, argv, common->model, args, min, max) ||
        !check_options(self->name, &common->delegate_option) ||
        !set_limits(self->name, &common->limit))
        return false;
    if (common->device && !device_to_option(common)) {
        message_error(self->name, "out of memory");
        return false;
    }
    return true;
}

void args_describe(const struct command *command, args_describe_fn *describe, void *user)
{
    char *const name = (char *)(uintptr_t)command->name;

    describing.call = describe;
    describing.user = user;
    command->run(command, 1, (char *[]){ name, NULL });
    describing.call = NULL;
}
