/* Golden files: the check of the reference against them, and files that are not what they should
 * be.  The goldens here are made from the reference itself, then spoilt one thing at a time: each
 * spoilt one has to be found. */
/* Alone: for what it tells LeakSanitizer. */
/* Wrap: interpreter_eval_node interpreter_node_count */
#include "conformance/tests/kit/golden_kit.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/runtime/interpreter.h"
#include "reference/tests/kit/sanitized.h"
#include "reference/tests/kit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* For LeakSanitizer, which has to see it from its library: HDF5 1.10.8 itself leaks when it meets a
 * damaged object. */
TFL_CAPI_EXPORT const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5\n";
}

static const char relu[] = "relu.f32.c5", dot[] = "fully_connected.f32.k33_u33",
                  chain[] = "dequantize.f16.two", hidden[] = "dequantize.f16.input_relu",
                  stateful[] = "lstm.f32.a5";

/* What goes wrong in the reference meanwhile. */
static enum { NOTHING, INFERENCES, NO_NODES } planted;
/* The first element of h before each of the first two runs of an LSTM, and after it. */
static float h_before[2], h_after[2];
static int runs;

size_t __real_interpreter_node_count(const struct interpreter *in);
size_t __wrap_interpreter_node_count(const struct interpreter *in);
size_t __wrap_interpreter_node_count(const struct interpreter *in)
{
    return planted == NO_NODES ? 0 : __real_interpreter_node_count(in);
}

enum status __real_interpreter_eval_node(struct interpreter *in, int node,
                                         struct ref_detail *detail, struct diag *diag);
enum status __wrap_interpreter_eval_node(struct interpreter *in, int node,
                                         struct ref_detail *detail, struct diag *diag);
/* Inferences ask for no detail. */
enum status __wrap_interpreter_eval_node(struct interpreter *in, int node,
                                         struct ref_detail *detail, struct diag *diag)
{
    const TfLiteNode *const n = interpreter_node(in, node);
    float *const y = interpreter_tensor(in, n->outputs->data[0])->data.f;
    const bool is_lstm = n->inputs->size == 5 && runs < 2;
    enum status s;

    if (is_lstm)
        h_before[runs] = interpreter_tensor(in, n->inputs->data[1])->data.f[0];
    s = __real_interpreter_eval_node(in, node, detail, diag);
    if (is_lstm)
        h_after[runs++] = y[0];
    if (planted == INFERENCES && !detail)
        y[0] += 1;
    return s;
}

#define ONE(glob)                                                                                  \
    {                                                                                              \
        (const char *[]){ glob }, 1                                                                \
    }

static void passes(const char *name, enum spoil spoil, double margin)
{
    make_golden(name, spoil);
    golden_passes(name, margin);
}

static void fails(const char *name, enum spoil spoil, const char *word)
{
    make_golden(name, spoil);
    golden_fails(name, word);
}

TEST(own_results_pass)
{
    passes(relu, GOOD, 0);
    passes(relu, STORED, 0);
    passes(dot, GOOD, 0.6);
    passes(chain, GOOD, 0.51);
    passes(hidden, GOOD, 0);
    passes(stateful, GOOD, 0.5);
}

/* Of several filters each counts, not the last alone. */
TEST(filters_add_up)
{
    struct golden_request request = { .directory = golden_kit_directory, .quiet = true };
    const char *globs[] = { stateful, "logistic.f32.*", "softmax.i32.none" };
    struct golden_report report;
    size_t each[2];

    for (int i = 0; i < 2; i++) {
        request.filters = (struct string_list){ &globs[i], 1 };
        assert_int_equal(golden_check(&request, &report, &err), STATUS_OK);
        each[i] = report.cases + report.missing;
        assert_true(each[i] > 0);
        golden_report_close(&report);
    }
    request.filters = (struct string_list){ globs, 3 };
    assert_int_equal(golden_check(&request, &report, &err), STATUS_OK);
    assert_int_equal(report.cases + report.missing, each[0] + each[1]);
    golden_report_close(&report);
}

