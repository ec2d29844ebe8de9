/* Makes the list of cases: every row of every suite, in each of its types, with its name. */
#include "conformance/suite/cases/case_list.h"

#include "conformance/suite/cases/suite.h"
#include "conformance/util/words.h"
#include "reference/base/memory.h"
#include "reference/base/op_facts.h"
#include "reference/kernels/op.h"

#include <stdio.h>
#include <string.h>

/* The rows of a suite: those that are written down, then those of its sweep. */
struct row_list {
    const struct suite *suite;
    const char *swept;
    size_t count;
};

static struct row_list list_rows(const struct suite *s)
{
    struct row_list list = { .suite = s };

    if (s->sweep)
        list.swept = s->sweep(&list.count);
    list.count += s->row_count;
    return list;
}

static const struct op_case *row_at(const struct row_list *list, size_t i)
{
    const struct suite *const s = list->suite;
    const char *const row = i < s->row_count ? (const char *)s->rows + i * s->row_bytes
                                             : list->swept + (i - s->row_count) * s->row_bytes;

    return (const struct op_case *)(const void *)row;
}

/* Returns the first version of an op that has the type; 0 when every version has it, or none. */
static int32_t first_version(const struct suite_member *member, enum case_type type,
                             bool by_channel)
{
    const struct op_facts *const facts = op_facts_find(member->code);
    int32_t version = OP_NONE;

    if (!facts)
        return 0;
    switch (type) {
    case CASE_I8:
    case CASE_I8PC: version = facts->i8; break;
    case CASE_U8: version = facts->u8; break;
    case CASE_DYNAMIC: version = by_channel ? facts->hybrid_per_channel : facts->hybrid; break;
    case CASE_HALF: version = facts->f16; break;
    case CASE_I32: return member->i32_version;
    case CASE_BOOL: return member->bool_version;
    case CASE_I16: /* rows say their version */
    case CASE_F32:
    case CASE_F16:
    case CASE_W4:
    case CASE_W2:
    case CASE_U4:
    case CASE_A8W4:
    case CASE_A8W2:
    case CASE_A16W4:
    case CASE_A16W2:
    case CASE_TYPE_COUNT: break;
    }
    return version == OP_NONE ? 0 : version;
}

/* FNV-1a of the op's and the row's name, mixed. */
static uint64_t hash_row(const char *op, const char *name)
{
    const char *const words[] = { op, name };
    uint64_t hash = 0xcbf29ce484222325u;

    for (int i = 0; i < 2; i++) {
        for (const char *at = words[i]; *at; at++)
            hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
    }
    hash ^= hash >> 33;
    hash *= 0xff51afd7ed558ccdu;
    return hash ^ hash >> 33;
}

/* A row of a member in one type. */
struct typed_row {
    const struct suite *suite;
    const struct suite_member *member;
    const struct op_case *row;
    enum case_type type;
};

/* Whether the row makes sense in 8 bits: infinities and numbers far from 1 would saturate or
 * vanish. */
static bool suits_bytes(const struct op_case *row)
{
    const double scale = row->scale != 0 ? row->scale : 1;

    return !row->overflow && !row->every_half && !row->values && !row->period &&
           !row->full_mantissas && scale >= 0.1 && scale <= 64 && row->offset >= -64 &&
           row->offset <= 64;
}

/* Whether row_types.def names the type. */
static bool is_named(const struct typed_row *r)
{
    static const struct {
        const char *op, *row;
        uint32_t types;
    } named[] = {
#define ROW_TYPES(op, row, types) { #op, #row, types },
#include "conformance/suite/cases/row_types.def"
#undef ROW_TYPES
    };

    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (named[i].types & TYPE_BIT(r->type) && strcmp(named[i].op, r->member->op) == 0 &&
            strcmp(named[i].row, r->row->name) == 0)
            return !r->row->gap;
    return false;
}

