/* Fuzz target: tables in text.  The first byte chooses: known failures, the version ledger, planted
 * faults, or SHA-256 sums.
 *
 * A run that aborts is a bug: a crash or overread, a refusal without a message, a row without a
 * field that every row has, or a pattern that does not match itself in finite time. */
#include "conformance/report/record/ledger.h"
#include "conformance/report/record/report.h"
#include "conformance/report/record/waiver.h"
#include "conformance/util/sums.h"
#include "fuzz/fuzz_file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_refusal(enum status s, const struct diag *diag)
{
    fuzz_expect(s == STATUS_OK || ((s == STATUS_USAGE || s == STATUS_IO) && diag->text[0]),
                "table: expected OK, or USAGE with a message", status_text(s));
}

static void known_failures(const char *path)
{
    struct waivers w;
    struct diag diag = { 0 };
    const enum status s = waivers_read(&w, path, &diag);

    check_refusal(s, &diag);
    for (size_t i = 0; s == STATUS_OK && i < w.count; i++) {
        struct waiver *const row = &w.rows[i];
        const struct waiver_target target = { row->cases, row->device, "fp32", row->device, "1.2" };

        fuzz_expect(row->line >= 1 && row->cases && row->device && row->cause,
                    "known failures: expected cases, device and cause in each row", "none");
        waivers_find(&w, &target, (struct date){ 2026, 1, 1 });
        waiver_matches_case(row, "conv_2d.f32.same_s2_c5");
        waiver_is_expired(row, (struct date){ 2026, 1, 1 });
    }
    waivers_close(&w);
}

static void ledger(const char *path)
{
    struct ledger l;
    struct diag diag = { 0 };
    const enum status s = ledger_open(&l, path, &diag);

    check_refusal(s, &diag);
    for (size_t i = 0; s == STATUS_OK && i < l.count; i++)
        fuzz_expect(l.rows[i].op && l.rows[i].added && l.rows[i].cases && l.rows[i].version >= 1,
                    "ledger: expected op, version, what was added and cases in each row", "none");
    ledger_close(&l);
}

static void faults(const char *path)
{
    struct tsv t = { .rows = 0 };
    struct diag diag = { 0 };
    const enum status s = tsv_read(&t, path, mutants_columns, MUTANT_COLUMNS, &diag);

    check_refusal(s, &diag);
    for (size_t i = 0; s == STATUS_OK && i < t.rows; i++)
        fuzz_expect(tsv_cell(&t, i, MUTANT_COLUMNS - 1) != NULL,
                    "faults: expected all columns in each row", "fewer");
    tsv_close(&t);
}

static void sums(const char *path)
{
    struct sums l = { .count = 0 };
    struct diag diag = { 0 };
    const enum status s = sums_read(&l, path, &diag);

    check_refusal(s, &diag);
    for (size_t i = 0; s == STATUS_OK && i < l.count; i++)
        fuzz_expect(sums_name_is_safe(l.items[i].name) &&
                        sums_find(&l, l.items[i].name) == &l.items[i],
                    "sums: expected a safe name, once", l.items[i].name);
    sums_close(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file f;

    if (size < 1)
        return 0;
    f = fuzz_file_of(data + 1, size - 1);
    switch (data[0] % 4) {
    case 0: known_failures(f.path); break;
    case 1: ledger(f.path); break;
    case 2: faults(f.path); break;
    default: sums(f.path); break;
    }
    fuzz_file_close(&f);
    return 0;
}
