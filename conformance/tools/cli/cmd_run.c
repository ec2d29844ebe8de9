/* assay run: one inference on files or random data, by a delegate or by the scalar reference. */
#include "conformance/suite/io/random_ids.h"
#include "conformance/suite/io/tensor_io.h"
#include "conformance/suite/io/tensor_value.h"
#include "conformance/suite/judge/node_host.h"
#include "conformance/suite/subject/session.h"
#include "conformance/tools/bench/bench_series.h"
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/tools/cli/run_tokens.h"
#include "conformance/util/clock.h"
#include "conformance/util/json_text.h"
#include "conformance/util/output.h"
#include "reference/base/builtin.h"
#include "reference/base/clean.h"
#include "reference/base/memory.h"
#include "reference/kernels/op.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { TOP_MAX = 100 };

struct request {
    struct string_list inputs;
    const char *model, *labels, *output;
    uint64_t top, runs;
    double mean, std;
    struct run_tokens tokens;
    struct node_host host;
    struct args_common common;
};

struct result {
    struct session session;
    struct labels labels;
    double latency_ms; /* of the first inference, or step */
    double median_ms;  /* of the ones after it; 0: none */
};

/* ---- running ---- */

static enum status fill_inputs(struct result *r, const struct request *q, struct diag *diag)
{
    const struct pixel_scale scale = { q->mean, q->std };
    size_t count;
    const int *const inputs = interpreter_inputs(r->session.in, &count);

    if (q->inputs.count > count)
        return diag_fail(diag, STATUS_USAGE, "expected at most %zu inputs, found %zu", count,
                         q->inputs.count);
    for (size_t i = 0; i < count; i++) {
        TfLiteTensor *const t = interpreter_tensor(r->session.in, inputs[i]);

        if (i < q->inputs.count)
            TRY(diag_prefix(diag,
                            model_use_explain(&r->session.model, i,
                                              tensor_load(t, q->inputs.items[i], scale, diag),
                                              diag),
                            "input %zu", i));
        else
            TRY(random_fill(r->session.in, inputs[i], q->common.seed, i, diag));
    }
    return STATUS_OK;
}

static enum status invoke(struct result *r, double *ms, struct diag *diag)
{
    const double start = clock_ms();
    size_t count;
    const int *const outputs = interpreter_outputs(r->session.in, &count);

    TRY(interpreter_invoke(r->session.in, diag));
    for (size_t i = 0; i < count; i++)
        TRY(interpreter_make_readable(r->session.in, outputs[i], diag));
    *ms = clock_ms() - start;
    return STATUS_OK;
}

/* Repeats the inference from the same state, so that the outputs stay those of the first. */
static enum status repeat(struct result *r, uint64_t runs, struct diag *diag)
{
    const size_t count = (size_t)runs - 1;
    double *const ms = mem_alloc(count, sizeof *ms);
    enum status s = STATUS_OK;

    if (!ms)
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu runs: out of memory", count);
    for (size_t i = 0; i < count && s == STATUS_OK; i++) {
        s = interpreter_reset_state(r->session.in);
        if (s == STATUS_OK)
            s = invoke(r, &ms[i], diag);
    }
    bench_sort(ms, count);
    if (s == STATUS_OK)
        r->median_ms = bench_quantile(ms, count, 0.5);
    mem_free(ms);
    return s;
}

static enum status save_outputs(struct result *r, const char *path, struct diag *diag)
{
    size_t count;
    const int *const outputs = interpreter_outputs(r->session.in, &count);
    TfLiteTensor **tensors;
    enum status s;

    if (!path)
        return STATUS_OK;
    if (!(tensors = mem_alloc(count, sizeof(TfLiteTensor *))))
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu outputs", count);
    for (size_t i = 0; i < count; i++)
        tensors[i] = interpreter_tensor(r->session.in, outputs[i]);
    s = tensors_save(tensors, count, path, diag);
    mem_free(tensors);
    return s;
}

