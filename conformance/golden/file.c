/* Finds and reads golden files; file.h has the format. */
#include "conformance/golden/file.h"

#include "conformance/util/program_path.h"
#include "reference/base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- names ---- */

void golden_case_path(const char *name, char path[CASE_NAME_BYTES])
{
    size_t i = 0;
    int dots = 0;

    for (; name[i] != '\0' && i + 1 < CASE_NAME_BYTES; i++)
        path[i] = name[i] == '.' && dots++ < 2 ? '/' : name[i];
    path[i] = '\0';
}

static bool plain_name(const char *name)
{
    return name[0] != '\0' && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static bool is_hex(const char *text)
{
    return strlen(text) == SHA256_HEX_BYTES - 1 && text[strspn(text, "0123456789abcdef")] == '\0';
}

/* ---- one case ---- */

static enum status read_set(hid_t group, const char *name, enum data_set *set, struct diag *diag)
{
    char text[16];

    TRY(h5_read_text(group, name, "data_set", text, sizeof text, diag));
    for (int i = 0; i < SET_COUNT; i++) {
        if (strcmp(data_set_name((enum data_set)i), text) == 0) {
            *set = (enum data_set)i;
            return STATUS_OK;
        }
    }
    return diag_fail(diag, STATUS_IO, "%s: attribute 'data_set' is '%s'", name, text);
}

static enum status read_hash(hid_t group, const char *where, const char *name,
                             char hash[SHA256_HEX_BYTES], struct diag *diag)
{
    TRY(h5_read_text(group, where, name, hash, SHA256_HEX_BYTES, diag));
    if (!is_hex(hash))
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
    return STATUS_OK;
}

/* ---- one file ---- */

/* All case groups of op/type; grows g->cases. */
static enum status read_variants(struct golden_file *g, hid_t parent, const char *op,
                                 const char *type, struct diag *diag)
{
    char where[2 * CASE_NAME_BYTES + 1], variant[CASE_NAME_BYTES];
    enum status s;
    size_t count;
    hid_t group;

    snprintf(where, sizeof where, "%s/%s", op, type);
    TRY(h5_open(parent, op, type, H5I_GROUP, &group, diag));
    s = h5_count(group, where, GOLDEN_CASES_MAX - g->count, &count, diag);
    if (s == STATUS_OK && count > 0) {
        struct golden_case *more = mem_resize(g->cases, g->count + count, sizeof *more);

        if (more)
            g->cases = more;
        else
            s = diag_fail(diag, STATUS_NO_MEMORY, "%s: no memory for %zu cases", where, count);
    }
    for (size_t i = 0; i < count && s == STATUS_OK; i++) {
        struct golden_case *c = &g->cases[g->count];
        hid_t one = -1;

        *c = (struct golden_case){ .set = SET_RANDOM };
        s = h5_name(group, where, i, variant, sizeof variant, diag);
        if (s != STATUS_OK)
            break;
        if (!plain_name(variant) || snprintf(c->name, sizeof c->name, "%s.%s.%s", op, type,
                                             variant) >= (int)sizeof c->name) {
            s = diag_fail(diag, STATUS_IO, "%s: member %zu is named like no case", where, i);
            break;
        }
        s = h5_open(group, where, variant, H5I_GROUP, &one, diag);
        if (s == STATUS_OK)
            s = read_attributes(one, c, diag);
        h5_close(one);
        g->count += s == STATUS_OK;
    }
    h5_close(group);
    return s;
}

/* All types of an op. */
static enum status read_op(struct golden_file *g, const char *op, struct diag *diag)
{
    char type[CASE_NAME_BYTES];
    enum status s;
    size_t count;
    hid_t group;

    TRY(h5_open(g->file, "/", op, H5I_GROUP, &group, diag));
    s = h5_count(group, op, 64, &count, diag);
    for (size_t i = 0; s == STATUS_OK && i < count; i++) {
        s = h5_name(group, op, i, type, sizeof type, diag);
        if (s == STATUS_OK && !plain_name(type))
            s = diag_fail(diag, STATUS_IO, "%s: member %zu is named like no type", op, i);
        if (s == STATUS_OK)
            s = read_variants(g, group, op, type, diag);
    }
    h5_close(group);
    return s;
}

/* Checks the hash over all cases, which shows whether some were exchanged. */
static enum status check_cases_hash(const struct golden_file *g,
                                    const char wanted[SHA256_HEX_BYTES], struct diag *diag)
{
    enum { LINE = CASE_NAME_BYTES + 2 * SHA256_HEX_BYTES + 2 };
    char *const text = mem_alloc(g->count, LINE);
    char found[SHA256_HEX_BYTES];
    size_t at = 0;

    if (!text)
        return diag_fail(diag, STATUS_NO_MEMORY, "/meta: no memory for a hash of %zu cases",
                         g->count);
    for (size_t i = 0; i < g->count; i++)
        at += (size_t)snprintf(text + at, LINE, "%s %s %s\n", g->cases[i].name,
                               g->cases[i].model_sha256, g->cases[i].inputs_sha256);
    sha256_hex(text, at, found);
    mem_free(text);
    if (strcmp(found, wanted) != 0)
        return diag_fail(diag, STATUS_IO, "/meta: cases_sha256 is not that of the file's cases");
    return STATUS_OK;
}

static enum status read_file(struct golden_file *g, struct diag *diag)
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
        s = h5_read_text(meta, "/meta", "runtime", g->runtime, sizeof g->runtime, diag);
    if (s == STATUS_OK)
        s = h5_read_text(meta, "/meta", "runtime_version", g->runtime_version,
                         sizeof g->runtime_version, diag);
    if (s == STATUS_OK)
        s = h5_read_text(meta, "/meta", "resolver", g->resolver, sizeof g->resolver, diag);
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
        if (!plain_name(name))
            return diag_fail(diag, STATUS_IO, "/: member %zu is named like no op", i);
        TRY(read_op(g, name, diag));
    }
    return check_cases_hash(g, cases_hash, diag);
}

