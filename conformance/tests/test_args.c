/* The command line: values, ranges, suggestions, help, messages. */
#include "conformance/tools/cli/args.h"
#include "conformance/tools/cli/commands.h"
#include "conformance/util/nearest.h"
#include "reference/tests/kit/capture.h"
#include "reference/tests/kit/test.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct values {
    bool list;
    const char *filter, *output;
    uint64_t runs;
    double mean;
    struct string_list input;
    int mode;
};

static const char *const modes[] = { "fast", "slow", NULL };

static const struct command demo = { .name = "demo",
                                     .summary = "does nothing",
                                     .synopsis = "MODEL [--runs=N]",
                                     .examples = "  assay demo x.tflite\n" };

static struct capture capture;

/* Parses the words; what was said on stderr is in capture.text. */
static bool parse(struct values *v, struct args_common *common, struct args *args, int *code,
                  int argc, const char *const *words)
{
    const struct args_flag flags[] = {
        { "list", ARGS_BOOL, &v->list, NULL, "lists", 0, 0, NULL },
        { "filter", ARGS_STRING, &v->filter, "GLOB", "picks", 0, 0, NULL },
        { "runs", ARGS_UINT, &v->runs, "N", "how many", 1, 1000, NULL },
        { "mean", ARGS_DOUBLE, &v->mean, "X", "subtracted", -1000, 1000, NULL },
        { "secs", ARGS_DOUBLE, &v->mean, "S", "seconds", 0, 1e6, NULL },
        { "input", ARGS_LIST, &v->input, "FILE", "input", 0, 0, NULL },
        { "mode", ARGS_CHOICE, &v->mode, "MODE", "how", 0, 0, modes },
        { "output", ARGS_STRING, &v->output, "FILE", "output", 0, 0, NULL },
        { "o", ARGS_STRING, &v->output, "FILE", "the same", 0, 0, NULL },
    };
    static char name[] = "demo";
    static char *argv[16]; /* args points into it */
    bool ok;

    assert_true(argc < 15);
    memset(argv, 0, sizeof argv);
    argv[0] = name;
    for (int i = 0; i < argc; i++)
        argv[i + 1] = (char *)words[i];
    *v = (struct values){ 0 };
    *code = -1;
    capture_begin(&capture, stderr);
    ok = args_parse(&demo, argc + 1, argv, flags, COUNT(flags),
                    ARGS_MODEL | ARGS_DELEGATE | ARGS_FORMAT | ARGS_SEED | ARGS_JOBS | ARGS_QUIET,
                    common, args, 1, 2, code);
    capture_end(&capture);
    return ok;
}

#define PARSE(...)                                                                                 \
    parse(&v, &c, &args, &code, (int)COUNT(((const char *const[]){ __VA_ARGS__ })),                \
          (const char *const[]){ __VA_ARGS__ })

TEST(reads_every_kind)
{
    struct values v;
    struct args_common c;
    struct args args;
    int code;

    assert_true(PARSE("m.tflite", "--list", "--filter=a*", "--runs", "0x10", "second",
                      "--mean=-1.5", "--mode=slow", "-o", "out", "--input=a", "--input=b"));
    assert_string_equal(capture.text, "");
    assert_true(v.list);
    assert_string_equal(v.filter, "a*");
    assert_int_equal(v.runs, 16);
    assert_true(v.mean == -1.5);
    assert_int_equal(v.mode, 1);
    assert_string_equal(v.output, "out");
    assert_int_equal(v.input.count, 2);
    assert_string_equal(v.input.items[0], "a");
    assert_string_equal(v.input.items[1], "b");
    assert_int_equal(args.count, 2);
    assert_string_equal(args.items[0], "m.tflite");
    assert_string_equal(args.items[1], "second");
    args_close();
}