static enum status open_session(struct result *r, const struct request *q, struct diag *diag)
{
    TRY(session_open(&r->session, q->model, diag));
    r->session.stand_in = q->common.use.host ? &q->host.stand_in : NULL;
    TRY(session_subject(&r->session, q->common.delegate, &q->common.delegate_option, diag));
    return diag_prefix(diag, session_start(&r->session, diag), "%s", q->model);
}

static enum status run_all(struct result *r, struct request *q, struct diag *diag)
{
    enum status s;

    if (q->labels)
        TRY(labels_read(&r->labels, q->labels, diag));
    if (q->common.use.host)
        TRY(node_host_open(&q->host, q->common.use.host, 60, diag));
    if (q->tokens.text && !q->common.use.signature)
        q->common.use.signature = "decode";
    TRY(model_use_choose(&q->common.use, q->model, diag));
    s = open_session(r, q, diag);
    if (s != STATUS_OK && model_use_cut(&q->common.use, q->model, s, diag)) {
        session_close(&r->session);
        s = open_session(r, q, diag);
    }
    TRY(s);
    if (q->tokens.text) {
        q->tokens.inputs = &q->inputs;
        q->tokens.scale = (struct pixel_scale){ q->mean, q->std };
        q->tokens.seed = q->common.seed;
        s = run_tokens(&q->tokens, &r->session, diag);
        r->latency_ms = q->tokens.first_ms;
        return diag_prefix(diag, s, "%s", q->model);
    }
    TRY(fill_inputs(r, q, diag));
    s = random_explain(r->session.in, q->inputs.count, "give --input=FILE",
                       invoke(r, &r->latency_ms, diag), diag);
    TRY(diag_prefix(diag, s, "%s", q->model));
    if (q->runs > 1)
        TRY(diag_prefix(diag, repeat(r, q->runs, diag), "%s", q->model));
    return save_outputs(r, q->output, diag);
}

/* ---- text ---- */

static void print_line(FILE *f, const char *before, const char *text)
{
    fputs(before, f);
    clean_print(f, text);
    fputc('\n', f);
}

/* The file of input i, a tensor; NULL: it has none. */
static const char *file_of(const struct request *q, size_t i, int tensor)
{
    if (!q->tokens.text)
        return i < q->inputs.count ? q->inputs.items[i] : NULL;
    for (size_t k = 0; k < q->tokens.other_count && k < q->inputs.count; k++) {
        if (q->tokens.others[k] == tensor)
            return q->inputs.items[k];
    }
    return NULL;
}

static void print_tensor(FILE *f, const char *what, size_t i, const TfLiteTensor *t)
{
    char shape[128];

    array_shape_text(shape, sizeof shape, (size_t)ref_rank(t), t->dims->data);
    fprintf(f, "%-8s %zu  ", what, i);
    clean_print(f, t->name);
    fprintf(f, "  %s %s", runtime_type_name(t->type), shape);
    if (tensor_has_scale(t))
        fprintf(f, "  scale %g zero point %d", (double)t->params.scale, (int)t->params.zero_point);
}

static void print_top(FILE *f, const struct result *r, const TfLiteTensor *t, size_t top)
{
    size_t indices[TOP_MAX];
    const size_t count = tensor_top(t, top, indices);

    for (size_t i = 0; i < count; i++) {
        const char *const label = labels_find(&r->labels, indices[i]);

        fprintf(f, "%12zu  %-12.6g class %zu%s", i + 1, tensor_real(t, indices[i]), indices[i],
                label ? "  " : "");
        clean_print(f, label);
        fputc('\n', f);
    }
}

