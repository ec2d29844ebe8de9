#include "conformance/tests/kit/record_kit.h"
#include "reference/tests/kit/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const ops[] = { "add", "conv_2d", "fully_connected", "lstm", "softmax" };
static const char *const types[] = { "f32", "f16", "i8" };
static const char quiet[] = "00000000000000000000000000000000";
static const char close_by[] = "000000LMNOPQRSTUVUTSRQPONMLK0000";
static const char far_off[] = "00000000000000000000LMNdefgz0000";

enum { OPS = sizeof ops / sizeof ops[0], TYPES = sizeof types / sizeof types[0] };

static void make_case(struct record *r, size_t i)
{
    struct record_case *const c = &r->cases[i];
    char name[64];

    snprintf(name, sizeof name, "%s.%s.h%zu_w%zu_c%zu", ops[i % OPS], types[i / OPS % TYPES],
             i / 97, i % 97, i % 7 + 1);
    *c = (struct record_case){ .name = arena_string(&r->arena, name),
                               .op = ops[i % OPS],
                               .type = types[i / OPS % TYPES],
                               .title = i % 50 == 49 ? "padded lanes leak into the next op" : NULL,
                               .version = 1 + (int32_t)(i % 3),
                               .index = i,
                               .inputs = "f32 [1, 4, 4, 5]; i32 [2]" };
    assert_non_null(c->name);
}

static struct record_result passed(size_t subject, size_t i)
{
    const bool exact = subject == 0 || i % 3 == 0;
    const double margin = (double)(i * 7919 % 1000) / 1000;

    return (struct record_result){ .subject = subject,
                                   .test_case = i,
                                   .status = CASE_PASS,
                                   .margin = exact ? 0 : margin,
                                   .max_abs = exact ? 0 : margin * 1e-6,
                                   .max_ulp = exact ? 0 : 4 * margin,
                                   .bias = exact ? 0 : margin * 1e-8,
                                   .ms = 0.01 + (double)(i % 31) / 100,
                                   .bytes = 4096 + i % 1000 * 64,
                                   .checked = 1U << HABIT_REPEAT | 1U << HABIT_GUARDS,
                                   .left_out = subject ? 1U << HABIT_DEVICE_POISON : 0,
                                   .by_element = exact ? quiet : close_by,
                                   .by_channel = exact ? "00000" : "0MV0T",
                                   .elements = 80,
                                   .channels = 5 };
}

static void make_subjects(struct record *r)
{
    static const struct record_option options[] = { { "precision", "fp16" } };
    static const struct record_device device = { "Mock GPU <9000>", "1.2.3", "Vulkan 1.3" };

    r->subject_count = 2;
    assert_non_null(r->subjects = ARENA_NEW(&r->arena, 2, struct record_subject));
    r->subjects[0] = (struct record_subject){ .spec = "reference",
                                              .label = "reference",
                                              .bounds = "fp32,exact" };
    r->subjects[1] = (struct record_subject){
        .spec = "delegate:/opt/libx.so?precision=fp16",
        .label = "libx.so precision=fp16",
        .path = "/opt/libx.so",
        .sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        .bounds = "fp16",
        .options = options,
        .option_count = 1,
        .device = device,
    };
    r->device = device;
}

void record_kit_open(struct record *r, size_t cases)
{
    static const char *const filters[] = { "*" };

    *r = (struct record){ 0 };
    r->run =
        (struct record_run){ .version = "0.1.0",
                             .git = "5faf3b7-dirty",
                             .command = "assay conformance --filter='*' --format=html",
                             .started = "2026-01-02T03:04:05Z",
                             .host = "Linux 6.1.0 x86_64, 2 processors",
                             .seconds = 183.5,
                             .seed = 1,
                             .filters = filters,
                             .filter_count = 1,
                             .timeout_s = 60,
                             .list_count = cases,
                             .list_sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca4"
                                            "95991b7852b855" };
    make_subjects(r);
    r->case_count = cases;
    r->result_count = 2 * cases;
    assert_non_null(r->cases = ARENA_NEW(&r->arena, cases, struct record_case));
    assert_non_null(r->results = ARENA_NEW(&r->arena, 2 * cases, struct record_result));
    for (size_t i = 0; i < cases; i++)
        make_case(r, i);
    for (size_t i = 0; i < 2 * cases; i++)
        r->results[i] = passed(i / cases, i % cases);
    assert_int_equal(record_index(r, NULL), STATUS_OK);
}

