/* Finds and reads golden files; file.h has the format. */
#include "conformance/suite/golden/file.h"

#include "conformance/suite/golden/file_format.h"
#include "conformance/util/directory.h"
#include "conformance/util/program_path.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct golden_file golden_no_file = { .parser = {
                                                       .process = { .socket = -1, .log = -1 } } };

/* ---- what the child has sent ---- */

static bool is_text(const char *text, size_t room)
{
    return memchr(text, '\0', room) != NULL;
}

/* Named op.type.variant, of texts that end: a child whose memory a file has overwritten may send
 * anything. */
static bool is_case(const struct golden_case *c)
{
    char path[CASE_NAME_BYTES], *type, *variant;

    if (!is_text(c->name, sizeof c->name) || !is_text(c->model_sha256, sizeof c->model_sha256) ||
        !is_text(c->inputs_sha256, sizeof c->inputs_sha256) ||
        !is_text(c->skipped, sizeof c->skipped) || !is_text(c->wrong, sizeof c->wrong) ||
        c->set < 0 || c->set >= SET_COUNT)
        return false;
    /* Dots become the slashes of the path: a name that has slashes is none of a case. */
    if (strchr(c->name, '/'))
        return false;
    golden_case_path(c->name, path);
    if (!(type = strchr(path, '/')) || !(variant = strchr(type + 1, '/')))
        return false;
    *type = *variant = '\0';
    return golden_plain_name(path) && golden_plain_name(type + 1) && golden_plain_name(variant + 1);
}

static enum status receive(struct golden_file *g, struct diag *diag)
{
    struct golden_head *const h = &g->head;

    TRY(parser_result(&g->parser, diag));
    TRY(parser_receive(&g->parser, h, sizeof *h, diag));
    if (h->count > GOLDEN_CASES_MAX || !is_text(h->runtime, sizeof h->runtime) ||
        !is_text(h->runtime_version, sizeof h->runtime_version) ||
        !is_text(h->resolver, sizeof h->resolver))
        return diag_fail(diag, STATUS_IO, "/meta: libhdf5 has garbled it");
    g->cases = mem_alloc(h->count, sizeof *g->cases);
    if (!g->cases)
        return diag_fail(diag, STATUS_NO_MEMORY, "no memory for %u cases", h->count);
    TRY(parser_receive(&g->parser, g->cases, h->count * sizeof *g->cases, diag));
    for (uint32_t i = 0; i < h->count; i++) {
        if (!is_case(&g->cases[i]))
            return diag_fail(diag, STATUS_IO, "case %u: libhdf5 has garbled it", i);
    }
    return STATUS_OK;
}

/* ---- files ---- */

static enum status start(struct golden_file *g, struct diag *diag)
{
    const struct parser_job job = {
        .name = "libhdf5", .files = 1, .serve = golden_serve, .user = g->path
    };

    TRY(diag_prefix(diag, parser_start(&g->parser, &job, diag), "%s", g->path));
    return diag_prefix(diag, receive(g, diag), "%s", g->path);
}

enum status golden_open(struct golden_file *g, const char *path, struct diag *diag)
{
    enum status s;

    *g = golden_no_file;
    g->path = strdup(path);
    if (!g->path)
        s = diag_fail(diag, STATUS_NO_MEMORY, "%s: no memory", path);
    else if ((s = file_expect_regular(path, diag)) == STATUS_OK)
        s = start(g, diag);
    if (s != STATUS_OK)
        golden_close(g);
    return s;
}

void golden_close(struct golden_file *g)
{
    parser_end(&g->parser);
    mem_free(g->cases);
    free(g->path);
    *g = golden_no_file;
}

enum status golden_read(struct golden_file *g, const struct golden_place *place,
                        const struct h5_array *a, bool *there, struct diag *diag)
{
    struct golden_question q = { .array = *a,
                                 .case_index = (uint32_t)(place->c - g->cases),
                                 .index = (uint32_t)place->index,
                                 .kind = place->kind,
                                 .again = place->again,
                                 .may_lack = there != NULL };
    int32_t found;

    q.array.data = NULL;
    TRY(parser_send(&g->parser, &q, sizeof q, diag));
    TRY(parser_result(&g->parser, diag));
    TRY(parser_receive(&g->parser, &found, sizeof found, diag));
    if (there)
        *there = found != 0;
    return found ? parser_receive(&g->parser, a->data, a->bytes, diag) : STATUS_OK;
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
    return directory_name_ends(name, ".h5");
}

enum status golden_list_files(const char *directory, char ***paths, size_t *count,
                              struct diag *diag)
{
    TRY(directory_list(directory, is_golden_name, paths, count, diag));
    return *count > 0 ? STATUS_OK
                      : diag_fail(diag, STATUS_IO, "%s: no golden files (*.h5)", directory);
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
