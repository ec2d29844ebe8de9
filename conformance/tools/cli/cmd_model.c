/* assay model: a model as text, and a text as a model. */
#include "conformance/suite/io/model_file.h"
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/util/output.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/format/read.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum status to_text(const struct model_file *m, const char *name, const char *path,
                           struct diag *diag)
{
    struct output out;
    struct model model;
    enum status s;

    TRY(diag_prefix(
        diag, tflite_read_accepting(&model, m->tflite.bytes, m->tflite.count, ACCEPT_LEGAL, diag),
        "%s", name));
    if (path)
        s = diag_prefix(diag, model_file_write_text(&model, NULL, path, diag), "%s", name);
    else if (!output_open(&out))
        s = diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", name);
    else {
        s = diag_prefix(diag, model_file_write_text(&model, out.file, NULL, diag), "%s", name);
        if (output_close(&out, NULL, s != STATUS_OK) != 0 && s == STATUS_OK)
            s = diag_fail(diag, STATUS_IO, "standard output: the text is not whole");
    }
    model_close(&model);
    return s;
}

static enum status to_model(const struct model_file *m, const char *path, struct diag *diag)
{
    if (path)
        return output_write_file(path, m->tflite.bytes, m->tflite.count, diag);
    if (isatty(STDOUT_FILENO))
        return diag_fail(diag, STATUS_USAGE,
                         "a model is not written to a terminal; -o FILE names a file");
    fwrite(m->tflite.bytes, 1, m->tflite.count, stdout); /* main reports what fails */
    return STATUS_OK;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct diag diag = { .status = STATUS_OK };
    const char *path = NULL;
    bool as_written = false;
    const struct args_flag flags[] = {
        ARG("o", ARGS_STRING, &path, "FILE", "where to (default, and -: standard output)"),
        ARG("as-written", ARGS_BOOL, &as_written, NULL,
            "write down a text that no runtime accepts, for tests of other readers"),
    };
    struct args_common common;
    struct model_file m;
    struct args args;
    enum status s;
    int code;

    if (!args_parse(self, argc, argv, flags, sizeof flags / sizeof flags[0],
                    ARGS_MODEL | ARGS_LIMIT, &common, &args, 1, 1, &code))
        return code;
    if (path && strcmp(path, "-") == 0)
        path = NULL;
    s = model_file_open(&m, args.items[0], as_written, &diag);
    if (s == STATUS_OK)
        s = m.from_text ? to_model(&m, path, &diag) : to_text(&m, args.items[0], path, &diag);
    file_model_close(&m.tflite);
    return s == STATUS_OK ? EXIT_AS_EXPECTED : message_fail(self->name, &diag);
}

const struct command command_model = {
    .name = "model",
    .summary = "write a model as text, or a text as a model",
    .synopsis = "FILE [-o FILE]",
    .description =
        "Prints a .tflite file as text: one operator a line, with its options and tensors in the "
        "words of the schema.  Of a text, in a file that ends in .txt, it writes the .tflite file. "
        " conformance/doc/MODEL_TEXT.md describes the text.\n\n"
        "A model that this program made comes back from its text with the same bytes; of others "
        "the text keeps what runtimes act on.  With -o, constants of more than 64 values lie in "
        "FILE.data beside the text.\n\n"
        "An error in a text names line and column and what was expected; then nothing is written. "
        " A file that ends in .txt, and --model=TEXT, are also taken by all commands that take a "
        "model.",
    .examples = "  assay model model.tflite\n"
                "  assay model model.tflite -o model.txt\n"
                "  assay model model.txt -o model.tflite\n"
                "  assay model --model='SOFTMAX {beta=1} x:f32[1,10] -> y' -o softmax.tflite\n"
                "  assay run --model='ADD {} x:f32[1,2,2,4] f32[4]=1,2,3,4 -> y'\n"
                "  gunzip -c model.tflite.gz | assay model -\n",
    .suffix = ".tflite",
    .run = run,
};
