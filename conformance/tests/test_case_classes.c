/* Classes of attributes and shapes: measured from models as they are built, counted by op and type,
 * and what is claimed of them held to what a run took. */
#include "conformance/report/record/classes.h"
#include "conformance/suite/cases/case_builder.h"
#include "conformance/suite/judge/case_classes.h"
#include "conformance/tests/kit/cases_kit.h"
#include "conformance/tests/kit/report_kit.h"
#include "conformance/tests/kit/sample_record.h"
#include "conformance/util/tsv.h"
#include "conformance/util/words.h"
#include "reference/tests/kit/test.h"

#include <stdio.h>
#include <string.h>

static void measure(const char *name, char text[CASE_CLASSES_BYTES])
{
    const struct test_case *const c = kit_case(name);
    struct model m CLOSED_BY(model_close);
    struct case_instance x CLOSED_BY(case_instance_close);

    if (case_open(c, 1, &x, &m, &err) != STATUS_OK)
        fail_msg("%s: %s", name, err.text);
    case_classes_measure(&m, x.judged_node, text);
}

TEST(test_measured)
{
    static const struct {
        const char *name, *classes;
    } rows[] = {
        { "relu.f32.c5", "rank4 tail" },
        { "conv_2d.f32.same_s2_c5", "rank4 tail same stride_w stride_h const1 const2" },
        { "conv_2d.f32.empty_batch", "empty" },
        { "add.f32.scalar_b", "rank4 tail broadcast" },
        { "concatenation.f32.c3_3", "rank4 tail inputs2 axis.last" },
        { "fully_connected.w4.b2_k6_u17_x7_relu6_nb_r3keep_sr_dn",
          "rank3 batch tail relu6 keep_num_dims blocks1 const1" },
        { "mean.f32.hw_c5", "rank4 tail const1 in1.inner in1>1" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[CASE_CLASSES_BYTES];

        measure(rows[i].name, text);
        if (strcmp(text, rows[i].classes) != 0)
            fail_msg("%s: expected \"%s\", found \"%s\"", rows[i].name, rows[i].classes, text);
    }
}

/* Each word that is measured of a case can be asked for. */
TEST(test_all_are_known)
{
    for (size_t i = 0; i < kit_case_count; i += 37) {
        char text[CASE_CLASSES_BYTES], *rest = text, *word;

        measure(kit_cases[i].name, text);
        assert_true(strlen(text) < CASE_CLASSES_BYTES - CASE_CLASS_BYTES); /* none is cut off */
        while ((word = strsep(&rest, " ")) != NULL)
            if (*word && !case_class_is_known(kit_cases[i].op, word) &&
                !case_class_is_known(NULL, word))
                fail_msg("%s: %s", kit_cases[i].name, word);
    }
}

TEST(test_names)
{
    static const char *const known[] = { "rank8",    "batch", "const1",     "in3<0", "in1.last",
                                         "inputs>4", "relu6", "begin_mask", "in12>1" };
    static const char *const others[] = { "",        "rank9",    "const",        "const1x", "in3",
                                          "in1.end", "stride_w", "begin_mask=x", "offset>" };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!case_class_is_known("strided_slice", known[i]))
            fail_msg("%s is a class", known[i]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (case_class_is_known("strided_slice", others[i]))
            fail_msg("'%s' is no class of STRIDED_SLICE", others[i]);
    assert_true(case_class_is_known("conv_2d", "stride_w"));
    assert_true(case_class_is_known("space_to_depth", "block_size=2"));
    assert_string_equal(case_class_nearest("strided_slice", "ofset"), "offset");
}

/* ---- claims ---- */

#define HEADER "op\ttype\tbounds\ttaken\tdeclined\n"

static void expect_refused(const char *text, enum status status, const char *words)
{
    struct class_claims c CLOSED_BY(class_claims_close);

    assert_int_equal(class_claims_open(&c, text, &err), status);
    if (!strstr(err.text, words))
        fail_msg("\"%s\" is not in \"%s\"", words, err.text);
}

TEST(test_refused_claims)
{
    static const struct {
        const char *text, *words;
    } files[] = {
        { "", "no header line" },
        { "op\ttype\n", "expected 5 columns" },
        { HEADER "relu\tf32\t*\trank5\n", "line 2: expected 5 columns" },
        { HEADER "relux\tf32\t*\trank5\t\n", "line 2: relux.f32: expected an op" },
        { HEADER "relu\tf33\t*\trank5\t\n", "expected a type, such as f32 or i8pc, or *, found" },
        { HEADER "relu\tf32\tfp33\trank5\t\n", "expected bounds" },
        { HEADER "relu\tf32\t*\trank5 ranc4\t\n", "found 'ranc4'; did you mean 'rank" },
        { HEADER "relu\tf32\t*\trank5\trank4+\n", "found '+'" },
        { HEADER "relu\tf32\t*\trank5  rank4\t\n", "found ''" },
        { HEADER "relu\tf32\t*\t\x1b[31m\t\n", "expected a class of the op" },
    };

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const char *const path = scratch_text("file", files[i].text);

        expect_refused(path, STATUS_USAGE, files[i].words);
    }
    expect_refused("relu.f32:ofset", STATUS_USAGE, "--require-classes: relu.f32: expected a class");
    expect_refused("strided_slice.f32:ofset", STATUS_USAGE, "did you mean 'offset'?");
    expect_refused("relu.f32", STATUS_USAGE, "expected OP.TYPE:CLASS");
    expect_refused("relu:rank5", STATUS_USAGE, "expected OP.TYPE:CLASS");
    expect_refused("relu.f32:rank5,", STATUS_USAGE, "expected OP.TYPE:CLASS");
    expect_refused("/nosuch.tsv", STATUS_IO, "/nosuch.tsv");
    expect_refused("/tmp", STATUS_IO, "/tmp");
    expect_refused("/dev/zero", STATUS_IO, "/dev/zero");
}

