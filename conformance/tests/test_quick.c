/* The sample of --quick: what it has to have, that it is the same each time, and that it is small.
 */
#include "reference/tests/kit/test.h"

#include "conformance/suite/cases/case_list.h"
#include "conformance/suite/cases/select.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/suite/judge/habits.h"
#include "conformance/suite/judge/judge.h"
#include "conformance/suite/subject/subject_spec.h"
#include "reference/base/memory.h"

#include <string.h>

static struct test_case *all, *sample;
static size_t all_count, sample_count;

static struct test_case *draw(uint64_t seed, size_t *count)
{
    struct test_case *list;

    if (cases_list(&list, count, &err) != STATUS_OK ||
        quick_select(list, count, seed, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    return list;
}

FIXTURE(open_lists)
{
    sample = draw(1, &sample_count);
    return cases_list(&all, &all_count, NULL) == STATUS_OK ? 0 : -1;
}

FIXTURE(close_lists)
{
    mem_free(all);
    mem_free(sample);
    return 0;
}

/* Whether two cases have what --quick promises one of: here of each pair in the list. */
typedef bool (*same)(const struct test_case *a, const struct test_case *b);

#define ALIKE(name_, ...)                                                                          \
    static bool name_(const struct test_case *a __attribute__((unused)),                           \
                      const struct test_case *b __attribute__((unused)))                           \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }                                                                                              \
    struct test_case

ALIKE(same_op_and_type, strcmp(a->op, b->op) == 0 && strcmp(a->type_name, b->type_name) == 0);

/* Rows that a delegate may refuse stand for no other. */
ALIKE(same_and_computed,
      same_op_and_type(a, b) && !a->row->gap == !b->row->gap &&
          (a->row->empty || a->row->refused_by || (!b->row->empty && !b->row->refused_by)));
ALIKE(same_op_and_version, strcmp(a->op, b->op) == 0 && a->version == b->version);
ALIKE(same_suite_and_type, a->suite == b->suite && strcmp(a->type_name, b->type_name) == 0);
ALIKE(same_title_and_type, !a->row->gap == !b->row->gap &&
                               (!a->row->gap || strcmp(a->row->gap, b->row->gap) == 0) &&
                               strcmp(a->type_name, b->type_name) == 0);

static void expect_each(const char *what, same is_same)
{
    for (size_t i = 0; i < all_count; i++) {
        size_t k = 0;

        while (k < sample_count && !is_same(&all[i], &sample[k]))
            k++;
        if (k == sample_count)
            fail_msg("the sample has no case with %s of %s", what, all[i].name);
    }
}

TEST(it_has_every_pair)
{
    expect_each("op and type", same_op_and_type);
    expect_each("op, type and suite, computed,", same_and_computed);
    expect_each("op and version", same_op_and_version);
    expect_each("suite and type", same_suite_and_type);
    expect_each("title and type", same_title_and_type);
}

/* Rows about special values and shapes are there for each op that has some. */
TEST(it_has_every_kind)
{
    for (size_t i = 0; i < all_count; i++) {
        const struct op_case *const row = all[i].row;
        size_t k = 0;

        while (k < sample_count &&
               (strcmp(sample[k].op, all[i].op) != 0 || (row->empty && !sample[k].row->empty) ||
                (row->every_half && !sample[k].row->every_half) ||
                (row->refused_by && !sample[k].row->refused_by)))
            k++;
        if (k == sample_count && row->empty + row->every_half + !!row->refused_by == 1)
            fail_msg("the sample has no case of the kind of %s", all[i].name);
    }
}

/* In the order of the list, each once. */
TEST(it_is_a_small_part)
{
    size_t at = 0;

    assert_in_range(sample_count, 400, all_count / 16);
    for (size_t k = 0; k < sample_count; k++) {
        while (at < all_count && strcmp(all[at].name, sample[k].name) != 0)
            at++;
        if (at++ == all_count)
            fail_msg("%s is not in the order of the list", sample[k].name);
    }
}

TEST(the_seed_decides)
{
    size_t again_count, other_count, shared = 0;
    struct test_case *const again = draw(1, &again_count), *const other = draw(2, &other_count);

    assert_int_equal(again_count, sample_count);
    for (size_t k = 0; k < sample_count; k++)
        assert_string_equal(again[k].name, sample[k].name);
    for (size_t k = 0, i = 0; k < sample_count; k++) {
        for (i = 0; i < other_count && strcmp(other[i].name, sample[k].name) != 0;)
            i++;
        shared += i < other_count;
    }
    assert_in_range(shared, 1, sample_count * 3 / 4);
    mem_free(again);
    mem_free(other);
}

/* Every kind of check applies to some case: judged on the reference until all have been met. */
TEST(it_meets_every_habit)
{
    const uint32_t every = (1u << HABIT_COUNT) - 1;
    struct judge_stage stage = { .set = -1 };
    const struct judge_options how = { .seed = 1, .stage = &stage };
    struct habit_choice habits;
    struct subject subject;
    struct judge *judge = NULL;
    uint32_t met = 0;

    assert_int_equal(habits_parse(NULL, &habits, &err), STATUS_OK);
    habits.quick = true;
    assert_int_equal(habits_draw(&habits, sample, sample_count, 1, &err), STATUS_OK);
    if (subject_init(&subject, "none", NULL, &err) != STATUS_OK ||
        judge_open(&judge, &subject, &how, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    for (size_t k = 0; k < sample_count && met != every; k++) {
        struct case_result result;

        judge_case(judge, &sample[k], &result);
        met |= result.habits | result.left_out;
    }
    judge_close(judge);
    subject_close(&subject);
    for (int h = 0; h < HABIT_COUNT; h++) {
        if (!(met >> h & 1))
            fail_msg("no case of the sample is checked by %s", habit_names[h]);
    }
}

/* A list of one case, or none, is its own sample. */
TEST(small_lists)
{
    struct test_case one[1];
    size_t count = 0;

    assert_int_equal(quick_select(one, &count, 1, NULL), STATUS_OK);
    assert_int_equal(count, 0);
    one[0] = all[0];
    count = 1;
    assert_int_equal(quick_select(one, &count, 1, NULL), STATUS_OK);
    assert_int_equal(count, 1);
}

TEST_FILE(.setup = open_lists, .teardown = close_lists);
