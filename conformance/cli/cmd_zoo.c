/* assay zoo: writes a benchmark model. */
#include "conformance/cli/args.h"
#include "conformance/models/zoo.h"
#include "conformance/util/output.h"
#include "reference/base/builtin.h"
#include "reference/base/memory.h"
#include "reference/format/tflite.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const type_names[] = { "f32", "f16", "dynamic", "i8", "u8", NULL };
static const struct {
    int32_t type;
    bool weights_only;
} types[] = { { TENSOR_FLOAT32, false },
              { TENSOR_FLOAT16, false },
              { TENSOR_INT8, true },
              { TENSOR_INT8, false },
              { TENSOR_UINT8, false } };

struct request {
    const char *output;
    double width;
    uint64_t resolution, channels, classes;
    int type;
    bool list;
};

static int list(void)
{
    for (size_t i = 0; zoo_at(i); i++) {
        const struct zoo_entry *const e = zoo_at(i);

        printf("%-16s %s; default --res=%" PRIu32 " --classes=%" PRIu32 "\n", e->name, e->summary,
               e->resolution, e->classes);
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
    const struct zoo_options options = { .width = r->width,
                                         .resolution = (uint32_t)r->resolution,
                                         .channels = (uint32_t)r->channels,
                                         .classes = (uint32_t)r->classes,
                                         .type = types[r->type].type,
                                         .weights_only = types[r->type].weights_only,
                                         .quiet = common->quiet,
                                         .seed = common->seed };
    const struct zoo_entry *entry;
    struct diag diag = { .status = STATUS_OK };
    struct model m = { 0 };
    size_t bytes = 0;
    enum status s;

    if ((s = zoo_find(&entry, name, &diag)) == STATUS_OK)
        s = zoo_build(&m, entry, &options, &diag);
    if (s == STATUS_OK)
        s = write_model(&m, r->output, &bytes, &diag);
    if (s == STATUS_OK)
        printf("%s: %s, %" PRIu64 " parameters, %zu bytes\n", r->output, entry->summary,
               zoo_parameters(&m), bytes);
    model_close(&m);
    return s == STATUS_OK ? EXIT_AS_EXPECTED : message_fail(name, &diag);
}

static int run(const struct command *self, int argc, char **argv)
{
    struct request r = { .width = 1 };
    const struct args_flag flags[] = {
        { "output", ARGS_STRING, &r.output, "FILE", "the .tflite file to write", 0, 0, NULL },
        { "o", ARGS_STRING, &r.output, "FILE", "the same", 0, 0, NULL },
        { "width", ARGS_DOUBLE, &r.width, "X", "multiplier of all channels (default 1)", 0.01, 2,
          NULL },
        { "res", ARGS_UINT, &r.resolution, "N", "side of the input image", 1, 65536, NULL },
        { "channels", ARGS_UINT, &r.channels, "N", "of the input image (default 3)", 1, 16, NULL },
        { "classes", ARGS_UINT, &r.classes, "N", "number of classes", 2, 100000, NULL },
        { "type", ARGS_CHOICE, &r.type, "TYPE",
          "f16: weights behind DEQUANTIZE; dynamic: weights in i8; i8, u8: all", 0, 0, type_names },
        { "list", ARGS_BOOL, &r.list, NULL, "what there is", 0, 0, NULL },
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
        message_error(self->name, "no name; `assay zoo --list` shows what there is");
        return EXIT_USAGE;
    }
    if (!r.output) {
        message_error(self->name, "no output; say -o FILE");
        return EXIT_USAGE;
    }
    return write_entry(args.items[0], &r, &common);
}

const struct command command_zoo = {
    .name = "zoo",
    .summary = "writes a benchmark model: published topology, seeded weights",
    .synopsis = "NAME -o FILE [FLAG]...",
    .examples = "  assay zoo --list\n"
                "  assay zoo mobilenet_v1 -o mobilenet.tflite\n"
                "  assay zoo mobilenet_v1 --width=0.25 --res=128 --type=f16 -o small.tflite\n"
                "  assay zoo mobilenet_v1 --type=i8 -o mobilenet_i8.tflite\n",
    .run = run
};
