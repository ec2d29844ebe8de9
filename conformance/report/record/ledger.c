/* Reads the version ledger and checks cases and results against it. */
#include "conformance/report/record/ledger.h"

#include "conformance/suite/cases/suite.h"
#include "reference/base/clean.h"
#include "reference/base/op_facts.h"
#include "reference/kernels/op.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 4096 };
enum { OP, VERSION, ADDED, REFERENCE, DELEGATE, CASES, COLUMNS };
static const char *const header[COLUMNS] = { "op",        "version",  "added",
                                             "reference", "delegate", "cases" };

/* ---- reading ---- */

/* Reads "supported", "float, else RULE" or "refused by RULE"; of the reference, which has no rules,
 * "supported", "float" or "refused". */
static bool read_promise(const char *text, bool rules, enum ledger_promise *promise,
                         const char **rule)
{
    static const char some[] = "float, else ", none[] = "refused by ";

    *rule = NULL;
    if (strcmp(text, "supported") == 0) {
        *promise = LEDGER_SUPPORTED;
        return true;
    }
    if (!rules) {
        *promise = strcmp(text, "float") == 0 ? LEDGER_FLOAT : LEDGER_REFUSED;
        return strcmp(text, "float") == 0 || strcmp(text, "refused") == 0;
    }
    *promise = begins(text, some) ? LEDGER_FLOAT : LEDGER_REFUSED;
    if (begins(text, some))
        *rule = text + strlen(some);
    else if (begins(text, none))
        *rule = text + strlen(none);
    return *rule && **rule && !strchr(*rule, ' ');
}

static bool read_version(const char *text, int32_t *version)
{
    char *end;
    long n;

    errno = 0;
    n = strtol(text, &end, 10);
    *version = (int32_t)n;
    return end != text && *end == '\0' && errno == 0 && n >= 1 && n <= 99;
}

enum status ledger_open(struct ledger *l, const char *path, struct diag *diag)
{
    *l = (struct ledger){ .count = 0 };
    TRY(tsv_read(&l->table, path, header, COLUMNS, diag));
    l->rows = ARENA_NEW(&l->table.arena, l->table.rows + 1, struct ledger_row);
    if (!l->rows)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", path);
    if (l->table.rows > ROWS_MAX) /* each is held against all cases */
        return diag_fail(diag, STATUS_USAGE, "%s: expected at most %d rows, found %zu", path,
                         ROWS_MAX, l->table.rows);
    for (size_t i = 0; i < l->table.rows; i++) {
        struct ledger_row *const row = &l->rows[l->count++];
        const char *none;

        row->op = tsv_cell(&l->table, i, OP);
        row->added = tsv_cell(&l->table, i, ADDED);
        row->cases = tsv_cell(&l->table, i, CASES);
        if (!read_version(tsv_cell(&l->table, i, VERSION), &row->version))
            return diag_fail(diag, STATUS_USAGE,
                             "%s: line %zu: expected a version from 1 to 99, found '%s'", path,
                             l->table.lines[i], tsv_cell(&l->table, i, VERSION));
        if (!read_promise(tsv_cell(&l->table, i, REFERENCE), false, &row->reference, &none))
            return diag_fail(
                diag, STATUS_USAGE,
                "%s: line %zu: reference: expected supported, float or refused, found '%s'", path,
                l->table.lines[i], tsv_cell(&l->table, i, REFERENCE));
        if (!read_promise(tsv_cell(&l->table, i, DELEGATE), true, &row->delegate, &row->rule))
            return diag_fail(diag, STATUS_USAGE,
                             "%s: line %zu: delegate: expected 'supported', 'float, else RULE' or "
                             "'refused by RULE', found '%s'",
                             path, l->table.lines[i], tsv_cell(&l->table, i, DELEGATE));
    }
    return STATUS_OK;
}

void ledger_close(struct ledger *l)
{
    tsv_close(&l->table);
    *l = (struct ledger){ .count = 0 };
}

/* ---- checking ---- */

static void problem(struct ledger_problems *p, const struct ledger_row *row, const char *format,
                    ...) PRINTF_LIKE(3, 4);
static void problem(struct ledger_problems *p, const struct ledger_row *row, const char *format,
                    ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fputs("assay: ledger: ", p->out);
    clean_print(p->out, row->op);
    fprintf(p->out, " version %d: ", row->version);
    clean_print(p->out, text);
    fputc('\n', p->out);
    p->count++;
}

