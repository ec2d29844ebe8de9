/* Models and cases where each allocation fails once: built, exported, checked against goldens,
 * judged, cut and made smaller.  A failure is said, nothing is left, and what is whole is right. */
#include "conformance/suite/cases/random_graph.h"
#include "conformance/suite/golden/golden.h"
#include "conformance/suite/judge/batch_model.h"
#include "conformance/suite/judge/judge.h"
#include "conformance/suite/models/zoo.h"
#include "conformance/suite/shrink/shrink_model.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tests/kit/cases_kit.h"
#include "delegate/tests/kit/memory_faults.h"
#include "reference/format/read.h"
#include "reference/tests/kit/graph_kit.h"
#include "reference/tests/kit/test.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- goldens ---- */

static enum status export_one(void *user, struct diag *diag)
{
    const char *glob = user;
    const struct golden_request request = { .filters = { &glob, 1 }, .seed = 1, .quiet = true };
    uint8_t *bytes CLOSED_BY(kit_mem_free) = NULL;
    size_t count = 0;
    const enum status s = golden_export(&request, &bytes, &count, diag);

    if (s == STATUS_OK)
        assert_true(count > 1000 && memcmp(bytes, "\x89HDF", 4) == 0);
    else
        assert_null(bytes);
    return s;
}

static enum status check_one(void *user, struct diag *diag)
{
    const struct golden_request request = { .filters = { (const char *[]){ "relu.f32.c5" }, 1 },
                                            .seed = 1,
                                            .quiet = true,
                                            .directory = user };
    struct golden_report report CLOSED_BY(golden_report_close);
    enum status s = golden_check(&request, &report, diag);

    if (s == STATUS_OK) {
        assert_int_equal(report.cases, 1);
        assert_int_equal(report.failed + report.missing + report.skipped, 0);
    }
    /* The process that reads the file has no memory, and the file is to blame for it. */
    if (s == STATUS_IO && strstr(diag->text, "memory"))
        s = STATUS_NO_MEMORY;
    return s;
}

TEST(test_goldens)
{
    char folder[128], target[PATH_MAX];
    const struct memory_scene export = { "export", export_one, (char[]){ "conv_2d.i8.same_s3" },
                                         false };
    const struct memory_scene check = { "check", check_one, folder, true };

    memory_faults_all(&export, false);
    snprintf(folder, sizeof folder, "%s", scratch("."));
    assert_non_null(realpath("golden/relu.h5", target));
    assert_int_equal(symlink(target, scratch("relu.h5")), 0);
    memory_faults_try(&check, MEMORY_BLOCKS);
    memory_faults_try(&check, MEMORY_ARENAS);
}

/* ---- models ---- */

static enum status build_zoo(void *user, struct diag *diag)
{
    const struct zoo_options *const options = user;
    const struct zoo_entry *entry = NULL;
    struct model m CLOSED_BY(model_close) = { 0 };
    enum status s = zoo_find(&entry, "kwt1", diag);

    assert_int_equal(s, STATUS_OK);
    s = zoo_build(&m, entry, options, diag);
    if (s == STATUS_OK)
        assert_true(m.subgraph_count == 1 && zoo_parameters(&m) > 1000);
    else
        assert_int_equal(m.subgraph_count, 0);
    return s;
}

TEST(test_zoo)
{
    struct zoo_options options = {
        .width = 0.25, .classes = 2, .type = TENSOR_FLOAT16, .seed = 1, .quiet = true
    };
    const struct memory_scene scene = { "zoo", build_zoo, &options, false };

    assert_true(memory_faults_try(&scene, MEMORY_BLOCKS) > 10);
}

static enum status draw_graphs(void *user, struct diag *diag)
{
    struct test_case *cases CLOSED_BY(kit_mem_free) = NULL;
    struct random_row *rows CLOSED_BY(kit_mem_free) = NULL;
    size_t count = 0;
    enum status s = random_cases_append(3, 4, &cases, &count, &rows, diag);

    (void)user;
    if (s == STATUS_OK) {
        const struct case_request request = { SET_RANDOM, 1, false };
        struct case_instance x CLOSED_BY(case_instance_close);

        assert_int_equal(count, 4);
        assert_string_equal(cases[3].name, "graph.u8.s3_3");
        s = case_build(&cases[3], &request, &x, diag);
    }
    return s;
}

TEST(test_graphs)
{
    const struct memory_scene scene = { "random graphs", draw_graphs, NULL, false };

    memory_faults_try(&scene, MEMORY_BLOCKS);
    memory_faults_try(&scene, MEMORY_ARENAS);
}

/* ---- what the judge makes of a model ---- */

