/* assay inspect: the tensors and ops of a model, and which nodes the delegate takes. */
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/tools/inspect/inspection.h"
#include "conformance/util/output.h"

static int print(const struct inspection *n, const struct args_common *common, bool wide)
{
    struct output out;
    bool whole = true;
    int code;

    if (!output_open(&out)) {
        message_error("inspect", "out of memory");
        return EXIT_FAILED;
    }
    if (common->format == FORMAT_JSON)
        inspection_print_json(out.file, n);
    else
        whole = inspection_print_text(out.file, n);
    out.plain = common->format == FORMAT_TEXT;
    out.fold = common->format == FORMAT_TEXT && !wide;
    code = output_close(&out, common->out, !whole);
    if (whole)
        return code;
    message_error("inspect", "%s: out of memory", n->path);
    return EXIT_USAGE;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct inspection n = { .path = NULL };
    bool plan = false, wide = false;
    struct diag diag = { .status = STATUS_OK };
    const struct args_flag flags[] = {
        ARG("plan", ARGS_BOOL, &plan, NULL,
            "print the delegate's plan too: partitions, steps, shaders, constants, grids, memory"),
        ARG("wide", ARGS_BOOL, &wide, NULL, "one line each, however long (default: 80 columns)"),
    };
    struct args_common common;
    struct args args;
    bool named;
    int code;

    if (!args_parse(self, argc, argv, flags, 2, ARGS_MODEL | ARGS_USE | ARGS_DELEGATE | ARGS_FORMAT,
                    &common, &args, 1, 1, &code))
        return code;
    /* A model is shown on a machine without a device too, unless a delegate was asked for. */
    named = common.delegate || common.delegate_option.count > 0;
    if (model_use_choose(&common.use, args.items[0], &diag) != STATUS_OK ||
        inspection_open(&n, args.items[0], common.delegate, &common.delegate_option, named,
                        &diag) != STATUS_OK)
        code = message_fail(self->name, &diag);
    else {
        n.plan = plan;
        code = print(&n, &common, wide);
    }
    inspection_close(&n);
    model_use_close(&common.use);
    return code;
}

const struct command command_inspect = {
    .name = "inspect",
    .summary = "show a model's tensors and ops, and why a node is not taken",
    .synopsis = "MODEL [FLAG]...",
    .description =
        "Prints the tensors of a .tflite file, its ops by version, and its nodes.  Of each node it "
        "says whether the delegate takes it; where not, which rule refuses it, on which value, and "
        "what the limit is.  A node that the reference cannot prepare is named with the reason; "
        "the "
        "file has the shapes of its outputs, so the others are decided.\n\n"
        "With --plan follow the graph rewrites that were applied; why others were not, and why "
        "faster kernels are not used, node by node; each dispatch with its shader, constants, "
        "workgroup and grid; and the offset and lifetime of each tensor in device memory.\n\n"
        "Without a usable device the model alone is shown, unless --delegate or "
        "--delegate-option is given.",
    .examples = "  assay inspect model.tflite\n"
                "  assay inspect model.tflite --delegate=none\n"
                "  assay inspect model.tflite --plan\n"
                "  assay inspect model.tflite --signature=decode --input-shape=ids:1,64\n"
                "  assay inspect model.tflite --limit=tensors=4M\n"
                "  assay inspect model.tflite --delegate-option=precision=fp16 --format=json\n",
    .suffix = ".tflite",
    .run = run,
};
