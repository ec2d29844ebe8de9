/* assay conformance: the suite against a delegate. */
#include "conformance/suite/judge/give_up.h"
#include "conformance/suite/shrink/shrink_model.h"
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/tools/cli/conformance_run.h"

#include <stddef.h>

/* 0.99^459 < 0.01: a fault of one run in a hundred is missed once in a hundred times. */
enum { REPEAT_DEFAULT = 459 };

static int run(const struct command *self, int argc, char **argv)
{
    struct conformance_request q = { .argc = argc,
                                     .argv = argv,
                                     .timeout_s = 60,
                                     .repeat.limit_s = 60,
                                     .give_up = GIVE_UP_DEFAULT,
                                     .minimize_steps = SHRINK_STEPS };
    bool no_models = false;
    const struct args_flag flags[] = {
        { .name = "filter",
          .kind = ARGS_LIST,
          .target = &q.selection.filters,
          .value = "GLOB",
          .help = "cases to run, such as 'conv_2d.*'; repeatable" },
        { .name = "graphs",
          .kind = ARGS_UINT,
          .target = &q.graphs,
          .value = "N",
          .help = "run N random graphs, too; --seed draws others",
          .min = 0,
          .max = 1e6 },
        { .name = "list",
          .kind = ARGS_BOOL,
          .target = &q.list,
          .help = "print the names of the cases, and run none" },
        { .name = "limit",
          .kind = ARGS_UINT,
          .target = &q.selection.limit,
          .value = "N",
          .help = "at most N cases for each op of a suite and for each title of the gap suite",
          .min = 1,
          .max = 1e9 },
        { .name = "quick",
          .kind = ARGS_BOOL,
          .target = &q.quick,
          .help = "run a sample, in a minute or two: every op in each of its types and versions, "
                  "every title of the gap suite, every check; --seed draws another" },
        { .name = "habits",
          .kind = ARGS_STRING,
          .target = &q.habits,
          .value = "NAME,...",
          .help = "run the cases again as applications do: resized, runs, interpreters, threads, "
                  "addresses, partition, options, cache, wait; by default each on two cases of "
                  "each op, drawn by --seed; all: all on every case; none" },
        { .name = "shard",
          .kind = ARGS_STRING,
          .target = &q.shard,
          .value = "I/N",
          .help = "run part I of N, counted from 0; /N: I from the environment of Bazel, Slurm or "
                  "Kubernetes; env: both" },
        { .name = "subject",
          .kind = ARGS_LIST,
          .target = &q.subjects,
          .value = "KIND:LIBRARY?KEY=VALUE&...",
          .help = "who is judged: delegate:PATH, tflite-c:PATH?delegate=PATH, litert:cpu, "
                  "litert:gpu, litert:npu or reference; repeatable, a column each" },
        { .name = "bounds",
          .kind = ARGS_STRING,
          .target = &q.bounds,
          .value = "CLASSES",
          .help =
              "what results are held to, a list such as fp16,winograd,one_step: for floats "
              "fp32, fp16, fp16_runs or fp16_arith, with rtz, winograd, hybrid and "
              "exponentials as the design needs; "
              "for 8 bits exact, one_step or float_view; conformance/doc/TOLERANCES.md says which "
              "is for which (default: by the options of our delegate; another's are fp32 and "
              "float_view)" },
        { .name = "timeout",
          .kind = ARGS_DOUBLE,
          .target = &q.timeout_s,
          .value = "SECONDS",
          .help = "time limit of one case (default 60)",
          .min = 0.01,
          .max = 1e6 },
        { .name = "repeat",
          .kind = ARGS_UINT,
          .target = &q.repeat.runs,
          .value = "N",
          .help =
              "run each case N times more, in an order, under load and at addresses that --seed "
              "draws; each run must give the bits that were judged",
          .min = 1,
          .max = 1e9 },
        { .name = "statistics",
          .kind = ARGS_BOOL,
          .target = &q.statistics,
          .help = "list for every case the share of wrong runs, with an interval of 95 %; without "
                  "--repeat as --repeat=459, which finds a fault of 1 % with 99 % certainty" },
        { .name = "time-limit",
          .kind = ARGS_DOUBLE,
          .target = &q.repeat.limit_s,
          .value = "SECONDS",
          .help = "of the runs of --repeat of a case (default 60); what ran until then counts",
          .min = 0.01,
          .max = 1e6 },
        { .name = "give-up",
          .kind = ARGS_UINT,
          .target = &q.give_up,
          .value = "N",
          .help = "give up a subject after N timeouts without an answer between them, 3 N "
                  "timeouts, or 25 N crashes and timeouts in a row (default 20); 0: never",
          .min = 0,
          .max = 1e6 },
        { .name = "resume",
          .kind = ARGS_STRING,
          .target = &q.resume,
          .value = "FILE",
          .help = "go on with a run that was cut: its JSON report, or the log FILE.partial that "
                  "stands beside it; the results there are kept, and the other cases are run; "
                  "auto: the "
                  "log beside --out, where there is one of the same run" },
        { .name = "require",
          .kind = ARGS_LIST,
          .target = &q.require,
          .value = "GLOB",
          .help = "cases that must not be declined; repeatable" },
        { .name = "require-integers",
          .kind = ARGS_BOOL,
          .target = &q.require_integers,
          .help =
              "8-bit cases must not be declined of ops that reference/ops.def says our delegate "
              "takes in full" },
        { .name = "require-classes",
          .kind = ARGS_STRING,
          .target = &q.require_classes,
          .value = "FILE|LIST",
          .help = "classes of attributes and shapes of which some case must be taken: a file that "
                  "--write-classes wrote, such as conformance/classes.tsv, or "
                  "OP.TYPE:CLASS,..., such as 'conv_2d.f32:stride_w,relu.*:rank5'" },
        { .name = "write-classes",
          .kind = ARGS_STRING,
          .target = &q.write_classes,
          .value = "FILE",
          .help = "write which classes this run has taken and declined" },
        { .name = "waivers",
          .kind = ARGS_STRING,
          .target = &q.waivers,
          .value = "FILE",
          .help = "known failures, one on each line: CASES | DEVICE | CAUSE, and link=, "
                  "expires=, driver=, device=, bounds=; conformance/doc/WAIVERS.md" },
        { .name = "strict-waivers",
          .kind = ARGS_BOOL,
          .target = &q.strict_waivers,
          .help = "a waiver that matches none of all cases is an error" },
        { .name = "today",
          .kind = ARGS_STRING,
          .target = &q.today,
          .value = "YYYY-MM-DD",
          .help = "the day that waivers are held against (default: today, UTC)" },
        { .name = "write-waivers",
          .kind = ARGS_STRING,
          .target = &q.write_waivers,
          .value = "FILE",
          .help = "write the failures of this run as a file of waivers, to be explained" },
        { .name = "baseline",
          .kind = ARGS_STRING,
          .target = &q.baseline,
          .value = "FILE",
          .help = "JSON report of an earlier run; what passed there must pass, with no larger "
                  "margin" },
        { .name = "versions",
          .kind = ARGS_STRING,
          .target = &q.versions,
          .value = "FILE",
          .help = "version ledger, conformance/versions.tsv; each row needs its proof" },
        { .name = "mutants",
          .kind = ARGS_STRING,
          .target = &q.mutants,
          .value = "FILE",
          .help = "table that `make mutants` wrote, to be shown in the report" },
        { .name = "models",
          .kind = ARGS_BOOL,
          .target = &q.models,
          .help = "run the trained models, too; --filter='digits_*' runs them alone" },
        { .name = "no-models",
          .kind = ARGS_BOOL,
          .target = &no_models,
          .help = "run no trained models, as is usual without --models" },
        { .name = "repro-dir",
          .kind = ARGS_STRING,
          .target = &q.repro_dir,
          .value = "DIR",
          .help = "directory for model, tensors, limits and command of failed cases" },
        { .name = "minimize",
          .kind = ARGS_BOOL,
          .target = &q.minimize,
          .help = "make one failure of each kind smaller while it fails the same way, and print "
                  "its minimal form; with --repro-dir write its model" },
        { .name = "minimize-steps",
          .kind = ARGS_UINT,
          .target = &q.minimize_steps,
          .value = "N",
          .help = "most steps for each minimal form (default 300)",
          .min = 1,
          .max = 1e6 },
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
        "--quick is a first look: of about 17,000 cases it runs some 900, chosen pairwise, so that "
        "each op meets each of its types, and each title of the gap suite each type.\n\n"
        "--subject names others: a delegate, a TensorFlow Lite C library, or an accelerator of "
        "LiteRT's CompiledModel API, whose libLiteRt.so is looked for in library=PATH, "
        "LITERT_LIBRARY, the loader's path and the packages of python3; SUBJECTS.md of the source "
        "describes their keys.\n\n"
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
                "  assay conformance --subject='litert:gpu?precision=fp32' --waivers=known.tsv\n"
                "  assay conformance --format=json --out=report.json --resume=report.json\n"
                "  assay conformance --baseline=report.json --repro-dir=failures --minimize\n",
    .run = run,
};
