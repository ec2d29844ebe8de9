/* assay bench --serve: a line of JSON, then latencies on request, of our interpreter and of a
 * runtime with buffers of its own. */
/* Needs: mock/delegate.so mock/gpu.so */
/* Needs: mock/litert.so mock/litert_old.so */
/* Needs: mock/accelerator.so mock/accelerator_bytes.so */
/* Needs: mock/accelerator_version.so mock/accelerator_nameless.so */
#include "conformance/tests/kit/bench_kit.h"
#include "conformance/tools/bench/bench.h"
#include "reference/tests/kit/mock_path.h"
#include "reference/tests/kit/test.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *said; /* by the last talk */
static struct diag diag;

FIXTURE(close_kit)
{
    free(said);
    return 0;
}

static enum status talk(const struct bench_request *q, const char *lines)
{
    char text[256];
    size_t bytes;
    FILE *in, *out;
    enum status s;

    snprintf(text, sizeof text, "%s", lines);
    free(said);
    said = NULL;
    in = fmemopen(text, strlen(text), "r");
    out = open_memstream(&said, &bytes);
    diag = (struct diag){ .status = STATUS_OK };
    s = bench_serve(q, in, out, &diag);
    fclose(in);
    fclose(out);
    return s;
}

static struct bench_request on_litert(const char *what, const char *keys)
{
    static char spec[2 * PATH_MAX];
    struct bench_request q = bench_kit_request(NULL);

    snprintf(spec, sizeof spec, "litert:%s?library=%s%s", what, mock_path("litert.so"), keys);
    q.subject = spec;
    return q;
}

/* The greeting, then `count` latencies in a line, then as many again. */
static void expect_conversation(const struct bench_request *q, const char *subject)
{
    json_t *hello;
    char *line, *next, *number;

    KIT_OK_DIAG(talk(q, "3\n3\n"), diag);
    line = strtok_r(said, "\n", &next);
    hello = json_loads(line, 0, NULL);
    assert_non_null(hello);
    assert_non_null(strstr(json_string_value(json_object_get(hello, "subject")), subject));
    assert_true(json_number_value(json_object_get(hello, "first_ms")) > 0);
    assert_true(json_integer_value(json_object_get(hello, "nodes")) > 0);
    json_decref(hello);
    for (int i = 0; i < 2; i++) {
        int count = 0;
        char *rest;

        line = strtok_r(NULL, "\n", &next);
        assert_non_null(line);
        for (number = strtok_r(line, " ", &rest); number; number = strtok_r(NULL, " ", &rest)) {
            assert_true(atof(number) > 0);
            count++;
        }
        assert_int_equal(count, 3);
    }
    assert_null(strtok_r(NULL, "\n", &next));
}

TEST(serves)
{
    struct bench_request q = bench_kit_request(NULL);

    expect_conversation(&q, "reference");
    q = on_litert("cpu", "");
    expect_conversation(&q, "litert:cpu");
    q = on_litert("gpu", "&buffers=managed");
    expect_conversation(&q, "litert:gpu");
}

TEST(refuses_other_lines)
{
    static const char *const lines[] = { "0\n", "x\n", "-1\n", "3 3\n", "1000001\n", "3" };
    const struct bench_request q = bench_kit_request(NULL);

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_int_equal(talk(&q, lines[i]), STATUS_USAGE);
        assert_non_null(strstr(diag.text, "expected a number of inferences"));
    }
}

/* An output that cannot be locked fails the inference: it was waited for. */
TEST(fetches_outputs)
{
    const struct bench_request q = on_litert("gpu", "&buffers=managed");

    setenv("MOCK_LITERT", "lock", 1);
    assert_int_not_equal(talk(&q, "1\n"), STATUS_OK);
    assert_non_null(strstr(diag.text, "LiteRtLockTensorBuffer"));
    setenv("MOCK_LITERT", "run", 1);
    assert_int_not_equal(talk(&q, "1\n"), STATUS_OK);
    assert_non_null(strstr(diag.text, "LiteRtRunCompiledModel"));
    unsetenv("MOCK_LITERT");
}

TEST_FILE(.setup = bench_kit_open, .teardown = close_kit);
