/* Lists of classes of bounds: what is read, what is written, what is refused. */
#include "reference/tests/kit/test.h"

#include "conformance/suite/bounds/classes.h"

#include <string.h>

TEST(test_lists)
{
    static const struct {
        const char *list;
        enum bounds floats, integers; /* before */
        const char *floats_after, *integers_after;
    } rows[] = {
        { "fp32", BOUNDS_FP16, BOUNDS_EXACT, "fp32", "exact" },
        { "fp16", BOUNDS_FP32, BOUNDS_FLOAT_VIEW, "fp16", "float_view" },
        { "exact", BOUNDS_FP16, BOUNDS_FLOAT_VIEW, "fp16", "exact" },
        { "float_view", BOUNDS_FP32, BOUNDS_EXACT, "fp32", "float_view" },
        { "one_step", BOUNDS_FP32, BOUNDS_EXACT, "fp32", "one_step" },
        /* A design keeps the storage of the subject. */
        { "winograd", BOUNDS_FP16, BOUNDS_EXACT, "fp16,winograd", "exact" },
        { "rtz,fp16_arith", BOUNDS_FP32, BOUNDS_EXACT, "fp16_arith,rtz", "exact" },
        { "fp16_runs", BOUNDS_FP16_ARITH, BOUNDS_EXACT, "fp16_runs", "exact" },
        { "winograd", BOUNDS_FP16_RUNS, BOUNDS_EXACT, "fp16_runs,winograd", "exact" },
        { "hybrid,one_step,winograd,rtz", BOUNDS_FP32, BOUNDS_EXACT, "fp32,rtz,winograd,hybrid",
          "one_step" },
        { "exponentials", BOUNDS_FP16, BOUNDS_EXACT, "fp16,exponentials", "exact" },
        /* What was declared before is not declared any more. */
        { "hybrid", BOUNDS_WINOGRAD, BOUNDS_EXACT, "fp32,hybrid", "exact" },
        { "fp32,fp32", BOUNDS_FP16, BOUNDS_EXACT, "fp32", "exact" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum bounds floats = rows[i].floats, integers = rows[i].integers, f, n = BOUNDS_EXACT;
        char text[BOUNDS_TEXT_BYTES] = "of before";

        assert_int_equal(bounds_parse(rows[i].list, &floats, &integers, &err), STATUS_OK);
        assert_string_equal(bounds_text(floats, text), rows[i].floats_after);
        /* What is written is read as the same. */
        f = BOUNDS_FP16_ARITH;
        assert_int_equal(bounds_parse(text, &f, &n, &err), STATUS_OK);
        assert_int_equal(f, floats);
        assert_string_equal(bounds_text(integers, text), rows[i].integers_after);
    }
}

TEST(test_refused)
{
    static const struct {
        const char *list, *message;
    } rows[] = {
        { "", "the class '' is not known" },
        { "fp8",
          "the class 'fp8' is not known, expected a list of fp32, fp16, fp16_arith, fp16_runs, "
          "rtz, winograd, hybrid, exponentials, exact, one_step, float_view" },
        { "fp16,", "the class '' is not known" },
        { ",fp16", "the class '' is not known" },
        { "fp16 ", "the class 'fp16 ' is not known" },
        { "winogra", "the class 'winogra' is not known" },
        { "FP16", "the class 'FP16' is not known" },
        { "fp16,fp32", "fp16 and fp32 exclude each other" },
        { "fp16_runs,fp16_arith", "fp16_runs and fp16_arith exclude each other" },
        { "exact,winograd,float_view", "exact and float_view exclude each other" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum bounds floats = BOUNDS_FP16, integers = BOUNDS_ONE_STEP;

        assert_int_equal(bounds_parse(rows[i].list, &floats, &integers, &err), STATUS_USAGE);
        if (!strstr(err.text, rows[i].message))
            fail_msg("%s: %s", rows[i].list, err.text);
        assert_int_equal(floats, BOUNDS_FP16);
        assert_int_equal(integers, BOUNDS_ONE_STEP);
    }
}