TEST(common_defaults_and_device)
{
    struct values v;
    struct args_common c;
    struct args args;
    int code;

    assert_true(PARSE("m"));
    assert_null(c.delegate);
    assert_int_equal(c.delegate_option.count, 0);
    assert_int_equal(c.format, FORMAT_TEXT);
    assert_null(c.out);
    assert_int_equal(c.seed, 1);
    assert_int_equal(c.jobs, 0);
    assert_false(c.quiet);

    assert_true(PARSE("m", "--delegate-option=precision=fp16", "--device=1", "--format=json",
                      "--seed=18446744073709551615", "--jobs=3", "--quiet", "--delegate=none"));
    assert_string_equal(c.delegate, "none");
    assert_int_equal(c.delegate_option.count, 2);
    assert_string_equal(c.delegate_option.items[0], "precision=fp16");
    assert_string_equal(c.delegate_option.items[1], "device=1");
    assert_int_equal(c.format, FORMAT_JSON);
    assert_true(c.seed == UINT64_MAX);
    assert_int_equal(c.jobs, 3);
    assert_true(c.quiet);

    /* A text is the first argument, whatever stands before it. */
    assert_true(PARSE("second", "--model=RELU x -> y"));
    assert_int_equal(args.count, 2);
    assert_string_equal(args.items[0], "text:RELU x -> y");
    assert_string_equal(args.items[1], "second");
    assert_false(PARSE("second", "third", "--model=RELU x -> y"));
    assert_string_equal(capture.text, "assay: demo: unexpected argument third\n");
    args_close();
}

TEST(refuses_with_one_line)
{
    static const struct {
        const char *word, *says;
    } rows[] = {
        { "--rnus=3", "assay: demo: unknown flag --rnus; did you mean --runs?\n" },
        { "--zzzzzz", "assay: demo: unknown flag --zzzzzz; `assay demo --help` lists them\n" },
        { "-x", "assay: demo: unknown flag -x; `assay demo --help` lists them\n" },
        { "-o", "assay: demo: -o needs a value\n" },
        { "--runs", "assay: demo: --runs needs a value: --runs=N\n" },
        { "--runs=0", "assay: demo: --runs=0: expected a whole number from 1 to 1000\n" },
        { "--runs=1001", "assay: demo: --runs=1001: expected a whole number from 1 to 1000\n" },
        { "--runs=-1", "assay: demo: --runs=-1: expected a whole number from 1 to 1000\n" },
        { "--runs= 1", "assay: demo: --runs= 1: expected a whole number from 1 to 1000\n" },
        { "--runs=1x", "assay: demo: --runs=1x: expected a whole number from 1 to 1000\n" },
        { "--runs=0x", "assay: demo: --runs=0x: expected a whole number from 1 to 1000\n" },
        { "--runs=", "assay: demo: --runs=: expected a whole number from 1 to 1000\n" },
        { "--seed=18446744073709551616",
          "assay: demo: --seed=18446744073709551616: expected a whole number\n" },
        { "--mean=nan", "assay: demo: --mean=nan: expected a number from -1000 to 1000\n" },
        { "--mean=1e9", "assay: demo: --mean=1e9: expected a number from -1000 to 1000\n" },
        { "--mean=", "assay: demo: --mean=: expected a number from -1000 to 1000\n" },
        { "--secs=1e7", "assay: demo: --secs=1e7: expected a number from 0 to 1000000\n" },
        { "--format=csv", "assay: demo: --format=csv: expected one of text, json\n" },
        { "--mode=medium", "assay: demo: --mode=medium: expected one of fast, slow\n" },
        { "--format=xml", "assay: demo: --format=xml: expected one of text, json\n" },
        { "--list=1", "assay: demo: --list takes no value\n" },
        { "--help=1", "assay: demo: --help takes no value\n" },
        { "--delegate-option=precision",
          "assay: demo: --delegate-option=precision: expected KEY=VALUE\n" },
        { "--delegate-option==3", "assay: demo: --delegate-option==3: expected KEY=VALUE\n" },
        { "--a\nb\033[2J",
          "assay: demo: unknown flag --a\\x0ab\\x1b[2J; `assay demo --help` lists them\n" },
    };
    struct values v;
    struct args_common c;
    struct args args;
    int code;

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_false(PARSE("m.tflite", rows[i].word));
        assert_string_equal(capture.text, rows[i].says);
        assert_int_equal(code, EXIT_USAGE);
    }
    assert_false(PARSE("m.tflite", "--seed=3", "--seed=4"));
    assert_string_equal(capture.text, "assay: demo: --seed is given twice, as 3 and as 4: expected "
                                      "one value\n");
    assert_int_equal(code, EXIT_USAGE);
    assert_false(PARSE("m.tflite", "-o", "a", "-o", "b"));
    assert_string_equal(capture.text,
                        "assay: demo: -o is given twice, as a and as b: expected one value\n");
    assert_true(PARSE("m.tflite", "--seed=3", "--seed=3"));
    assert_false(PARSE("--list"));
    assert_string_equal(capture.text,
                        "assay: demo: missing argument; usage: assay demo MODEL [--runs=N]\n");
    assert_false(PARSE("a", "b", "c"));
    assert_string_equal(capture.text, "assay: demo: unexpected argument c\n");
    assert_int_equal(code, EXIT_USAGE);
    args_close();
}