static void make_wrong(struct record_result *x)
{
    x->status = CASE_FAIL;
    x->reason = "over the limit (3 of 80 wrong): got 1.5, expected 1.25, error 0.25, limit 0.001";
    x->what = "over the limit (3 of 80 wrong)";
    x->rerun = "assay conformance --filter=add.f16.h0_w5_c6 --subject='delegate:/opt/libx.so?"
               "precision=fp16' --seed=1";
    x->margin = NAN;
    x->max_abs = 0.25;
    x->set = "S0";
    x->frame = 'B';
    x->where = "n 0 h 1 w 2 c 3";
    x->got = 1.5;
    x->want = 1.25;
    x->error = 0.25;
    x->limit = 0.001;
    x->worst.where = "n 0 h 3 w 0 c 1";
    x->worst.ratio = INFINITY;
    x->worst.got = NAN;
    x->worst.want = -2;
    x->worst.error = INFINITY;
    x->worst.limit = 0.002;
    x->by_element = far_off;
    x->by_channel = "0MVgz";
}

static void make_failures(struct record *r)
{
    for (size_t i = r->case_count; i < r->result_count; i++) {
        struct record_result *const x = &r->results[i];

        if (i % 400 == 10)
            make_wrong(x);
        if (i % 401 == 20)
            *x = (struct record_result){ .subject = 1,
                                         .test_case = x->test_case,
                                         .status = CASE_DECLINED,
                                         .reason = i % 2 ? "rank: node 0: rank 5, at most 4"
                                                         : "op.unknown: node 0: op CUSTOM" };
        if (i % 4001 == 30)
            *x = (struct record_result){ .subject = 1,
                                         .test_case = x->test_case,
                                         .status = CASE_CRASH,
                                         .reason = "killed by signal 11",
                                         .what = "killed by signal 11",
                                         .rerun = "assay conformance --filter=x" };
    }
}

void record_kit_fill(struct record *r)
{
    /* clang-format off */
    static const struct record_model models[] = {
        { .name = "digits_f32", .is_reference = true, .compared = true, .top1 = 0.9867,
          .snr_db = 136.8, .max_abs = 1.2e-6, .images = 899 },
        { .name = RECORD_KIT_HOSTILE, .subject = 1, .status = CASE_FAIL, .reason = "other classes",
          .compared = true, .top1 = NAN, .snr_db = NAN, .max_abs = NAN, .nodes = 30, .taken = 29 },
    };
    /* clang-format on */
    static const struct record_minimal minimal[] = {
        { .subject = 1,
          .test_case = 1,
          .status = CASE_FAIL,
          .reason = "over the limit",
          .text = "ADD [1] + [1]\n" RECORD_KIT_HOSTILE,
          .similar = 3,
          .steps = 40 },
    };
    static const struct record_mutant mutants[] = {
        { "ref_add", "reference/ops/add.c", "add.f32.*", "subtracts", true },
        { "gpu_softmax", "delegate/ops/reduce/softmax.comp", "", RECORD_KIT_HOSTILE, false },
    };
    static struct record_missing missing[] = { { 1, 2 }, { 1, 3 } };

    make_failures(r);
    r->cases[0].name = RECORD_KIT_HOSTILE;
    r->cases[1].name = RECORD_KIT_TURNING;
    r->run.host = RECORD_KIT_TURNING;
    r->subjects[1].label = RECORD_KIT_HOSTILE;
    make_wrong(&r->results[r->case_count]);
    r->results[r->case_count].reason = RECORD_KIT_HOSTILE;
    r->models = ARENA_NEW(&r->arena, 2, struct record_model);
    r->minimal = ARENA_NEW(&r->arena, 1, struct record_minimal);
    r->mutants = ARENA_NEW(&r->arena, 2, struct record_mutant);
    assert_true(r->models && r->minimal && r->mutants);
    memcpy(r->models, models, sizeof models);
    memcpy(r->minimal, minimal, sizeof minimal);
    memcpy(r->mutants, mutants, sizeof mutants);
    r->model_count = r->mutant_count = 2;
    r->minimal_count = 1;
    r->missing = missing;
    r->missing_count = 2;
    r->result_count -= 2;
    memmove(&r->results[r->case_count + 2], &r->results[r->case_count + 4],
            (r->case_count - 4) * sizeof *r->results);
    r->run.interrupted = "SIGINT";
    assert_int_equal(record_index(r, NULL), STATUS_OK);
}
