#include "conformance/report/record/record.h"
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/tools/cli/write_form.h"
#include "conformance/util/shell_word.h"
#include "reference/base/memory.h"

#include <stddef.h>
#include <stdlib.h>

struct merge_flags {
    struct args_common common;
    bool partial;
};

/* Reads all reports; *read is how many are open. */
static enum status read_all(const struct args *args, struct merge_input *inputs, size_t *read,
                            struct diag *diag)
{
    for (size_t i = 0; i < args->count; i++) {
        inputs[i].path = args->items[i];
        TRY(record_read(&inputs[i].record, args->items[i], diag));
        ++*read;
    }
    return STATUS_OK;
}

/* The command as it was typed; NULL when out of memory. */
static char *command_text(int argc, char **argv)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);

    if (!f)
        return NULL;
    fputs("assay report", f);
    for (int i = 0; i < argc; i++) {
        fputc(' ', f);
        shell_word_print(argv[i], f);
    }
    fclose(f);
    return text;
}

/* Writes the merged report.  The exit code is that of the whole run; shards that are missing fail,
 * unless the caller said that they may be. */
static int finish(const struct command *self, const struct merge_flags *f, struct record *r)
{
    const char *const interrupted = r->run.interrupted;
    int code;

    if (r->run.merged_count > 0 && !f->partial) {
        message_error(self->name, "%s; --partial merges the others", interrupted);
        return EXIT_FAILED;
    }
    code = write_form(r, f->common.format, f->common.out);
    if (r->run.merged_count > 0 && r->missing_count == 0)
        r->run.interrupted = NULL;
    if (code == EXIT_AS_EXPECTED && record_failed(r))
        code = EXIT_FAILED;
    r->run.interrupted = interrupted;
    return code;
}

int report_merge_run(const struct command *self, int argc, char **argv)
{
    struct merge_flags f = { .partial = false };
    const struct args_flag flags[] = {
        ARG("partial", ARGS_BOOL, &f.partial, NULL,
            "merge although shards are missing; the report then says which"),
    };
    struct diag diag = { .status = STATUS_OK };
    struct merge_input *inputs;
    struct record merged;
    struct args args;
    char *command;
    size_t read = 0;
    int code = 0;

    if (!args_parse(self, argc, argv, flags, sizeof flags / sizeof flags[0],
                    ARGS_FORMAT | ARGS_FORMS | ARGS_JSON, &f.common, &args, 1, 1 << 20, &code))
        return code;
    command = command_text(argc, argv);
    inputs = mem_alloc(args.count, sizeof *inputs);
    if (!inputs)
        diag_fail(&diag, STATUS_NO_MEMORY, "out of memory");
    if (!inputs || read_all(&args, inputs, &read, &diag) != STATUS_OK ||
        record_merge(&merged, inputs, args.count, &diag) != STATUS_OK) {
        code = message_fail(self->name, &diag);
    } else {
        merged.run.command = command;
        code = finish(self, &f, &merged);
        record_close(&merged);
    }
    for (size_t i = 0; i < read; i++)
        record_close(&inputs[i].record);
    mem_free(inputs);
    free(command); /* from open_memstream, hence not of mem_alloc */
    return code;
}
