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
    {
        .name = "report merge",
        .summary = "merge the reports of shards into that of the whole run",
        .synopsis = "[FLAG]... FILE.json...",
        .description =
            "Reads the JSON reports of the shards of a run and writes that of the whole run: what "
            "one process would have written, but for times.  It is JSON unless --format names "
            "another form.\n\n"
            "Refused are reports that are not of one run: of another version or commit of Assay, "
            "seed, list of cases, number of shards, subject (by the SHA-256 of its file, options "
            "and bounds) or device; and two reports that have another result of the same case, "
            "which is named.  A shard that is missing fails, unless --partial is given; then the "
            "report counts as interrupted, and says which are missing.\n\n"
            "The exit code is that of the whole run: 0 when all was as expected, 1 for failures, "
            "missing shards or results that contradict each other, 2 for reports that cannot be "
            "read or merged.",
        .examples = "  assay report merge shard-*.json --out=report.json\n"
                    "  assay report merge shard-*.json --partial --format=html --out=so-far.html\n",
        .suffix = ".json",
        .run = report_merge_run,
    },
};
enum { PARTS = sizeof parts / sizeof parts[0] };

const struct command command_report = {
    .name = "report",
    .summary = "show, merge and compare the reports of runs",
    .synopsis = "show|merge [FLAG]... FILE...",
    .description = "Works on the JSON reports that `assay conformance --format=json --out=FILE` "
                   "writes.  Nothing is run.",
    .examples = "  assay report show report.json --format=html --out=report.html\n"
                "  assay report merge shard-*.json --out=report.json\n"
                "  assay report show --help\n",
    .parts = parts,
    .part_count = PARTS,
    .run = parts_run,
};
