#include "reference/tests/kit/text_kit.h"

#include "reference/format/file.h"
#include "reference/tests/kit/test.h"
#include "reference/text/model_text.h"

#include <stdio.h>

void kit_text(struct model *m, const char *format, ...)
{
    struct model_text source = { .as_written = true };
    char *text CLOSED_BY(kit_free);
    va_list args;
    int count;

    va_start(args, format);
    count = vasprintf(&text, format, args);
    va_end(args);
    assert_true(count >= 0);
    source.text = text;
    source.count = (size_t)count;
    if (model_text_build(&source, m, &err) != STATUS_OK)
        fail_msg("%s\n%s", err.text, text);
}

void kit_save(const struct model *m, const char *path)
{
    struct tflite_file file;

    KIT_OK(tflite_write(m, &file, &err));
    KIT_OK(file_write(path, file.bytes, file.count, &err));
    mem_free(file.bytes);
}