static void print_summary(FILE *f, const TfLiteTensor *t)
{
    const size_t count = ref_elements(t);
    double low = INFINITY, high = -INFINITY, sum = 0, squares = 0;
    size_t numbers = 0;

    for (size_t i = 0; i < count; i++) {
        const double x = tensor_real(t, i);

        if (isnan(x))
            continue;
        low = x < low ? x : low;
        high = x > high ? x : high;
        sum += x;
        squares += x * x;
        numbers++;
    }
    if (numbers == 0) {
        fprintf(f, "          no numbers\n");
        return;
    }
    fprintf(f, "          min %g  max %g  mean %g  rms %g", low, high, sum / (double)numbers,
            sqrt(squares / (double)numbers));
    if (numbers != count)
        fprintf(f, "  nan %zu of %zu", count - numbers, count);
    fprintf(f, "\n");
}

static void print_input(FILE *f, const struct result *r, const struct request *q, size_t i,
                        int tensor)
{
    const char *const file = file_of(q, i, tensor);

    print_tensor(f, "input", i, interpreter_tensor(r->session.in, tensor));
    if (file)
        print_line(f, "  from ", file);
    else
        fprintf(f, "  random, seed %" PRIu64 "\n", q->common.seed);
}

static void print_text(FILE *f, struct result *r, const struct request *q)
{
    struct interpreter *const in = r->session.in;
    char device[ASSAY_GPU_NAME_BYTES];
    size_t count;
    const int *tensors = interpreter_inputs(in, &count);

    session_device(&r->session, device, sizeof device);
    print_line(f, "model       ", q->model);
    fprintf(f, "run by      ");
    clean_print(f, r->session.subject.label);
    fputs(device[0] ? " on " : "", f);
    clean_print(f, device);
    fputc('\n', f);
    fprintf(f, "taken       %zu of %zu nodes, %d partition%s\n", session_taken(&r->session),
            interpreter_node_count(in), interpreter_partition_count(in),
            interpreter_partition_count(in) == 1 ? "" : "s");
    model_use_print(f, &q->common.use, &r->session.model, in, 12);
    if (q->tokens.text) {
        for (size_t i = 0; i < q->tokens.other_count; i++)
            print_input(f, r, q, i, q->tokens.others[i]);
        run_tokens_print(f, &q->tokens);
        return;
    }
    for (size_t i = 0; i < count; i++)
        print_input(f, r, q, i, tensors[i]);
    tensors = interpreter_outputs(in, &count);
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(in, tensors[i]);

        print_tensor(f, "output", i, t);
        fprintf(f, "\n");
        if (tensor_is_scores(t))
            print_top(f, r, t, q->top);
        else
            print_summary(f, t);
    }
    fprintf(f, "latency     %.3f ms (first inference)\n", r->latency_ms);
    if (q->runs > 1)
        fprintf(f, "            %.3f ms (median of %" PRIu64 " more)\n", r->median_ms, q->runs - 1);
}

/* ---- JSON ---- */

static json_t *json_tensor(const TfLiteTensor *t)
{
    json_t *const o = json_object();

    json_object_set_new(o, "name", json_text(t->name ? t->name : ""));
    json_object_set_new(o, "type", json_string(runtime_type_name(t->type)));
    json_object_set_new(o, "shape", json_ints(t->dims->data, (size_t)ref_rank(t)));
    if (tensor_has_scale(t)) {
        json_object_set_new(o, "scale", json_real((double)t->params.scale));
        json_object_set_new(o, "zero_point", json_integer(t->params.zero_point));
    }
    return o;
}

static json_t *json_top(const struct result *r, const TfLiteTensor *t, size_t top)
{
    size_t indices[TOP_MAX];
    const size_t count = tensor_is_scores(t) ? tensor_top(t, top, indices) : 0;
    json_t *const list = json_array();

    for (size_t i = 0; i < count; i++) {
        const double x = tensor_real(t, indices[i]);
        json_t *const o = json_object();

        json_object_set_new(o, "index", json_integer((json_int_t)indices[i]));
        json_object_set_new(o, "label", json_text(labels_find(&r->labels, indices[i])));
        json_object_set_new(o, "value", json_number(x));
        json_array_append_new(list, o);
    }
    return list;
}

