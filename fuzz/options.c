/* Fuzz target: what users type.  The first byte chooses: options of the delegate, one KEY=VALUE a
 * line; a subject as --subject takes it; limits as --limit takes them; or a list of bounds.
 *
 * A run that aborts is a bug: a crash or overread, a refusal without a message or with another
 * status than the header says, or a subject that is not read as it was written. */
#include "delegate/graph/options.h"
#include "conformance/suite/subject/subject_spec.h"
#include "fuzz/fuzz_file.h"
#include "reference/base/limits.h"
#include "reference/base/memory.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PAIRS_MAX = 32 };

/* Splits lines at their first '='. */
static void delegate_options(char *text)
{
    const char *keys[PAIRS_MAX], *values[PAIRS_MAX];
    struct gpu_options o;
    struct diag diag = { 0 };
    size_t count = 0;
    enum status s;

    for (char *rest = text, *line; count < PAIRS_MAX && (line = strsep(&rest, "\n"));) {
        keys[count] = line;
        values[count++] = strsep(&line, "=") && line ? line : "";
    }
    s = options_parse(&o, keys, values, count, &diag);
    fuzz_expect(s == STATUS_OK || s == STATUS_USAGE || s == STATUS_NO_MEMORY,
                "options: expected OK or USAGE", status_text(s));
    fuzz_expect(s == STATUS_OK || diag.text[0], "options: expected a message", "none");
    if (s == STATUS_OK)
        fuzz_expect(o.min_nodes >= 1 && o.max_partitions >= -1 && o.cpu_rate >= 1,
                    "options: expected values in their ranges", text);
    options_close(&o);
}

/* A library of LiteRT is named, else each input would start two processes, one of them of python3,
 * to look for it. */
static void subject(const char *text)
{
    struct subject s, again;
    struct diag diag = { 0 };
    char spec[8192];
    enum status status;

    setenv("LITERT_LIBRARY", "/dev/null", 1);
    status = subject_parse(&s, text, &diag);
    if (status == STATUS_OK && subject_spec(&s, spec, sizeof spec)) {
        fuzz_expect(subject_parse(&again, spec, &diag) == STATUS_OK,
                    "subject: expected to read what it wrote", diag.text);
        fuzz_expect(strcmp(s.label, again.label) == 0, "subject: expected the same label",
                    again.label);
        subject_close(&again);
    }
    fuzz_expect(status == STATUS_OK || diag.text[0], "subject: expected a message", "none");
    subject_close(&s);
}

static void limits(const char *text)
{
    struct diag diag = { 0 };
    const enum status s = limits_set(text, &diag);

    fuzz_expect(s == STATUS_OK || (s == STATUS_USAGE && diag.text[0]),
                "limits: expected OK, or USAGE with a message", status_text(s));
    for (int i = 0; i < LIMIT_COUNT; i++) {
        char standard[96];

        fuzz_expect(limit_of((enum limit)i) >= 1, "limits: expected at least 1", text);
        snprintf(standard, sizeof standard, "%s=%llu", limit_row((enum limit)i)->name,
                 (unsigned long long)limit_row((enum limit)i)->standard);
        fuzz_expect(limits_set(standard, &diag) == STATUS_OK, "limits: expected the standard back",
                    diag.text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text;

    if (size < 1 || !(text = malloc(size)))
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    switch (data[0] % 3) {
    case 0: delegate_options(text); break;
    case 1: subject(text); break;
    default: limits(text); break;
    }
    free(text);
    return 0;
}
