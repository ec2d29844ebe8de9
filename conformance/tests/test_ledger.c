/* The version ledger: ours is true of the cases that there are, and each way to be untrue is seen.
 */
#include "conformance/report/record/ledger.h"
#include "conformance/suite/cases/suite.h"
#include "conformance/tests/kit/cases_kit.h"
#include "reference/tests/kit/test.h"

#include "delegate/accept/refusal.h"
#include "reference/base/memory.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char ours[] = "conformance/versions.tsv";

static void open_ours(struct ledger *l)
{
    if (access(ours, R_OK) != 0) /* tests run in the source */
        fail_msg("%s: not here", ours);
    KIT_OK(ledger_open(l, ours, &err));
}

TEST(test_ours_has_its_proofs)
{
    struct ledger_problems p = { .out = stderr };
    struct ledger l CLOSED_BY(ledger_close);

    open_ours(&l);
    ledger_check_cases(&l, kit_cases, kit_case_count, &p);
    assert_int_equal(p.count, 0);
}

/* The rules that it names are the delegate's. */
TEST(test_rules_are_there)
{
    struct ledger l CLOSED_BY(ledger_close);

    open_ours(&l);
    assert_true(l.count > 100);
    for (size_t i = 0; i < l.count; i++) {
        int rule = 0;

        while (l.rows[i].rule && rule < RULE_COUNT &&
               strcmp(rule_id((enum rule)rule), l.rows[i].rule) != 0)
            rule++;
        if (rule == RULE_COUNT)
            fail_msg("%s version %d: no rule %s", l.rows[i].op, l.rows[i].version, l.rows[i].rule);
    }
}

#define HEADER "op\tversion\tadded\treference\tdelegate\tcases\n"

static void expect_malformed(const char *text, const char *words)
{
    const char *const path = scratch_text("file", text);
    struct ledger l CLOSED_BY(ledger_close);

    assert_int_equal(ledger_open(&l, path, &err), STATUS_USAGE);
    if (!strstr(err.text, words))
        fail_msg("\"%s\" is not in \"%s\"", words, err.text);
}

TEST(test_malformed)
{
    static const char row[] = "add\t1\tf32\tsupported\tsupported\tadd.*\n";
    static char many[sizeof HEADER + 4097 * sizeof row];

    expect_malformed("op\tversion\n", "expected 6 columns");
    expect_malformed(HEADER "add\t1\tf32\tsupported\tsupported\n", "line 2: expected 6 columns");
    expect_malformed(HEADER "add\t0\tf32\tsupported\tsupported\tadd.*\n",
                     "expected a version from 1 to 99, found '0'");
    expect_malformed(HEADER "add\t1x\tf32\tsupported\tsupported\tadd.*\n",
                     "expected a version from 1 to 99, found '1x'");
    expect_malformed(HEADER "add\t1\tf32\tyes\tsupported\tadd.*\n",
                     "reference: expected supported, float or refused, found 'yes'");
    expect_malformed(HEADER "add\t1\tf32\tsupported\trefused\tadd.*\n", "found 'refused'");
    expect_malformed(HEADER "add\t1\tf32\tsupported\trefused by \tadd.*\n", "found 'refused by '");
    expect_malformed(HEADER "add\t1\tf32\tsupported\tfloat\tadd.*\n", "found 'float'");
    memcpy(many, HEADER, sizeof HEADER);
    for (int i = 0; i < 4097; i++)
        strcpy(many + sizeof HEADER - 1 + (size_t)i * (sizeof row - 1), row);
    expect_malformed(many, "expected at most 4096 rows, found 4097");
}

/* The problems that a ledger of this one row has, besides the rows that it lacks; with results when
 * r is given. */
static void expect_problem(const char *row, const struct report *r, const char *words)
{
    char text[512], *problems CLOSED_BY(kit_free) = NULL;
    struct ledger_problems p = { .out = kit_memory_file(&problems) };
    struct ledger l CLOSED_BY(ledger_close);

    snprintf(text, sizeof text, HEADER "%s\n", row);
    KIT_OK(ledger_open(&l, scratch_text("file", text), &err));
    if (r)
        ledger_check_run(&l, r, &p);
    else
        ledger_check_cases(&l, kit_cases, kit_case_count, &p);
    fclose(p.out);
    if (words && !strstr(problems, words))
        fail_msg("\"%s\" is not in:\n%s", words, problems);
    if (!words && strstr(problems, "to pass on"))
        fail_msg("%s", problems);
}

TEST(test_lost_proofs)
{
    expect_problem("add\t1\tf32\tsupported\tsupported\tadd.f32.no_such_row", NULL,
                   "ledger: add version 1: no case of this version matches add.f32.no_such_row\n");
    /* Cases of another version or op are none. */
    expect_problem("conv_2d\t1\tf32\tsupported\tsupported\tconv_2d.f32.groups2", NULL,
                   "conv_2d version 1: no case");
    expect_problem("add\t1\tf32\tsupported\tsupported\tsub.*", NULL, "add version 1: no case");
    expect_problem("add\t99\tf32\tsupported\tsupported\tadd.*", NULL, "the reference stops at");
    expect_problem("add\t1\tf32\trefused\trefused by op.version\tadd.*", NULL,
                   "expected a refusal by the reference");
    expect_problem("frobnicate\t1\tf32\tsupported\tsupported\tadd.*", NULL, "no such op");
    expect_problem("add\t1\tf32\tsupported\tsupported\tadd.*\nadd\t1\tf32\tsupported\tsupported\t"
                   "add.*",
                   NULL, "there is a second row");
    /* Every version needs a row. */
    expect_problem(
        "add\t1\tf32\tsupported\tsupported\tadd.f32.c1", NULL,
        "ledger: add version 2: the reference takes it, and the ledger has no row for it\n");
}

