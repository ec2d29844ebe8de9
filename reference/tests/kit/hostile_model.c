#include "reference/tests/kit/hostile_model.h"

#include "reference/tests/kit/hostile.h"
#include "reference/tests/kit/sample_model.h"
#include "reference/text/model_text.h"

enum status hostile_model_write(const char *text, struct tflite_file *file, struct diag *diag)
{
    const struct model_text source = { .text = text, .count = strlen(text), .as_written = true };
    struct model m;
    enum status s;

    if (strcmp(text, "sample") == 0)
        return tflite_write(&sample_model, file, diag);
    if (strcmp(text, "base") != 0)
        return model_text_read(&source, file, diag);
    *file = (struct tflite_file){ 0 };
    hostile_base(&m);
    s = tflite_write(&m, file, diag);
    model_close(&m);
    return s;
}