enum status golden_open(struct golden_file *g, const char *path, struct diag *diag)
{
    const size_t length = strlen(path);
    enum status s;

    *g = (struct golden_file){ .file = -1 };
    g->path = mem_alloc(length + 1, 1);
    if (!g->path) {
        s = diag_fail(diag, STATUS_NO_MEMORY, "%s: no memory", path);
        goto fail;
    }
    memcpy(g->path, path, length);
    if ((s = h5_open_file(path, &g->file, diag)) != STATUS_OK ||
        (s = read_file(g, diag)) != STATUS_OK) {
        diag_prefix(diag, s, "%s", path);
        goto fail;
    }
    return STATUS_OK;
fail:
    golden_close(g);
    return s;
}

void golden_close(struct golden_file *g)
{
    h5_close(g->file);
    mem_free(g->cases);
    mem_free(g->path);
    *g = (struct golden_file){ .file = -1 };
}

/* ---- answers ---- */

enum status golden_open_case(const struct golden_file *g, const struct golden_case *c, hid_t *out,
                             struct diag *diag)
{
    char path[CASE_NAME_BYTES];
    char *type, *variant;
    hid_t op = -1, types = -1;
    enum status s;

    golden_case_path(c->name, path);
    *out = -1;
    type = strchr(path, '/') + 1;
    variant = strchr(type, '/') + 1;
    type[-1] = variant[-1] = '\0';
    s = h5_open(g->file, "/", path, H5I_GROUP, &op, diag);
    if (s == STATUS_OK)
        s = h5_open(op, path, type, H5I_GROUP, &types, diag);
    if (s == STATUS_OK)
        s = h5_open(types, type, variant, H5I_GROUP, out, diag);
    h5_close(types);
    h5_close(op);
    return s;
}

enum status golden_read(hid_t group, const char *kind, size_t index, const struct h5_array *a,
                        bool *there, struct diag *diag)
{
    char name[24];
    enum status s;
    hid_t sets;

    if (there)
        *there = h5_has(group, kind);
    if (there && !*there)
        return STATUS_OK;
    TRY(h5_open(group, "/", kind, H5I_GROUP, &sets, diag));
    snprintf(name, sizeof name, "%zu", index);
    if (there)
        *there = h5_has(sets, name);
    s = there && !*there ? STATUS_OK : h5_read_array(sets, kind, name, a, diag);
    h5_close(sets);
    return s;
}