TEST(state_goes_on)
{
    fails(stateful, STATE_LOST, "second invoke: node 0 (LSTM)");
    fails(stateful, STATE_ONCE, "node 0 (LSTM): tensor 5"); /* the first one begins with zeros */
}

/* What the reference computes for an inference is judged, not what it computes with detail alone.
 */
TEST(inferences_are_judged)
{
    make_golden(dot, GOOD);
    planted = INFERENCES;
    golden_fails(dot, "over the limit");
    planted = NOTHING;
    golden_passes(dot, 0.6);
}

TEST(a_case_without_nodes_proves_nothing)
{
    make_golden(relu, GOOD);
    planted = NO_NODES;
    golden_is_refused(relu, "nothing in it was compared");
    planted = NOTHING;
}

/* The second invoke begins with the state that the runtime's first one left. */
TEST(state_is_the_runtimes)
{
    make_golden(stateful, MOVED);
    runs = 0;
    golden_passes(stateful, 1);
    assert_int_equal(runs, 2);
    assert_true(h_before[0] == 0 && h_before[1] == nextafterf(h_after[0], INFINITY));
}

TEST(wrong_values_fail)
{
    fails(relu, ONE_VALUE, "not equal");
    fails(dot, ONE_VALUE, "over the limit");
    fails(dot, ONE_ULP_LOTS, "mean of the errors"); /* each element passes */
    fails(dot, NOT_A_NUMBER, "NaN");
    fails(dot, WHOLE, "not equal"); /* sums of integers are exact */
    fails(chain, ONE_VALUE, "over the limit");
    fails("split.f32.c6_2", LAST_OUTPUT, "not equal");
    fails(relu, OTHER_TYPE, "not of type f32");
    fails(relu, OTHER_SHAPE, "has the shape [");
    fails(relu, HUGE_SHAPE, "has the shape [2147483648,536870912]");
}

/* Goldens of weights of 4 bits are exact: what rounds activations to 8 bits has no part in them. */
TEST(packed_weights_are_exact)
{
    static const char packed[] = "fully_connected.w4.k3_u17_x2_sr_aq_c";

    passes(packed, GOOD, 0.6);
    fails(packed, ONE_ULP_LOTS, "limit");
}

/* float64 answers where the runtime cannot, and the report names the runtime. */
TEST(the_runtime_is_named)
{
    const struct golden_request request = { .directory = golden_kit_directory,
                                            .filters = { (const char *[]){ relu, dot }, 2 },
                                            .quiet = true };
    struct golden_report report CLOSED_BY(golden_report_close);
    char first[64];

    snprintf(first, sizeof first, "%s/a.h5", golden_kit_directory);
    make_golden(relu, GOOD);
    assert_int_equal(rename(golden_kit_path, first), 0);
    make_golden(dot, FLOAT64);
    assert_int_equal(golden_check(&request, &report, &err), STATUS_OK);
    assert_int_equal(unlink(first), 0);
    assert_int_equal(report.cases, 2);
    assert_string_equal(report.runtime, "itself");
    assert_string_equal(report.resolver, "REFERENCE");
}

/* What is no float has the runtime's bytes, each of them. */
TEST(integers_are_identical)
{
    static const char sum[] = "add.i8.c5";

    passes(sum, GOOD, 0);
    fails(sum, FIRST_BYTE, "at n 0 h 0 w 0 c 0: not the runtime's value");
    fails(sum, LAST_BYTE, "not the runtime's value");
}

/* Results that the model has in f16 are rounded to it. */
TEST(halves_have_their_own_bounds)
{
    static const char half[] = "logistic.f16.c5";

    passes(half, GOOD, 1);
}

