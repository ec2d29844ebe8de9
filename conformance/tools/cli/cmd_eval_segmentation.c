/* assay eval segmentation: mIoU of a model that gives a class to each pixel. */
#include "conformance/tools/cli/commands.h"
#include "conformance/tools/cli/eval_flags.h"
#include "conformance/tools/eval/segmentation.h"

struct request {
    struct eval_flags flags;
    struct segmentation_files files;
};

static enum status evaluate(struct request *q, struct eval_session *s, struct segmentation *x,
                            struct eval_report *r, struct diag *diag)
{
    struct eval_task task;

    TRY(eval_flags_max_drop(&q->flags, r, diag));
    TRY(eval_session_open(s, &q->flags, diag));
    TRY(segmentation_open(x, &q->files, &s->model, diag));
    task = segmentation_task(x);
    TRY(eval_session_run(s, &q->flags, &task, &x->images, x->truth_sha256, r, diag));
    return segmentation_report(x, s->has_reference, q->flags.resamples, q->flags.common.quiet, r,
                               diag);
}

static int run(const struct command *self, struct request *q)
{
    struct eval_session s = { .has_reference = false };
    struct segmentation x = { .classes = 0 };
    struct eval_report r = { .rows = NULL };
    struct diag diag = { .status = STATUS_OK };
    int code;

    if (evaluate(q, &s, &x, &r, &diag) != STATUS_OK)
        code = message_fail(self->name, &diag);
    else
        code = eval_flags_print(self, &q->flags, &r);
    eval_report_close(&r);
    segmentation_close(&x);
    eval_session_close(&s);
    return code;
}

int eval_segmentation_run(const struct command *self, int argc, char **argv)
{
    struct request q = { .flags = eval_flags_default(PREPROCESS_WHOLE, 0) };
    uint64_t ignore = 255;
    const struct args_flag own[] = {
        ARG("masks", ARGS_STRING, &q.files.masks, "DIR",
            "folder of the ground truth: for cat.jpg the labels cat.png, a palette or grey"),
        ARG("labels", ARGS_STRING, &q.files.labels, "FILE",
            "names of the classes, one on each line"),
        { "ignore", ARGS_UINT, &ignore, "N",
          "label of pixels that do not count; 256: all count (default 255)", 0, 256, NULL },
    };
    int code;

    if (!eval_flags_parse(self, argc, argv, own, sizeof own / sizeof own[0], &q.flags, &code))
        return code;
    if (!q.flags.model || !q.files.masks) {
        message_error(self->name, "expected MODEL, --images=DIR and --masks=DIR; `assay eval "
                                  "segmentation --help` shows how");
        return EXIT_USAGE;
    }
    q.files.images = q.flags.images;
    q.files.num_images = q.flags.num_images;
    q.files.ignore = ignore > 255 ? -1 : (int)ignore;
    return run(self, &q);
}
