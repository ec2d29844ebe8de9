/* assay eval llm: a language model over a text, token by token. */
#include "conformance/tools/cli/commands.h"
#include "conformance/tools/cli/eval_flags.h"
#include "conformance/tools/diff/tokens.h"
#include "conformance/tools/eval/eval_log.h"
#include "conformance/util/interrupt.h"
#include "conformance/util/output.h"
#include "conformance/util/sha256.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct request {
    struct diff_request diff;
    struct eval_flags eval; /* of it: subject, max_drop, resume and the common flags */
    const char *tokens;
    uint64_t window;
    bool no_nodes;
};

/* What a log is of: what rows depend on. */
static enum status make_key(const struct request *q, const struct tokens *t, json_t **key,
                            struct diag *diag)
{
    const struct subject *const subject = t->diff.subject;
    char model[SHA256_HEX_BYTES], text[SHA256_HEX_BYTES], floats[BOUNDS_TEXT_BYTES],
        quantized[BOUNDS_TEXT_BYTES];

    sha256_hex(t->diff.file.bytes, t->diff.file.count, model);
    sha256_hex(t->ids, t->id_count * sizeof *t->ids, text);
    *key = json_object();
    json_object_set_new(*key, "assay_eval", json_string("llm"));
    json_object_set_new(*key, "version", json_string(ASSAY_VERSION));
    json_object_set_new(*key, "model", json_string(model));
    json_object_set_new(*key, "subject", eval_log_subject(subject));
    json_object_set_new(*key, "bounds",
                        json_sprintf("%s, %s", bounds_text(subject->bounds, floats),
                                     bounds_text(subject->quantized, quantized)));
    json_object_set_new(*key, "tokens", json_string(text));
    json_object_set_new(*key, "window", json_sprintf("%" PRIu64, q->window));
    json_object_set_new(*key, "seed", json_sprintf("%" PRIu64, q->diff.seed));
    return *key ? STATUS_OK : diag_fail(diag, STATUS_NO_MEMORY, "log: out of memory");
}

static enum status take_line(void *user, const json_t *line, struct diag *diag)
{
    return tokens_take_json(user, line, diag);
}

static enum status add_row(void *user, size_t position, const struct token_row *row,
                           struct diag *diag)
{
    json_t *const line = token_row_json(position, row, true);
    const enum status s = eval_log_add(user, line, diag);

    json_decref(line);
    return s;
}

static enum status run_steps(const struct request *q, struct tokens *t, struct diag *diag)
{
    struct eval_log log = { .file = NULL };
    json_t *key = NULL;
    enum status s = STATUS_OK;

    if (q->eval.resume) {
        TRY(make_key(q, t, &key, diag));
        s = eval_log_open(&log, q->eval.resume, key, take_line, t, diag);
        json_decref(key);
    }
    if (s == STATUS_OK) {
        interrupt_begin();
        s = tokens_run(t, log.file ? add_row : NULL, &log, diag);
        tokens_conclude(t);
        interrupt_end();
    }
    eval_log_close(&log);
    return s;
}

static enum status evaluate(struct request *q, struct subject *subject, struct tokens *t,
                            struct diag *diag)
{
    struct model_use *const use = &q->eval.common.use;

    if (!use->signature)
        use->signature = "decode";
    TRY(subject_flags_open(&q->eval.subject, &q->eval.common, subject, diag));
    TRY(tokens_read(t, q->tokens, diag));
    TRY(model_use_choose(use, q->diff.path, diag));
    q->diff.use = use;
    TRY(tokens_open(t, &q->diff, subject, (int32_t)q->window, diag));
    return run_steps(q, t, diag);
}

static int print(const struct request *q, const struct tokens *t, double max_drop)
{
    struct output out;

    if (!output_open(&out)) {
        message_error("eval llm", "out of memory");
        return EXIT_FAILED;
    }
    if (q->eval.common.format == FORMAT_JSON)
        tokens_print_json(out.file, t, max_drop);
    else
        tokens_print_text(out.file, t, max_drop);
    out.fold = q->eval.common.format == FORMAT_TEXT;
    return output_close(&out, q->eval.common.out, false);
}

static int run(struct request *q)
{
    struct subject subject = { .path = NULL };
    struct eval_report report = { .max_drop = NAN };
    struct tokens t = { .ids = NULL };
    struct diag diag = { .status = STATUS_OK };
    enum status s = eval_flags_max_drop(&q->eval, &report, &diag);
    int code;

    if (s == STATUS_OK)
        s = evaluate(q, &subject, &t, &diag);
    if (s != STATUS_OK) {
        message_progress_end();
        code = message_fail("eval llm", &diag);
    } else {
        code = print(q, &t, report.max_drop);
        if (code == EXIT_AS_EXPECTED && !tokens_passed(&t, report.max_drop))
            code = EXIT_FAILED;
    }
    tokens_close(&t);
    subject_close(&subject);
    model_use_close(&q->eval.common.use);
    return code;
}

int eval_llm_run(const struct command *self, int argc, char **argv)
{
    struct request q = { .diff = { .runs = 1, .repeats = 1, .timeout_s = 300, .per_node = true } };
    const struct args_flag flags[] = {
        ARG("tokens", ARGS_STRING, &q.tokens, "FILE",
            "the text: token numbers, separated by spaces, lines or commas, or .npy of i32 or i64"),
        { "window", ARGS_UINT, &q.window, "N",
          "tokens that a layer with the input mask_local sees (default: all)", 1, 1e6, NULL },
        ARG("subject", ARGS_STRING, &q.eval.subject.subject, "SPEC",
            "who runs the model: KIND:LIBRARY?KEY=VALUE&..., as in `assay conformance`"),
        ARG("bounds", ARGS_STRING, &q.eval.subject.bounds, "CLASSES",
            "classes of bounds of results, as in conformance (default: by the subject's options)"),
        ARG("max-drop", ARGS_STRING, &q.eval.max_drop, "PERCENT",
            "exit code 1 where more than so many percent of the positions have another best token "
            "than the reference"),
        ARG("resume", ARGS_STRING, &q.eval.resume, "FILE",
            "keep rows in this file, and go on from those that it holds"),
        ARG("no-nodes", ARGS_BOOL, &q.no_nodes, NULL,
            "at the first position out of bounds do not judge each node by itself"),
        { "timeout", ARGS_DOUBLE, &q.diff.timeout_s, "SECONDS",
          "longest time of one step of the subject (default 300)", 0.1, 1e6, NULL },
    };
    struct args args;
    int code;

    if (!args_parse(self, argc, argv, flags, sizeof flags / sizeof flags[0],
                    ARGS_MODEL | ARGS_USE | ARGS_DELEGATE | ARGS_FORMAT | ARGS_SEED | ARGS_QUIET,
                    &q.eval.common, &args, 0, 1, &code))
        return code;
    if (args.count != 1 || !q.tokens) {
        message_error(self->name,
                      "expected MODEL and --tokens=FILE; `assay eval llm --help` shows how");
        return EXIT_USAGE;
    }
    q.diff.path = args.items[0];
    q.diff.seed = q.eval.common.seed;
    q.diff.quiet = q.eval.common.quiet;
    q.diff.per_node = !q.no_nodes;
    return run(&q);
}