TEST(both_parts_of_complex_numbers_are_compared)
{
    static const char transform[] = "rfft2d.f32.square";

    passes(transform, GOOD, 1);
    fails(transform, REAL_PART, "real part: the runtime has");
    fails(transform, IMAGINARY_PART, "imaginary part: the runtime has");
}

/* A difference near 0 of what is an ULP off is further off than its own limit. */
TEST(nodes_are_judged_from_the_runtimes_values)
{
    static const char chained[] = "gap.f32.add_batch_norm_c6";

    passes(chained, MOVED, 1);
}

/* Of a model with composites what is inside is not there, and the outputs are held to all of it. */
TEST(composites_are_judged_as_a_whole)
{
    static const char norm[] = "composite.f32.rms_norm_c6";

    passes(norm, NO_TENSORS, 0.5);
    fails(norm, ONE_VALUE, "output 0 at [");
    make_golden(norm, NO_OUTPUTS);
    golden_is_refused(norm, "outputs");
}

TEST(changed_cases_say_mint_again)
{
    static const struct {
        enum spoil spoil;
        const char *words;
    } rows[] = {
        { OTHER_MODEL, "its model has another hash; mint the goldens again" },
        { OTHER_INPUTS, "its inputs have another hash; mint the goldens again" },
        { OTHER_SEED, "its model has another hash; mint the goldens again" },
        { OTHER_VERSION, "version 1, the golden is of op 9 version 2; mint the goldens again" },
    };
    struct golden_report report CLOSED_BY(golden_report_close);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        fails(dot, rows[i].spoil, rows[i].words);
    make_golden(relu, OTHER_NAME);
    golden_fails("relu.f32.c5*", "the suite has no such case");
    make_golden(relu, GOOD);
    KIT_OK(check_golden(golden_kit_directory, "relu.f32.c[56]", &report, &err));
    assert_int_equal(report.cases, 1);
    assert_int_equal(report.failed, 0);
    assert_int_equal(report.missing, 1);
    assert_string_equal(report.failures[0].name, "relu.f32.c6");
    assert_non_null(strstr(report.failures[0].reason, "no golden"));
}

TEST(skipped_cases_are_counted)
{
    struct golden_report report CLOSED_BY(golden_report_close);

    make_golden(relu, SKIPPED);
    assert_int_equal(check_golden(golden_kit_directory, relu, &report, &err), STATUS_OK);
    assert_int_equal(report.skipped, 1);
    assert_int_equal(report.cases + report.failed + report.missing, 0);
}

/* A golden that calls the runtime's answer wrong passes where the reference differs. */
TEST(wrong_answers_are_counted)
{
    struct golden_report report;

    make_golden(relu, WRONG);
    assert_int_equal(check_golden(golden_kit_directory, relu, &report, &err), STATUS_OK);
    assert_int_equal(report.wrong, 1);
    assert_int_equal(report.cases, 1);
    assert_int_equal(report.failed + report.missing + report.skipped, 0);
    golden_report_close(&report);
    make_golden(dot, WRONG); /* whose margin is none of the reference's */
    assert_int_equal(check_golden(golden_kit_directory, dot, &report, &err), STATUS_OK);
    assert_true(report.ops[0].margin == 0);
    golden_report_close(&report);
    fails(relu, WRONG_NOT, "(the runtime forgets an element), but the reference has the same one");
    fails(relu, WRONG_OTHER, "its inputs have another hash");
}

