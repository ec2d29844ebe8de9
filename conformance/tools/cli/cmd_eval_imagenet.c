/* assay eval imagenet: top-1 to top-10 of a classifier. */
#include "conformance/tools/cli/commands.h"
#include "conformance/tools/cli/eval_flags.h"
#include "conformance/tools/eval/imagenet.h"

#include <stdlib.h>
#include <string.h>

struct request {
    struct eval_flags flags;
    struct imagenet_files files;
    const char *offset;
};

static enum status evaluate(struct request *q, struct eval_session *s, struct imagenet *x,
                            struct eval_report *r, struct diag *diag)
{
    struct eval_task task;

    TRY(eval_flags_max_drop(&q->flags, r, diag));
    TRY(eval_session_open(s, &q->flags, diag));
    TRY(imagenet_open(x, &q->files, &s->model, diag));
    task = imagenet_task(x);
    TRY(eval_session_run(s, &q->flags, &task, &x->truth.images, x->truth.sha256, r, diag));
    return imagenet_report(x, s->has_reference, r, diag);
}

static int run(const struct command *self, struct request *q)
{
    struct eval_session s = { .has_reference = false };
    struct imagenet x = { .model = NULL };
    struct eval_report r = { .rows = NULL };
    struct diag diag = { .status = STATUS_OK };
    int code;

    if (evaluate(q, &s, &x, &r, &diag) != STATUS_OK)
        code = message_fail(self->name, &diag);
    else
        code = eval_flags_print(self, &q->flags, &r);
    eval_report_close(&r);
    imagenet_close(&x);
    eval_session_close(&s);
    return code;
}

static bool read_offset(const struct command *self, struct request *q)
{
    char *end;

    if (!q->offset)
        return true;
    q->files.offset = strtol(q->offset, &end, 10);
    if (end != q->offset && !*end && labs((long)q->files.offset) < 100000)
        return true;
    message_error(self->name, "--label-offset=%s: expected a whole number, such as 1 or -1",
                  q->offset);
    return false;
}

int eval_imagenet_run(const struct command *self, int argc, char **argv)
{
    struct request q = { .flags = eval_flags_default(PREPROCESS_TFLITE, 0.875) };
    const struct args_flag own[] = {
        ARG("ground-truth", ARGS_STRING, &q.files.ground_truth, "FILE",
            "a line for each image, in the order of their names: its label, or its class by "
            "number; "
            "or NAME LABEL in any order"),
        ARG("labels", ARGS_STRING, &q.files.labels, "FILE",
            "the label of each class of the model, one on each line"),
        ARG("ground-truth-names", ARGS_STRING, &q.files.names, "FILE",
            "line N is the label of the number N of the ground truth, as of ILSVRC 2012's"),
        ARG("label-offset", ARGS_STRING, &q.offset, "N",
            "class of the model = number of the ground truth + N, without --labels (default 0)"),
        ARG("ground_truth_labels", ARGS_STRING, &q.files.ground_truth, "FILE",
            "the same as --ground-truth, as in TFLite's tool"),
        ARG("model_output_labels", ARGS_STRING, &q.files.labels, "FILE",
            "the same as --labels, as in TFLite's tool"),
        ARG("denylist_file_path", ARGS_STRING, &q.files.denylist, "FILE",
            "numbers of images, by name and from 1, that are left out"),
        ARG("blacklist_file_path", ARGS_STRING, &q.files.denylist, "FILE",
            "the same, as in older versions of TFLite's tool"),
    };
    int code;

    if (!eval_flags_parse(self, argc, argv, own, sizeof own / sizeof own[0], &q.flags, &code))
        return code;
    if (!read_offset(self, &q))
        return EXIT_USAGE;
    if (!q.flags.model || !q.files.ground_truth) {
        message_error(self->name, "expected MODEL, --images=DIR and --ground-truth=FILE; `assay "
                                  "eval imagenet --help` shows how");
        return EXIT_USAGE;
    }
    q.files.images = q.flags.images;
    q.files.num_images = q.flags.num_images;
    return run(self, &q);
}
