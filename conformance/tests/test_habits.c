/* Each habit against a mock delegate that goes wrong in it, and the sample of the cases. */
/* Needs: mock/delegate.so mock/gpu.so */
#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/judge/habits.h"
#include "conformance/suite/judge/judge.h"
#include "conformance/suite/subject/subject_spec.h"
#include "conformance/tests/kit/cases_kit.h"
#include "reference/base/memory.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include <stdio.h>
#include <string.h>

/* Judges a case with these habits.  mock: NULL for the reference. */
static struct case_result judge_habits(const char *mock, const char *fault, const char *name,
                                       const char *habits)
{
    char option[64];
    const char *items[] = { option };
    const struct string_list list = { items, mock ? 1 : 0 };
    struct judge_stage stage = { .set = -1 };
    const struct judge_options how = { .seed = 1, .stage = &stage };
    struct test_case c = *kit_case(name);
    struct habit_choice choice;
    struct case_result result;
    struct subject subject CLOSED_BY(subject_close);
    struct judge *judge = NULL;

    snprintf(option, sizeof option, "fault=%s", fault);
    if (habits_parse(habits, &choice, &err) != STATUS_OK ||
        subject_init(&subject, mock ? mock_path(mock) : "none", &list, &err) != STATUS_OK ||
        judge_open(&judge, &subject, &how, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    c.habits = choice.habits;
    judge_case(judge, &c, &result);
    judge_close(judge);
    return result;
}

/* A fault is seen in its habit, and without it passes. */
static const struct {
    const char *mock, *fault, *habit, *name, *reason;
} faults[] = {
    { "delegate.so", "resized", "resized", "relu.f32.c5", "resized: other results" },
    { "gpu.so", "resized", "resized", "conv_2d.f32.c5", "resized: other results" },
    { "delegate.so", "run_40", "runs", "relu.f32.c5", "runs: other results in run 40 of 64" },
    /* Its batch cannot be split. */
    { "delegate.so", "run_40", "runs", "reverse_v2.f32.batch",
      "runs: other results in run 40 of 64" },
    { "delegate.so", "last_made", "interpreters", "conv_2d.f32.c5",
      "interpreters: other results in interpreter 1 of" },
    { "delegate.so", "in_time", "threads", "conv_2d.f32.c5", "threads: other results in thread" },
    { "delegate.so", "odd_input", "addresses", "conv_2d.f32.c5", "addresses: other results" },
    { "delegate.so", "odd_output", "addresses", "conv_2d.f32.c5", "addresses: other results" },
    { "delegate.so", "odd_constant", "addresses", "conv_2d.f32.c5", "addresses: other results" },
    { "delegate.so", "partitions", "partition", "conv_2d.f32.c5",
      "partition: other results in the second partition" },
    { "delegate.so", "last_delegate", "options", "conv_2d.f32.c5",
      "options: other results, once the model was prepared by another delegate" },
    { "gpu.so", "other_options", "options", "conv_2d.f32.c5",
      "options: other results, once the model was prepared by another delegate" },
    { "gpu.so", "warm", "cache", "conv_2d.f32.c5", "cache: other results with a warm cache" },
    { "gpu.so", "other_files", "cache", "conv_2d.f32.c5",
      "cache: other results with the cache of a model with another constant" },
    { "gpu.so", "other_files", "cache", "add.f32.scalar_const_a",
      "cache: other results with the cache of a model with another constant" },
    { "gpu.so", "other_files", "cache", "conv_2d.u8.c4",
      "cache: other results with the cache of a model with another zero point" },
    { "gpu.so", "other_files", "cache", "add.i8.c31",
      "cache: other results with the cache of a model with another zero point" },
    { "gpu.so", "other_files", "cache", "add.i8.c2",
      "cache: other results with the cache of a model with another scale" },
    { "gpu.so", "other_files", "cache", "softmax.f32.c5",
      "cache: other results with the cache of a model with another option" },
    { "gpu.so", "wait", "wait", "conv_2d.f32.c5", "wait: other results with another wait mode" },
};

TEST(each_fault_is_seen_in_its_habit)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct case_result r =
            judge_habits(faults[i].mock, faults[i].fault, faults[i].name, faults[i].habit);
        if (r.status != CASE_FAIL || !strstr(r.reason, faults[i].reason))
            fail_msg("%s with fault=%s: %s, \"%s\", expected \"%s\"", faults[i].name,
                     faults[i].fault, case_status_name(r.status), r.reason, faults[i].reason);
        r = judge_habits(faults[i].mock, faults[i].fault, faults[i].name, "none");
        if (r.status != CASE_PASS)
            fail_msg("%s with fault=%s, without habits: %s", faults[i].name, faults[i].fault,
                     r.reason);
    }
}

/* The last of two outputs in the third run of a case. */
TEST(the_last_output_counts)
{
    const struct case_result r =
        judge_habits("delegate.so", "last_output", "split.f32.c6_2", "none");

    assert_int_equal(r.status, CASE_FAIL);
    assert_non_null(strstr(r.reason, "frame A gives other bits"));
    assert_true(r.output > 0);
}

