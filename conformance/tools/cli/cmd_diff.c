/* assay diff: a model on a subject beside the scalar reference, and the node that a difference
 * comes from. */
#include "conformance/suite/judge/node_host.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/tools/cli/subject_flags.h"
#include "conformance/tools/diff/diff_print.h"
#include "conformance/tools/diff/part.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/output.h"

#include <stdio.h>

struct request {
    struct diff_request diff;
    struct args_common common;
    struct subject_flags subject;
    struct node_host host;
    const char *cut;
    int data; /* enum diff_data */
    bool minimize;
};

/* ---- the command ---- */

static int print_result(const struct diff *d, const struct request *q)
{
    struct output out;

    if (!output_open(&out)) {
        message_error("diff", "out of memory");
        return EXIT_FAILED;
    }
    if (q->common.format == FORMAT_JSON)
        diff_print_json(out.file, d);
    else
        diff_print_text(out.file, d);
    out.plain = q->common.format == FORMAT_TEXT;
    return output_close(&out, q->common.out, false);
}

/* What is written is the minimal form, where there is one.  Without a failure nothing is. */
static enum status save_cut(const struct diff *d, const struct request *q, struct diag *diag)
{
    const struct diff_culprit *const c = &d->culprit;

    if (!q->cut || c->first < 0)
        return STATUS_OK;
    return cut_save(q->cut, c->is_shrunk ? &c->shrunk.instance : &c->instance, diag);
}

/* The command that shows the failure of the files of --cut. */
static void print_again(FILE *f, const struct diff *d, const struct request *q)
{
    const struct case_instance *const x =
        d->culprit.is_shrunk ? &d->culprit.shrunk.instance : &d->culprit.instance;
    char text[4096];

    if (!q->cut || d->culprit.first < 0 || q->common.format == FORMAT_JSON || q->common.out)
        return;
    fprintf(f, "again: assay diff %s", q->cut);
    for (size_t i = 0; i < x->input_count; i++) {
        if (cut_input_name(q->cut, i, text, sizeof text))
            fprintf(f, " --input=%s", text);
    }
    if (subject_spec(d->subject, text, sizeof text))
        fprintf(f, " --subject='%s'", text);
    fprintf(f, " --runs=1%s\n", d->culprit.alone ? " --per-node" : "");
}

/* A model with nodes that the reference does not know is opened without them. */
static enum status open_diff(struct diff *d, struct request *q, struct subject *subject,
                             struct diag *diag)
{
    const char *const path = q->diff.path;
    enum status s = STATUS_OK;

    if (q->common.use.host)
        TRY(node_host_open(&q->host, q->common.use.host, q->diff.timeout_s, diag));
    s = model_use_choose(&q->common.use, path, diag);
    q->diff.stand_in = q->common.use.host ? &q->host.stand_in : NULL;

    q->diff.use = &q->common.use;
    if (s == STATUS_OK)
        s = diff_open(d, &q->diff, subject, diag);
    if (s != STATUS_OK && model_use_cut(&q->common.use, path, s, diag)) {
        diff_close(d);
        s = diff_open(d, &q->diff, subject, diag);
    }
    return s;
}

static int compare(struct request *q)
{
    struct subject subject = { .path = NULL };
    struct diff d = { .subject = NULL };
    struct diag diag = { .status = STATUS_OK };
    enum status s;
    int code;

    if ((s = subject_flags_open(&q->subject, &q->common, &subject, &diag)) == STATUS_OK &&
        (s = open_diff(&d, q, &subject, &diag)) == STATUS_OK) {
        interrupt_begin();
        if ((s = diff_run(&d, &diag)) == STATUS_OK)
            s = cause_find(&d, &diag);
        diff_count_left(&d);
        interrupt_end();
    }
    if (s != STATUS_OK || save_cut(&d, q, &diag) != STATUS_OK) {
        message_progress_end();
        code = message_fail("diff", &diag);
    } else {
        code = print_result(&d, q);
        print_again(stdout, &d, q);
        if (code == EXIT_AS_EXPECTED && diff_failed(&d))
            code = EXIT_FAILED;
    }
    diff_close(&d);
    subject_close(&subject);
    model_use_close(&q->common.use);
    node_host_close(&q->host);
    return code;
}

