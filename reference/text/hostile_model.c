#include "reference/text/hostile_row.h"

#include "reference/text/edit.h"
#include "reference/text/model_text.h"

#include <string.h>

static const char base[] =
    "tensors x:f32[1,2]\n"
    "tensors weights:i8[2,2]=1,-2,3,-4q(0.5|0.125,0|3,1)\n"
    "tensors state:f32[2]!\n"
    "ADD {fused_activation_function=RELU} x bias:f32[2]=0.5,-0.25 -> sum:f32[1,2]\n"
    "RESHAPE {new_shape=[-1]} sum -> shaped:f32[2]\n"
    "tensors words:string[2]=x:0200000010000000120000001500000068697468657265\n"
    "MUL:2 shaped state - -> product:f32[2]\n";

enum status hostile_text_build(const char *text, const char *edit, struct model *m,
                               struct diag *diag)
{
    struct model_text source = { .text = text, .as_written = true };

    if (strcmp(text, "base") == 0)
        source.text = base;
    source.count = strlen(source.text);
    TRY(model_text_build(&source, m, diag));
    return edit ? model_text_edit(m, edit, diag) : STATUS_OK;
}
