/* assay eval coco: average precision of a detector, or of detections of a file. */
#include "conformance/tools/cli/commands.h"
#include "conformance/tools/cli/eval_flags.h"
#include "conformance/tools/eval/coco.h"
#include "conformance/util/output.h"

#include <stdlib.h>
#include <string.h>

struct request {
    struct eval_flags flags;
    struct coco_request coco;
    const char *detections, *reference_detections, *save, *proto_truth, *offset;
};

/* Nothing is run: both sides are files. */
static enum status compare_files(const struct request *q, struct coco *x, struct eval_report *r,
                                 struct diag *diag)
{
    TRY(eval_flags_check_drop(r, q->reference_detections != NULL, diag));
    TRY(coco_open(x, &q->coco, NULL, diag));
    TRY(coco_take_file(x, EVAL_SUBJECT, q->detections, diag));
    if (q->reference_detections)
        TRY(coco_take_file(x, EVAL_REFERENCE, q->reference_detections, diag));
    r->task = "coco";
    r->subject = q->detections;
    r->reference = q->reference_detections;
    r->seed = q->flags.common.seed;
    return coco_report(x, q->reference_detections != NULL, q->flags.resamples,
                       q->flags.common.quiet, r, diag);
}

static enum status save_detections(const struct coco *x, const char *path, struct diag *diag)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *const f = path ? open_memstream(&text, &bytes) : NULL;
    enum status s = STATUS_OK;

    if (!path)
        return STATUS_OK;
    if (f)
        coco_detections_print(f, &x->found[EVAL_SUBJECT], &x->truth);
    if (!f || fclose(f) != 0)
        s = diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
    else
        s = output_write_file(path, text, bytes, diag);
    free(text);
    return s;
}

static enum status run_model(struct request *q, struct eval_session *s, struct coco *x,
                             struct eval_report *r, struct diag *diag)
{
    struct eval_task task;

    TRY(eval_session_open(s, &q->flags, diag));
    TRY(coco_open(x, &q->coco, &s->model, diag));
    task = coco_task(x);
    TRY(eval_session_run(s, &q->flags, &task, &x->images, x->truth.sha256, r, diag));
    TRY(save_detections(x, q->save, diag));
    return coco_report(x, s->has_reference, q->flags.resamples, q->flags.common.quiet, r, diag);
}

static int run(const struct command *self, struct request *q)
{
    struct eval_session s = { .has_reference = false };
    struct coco x = { .model = NULL };
    struct eval_report r = { .rows = NULL };
    struct diag diag = { .status = STATUS_OK };
    enum status status = eval_flags_max_drop(&q->flags, &r, &diag);
    int code;

    if (status == STATUS_OK)
        status = q->detections ? compare_files(q, &x, &r, &diag) : run_model(q, &s, &x, &r, &diag);
    if (status != STATUS_OK)
        code = message_fail(self->name, &diag);
    else
        code = eval_flags_print(self, &q->flags, &r);
    eval_report_close(&r);
    coco_close(&x);
    eval_session_close(&s);
    return code;
}

static bool check(const struct command *self, struct request *q)
{
    char *end;

    q->coco.offset = 1;
    if (q->offset)
        q->coco.offset = strtol(q->offset, &end, 10);
    if (q->offset && (end == q->offset || *end || labs((long)q->coco.offset) > 100000)) {
        message_error(self->name, "--class-offset=%s: expected a whole number, such as 1 or 0",
                      q->offset);
        return false;
    }
    if (q->proto_truth) {
        message_error(self->name,
                      "--ground_truth_proto=%s: protocol buffers are not read; "
                      "--ground-truth=FILE takes the instances file that they are made from",
                      q->proto_truth);
        return false;
    }
    if (!q->coco.ground_truth || !q->detections == !q->flags.model) {
        message_error(self->name, "expected --ground-truth=FILE, and either MODEL with "
                                  "--images=DIR or --detections=FILE");
        return false;
    }
    if (q->reference_detections && !q->detections) {
        message_error(self->name, "--reference-detections needs --detections");
        return false;
    }
    if (q->detections && (q->flags.results || q->flags.resume || q->save)) {
        message_error(self->name,
                      "--results, --resume and --save-detections need a model: with --detections "
                      "nothing is run");
        return false;
    }
    return true;
}

int eval_coco_run(const struct command *self, int argc, char **argv)
{
    struct request q = { .flags = eval_flags_default(PREPROCESS_TFLITE, 0) };
    const struct args_flag own[] = {
        ARG("ground-truth", ARGS_STRING, &q.coco.ground_truth, "FILE",
            "COCO instances file: images, annotations, categories"),
        ARG("detections", ARGS_STRING, &q.detections, "FILE",
            "COCO results file, instead of a model"),
        ARG("reference-detections", ARGS_STRING, &q.reference_detections, "FILE",
            "results file that it is compared with"),
        ARG("save-detections", ARGS_STRING, &q.save, "FILE",
            "write the subject's detections as a results file"),
        ARG("labels", ARGS_STRING, &q.coco.labels, "FILE",
            "names of categories: class C of the model is line C + offset, from 0"),
        ARG("class-offset", ARGS_STRING, &q.offset, "N",
            "id of a category = class of the model + N, as class_offset of TFLite's tool (default "
            "1)"),
        ARG("model_output_labels", ARGS_STRING, &q.coco.labels, "FILE",
            "the same as --labels, as in TFLite's tool"),
        ARG("ground_truth_proto", ARGS_STRING, &q.proto_truth, "FILE",
            "refused: protocol buffers are not read; see --ground-truth"),
    };
    int code;

    if (!eval_flags_parse(self, argc, argv, own, sizeof own / sizeof own[0], &q.flags, &code))
        return code;
    if (!check(self, &q))
        return EXIT_USAGE;
    q.coco.images = q.flags.images;
    q.coco.num_images = q.flags.num_images;
    return run(self, &q);
}
