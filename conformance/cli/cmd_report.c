/* assay report: what is done with the JSON reports of runs. */
#include "conformance/cli/cmd_report.h"

#include "conformance/cli/parts.h"

static const struct command parts[] = {
    {
        .name = "report show",
        .summary = "show a JSON report in another form, or a part of it",
        .synopsis = "[FLAG]... FILE.json",
        .description =
            "Reads the JSON report of a run and writes it in another form.  The text is that which "
            "the run printed, byte for byte.  Nothing is run, and the cases need not be those of "
            "this version.\n\n"
            "The exit code is that of the run, whatever part of its report is shown: 0 when all "
            "was as expected, 1 otherwise, and 2 when the report cannot be read.",
        .examples = "  assay report show report.json\n"
                    "  assay report show report.json --status=fail,crash,timeout\n"
                    "  assay report show report.json --filter='conv_2d.*' --subject=1\n"
                    "  assay report show report.json --format=html --out=report.html\n",
        .suffix = ".json",
        .run = report_show_run,
    },
};
enum { PARTS = sizeof parts / sizeof parts[0] };

const struct command command_report = {
    .name = "report",
    .summary = "show, merge and compare the reports of runs",
    .synopsis = "show [FLAG]... FILE...",
    .description = "Works on the JSON reports that `assay conformance --format=json --out=FILE` "
                   "writes.  Nothing is run.",
    .examples = "  assay report show report.json --format=html --out=report.html\n"
                "  assay report show --help\n",
    .parts = parts,
    .part_count = PARTS,
    .run = parts_run,
};
