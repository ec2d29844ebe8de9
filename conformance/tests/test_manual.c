/* Manual pages and completion: every flag of every command is in both, and what they print has the
 * form that man(7) and bash read. */
#include "reference/tests/kit/test.h"

#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/tools/cli/manual.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The page of a command, or the completion where page is false; to be freed. */
static char *print(bool page, const struct command *command)
{
    char *text = NULL;
    FILE *const f = kit_memory_file(&text);

    if (page)
        manual_print(f, command);
    else
        completion_print_bash(f);
    assert_int_equal(fclose(f), 0);
    return text;
}

/* "--repro-dir" as a page has it: "\fB\-\-repro\-dir\fR". */
static void page_name(const struct args_flag *flag, char *text, size_t bytes)
{
    size_t used = (size_t)snprintf(text, bytes, "\\fB\\-%s", flag->name[1] ? "\\-" : "");

    for (const char *p = flag->name; *p; p++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%c", *p == '-' ? "\\" : "", *p);
    snprintf(text + used, bytes - used, "\\fR");
}

struct seen {
    const char *page, *completion;
    size_t flags;
};

static void look_for_flags(const struct command *command, const struct args_flag *flags,
                           size_t count, void *user)
{
    struct seen *const seen = user;
    char text[256], name[64];

    snprintf(name, sizeof name, "%s", command->name);
    if (strchr(name, ' '))
        *strchr(name, ' ') = ':';
    for (size_t i = 0; i < count; i++) {
        const struct args_flag *const f = &flags[i];
        const char *const dashes = f->name[1] ? "--" : "-";
        const char *found;

        for (size_t k = 0; k < i; k++)
            if (strcmp(flags[k].name, f->name) == 0)
                fail_msg("%s: %s%s is two flags", command->name, dashes, f->name);
        page_name(f, text, sizeof text);
        if (!strstr(seen->page, text))
            fail_msg("%s: %s%s is not in the page", command->name, dashes, f->name);
        snprintf(text, sizeof text, "\n%s %s%s ", name, dashes, f->name);
        found = strstr(seen->completion, text);
        if (!found)
            fail_msg("%s: %s%s is not completed", command->name, dashes, f->name);
        found += strlen(text);
        assert_int_equal(strncmp(found, "flag\n", 5) == 0, f->value == NULL);
        for (int k = 0; f->kind == ARGS_CHOICE && f->choices[k]; k++) {
            const char *const word = strstr(found, f->choices[k]);

            if (!word || word > strchr(found, '\n'))
                fail_msg("%s: %s is not completed", text, f->choices[k]);
        }
        seen->flags++;
    }
}

TEST(every_flag_is_in_both)
{
    char *completion CLOSED_BY(kit_free) = print(false, NULL);
    const struct command *c;
    size_t commands = 0;

    for (size_t i = 0; (c = commands_at(i)) != NULL; i++) {
        char *const page = print(true, c);
        struct seen seen = { page, completion, 0 };

        if (c->part_count == 0)
            args_describe(c, look_for_flags, &seen);
        for (size_t k = 0; k < c->part_count; k++)
            args_describe(&c->parts[k], look_for_flags, &seen);
        assert_true(seen.flags > 0);
        free(page);
        commands++;
    }
    assert_true(commands >= 8);
}

TEST(every_command_has_its_texts)
{
    char *const overview = print(true, NULL), *const completion = print(false, NULL);
    const struct command *c;

    for (size_t i = 0; (c = commands_at(i)) != NULL; i++) {
        char text[64];

        assert_non_null(c->summary);
        assert_non_null(c->synopsis);
        assert_non_null(c->description);
        assert_non_null(c->examples);
        assert_non_null(c->run);
        assert_ptr_equal(commands_find(c->name), c);
        snprintf(text, sizeof text, "assay\\-%s (1)", c->name);
        assert_non_null(strstr(overview, text));
        assert_non_null(strstr(completion, c->name));
    }
    free(overview);
    free(completion);
}

/* Lines of a page: at most 80 characters, and only those that are requests begin like one. */
TEST(pages_have_short_lines)
{
    static const char *const requests[] = { ".TH ", ".SH ", ".TP", ".PP", ".B ", ".BR ",
                                            ".I ",  ".nf",  ".fi", ".br", ".nh", ".ad " };
    const struct command *c = NULL;
    size_t pages = 0;

    do {
        char *const page = print(true, c);
        bool example = false;

        for (const char *line = page; *line; line += strcspn(line, "\n") + 1) {
            const size_t length = strcspn(line, "\n");
            bool known = *line != '.' && *line != '\'';

            for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
                known = known || strncmp(line, requests[i], strlen(requests[i])) == 0;
            if (!known)
                fail_msg("%.*s", (int)length, line);
            example = (example || strncmp(line, ".nf", 3) == 0) && strncmp(line, ".fi", 3) != 0;
            if (!example && length > 80)
                fail_msg("%zu characters: %.*s", length, (int)length, line);
        }
        free(page);
        c = commands_at(pages++);
    } while (c);
}

TEST(finds_commands)
{
    assert_null(commands_find("frobnicate"));
    assert_null(commands_find(""));
    assert_string_equal(commands_nearest("conformence"), "conformance");
    assert_string_equal(commands_nearest("inspct"), "inspect");
    assert_null(commands_nearest("frobnicate"));
}
