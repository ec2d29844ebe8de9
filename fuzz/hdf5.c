/* Fuzz target: HDF5 files, read by libhdf5 in a child process as the program does.  The first byte
 * chooses: a golden file, a dataset, a slice of one.
 *
 * libhdf5 may crash, run for ever or want any memory: for us that is an error with a message.  A
 * run that aborts is a bug of ours: a crash of this process, a refusal without a message, an array
 * of another size.  The child's code is not seen by the fuzzer: the target answers covers what this
 * process does with answers. */
#include "conformance/suite/golden/file.h"
#include "conformance/suite/io/array_hdf5.h"
#include "conformance/util/parser_limits.h"
#include "fuzz/fuzz_file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ELEMENTS_MAX = 1 << 16 };

static enum status takes(const void *user, const struct array *a, struct diag *diag)
{
    (void)user;
    if (a->elements > ELEMENTS_MAX)
        return diag_fail(diag, STATUS_MISMATCH, "too many elements");
    return STATUS_OK;
}

static void dataset(const char *path, int64_t index)
{
    const struct array_check check = { takes, NULL };
    struct array a;
    struct diag diag = { 0 };
    unsigned sum = 0;

    if (hdf5_read(&a, path, "x", index, &check, &diag) != STATUS_OK) {
        fuzz_expect(diag.text[0] && !a.data, "HDF5: expected a message and no array", diag.text);
        return;
    }
    fuzz_expect(a.elements <= ELEMENTS_MAX && a.rank <= ARRAY_RANK_MAX,
                "HDF5: expected an array that was wanted", "another");
    for (size_t i = 0; i < a.bytes; i++)
        sum += ((const uint8_t *)a.data)[i]; /* so that a sanitizer sees what was not allocated */
    fuzz_expect(sum <= a.bytes * 255, "HDF5: sum", "overflow");
    array_close(&a);
}

static void golden(const char *path)
{
    struct golden_file g;
    struct diag diag = { 0 };
    float values[3];
    const struct h5_array a = {
        .type = kTfLiteFloat32, .rank = 1, .dims = { 3 }, .data = values, .bytes = sizeof values
    };
    bool there;

    if (golden_open(&g, path, &diag) != STATUS_OK) {
        fuzz_expect(diag.text[0] && !g.cases, "golden: expected a message and no cases", diag.text);
        return;
    }
    for (size_t i = 0; i < g.head.count && i < 3; i++)
        golden_read(&g, &(struct golden_place){ &g.cases[i], GOLDEN_OUTPUT, 0, false }, &a, &there,
                    &diag);
    golden_close(&g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file f;

    if (size < 1)
        return 0;
    parser_limits.cpu_s = 1;
    parser_limits.wait_s = 5;
    f = fuzz_file_of(data + 1, size - 1);
    switch (data[0] % 3) {
    case 0: golden(f.path); break;
    case 1: dataset(f.path, -1); break;
    default: dataset(f.path, 0); break;
    }
    fuzz_file_close(&f);
    return 0;
}