static void print_json(FILE *f, struct result *r, const struct request *q)
{
    struct interpreter *const in = r->session.in;
    json_t *const report = json_object(), *const inputs = json_array(),
                  *const outputs = json_array();
    size_t count;
    const int *tensors = interpreter_inputs(in, &count);

    for (size_t i = 0; i < count; i++) {
        json_t *const o = json_tensor(interpreter_tensor(in, tensors[i]));

        json_object_set_new(o, "from", json_text(file_of(q, i, tensors[i])));
        json_array_append_new(inputs, o);
    }
    tensors = interpreter_outputs(in, &count);
    for (size_t i = 0; i < count; i++) {
        const TfLiteTensor *const t = interpreter_tensor(in, tensors[i]);
        json_t *const o = json_tensor(t);

        json_object_set_new(o, "top", json_top(r, t, q->top));
        json_array_append_new(outputs, o);
    }
    json_object_set_new(report, "model", json_text(q->model));
    json_object_set_new(report, "subject", session_json(&r->session));
    json_object_set_new(report, "seed", json_integer((json_int_t)q->common.seed));
    json_object_set_new(report, "nodes", json_integer((json_int_t)interpreter_node_count(in)));
    json_object_set_new(report, "taken", json_integer((json_int_t)session_taken(&r->session)));
    json_object_set_new(report, "partitions", json_integer(interpreter_partition_count(in)));
    model_use_json(report, &q->common.use, &r->session.model, in);
    if (q->tokens.text)
        json_object_set_new(report, "tokens", run_tokens_json(&q->tokens));
    json_object_set_new(report, "inputs", inputs);
    json_object_set_new(report, "outputs", outputs);
    json_object_set_new(report, "latency_ms", json_real(r->latency_ms));
    if (q->runs > 1) {
        json_object_set_new(report, "runs", json_integer((json_int_t)q->runs));
        json_object_set_new(report, "median_ms", json_real(r->median_ms));
    }
    json_dumpf(report, f, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', f);
    json_decref(report);
}

/* ---- the command ---- */

static int print_result(struct result *r, const struct request *q)
{
    struct output out;

    if (!output_open(&out)) {
        message_error("run", "out of memory");
        return EXIT_FAILED;
    }
    if (q->common.format == FORMAT_JSON)
        print_json(out.file, r, q);
    else
        print_text(out.file, r, q);
    out.fold = q->common.format == FORMAT_TEXT;
    return output_close(&out, q->common.out, false);
}

/* A flag that the other kind of run does not look at would be dropped without a word. */
static bool check_flags(const struct request *q)
{
    const struct {
        const char *name;
        bool given, of_tokens;
    } flags[] = {
        { "labels", q->labels, false },         { "output", q->output, false },
        { "top", q->top > 0, false },           { "runs", q->runs > 0, false },
        { "steps", q->tokens.steps > 0, true }, { "window", q->tokens.window > 0, true },
    };

    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (!flags[i].given || flags[i].of_tokens == (q->tokens.text != NULL))
            continue;
        message_error("run", "--%s: expected only %s --tokens", flags[i].name,
                      flags[i].of_tokens ? "with" : "without");
        return false;
    }
    return true;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct request q = { .mean = NAN, .std = NAN };
    const struct args_flag flags[] = {
        ARG("input", ARGS_LIST, &q.inputs, "FILE",
            "next input: image (BMP, JPEG, PNG), .npy, FILE.h5:DATASET[i] or raw bytes; "
            "repeatable; "
            "with --tokens those that are no tokens, masks or caches"),
        ARG("labels", ARGS_STRING, &q.labels, "FILE", "names of the classes, one on each line"),
        ARG("output", ARGS_STRING, &q.output, "FILE",
            "write the outputs there: .npy, .h5, otherwise raw bytes"),
        { "top", ARGS_UINT, &q.top, "K", "number of classes to show (default 5)", 1, TOP_MAX,
          NULL },
        { "runs", ARGS_UINT, &q.runs, "N",
          "number of inferences; shows the median of all but the first (default 1)", 1, 1e6, NULL },
        ARG("tokens", ARGS_STRING, &q.tokens.text, "N,...",
            "give these tokens to a language model, one a step (--signature=decode), and go on by "
            "the likeliest"),
        { "steps", ARGS_UINT, &q.tokens.steps, "N", "tokens to generate (default 16)", 1, 1e6,
          NULL },
        { "window", ARGS_UINT, &q.tokens.window, "N",
          "tokens that a layer with the input mask_local sees (default: all)", 1, 1e6, NULL },
        { "mean", ARGS_DOUBLE, &q.mean, "X", "mean of pixels, for float inputs (default 127.5)",
          -1e6, 1e6, NULL },
        { "std", ARGS_DOUBLE, &q.std, "X",
          "divisor of pixels: float input = (pixel - mean) / std (default 127.5)", 1e-6, 1e6,
          NULL },
    };
    struct result r = { .latency_ms = 0 };
    struct diag diag = { .status = STATUS_OK };
    struct args args;
    int code;

    if (!args_parse(self, argc, argv, flags, sizeof flags / sizeof flags[0],
                    ARGS_MODEL | ARGS_USE | ARGS_HOST | ARGS_DELEGATE | ARGS_FORMAT | ARGS_SEED,
                    &q.common, &args, 1, 1, &code))
        return code;
    if (!check_flags(&q))
        return EXIT_USAGE;
    q.model = args.items[0];
    q.top = q.top ? q.top : 5;
    q.runs = q.runs ? q.runs : 1;
    q.mean = isnan(q.mean) ? 127.5 : q.mean;
    q.std = isnan(q.std) ? 127.5 : q.std;
    q.tokens.steps = q.tokens.steps ? q.tokens.steps : 16;
    if (run_all(&r, &q, &diag) != STATUS_OK)
        code = message_fail(self->name, &diag);
    else
        code = print_result(&r, &q);
    if (code == EXIT_AS_EXPECTED && q.common.use.left_count > 0)
        code = EXIT_FAILED;
    session_close(&r.session);
    node_host_close(&q.host);
    run_tokens_close(&q.tokens);
    labels_close(&r.labels);
    model_use_close(&q.common.use);
    return code;
}

