/* assay inspect: what a model holds, and what the delegate would take of it. */
#include "conformance/cli/args.h"
#include "conformance/inspect/inspection.h"
#include "conformance/util/output.h"

static int print(const struct inspection *n, const struct args_common *common)
{
    struct output out;

    if (!output_open(&out)) {
        message_error("inspect", "out of memory");
        return EXIT_FAILED;
    }
    if (common->format == FORMAT_JSON)
        inspection_print_json(out.file, n);
    else
        inspection_print_text(out.file, n);
    return output_close(&out, common->out, false);
}

static int run(const struct command *self, int argc, char **argv)
{
    struct inspection n = { .path = NULL };
    bool plan = false;
    struct diag diag = { .status = STATUS_OK };
    const struct args_flag flags[] = {
        { "plan", ARGS_BOOL, &plan, NULL,
          "also what the delegate will do: steps, shaders, constants, grids, memory", 0, 0, NULL },
    };
    struct args_common common;
    struct args args;
    bool named;
    int code;

    if (!args_parse(self, argc, argv, flags, 1, ARGS_DELEGATE | ARGS_FORMAT, &common, &args, 1, 1,
                    &code))
        return code;
    /* Without a word about delegates, a machine without a device still shows the model. */
    named = common.delegate || common.delegate_option.count > 0;
    if (inspection_open(&n, args.items[0], common.delegate, &common.delegate_option, named,
                        &diag) != STATUS_OK)
        code = message_fail(self->name, &diag);
    else {
        n.plan = plan;
        code = print(&n, &common);
    }
    inspection_close(&n);
    return code;
}

const struct command command_inspect = {
    .name = "inspect",
    .summary = "tensors, ops and versions of a model; per node: taken by the delegate, or why not",
    .synopsis = "MODEL [FLAG]...",
    .examples = "  assay inspect model.tflite\n"
                "  assay inspect model.tflite --delegate=none\n"
                "  assay inspect model.tflite --plan\n"
                "  assay inspect model.tflite --delegate-option=precision=fp16 --format=json\n",
    .run = run
};
