/* Subjects behind a line, from the host's side: what an agent may say, and what becomes of one that
 * lies, ends or is silent. */
/* Needs: assay-agent */
/* Needs: mock/liar */
/* Needs: mock/delegate.so */
/* Needs: libassay.so */
/* Wrap: line_dial */
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/judge/runner.h"
#include "conformance/suite/subject/engine.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/suite/subject/wire.h"
#include "conformance/tests/kit/cases_kit.h"
#include "conformance/tests/kit/judge_kit.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"
#include "reference/text/model_text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum status __real_line_dial(const char *address, int *out, struct diag *diag);
enum status __wrap_line_dial(const char *address, int *out, struct diag *diag);

enum { SPEC_BYTES = 4 * PATH_MAX };

/* "exec:AGENT ARGUMENTS?KEYS", behind the liar where fault is not NULL. */
static const char *spec(const char *fault, const char *arguments, const char *keys)
{
    static char text[SPEC_BYTES];
    char agent[PATH_MAX];

    snprintf(agent, sizeof agent, "%s", build_path("", "assay-agent"));
    snprintf(text, sizeof text, "exec:exec %s %s %s %s?%s", fault ? mock_path("liar") : "",
             fault ? fault : "", agent, arguments ? arguments : "", keys ? keys : "");
    return text;
}

TEST(test_agent)
{
    static const char *const samples[] = { "relu.f32.c5",
                                           "pad.f32.hw_end",
                                           "conv_2d.f16.c5",
                                           "reshape.f32.flat_c5",
                                           "lstm.f32.a3",
                                           "gap.f32.conv_2d_runtime_both",
                                           "composite.f32.canary_softmax" };
    char arguments[2 * PATH_MAX];

    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        judge_kit_expect(spec(NULL, NULL, NULL), samples[i], CASE_PASS, "");
    judge_kit_expect(spec(NULL, NULL, "bounds=exact"), "add.i8.c5", CASE_PASS, "");
    /* Pipes, as ssh gives them. */
    snprintf(arguments, sizeof arguments, "exec:cat | %s | cat", build_path("", "assay-agent"));
    judge_kit_expect(arguments, "conv_2d.f32.c5", CASE_PASS, "");
    snprintf(arguments, sizeof arguments, "--subject=tflite-c:%s", build_path("", "libassay.so"));
    judge_kit_expect(spec(NULL, arguments, "threads=2"), "add.f32.linear_b", CASE_PASS, "");
}

/* The host's keys are the delegate's options at the agent; its faults are seen as in this process.
 */
TEST(test_delegate)
{
    char arguments[2 * PATH_MAX], keys[2 * PATH_MAX];

    snprintf(arguments, sizeof arguments, "--subject=delegate:%s", mock_path("delegate.so"));
    judge_kit_expect(spec(NULL, arguments, "fault=none"), "add.f32.linear_b", CASE_PASS, "");
    judge_kit_expect(spec(NULL, arguments, "fault=decline"), "add.f32.linear_b", CASE_DECLINED,
                     "not taken");
    judge_kit_expect(spec(NULL, arguments, "fault=ulps&ulps=9"), "add.f32.linear_b", CASE_FAIL,
                     "wrong");
    judge_kit_expect(spec(NULL, arguments, "fault=unwritten"), "add.f32.linear_b", CASE_FAIL,
                     "not written");
    judge_kit_expect(spec(NULL, arguments, "fault=crash"), "add.f32.linear_b", CASE_CRASH, "SIG");
    judge_kit_expect(spec(NULL, arguments, "fault=prepare"), "add.f32.linear_b", CASE_FAIL,
                     "prepare: ");
    /* A key that says who runs the models is not the delegate's. */
    snprintf(arguments, sizeof arguments, "--subject=tflite-c:%s", build_path("", "libassay.so"));
    snprintf(keys, sizeof keys, "delegate=%s&fault=ulps&ulps=9", mock_path("delegate.so"));
    judge_kit_expect(spec(NULL, arguments, keys), "add.f32.linear_b", CASE_FAIL, "wrong");
}

