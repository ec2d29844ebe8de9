#include "conformance/tools/cli/limits_list.h"

#include "conformance/util/json_text.h"
#include "conformance/util/message.h"
#include "reference/base/limits.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

int limits_list(int argc, char **args)
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
