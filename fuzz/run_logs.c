/* Fuzz target: the log beside a report of a run that was cut short, which --resume reads.  The
 * first line, which says which run it is, is made right unless the first byte is odd.
 *
 * A run that aborts is a bug: a crash or overread, a refusal without a message, results with one,
 * or a result that changes when it is written and read again. */
#include "conformance/suite/judge/run_log.h"
#include "fuzz/fuzz_file.h"
#include "reference/base/memory.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CASES = 3, SUBJECTS = 2 };
static const char header[] = "{\"log\":\"assay run log 1\",\"run\":{\"seed\":\"1\"}}\n";

static void expect_same(const struct case_result *r)
{
    struct case_result back;
    struct diag diag = { 0 };
    json_t *const o = result_to_json(r);
    json_t *again;

    fuzz_expect(o && result_from_json(o, &back, &diag) == STATUS_OK,
                "run log: expected a result that is read again", diag.text);
    again = result_to_json(&back);
    fuzz_expect(json_equal(o, again), "run log: expected the same result", "another");
    json_decref(again);
    json_decref(o);
}

static void read_log(const char *path)
{
    static const struct test_case cases[CASES] = { { .name = "relu.f32.a" },
                                                   { .name = "relu.f32.b" },
                                                   { .name = "conv_2d.f32.c" } };
    static const struct run_keys keys = { .items = { { "seed", "1" } }, .count = 1 };
    const struct run_request run = { .subject_count = SUBJECTS,
                                     .cases = cases,
                                     .case_count = CASES };
    struct case_result *results;
    struct diag diag = { 0 };
    double seconds;
    const enum status s = run_log_read(path, &run, &keys, &results, &seconds, &diag);

    fuzz_expect((s == STATUS_OK) == (diag.text[0] == '\0') && (s == STATUS_OK) == (results != NULL),
                "run log: expected results, or a message", diag.text);
    for (size_t i = 0; results && i < SUBJECTS * CASES; i++)
        if (!results[i].absent)
            expect_same(&results[i]);
    mem_free(results);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t begin = sizeof header - 1;
    struct fuzz_file file;
    uint8_t *text;

    if (size < 1 || !(text = mem_alloc(begin + size, 1)))
        return 0;
    memcpy(text, header, begin);
    memcpy(text + begin, data + 1, size - 1);
    file = data[0] & 1 ? fuzz_file_of(data + 1, size - 1) : fuzz_file_of(text, begin + size - 1);
    read_log(file.path);
    fuzz_file_close(&file);
    mem_free(text);
    return 0;
}