/* What is asked of an agent ahead of time changes no result: neither a status nor a reason. */
TEST(test_as_in_this_process)
{
    static const struct {
        const char *fault, *name;
    } rows[] = {
        { "state", "add.f32.linear_b" },
        { "second", "add.f32.linear_b" },
        { "input", "add.f32.linear_b" },
        { "constant", "conv_2d.f32.c5" },
        { "overread", "maximum.f32.linear_b" },
        { "rounding", "add.f32.linear_b" },
        { "keep", "lstm.f32.a3" },
        { "forget", "lstm.f32.a3" },
        { "single", "add.f32.linear_b" },
        { "invoke", "add.f32.linear_b" },
        /* A crash that comes later hides no wrong result. */
        { "swap_crash&node=4", "gap.f32.conv_2d_after_sub_c3" },
    };
    char local[2 * PATH_MAX], arguments[2 * PATH_MAX], keys[64];

    snprintf(arguments, sizeof arguments, "--subject=delegate:%s", mock_path("delegate.so"));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct case_result want, got;

        snprintf(keys, sizeof keys, "fault=%s", rows[i].fault);
        snprintf(local, sizeof local, "%s?%s", strchr(arguments, '=') + 1, keys);
        want = judge_kit_run_spec(local, rows[i].name);
        got = judge_kit_run_spec(spec(NULL, arguments, keys), rows[i].name);
        if (want.status != got.status || strcmp(want.reason, got.reason) != 0)
            fail_msg("%s of %s: expected '%s', found '%s'", rows[i].fault, rows[i].name,
                     want.reason, got.reason);
    }
}

#define BREAKS "the agent breaks the protocol: "