/* A delegate's answers to some of the cases are held to its bounds, and none is missing. */
TEST(delegates_are_held_to_bounds)
{
    struct golden_request request = { .directory = golden_kit_directory,
                                      .filters = ONE("logistic.f32.*"),
                                      .quiet = true,
                                      .delegate = true };
    static const char shortcut[] = "logistic.f32.tails";
    struct golden_report report;

    make_golden(shortcut, GOOD);
    assert_int_equal(golden_check(&request, &report, &err), STATUS_OK);
    assert_int_equal(report.cases, 1);
    assert_int_equal(report.failed + report.missing, 0);
    golden_report_close(&report);
    /* The runtime may be further off at x < -9 than a delegate (TOLERANCES.md 9). */
    passes(shortcut, SHORTCUT, 1);
    assert_int_equal(golden_check(&request, &report, &err), STATUS_OK);
    assert_int_equal(report.failed, 1);
    golden_report_close(&report);
    /* The data of fp16 are others. */
    make_golden(shortcut, GOOD);
    request.bounds = BOUNDS_FP16;
    assert_int_equal(golden_check(&request, &report, &err), STATUS_OK);
    assert_int_equal(report.failed, 1);
    assert_non_null(strstr(report.failures[0].reason, "its inputs have another hash"));
    golden_report_close(&report);
    make_golden(shortcut, ONE_HALF);
    assert_int_equal(golden_check(&request, &report, &err), STATUS_OK);
    assert_int_equal(report.failed, 0);
    golden_report_close(&report);
    /* Inputs that f16 rounds: the results are off by that, too. */
    request.filters = (struct string_list)ONE("fully_connected.f32.full_mantissas");
    make_golden(request.filters.items[0], ROUNDED_INPUTS);
    assert_int_equal(golden_check(&request, &report, &err), STATUS_OK);
    assert_int_equal(report.failed, 0);
    golden_report_close(&report);
}

