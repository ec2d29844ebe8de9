/* Fuzz target: models as text.  What is read is written as a text, from which the same bytes have
 * to come; the second byte says whether the model has to be legal.
 *
 * A run that aborts is a bug: a crash or overread, a refusal without line and column, a text that
 * says something else. */
#include "fuzz/fuzz_file.h"
#include "reference/base/limits.h"
#include "reference/base/memory.h"
#include "reference/format/read.h"
#include "reference/text/model_text.h"
#include "reference/text/write_text.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Small enough that an input takes no time: a short text can ask for all that a limit allows. */
static const char *const limits[] = { "read_bytes=1M", "tensor_elements=64K",
                                      "activation_bytes=16M", "folded_bytes=1M" };

static void expect_place(enum status s, const struct diag *diag)
{
    fuzz_expect(s == STATUS_OK || s == STATUS_NO_MEMORY || strncmp(diag->text, "line ", 5) == 0 ||
                    s == STATUS_LIMIT,
                "text: expected a refusal with line and column", diag->text);
}

/* The text of the bytes of a model, as the program reads them. */
static void write_and_read(const struct tflite_file *file)
{
    struct diag diag = { .status = STATUS_OK };
    struct model_text source = { .as_written = true };
    struct tflite_file again;
    struct model m;
    char *text = NULL;
    FILE *f;
    enum status s;

    if (tflite_read(&m, file->bytes, file->count, &diag) != STATUS_OK)
        return;
    if (!(f = open_memstream(&text, &source.count)))
        exit(1);
    s = text_write(f, &m, NULL, &diag);
    fclose(f);
    source.text = text;
    if (s == STATUS_OK) {
        s = model_text_read(&source, &again, &diag);
        fuzz_expect(s == STATUS_OK, "text: expected that what is written is read", diag.text);
        fuzz_expect(again.count == file->count &&
                        memcmp(again.bytes, file->bytes, again.count) == 0,
                    "text: expected the same bytes", text);
        mem_free(again.bytes);
    }
    free(text);
    model_close(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool limited;
    struct model_text source = { .text = (const char *)data + 1, .count = size - 1 };
    struct diag diag = { .status = STATUS_OK };
    struct tflite_file file;
    enum status s;

    for (size_t i = 0; !limited && i < sizeof limits / sizeof *limits; i++)
        limits_set(limits[i], NULL);
    limited = true;
    if (size < 1)
        return 0;
    source.as_written = data[0] == '!';
    s = model_text_read(&source, &file, &diag);
    expect_place(s, &diag);
    if (s == STATUS_OK)
        write_and_read(&file);
    mem_free(file.bytes);
    return 0;
}
