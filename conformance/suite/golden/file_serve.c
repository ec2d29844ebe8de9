/* Reads a golden file in a child process, and answers what the parent asks of it. */
#include "conformance/suite/golden/file_format.h"

#include "conformance/suite/io/array_hdf5_serve.h"
#include "conformance/util/parser.h"
#include "reference/base/memory.h"

#include <string.h>

/* The file as the child has it. */
struct opened {
    struct golden_head head;
    struct golden_case *cases;
    hid_t file;
    hid_t one; /* the group of the case that was asked for last */
    uint32_t one_index;
};

/* ---- one case ---- */

static enum status read_set(hid_t group, const char *name, int32_t *set, struct diag *diag)
{
    char text[16];

    TRY(h5_read_text(group, name, "data_set", text, sizeof text, diag));
    for (int i = 0; i < SET_COUNT; i++) {
        if (strcmp(data_set_name((enum data_set)i), text) == 0) {
            *set = i;
            return STATUS_OK;
        }
    }
    return diag_fail(diag, STATUS_IO, "%s: attribute 'data_set' is '%s'", name, text);
}

static enum status read_hash(hid_t group, const char *where, const char *name,
                             char hash[SHA256_HEX_BYTES], struct diag *diag)
{
    TRY(h5_read_text(group, where, name, hash, SHA256_HEX_BYTES, diag));
    if (!golden_is_hex(hash))
        return diag_fail(diag, STATUS_IO, "%s: attribute '%s' is no SHA-256", where, name);
    return STATUS_OK;
}

static enum status read_attributes(hid_t group, struct golden_case *c, struct diag *diag)
{
    uint64_t value;

    TRY(h5_read_uint(group, c->name, "builtin_code", INT32_MAX, &value, diag));
    c->builtin_code = (int32_t)value;
    TRY(h5_read_uint(group, c->name, "op_version", INT32_MAX, &value, diag));
    c->op_version = (int32_t)value;
    TRY(h5_read_uint(group, c->name, "seed", UINT64_MAX, &c->seed, diag));
    TRY(read_set(group, c->name, &c->set, diag));
    TRY(read_hash(group, c->name, "model_sha256", c->model_sha256, diag));
    TRY(read_hash(group, c->name, "inputs_sha256", c->inputs_sha256, diag));
    if (h5_has_attribute(group, "skipped"))
        TRY(h5_read_text(group, c->name, "skipped", c->skipped, sizeof c->skipped, diag));
    if (h5_has_attribute(group, "wrong"))
        TRY(h5_read_text(group, c->name, "wrong", c->wrong, sizeof c->wrong, diag));
    c->stored = h5_has(group, "model");
    return STATUS_OK;
}

/* ---- one file ---- */

/* All case groups of op/type; grows g->cases. */
static enum status read_variants(struct opened *g, hid_t parent, const char *op, const char *type,
                                 struct diag *diag)
{
    char where[2 * CASE_NAME_BYTES + 1], variant[CASE_NAME_BYTES];
    size_t count = 0;
    enum status s;
    hid_t group;

    snprintf(where, sizeof where, "%s/%s", op, type);
    TRY(h5_open(parent, op, type, H5I_GROUP, &group, diag));
    s = h5_count(group, where, GOLDEN_CASES_MAX - g->head.count, &count, diag);
    if (s == STATUS_OK && count > 0) {
        struct golden_case *more = mem_resize(g->cases, g->head.count + count, sizeof *more);

        if (more)
            g->cases = more;
        else
            s = diag_fail(diag, STATUS_NO_MEMORY, "%s: no memory for %zu cases", where, count);
    }
    for (size_t i = 0; i < count && s == STATUS_OK; i++) {
        struct golden_case *c = &g->cases[g->head.count];
        hid_t one = -1;

        *c = (struct golden_case){ .set = SET_RANDOM };
        s = h5_name(group, where, i, variant, sizeof variant, diag);
        if (s != STATUS_OK)
            break;
        if (!golden_plain_name(variant) || snprintf(c->name, sizeof c->name, "%s.%s.%s", op, type,
                                                    variant) >= (int)sizeof c->name) {
            s = diag_fail(diag, STATUS_IO, "%s: member %zu is named like no case", where, i);
            break;
        }
        s = h5_open(group, where, variant, H5I_GROUP, &one, diag);
        if (s == STATUS_OK)
            s = read_attributes(one, c, diag);
        h5_close(one);
        g->head.count += s == STATUS_OK;
    }
    h5_close(group);
    return s;
}

