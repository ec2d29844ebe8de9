/* Fuzz target: statements, which are directories of others: `assay report statement --verify`.
 * Behind the first byte come three files with zero bytes between them.  By the bits of that byte
 * SHA256SUMS is made right, so that the other files are read.
 *
 * A run that aborts is a bug: a crash or overread, a refusal without a message. */
#include "conformance/report/record/statement.h"
#include "conformance/util/sha256.h"
#include "fuzz/fuzz_file.h"
#include "fuzz/kit/folder.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAKE_RIGHT = 1 };

static const char *const names[] = { "report.json", STATEMENT_WAIVERS, STATEMENT_SUMS };
enum { FILES = sizeof names / sizeof names[0], SUMS = FILES - 1 };

static void write_sums(const uint8_t *const *files, const size_t *sizes)
{
    char text[1024], hex[SHA256_HEX_BYTES];
    int at = 0;

    for (int i = 0; i < SUMS; i++) {
        sha256_hex(files[i], sizes[i], hex);
        at += snprintf(text + at, sizeof text - (size_t)at, "%s  %s\n", hex, names[i]);
    }
    fuzz_folder_write(names[SUMS], text, (size_t)at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *at = data + 1, *const end = data + size, *files[FILES];
    struct statement_facts facts;
    struct notes problems = { .count = 0 };
    struct diag diag = { 0 };
    size_t sizes[FILES];
    enum status s;

    if (size < 1)
        return 0;
    for (int i = 0; i < FILES; i++) {
        const uint8_t *const zero = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;

        files[i] = at;
        sizes[i] = (size_t)((zero ? zero : end) - at);
        fuzz_folder_write(names[i], at, sizes[i]);
        at = zero ? zero + 1 : end;
    }
    if (data[0] & MAKE_RIGHT)
        write_sums(files, sizes);
    s = statement_verify(fuzz_folder(), &facts, &problems, &diag);
    fuzz_expect(s == STATUS_OK || diag.text[0], "statement: expected a message", "none");
    fuzz_expect(s != STATUS_OK || problems.count > 0 || facts.reports > 0,
                "statement: expected a problem, for there is no report", "none");
    notes_close(&problems);
    return 0;
}