static int run(const struct command *self, int argc, char **argv)
{
    static const char *const data_choices[] = { "by_type", "gaussian", "uniform", NULL };
    struct request q = {
        .diff = { .runs = 10, .repeats = 3, .timeout_s = 60, .steps = 0, .scale = { 127.5, 127.5 } }
    };
    uint64_t steps = SHRINK_STEPS, threads;
    const char *proto = NULL;
    const struct args_flag flags[] = {
        ARG("input", ARGS_LIST, &q.diff.inputs, "FILE",
            "next input, as `assay run` takes it; repeatable; others are random"),
        { "runs", ARGS_UINT, &q.diff.runs, "N", "number of random inputs (default 10)", 1, 1e6,
          NULL },
        { "data", ARGS_CHOICE, &q.data, "KIND",
          "of random inputs; by_type (default) is gaussian in floats and uniform in 8 bits", 0, 0,
          data_choices },
        ARG("subject", ARGS_STRING, &q.subject.subject, "SPEC",
            "who runs the model: KIND:LIBRARY?KEY=VALUE&..., as in `assay conformance`"),
        ARG("bounds", ARGS_STRING, &q.subject.bounds, "CLASSES",
            "classes of bounds of results, as in conformance (default: by the subject's options)"),
        ARG("per-node", ARGS_BOOL, &q.diff.per_node, NULL,
            "judge each node by itself, and look for the nodes that fail together"),
        ARG("cut", ARGS_STRING, &q.cut, "FILE",
            "write the smallest sub-model that fails there, and its inputs beside it (.npy); "
            "implies "
            "--per-node"),
        ARG("minimize", ARGS_BOOL, &q.minimize, NULL,
            "make what fails smaller: shapes, options and values; implies --per-node"),
        { "steps", ARGS_UINT, &steps, "N", "most steps of --minimize (default 300)", 1, 1e6, NULL },
        { "timeout", ARGS_DOUBLE, &q.diff.timeout_s, "SECONDS",
          "longest time of one run (default 60)", 0.1, 1e6, NULL },
        { "mean", ARGS_DOUBLE, &q.diff.scale.mean, "X",
          "mean of pixels, for float inputs (default 127.5)", -1e6, 1e6, NULL },
        { "std", ARGS_DOUBLE, &q.diff.scale.std, "X",
          "divisor of pixels: float input = (pixel - mean) / std (default 127.5)", 1e-6, 1e6,
          NULL },
        ARG("graph", ARGS_STRING, &q.diff.path, "FILE", "the model, as in benchmark_model"),
        ARG("model_file", ARGS_STRING, &q.diff.path, "FILE",
            "the model, as in TFLite's inference diff"),
        { "num_runs", ARGS_UINT, &q.diff.runs, "N", "the same as --runs", 1, 1e6, NULL },
        ARG("external_delegate_path", ARGS_STRING, &q.subject.external_path, "PATH",
            "the same as --delegate"),
        ARG("external_delegate_options", ARGS_STRING, &q.subject.external_options, "TEXT",
            "options of the delegate: KEY:VALUE;KEY:VALUE"),
        { "num_interpreter_threads", ARGS_UINT, &threads, "N",
          "accepted, as in TFLite's inference diff: the scalar reference has one thread", 1, 1024,
          NULL },
        ARG("output_file_path", ARGS_STRING, &proto, "FILE",
            "refused: protocol buffers are not written; see --format=json and --out"),
    };
    struct args args;
    int code;

    if (!args_parse(self, argc, argv, flags, sizeof flags / sizeof flags[0],
                    ARGS_MODEL | ARGS_USE | ARGS_HOST | ARGS_DELEGATE | ARGS_FORMAT | ARGS_SEED |
                        ARGS_QUIET,
                    &q.common, &args, 0, 1, &code))
        return code;
    if (proto) {
        message_error(self->name,
                      "--output_file_path=%s: protocol buffers are not written; see --format=json "
                      "and --out",
                      proto);
        return EXIT_USAGE;
    }
    if (args.count == 1 && q.diff.path) {
        message_error(self->name, "expected one model, found %s and %s", args.items[0],
                      q.diff.path);
        return EXIT_USAGE;
    }
    if (args.count == 1)
        q.diff.path = args.items[0];
    if (!q.diff.path) {
        message_error(self->name, "no model; `assay diff --help` shows how");
        return EXIT_USAGE;
    }
    q.diff.data = (enum diff_data)q.data;
    q.diff.seed = q.common.seed;
    q.diff.quiet = q.common.quiet;
    q.diff.steps = q.minimize ? steps : 0;
    q.diff.per_node = q.diff.per_node || q.cut || q.minimize;
    return compare(&q);
}

const struct command command_diff = {
    .name = "diff",
    .summary = "compare a model on a delegate with the scalar reference",
    .synopsis = "MODEL [FLAG]...",
    .description =
        "Runs a model on the scalar reference and on a subject, with the same inputs, and prints "
        "for each output how far they are apart: the figures of TensorFlow Lite's inference diff "
        "(mean absolute error, latencies), and largest error, mean squared error, signal-to-noise "
        "ratio, cosine and best class.  The screens of conformance/doc/TOLERANCES.md, section 10, "
        "say "
        "whether an output passes.\n\n"
        "With --per-node each node runs by itself on what the reference computed before it, and is "
        "held to the bound of its op; where all nodes pass alone and the model does not, the "
        "smallest range of nodes that fails together is found by bisection.  --cut writes what "
        "fails as a model of its own, --minimize makes it smaller first.\n\n"
        "The subject runs in a process of its own: a crash or a timeout is a result, and its cause "
        "is found as any other's.  Exit code 1: an output or a node fails, no node was taken, or "
        "the reference does not know all nodes: then the others are compared, and these are named. "
        " "
        "--host names who runs these.",
    .examples = "  assay diff mobilenet.tflite\n"
                "  assay diff mobilenet.tflite --delegate-option=precision=fp16 --runs=10\n"
                "  assay diff model.tflite --input=cat.jpg --runs=1 --format=json\n"
                "  assay diff model.tflite --delegate=./libother.so --per-node\n"
                "  assay diff model.tflite --host=litert:cpu\n"
                "  assay diff llm.tflite --signature=decode --input-shape=ids:1,64\n"
                "  assay diff model.tflite --subject=litert:gpu --minimize --cut=fault.tflite\n",
    .suffix = ".tflite",
    .run = run,
};