/* All types of an op. */
static enum status read_op(struct opened *g, const char *op, struct diag *diag)
{
    char type[CASE_NAME_BYTES];
    enum status s;
    size_t count;
    hid_t group;

    TRY(h5_open(g->file, "/", op, H5I_GROUP, &group, diag));
    s = h5_count(group, op, 64, &count, diag);
    for (size_t i = 0; s == STATUS_OK && i < count; i++) {
        s = h5_name(group, op, i, type, sizeof type, diag);
        if (s == STATUS_OK && !golden_plain_name(type))
            s = diag_fail(diag, STATUS_IO, "%s: member %zu is named like no type", op, i);
        if (s == STATUS_OK)
            s = read_variants(g, group, op, type, diag);
    }
    h5_close(group);
    return s;
}

/* Checks the hash over all cases, which shows whether some were exchanged. */
static enum status check_cases_hash(const struct opened *g, const char wanted[SHA256_HEX_BYTES],
                                    struct diag *diag)
{
    enum { LINE = CASE_NAME_BYTES + 2 * SHA256_HEX_BYTES + 2 };
    char *const text = mem_alloc(g->head.count, LINE);
    char found[SHA256_HEX_BYTES];
    size_t at = 0;

    if (!text)
        return diag_fail(diag, STATUS_NO_MEMORY, "/meta: no memory for a hash of %u cases",
                         g->head.count);
    for (size_t i = 0; i < g->head.count; i++)
        at += (size_t)snprintf(text + at, LINE, "%s %s %s\n", g->cases[i].name,
                               g->cases[i].model_sha256, g->cases[i].inputs_sha256);
    sha256_hex(text, at, found);
    mem_free(text);
    if (strcmp(found, wanted) != 0)
        return diag_fail(diag, STATUS_IO, "/meta: cases_sha256 is not that of the file's cases");
    return STATUS_OK;
}

static enum status read_file(struct opened *g, struct diag *diag)
{
    char name[CASE_NAME_BYTES], cases_hash[SHA256_HEX_BYTES];
    uint64_t schema;
    size_t members;
    hid_t meta;
    enum status s;

    TRY(h5_open(g->file, "/", "meta", H5I_GROUP, &meta, diag));
    s = h5_read_uint(meta, "/meta", "schema", UINT32_MAX, &schema, diag);
    if (s == STATUS_OK && schema != GOLDEN_SCHEMA)
        s = diag_fail(diag, STATUS_UNSUPPORTED, "/meta: schema %llu, this program reads %d",
                      (unsigned long long)schema, GOLDEN_SCHEMA);
    if (s == STATUS_OK)
        s = h5_read_text(meta, "/meta", "runtime", g->head.runtime, sizeof g->head.runtime, diag);
    if (s == STATUS_OK)
        s = h5_read_text(meta, "/meta", "runtime_version", g->head.runtime_version,
                         sizeof g->head.runtime_version, diag);
    if (s == STATUS_OK)
        s = h5_read_text(meta, "/meta", "resolver", g->head.resolver, sizeof g->head.resolver,
                         diag);
    if (s == STATUS_OK)
        s = read_hash(meta, "/meta", "cases_sha256", cases_hash, diag);
    h5_close(meta);
    if (s != STATUS_OK)
        return s;

    TRY(h5_count(g->file, "/", 256, &members, diag));
    for (size_t i = 0; i < members; i++) {
        TRY(h5_name(g->file, "/", i, name, sizeof name, diag));
        if (strcmp(name, "meta") == 0)
            continue;
        if (!golden_plain_name(name))
            return diag_fail(diag, STATUS_IO, "/: member %zu is named like no op", i);
        TRY(read_op(g, name, diag));
    }
    return check_cases_hash(g, cases_hash, diag);
}

