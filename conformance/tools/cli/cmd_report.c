/* assay report: what is done with the JSON reports of runs. */

#include "conformance/tools/cli/commands.h"

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
    {
        .name = "report compare",
        .summary = "say what got worse between two runs",
        .synopsis = "[FLAG]... OLD.json NEW.json",
        .description =
            "Compares two JSON reports case by case and says what got worse: new failures, "
            "failures that became crashes or timeouts, lost support, margins, memory and times "
            "beyond limits; and what got better.  Subjects belong together when they are of one "
            "kind, one file name and the same options; a subject of OLD without a counterpart in "
            "NEW fails.\n\n"
            "Margins and memory are the same in each run of a build, so every growth beyond its "
            "limit counts.  Times are not: the factor of the whole run is taken out and shown "
            "apart, and an op in a type counts as slower when it is so by more than the limit, by "
            "Wilcoxon's signed-rank test over its cases, and against the scatter of all ops by "
            "Student's t with 6 degrees of freedom; both at 1 %, corrected for the number of ops "
            "after Holm.  It needs 8 cases of an op, and 8 such ops.  On a loaded machine give "
            "more runs with --old-times and --new-times.\n\n"
            "Exit code 1: something got worse.  Exit code 2: a report cannot be read, or the two "
            "cannot be compared, because their seeds differ or no subject or case is in both.",
        .examples =
            "  assay report compare old.json new.json\n"
            "  assay report compare old.json new.json --ignore=times --format=json\n"
            "  assay report compare old.json new.json --max-slowdown=3% --max-run-slowdown=5%\n"
            "  assay report compare a1.json b1.json --old-times=a2.json --new-times=b2.json\n"
            "  assay report compare fp32.json fp16.json --pair=0:0 --format=html \\\n"
            "      --out=diff.html\n",
        .suffix = ".json",
        .run = report_compare_run,
    },
    {
        .name = "report accept",
        .summary = "make a report the next baseline, and show what that gives up",
        .synopsis = "NEW --baseline=OLD --out=NEXT [FLAG]...",
        .description =
            "Compares the report NEW with the baseline OLD, and prints what would be given up: "
            "cases that passed and do not any more, support that was lost, margins that grew, "
            "cases and subjects that are gone.  Where there is nothing of the kind, or --give-up "
            "or --allow-worse name all of it, NEW is written as the next baseline and the exit "
            "code is 0.  Otherwise nothing is written, and it is 1.\n\n"
            "A report of a run that was interrupted, or of which shards are missing, is refused.",
        .examples =
            "  assay report accept report.json --baseline=baseline.json --dry-run\n"
            "  assay report accept report.json --baseline=baseline.json --out=baseline.json\n"
            "  assay report accept report.json --baseline=baseline.json --out=baseline.json \\\n"
            "      --give-up='softmax.f16.*'\n",
        .suffix = ".json",
        .run = report_accept_run,
    },
    {
        .name = "report statement",
        .summary = "make a directory that backs a claim of conformance, or verify one",
        .synopsis = "--out=DIR REPORT... [FLAG]...",
        .description =
            "Makes the directory DIR with the reports, the waivers, the logs and SHA256SUMS, which "
            "`sha256sum -c` reads.  Reports of runs that were cut, of single shards or of "
            "different lists of cases are refused, and so are one that is there twice and waived "
            "results "
            "that no waiver explains.  An existing directory has to be empty.\n\n"
            "--verify checks the same, that every file is listed and no other is there, and that "
            "sums match.  Each problem is a line, and the exit code is 1.  `assay report show "
            "DIR/report.json --format=html` makes the other forms; `assay conformance --list | "
            "sha256sum` prints the hash of the list of cases that a report has.\n\n"
            "To sign it: gpg --armor --detach-sign DIR/SHA256SUMS.  SHA256SUMS.asc and "
            "SHA256SUMS.sig are the only files that need not be listed.",
        .examples = "  assay report statement --out=statement report.json --waivers=known.tsv\n"
                    "  assay report statement --verify statement\n"
                    "  (cd statement && sha256sum -c SHA256SUMS)\n",
        .suffix = ".json",
        .run = report_statement_run,
    },
    {
        .name = "report site",
        .summary = "make a static board of many reports",
        .synopsis = "DIR|FILE... [-o OUT]",
        .description =
            "Reads reports, of a directory all files that end in .json, and writes a board: "
            "index.html, a page for each subject with its versions as columns, what was fixed and "
            "what broke from one to the next, findings and ops; a badge for each (SVG); and "
            "feed.json, a JSON feed.  Pages have at most 2 MB, need no network, no script and "
            "nothing beside them, and say what was left out.\n\n"
            "A subject is one by its kind, the name of its library and its options, on one device; "
            "its versions are those that its runtime tells, else hashes of its library in the "
            "order of their dates.  `report show FILE --format=summary` sums a report up to what "
            "the board shows, some 50 kB in place of 10 MB, and is read like a report.  Between "
            "summaries cases are compared where an op has the same list of cases in both; "
            "otherwise by the names of those that fail.\n\n"
            "Exit code 0: all were read.  1: the board is written, and lacks reports that cannot "
            "be read, which it names.  2: no report can be read, or the board not be written.",
        .examples = "  assay report site results -o site\n"
                    "  assay report site results nightly.json --out=/srv/www/assay\n"
                    "  assay report show report.json --format=summary --out=results/2026-11.json\n",
        .suffix = ".json",
        .run = report_site_run,
    },
};
enum { PARTS = sizeof parts / sizeof parts[0] };

const struct command command_report = {
    .name = "report",
    .summary = "show, merge and compare the reports of runs",
    .synopsis = "show|merge|compare|accept|statement|site [FLAG]... FILE...",
    .description = "Works on the JSON reports that `assay conformance --format=json --out=FILE` "
                   "writes.  Nothing is run.",
    .examples = "  assay report show report.json --format=html --out=report.html\n"
                "  assay report merge shard-*.json --out=report.json\n"
                "  assay report compare old.json new.json\n"
                "  assay report site results -o site\n"
                "  assay report compare --help\n",
    .parts = parts,
    .part_count = PARTS,
    .run = parts_run,
};