static const struct ledger_row *find_row(const struct ledger *l, const char *op, int32_t version)
{
    for (size_t i = 0; i < l->count; i++) {
        if (l->rows[i].version == version && strcmp(l->rows[i].op, op) == 0)
            return &l->rows[i];
    }
    return NULL;
}

/* Whether the case is part of the row's proof. */
static bool proves(const struct ledger_row *row, const struct test_case *c)
{
    return c->version == row->version && strcmp(c->op, row->op) == 0 &&
           fnmatch(row->cases, c->name, 0) == 0;
}

static void check_row(const struct ledger *l, const struct ledger_row *row,
                      const struct test_case *cases, size_t count, struct ledger_problems *p)
{
    const struct ref_op *const op = ref_find_name(row->op);
    size_t proof = 0;

    if (find_row(l, row->op, row->version) != row)
        problem(p, row, "there is a second row");
    if (!op) {
        problem(p, row, "the reference has no such op");
        return;
    }
    if (row->reference != LEDGER_REFUSED && row->version > op->max_version)
        problem(p, row, "the reference stops at version %d", op->max_version);
    if (row->reference == LEDGER_REFUSED && row->version <= op->max_version)
        problem(p, row, "expected a refusal by the reference, which takes it");
    for (size_t i = 0; i < count; i++)
        proof += proves(row, &cases[i]);
    if (proof == 0 && row->reference != LEDGER_REFUSED)
        problem(p, row, "no case of this version matches %s", row->cases);
}

void ledger_check_cases(const struct ledger *l, const struct test_case *cases, size_t count,
                        struct ledger_problems *p)
{
    const struct ref_op *op;

    for (size_t i = 0; i < l->count; i++)
        check_row(l, &l->rows[i], cases, count, p);
    for (size_t i = 0; (op = ref_at(i)) != NULL; i++) {
        const struct suite_member *const member = suite_find_member(op->code);

        if (member && member->types == 0)
            continue; /* the op has no case of its own */
        for (int32_t v = op->min_version ? op->min_version : 1; v <= op->max_version; v++) {
            const struct ledger_row missing = { .op = op->name, .version = v };

            if (!find_row(l, op->name, v))
                problem(p, &missing, "the reference takes it, and the ledger has no row for it");
        }
    }
}

/* Whether the delegate may take the quantized case in one way only, exactly or in float view, and
 * another subject of the run has passed it: reference/ops.def says so of the op, and i16 has no
 * float view. */
static bool passes_elsewhere(const struct report *r, size_t index)
{
    const struct test_case *const c = &r->cases[index];
    const struct op_facts *const facts = op_facts_find(c->code);

    if (!facts || !(c->quantized || c->dynamic) ||
        (facts->integers != OP_INTEGERS_SOME && c->type != TENSOR_INT16))
        return false;
    for (size_t s = 0; s < r->subject_count; s++) {
        const struct case_result *const other = &r->outcome.results[s * r->case_count + index];

        if (!other->absent && other->status == CASE_PASS)
            return true;
    }
    return false;
}

/* Checks one row on one subject. */
static void check_results(const struct ledger_row *row, const struct report *r, size_t subject,
                          struct ledger_problems *p)
{
    const char *const label = r->subjects[subject].label;

    for (size_t i = 0; i < r->case_count; i++) {
        const struct case_result *const c = &r->outcome.results[subject * r->case_count + i];
        const size_t length = row->rule ? strlen(row->rule) : 0;

        if (c->absent || !proves(row, &r->cases[i]))
            continue;
        if (row->delegate != LEDGER_REFUSED && c->status != CASE_PASS &&
            !(c->status == CASE_DECLINED && passes_elsewhere(r, i)))
            problem(p, row, "expected %s to pass on %s, found: %s", r->cases[i].name, label,
                    case_status_name(c->status));
        if (row->delegate == LEDGER_REFUSED && c->status != CASE_DECLINED)
            problem(p, row, "expected a refusal on %s, found %s: %s", label, r->cases[i].name,
                    case_status_name(c->status));
        if (row->delegate == LEDGER_REFUSED && c->status == CASE_DECLINED &&
            (strncmp(c->reason, row->rule, length) != 0 || c->reason[length] != ':'))
            problem(p, row, "expected %s on %s to be refused by %s, found: %s", r->cases[i].name,
                    label, row->rule, c->reason);
    }
}

void ledger_check_run(const struct ledger *l, const struct report *r, struct ledger_problems *p)
{
    ledger_check_cases(l, r->cases, r->case_count, p);
    for (size_t i = 0; i < l->count; i++) {
        for (size_t s = 0; s < r->subject_count; s++)
            check_results(&l->rows[i], r, s, p);
    }
}
