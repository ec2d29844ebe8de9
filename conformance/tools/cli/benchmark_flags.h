/* The flags of TensorFlow Lite's benchmark_model, which `assay bench` takes: benchmark_flags.def
 * has a row for each. */
#ifndef ASSAY_CONFORMANCE_TOOLS_CLI_BENCHMARK_FLAGS_H
#define ASSAY_CONFORMANCE_TOOLS_CLI_BENCHMARK_FLAGS_H

#include "conformance/tools/bench/bench_request.h"
#include "conformance/tools/cli/args.h"
#include "reference/base/arena.h"
#include "reference/base/diag.h"

#include <stdbool.h>
#include <stddef.h>

enum benchmark_flag {
#define FLAG(name, kind, deed, text) BENCHMARK_##name,
#include "conformance/tools/cli/benchmark_flags.def"
#undef FLAG
    BENCHMARK_FLAGS
};
enum benchmark_kind { BENCHMARK_BOOL, BENCHMARK_INT, BENCHMARK_FLOAT, BENCHMARK_TEXT };
enum benchmark_deed { BENCHMARK_SAME, BENCHMARK_ALIAS, BENCHMARK_NOTHING, BENCHMARK_REFUSED };

struct benchmark_row {
    const char *name;
    enum benchmark_kind kind;
    enum benchmark_deed deed;
    const char *text;
};
extern const struct benchmark_row benchmark_rows[BENCHMARK_FLAGS];

/* The values given, and what follows from them.  Zero-initialized; benchmark_flags_close frees it.
 */
struct benchmark_flags {
    const char *values[BENCHMARK_FLAGS]; /* NULL: not given */
    struct arena arena;
    struct string_list options; /* of the delegate, KEY=VALUE */
    bool require_full_delegation;
    const char *steps_path; /* file for the steps of the profile; NULL: none */
};

/* Writes rows for args_parse, without help texts; returns how many. */
size_t benchmark_flags_rows(struct benchmark_flags *flags, struct args_flag *rows);
/* Checks all values and applies them to q, which holds what our own flags said.  STATUS_USAGE for a
 * flag that is refused, with its reason. */
enum status benchmark_flags_apply(struct benchmark_flags *flags, struct bench_request *q,
                                  struct diag *diag);
void benchmark_flags_close(struct benchmark_flags *flags);
/* The table, as struct command's more_flag_at. */
bool benchmark_flags_at(size_t index, const char **title, struct args_flag *flag);

/* Appends "KEY:VALUE;KEY:VALUE" as KEY=VALUE, each. */
enum status external_options_read(const char *text, struct arena *arena, struct string_list *list,
                                  struct diag *diag);

#endif
