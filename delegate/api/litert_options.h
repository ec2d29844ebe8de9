/* Options of an accelerator: as LiteRT and the environment give them, turned into keys and values
 * of the delegate. */
#ifndef ASSAY_DELEGATE_API_LITERT_OPTIONS_H
#define ASSAY_DELEGATE_API_LITERT_OPTIONS_H

#include "reference/base/arena.h"
#include "reference/base/diag.h"

#include <stddef.h>

enum { LITERT_OPTIONS_MAX = 64 };

struct litert_options {
    struct arena arena; /* of the strings */
    const char *keys[LITERT_OPTIONS_MAX], *values[LITERT_OPTIONS_MAX];
    size_t count;
};

/* Adds options that are written as our own keys: key=value, separated by white space or
 * semicolons.  A value with such a character stands in double quotes; # begins a comment.
 * STATUS_USAGE: the message names source and the text that was found.  Whether the delegate knows a
 * key is seen when it is created. */
enum status litert_options_add(struct litert_options *o, const char *source, const char *text,
                               struct diag *diag);
/* Adds LiteRT's GPU options, TOML text, as far as the delegate has the same; says on stderr which
 * others it ignores. */
enum status litert_options_add_gpu(struct litert_options *o, const char *text, struct diag *diag);
void litert_options_close(struct litert_options *o);

#endif