static struct case_instance built(const char *name)
{
    const struct case_request request = { SET_RANDOM, 1, false };
    struct case_instance x;

    KIT_OK(case_build(kit_case(name), &request, &x, &err));
    return x;
}

static enum status copy_instance(void *user, struct diag *diag)
{
    const struct case_instance *const x = user;
    struct case_instance copy;
    const enum status s = instance_copy(x, &copy, diag);

    if (s == STATUS_OK) {
        assert_int_equal(copy.file.count, x->file.count);
        assert_memory_equal(copy.inputs[0].data[1], x->inputs[0].data[1], x->inputs[0].bytes);
        case_instance_close(&copy);
    }
    return s;
}

/* Applies the first reduction of each kind. */
static enum status reduce(void *user, struct diag *diag)
{
    const struct case_instance *const x = user;
    struct shrink_steps list CLOSED_BY(shrink_steps_close);
    enum status s = shrink_steps_find(x, &list, diag);
    bool tried[SHRINK_ROUND + 1] = { false };
    size_t made = 0;

    for (size_t i = 0; s == STATUS_OK && i < list.count; i++) {
        struct case_instance out;

        if (tried[list.items[i].kind])
            continue;
        tried[list.items[i].kind] = true;
        s = shrink_step_make(&list.items[i], x, &out, diag);
        if (s == STATUS_OK) {
            made++;
            case_instance_close(&out);
        } else if (s == STATUS_INVALID || s == STATUS_UNSUPPORTED) {
            s = STATUS_OK; /* it changes nothing here */
        }
    }
    if (s == STATUS_OK)
        assert_true(made > 0);
    return s;
}

static enum status open_batch(void *user, struct diag *diag)
{
    static const bool resized[CASE_INPUTS_MAX] = { true };
    const struct case_instance *const x = user;
    struct batch_model b;
    struct model m CLOSED_BY(model_close);
    enum status s = tflite_read(&m, x->file.bytes, x->file.count, diag);

    if (s == STATUS_OK && (s = batch_model_open(&b, &m, 2, resized, diag)) == STATUS_OK) {
        assert_int_equal(b.model.subgraphs[0].tensors[m.subgraphs[0].inputs.data[0]].shape.data[0],
                         1);
        batch_model_close(&b);
    }
    return s;
}

/* What is wrong with memory is a failure of the case, whose reason says so. */
static enum status judge_one(void *user, struct diag *diag)
{
    struct judge_stage stage = { .set = -1 };
    const struct judge_options how = { .seed = 1, .stage = &stage };
    struct case_result result;
    struct subject subject CLOSED_BY(subject_close);
    struct judge *judge = NULL;
    enum status s = subject_init(&subject, "none", NULL, diag);

    if (s == STATUS_OK)
        s = judge_open(&judge, &subject, &how, diag);
    if (s == STATUS_OK) {
        judge_case(judge, kit_case(user), &result);
        if (result.status != CASE_PASS)
            s = diag_fail(diag, STATUS_NO_MEMORY, "%s", result.reason);
        judge_close(judge);
    }
    return s;
}

TEST(test_instances)
{
    static const char *const names[] = { "relu.f32.c5", "conv_2d.i8.same_s3" };

    for (int i = 0; i < 2; i++) {
        struct case_instance x CLOSED_BY(case_instance_close) = built(names[i]);
        const struct memory_scene copy = { "copy", copy_instance, &x, false };
        const struct memory_scene less = { "reduce", reduce, &x, true };

        memory_faults_try(&copy, MEMORY_BLOCKS);
        memory_faults_try(&less, MEMORY_BLOCKS);
        memory_faults_try(&less, MEMORY_ARENAS);
    }
}

TEST(test_batches)
{
    struct case_instance x CLOSED_BY(case_instance_close) =
        built("conv_2d.f32.k1x3_s1x3_c8_o8_n2_i2x3_relu6");
    const struct memory_scene scene = { "batch of 1", open_batch, &x, false };

    memory_faults_all(&scene, false);
}

TEST(test_judge)
{
    static char lstm[] = "lstm.f32.d1", conv[] = "conv_2d.i8.same_s3";
    const struct memory_scene scenes[] = { { "judge, i8", judge_one, conv, true },
                                           { "judge, LSTM", judge_one, lstm, true } };

    for (int i = 0; i < 2; i++)
        assert_true(memory_faults_try(&scenes[i], MEMORY_BLOCKS) > 10);
    assert_true(memory_faults_try(&scenes[0], MEMORY_ARENAS) > 10);
}

TEST_FILE(.setup = kit_cases_open, .teardown = kit_cases_close, .leaves = "relu.h5");