TEST(test_many_rows)
{
    static const char row[] = "relu\tf32\t*\trank5\t\n";
    static char many[sizeof HEADER + 16385 * sizeof row];

    strcpy(many, HEADER);
    for (size_t i = 0, at = strlen(HEADER); i < 16385; i++, at += sizeof row - 1)
        memcpy(many + at, row, sizeof row);
    {
        const char *const path = scratch_text("file", many);

        expect_refused(path, STATUS_USAGE, "expected at most 16384 rows, found 16385");
    }
}

/* A run of three cases of STRIDED_SLICE and one of RELU */
struct sample {
    struct record_subject subject;
    struct record_case cases[4];
    struct record_result results[4];
    struct record r;
};

static void open_sample(struct sample *s)
{
    static const char *const names[] = { "strided_slice.f32.a", "strided_slice.f32.b",
                                         "strided_slice.f32.c", "relu.f32.d" };
    static const char *const classes[] = { "rank4 offset", "rank4 begin_mask",
                                           "rank4 in3<0 begin_mask", "rank5" };

    memset(s, 0, sizeof *s);
    s->subject = (struct record_subject){ .label = "libx.so", .bounds = "fp32" };
    s->r = (struct record){ .subjects = &s->subject,
                            .subject_count = 1,
                            .cases = s->cases,
                            .case_count = 4,
                            .results = s->results,
                            .result_count = 4 };
    for (size_t i = 0; i < 4; i++) {
        s->cases[i] = (struct record_case){ .name = names[i],
                                            .op = i < 3 ? "strided_slice" : "relu",
                                            .type = "f32",
                                            .classes = classes[i] };
        s->results[i].test_case = i;
    }
}

static void decline(struct sample *s, size_t i, const char *why)
{
    s->results[i].status = CASE_DECLINED;
    s->results[i].what = why;
}

