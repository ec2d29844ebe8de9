/* assay devices: the Vulkan devices that the delegate library sees. */
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/tools/cli/device_list.h"
#include "conformance/util/output.h"

static void print_json(FILE *f, const struct device_list *found)
{
    json_t *const list = json_array(), *const report = json_object();

    for (size_t i = 0; i < found->count; i++)
        json_array_append_new(list, device_json(&found->items[i]));
    json_object_set_new(report, "devices", list);
    json_dumpf(report, f, JSON_INDENT(2));
    fputc('\n', f);
    json_decref(report);
}

static int print(const struct device_list *found, const struct args_common *common)
{
    struct output out;
    bool usable = false;
    int code;

    if (!output_open(&out)) {
        message_error("devices", "out of memory");
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < found->count; i++) {
        usable = usable || found->items[i].usable;
        if (common->format == FORMAT_TEXT)
            device_print(out.file, &found->items[i]);
    }
    if (common->format == FORMAT_JSON)
        print_json(out.file, found);
    out.fold = common->format == FORMAT_TEXT;
    code = output_close(&out, common->out, false);
    if (code == EXIT_AS_EXPECTED && !usable) {
        message_error("devices", "none of the %zu devices can be used", found->count);
        code = EXIT_NO_DEVICE;
    }
    return code;
}

static int run(const struct command *self, int argc, char **argv)
{
    static struct device_list found;
    const char *path = NULL;
    const struct args_flag flags[] = {
        ARG("delegate", ARGS_STRING, &path, "PATH", "delegate library (default: ours)"),
    };
    struct diag diag = { .status = STATUS_OK };
    struct args_common common;
    int code;

    if (!args_parse(self, argc, argv, flags, 1, ARGS_FORMAT, &common, NULL, 0, 0, &code))
        return code;
    return device_list_read(&found, path, &diag) == STATUS_OK ? print(&found, &common)
                                                              : message_fail(self->name, &diag);
}

const struct command command_devices = {
    .name = "devices",
    .summary = "list Vulkan devices, their limits and features",
    .synopsis = "[FLAG]...",
    .description = "Lists the devices that the delegate library sees, in the order of the indices "
                   "that --device takes: name, driver, limits, and which of the features that the "
                   "delegate can use the device has and lacks.\n\n"
                   "The exit code is 3 when no device can be used.",
    .examples = "  assay devices\n"
                "  assay devices --format=json\n",
    .run = run,
};
