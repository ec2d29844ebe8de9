#include "delegate/tests/kit/scale_models.h"

#include "reference/text/model_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE "f32[1,1,1,4]"
#define ROW   "f32[1,4]"

/* clang-format off */
const struct scale_family scale_families[] = {
    { "chain", "tensors t0:" ROW "\n", { "RELU t%i -> t%j:" ROW "\n" }, .options = { NULL } },
    { "chain_fp16", "tensors t0:" ROW "\n", { "RELU t%i -> t%j:" ROW "\n" },
      .options = { "precision", "fp16", NULL } },
    /* Nodes of two kinds in turn, of which the delegate takes one: as many partitions as nodes. */
    { "alternating", "tensors t0:" ROW "\n",
      { "RELU t%i -> t%j:" ROW "\n", "EXP t%i -> t%j:" ROW "\n" },
      .options = { "exclude", "EXP", NULL } },
    { "alternating_all", "tensors t0:" ROW "\n",
      { "RELU t%i -> t%j:" ROW "\n", "EXP t%i -> t%j:" ROW "\n" },
      .options = { "exclude", "EXP", "max_partitions", "0", NULL } },
    /* All but the first node are computed for nobody. */
    { "unread", "tensors t0:" ROW " t1:" ROW "\noutputs t1\nRELU t0 -> t1\n",
      { "RELU t%j -> t%k:" ROW "\n" }, .options = { NULL } },
    { "fan_out", "tensors t0:" ROW "\n", { "RELU t0 -> t%j:" ROW "\n" }, .options = { NULL } },
    /* Each node has an input and an output of the graph of its own. */
    { "separate", "", { "RELU " ROW " -> " ROW "\n" }, .options = { NULL } },
    { "concatenation", "CONCATENATION {}", { " " ROW }, .tail = " -> f32[%n,4]",
      .options = { NULL } },
    { "split", "SPLIT {num_splits=%n} i32[]=0 f32[%n,4] ->", { " " ROW }, .options = { NULL } },
    { "unpack", "UNPACK {num=%n} f32[%n,4] ->", { " f32[4]" }, .options = { NULL } },
    /* A convolution and the sum of its input and result, again and again: the sums become part of
     * the convolutions, and write over what they add. */
    { "residual", "tensors t0:" IMAGE " w:f32[4,1,1,4]=1,0 b:f32[4]=1,0\n",
      { "CONV_2D {stride_w=1 stride_h=1} t%h w b -> c%h:" IMAGE "\n",
        "ADD {} t%h c%h -> t%g:" IMAGE "\n" }, .options = { NULL } },
    /* Half of the nodes convert a constant of f16 that a node reads. */
    { "f16_constants", "tensors t0:" ROW "\n",
      { "DEQUANTIZE f16[1,4]=0 -> c%h:" ROW "\n", "ADD {} t%h c%h -> t%g:" ROW "\n" },
      .options = { NULL } },
    /* Views of views, all of which are outputs. */
    { "views", "tensors t0:" ROW " a:i32[2]=2,2 b:i32[2]=1,4\n",
      { "RESHAPE t%i a -> t%j:f32[2,2]\n", "RESHAPE t%i b -> t%j:" ROW "\n" },
      .output = " t%j", .options = { NULL } },
    /* A chain of 8-bit sums, which float view rounds each. */
    { "quantized", "tensors t0:i8[1,4]q(0.5,3)\n",
      { "ADD:2 {} t%i t0 -> t%j:i8[1,4]q(0.5,3)\n" }, .options = { NULL } },
    { "float_view", "tensors t0:i8[1,4]q(0.5,3)\n",
      { "ADD:2 {} t%i t0 -> t%j:i8[1,4]q(0.5,3)\n" },
      .options = { "quantized", "float_view", NULL } },
};
/* clang-format on */
const int scale_family_count = sizeof scale_families / sizeof scale_families[0];

/* Of a number that a letter stands for. */
static void put(FILE *f, const char *format, int nodes, int i)
{
    static const char letters[] = "nijkhg";
    const int numbers[] = { nodes, i, i + 1, i + 2, i / 2, i / 2 + 1 };

    for (; *format; format++) {
        if (*format == '%')
            fprintf(f, "%d", numbers[strchr(letters, *++format) - letters]);
        else
            fputc(*format, f);
    }
}

enum status scale_model(const struct scale_family *f, struct model *m, int nodes, struct diag *diag)
{
    struct model_text source = { .as_written = true };
    char *text = NULL;
    FILE *const file = open_memstream(&text, &source.count);
    enum status s;

    if (!file)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s", f->name);
    put(file, f->head, nodes, 0);
    for (int i = 0; i < nodes; i++)
        put(file, f->each[f->each[1] ? i % 2 : 0], nodes, i);
    put(file, f->tail ? f->tail : "", nodes, 0);
    if (f->output)
        fputs("\noutputs", file);
    for (int i = 0; f->output && i < nodes; i++)
        put(file, f->output, nodes, i);
    fclose(file);
    source.text = text;
    s = model_text_build(&source, m, diag);
    free(text);
    return s;
}