static bool has_type(const struct typed_row *r)
{
    const uint32_t bit = TYPE_BIT(r->type);

    if (is_named(r))
        return true;
    /* A row may name 8-bit and integer types that only some of its members have. */
    if (r->row->types && (r->row->types & bit) && (bit & (TYPES_QUANTIZED | TYPES_WHOLE)))
        return (r->member->types | r->member->named_types) & bit;
    if (r->row->types)
        return r->row->types & bit;
    if (!(r->member->types & bit))
        return false;
    if (!(bit & (TYPES_QUANTIZED | TYPES_WHOLE)))
        return true;
    if (r->row->floats || !suits_bytes(r->row))
        return false;
    /* The gap suite has a row of each version, too: one of the two is enough in 8 bits. */
    if (r->row->each_version)
        return !r->row->gap;
    return (hash_row(r->member->op, r->row->name) >> 3 * r->type & 7) <
           (r->row->gap || bit & TYPES_WHOLE ? 2 : 3);
}

/* Whether weights have a scale for each channel.  In type i8pc they have.  In dynamic range, where
 * the name of the type leaves it open, half of the rows have, if their version allows it, or all
 * rows where the member says so. */
static bool is_by_channel(const struct typed_row *r, int32_t version)
{
    if (r->type != CASE_DYNAMIC)
        return r->type == CASE_I8PC;
    if (r->member->dynamic_by_channel)
        return true;
    if (op_facts_find(r->member->code)->hybrid_per_channel == OP_NONE)
        return false;
    return (r->row->quant.channels != CHANNELS_NEAR ||
            hash_row(r->member->op, r->row->name) >> 40 & 1) &&
           (!r->row->each_version || version >= first_version(r->member, r->type, true));
}

/* Fills the next case, or only counts when cases is NULL. */
static enum status add_case(struct test_case *cases, size_t *count, const struct typed_row *r,
                            int32_t version, struct diag *diag)
{
    struct test_case *const c = cases ? &cases[*count] : NULL;
    const char *const op = r->member->op, *const type = case_types[r->type].name;
    char number[16] = "";
    int n;

    (*count)++;
    if (!c)
        return STATUS_OK;
    *c = (struct test_case){
        .suite = r->suite,
        .row = r->row,
        .type = case_types[r->type].tensor_type,
        .type_name = type,
        .half = r->type == CASE_HALF,
        .quantized = (TYPE_BIT(r->type) & TYPES_QUANTIZED && r->type != CASE_DYNAMIC) ||
                     TYPE_BIT(r->type) & TYPES_GIVEN,
        .dynamic = r->type == CASE_DYNAMIC,
        .by_channel = is_by_channel(r, version),
        .op = op,
        .code = r->member->code,
        .version = version,
    };
    if (r->row->each_version)
        snprintf(number, sizeof number, "%d", version);
    n = r->row->gap
            ? snprintf(c->name, sizeof c->name, "gap.%s.%s_%s%s", type, op, r->row->name, number)
            : snprintf(c->name, sizeof c->name, "%s.%s.%s%s", op, type, r->row->name, number);
    if (n < 0 || (size_t)n >= sizeof c->name)
        return diag_fail(diag, STATUS_INVALID, "case %s.%s.%s: the name has more than %zu bytes",
                         op, type, r->row->name, sizeof c->name - 1);
    return STATUS_OK;
}

/* Adds the cases of a row in one type: one, or one for each version. */
static enum status add_cases(struct test_case *cases, size_t *count, const struct typed_row *r,
                             struct diag *diag)
{
    const bool by_channel = !r->row->each_version && is_by_channel(r, 0);
    const int32_t first = first_version(r->member, r->type, by_channel);
    const struct ref_op *const op = ref_find(r->member->code);
    int32_t version = r->row->version ? r->row->version : r->member->version;

    if (!r->row->each_version || !op)
        return add_case(cases, count, r, version < first ? first : version, diag);
    for (int32_t v = first                 ? first
                     : op->min_version > 1 ? op->min_version
                                           : 1;
         v <= op->max_version; v++)
        TRY(add_case(cases, count, r, v, diag));
    return STATUS_OK;
}

static enum status add_all(struct test_case *cases, size_t *count, struct diag *diag)
{
    const struct suite *suite;

