#include "reference/tests/kit/hostile_model.h"

#include "reference/tests/kit/hostile.h"
#include "reference/tests/kit/sample_model.h"
#include "reference/text/edit.h"
#include "reference/text/model_text.h"

static enum status build(const char *text, const char *edit, struct model *m, struct diag *diag)
{
    const struct model_text source = { .text = text, .count = strlen(text), .as_written = true };

    if (strcmp(text, "base") == 0)
        hostile_base(m);
    else
        TRY(model_text_build(&source, m, diag));
    return edit ? model_text_edit(m, edit, diag) : STATUS_OK;
}

enum status hostile_model_check(const char *text, const char *edit, struct diag *diag)
{
    struct model m = { .version = 0 };
    const enum status s = build(text, edit, &m, diag);

    model_close(&m);
    return s;
}

enum status hostile_model_write(const char *text, const char *edit, struct tflite_file *file,
                                struct diag *diag)
{
    struct model m = { .version = 0 };
    enum status s;

    *file = (struct tflite_file){ 0 };
    if (strcmp(text, "sample") == 0)
        return tflite_write(&sample_model, file, diag);
    s = build(text, edit, &m, diag);
    if (s == STATUS_OK)
        s = tflite_write(&m, file, diag);
    model_close(&m);
    return s;
}
