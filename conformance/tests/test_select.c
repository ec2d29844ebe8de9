/* Which cases run: filters, limits, shards. */
#include "reference/tests/kit/test.h"

#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/select.h"
#include "conformance/suite/cases/suite.h"

#include "reference/base/memory.h"

#include <stdlib.h>
#include <string.h>

static struct test_case *cases;
static size_t count, all;

FIXTURE(open_cases)
{
    static const char *const names[] = {
        "TEST_SHARD_INDEX",       "TEST_TOTAL_SHARDS",    "SLURM_ARRAY_TASK_ID",
        "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "JOB_COMPLETION_INDEX",
        "JOB_COMPLETIONS",
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unsetenv(names[i]);
    if (cases_list(&cases, &count, NULL) != STATUS_OK)
        return -1;
    all = count;
    return 0;
}

FIXTURE(close_cases)
{
    mem_free(cases);
    return 0;
}

TEST(test_filters)
{
    const char *const patterns[] = { "relu.f32.c5", "softmax.f32.beta*" };
    const struct selection two = { .filters = { (const char **)(uintptr_t)patterns, 2 } };

    assert_int_equal(select_cases(cases, &count, &two, NULL), STATUS_OK);
    assert_true(count > 2 && count < 12);
    for (size_t i = 0; i < count; i++)
        assert_true(strcmp(cases[i].name, "relu.f32.c5") == 0 ||
                    strncmp(cases[i].name, "softmax.f32.beta", 16) == 0);
}

TEST(test_filter_without_match)
{
    static const char *const misspelt[][2] = {
        { "conv2d.f32.*", " cases; did you mean conv_2d.f32.*? --list" },
        { "relu.f32.c55", "did you mean relu.f32.c5?" },
        { "relu.f23*", " cases; --list" }, /* the op exists */
        { "sqeeze*", "did you mean squeeze*?" },
    };
    const char *patterns[] = { "relu.*", "no_such_op.*" };
    const struct selection s = { .filters = { patterns, 2 } };

    assert_int_equal(select_cases(cases, &count, &s, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "no_such_op.*"));
    for (size_t i = 0; i < sizeof misspelt / sizeof misspelt[0]; i++) {
        patterns[1] = misspelt[i][0];
        assert_int_equal(select_cases(cases, &count, &s, &err), STATUS_USAGE);
        if (!strstr(err.text, misspelt[i][1]))
            fail_msg("expected '%s', found '%s'", misspelt[i][1], err.text);
    }
}

static const char *one_more(size_t index)
{
    return index == 0 ? "digits_f32" : NULL;
}

/* A filter may name what runs beside the cases: then no case has to match. */
TEST(test_filter_of_another)
{
    const char *patterns[] = { "digits_*", "digits_i9" };
    const struct selection both = { .filters = { patterns, 2 }, .other_name = one_more };
    const struct selection one = { .filters = { patterns, 1 }, .other_name = one_more };

    assert_int_equal(select_cases(cases, &count, &both, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "digits_i9"));
    assert_int_equal(select_cases(cases, &count, &one, &err), STATUS_OK);
    assert_int_equal(count, 0);
}

TEST(test_limit)
{
    const struct selection s = { .limit = 3 };
    char last[CASE_NAME_BYTES] = "";

    assert_int_equal(select_cases(cases, &count, &s, NULL), STATUS_OK);
    assert_true(count / 3 >= 13);
    for (size_t i = 0; i < count; i++) {
        const char *const gap = cases[i].row->gap;
        size_t same = 0;

        for (size_t j = 0; j < count; j++) {
            const char *const other = cases[j].row->gap;

            same +=
                gap ? other && strcmp(gap, other) == 0
                    : !other && cases[j].code == cases[i].code && cases[j].suite == cases[i].suite;
        }
        if (same > 3) /* of a title, or in a small suite, there may be fewer */
            fail_msg("%s: %zu of its kind", cases[i].name, same);
        assert_string_not_equal(cases[i].name, last);
        strcpy(last, cases[i].name);
    }
    /* Spread over the rows: not all three from the sweep of channels in front. */
    for (size_t i = 0; i + 2 < count; i++) {
        if (strcmp(cases[i].name, "add.f32.c1") == 0) {
            assert_true(strncmp(cases[i + 2].name, "add.f32.c", 9) != 0);
            return;
        }
    }
    fail_msg("no add.f32.c1");
}

/* Every case is in exactly one shard, and shards are of about equal size. */
TEST(test_shards)
{
    size_t sum = 0;

    for (uint32_t i = 0; i < 7; i++) {
        size_t in = 0;

        for (size_t j = 0; j < all; j++)
            in += select_shard_of(cases[j].name, 7) == i;
        assert_true(in > all / 14 && in < all * 3 / 14);
        sum += in;
    }
    assert_int_equal(sum, all);
    /* The same on every machine. */
    assert_int_equal(select_shard_of("conv_2d.f32.same_s2_c5", 1000), 543);
    assert_int_equal(select_shard_of("softmax.f32.tail1001_4d", 1000), 328);
}

TEST(test_shard_selects)
{
    const struct selection s = { .shard = 2, .shards = 5 };

    assert_int_equal(select_cases(cases, &count, &s, NULL), STATUS_OK);
    assert_true(count > 0 && count < all / 3);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(select_shard_of(cases[i].name, 5), 2);
}

static void expect_shard(const char *text, uint32_t shard, uint32_t shards)
{
    struct selection s = { .limit = 0 };

    if (select_shard(&s, text, &err) != STATUS_OK)
        fail_msg("%s: %s", text ? text : "environment", err.text);
    assert_int_equal(s.shard, shard);
    assert_int_equal(s.shards, shards);
}

static void expect_usage(const char *text)
{
    struct selection s = { .limit = 0 };

    assert_int_equal(select_shard(&s, text, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "--shard="));
}

TEST(test_shard_flag)
{
    expect_shard("0/4", 0, 4);
    expect_shard("3/4", 3, 4);
    expect_usage("4/4");
    expect_usage("0/0");
    expect_usage("1");
    expect_usage("1/");
    expect_usage("-1/4");
    expect_usage("1/4x");
    expect_usage("x/4");
    expect_usage("/4");
    expect_usage("99999999999/4");
    expect_usage("env"); /* there is none */
    expect_shard(NULL, 0, 0);
}

TEST(test_shard_environment)
{
    setenv("JOB_COMPLETION_INDEX", "5", 1);
    expect_usage(NULL);  /* nobody asked for a part */
    expect_usage("env"); /* an index without a count */
    expect_shard("/8", 5, 8);
    expect_usage("/4");
    setenv("JOB_COMPLETIONS", "6", 1);
    expect_shard("env", 5, 6);
    expect_usage(NULL);
    setenv("JOB_COMPLETIONS", "many", 1);
    expect_usage("env");
    setenv("JOB_COMPLETION_INDEX", "x", 1);
    expect_usage("env");
    expect_usage("/8");
    expect_usage(NULL);
    setenv("SLURM_ARRAY_TASK_ID", "12", 1);
    setenv("SLURM_ARRAY_TASK_COUNT", "4", 1);
    setenv("SLURM_ARRAY_TASK_MIN", "10", 1);
    expect_shard("env", 2, 4);
    setenv("TEST_SHARD_INDEX", "1", 1);
    setenv("TEST_TOTAL_SHARDS", "3", 1);
    expect_shard("env", 1, 3);
    expect_shard("0/2", 0, 2); /* the flag wins */
}

TEST_FILE(.each_setup = open_cases, .each_teardown = close_cases);
