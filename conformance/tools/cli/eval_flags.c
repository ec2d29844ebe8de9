#include "conformance/tools/cli/eval_flags.h"

#include "conformance/suite/subject/subject_find.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/util/output.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct eval_flags eval_flags_default(enum preprocess_way way, double crop)
{
    return (struct eval_flags){ .resamples = 1000,
                                .timeout_s = 300,
                                .preprocess = { way, crop, { 127.5, 127.5 } } };
}

bool eval_flags_parse(const struct command *self, int argc, char **argv,
                      const struct args_flag *own, size_t own_count, struct eval_flags *f,
                      int *code)
{
    static const char *const ways[] = { "tflite", "whole", NULL };
    const struct args_flag all[] = {
        ARG("images", ARGS_STRING, &f->images, "DIR", "folder of the images"),
        ARG("subject", ARGS_STRING, &f->subject.subject, "SPEC",
            "who runs the model: KIND:LIBRARY?KEY=VALUE&..., as in `assay conformance`"),
        ARG("reference", ARGS_STRING, &f->reference, "SPEC",
            "who it is compared with, or none (default: the scalar reference)"),
        ARG("max-drop", ARGS_STRING, &f->max_drop, "PERCENT",
            "exit code 1 where the first metric is lower than the reference's by more than so many "
            "percentage points"),
        ARG("results", ARGS_STRING, &f->results, "FILE",
            "write a row for each image: CSV where the name ends in .csv, else JSON"),
        ARG("resume", ARGS_STRING, &f->resume, "FILE",
            "keep answers in this file, and go on from those that it holds"),
        { "timeout", ARGS_DOUBLE, &f->timeout_s, "SECONDS",
          "longest time of an image, both sides (default 300)", 0.1, 1e6, NULL },
        { "resamples", ARGS_UINT, &f->resamples, "N",
          "resamples of bootstrap intervals; 0: none (default 1000)", 0, 1e6, NULL },
        { "preprocess", ARGS_CHOICE, &f->preprocess.way, "WAY",
          "how images are resized: as TFLite's evaluation tools, or whole as `assay run`", 0, 0,
          ways },
        { "crop", ARGS_DOUBLE, &f->preprocess.crop, "SHARE",
          "side of the central square, of the shorter side; 0: no crop", 0, 1, NULL },
        { "mean", ARGS_DOUBLE, &f->preprocess.scale.mean, "X",
          "mean of pixels, for float inputs (default 127.5)", -1e6, 1e6, NULL },
        { "std", ARGS_DOUBLE, &f->preprocess.scale.std, "X",
          "divisor of pixels: float input = (pixel - mean) / std (default 127.5)", 1e-6, 1e6,
          NULL },
        { "num_images", ARGS_UINT, &f->num_images, "N",
          "the first N images; 0: all (default 0), as in TFLite's tool", 0, 1e9, NULL },
        ARG("model_file", ARGS_STRING, &f->model, "FILE", "the model, as in TFLite's tool"),
        ARG("ground_truth_images_path", ARGS_STRING, &f->images, "DIR", "the same as --images"),
        ARG("external_delegate_path", ARGS_STRING, &f->subject.external_path, "PATH",
            "the same as --delegate"),
        ARG("external_delegate_options", ARGS_STRING, &f->subject.external_options, "TEXT",
            "options of the delegate: KEY:VALUE;KEY:VALUE"),
        { "num_interpreter_threads", ARGS_UINT, &f->threads, "N",
          "accepted, as in TFLite's tool: the scalar reference has one thread; see --jobs", 1, 1024,
          NULL },
        ARG("output_file_path", ARGS_STRING, &f->proto, "FILE",
            "refused: protocol buffers are not written; see --format=json and --out"),
    };

    enum { ALL = sizeof all / sizeof all[0], OWN_MAX = 16 };
    struct args_flag flags[OWN_MAX + ALL];
    struct args args;

    assert(own_count <= OWN_MAX);
    memcpy(flags, own, own_count * sizeof *own);
    memcpy(flags + own_count, all, sizeof all);
    if (!args_parse(self, argc, argv, flags, own_count + ALL,
                    ARGS_MODEL | ARGS_USE | ARGS_DELEGATE | ARGS_FORMAT | ARGS_SEED | ARGS_JOBS |
                        ARGS_QUIET,
                    &f->common, &args, 0, 1, code))
        return false;
    *code = EXIT_USAGE;
    if (f->proto) {
        message_error(self->name,
                      "--output_file_path=%s: protocol buffers are not written; see --format=json "
                      "and --out",
                      f->proto);
        return false;
    }
    if (args.count == 1 && f->model) {
        message_error(self->name, "expected one model, found %s and %s", args.items[0], f->model);
        return false;
    }
    if (args.count == 1)
        f->model = args.items[0];
    return true;
}

enum status eval_flags_max_drop(const struct eval_flags *f, struct eval_report *r,
                                struct diag *diag)
{
    char *end;
    double value;

    r->max_drop = NAN;
    if (!f->max_drop)
        return STATUS_OK;
    value = strtod(f->max_drop, &end);
    if (end == f->max_drop || (strcmp(end, "%") != 0 && *end) || !(value >= 0 && value <= 100))
        return diag_fail(diag, STATUS_USAGE,
                         "--max-drop=%s: expected percentage points such as 0.5%%, from 0%% to "
                         "100%%",
                         f->max_drop);
    r->max_drop = value / 100;
    return STATUS_OK;
}

