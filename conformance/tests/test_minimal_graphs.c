/* Random graphs on mock delegates that are wrong in one op, crash, or take some nodes only: what
 * fails is made as small as it gets, and what is right passes. */
/* Needs: mock/delegate.so mock/gpu.so */
#include "conformance/report/record/shrunk_graphs.h"
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/cases/random_graph.h"
#include "conformance/suite/io/model_file.h"
#include "conformance/suite/judge/runner.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tests/kit/cases_kit.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/runtime/interpreter.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRAPHS = 64 };

static struct test_case *cases;
static struct random_row *rows;

FIXTURE(open_cases)
{
    return random_cases(1, GRAPHS, &cases, &rows, NULL) == STATUS_OK ? 0 : -1;
}

FIXTURE(close_cases)
{
    mem_free(cases);
    mem_free(rows);
    return 0;
}

/* Runs graphs on the mock, and makes failures smaller.  A mock with a fault rounds bytes as the
 * runtime does, which float view does not take: then only the graphs of floats are run. */
static void run(struct report *r, struct subject *subject, const char *fault, bool floats_only,
                const char *directory)
{
    char option[64];
    const char *options[] = { option };
    const struct string_list list = { options, 1 };
    struct run_request request = kit_request(subject, 1, cases, GRAPHS, 2);
    const struct shrunk_graphs_options minimal = {
        .subjects = subject, .timeout_s = 20, .repro_dir = directory, .quiet = true
    };

    request.timeout_s = 20;
    default_signals();
    snprintf(option, sizeof option, "fault=%s", fault);
    *r = (struct report){
        .subjects = subject, .subject_count = 1, .cases = cases, .case_count = GRAPHS, .seed = 1
    };
    if (subject_init(subject, mock_path("delegate.so"), &list, &err) != STATUS_OK)
        fail_msg("fault=%s: %s", fault, err.text);
    subject->skips_quantized = floats_only;
    if (runner_run(&request, &r->outcome, &err) != STATUS_OK ||
        shrunk_graphs_find(r, &minimal, &err) != STATUS_OK)
        fail_msg("fault=%s: %s", fault, err.text);
}

static void end(struct report *r, struct subject *subject)
{
    shrunk_graphs_close(r);
    run_outcome_close(&r->outcome);
    subject_close(subject);
}

/* Nodes of a minimal form, which are lines that begin with the name of an op; those that give what
 * f16 constants are stored as are no part of it. */
static size_t count_nodes(const char *text)
{
    size_t n = 0;

    for (; (text = strstr(text, "\n      ")) != NULL; text++)
        n += isupper((unsigned char)text[7]) && strncmp(text + 7, "DEQUANTIZE", 10) != 0;
    return n;
}

/* Whether an inference finds shapes of the graph. */
static bool is_dynamic(const struct test_case *c)
{
    const struct case_request request = { SET_RANDOM, 1, false };
    const struct interpreter_options options = { .num_threads = -1 };
    struct model model CLOSED_BY(model_close);
    struct case_instance instance CLOSED_BY(case_instance_close);
    struct interpreter *in CLOSED_BY(kit_interpreter_end);
    bool dynamic = false;

    KIT_OK(case_build(c, &request, &instance, &err));
    KIT_OK(tflite_read(&model, instance.file.bytes, instance.file.count, &err));
    KIT_OK(interpreter_open(&in, &model, &options, &err));
    KIT_OK(interpreter_allocate(in, &err));
    for (size_t t = 0; t < model.subgraphs[0].tensor_count; t++)
        dynamic |= interpreter_tensor(in, (int)t)->allocation_type == kTfLiteDynamic;
    return dynamic;
}

/* The mock takes no dynamic tensors: such graphs are declined, and no others. */
static void expect(const struct report *r, enum case_status status)
{
    for (size_t i = 0; i < GRAPHS; i++) {
        const struct case_result *const result = &r->outcome.results[i];
        const enum case_status expected = is_dynamic(&cases[i]) ? CASE_DECLINED : status;

        if (result->status != expected)
            fail_msg("%s: expected %s, found %s: %s", cases[i].name, case_status_name(expected),
                     case_status_name(result->status), result->reason);
    }
}

TEST(test_no_fault)
{
    struct subject subject;
    struct report r;
    size_t nodes = 0, taken = 0;

    run(&r, &subject, "nearest", false, NULL);
    expect(&r, CASE_PASS);
    for (size_t i = 0; i < GRAPHS; i++) {
        nodes += (size_t)r.outcome.results[i].nodes;
        taken += (size_t)r.outcome.results[i].taken;
    }
    assert_int_equal(r.minimal_count, 0);
    assert_true(nodes > 3 * GRAPHS);
    assert_true(taken > 0 && taken <= nodes);
    end(&r, &subject);
}

/* A fused activation is left out: one node with one of these is left of graphs of up to 30. */
TEST(test_one_op)
{
    char path[4096];
    struct subject subject;
    struct report r;
    struct model_file files[2];

    run(&r, &subject, "activation", true, scratch("repro"));
    assert_true(r.minimal_count >= 1);
    for (size_t i = 0; i < r.minimal_count; i++) {
        const char *const text = r.minimal[i].text;

        assert_ptr_equal(report_minimal_text(&r, r.minimal[i].index), text);
        if (count_nodes(text) != 1 || !strstr(text, "fused_activation_function="))
            fail_msg("%s", text);
    }
    /* Both files are there, and the text is that of the model. */
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s@%s/minimal/model.%s", scratch("repro"),
                 cases[r.minimal[0].index].name, subject.label, i ? "txt" : "tflite");
        for (char *c = path; *c; c++) {
            if (*c == ' ')
                *c = '_';
        }
        KIT_OK(model_file_open(&files[i], path, false, &err));
    }
    assert_int_equal(files[0].tflite.count, files[1].tflite.count);
    assert_memory_equal(files[0].tflite.bytes, files[1].tflite.bytes, files[0].tflite.count);
    file_model_close(&files[0].tflite);
    file_model_close(&files[1].tflite);
    end(&r, &subject);
}

/* A process that dies with every graph is a result of every graph, and shrinks, too. */
TEST(test_crash)
{
    struct subject subject;
    struct report r;

    run(&r, &subject, "crash", false, NULL);
    expect(&r, CASE_CRASH);
    assert_int_equal(r.minimal_count, 1); /* all are of one kind */
    assert_int_equal(count_nodes(r.minimal[0].text), 1);
    end(&r, &subject);
}

/* Nothing was taken: declined, and nothing to make smaller. */
TEST(test_declined)
{
    struct subject subject;
    struct report r;

    run(&r, &subject, "decline", false, NULL);
    for (size_t i = 0; i < GRAPHS; i++)
        assert_int_equal(r.outcome.results[i].status, CASE_DECLINED);
    assert_int_equal(r.minimal_count, 0);
    end(&r, &subject);
}

TEST_FILE(.setup = open_cases, .teardown = close_cases);
