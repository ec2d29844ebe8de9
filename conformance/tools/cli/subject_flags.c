#include "conformance/tools/cli/subject_flags.h"

#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tools/cli/benchmark_flags.h"

#include <string.h>
#include <unistd.h>

/* --delegate=gpu is ours, as in TFLite's tools, unless a file has that name. */
static const char *delegate_path(const struct subject_flags *f, const struct args_common *common)
{
    const char *const path = f->external_path ? f->external_path : common->delegate;

    return path && strcmp(path, "gpu") == 0 && access(path, F_OK) != 0 ? NULL : path;
}

enum status subject_flags_open(const struct subject_flags *f, const struct args_common *common,
                               struct subject *s, struct diag *diag)
{
    struct string_list options = { NULL, 0 };
    struct arena arena = { .blocks = NULL };
    enum status status = STATUS_OK;

    if (f->subject && (common->delegate || common->delegate_option.count > 0 || f->external_path))
        return diag_fail(diag, STATUS_USAGE,
                         "--subject and --delegate do not mix; options of a subject stand behind "
                         "its name: --subject='delegate:PATH?KEY=VALUE&KEY=VALUE'");
    if (common->delegate && f->external_path)
        return diag_fail(diag, STATUS_USAGE,
                         "expected one of --delegate and --external_delegate_path, found both");
    if (f->external_options)
        status = external_options_read(f->external_options, &arena, &options, diag);
    if (status == STATUS_OK && f->subject)
        status = subject_parse(s, f->subject, diag);
    else if (status == STATUS_OK)
        status = subject_init(s, delegate_path(f, common),
                              options.count ? &options : &common->delegate_option, diag);
    arena_close(&arena);
    if (status == STATUS_OK && f->bounds && !s->bounds_given)
        status = subject_hold_to(s, f->bounds, diag);
    return status;
}