/* Every habit that applies ran on subjects without a fault, and none failed. */
TEST(honest_subjects_pass)
{
    static const char *const names[] = { "relu.f32.c5", "conv_2d.f32.c5", "add.f32.linear_b",
                                         "gap.f32.conv_2d_runtime_both" };
    const uint32_t sampled = ((1u << HABIT_COUNT) - 1) >> HABIT_SAMPLED << HABIT_SAMPLED;
    const uint32_t ours = 1u << HABIT_CACHE | 1u << HABIT_WAIT;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct case_result r = judge_habits("gpu.so", "none", names[i], NULL);

        if (r.status != CASE_PASS)
            fail_msg("%s: %s", names[i], r.reason);
        assert_int_equal(r.habits & sampled, sampled);
        r = judge_habits("delegate.so", "none", names[i], NULL);
        assert_int_equal(r.status, CASE_PASS);
        assert_int_equal(r.habits & sampled, sampled & ~ours);
        assert_int_equal(r.left_out & sampled, ours);
        r = judge_habits(NULL, "none", names[i], NULL);
        assert_int_equal(r.status, CASE_PASS);
        assert_int_equal(r.left_out & sampled, ours | 1u << HABIT_PARTITION);
    }
}

/* A subject that refuses is not judged in the habit, and in the others it is. */
TEST(a_refusal_is_counted)
{
    struct case_result r = judge_habits("delegate.so", "odd_refused", "conv_2d.f32.c5", NULL);

    assert_int_equal(r.status, CASE_PASS);
    assert_int_equal(r.refused, 1u << HABIT_ADDRESSES);
    assert_false(r.habits >> HABIT_ADDRESSES & 1);
    assert_true(r.habits >> HABIT_PARTITION & 1);
    /* Ours may not. */
    r = judge_habits("gpu.so", "odd_refused", "conv_2d.f32.c5", "addresses");
    assert_int_equal(r.status, CASE_FAIL);
    assert_non_null(strstr(r.reason, "addresses: prepare: "));
}

TEST(names_are_parsed)
{
    struct habit_choice c;

    assert_int_equal(habits_parse("all", &c, &err), STATUS_OK);
    assert_true(c.all);
    assert_int_equal(habits_parse("runs,wait", &c, &err), STATUS_OK);
    assert_int_equal(c.habits, 1u << HABIT_RUNS | 1u << HABIT_WAIT);
    assert_int_equal(habits_parse("none", &c, &err), STATUS_OK);
    assert_int_equal(c.habits, 0);
    assert_int_equal(habits_parse("runs,walks", &c, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "walks: expected all, none, or some of resized, runs"));
    assert_string_equal(strrchr(err.text, ' '), " wait");
    assert_int_equal(habits_parse("", &c, &err), STATUS_USAGE);
}

/* Two cases of each op, floats and integers apart, where there are two; the seed draws others. */
TEST(the_sample_has_each_op_twice)
{
    struct test_case *cases, *other;
    struct habit_choice choice;
    size_t count, differ = 0;

    assert_int_equal(habits_parse(NULL, &choice, &err), STATUS_OK);
    assert_int_equal(cases_list(&cases, &count, &err), STATUS_OK);
    assert_int_equal(cases_list(&other, &count, &err), STATUS_OK);
    assert_int_equal(habits_draw(&choice, cases, count, 1, &err), STATUS_OK);
    assert_int_equal(habits_draw(&choice, other, count, 2, &err), STATUS_OK);
    for (int h = HABIT_SAMPLED; h < HABIT_COUNT; h++) {
        for (size_t i = 0; i < count && h != HABIT_CACHE; i++) {
            size_t drawn = 0, always = 0, all = 0;

            if (i > 0 && strcmp(cases[i].op, cases[i - 1].op) == 0)
                continue;
            for (size_t k = 0; k < count; k++) {
                if (cases[k].quantized || strcmp(cases[k].op, cases[i].op) != 0)
                    continue;
                all++;
                if (h == HABIT_RESIZED && cases[k].row->resized) {
                    assert_true(cases[k].habits >> h & 1);
                    always++;
                } else {
                    drawn += cases[k].habits >> h & 1;
                }
            }
            if (drawn > 2 || (all > 20 && drawn + always < 2))
                fail_msg("%s: %zu of %zu cases of %s", habit_names[h], drawn, all, cases[i].op);
        }
    }
    for (size_t i = 0; i < count; i++)
        differ += cases[i].habits != other[i].habits;
    assert_true(differ > 100);
    mem_free(cases);
    mem_free(other);
}

/* What a case has in the whole list it has alone, too: a failure is run again by its name. */
TEST(a_case_alone_has_its_habits)
{
    struct test_case *cases CLOSED_BY(kit_mem_free);
    struct habit_choice choice;
    size_t count;

    assert_int_equal(habits_parse(NULL, &choice, &err), STATUS_OK);
    assert_int_equal(cases_list(&cases, &count, &err), STATUS_OK);
    assert_int_equal(habits_draw(&choice, cases, count, 1, &err), STATUS_OK);
    for (size_t i = 0; i < count; i += 7) {
        struct test_case one = cases[i];

        one.habits = 0;
        assert_int_equal(habits_draw(&choice, &one, 1, 1, &err), STATUS_OK);
        assert_int_equal(cases[i].habits & ~one.habits, 0);
    }
}

TEST_FILE(.setup = kit_cases_open, .teardown = kit_cases_close);
