/* From failure to cause: a delegate that computes one node of 60 wrongly is found out, node and
 * element, and what fails is cut out and made small. */
/* Needs: mock/delegate.so mock/gpu.so */
/* Needs: assay */
#include "conformance/suite/shrink/shrunk_forms.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tools/diff/diff_print.h"
#include "conformance/tools/diff/part.h"
#include "conformance/util/interrupt.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"
#include "reference/tests/kit/text_kit.h"

#include "reference/format/read.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 20, NODES = 3 * BLOCKS, CHANNELS = 6 };

/* ---- the model: blocks of CONV_2D, RELU and ADD of what came before ---- */

static float weight(uint64_t *state)
{
    return 0.4f * kit_float(state);
}

static void build_model(struct model *m)
{
    static const int32_t dims[] = { 1, 3, 3, CHANNELS };
    struct builder b;
    struct options conv, add;
    uint64_t state = 7;
    int x, first;

    options_init(&conv, OPTIONS_Conv2DOptions);
    options_set_int(&conv, "stride_w", 1);
    options_set_int(&conv, "stride_h", 1);
    options_init(&add, OPTIONS_AddOptions);
    builder_init(&b);
    first = x = builder_tensor(&b, TENSOR_FLOAT32, "x", 4, dims);
    for (int i = 0; i < BLOCKS; i++) {
        float w[CHANNELS * CHANNELS], bias[CHANNELS];
        char name[3][16];
        int made[3], in[3];

        for (int k = 0; k < CHANNELS * CHANNELS; k++)
            w[k] = weight(&state);
        for (int k = 0; k < CHANNELS; k++)
            bias[k] = weight(&state);
        for (int k = 0; k < 3; k++) {
            snprintf(name[k], sizeof name[k], "n%d", 3 * i + k);
            made[k] = builder_tensor(&b, TENSOR_FLOAT32, name[k], 4, dims);
        }
        in[0] = x;
        in[1] = builder_constant(&b, TENSOR_FLOAT32, "w", 4,
                                 (int32_t[]){ CHANNELS, 1, 1, CHANNELS }, w, sizeof w);
        in[2] = builder_constant(&b, TENSOR_FLOAT32, "b", 1, (int32_t[]){ CHANNELS }, bias,
                                 sizeof bias);
        builder_op(&b, BUILTIN_CONV_2D, 1, &conv, 3, in, 1, &made[0]);
        builder_op(&b, BUILTIN_RELU, 1, NULL, 1, &made[0], 1, &made[1]);
        builder_op(&b, BUILTIN_ADD, 1, &add, 2, (int[]){ made[1], x }, 1, &made[2]);
        x = made[2];
    }
    builder_inputs(&b, 1, &first);
    builder_outputs(&b, 1, &x);
    KIT_OK(builder_finish(&b, m, &err));
}

static char model_path[300], cut_path[300];

FIXTURE(set_up)
{
    struct model m CLOSED_BY(model_close);

    snprintf(model_path, sizeof model_path, "%s", scratch("m.tflite"));
    snprintf(cut_path, sizeof cut_path, "%s", scratch("cut.tflite"));
    build_model(&m);
    kit_save(&m, model_path);
    return 0;
}

/* ---- running ---- */

static struct subject open_mock(const char *fault, const char *tensor)
{
    char options[2][64];
    const char *items[] = { options[0], options[1] };
    struct subject s;

    default_signals();
    snprintf(options[0], sizeof options[0], "fault=%s", fault);
    snprintf(options[1], sizeof options[1], "tensor=%s", tensor);
    KIT_OK(subject_init(&s, mock_path("delegate.so"), &(struct string_list){ items, 2 }, &err));
    return s;
}

static struct diff_request request_of(const char *path)
{
    return (struct diff_request){ .path = path,
                                  .scale = { 127.5, 127.5 },
                                  .seed = 1,
                                  .runs = 2,
                                  .repeats = 1,
                                  .timeout_s = 60,
                                  .quiet = true };
}

