/* assay conformance: the suite against a delegate. */
#include "conformance/suite/judge/give_up.h"
#include "conformance/suite/shrink/shrink_model.h"
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/tools/cli/conformance_setup.h"

#include <stddef.h>

/* 0.99^459 < 0.01: a fault of one run in a hundred is missed once in a hundred times. */
enum { REPEAT_DEFAULT = 459 };

static int run(const struct command *self, int argc, char **argv)
{
    struct conformance_request q = { .name = self->name,
                                     .argc = argc,
                                     .argv = argv,
                                     .timeout_s = 60,
                                     .repeat.limit_s = 60,
                                     .give_up = GIVE_UP_DEFAULT,
                                     .minimize_steps = SHRINK_STEPS };
    bool no_models = false;
    const struct args_flag flags[] = {
        ARG("filter", ARGS_LIST, &q.selection.filters, "GLOB",
            "cases to run, such as 'conv_2d.*'; repeatable"),
        { "graphs", ARGS_UINT, &q.graphs, "N", "run N random graphs, too; --seed draws others", 0,
          1e6, NULL },
        ARG("list", ARGS_BOOL, &q.list, NULL, "print the names of the cases, and run none"),
        { "limit", ARGS_UINT, &q.selection.limit, "N",
          "at most N cases for each op of a suite and for each title of the gap suite", 1, 1e9,
          NULL },
        ARG("quick", ARGS_BOOL, &q.quick, NULL,
            "run a sample, in a minute or two: every op in each of its types and versions, "
            "every title of the gap suite, every check; --seed draws another"),
        ARG("habits", ARGS_STRING, &q.habits, "NAME,...",
            "run the cases again as applications do: resized, runs, interpreters, threads, "
            "addresses, partition, options, cache, wait; by default each on two cases of "
            "each op, drawn by --seed; all: all on every case; none"),
        ARG("shard", ARGS_STRING, &q.shard, "I/N",
            "run part I of N, counted from 0; /N: I from the environment of Bazel, Slurm or "
            "Kubernetes; env: both"),
        ARG("subject", ARGS_LIST, &q.subjects, "KIND:LIBRARY?KEY=VALUE&...",
            "who is judged: delegate:PATH, tflite-c:PATH?delegate=PATH, litert:cpu, "
            "litert:gpu, litert:npu, exec:COMMAND, remote:HOST:PORT, remote:unix:PATH, "
            "ssh:HOST, adb:SERIAL or reference; repeatable, a column each"),
        ARG("bounds", ARGS_STRING, &q.bounds, "CLASSES",
            "what results are held to, a list such as fp16,winograd,one_step: for floats "
            "fp32, fp16, fp16_runs or fp16_arith, with rtz, winograd, hybrid and "
            "exponentials as the design needs; "
            "for 8 bits exact, one_step or float_view; conformance/doc/TOLERANCES.md says which "
            "is for which (default: by the options of our delegate; another's are fp32 and "
            "float_view)"),
        { "timeout", ARGS_DOUBLE, &q.timeout_s, "SECONDS", "time limit of one case (default 60)",
          0.01, 1e6, NULL },
        { "repeat", ARGS_UINT, &q.repeat.runs, "N",
          "run each case N times more, in an order, under load and at addresses that --seed "
          "draws; each run must give the bits that were judged",
          1, 1e9, NULL },
        ARG("statistics", ARGS_BOOL, &q.statistics, NULL,
            "list for every case the share of wrong runs, with an interval of 95 %; without "
            "--repeat as --repeat=459, which finds a fault of 1 % with 99 % certainty"),
        { "time-limit", ARGS_DOUBLE, &q.repeat.limit_s, "SECONDS",
          "of the runs of --repeat of a case (default 60); what ran until then counts", 0.01, 1e6,
          NULL },
        { "give-up", ARGS_UINT, &q.give_up, "N",
          "give up a subject after N timeouts without an answer between them, 3 N "
          "timeouts, or 25 N crashes and timeouts in a row (default 20); 0: never",
          0, 1e6, NULL },
        ARG("resume", ARGS_STRING, &q.resume, "FILE",
            "go on with a run that was cut: its JSON report, or the log FILE.partial that "
            "stands beside it; the results there are kept, and the other cases are run; "
            "auto: the log beside --out, where there is one of the same run"),
        ARG("require", ARGS_LIST, &q.require, "GLOB",
            "cases that must not be declined; repeatable"),
        ARG("require-integers", ARGS_BOOL, &q.require_integers, NULL,
            "8-bit cases must not be declined of ops that reference/ops.def says our delegate "
            "takes in full"),
        ARG("require-classes", ARGS_STRING, &q.require_classes, "FILE|LIST",
            "classes of attributes and shapes of which some case must be taken: a file that "
            "--write-classes wrote, such as conformance/classes.tsv, or "
            "OP.TYPE:CLASS,..., such as 'conv_2d.f32:stride_w,relu.*:rank5'"),
        ARG("write-classes", ARGS_STRING, &q.write_classes, "FILE",
            "write which classes this run has taken and declined"),
        ARG("waivers", ARGS_STRING, &q.waivers, "FILE",
            "known failures, one on each line: CASES | DEVICE | CAUSE, and link=, "
            "expires=, driver=, device=, bounds=; conformance/doc/WAIVERS.md"),
        ARG("strict-waivers", ARGS_BOOL, &q.strict_waivers, NULL,
            "a waiver that matches none of all cases is an error"),
        ARG("today", ARGS_STRING, &q.today, "YYYY-MM-DD",
            "the day that waivers are held against (default: today, UTC)"),
        ARG("write-waivers", ARGS_STRING, &q.write_waivers, "FILE",
            "write the failures of this run as a file of waivers, to be explained"),
        ARG("baseline", ARGS_STRING, &q.baseline, "FILE",
            "JSON report of an earlier run; what passed there must pass, with no larger "
            "margin"),
        ARG("versions", ARGS_STRING, &q.versions, "FILE",
            "version ledger, conformance/versions.tsv; each row needs its proof"),
        ARG("mutants", ARGS_STRING, &q.mutants, "FILE",
            "table that `make mutants` wrote, to be shown in the report"),
        ARG("models", ARGS_BOOL, &q.models, NULL,
            "run the trained models, too; --filter='digits_*' runs them alone"),
        ARG("no-models", ARGS_BOOL, &no_models, NULL,
            "run no trained models, as is usual without --models"),
        ARG("repro-dir", ARGS_STRING, &q.repro_dir, "DIR",
            "directory for model, tensors, limits and programs of the smallest case of "
            "each finding, and of its minimal form"),
        ARG("repro", ARGS_STRING, &q.repro, "WHAT",
            "what --repro-dir gets: findings, or all failed cases (default: findings)"),
        ARG("minimize", ARGS_BOOL, &q.minimize, NULL,
            "make one failure of each kind smaller while it fails the same way, and print "
            "its minimal form; with --repro-dir write its model"),
        { "minimize-steps", ARGS_UINT, &q.minimize_steps, "N",
          "most steps for each minimal form (default 300)", 1, 1e6, NULL },
    };
    struct args args;
    struct diag diag;
    int code;

    if (!args_parse(self, argc, argv, flags, sizeof flags / sizeof flags[0],
                    ARGS_DELEGATE | ARGS_FORMAT | ARGS_FORMS | ARGS_SEED | ARGS_JOBS | ARGS_QUIET,
                    &q.common, &args, 0, 0, &code))
        return code;
    if (q.statistics && q.repeat.runs == 0)
        q.repeat.runs = REPEAT_DEFAULT;
    if (q.models && (no_models || q.selection.limit > 0)) {
        diag_fail(&diag, STATUS_USAGE, "--models and %s do not mix",
                  no_models ? "--no-models" : "--limit, which runs no whole models,");
        return message_fail("conformance", &diag);
    }
    if (select_shard(&q.selection, q.shard, &diag) != STATUS_OK)
        return message_fail("conformance", &diag);
    return conformance_run(&q);
}