/* ---- answers ---- */

static enum status open_case(struct opened *g, uint32_t index, struct diag *diag)
{
    char path[CASE_NAME_BYTES];
    char *type, *variant;
    hid_t op = -1, types = -1;
    enum status s;

    if (g->one >= 0 && g->one_index == index)
        return STATUS_OK;
    h5_close(g->one);
    g->one = -1;
    golden_case_path(g->cases[index].name, path);
    type = strchr(path, '/') + 1;
    variant = strchr(type, '/') + 1;
    type[-1] = variant[-1] = '\0';
    s = h5_open(g->file, "/", path, H5I_GROUP, &op, diag);
    if (s == STATUS_OK)
        s = h5_open(op, path, type, H5I_GROUP, &types, diag);
    if (s == STATUS_OK)
        s = h5_open(types, type, variant, H5I_GROUP, &g->one, diag);
    h5_close(types);
    h5_close(op);
    g->one_index = index;
    return s;
}

/* Reads dataset `index` of a group of the case. */
static enum status read_set_of(hid_t group, const char *kind, const struct golden_question *q,
                               const struct h5_array *a, int32_t *there, struct diag *diag)
{
    char name[24];
    enum status s;
    hid_t sets;

    if (q->may_lack && !h5_has(group, kind))
        return STATUS_OK;
    TRY(h5_open(group, "/", kind, H5I_GROUP, &sets, diag));
    snprintf(name, sizeof name, "%u", q->index);
    *there = !q->may_lack || h5_has(sets, name);
    s = *there ? h5_read_array(sets, kind, name, a, diag) : STATUS_OK;
    h5_close(sets);
    return s;
}

static enum status read_asked(struct opened *g, const struct golden_question *q,
                              const struct h5_array *a, int32_t *there, struct diag *diag)
{
    hid_t group;
    enum status s;

    *there = 0;
    TRY(open_case(g, q->case_index, diag));
    if (q->kind == GOLDEN_MODEL) {
        *there = 1;
        return h5_read_array(g->one, "/", "model", a, diag);
    }
    if (!q->again)
        return read_set_of(g->one, golden_kind_name(q->kind), q, a, there, diag);
    TRY(h5_open(g->one, "", "again", H5I_GROUP, &group, diag));
    s = read_set_of(group, golden_kind_name(q->kind), q, a, there, diag);
    h5_close(group);
    return s;
}

/* The parent has said what type and shape it expects: h5_read_array compares before it reads. */
static bool answer(struct opened *g, int socket, const struct golden_question *q)
{
    struct h5_array a = q->array;
    struct diag diag = { .status = STATUS_OK };
    int32_t there = 0;
    enum status s = STATUS_NO_MEMORY;
    bool sent;

    parser_begin();
    a.data = mem_alloc(a.bytes, 1);
    s = a.data ? read_asked(g, q, &a, &there, &diag)
               : diag_fail(&diag, STATUS_NO_MEMORY, "%zu bytes", a.bytes);
    sent =
        hdf5_answer(socket, &(struct parser_reply){ .status = s,
                                                    .diag = &diag,
                                                    .parts = { { &there, sizeof there },
                                                               { a.data, there ? a.bytes : 0 } } });
    mem_free(a.data);
    return sent;
}

void golden_serve(int socket, void *path)
{
    struct opened g = { .file = -1, .one = -1 };
    struct golden_question q;
    struct diag diag = { .status = STATUS_OK };
    enum status s;

    H5PLset_loading_state(0);
    parser_begin();
    s = h5_open_file(path, &g.file, &diag);
    parser_opened();
    if (s == STATUS_OK)
        s = read_file(&g, &diag);
    if (hdf5_answer(
            socket,
            &(struct parser_reply){ .status = s,
                                    .diag = &diag,
                                    .parts = { { &g.head, sizeof g.head },
                                               { g.cases, g.head.count * sizeof *g.cases } } }) &&
        s == STATUS_OK) {
        while (process_read(socket, &q, sizeof q) && answer(&g, socket, &q))
            ;
    }
    h5_close(g.one);
    h5_close(g.file);
    mem_free(g.cases);
}
