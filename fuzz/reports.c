/* Fuzz target: reports in JSON, of a run of the suite or of `assay bench`.  The former are written
 * when they were read, and read again.
 *
 * A run that aborts is a bug: a crash or overread, a refusal without a message, or a report that
 * cannot be read once it was written. */
#include "conformance/report/record/record.h"
#include "conformance/tools/bench/bench_compare.h"
#include "fuzz/fuzz_file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_and_read(const struct record *r)
{
    char *text = NULL;
    size_t bytes = 0;
    struct diag diag = { 0 };
    struct record again;
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        return;
    fuzz_expect(record_write(r, out, &diag) == STATUS_OK || diag.status == STATUS_NO_MEMORY,
                "report: expected to write what was read", diag.text);
    fclose(out);
    {
        struct fuzz_file f = fuzz_file_of((const uint8_t *)text, bytes);

        fuzz_expect(record_read(&again, f.path, &diag) == STATUS_OK,
                    "report: expected to read what was written", diag.text);
        fuzz_expect(again.case_count == r->case_count && again.result_count == r->result_count,
                    "report: expected as many cases and results", "others");
        record_close(&again);
        fuzz_file_close(&f);
    }
    free(text);
}

static void baseline(const char *path)
{
    struct bench_baseline b;
    struct diag diag = { 0 };
    const enum status s = bench_baseline_open(&b, path, "model.tflite", &diag);

    fuzz_expect(s == STATUS_OK || diag.text[0], "bench: expected a message", "none");
    fuzz_expect(s != STATUS_OK || b.sample_count > 0, "bench: expected samples", "none");
    bench_baseline_close(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file f = fuzz_file_of(data, size);
    struct diag diag = { 0 };
    struct record r;
    const enum status s = record_read(&r, f.path, &diag);

    fuzz_expect(s == STATUS_OK || diag.text[0], "report: expected a message", "none");
    if (s == STATUS_OK)
        write_and_read(&r);
    record_close(&r);
    baseline(f.path);
    fuzz_file_close(&f);
    return 0;
}