const struct command command_run = {
    .name = "run",
    .summary = "run a model once, on images, arrays or random data",
    .synopsis = "MODEL [--input=FILE]... [FLAG]...",
    .description =
        "Runs one inference and prints the outputs: the best classes where an output looks like "
        "scores, otherwise minimum, maximum, mean and rms.  Inputs that no --input names are "
        "random, from --seed.\n\n"
        "An image is resized bilinearly to the input's size, with half-pixel centres and no crop.  "
        "An input in u8 takes its pixels, one in i8 the pixels minus 128, one in f32 "
        "(pixel - mean) / std.  Raw bytes are those of the tensor, little-endian.\n\n"
        "Of a model with nodes that the reference does not know the others are run, and exit code "
        "1 "
        "says so; --host names who runs these.",
    .examples = "  assay run digits_f32.tflite --input=3.png\n"
                "  assay run digits_f32.tflite --input='digits.h5:images[7]' --delegate=none\n"
                "  assay run classifier.tflite --input=cat.jpg --labels=labels.txt --top=3\n"
                "  assay run model.tflite --delegate-option=precision=fp16 --output=out.npy\n"
                "  assay run model.tflite --input-shape=image:1,480,640,3 --input=room.jpg\n"
                "  assay run decoder.tflite --tokens=3,14,15 --steps=64\n"
                "  assay run whisper.tflite --signature=encode --input=mel.npy --output=sound.npy\n"
                "  assay run whisper.tflite --tokens=1 --signature=decode --input=sound.npy\n"
                "  assay run model.tflite --limit=activation_bytes=8G\n"
                "  assay run <(zcat model.tflite.gz)\n"
                "  assay run model.tflite --delegate=./libother.so --format=json\n",
    .suffix = ".tflite",
    .run = run,
};
