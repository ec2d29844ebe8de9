/* assay bench --ops: its models, and figures of a subject by chains and by its own steps. */
#include "conformance/tools/bench/bench_ops.h"

#include "conformance/suite/io/model_file.h"
#include "reference/tests/kit/test.h"

#include <math.h>
#include <string.h>

static const struct bench_request reference = { .delegate = "none", .quiet = true };

static struct ops_report run(const char *filter)
{
    struct ops_report r;

    KIT_OK(bench_ops(&r, &reference, filter, &err));
    return r;
}

static bool is_measured(const struct ops_report *r)
{
    return r->peaks.memory_bytes_per_us[0] > 0 && r->peaks.f32_ops_per_us > 0 &&
           r->times[0].step.mean_us > 0;
}

/* On a busy machine a chain may seem no slower than the one without the op: then again. */
static struct ops_report run_until_measured(const char *filter)
{
    struct ops_report r = run(filter);

    for (int i = 0; i < 5 && !is_measured(&r); i++) {
        bench_ops_close(&r);
        r = run(filter);
    }
    return r;
}

TEST(rows_are_models)
{
    static const struct ops_row rows[] = {
#define OPS_ROW(nodes, terms, type, op, dims, rest, result)                                        \
    { nodes, terms, type, op, dims, rest, result },
#include "conformance/tools/bench/bench_ops.def"
#undef OPS_ROW
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct model_file m = { .from_text = false };
        char text[1024];

        bench_ops_text(&rows[i], text, sizeof text);
        if (model_file_open(&m, text, false, &err) != STATUS_OK)
            fail_msg("row %zu: %s", i, err.text);
        file_model_close(&m.tflite);
    }
}

TEST(chains_without_the_op_are_taken_off)
{
    struct ops_report r CLOSED_BY(bench_ops_close) = run_until_measured("[fq]*.f32.1x[16]*");
    const struct ops_time *t = &r.times[0], *other = &r.times[1];

    assert_false(r.profiled);
    assert_true(is_measured(&r));
    assert_int_equal(r.count, 2);
    assert_string_equal(t->name, "fully_connected.f32.1x1024_1024x1024");
    if (t->why[0])
        fail_msg("%s: %s", t->name, t->why);
    assert_true(t->step.device_bytes == 4 * (1024 * 1024 + 3 * 1024));
    assert_true(t->step.operations == 2 * 1024 * 1024);
    assert_true(t->step.mean_us > 0 && t->times > 0);
    assert_true(fabs(t->times * t->limit.least_us - t->step.mean_us) < 1e-6);
    assert_string_equal(other->name, "quantize.f32.1x64x64x64");
    assert_non_null(strstr(other->why, "another type"));
}

TEST(a_filter_matches)
{
    struct ops_report r CLOSED_BY(bench_ops_close);

    assert_int_equal(bench_ops(&r, &reference, "no.such", &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "--ops=no.such matches none"));
}