static struct diff_request with(const struct diff_request *settings)
{
    struct diff_request q = request_of(model_path);

    q.per_node = settings->per_node;
    q.steps = settings->steps;
    if (settings->timeout_s > 0)
        q.timeout_s = settings->timeout_s;
    return q;
}

static void run_diff(struct diff *d, const struct diff_request *q, struct subject *s)
{
    KIT_OK(diff_open(d, q, s, &err));
    KIT_OK(diff_run(d, &err));
    KIT_OK(cause_find(d, &err));
}

/* A diff of the model on a mock, with these settings of the request. */
#define DIFF(d, s, fault, tensor, ...)                                                             \
    struct subject s CLOSED_BY(subject_close) = open_mock(fault, tensor);                          \
    struct diff d CLOSED_BY(diff_close);                                                           \
    const struct diff_request d##_request = with(&(struct diff_request){ __VA_ARGS__ });           \
    run_diff(&d, &d##_request, &s)

static char *print_text(const struct diff *d)
{
    char *text;
    FILE *const f = kit_memory_file(&text);

    diff_print_text(f, d);
    fclose(f);
    return text;
}

static void expect_text(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in:\n%s", part, text);
}

/* ---- tests ---- */

TEST(test_honest_passes)
{
    DIFF(d, s, "none", "n37", .per_node = true);

    assert_false(diff_failed(&d));
    assert_int_equal(d.taken, NODES);
    assert_int_equal(d.runs, 2);
    assert_int_equal(d.per_node_count, NODES);
    for (int n = 0; n < NODES; n++)
        assert_true(d.per_node[n].judged && d.per_node[n].result.status == CASE_PASS);
    assert_int_equal(d.culprit.first, -1);
}

/* Runs what --cut wrote, with and without the fault. */
static void expect_cut_fails(const char *fault, const char *tensor, enum case_status status)
{
    static const char *const faults[] = { "none" };
    char input[96];
    const char *inputs[] = { input };

    assert_true(cut_input_name(cut_path, 0, input, sizeof input));
    for (int honest = 0; honest < 2; honest++) {
        struct subject s CLOSED_BY(subject_close) = open_mock(honest ? faults[0] : fault, tensor);
        struct diff_request q = request_of(cut_path);
        struct diff d CLOSED_BY(diff_close);

        q.inputs = (struct string_list){ inputs, 1 };
        q.runs = 1;
        q.per_node = true;
        run_diff(&d, &q, &s);
        assert_int_equal(diff_failed(&d), !honest);
        if (!honest)
            assert_int_equal(d.culprit.result.status, status);
    }
}

/* A signal ends the run, or the node, that is being made: what was done before is told. */
TEST(test_interrupted)
{
    enum { RUNS = 5, DONE = 2, NODES_DONE = 4 };

    for (int nodes = 0; nodes < 2; nodes++) {
        struct subject s = open_mock("none", "");
        struct diff_request q = request_of(model_path);
        struct diff d;
        char *text, at[24];

        snprintf(at, sizeof at, "%d", (nodes ? RUNS + NODES_DONE : DONE) + 1);
        KIT_OK(subject_set(&s, "node", at, &err));
        snprintf(at, sizeof at, "%ld", (long)getpid());
        KIT_OK(subject_set(&s, "interrupt", at, &err));
        q.runs = RUNS;
        q.per_node = true;
        q.steps = 200;
        interrupt_begin();
        run_diff(&d, &q, &s);
        interrupt_end();
        assert_true(diff_failed(&d));
        assert_int_equal(d.status, CASE_MISSING);
        assert_int_equal(d.runs, nodes ? RUNS : DONE);
        assert_true(d.outputs[0].snr_db > 100);
        assert_int_equal(d.culprit.first, -1);
        for (int i = 0; i < NODES; i++) {
            const bool done = nodes && i < NODES_DONE;

            assert_int_equal(d.per_node[i].result.status, done ? CASE_PASS : CASE_MISSING);
            assert_int_equal(d.per_node[i].judged, done);
        }
        text = print_text(&d);
        expect_text(text, nodes ? "interrupted: SIGTERM: 5 of 5 runs were made"
                                : "interrupted: SIGTERM: 2 of 5 runs were made");
        expect_text(text, "   59  ADD                      missing");
        expect_text(text, "\ndiff: missing: interrupted by SIGTERM\n");
        free(text);
        diff_close(&d);
        subject_close(&s);
        interrupt_begin(); /* forgets the signal */
        interrupt_end();
    }
}

/* Node 36 (CONV_2D) of 60 is wrong in one element: found, named, cut out and made minimal. */
TEST(test_one_wrong_node_of_sixty)
{
    struct model m;
    const struct model_tensor *x;
    const TfLiteTensor *before;
    char *text CLOSED_BY(kit_free);
    DIFF(d, s, "tail", "n36", .per_node = true, .steps = 200);

    assert_true(diff_failed(&d));
    assert_int_equal(d.status, CASE_FAIL);
    assert_int_equal(d.wrong_nodes, 1);
    assert_int_equal(d.culprit.first, 36);
    assert_int_equal(d.culprit.last, 36);
    assert_true(d.culprit.alone);
    before = interpreter_tensor(d.reference, interpreter_node(d.reference, 36)->inputs->data[0]);
    assert_int_equal(d.culprit.instance.inputs[0].bytes, before->bytes);
    assert_memory_equal(d.culprit.instance.inputs[0].data[0], before->data.raw, before->bytes);
    assert_string_equal(d.culprit.result.worst.where, "n 0 h 2 w 2 c 5");
    assert_true(fabs(d.culprit.result.worst.error - 1) < 1e-3);
    assert_true(d.culprit.result.worst.limit < 1e-3);
    text = print_text(&d);
    expect_text(text, "first node out of bounds: node 36, CONV_2D version 1: ");
    expect_text(text, "worst element: output 0 at n 0 h 2 w 2 c 5: got ");
    expect_text(text, "minimal form after ");

    /* 5 is the least number of channels that is wrong. */
    assert_true(d.culprit.is_shrunk);
    assert_false(d.culprit.shrunk.outcome.flaky || d.culprit.shrunk.outcome.flaky_end);
    KIT_OK(tflite_read(&m, d.culprit.shrunk.instance.file.bytes,
                       d.culprit.shrunk.instance.file.count, &err));
    assert_int_equal(m.subgraphs[0].operator_count, 1);
    x = &m.subgraphs[0].tensors[m.subgraphs[0].inputs.data[0]];
    assert_int_equal(x->shape.data[1] * x->shape.data[2] * x->shape.data[3], 1);
    x = &m.subgraphs[0].tensors[m.subgraphs[0].outputs.data[0]];
    assert_int_equal(x->shape.data[3], 5);
    model_close(&m);

    KIT_OK(cut_save(cut_path, &d.culprit.shrunk.instance, &err));
    expect_cut_fails("tail", "n36", CASE_FAIL);
}

/* Of many wrong nodes the first is the culprit, on what the reference computed before it. */
TEST(test_first_of_many)
{
    DIFF(d, s, "tail", "", .per_node = true);

    assert_int_equal(d.wrong_nodes, NODES);
    assert_int_equal(d.culprit.first, 0);
}

/* Wrong only behind another node of the partition: no node fails by itself, two do together. */
TEST(test_nodes_that_fail_together)
{
    char *text CLOSED_BY(kit_free);
    DIFF(d, s, "together", "n43", .per_node = true);

    assert_int_equal(d.wrong_nodes, 0);
    assert_int_equal(d.culprit.first, 42);
    assert_int_equal(d.culprit.last, 43);
    assert_false(d.culprit.alone);
    assert_true(d.culprit.tried < 30);
    text = print_text(&d);
    expect_text(text, "nodes 42 to 43 fail together (CONV_2D, RELU): SNR ");
    KIT_OK(cut_save(cut_path, &d.culprit.instance, &err));
    expect_cut_fails("together", "n43", CASE_FAIL);
}

/* Ranges whose results are not determined any better are not the ones that fail: storing the sum in
 * f16 leaves nothing of x. */
TEST(test_ill_conditioned_range)
{
    struct subject s = open_mock("half", "a");
    struct diff_request q =
        request_of("text:ADD {} x:f32[1,64] f32[1]=4096 -> a; SUB {} a f32[1]=4096 -> y");
    struct case_result result;
    struct diff d;

    s.bounds = BOUNDS_FP16;
    run_diff(&d, &q, &s);
    assert_true(d.has_conditioning);
    assert_true(d.outputs[0].snr_db < 20);
    KIT_OK(part_screen(&d.host, &d.screen, &d.instance, &result, &err));
    assert_int_equal(result.status, CASE_PASS);
    diff_close(&d);
    subject_close(&s);

    s = open_mock("nan", "a");
    s.bounds = BOUNDS_FP16;
    run_diff(&d, &q, &s);
    KIT_OK(part_screen(&d.host, &d.screen, &d.instance, &result, &err));
    assert_int_equal(result.status, CASE_FAIL);
    diff_close(&d);
    subject_close(&s);
}

/* Wrong by its place in the model: a part of the model has other indices, so that only the parts
 * from the first node on fail.  The delegate's own options find the node. */
TEST(test_wrong_in_its_place)
{
    struct subject s CLOSED_BY(subject_close) = open_mock("place", "n0");
    struct diff_request q = request_of(model_path);
    struct diff d CLOSED_BY(diff_close);
    char *text CLOSED_BY(kit_free);

    KIT_OK(subject_set(&s, "node", "44", &err));
    q.per_node = true;
    run_diff(&d, &q, &s);
    assert_int_equal(d.wrong_nodes, 0);
    assert_int_equal(d.culprit.first, 0);
    assert_int_equal(d.culprit.last, 44);
    assert_int_equal(d.culprit.place_first, 44);
    assert_int_equal(d.culprit.place_last, 44);
    text = print_text(&d);
    expect_text(text, "nodes 44 to 44 are enough to fail: ADD with first_node=44 last_node=44");
}

TEST(test_crash_is_found_too)
{
    DIFF(d, s, "node_crash", "n13", .per_node = true, .steps = 60);

    assert_int_equal(d.status, CASE_CRASH);
    assert_non_null(strstr(d.reason, "SIGSEGV: invoke"));
    assert_int_equal(d.culprit.first, 13);
    assert_int_equal(d.culprit.result.status, CASE_CRASH);
    assert_true(d.culprit.is_shrunk);
    KIT_OK(cut_save(cut_path, &d.culprit.shrunk.instance, &err));
    expect_cut_fails("node_crash", "n13", CASE_CRASH);
}

TEST(test_timeout)
{
    DIFF(d, s, "hang", "", .timeout_s = 0.3);

    assert_int_equal(d.status, CASE_TIMEOUT);
    assert_int_equal(d.runs, 0);
    assert_non_null(strstr(d.reason, "no answer within 0.3 s: invoke"));
}

/* Nothing was compared: that is no success. */
TEST(test_declined)
{
    DIFF(d, s, "decline", "", .steps = 0);

    assert_int_equal(d.status, CASE_DECLINED);
    assert_true(diff_failed(&d));
}

TEST(test_flaky_is_said)
{
    char *text CLOSED_BY(kit_free);
    DIFF(d, s, "sometimes", "", .per_node = true, .steps = 50);

    assert_true(diff_failed(&d));
    assert_true(d.culprit.is_shrunk);
    assert_true(d.culprit.shrunk.outcome.flaky);
    text = print_text(&d);
    expect_text(text, "flaky: judged again, it did not fail the same way");
}

/* The reference against itself has no difference, in JSON either. */
TEST(test_json)
{
    struct subject s CLOSED_BY(subject_close);
    struct diff_request q = request_of(model_path);
    struct diff d CLOSED_BY(diff_close);
    json_t *j;

    KIT_OK(subject_init(&s, "none", NULL, &err));
    q.per_node = true;
    run_diff(&d, &q, &s);
    PRINTED(text, f, diff_print_json(f, &d));
    j = json_loads(text, 0, NULL);
    assert_non_null(j);
    assert_string_equal(json_string_value(json_object_get(j, "status")), "pass");
    assert_int_equal(json_array_size(json_object_get(j, "per_node")), NODES);
    assert_true(json_is_null(json_object_get(j, "cause")));
    assert_true(
        json_is_null(json_object_get(json_array_get(json_object_get(j, "outputs"), 0), "snr_db")));
    json_decref(j);
}

TEST(test_wrong_requests)
{
    const char *inputs[] = { "a.npy", "b.npy" };
    struct diff_request q = request_of(model_path);
    struct subject s CLOSED_BY(subject_close);
    struct diff d;

    KIT_OK(subject_init(&s, "none", NULL, &err));
    q.inputs = (struct string_list){ inputs, 2 };
    assert_int_equal(diff_open(&d, &q, &s, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "expected at most 1 inputs, found 2"));
    diff_close(&d);
    q.inputs.count = 1;
    assert_int_equal(diff_open(&d, &q, &s, &err), STATUS_IO);
    diff_close(&d);
    q = request_of("/nowhere/m.tflite");
    assert_int_equal(diff_open(&d, &q, &s, &err), STATUS_IO);
    diff_close(&d);
}

/* The command: exit codes, what --cut writes, and the line that runs it again. */
static int run_program(const char *arguments, char *text, size_t bytes)
{
    char command[1024];
    FILE *f;
    size_t n;
    int status;

    snprintf(command, sizeof command, "'%s' diff %s --quiet 2>&1", build_path(".", "assay"),
             arguments);
    f = popen(command, "r");
    assert_non_null(f);
    n = fread(text, 1, bytes - 1, f);
    text[n] = '\0';
    while (fgetc(f) != EOF)
        ;
    status = pclose(f);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(test_command)
{
    char arguments[700], subject[300], text[20000], *again;

    snprintf(subject, sizeof subject, "--subject='delegate:%s?fault=%%s&tensor=n36'",
             mock_path("delegate.so"));
    snprintf(arguments, sizeof arguments, "%s --runs=2 --minimize --cut=%s ", model_path, cut_path);
    snprintf(arguments + strlen(arguments), sizeof arguments - strlen(arguments), subject, "tail");
    assert_int_equal(run_program(arguments, text, sizeof text), 1);
    expect_text(text, "Num evaluation runs: 2\nReference run latency: avg=");
    expect_text(text, "OutputDiff[0]: avg_error=");
    expect_text(text, "first node out of bounds: node 36, CONV_2D version 1: ");
    again = strstr(text, "again: assay diff ");
    assert_non_null(again);
    again += strlen("again: assay diff ");
    again[strcspn(again, "\n")] = '\0';
    snprintf(arguments, sizeof arguments, "%s", again);
    assert_int_equal(run_program(arguments, text, sizeof text), 1);
    expect_text(text, "first node out of bounds: node 0, CONV_2D version 1: ");

    snprintf(arguments, sizeof arguments,
             "--model_file=%s --num_runs=1 "
             "--external_delegate_path=%s '--external_delegate_options=fault:none;ulps:3'",
             model_path, mock_path("delegate.so"));
    assert_int_equal(run_program(arguments, text, sizeof text), 0);
    expect_text(text, "delegate.so fault=none ulps=3");
    expect_text(text, "SNR inf dB  cosine 1.000000000");
    assert_int_equal(run_program("", text, sizeof text), 2);
    assert_int_equal(run_program("/nowhere.tflite", text, sizeof text), 2);
    snprintf(arguments, sizeof arguments, "%s --graph=x.tflite", model_path);
    assert_int_equal(run_program(arguments, text, sizeof text), 2);
    snprintf(arguments, sizeof arguments, "%s --external_delegate_options=fault", model_path);
    assert_int_equal(run_program(arguments, text, sizeof text), 2);
    expect_text(text, "expected KEY:VALUE, found fault");
}

/* ---- figures ---- */

static struct figures figures_of(TfLiteType type, double scale, const void *want, const void *got,
                                 int count)
{
    TfLiteTensor t = { .type = type, .params = { (float)scale, 0 } };
    struct figures f = { .runs = 0 };

    t.dims = mem_alloc(1, sizeof(TfLiteIntArray) + 2 * sizeof(int));
    t.dims->size = 2;
    t.dims->data[0] = 1;
    t.dims->data[1] = count;
    t.bytes = (size_t)count * runtime_type_bits(type) / 8;
    t.data.raw_const = want;
    figures_add(&f, &t, got);
    figures_finish(&f);
    mem_free(t.dims);
    return f;
}

TEST(test_figures)
{
    const float want[] = { 3, 4, 0 }, got[] = { 3, 4.5f, 0 }, nan[] = { 3, NAN, 0 };
    const int8_t q[] = { 10, 20, 30 }, q1[] = { 10, 21, 30 };
    const struct screen fp32 = { BOUNDS_FP32, BOUNDS_EXACT, false, NULL };
    const struct screen fp16 = { BOUNDS_FP16, BOUNDS_FLOAT_VIEW, false, NULL };
    struct figures f = figures_of(kTfLiteFloat32, 0, want, got, 3);
    char why[160];

    assert_true(fabs(f.avg_error - 0.5 / 3) < 1e-9);
    assert_true(fabs(f.mse - 0.25 / 3) < 1e-9);
    assert_true(fabs(f.snr_db - 20) < 1e-9); /* 25 / 0.25 */
    assert_string_equal(f.worst_where, "[0, 1]");
    assert_int_equal(f.unequal, 1);
    assert_false(figures_judge(&f, &fp16, why, sizeof why));
    assert_string_equal(why, "SNR 20.0 dB, expected at least 40");
    f = figures_of(kTfLiteFloat32, 0, want, nan, 3);
    assert_true(isinf(f.max_abs));
    assert_false(figures_judge(&f, &fp32, why, sizeof why));
    f = figures_of(kTfLiteFloat32, 0, want, want, 3);
    assert_true(figures_judge(&f, &fp32, why, sizeof why));
    f = figures_of(kTfLiteInt8, 0.5, q, q1, 3);
    assert_true(f.quantized && f.max_abs == 1);
    assert_false(figures_judge(&f, &fp32, why, sizeof why));
    assert_string_equal(why,
                        "expected the reference's integers, found 1 of 3 off by up to 1 steps");
    assert_true(figures_judge(&f, &fp16, why, sizeof why));
    f = figures_of(kTfLiteInt8, 0, q, q1, 3); /* no scale: indices */
    assert_false(figures_judge(&f, &fp16, why, sizeof why));
}

/* Another best class fails where the errors do not explain it. */
TEST(test_best_class)
{
    const float far[] = { 0, 1, 0.5f }, near[] = { 0, 1, 0.999f }, other[] = { 0, 0.99f, 1 };
    const struct screen fp16 = { BOUNDS_FP16, BOUNDS_FLOAT_VIEW, true, NULL };
    struct figures f = figures_of(kTfLiteFloat32, 0, near, other, 3);
    char why[160];

    assert_int_equal(f.other_class, 1);
    assert_int_equal(f.wrong_class, 0);
    f = figures_of(kTfLiteFloat32, 0, far, other, 3);
    assert_int_equal(f.wrong_class, 0); /* the error of 0.5 explains it */
    f = figures_of(kTfLiteFloat32, 0, (const float[]){ 0, 1, 0.5f },
                   (const float[]){ 0, 0.7f, 0.75f }, 3);
    assert_int_equal(f.wrong_class, 1);
    assert_false(figures_judge(&f, &fp16, why, sizeof why));
    expect_text(why, "another best class");
}

TEST_FILE(.setup = set_up, .leaves = "@(m.tflite|cut.tflite|cut.input0.npy)");
