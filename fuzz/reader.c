/* Fuzz target: the reader of models.  A model that it accepts is written and read again, and must
 * be the same.
 *
 * A run that aborts is a bug: a crash or overread, a status that the reader does not document, or a
 * model that changes. */
#include "fuzz/kit/mutate.h"
#include "reference/base/memory.h"
#include "reference/format/model_compare.h"
#include "reference/format/read.h"
#include "reference/format/write.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

static void expect(bool holds, const char *what, const struct diag *diag)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, status_text(diag->status), diag->text);
    abort();
}

/* Reads everything that the model points to, so that a sanitizer sees pointers outside. */
static void round_trip(const struct model *m, enum tflite_accept accept)
{
    struct diag diag = { 0 };
    struct tflite_file file, again;
    struct model back;
    const enum status s = tflite_write(m, &file, &diag);

    if (s == STATUS_UNSUPPORTED) /* option tables that op_options.def does not describe */
        return;
    expect(s == STATUS_OK, "write", &diag);
    expect(tflite_read_accepting(&back, file.bytes, file.count, accept, &diag) == STATUS_OK,
           "read again", &diag);
    expect(model_compare(m, &back, &diag) == STATUS_OK, "compare", &diag);
    expect(tflite_write(&back, &again, &diag) == STATUS_OK, "write again", &diag);
    expect(again.count == file.count && memcmp(again.bytes, file.bytes, file.count) == 0,
           "write again: the same model gives other bytes", &diag);
    model_close(&back);
    mem_free(file.bytes);
    mem_free(again.bytes);
}

static enum status read_and_write(const uint8_t *bytes, size_t count, enum tflite_accept accept)
{
    struct diag diag = { 0 };
    struct model m;
    const enum status s = tflite_read_accepting(&m, bytes, count, accept, &diag);

    expect(s == STATUS_OK || s == STATUS_INVALID || s == STATUS_UNSUPPORTED || s == STATUS_LIMIT,
           "read", &diag);
    if (s == STATUS_OK)
        round_trip(&m, accept);
    model_close(&m);
    return s;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    return fuzz_mutate_model(data, size, room, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct diag none = { 0 };
    uint8_t *exact = malloc(size ? size : 1);
    enum status s;

    if (!exact)
        return 0;
    if (size)
        memcpy(exact, data, size);
    s = read_and_write(exact, size, ACCEPT_SUPPORTED);
    if (s == STATUS_OK) { /* with composites that are replaced, too */
        struct model m;

        s = tflite_read(&m, exact, size, NULL);
        model_close(&m);
    }
    expect(tflite_verify(exact, size, NULL) == s, "verify and read differ", &none);
    if (s == STATUS_UNSUPPORTED) /* legal, but not supported: ACCEPT_LEGAL reads it */
        read_and_write(exact, size, ACCEPT_LEGAL);
    free(exact);
    return 0;
}
