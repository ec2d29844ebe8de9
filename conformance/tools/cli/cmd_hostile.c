/* assay hostile: malformed models against any subject. */
#include "conformance/suite/hostile/hostile.h"
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/tools/cli/conformance_setup.h"
#include "conformance/util/output.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { DAMAGED_DEFAULT = 2000, MEMORY_MIB = 256 };

/* Writes the selected models as files, for programs that are no subjects. */
static enum status write_models(const struct conformance_request *q, const char *folder,
                                struct diag *diag)
{
    struct conformance_cases cases;
    struct hostile_case model;
    char path[4096];
    enum status s;

    mkdir(folder, 0777); /* if it cannot be made, it cannot be written to either */
    s = conformance_open_cases(q, &cases, diag);
    for (size_t i = 0; i < cases.count && s == STATUS_OK; i++) {
        s = corpus_make(&q->hostile->corpus, cases.items[i].name, &model, diag);
        snprintf(path, sizeof path, "%s/%s.tflite", folder, cases.items[i].name);
        if (s == STATUS_OK)
            s = output_write_file(path, model.file.bytes, model.file.count, diag);
        mem_free(model.file.bytes);
    }
    conformance_close_cases(&cases);
    return s;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct hostile hostile = { .processor_s = 5 };
    struct conformance_request q = { .name = self->name,
                                     .hostile = &hostile,
                                     .argc = argc,
                                     .argv = argv,
                                     .timeout_s = 30,
                                     .selection.limit = DAMAGED_DEFAULT };
    uint64_t memory_mib = MEMORY_MIB;
    const char *folder = NULL;
    const struct args_flag flags[] = {
        ARG("subject", ARGS_LIST, &q.subjects, "KIND:LIBRARY?KEY=VALUE&...",
            "who is given the models, as in `assay conformance`: delegate:PATH, "
            "tflite-c:PATH, litert:cpu, exec:COMMAND, remote:HOST:PORT, reference and the "
            "others; repeatable (default: Assay's own delegate)"),
        ARG("filter", ARGS_LIST, &q.selection.filters, "GLOB",
            "models to run, such as 'reader.*', 'cut.*' or 'flip.conv.*'; repeatable"),
        ARG("list", ARGS_BOOL, &q.list, NULL, "print the names of the models, and run none"),
        { "limit", ARGS_UINT, &q.selection.limit, "N",
          "of the models that are cut or have a byte flipped at most N, drawn by --seed "
          "(default 2000); 0: all",
          0, 1e9, NULL },
        { "timeout", ARGS_DOUBLE, &q.timeout_s, "SECONDS",
          "a model without an answer for so long is a hang (default 30)", 0.01, 1e6, NULL },
        { "processor-time", ARGS_DOUBLE, &hostile.processor_s, "SECONDS",
          "what a model may take of the processor (default 5)", 0.001, 1e6, NULL },
        { "memory", ARGS_UINT, &memory_mib, "MIB",
          "what a model may add to the resident memory of the process, at its peak "
          "(default 256); of address space 16 times as much",
          1, 1e6, NULL },
        { "give-up", ARGS_UINT, &q.give_up, "N",
          "give up a subject after N timeouts without an answer between them, 3 N "
          "timeouts, or 25 N crashes and timeouts in a row (default 0: never)",
          0, 1e6, NULL },
        ARG("resume", ARGS_STRING, &q.resume, "FILE",
            "go on with a run that was cut, as in `assay conformance`; auto: the log beside "
            "--out"),
        ARG("waivers", ARGS_STRING, &q.waivers, "FILE",
            "known failures, as in `assay conformance`; conformance/doc/WAIVERS.md"),
        ARG("write-waivers", ARGS_STRING, &q.write_waivers, "FILE",
            "write the failures of this run as a file of waivers"),
        ARG("write", ARGS_STRING, &folder, "DIR",
            "write the models as files NAME.tflite, and run none"),
    };
    struct diag diag = { .status = STATUS_OK };
    struct args args;
    int code;

    if (!args_parse(self, argc, argv, flags, sizeof flags / sizeof flags[0],
                    ARGS_DELEGATE | ARGS_FORMAT | ARGS_FORMS | ARGS_SEED | ARGS_JOBS | ARGS_QUIET,
                    &q.common, &args, 0, 0, &code))
        return code;
    hostile.memory_bytes = memory_mib << 20;
    setenv("ASSAY_LIMITS", HOSTILE_LIMITS, 0);
    if (folder)
        code = write_models(&q, folder, &diag) == STATUS_OK ? EXIT_AS_EXPECTED
                                                            : message_fail(self->name, &diag);
    else
        code = conformance_run(&q);
    corpus_close(&hostile.corpus);
    return code;
}

const struct command command_hostile = {
    .name = "hostile",
    .summary = "give malformed models to any subject",
    .synopsis = "[--subject=...]... [--filter=GLOB]... [FLAG]...",
    .description =
        "Gives a subject models that break parsers, shape code and delegates: some 1,500 that were "
        "written for that, each with the answer that it has to get, and truncations and flipped "
        "bytes of four small models.  A model is opened and run in a worker process.\n\n"
        "A model may be refused, or run with the result that the reference has.  What is not "
        "allowed: a crash; a hang; memory or processor time out of proportion to the file; a "
        "result that depends on memory that is not the model's, which shows when the model runs "
        "again among other bytes; writing outside of tensors; running what has to be refused; "
        "another result than the reference's.  Behind a line (exec:, remote:, ssh:, adb:) memory "
        "and processor time are not measured.\n\n"
        "In reports of other forms than text a model that was refused is declined, and the reason "
        "of a failure begins with its kind: written, foreign, unstable, memory, time, wrong, "
        "accepted.  The exit code is 1 where anything of this was found.\n\n"
        "conformance/doc/HOSTILE.md says what runtimes do.",
    .examples = "  assay hostile\n"
                "  assay hostile --subject=reference --filter='reader.*'\n"
                "  assay hostile --subject=tflite-c:./libtensorflowlite_c.so\n"
                "  assay hostile --subject=litert:cpu --limit=0 --format=json --out=hostile.json\n"
                "  assay hostile --subject='exec:assay-agent --subject=litert:cpu' \\\n"
                "      --format=json --out=hostile.json\n"
                "  assay hostile --filter='flip.*' --seed=7 --write=models\n",
    .run = run,
};
