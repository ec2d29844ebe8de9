#include "reference/tests/kit/text_kit.h"

#include "reference/text/model_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

void kit_text(struct model *m, const char *format, ...)
{
    struct diag diag = { .status = STATUS_OK };
    struct model_text source = { .as_written = true };
    char *text;
    va_list args;
    int count;

    va_start(args, format);
    count = vasprintf(&text, format, args);
    va_end(args);
    assert_true(count >= 0);
    source.text = text;
    source.count = (size_t)count;
    if (model_text_build(&source, m, &diag) != STATUS_OK)
        fail_msg("%s\n%s", diag.text, text);
    free(text);
}