TEST(damaged_files_are_refused)
{
    static const struct {
        enum spoil spoil;
        const char *words;
    } rows[] = {
        { HUGE_CHUNK, "stored in a way" },
        { FOREIGN, "stored in a way" },
        { LINKED, "a link" },
        { NO_OUTPUTS, "no group 'outputs'" },
        { NO_SEED, "no attribute 'seed'" },
        { TEXT_SEED, "attribute 'seed' is no integer" },
        { VARIABLE_HASH, "is no string of fixed length" },
        { BAD_HASH, "no SHA-256" },
        { BAD_SET, "attribute 'data_set' is 'S9'" },
        { BAD_CASES, "cases_sha256" },
        { BAD_SCHEMA, "schema 2" },
        { NO_META, "no group 'meta'" },
        { BAD_NAME, "named like no case" },
        { STORED_OTHER, "the stored model" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_golden(relu, rows[i].spoil);
        golden_is_refused("relu*", rows[i].words);
    }
    make_golden(hidden, NO_TENSORS);
    golden_is_refused(hidden, "no tensors/");
    make_golden(hidden, WRONG_NO_TENSORS);
    golden_is_refused(hidden, "no tensors/");
    make_golden("add.f32.c5", STORED_INPUT);
    golden_is_refused("add.f32.c5", "the stored input is not what its hash says");
    make_golden(stateful, NO_AGAIN);
    golden_is_refused(stateful, "no group 'again'");
}

/* Cut anywhere, and with bytes changed anywhere, a file is refused or found wrong or found good,
 * and nothing else happens. */
TEST(broken_bytes_are_refused)
{
    uint64_t random = 1;
    struct diag diag;
    uint8_t *bytes, *copy;
    size_t count, refused = 0;

    make_golden(chain, STORED);
    assert_int_equal(file_read(golden_kit_path, 1 << 24, &bytes, &count, &diag), STATUS_OK);
    copy = mem_alloc(count, 1);
    assert_non_null(copy);
    for (size_t i = 0; i < 300; i += KIT_EACH(4)) {
        struct golden_report report;

        random = random * 6364136223846793005u + 1442695040888963407u;
        memcpy(copy, bytes, count);
        if (i % 3 == 0) {
            save_golden(copy, (size_t)(random >> 33) % count);
        } else {
            copy[(size_t)(random >> 33) % count] ^= (uint8_t)(1U << (random >> 29 & 7));
            save_golden(copy, count);
        }
        diag = (struct diag){ .status = STATUS_OK };
        if (check_golden(golden_kit_directory, chain, &report, &diag) == STATUS_OK) {
            golden_report_close(&report);
        } else {
            assert_non_null(strstr(diag.text, golden_kit_path));
            refused++;
        }
    }
    assert_true(refused >= 100 / KIT_EACH(4)); /* all that were cut */
    mem_free(copy);
    mem_free(bytes);
}

/* A tree whose first child is itself, and a pipe, end as errors with the file's name. */
TEST(hostile_files_are_refused)
{
    enum { LEVEL = 5, CHILD = 32 };
    struct golden_report report;
    struct diag diag;
    uint8_t *bytes;
    size_t count, refused = 0;

    make_golden(relu, GOOD);
    assert_int_equal(file_read(golden_kit_path, 1 << 24, &bytes, &count, &diag), STATUS_OK);
    for (size_t at = 0; at + CHILD + 8 < count; at += 8) {
        uint8_t before[CHILD + 8];

        if (memcmp(bytes + at, "TREE", 4) != 0)
            continue;
        memcpy(before, bytes + at, sizeof before);
        bytes[at + LEVEL] = 1;
        for (int i = 0; i < 8; i++)
            bytes[at + CHILD + i] = (uint8_t)((uint64_t)at >> (8 * i));
        save_golden(bytes, count);
        if (check_golden(golden_kit_directory, relu, &report, &diag) == STATUS_OK) {
            golden_report_close(&report); /* of a group that this case has no use for */
        } else {
            assert_int_equal(diag.status, STATUS_IO);
            assert_int_equal(strncmp(diag.text, golden_kit_path, strlen(golden_kit_path)), 0);
            refused++;
        }
        memcpy(bytes + at, before, sizeof before);
    }
    mem_free(bytes);
    assert_true(refused >= 3); /* those of /, /relu, /relu/f32 at least */
    unlink(golden_kit_path);
    assert_int_equal(mkfifo(golden_kit_path, 0600), 0);
    golden_is_refused(relu, "a named pipe, expected a regular file");
    unlink(golden_kit_path);
}

TEST(directories_without_goldens_are_refused)
{
    struct golden_report report;

    assert_int_equal(check_golden("/nowhere", NULL, &report, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "/nowhere"));
    unlink(golden_kit_path);
    assert_int_equal(check_golden(golden_kit_directory, NULL, &report, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "no golden files"));
    make_golden(relu, GOOD);
    assert_int_equal(check_golden(golden_kit_directory, "nothing.*", &report, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "nothing.*"));
}

TEST(directory_is_found_from_below)
{
    char old[4096], below[128], found[4096], real[4096];

    make_golden(relu, GOOD);
    assert_non_null(getcwd(old, sizeof old));
    snprintf(below, sizeof below, "%s/golden", golden_kit_directory);
    assert_int_equal(mkdir(below, 0700), 0);
    snprintf(below, sizeof below, "%s/golden/x.h5", golden_kit_directory);
    assert_int_equal(rename(golden_kit_path, below), 0);
    snprintf(below, sizeof below, "%s/a", golden_kit_directory);
    assert_int_equal(mkdir(below, 0700), 0);
    assert_int_equal(chdir(below), 0);
    assert_int_equal(golden_find_directory(found, &err), STATUS_OK);
    assert_non_null(realpath(golden_kit_directory, real));
    assert_int_equal(strncmp(found, real, strlen(real)), 0);
    assert_string_equal(found + strlen(real), "/golden");
    assert_int_equal(chdir(old), 0);
    assert_int_equal(rmdir(below), 0);
    snprintf(below, sizeof below, "%s/golden/x.h5", golden_kit_directory);
    assert_int_equal(unlink(below), 0);
    snprintf(below, sizeof below, "%s/golden", golden_kit_directory);
    assert_int_equal(rmdir(below), 0);
}
TEST_FILE(.setup = golden_kit_open, .teardown = golden_kit_close);