TEST(help_shows_flags_and_examples)
{
    struct values v;
    struct args_common c;
    struct args args;
    struct capture out;
    int code;

    capture_begin(&out, stdout);
    assert_false(PARSE("--help"));
    capture_end(&out);
    assert_int_equal(code, EXIT_AS_EXPECTED);
    assert_string_equal(capture.text, "");
    assert_ptr_equal(strstr(out.text, "Usage: assay demo MODEL [--runs=N]\n"), out.text);
    assert_non_null(strstr(out.text, "\n  --mode=MODE                 how: fast, slow\n"));
    assert_non_null(strstr(out.text, "\n  -o FILE                     the same\n"));
    assert_non_null(strstr(out.text, "\n  --delegate-option=KEY=VALUE option of the delegate"));
    assert_non_null(strstr(out.text, "\nExamples:\n  assay demo x.tflite\n"));
    args_close();
}

TEST(suggests_the_nearest_name)
{
    static const char *const names[] = { "run", "inspect", "conformance", "zoo" };

    assert_string_equal(nearest_name("rnu", names, 4), "run");
    assert_string_equal(nearest_name("inspct", names, 4), "inspect");
    assert_string_equal(nearest_name("conformence", names, 4), "conformance");
    assert_string_equal(nearest_name("run", names, 4), "run");
    assert_null(nearest_name("frobnicate", names, 4));
    assert_null(nearest_name("", names, 4));
    assert_null(nearest_name("xyz", names, 4));
    assert_null(nearest_name("run", names, 0));
    assert_null(
        nearest_name("a-word-that-is-longer-than-any-name-of-ours-could-ever-be", names, 4));
}

TEST(failures_have_exit_codes)
{
    static const struct {
        enum status status;
        int code;
    } rows[] = {
        { STATUS_INVALID, EXIT_USAGE },
        { STATUS_UNSUPPORTED, EXIT_USAGE },
        { STATUS_IO, EXIT_USAGE },
        { STATUS_USAGE, EXIT_USAGE },
        { STATUS_NO_DEVICE, EXIT_NO_DEVICE },
        { STATUS_DEVICE, EXIT_FAILED },
        { STATUS_NO_MEMORY, EXIT_USAGE },
        { STATUS_LIMIT, EXIT_USAGE },
        { STATUS_MISMATCH, EXIT_FAILED },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct diag diag = { .status = rows[i].status, .text = "first\nsecond" };
        int code;

        capture_begin(&capture, stderr);
        code = message_fail("m.tflite", &diag);
        capture_end(&capture);
        assert_int_equal(code, rows[i].code);
        assert_string_equal(capture.text, "assay: m.tflite: first\\x0asecond\n");
    }
}

TEST(no_progress_without_terminal)
{
    capture_begin(&capture, stderr);
    message_progress(false, "%d of %d", 1, 2);
    message_progress_end();
    capture_end(&capture);
    assert_string_equal(capture.text, "");
}