TEST(test_lies)
{
    static const struct {
        const char *fault;
        enum case_status status;
        const char *reason;
    } rows[] = {
        { "none", CASE_PASS, "" },
        { "unknown", CASE_PASS, "" },
        { "early", CASE_FAIL, BREAKS },
        { "sequence", CASE_FAIL,
          BREAKS "a frame of kind 7 with sequence 3, expected kind 7 with 2" },
        { "kind", CASE_FAIL, BREAKS "a frame of kind 1" },
        { "garbage", CASE_FAIL, BREAKS "expected a frame, found the bytes 'Segmentation'" },
        { "longer", CASE_CRASH, "exit status 0" },
        { "huge", CASE_FAIL, BREAKS "a frame of 4294967295 bytes" },
        { "more", CASE_FAIL, BREAKS "it answers more steps" },
        { "fewer", CASE_FAIL, BREAKS "no answer to READ" },
        { "status", CASE_FAIL, BREAKS "an ANSWER whose steps pass its end" },
        { "body", CASE_FAIL, BREAKS "an ANSWER whose steps pass its end" },
        { "node_bits", CASE_FAIL, BREAKS "an answer to OPEN" },
        { "nodes", CASE_FAIL, BREAKS "another number of nodes" },
        { "shape", CASE_FAIL, "expected f32 [1, 3, 5, 5], 300 bytes, found f32 [5, 3, 5, 1]" },
        { "type", CASE_FAIL, "found i32 [1, 3, 5, 5], 300 bytes" },
        { "bytes", CASE_FAIL, BREAKS "an answer to READ" },
        { "rank", CASE_FAIL, BREAKS "an answer to READ" },
        { "outputs", CASE_FAIL, BREAKS "an answer to READ" },
        { "same", CASE_FAIL, BREAKS "an answer to READ" },
        { "value", CASE_FAIL, "not equal (1 of 75 wrong)" },
        { "abort", CASE_CRASH, "SIGABRT; Check failed: the liar does not like it in S2" },
        { "leave", CASE_CRASH, "exit status 0 in S2" },
        { "late", CASE_TIMEOUT, "no answer in time; over the limit" },
        { "fail_open", CASE_FAIL, "prepare: the agent fails without a reason" },
        { "refuse", CASE_DECLINED, "not taken" },
        { "refuse_late", CASE_FAIL, "invoke: late refusal: " },
        { "small", CASE_FAIL, "the agent takes frames of at most 300 bytes, expected " },
        { "cut=900", CASE_CRASH, "exit status 0" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        judge_kit_expect(spec(rows[i].fault, NULL, NULL), "relu.f32.c5", rows[i].status,
                         rows[i].reason);
    judge_kit_expect(spec("refuse_late", NULL, "late_refusal=declined"), "relu.f32.c5",
                     CASE_DECLINED, "not taken");
    /* Frame B has the bits of A. */
    judge_kit_expect(spec("same_bits", NULL, NULL), "zeros_like.f32.image", CASE_FAIL,
                     "found f32 [3, 4, 5, 1]");
}

/* No agent, or one that does not get as far as the subject. */
TEST(test_does_not_start)
{
    static const struct {
        const char *fault, *keys;
        enum status status;
        const char *message;
    } rows[] = {
        { "print", NULL, STATUS_INVALID,
          BREAKS "expected a frame, found the bytes 'INFO: Create'" },
        { "version", NULL, STATUS_INVALID, "speaks versions 2 to 3 of the protocol, this one 1" },
        { "magic", NULL, STATUS_INVALID, BREAKS "a HELLO that does not begin with ASSAYR" },
        { "cut=0", NULL, STATUS_IO, "the agent does not start: exit status 0" },
        { "cut=30", NULL, STATUS_IO, "the agent does not start: exit status 0" },
        { "nonsense", NULL, STATUS_IO, "the agent does not start: exit status 1" },
        { "none", "nowhere=1", STATUS_USAGE,
          "reference?nowhere=1: a reference has no key nowhere" },
        { "none", "silence_s=x", STATUS_USAGE, "silence_s=x: expected seconds" },
        { "none", "late_refusal=x", STATUS_USAGE, "late_refusal=x: expected failed or declined" },
        { "none", "secret_file=/nowhere/x", STATUS_IO, "secret_file: /nowhere/x: No such file" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        judge_kit_expect_load(spec(rows[i].fault, NULL, rows[i].keys), rows[i].status,
                              rows[i].message);
}

/* An agent that ended with a case is there again for the next.  A limit that it does not keep is
 * kept here, and silence of one that could say ALIVE is the line's, not the subject's. */
TEST(test_next_case)
{
    static const struct {
        const char *fault, *keys;
        double limit_s;
        enum case_status status;
        const char *reason;
        bool lost;
    } rows[] = {
        { "abort", NULL, 1, CASE_CRASH, "SIGABRT", false },
        { "alive", NULL, 1, CASE_TIMEOUT, "no answer in time", false },
        { "stall", "silence_s=0.1", 0, CASE_CRASH, "not a byte for 0.1 s", true },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct subject s;
        struct judge *const judge =
            judge_kit_open(&s, spec(rows[i].fault, NULL, rows[i].keys), rows[i].limit_s);

        for (int n = 0; n < (i == 0 ? 2 : 1); n++)
            judge_kit_expect_case(judge, "relu.f32.c5", rows[i].status, rows[i].reason,
                                  rows[i].lost);
        judge_kit_close(judge, &s);
    }
}

/* After a case that has passed all sets of the next are asked for at once: what becomes of those
 * that are not judged any more is no matter of the case, nor of the one behind it. */
TEST(test_ahead)
{
    static const struct {
        const char *keys, *name;
        enum case_status status;
        const char *reason;
    } rows[] = {
        { "fault=hidden_far", "gap.f32.conv_2d_after_sub_c3", CASE_FAIL, "summed limits" },
        { "fault=crash&node=30", "add.f32.linear_b", CASE_CRASH, "SIGSEGV in " },
        { "fault=swap_crash&node=21", "add.f32.linear_b", CASE_FAIL, "wrong" },
        { "fault=hang&node=30", "add.f32.linear_b", CASE_TIMEOUT, "no answer" },
    };
    char arguments[2 * PATH_MAX];

    snprintf(arguments, sizeof arguments, "--subject=delegate:%s", mock_path("delegate.so"));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct subject s;
        struct judge *const judge = judge_kit_open(&s, spec(NULL, arguments, rows[i].keys), 3);

        judge_kit_expect_case(judge, "add.f32.linear_b", CASE_PASS, "", false);
        judge_kit_expect_case(judge, rows[i].name, rows[i].status, rows[i].reason, false);
        if (rows[i].status != CASE_CRASH) /* the new agent has counted the case once more */
            judge_kit_expect_case(judge, "add.f32.linear_b", CASE_PASS, "", false);
        judge_kit_close(judge, &s);
    }
}

/* Every habit that an agent is able to keep is checked at the end of a line, too. */
TEST(test_habits_of_an_agent)
{
    const uint32_t all = (1u << HABIT_COUNT) - 1;
    struct test_case c = *kit_case("conv_2d.f32.c5");
    struct case_result r;
    struct subject s;
    struct judge *const judge = judge_kit_open(&s, spec(NULL, "--subject=reference", NULL), 30);

    c.habits = all;
    judge_case(judge, &c, &r);
    if (r.status != CASE_PASS)
        fail_msg("%s: %s", case_status_name(r.status), r.reason);
    assert_int_equal(r.habits >> HABIT_RESIZED & 1, 1);
    assert_int_equal(r.habits >> HABIT_RUNS & 1, 1);
    assert_int_equal(r.habits >> HABIT_INTERPRETERS & 1, 1);
    judge_kit_close(judge, &s);
}

/* A case whose line is lost has no result, and the run says so. */
TEST(test_lost_line)
{
    struct subject s CLOSED_BY(subject_close);
    struct test_case cases[4] = { { .name = "" } };
    struct run_request q = kit_request(&s, 1, cases, 4, 1);
    struct run_outcome outcome CLOSED_BY(run_outcome_close);

    q.give_up = 1;
    for (int i = 0; i < 4; i++)
        cases[i] = *kit_case("relu.f32.c5");
    assert_int_equal(subject_parse(&s, spec("stall", NULL, "silence_s=0.1"), &err), STATUS_OK);
    assert_int_equal(runner_run(&q, &outcome, &err), STATUS_OK);
    assert_int_equal(outcome.missing, 4);
    assert_true(outcome.results[0].missing && outcome.results[3].missing);
    if (!strstr(outcome.stopped, "giving up exec:") ||
        !strstr(outcome.stopped, "the line was lost: not a byte for 0.1 s"))
        fail_msg("expected that the line was lost, found '%s'", outcome.stopped);
}

/* ---- one engine ---- */

struct opened {
    struct case_instance x;
    struct model model;
    struct subject subject;
    struct engine *engine;
};

/* Of `expected` inferences: frame A, and frame B opened anew. */
static void open_case(struct opened *o, const char *name, size_t expected)
{
    const struct case_request request = { SET_RANDOM, 1, false };
    const struct engine_expected list[] = { { &o->x, 0, false, -1, 0 },
                                            { &o->x, 1, false, -1, 0x7fc00000 } };
    const struct engine_request q = {
        .subject = &o->subject, .model = &o->model, .expected = list, .expected_count = expected
    };

    assert_int_equal(case_build(kit_case(name), &request, &o->x, &err), STATUS_OK);
    assert_int_equal(tflite_read(&o->model, o->x.file.bytes, o->x.file.count, &err), STATUS_OK);
    assert_int_equal(subject_parse(&o->subject, spec(NULL, NULL, NULL), &err), STATUS_OK);
    assert_int_equal(subject_load(&o->subject, &err), STATUS_OK);
    assert_int_equal(engine_open(&q, &o->engine, &err), STATUS_OK);
}

static void close_case(struct opened *o)
{
    engine_close(o->engine);
    subject_close(&o->subject);
    model_close(&o->model);
    case_instance_close(&o->x);
}

/* An agent that waits until its answer is read does not read: what a socket does not hold is sent
 * when the answer has come.  An answer that has come waits for who asked, beyond a case. */
TEST(test_large_behind_what_was_begun)
{
    static const char text[] = "RELU x:f32[524288] -> y:f32[524288]";
    static float data[2][524288] = { { 1 }, { 2 } };
    const struct model_text source = { .text = text, .count = sizeof text - 1 };
    const struct case_instance x = {
        .input_count = 1, .inputs[0] = { kTfLiteFloat32, sizeof data[0], { data[0], data[1] } }
    };
    const struct engine_expected list[] = { { &x, 0, false, -1, 0 }, { &x, 1, false, -1, 0 } };
    struct tflite_file file;
    struct model model CLOSED_BY(model_close);
    struct opened o CLOSED_BY(close_case);
    struct engine_request q = { .model = &model, .expected = list, .expected_count = 1 };
    struct engine *begun, *other = NULL;
    char why[480];

    open_case(&o, "relu.f32.c5", 0);
    q.subject = &o.subject;
    assert_int_equal(model_text_read(&source, &file, &err), STATUS_OK);
    assert_int_equal(tflite_read(&model, file.bytes, file.count, &err), STATUS_OK);
    engine_begin_open(&q, &begun);
    engine_flush(&o.subject);
    assert_non_null(begun);
    q.expected = list + 1;
    if (engine_open(&q, &other, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    assert_int_equal(engine_ended(&o.subject, why, sizeof why), ENGINE_RUNS);
    if (engine_end_open(&begun, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    assert_int_equal(engine_write(begun, &x, 0, &err), STATUS_OK);
    assert_int_equal(engine_invoke(begun, &err), STATUS_OK);
    engine_close(other);
    engine_close(begun);
    mem_free(file.bytes);
}

/* Inputs that had another size, of a dimension that is not the first, have their first one again.
 */
TEST(test_resize)
{
    static const bool resized[CASE_INPUTS_MAX] = { true };
    struct opened o CLOSED_BY(close_case);
    struct outputs got CLOSED_BY(outputs_close) = { .count = 0 };

    open_case(&o, "relu.f32.c5", 0); /* [1, 3, 5, 5] */
    assert_int_equal(engine_resize(o.engine, 1, 4, resized, &err), STATUS_OK);
    assert_int_not_equal(engine_write(o.engine, &o.x, 0, &err), STATUS_OK);
    assert_int_equal(engine_resize(o.engine, 1, 3, resized, &err), STATUS_OK);
    if (engine_write(o.engine, &o.x, 0, &err) != STATUS_OK ||
        engine_invoke(o.engine, &err) != STATUS_OK ||
        engine_read(o.engine, &got, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    assert_int_equal(got.items[0].bytes, o.x.inputs[0].bytes);
}

/* A second invocation without new inputs is one: its state goes on. */
TEST(test_invoke_twice)
{
    struct outputs got[2];
    struct opened o CLOSED_BY(close_case);
    int output;
    size_t byte;

    open_case(&o, "lstm.f32.a3", 0);
    assert_int_equal(engine_write(o.engine, &o.x, 0, &err), STATUS_OK);
    for (int i = 0; i < 2; i++) {
        double ms = -1;

        assert_int_equal(engine_invoke_timed(o.engine, &ms, &err), STATUS_OK);
        assert_true(ms >= 0);
        assert_int_equal(engine_read(o.engine, &got[i], &err), STATUS_OK);
        assert_int_equal(engine_check(o.engine, &o.x, 0, &err), STATUS_OK);
    }
    assert_true(outputs_differ(&got[0], &got[1], got[0].count, &output, &byte));
    outputs_close(&got[0]);
    outputs_close(&got[1]);
}

/* An agent that has gone on with what was expected has its earlier state where something else is
 * asked for. */
TEST(test_other_than_expected)
{
    struct outputs got[2] = { { .count = 0 } };
    int output;
    size_t byte;

    for (int k = 0; k < 2; k++) {
        struct opened o CLOSED_BY(close_case);

        open_case(&o, "lstm.f32.a3", k ? 2 : 0);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(engine_write(o.engine, &o.x, 0, &err), STATUS_OK);
            assert_int_equal(engine_invoke(o.engine, &err), STATUS_OK);
            outputs_close(&got[k]);
            assert_int_equal(engine_read(o.engine, &got[k], &err), STATUS_OK);
        }
    }
    assert_false(outputs_differ(&got[0], &got[1], got[0].count, &output, &byte));
    outputs_close(&got[0]);
    outputs_close(&got[1]);
}

/* ---- the bytes themselves ---- */

static const uint8_t *answer; /* of the agent; NULL: there is a socket */
static size_t answer_bytes;
static int other_end = -1; /* open while the host may still send */

enum status __wrap_line_dial(const char *address, int *out, struct diag *diag)
{
    int ends[2];

    if (!answer)
        return __real_line_dial(address, out, diag);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(send(ends[1], answer, answer_bytes, MSG_NOSIGNAL), (ssize_t)answer_bytes);
    shutdown(ends[1], SHUT_WR);
    *out = ends[0];
    if (other_end >= 0)
        close(other_end);
    other_end = ends[1];
    return STATUS_OK;
}

/* How far frames A, B, A come on an agent that says `answer`: 0 not loaded, 1 not opened, then an
 * inference each. */
static int steps_done(const struct model *m, const struct case_instance *x, struct outputs *last)
{
    const struct engine_expected expected[] = { { x, 0, false, -1, 0 },
                                                { x, 1, false, -1, 0 },
                                                { x, 0, false, ENGINE_GUARD_NUMBER, 0 } };
    struct engine_request q = { .model = m, .expected = expected, .expected_count = 3 };
    struct subject s CLOSED_BY(subject_close);
    struct engine *e = NULL;
    char why[480];
    int done = 0;

    assert_int_equal(subject_parse(&s, "remote:nowhere:1", &err), STATUS_OK);
    q.subject = &s;
    if (subject_load(&s, &err) == STATUS_OK)
        done = 1 + (engine_open(&q, &e, &err) == STATUS_OK);
    for (int i = 0; e && i < 3; i++) {
        struct outputs got;

        if (expected[i].guards >= 0)
            engine_guards(e, (uint8_t)expected[i].guards);
        if (engine_write(e, x, expected[i].frame, &err) != STATUS_OK ||
            engine_invoke(e, &err) != STATUS_OK || engine_read(e, &got, &err) != STATUS_OK)
            break;
        outputs_close(last);
        *last = got;
        done += engine_check(e, x, expected[i].frame, &err) == STATUS_OK;
    }
    assert_true(done == 5 || engine_ended(&s, why, sizeof why) == ENGINE_LOST);
    engine_close(e);
    return done;
}

static size_t read_record(const char *path, uint8_t *bytes, size_t most)
{
    FILE *const f = fopen(path, "rb");
    size_t n;

    assert_non_null(f);
    n = fread(bytes, 1, most, f);
    fclose(f);
    unlink(path);
    return n;
}

/* An agent's bytes end behind each of them: the line is lost, and nothing else happens. */
TEST(test_cut_everywhere)
{
    static uint8_t bytes[1 << 16], part[1 << 16];
    const struct case_request request = { SET_INTEGERS, 1, false };
    struct outputs got = { .count = 0 };
    struct model m CLOSED_BY(model_close);
    struct case_instance x CLOSED_BY(case_instance_close);
    char fault[64];
    size_t count;
    int before = 0;

    snprintf(fault, sizeof fault, "record=/tmp/assay-line-%ld", (long)getpid());
    judge_kit_expect(spec(fault, NULL, NULL), "relu.f32.c5", CASE_PASS, "");
    count = read_record(fault + strlen("record="), bytes, sizeof bytes);
    assert_int_equal(case_build(kit_case("relu.f32.c5"), &request, &x, &err), STATUS_OK);
    assert_int_equal(tflite_read(&m, x.file.bytes, x.file.count, &err), STATUS_OK);
    for (size_t n = 0; n <= count && before < 5; n++) {
        const long long live = mem_live_bytes();
        int done;

        memcpy(part, bytes, n);
        answer = part;
        answer_bytes = n;
        done = steps_done(&m, &x, &got);
        outputs_close(&got);
        if (done < before || mem_live_bytes() != live)
            fail_msg("%zu of %zu bytes: expected at least %d steps and %lld bytes back, found %d "
                     "and %lld",
                     n, count, before, live, done, mem_live_bytes());
        before = done;
    }
    answer = NULL;
    close(other_end);
    assert_int_equal(before, 5);
}

TEST_FILE(.setup = judge_kit_open_agents, .teardown = kit_cases_close);