/* How many problems there are; words: in what is printed. */
static void expect_problems(const struct sample *s, const char *claims, size_t count,
                            const char *words)
{
    struct ledger_problems p = { .count = 0 };
    struct class_claims c CLOSED_BY(class_claims_close);
    char *text CLOSED_BY(kit_free) = NULL;
    size_t bytes = 0;

    p.out = open_memstream(&text, &bytes);
    assert_non_null(p.out);
    if (class_claims_open(&c, claims, &err) != STATUS_OK ||
        class_claims_check(&c, &s->r, &p, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    fclose(p.out);
    if (p.count != count || !strstr(text, words))
        fail_msg("expected %zu with \"%s\", found %zu:\n%s", count, words, p.count, text);
}

TEST(test_checked)
{
    const char *const path =
        scratch_text("file", HEADER "strided_slice\tf32\t*\tbegin_mask in3<0 offset rank4\t\n"
                                    "relu\t*\tfp32\trank5\t\n");
    struct sample s;

    open_sample(&s);
    expect_problems(&s, path, 0, "");
    decline(&s, 0, "op.offset: offset is 1, may be 0");
    expect_problems(&s, path, 1,
                    "classes: strided_slice.f32:offset on libx.so: expected to be taken, found 1 "
                    "case declined, such as strided_slice.f32.a: op.offset: offset is 1, may be 0");
    decline(&s, 0, "limits.memory: bytes is 9, may be 3"); /* the device's, not the delegate's */
    expect_problems(&s, path, 0, "");
    expect_problems(&s, "*.*:rank5", 0, "");
    expect_problems(&s, "relu.f32:rank4", 1, "relu.f32:rank4 on libx.so");
    expect_problems(&s, "conv_2d.f32:rank4", 1, "conv_2d.f32:rank4: expected");
    expect_problems(&s, "*.i8:rank4,*.*:rank7", 2, "*.*:rank7: expected");
    s.cases[3].classes = NULL;
    expect_problems(&s, path, 1, "relu.*:rank5: expected to be taken, found no case");
}

/* Ours names what there is, and has what was once lost unnoticed. */
TEST(test_ours)
{
    static const struct {
        const char *op, *class;
    } rows[] = { { "strided_slice", " offset " },
                 { "strided_slice", " in3<0 " },
                 { "strided_slice", " begin_mask " },
                 { "relu", " rank5 " },
                 { "exp", " rank6 " } };
    struct class_claims c CLOSED_BY(class_claims_close);

    KIT_OK(class_claims_open(&c, "conformance/classes.tsv", &err));
    assert_true(c.count > 400);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t k = 0;

        while (k < c.count &&
               (strcmp(c.rows[k].op, rows[i].op) != 0 || strcmp(c.rows[k].type, "f32") != 0))
            k++;
        if (k == c.count || !strstr(c.rows[k].taken, rows[i].class) ||
            strstr(c.rows[k].declined, "in3<0"))
            fail_msg("%s.f32:%s is not taken", rows[i].op, rows[i].class);
    }
}

/* Two classes that are taken, and not together. */
TEST(test_pairs)
{
    const char *path;
    struct sample s;

    open_sample(&s);
    s.cases[0].classes = "rank4 in3<0";
    decline(&s, 2, "op.mask: begin_mask is 1, may be 0");
    path = scratch_text("file", HEADER "strided_slice\tf32\t*\tbegin_mask in3<0 rank4\t\n");
    expect_problems(&s, path, 1, "strided_slice.f32:in3<0+begin_mask on libx.so");
    path = scratch_text("file",
                        HEADER "strided_slice\tf32\t*\tbegin_mask in3<0 rank4\tbegin_mask+in3<0\n");
    expect_problems(&s, path, 0, "");
    expect_problems(&s, "strided_slice.f32:begin_mask+in3<0", 1, "begin_mask+in3<0 on");
    expect_problems(&s, "strided_slice.f32:begin_mask", 0, "");
}

/* What is written is true of the run that wrote it, and tells what another one has lost. */
TEST(test_written)
{
    const char *const path = scratch("classes.tsv");
    char *text CLOSED_BY(kit_free) = NULL;
    struct sample s;

    open_sample(&s);
    decline(&s, 3, "tensor.rank: rank is 5, may be 4");
    decline(&s, 2, "op.mask: begin_mask is 1, may be 0");
    s.cases[0].classes = "rank4 in3<0";
    assert_int_equal(classes_write(&s.r, path, &err), STATUS_OK);
    text = text_of_file(path);
    assert_non_null(strstr(text, HEADER "relu\tf32\t*\t\trank5\n"
                                        "strided_slice\tf32\t*\tbegin_mask in3<0 rank4\t"
                                        "begin_mask+in3<0\n"));
    expect_problems(&s, path, 0, "");
    decline(&s, 0, "op.stride: stride is -1, may be 1");
    expect_problems(&s, path, 1, "strided_slice.f32:in3<0 on libx.so");
}

/* ---- the ledger ---- */

/* The classes of an op in a type, in all bounds: with spaces between, for which the caller frees.
 */
static char *listed(const struct tsv *t, const char *op, const char *type)
{
    char *text = NULL;
    size_t bytes;
    FILE *const f = open_memstream(&text, &bytes);

    assert_non_null(f);
    for (size_t i = 0; i < t->rows; i++)
        if (strcmp(tsv_cell(t, i, 0), op) == 0 && strcmp(tsv_cell(t, i, 1), type) == 0)
            fprintf(f, "%s %s ", tsv_cell(t, i, 3), tsv_cell(t, i, 4));
    fclose(f);
    return text;
}

/* What no attribute is, or what each type has of its own. */
static bool is_free(const char *word)
{
    static const char *const beginnings[] = { "rank",     "large",      "empty",    "i64_",
                                              "absent",   "has",        "variable", "in_data",
                                              "out_data", "output_type" };

    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (strncmp(word, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return strchr(word, '+') != NULL;
}

/* Which rows have which types a hash decides: an attribute that floats have, bytes and integers
 * must have in some row, too (row_types.def). */
TEST(test_types_have_the_attributes_of_floats)
{
    static const char *const types[] = { "i8", "u8", "i32" };
    static const char *const header[] = { "op", "type", "bounds", "taken", "declined" };
    /* Two rows have the name of one in another suite; the basic kernel of LSTM in bytes is of u8,
     * the full one of i8; SVDF in bytes has RELU. */
    static const char without[] =
        "cast u8 batch,gather u8 in1.inner,svdf i8 relu6,svdf i8 relu_n1_to_1,lstm i8 "
        "kernel_type=1,"
        "lstm u8 cell_clip,lstm u8 proj_clip,lstm u8 const1,lstm u8 const4,lstm u8 const5,"
        "lstm u8 const6,lstm u8 const7";
    struct tsv t CLOSED_BY(tsv_close);
    size_t missing = 0, held = 0;

    assert_int_equal(tsv_read(&t, "conformance/classes.tsv", header, 5, &err), STATUS_OK);
    for (size_t i = 0; i < t.rows; i++) {
        const char *const op = tsv_cell(&t, i, 0);

        if (strcmp(tsv_cell(&t, i, 1), "f32") != 0)
            continue;
        for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
            char *floats CLOSED_BY(kit_free) = listed(&t, op, "f32"), *rest = floats, *word;
            char *others CLOSED_BY(kit_free) = listed(&t, op, types[k]);

            while (others[0] && (word = strsep(&rest, " ")) != NULL) {
                char what[128];

                snprintf(what, sizeof what, "%s %s %s", op, types[k], word);
                held++;
                if (!*word || is_free(word) || words_have(others, word, ' ') ||
                    words_have(without, what, ','))
                    continue;
                print_error("%s: expected a case, as f32 has\n", what);
                missing++;
            }
        }
    }
    assert_true(held > 1000);
    assert_int_equal(missing, 0);
}

/* ---- in reports ---- */

TEST(test_read_again)
{
    const char *const path = scratch("classes.json");
    struct record r CLOSED_BY(record_close), again CLOSED_BY(record_close);

    sample_record_open(&r, 3);
    r.cases[0].classes = "rank4 batch";
    r.cases[1].classes = "rank5";
    r.results[1].status = CASE_DECLINED;
    r.results[1].what = r.results[1].reason = "tensor.rank: rank is 5";
    sample_record_write(&r, path);
    assert_int_equal(record_read(&again, path, &err), STATUS_OK);
    assert_string_equal(again.cases[0].classes, "rank4 batch");
    assert_null(again.cases[2].classes);
    report_kit_expect_in(&again, form_text, "taken in no case:\n    relu f32 - rank5\n");
}

TEST_FILE(.setup = kit_cases_open, .teardown = kit_cases_close);
