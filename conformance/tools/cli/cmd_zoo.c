/* assay zoo: writes a benchmark model. */
#include "conformance/suite/models/zoo.h"
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/util/output.h"
#include "reference/base/builtin.h"
#include "reference/base/clean.h"
#include "reference/base/memory.h"
#include "reference/format/write.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const type_names[] = { "f32", "f16",      "dynamic", "i8",       "u8",
                                          "i4",  "i4_block", "i2",      "i2_block", NULL };
enum { BLOCK = 32 };
static const struct {
    int32_t type;
    bool weights_only;
    uint32_t block;
} types[] = { { TENSOR_FLOAT32, false, 0 }, { TENSOR_FLOAT16, false, 0 },
              { TENSOR_INT8, true, 0 },     { TENSOR_INT8, false, 0 },
              { TENSOR_UINT8, false, 0 },   { TENSOR_INT4, true, 0 },
              { TENSOR_INT4, true, BLOCK }, { TENSOR_INT2, true, 0 },
              { TENSOR_INT2, true, BLOCK } };

struct request {
    const char *output;
    double width;
    uint64_t resolution, channels, classes, batch;
    int type;
    bool list;
};

/* "4.2 M" */
static void print_count(const char *before, uint64_t n, const char *after)
{
    if (n >= 1000000000)
        printf("%s%.2f G%s", before, (double)n / 1e9, after);
    else if (n >= 10000000)
        printf("%s%.0f M%s", before, (double)n / 1e6, after);
    else if (n >= 1000000)
        printf("%s%.1f M%s", before, (double)n / 1e6, after);
    else
        printf("%s%.0f k%s", before, (double)n / 1e3, after);
}

static int list(void)
{
    for (size_t i = 0; zoo_at(i); i++) {
        const struct zoo_entry *const e = zoo_at(i);
        const struct zoo_options options = { .width = e->width, .type = TENSOR_FLOAT32 };
        struct diag diag = { .status = STATUS_OK };
        struct zoo_facts facts;

        if (zoo_count(&facts, e, &options, &diag) != STATUS_OK)
            return message_fail(e->name, &diag);
        printf("%-20s %s;", e->name, e->summary);
        print_count(" ", facts.parameters, " parameters,");
        print_count(" ", facts.multiply_adds, " multiply-adds");
        printf("; default --res=%" PRIu32 " --classes=%" PRIu32, e->resolution, e->classes);
        if (e->width != 1)
            printf(" --width=%g", e->width);
        printf("\n");
    }
    return EXIT_AS_EXPECTED;
}

static enum status write_model(const struct model *m, const char *path, size_t *bytes,
                               struct diag *diag)
{
    struct tflite_file file;
    enum status s;

    TRY(tflite_write(m, &file, diag));
    *bytes = file.count;
    s = output_write_file(path, file.bytes, file.count, diag);
    mem_free(file.bytes);
    return s;
}

static int write_entry(const char *name, const struct request *r, const struct args_common *common)
{
    struct zoo_options options = { .width = r->width,
                                   .resolution = (uint32_t)r->resolution,
                                   .channels = (uint32_t)r->channels,
                                   .classes = (uint32_t)r->classes,
                                   .batch = (uint32_t)r->batch,
                                   .type = types[r->type].type,
                                   .weights_only = types[r->type].weights_only,
                                   .block = types[r->type].block,
                                   .quiet = common->quiet,
                                   .seed = common->seed };
    const struct zoo_entry *entry;
    struct zoo_facts facts = { 0 };
    struct diag diag = { .status = STATUS_OK };
    struct model m = { 0 };
    size_t bytes = 0;
    enum status s;

    if ((s = zoo_find(&entry, name, &diag)) == STATUS_OK) {
        if (r->width == 0)
            options.width = entry->width;
        if ((s = zoo_count(&facts, entry, &options, &diag)) == STATUS_OK)
            s = zoo_build(&m, entry, &options, &diag);
    }
    if (s == STATUS_OK)
        s = write_model(&m, r->output, &bytes, &diag);
    if (s == STATUS_OK) {
        clean_print(stdout, r->output);
        printf(": %s, %" PRIu64 " parameters, %zu bytes\n", entry->summary, facts.parameters,
               bytes);
    }
    model_close(&m);
    return s == STATUS_OK ? EXIT_AS_EXPECTED : message_fail(name, &diag);
}

static int run(const struct command *self, int argc, char **argv)
{
    struct request r = { .width = 0 };
    const struct args_flag flags[] = {
        ARG("output", ARGS_STRING, &r.output, "FILE", "the .tflite file to write"),
        ARG("o", ARGS_STRING, &r.output, "FILE", "the same as --output"),
        { "width", ARGS_DOUBLE, &r.width, "X",
          "factor of all channel counts (default: the topology's, mostly 1)", 0.01, 2, NULL },
        { "res", ARGS_UINT, &r.resolution, "N",
          "width and height of the input image, frames of sound, tokens of a text, or slots of "
          "caches (default: the topology's)",
          1, 65536, NULL },
        { "channels", ARGS_UINT, &r.channels, "N",
          "channels of the input (default: the topology's)", 1, 128, NULL },
        { "classes", ARGS_UINT, &r.classes, "N",
          "number of classes, keypoints, or tokens of the vocabulary (default: the topology's)", 2,
          262144, NULL },
        { "batch", ARGS_UINT, &r.batch, "N", "inputs of one inference (default 1)", 1, 1024, NULL },
        { "type", ARGS_CHOICE, &r.type, "TYPE",
          "type of all tensors; with f16 and dynamic (i8) of weights only, so with i4 and i2, "
          "which "
          "decoders, encoders, vits and whispers have (a scale for each row, or for blocks of 32)",
          0, 0, type_names },
        ARG("list", ARGS_BOOL, &r.list, NULL, "list the names of models"),
    };
    struct args_common common;
    struct args args;
    int code;

    if (!args_parse(self, argc, argv, flags, sizeof flags / sizeof flags[0], ARGS_SEED | ARGS_QUIET,
                    &common, &args, 0, 1, &code))
        return code;
    if (r.list)
        return list();
    if (args.count == 0) {
        message_error(self->name, "no model named; `assay zoo --list` lists the names");
        return EXIT_USAGE;
    }
    if (!r.output) {
        message_error(self->name, "no output file; expected -o FILE");
        return EXIT_USAGE;
    }
    return write_entry(args.items[0], &r, &common);
}

static const char *name_at(size_t index)
{
    const struct zoo_entry *const e = zoo_at(index);

    return e ? e->name : NULL;
}

const struct command command_zoo = {
    .name = "zoo",
    .summary = "write a benchmark model: published topology, seeded weights",
    .synopsis = "NAME -o FILE [FLAG]...",
    .description =
        "Writes a .tflite model of a published topology with weights from --seed: the same name, "
        "flags and seed give the same bytes on every machine.  assay zoo --list shows the names.",
    .examples = "  assay zoo --list\n"
                "  assay zoo mobilenet_v1 -o mobilenet.tflite\n"
                "  assay zoo mobilenet_v1 --width=0.25 --res=128 --type=f16 -o small.tflite\n"
                "  assay zoo mobilenet_v1 --type=i8 -o mobilenet_i8.tflite\n"
                "  assay zoo decoder_270m --type=i4_block -o decoder.tflite\n"
                "  assay zoo whisper_tiny --type=dynamic -o whisper.tflite\n"
                "  assay zoo resnet50 --batch=8 -o resnet50_batch8.tflite\n",
    .word_at = name_at,
    .run = run,
};