/* What a run may show. */
TEST(test_results)
{
    static const char row[] = "add\t1\tf32\tsupported\tsupported\tadd.f32.c1";
    static const char refused[] = "add\t1\tf32\tsupported\trefused by op.version\tadd.f32.c1";
    struct subject subject = { .label = (char[]){ "ours" } };
    struct report r = {
        .subjects = &subject, .subject_count = 1, .cases = kit_cases, .case_count = kit_case_count
    };
    struct case_result *c = NULL;

    r.outcome.count = kit_case_count;
    r.outcome.results = mem_alloc(kit_case_count, sizeof *r.outcome.results);
    assert_non_null(r.outcome.results);
    for (size_t i = 0; i < kit_case_count; i++) {
        r.outcome.results[i].status = CASE_PASS;
        if (strcmp(kit_cases[i].name, "add.f32.c1") == 0)
            c = &r.outcome.results[i];
    }
    assert_non_null(c);
    expect_problem(row, &r, NULL);
    expect_problem(refused, &r, "expected a refusal on ours, found add.f32.c1: pass");
    c->status = CASE_DECLINED;
    snprintf(c->reason, sizeof c->reason, "op.version: version is 1, may be 2");
    expect_problem(row, &r, "expected add.f32.c1 to pass on ours, found: declined");
    /* Nothing is wrong with version 1. */
    expect_problem(refused, &r, "ledger: add version 2: the reference takes it");
    expect_problem("add\t1\tf32\tsupported\trefused by op.vers\tadd.f32.c1", &r,
                   "expected add.f32.c1 on ours to be refused by op.vers, found: op.version");
    c->status = CASE_FAIL;
    expect_problem(row, &r, "to pass on ours, found: fail");
    run_outcome_close(&r.outcome);
}

/* Two subjects, of which the first declines a case and the second does something else with it. */
static void expect_of_two(const char *name, const char *row, enum case_status other,
                          const char *words)
{
    struct subject subjects[] = { { .label = (char[]){ "exact" } },
                                  { .label = (char[]){ "view" } } };
    struct report r = {
        .subjects = subjects, .subject_count = 2, .cases = kit_cases, .case_count = kit_case_count
    };
    size_t found = 0;

    r.outcome.count = 2 * kit_case_count;
    r.outcome.results = mem_alloc(r.outcome.count, sizeof *r.outcome.results);
    assert_non_null(r.outcome.results);
    for (size_t i = 0; i < r.outcome.count; i++) {
        struct case_result *const c = &r.outcome.results[i];

        c->status = CASE_PASS;
        if (strcmp(kit_cases[i % kit_case_count].name, name) != 0)
            continue;
        c->status = i < kit_case_count ? CASE_DECLINED : other;
        found++;
    }
    assert_int_equal(found, 2);
    expect_problem(row, &r, words);
    run_outcome_close(&r.outcome);
}

/* A quantized node that ops.def lets the delegate take in one of two ways needs one that passes. */
TEST(test_one_way)
{
    static const char less[] = "less\t2\ti8\tsupported\tsupported\tless.i8.v2";
    static const char floats[] = "less\t1\tf32\tsupported\tsupported\tless.f32.c1";
    static const char add[] = "add\t2\ti8\tsupported\tsupported\tadd.i8.c1";
    static const char shorts[] = "add\t3\ti16\tsupported\tsupported\tadd.i16.same";

    expect_of_two("less.i8.v2", less, CASE_PASS, NULL);
    expect_of_two("less.i8.v2", less, CASE_DECLINED, "expected less.i8.v2 to pass on exact");
    expect_of_two("less.i8.v2", less, CASE_FAIL,
                  "expected less.i8.v2 to pass on view, found: fail");
    expect_of_two("less.f32.c1", floats, CASE_PASS, "expected less.f32.c1 to pass on exact");
    expect_of_two("add.i8.c1", add, CASE_PASS, "expected add.i8.c1 to pass on exact");
    expect_of_two("add.i16.same", shorts, CASE_PASS, NULL);
    expect_of_two("add.i16.same", shorts, CASE_DECLINED, "expected add.i16.same to pass on exact");
}

/* What ops.def has no row for is taken in no other way. */
TEST(test_one_way_of_none)
{
    size_t i = 0;
    int32_t before;

    while (i < kit_case_count && strcmp(kit_cases[i].name, "less.i8.v2") != 0)
        i++;
    assert_true(i < kit_case_count);
    before = kit_cases[i].code;
    kit_cases[i].code = -1;
    expect_of_two("less.i8.v2", "less\t2\ti8\tsupported\tsupported\tless.i8.v2", CASE_PASS,
                  "expected less.i8.v2 to pass on exact");
    kit_cases[i].code = before;
}

TEST_FILE(.setup = kit_cases_open, .teardown = kit_cases_close);
