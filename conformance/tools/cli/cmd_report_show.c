#include "conformance/report/record/record.h"
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/tools/cli/write_form.h"

#include <stddef.h>

struct show_flags {
    struct args_common common;
    struct string_list filters;
    const char *status;
    uint64_t subject; /* UINT64_MAX: all */
};

/* Leaves what the flags ask for. */
static enum status select_part(struct record *r, const struct show_flags *f, struct diag *diag)
{
    struct record_selection selection = { .filters = f->filters, .subject = SIZE_MAX };

    if (f->status)
        TRY(record_read_statuses(f->status, &selection.statuses, diag));
    if (f->subject != UINT64_MAX && f->subject >= r->subject_count)
        return diag_fail(diag, STATUS_USAGE, "--subject=%llu: the report has %zu subjects, from 0",
                         (unsigned long long)f->subject, r->subject_count);
    if (f->subject != UINT64_MAX)
        selection.subject = (size_t)f->subject;
    return record_select(r, &selection, diag);
}

int report_show_run(const struct command *self, int argc, char **argv)
{
    struct show_flags f = { .subject = UINT64_MAX };
    const struct args_flag flags[] = {
        ARG("status", ARGS_STRING, &f.status, "STATUS,...",
            "results of these statuses only, such as fail,crash"),
        ARG("filter", ARGS_LIST, &f.filters, "GLOB", "cases such as 'conv_2d.*' only; repeatable"),
        { "subject", ARGS_UINT, &f.subject, "N", "results of subject N only, counted from 0", 0,
          1e6, NULL },
    };
    struct record record;
    struct args args;
    struct diag diag = { .status = STATUS_OK };
    bool failed;
    int code = 0;

    if (!args_parse(self, argc, argv, flags, sizeof flags / sizeof flags[0],
                    ARGS_FORMAT | ARGS_FORMS, &f.common, &args, 1, 1, &code))
        return code;
    if (record_read(&record, args.items[0], &diag) != STATUS_OK)
        return message_fail(self->name, &diag);
    failed = record_failed(&record);
    if (select_part(&record, &f, &diag) != STATUS_OK)
        code = message_fail(self->name, &diag);
    else
        code = write_form(&record, f.common.format, f.common.out);
    record_close(&record);
    return code == EXIT_AS_EXPECTED && failed ? EXIT_FAILED : code;
}