    *count = 0;
    for (size_t s = 0; (suite = suite_at(s)) != NULL; s++) {
        const struct row_list list = list_rows(suite);

        for (size_t m = 0; m < suite->member_count; m++) {
            const struct suite_member *const member = &suite->members[m];

            for (size_t r = 0; r < list.count; r++) {
                const struct op_case *const row = row_at(&list, r);
                if (row->only ? !words_have(row->only, member->op, ' ') : member->named_alone)
                    continue;
                for (unsigned t = 0; t < CASE_TYPE_COUNT; t++) {
                    const struct typed_row typed = { suite, member, row, (enum case_type)t };

                    if (has_type(&typed))
                        TRY(add_cases(cases, count, &typed, diag));
                }
            }
        }
    }
    return STATUS_OK;
}

/* Sorts the cases: those of the gap suite first, title by title, then the others.  Apart from that
 * they keep their order. */
static enum status gaps_first(struct test_case *cases, size_t count, struct diag *diag)
{
    struct test_case *const sorted = mem_alloc(count, sizeof *sorted);
    bool *const taken = mem_alloc(count, sizeof *taken);
    size_t n = 0;

    if (!sorted || !taken) {
        mem_free(sorted);
        mem_free(taken);
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu cases: out of memory", count);
    }
    for (size_t i = 0; i < count; i++) {
        const char *const title = cases[i].row->gap;

        for (size_t j = i; title && !taken[i] && j < count; j++) {
            if (cases[j].row->gap && strcmp(cases[j].row->gap, title) == 0) {
                sorted[n++] = cases[j];
                taken[j] = j > i;
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!cases[i].row->gap)
            sorted[n++] = cases[i];
    }
    memcpy(cases, sorted, count * sizeof *cases);
    mem_free(taken);
    mem_free(sorted);
    return STATUS_OK;
}

enum status cases_list(struct test_case **cases, size_t *count, struct diag *diag)
{
    enum status s;

    *cases = NULL;
    TRY(add_all(NULL, count, diag));
    *cases = mem_alloc(*count, sizeof **cases);
    if (!*cases) {
        s = diag_fail(diag, STATUS_NO_MEMORY, "%zu cases: out of memory", *count);
        *count = 0;
        return s;
    }
    s = add_all(*cases, count, diag);
    if (s == STATUS_OK)
        s = gaps_first(*cases, *count, diag);
    if (s != STATUS_OK) {
        mem_free(*cases);
        *cases = NULL;
        *count = 0;
    }
    return s;
}

/* The sets of a quantized case.  Sums of integers are exact, so the sets about rounding would add
 * nothing.  S1 and S6 are for ops that add up what can grow and cancel: sums of products, means. */
static uint32_t byte_sets(const struct test_case *c)
{
    const uint32_t grows = SET_BIT(SET_POSITIVE) | SET_BIT(SET_CANCEL);
    const uint32_t sets = c->row->sets ? c->row->sets : suite_member_of(c->suite, c->code)->sets;

    if (c->row->byte_sets)
        return c->row->byte_sets | SET_BIT(SET_RANDOM);
    if (c->row->every_byte)
        return SET_BIT(SET_RANDOM);
    return (sets & (SET_BIT(SET_INTEGERS) | SET_BIT(SET_CANCEL))) | SET_BIT(SET_RANDOM) |
           ((sets & grows) == grows ? SET_BIT(SET_POSITIVE) | SET_BIT(SET_ENDS) : 0);
}

bool case_has_set(const struct test_case *c, enum data_set set)
{
    uint32_t sets = c->row->sets ? c->row->sets : suite_member_of(c->suite, c->code)->sets;

    if (c->row->period > 0)
        sets = c->type == TENSOR_FLOAT32 ? sets : SET_BIT(SET_RANDOM);
    else if (c->quantized)
        sets = byte_sets(c);
    else if (c->row->every_byte || c->type == TENSOR_BOOL)
        sets = SET_BIT(SET_RANDOM);
    else if (c->type == TENSOR_INT32)
        sets = SET_BIT(SET_RANDOM) | (sets & SETS_MOVE);

    return (unsigned)set < SET_COUNT && (sets & SET_BIT(set));
}