enum status golden_hash(const struct case_instance *instance, char model[SHA256_HEX_BYTES],
                        char inputs[SHA256_HEX_BYTES], struct diag *diag)
{
    size_t total = 0, at = 0;
    char *all;

    for (size_t i = 0; i < instance->input_count; i++)
        total += instance->inputs[i].bytes;
    all = mem_alloc(total, 1);
    if (!all)
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory to hash %zu bytes of input", total);
    for (size_t i = 0; i < instance->input_count; i++) {
        if (instance->inputs[i].bytes > 0)
            memcpy(all + at, instance->inputs[i].data[0], instance->inputs[i].bytes);
        at += instance->inputs[i].bytes;
    }
    sha256_hex(instance->file.bytes, instance->file.count, model);
    sha256_hex(all, total, inputs);
    mem_free(all);
    return STATUS_OK;
}

/* ---- directories ---- */

static bool is_golden_name(const char *name)
{
    const size_t length = strlen(name);

    return length > 3 && name[0] != '.' && strcmp(name + length - 3, ".h5") == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void golden_free_paths(char **paths, size_t count)
{
    for (size_t i = 0; paths && i < count; i++)
        mem_free(paths[i]);
    mem_free(paths);
}

enum status golden_list_files(const char *directory, char ***paths, size_t *count,
                              struct diag *diag)
{
    DIR *const d = opendir(directory);
    const struct dirent *entry;
    size_t room = 0;

    *paths = NULL;
    *count = 0;
    if (!d)
        return diag_fail(diag, STATUS_IO, "%s: %s", directory, strerror(errno));
    while ((entry = readdir(d)) != NULL) {
        const size_t bytes = strlen(directory) + strlen(entry->d_name) + 2;

        if (!is_golden_name(entry->d_name))
            continue;
        if (*count == room) {
            char **more = mem_resize(*paths, room = room * 2 + 16, sizeof *more);

            if (!more)
                goto no_memory;
            *paths = more;
        }
        (*paths)[*count] = mem_alloc(bytes, 1);
        if (!(*paths)[*count])
            goto no_memory;
        snprintf((*paths)[(*count)++], bytes, "%s/%s", directory, entry->d_name);
    }
    closedir(d);
    if (*count == 0)
        return diag_fail(diag, STATUS_IO, "%s: no golden files (*.h5)", directory);
    qsort(*paths, *count, sizeof **paths, by_name);
    return STATUS_OK;
no_memory:
    closedir(d);
    golden_free_paths(*paths, *count);
    *paths = NULL;
    *count = 0;
    return diag_fail(diag, STATUS_NO_MEMORY, "%s: no memory for its names", directory);
}

static bool has_goldens(const char *directory)
{
    DIR *const d = opendir(directory);
    const struct dirent *entry;
    bool found = false;

    while (d && !found && (entry = readdir(d)) != NULL)
        found = is_golden_name(entry->d_name);
    if (d)
        closedir(d);
    return found;
}

enum status golden_find_directory(char directory[PATH_MAX], struct diag *diag)
{
    static const char *const relative[] = { "../golden", "../share/assay/golden", "golden" };
    char above[PATH_MAX];
    char *slash = getcwd(above, sizeof above);

    while (slash) {
        if (snprintf(directory, PATH_MAX, "%s/golden", above) < PATH_MAX && has_goldens(directory))
            return STATUS_OK;
        slash = strrchr(above, '/');
        if (!slash || slash == above)
            break;
        *slash = '\0';
    }
    if (program_path_find(directory, relative, sizeof relative / sizeof relative[0], has_goldens))
        return STATUS_OK;
    return diag_fail(
        diag, STATUS_IO,
        "no golden files: neither golden/*.h5 in the working directory or above it "
        "nor ../golden, ../share/assay/golden or golden beside the program; --dir names "
        "another place");
}
