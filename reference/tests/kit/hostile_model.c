#include "reference/tests/kit/hostile_model.h"

#include "reference/tests/kit/sample_model.h"
#include "reference/tests/kit/text_kit.h"
#include "reference/text/edit.h"
#include "reference/text/model_text.h"

#include <string.h>

void hostile_base(struct model *m)
{
    kit_text(m, "tensors x:f32[1,2]\n"
                "tensors weights:i8[2,2]=1,-2,3,-4q(0.5|0.125,0|3,1)\n"
                "tensors state:f32[2]!\n"
                "ADD {fused_activation_function=RELU} x bias:f32[2]=0.5,-0.25 -> sum:f32[1,2]\n"
                "RESHAPE {new_shape=[-1]} sum -> shaped:f32[2]\n"
                "tensors words:string[2]=x:0200000010000000120000001500000068697468657265\n"
                "MUL:2 shaped state - -> product:f32[2]\n");
}

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
