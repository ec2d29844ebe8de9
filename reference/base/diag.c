#include "reference/base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void mark_cut(char *text, size_t size, int wanted)
{
    if (wanted >= 0 && (size_t)wanted >= size)
        memcpy(text + size - 4, "...", 4);
}

enum status diag_fail(struct diag *diag, enum status s, const char *format, ...)
{
    va_list args;

    if (!diag)
        return s;
    diag->status = s;
    va_start(args, format);
    mark_cut(diag->text, sizeof diag->text, vsnprintf(diag->text, sizeof diag->text, format, args));
    va_end(args);
    /* Callers say what the memory was for. */
    if (s == STATUS_NO_MEMORY && !strstr(diag->text, "memory")) {
        const size_t used = strlen(diag->text);

        mark_cut(diag->text, sizeof diag->text,
                 (int)used +
                     snprintf(diag->text + used, sizeof diag->text - used, ": out of memory"));
    }
    return s;
}

enum status diag_prefix(struct diag *diag, enum status s, const char *format, ...)
{
    char old[sizeof diag->text];
    char prefix[256];
    va_list args;

    if (!diag || s == STATUS_OK)
        return s;
    memcpy(old, diag->text, sizeof old);
    va_start(args, format);
    mark_cut(prefix, sizeof prefix, vsnprintf(prefix, sizeof prefix, format, args));
    va_end(args);
    diag->status = s;
    mark_cut(diag->text, sizeof diag->text,
             snprintf(diag->text, sizeof diag->text, "%s: %s", prefix, old));
    return s;
}

void diag_clear(struct diag *diag)
{
    if (diag)
        *diag = (struct diag){ .status = STATUS_OK };
}