/* ---- the run ---- */

static void describe_preprocessing(struct eval_session *s, const struct preprocess *p)
{
    char crop[64] = "no crop";
    char shape[64];

    if (p->crop > 0)
        snprintf(crop, sizeof crop, "central square of %g", p->crop);
    snprintf(shape, sizeof shape, "%ux%ux%u", s->model.input.height, s->model.input.width,
             s->model.input.channels);
    if (s->model.input.type == kTfLiteUInt8 || s->model.input.type == kTfLiteInt8)
        snprintf(s->preprocessing, sizeof s->preprocessing, "%s, %s, %s, pixels%s",
                 p->way == PREPROCESS_TFLITE ? "tflite" : "whole", crop, shape,
                 s->model.input.type == kTfLiteInt8 ? " less 128" : "");
    else
        snprintf(s->preprocessing, sizeof s->preprocessing, "%s, %s, %s, (pixel - %g) / %g",
                 p->way == PREPROCESS_TFLITE ? "tflite" : "whole", crop, shape, p->scale.mean,
                 p->scale.std);
}

/* The scalar reference beside itself would show nothing. */
static enum status open_reference(struct eval_session *s, const struct eval_flags *f,
                                  struct diag *diag)
{
    const bool itself = !f->reference && !s->subject.path && !s->subject.plugin && !s->subject.what;

    s->has_reference = !itself && (!f->reference || strcmp(f->reference, "none") != 0);
    if (!s->has_reference)
        return STATUS_OK;
    return f->reference
               ? diag_prefix(diag, subject_parse(&s->reference, f->reference, diag), "--reference")
               : subject_init(&s->reference, "none", NULL, diag);
}

enum status eval_session_open(struct eval_session *s, struct eval_flags *f, struct diag *diag)
{
    enum status status;

    *s = (struct eval_session){ .use = &f->common.use };
    if (!f->images)
        return diag_fail(diag, STATUS_USAGE, "no images; --images=DIR names their folder");
    status = subject_flags_open(&f->subject, &f->common, &s->subject, diag);
    if (status == STATUS_OK)
        status = open_reference(s, f, diag);
    if (status == STATUS_OK && f->model)
        status = model_use_choose(s->use, f->model, diag);
    if (status == STATUS_OK)
        status = eval_model_open(&s->model, f->model, diag);
    if (status == STATUS_OK)
        describe_preprocessing(s, &f->preprocess);
    else
        eval_session_close(s);
    return status;
}

void eval_session_close(struct eval_session *s)
{
    eval_model_close(&s->model);
    subject_close(&s->subject);
    subject_close(&s->reference);
    if (s->use)
        model_use_close(s->use);
}

enum status eval_flags_check_drop(const struct eval_report *r, bool has_reference,
                                  struct diag *diag)
{
    return isnan(r->max_drop) || has_reference
               ? STATUS_OK
               : diag_fail(diag, STATUS_USAGE,
                           "--max-drop=%g%%: there is no reference to compare with",
                           100 * r->max_drop);
}

enum status eval_session_run(struct eval_session *s, const struct eval_flags *f,
                             const struct eval_task *task, struct eval_images *images,
                             const char *truth_sha256, struct eval_report *r, struct diag *diag)
{
    const struct eval_request request = { .model = &s->model,
                                          .subject = &s->subject,
                                          .reference = s->has_reference ? &s->reference : NULL,
                                          .preprocess = f->preprocess,
                                          .jobs = f->common.jobs,
                                          .timeout_s = f->timeout_s,
                                          .resume = f->resume,
                                          .truth_sha256 = truth_sha256,
                                          .quiet = f->common.quiet };

    TRY(eval_flags_check_drop(r, s->has_reference, diag));
    r->task = task->name;
    r->model = &s->model;
    r->model_name = f->model;
    r->signature = f->common.use.signature;
    r->subject = s->subject.label;
    r->reference = s->has_reference ? s->reference.label : NULL;
    r->preprocessing = s->preprocessing;
    r->images = images;
    r->seed = f->common.seed;
    return eval_run(&request, task, images, &r->outcome, diag);
}

int eval_flags_print(const struct command *self, const struct eval_flags *f,
                     const struct eval_report *r)
{
    struct diag diag = { .status = STATUS_OK };
    struct output out;
    int code;

    if (!output_open(&out)) {
        message_error(self->name, "out of memory");
        return EXIT_FAILED;
    }
    if (f->common.format == FORMAT_JSON)
        eval_report_json(out.file, r);
    else
        eval_report_text(out.file, r);
    out.plain = f->common.format == FORMAT_TEXT;
    code = output_close(&out, f->common.out, false);
    if (code == EXIT_AS_EXPECTED && f->results &&
        eval_report_rows(r, f->results, &diag) != STATUS_OK)
        code = message_fail(self->name, &diag);
    if (r->outcome.signal)
        message_error(self->name, "interrupted by %s: %zu images are missing%s%s",
                      r->outcome.signal, r->outcome.missing,
                      f->resume ? "; the same command goes on from "
                                : "; --resume=FILE would keep "
                                  "what was found",
                      f->resume ? f->resume : "");
    return code == EXIT_AS_EXPECTED && eval_report_failed(r) ? EXIT_FAILED : code;
}
