/* Random graphs on mock delegates that are wrong in one op, crash, or take some nodes only: what
 * fails is made as small as it gets, and what is right passes. */
/* Needs: mock/delegate.so mock/gpu.so */
#include "conformance/report/record/shrunk_graphs.h"
#include "conformance/suite/cases/random_cases.h"
#include "conformance/suite/io/model_file.h"
#include "conformance/suite/judge/runner.h"
#include "conformance/suite/subject/subject_spec.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include "reference/base/memory.h"

#include <ctype.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GRAPHS = 64 };

static struct test_case *cases;
static struct random_row *rows;

static int open_cases(void **state)
{
    (void)state;
    return random_cases(1, GRAPHS, &cases, &rows, NULL) == STATUS_OK ? 0 : -1;
}

static int close_cases(void **state)
{
    (void)state;
    mem_free(cases);
    mem_free(rows);
    return 0;
}

/* cmocka catches these in every test, and a worker inherits that: a crash would not end it. */
static void default_signals(void)
{
    static const int numbers[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS };

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        signal(numbers[i], SIG_DFL);
}

/* Runs graphs on the mock, and makes failures smaller.  A mock with a fault rounds bytes as the
 * runtime does, which float view does not take: then only the graphs of floats are run. */
static void run(struct report *r, struct subject *subject, const char *fault, bool floats_only,
                const char *directory)
{
    char option[64];
    const char *options[] = { option };
    const struct string_list list = { options, 1 };
    const struct run_request request = { .subjects = subject,
                                         .subject_count = 1,
                                         .cases = cases,
                                         .case_count = GRAPHS,
                                         .seed = 1,
                                         .jobs = 2,
                                         .timeout_s = 20,
                                         .quiet = true };
    const struct shrunk_graphs_options minimal = {
        .subjects = subject, .timeout_s = 20, .repro_dir = directory, .quiet = true
    };
    struct diag diag;

    default_signals();
    snprintf(option, sizeof option, "fault=%s", fault);
    *r = (struct report){
        .subjects = subject, .subject_count = 1, .cases = cases, .case_count = GRAPHS, .seed = 1
    };
    if (subject_init(subject, mock_path("delegate.so"), &list, &diag) != STATUS_OK)
        fail_msg("fault=%s: %s", fault, diag.text);
    subject->skips_quantized = floats_only;
    if (runner_run(&request, &r->outcome, &diag) != STATUS_OK ||
        shrunk_graphs_find(r, &minimal, &diag) != STATUS_OK)
        fail_msg("fault=%s: %s", fault, diag.text);
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

/* Graphs whose shapes an inference finds: the mock takes no dynamic tensors. */
static void expect(const struct report *r, enum case_status status)
{
    size_t declined = 0;

    for (size_t i = 0; i < GRAPHS; i++) {
        const struct case_result *const result = &r->outcome.results[i];

        declined += result->status == CASE_DECLINED;
        if (result->status != CASE_DECLINED && result->status != status)
            fail_msg("%s: %s", cases[i].name, result->reason);
    }
    assert_true(declined <= GRAPHS / 4);
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
    char directory[] = "/tmp/test_minimal_graphs.XXXXXX", path[4096];
    struct subject subject;
    struct report r;
    struct model_file files[2];
    struct diag diag = { .status = STATUS_OK };

    assert_non_null(mkdtemp(directory));
    run(&r, &subject, "activation", true, directory);
    assert_true(r.minimal_count >= 1);
    for (size_t i = 0; i < r.minimal_count; i++) {
        const char *const text = r.minimal[i].text;

        assert_ptr_equal(report_minimal_text(&r, r.minimal[i].index), text);
        if (count_nodes(text) != 1 || !strstr(text, "fused_activation_function="))
            fail_msg("%s", text);
    }
    /* Both files are there, and the text is that of the model. */
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s@%s/minimal/model.%s", directory,
                 cases[r.minimal[0].index].name, subject.label, i ? "txt" : "tflite");
        for (char *c = path; *c; c++) {
            if (*c == ' ')
                *c = '_';
        }
        if (model_file_open(&files[i], path, false, &diag) != STATUS_OK)
            fail_msg("%s", diag.text);
    }
    assert_int_equal(files[0].tflite.count, files[1].tflite.count);
    assert_memory_equal(files[0].tflite.bytes, files[1].tflite.bytes, files[0].tflite.count);
    mem_free(files[0].tflite.bytes);
    mem_free(files[1].tflite.bytes);
    end(&r, &subject);
    snprintf(path, sizeof path, "rm -r %s", directory);
    assert_int_equal(system(path), 0);
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
