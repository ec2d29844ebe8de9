#include "reference/tests/kit/hostile_model.h"

#include "reference/tests/kit/sample_model.h"
#include "reference/tests/kit/test.h"
#include "reference/text/hostile_row.h"

#include <string.h>

void hostile_base(struct model *m)
{
    KIT_OK(hostile_text_build("base", NULL, m, &err));
}

enum status hostile_model_write(const char *text, const char *edit, struct tflite_file *file,
                                struct diag *diag)
{
    struct model m = { .version = 0 };
    enum status s;

    *file = (struct tflite_file){ 0 };
    if (strcmp(text, "sample") == 0)
        return tflite_write(&sample_model, file, diag);
    s = hostile_text_build(text, edit, &m, diag);
    if (s == STATUS_OK)
        s = tflite_write(&m, file, diag);
    model_close(&m);
    return s;
}
