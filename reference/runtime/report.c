#include "reference/runtime/report.h"

#include "reference/base/clean.h"

#include <stdio.h>
#include <string.h>

const char *node_name(const struct node *node)
{
    const char *name = node->op ? builtin_name(node->registration.builtin_code) : NULL;

    if (!name || node->registration.custom_name)
        name = node->registration.custom_name;
    return name ? name : "unnamed";
}

void report_clear(struct interpreter *in)
{
    in->last_report[0] = '\0';
}

void report_send_v(struct interpreter *in, const char *format, va_list args)
{
    va_list again;
    size_t length;

    va_copy(again, args);
    vsnprintf(in->last_report, sizeof in->last_report, format, again);
    va_end(again);
    length = strlen(in->last_report);
    while (length > 0 && in->last_report[length - 1] == '\n')
        in->last_report[--length] = '\0';
    if (in->options.report)
        in->options.report(in->options.report_user, format, args);
    else
        clean_message("", in->last_report);
}

void report_send(struct interpreter *in, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    report_send_v(in, format, args);
    va_end(args);
}

enum status report_fail_quoting(struct interpreter *in, struct diag *diag, enum status s,
                                const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (in->quote_reports && in->last_report[0])
        return diag_fail(diag, s, "%s: %s", text, in->last_report);
    return diag_fail(diag, s, "%s", text);
}

void report_nothing(void *user, const char *format, va_list args)
{
    (void)user;
    (void)format;
    (void)args;
}