const struct command command_conformance = {
    .name = "conformance",
    .summary = "run the conformance suite against a delegate",
    .synopsis = "[--filter=GLOB]... [--delegate=PATH] [FLAG]...",
    .description =
        "Builds a model for each case, runs it on the scalar reference and on the delegate, in "
        "worker processes, and compares the results element by element, each with a bound of its "
        "own.  It also compares runs of the delegate with each other: with poisoned unused memory, "
        "in batches, repeated, and with every intermediate tensor as an output.\n\n"
        "A case is named op.type.variant, for instance softmax.f32.rank1.  It passes, fails, is "
        "declined (the delegate does not take the op), crashes, times out, is waived, or passes "
        "although it is waived.  Declined is never counted as passed.\n\n"
        "Without --delegate, Assay's own delegate runs as four subjects: precision=fp32 and "
        "precision=fp16 on cases of floats, quantized=exact and quantized=float_view on 8-bit "
        "cases.\n\n"
        "--quick is a first look: of about 20,000 cases it runs some 1,080, chosen pairwise, so "
        "that each op meets each of its types, and each title of the gap suite each type.\n\n"
        "--subject names others: a delegate, a TensorFlow Lite C library, or an accelerator of "
        "LiteRT's CompiledModel API, whose libLiteRt.so is looked for in library=PATH, "
        "LITERT_LIBRARY, the loader's path and the packages of python3; SUBJECTS.md of the source "
        "describes their keys. exec:, remote:, ssh: and adb: are agents, which run models in "
        "another process or on another machine: assay-agent, or one of your own by PROTOCOL.md.\n\n"
        "A failure prints the case, seed, first wrong element, both values, error, limit, and the "
        "command that runs it again.\n\n"
        "Work is split by --shard=I/N; --shard=env reads both of Bazel (TEST_SHARD_INDEX, "
        "TEST_TOTAL_SHARDS), of a Slurm job array (SLURM_ARRAY_TASK_ID, SLURM_ARRAY_TASK_COUNT), "
        "or of an indexed Kubernetes Job (JOB_COMPLETION_INDEX, JOB_COMPLETIONS).",
    .examples = "  assay conformance --quick\n"
                "  assay conformance\n"
                "  assay conformance --filter='conv_2d.*' --delegate-option=precision=fp16\n"
                "  assay conformance --delegate=./libother.so --bounds=fp16 \\\n"
                "      --format=json --out=report.json\n"
                "  assay conformance --subject=tflite-c:./libtensorflowlite_c.so \\\n"
                "      --subject='delegate:./libother.so?threads=4&bounds=fp16'\n"
                "  assay conformance --subject=litert:cpu --write-waivers=known.tsv\n"
                "  assay conformance --subject='ssh:board?agent=assay-agent --subject=litert:cpu'\n"
                "  assay conformance --subject='litert:gpu?precision=fp32' --waivers=known.tsv\n"
                "  assay conformance --format=json --out=report.json --resume=report.json\n"
                "  assay conformance --baseline=report.json --repro-dir=failures --minimize\n",
    .run = run,
};
