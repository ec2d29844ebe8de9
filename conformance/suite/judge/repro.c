/* Writes models and tensors of failed cases, and the command that runs them again. */
#include "conformance/suite/judge/repro.h"

#include "conformance/suite/cases/random_cases.h"
#include "conformance/suite/io/array.h"
#include "conformance/suite/io/array_hdf5.h"
#include "conformance/suite/io/model_file.h"
#include "conformance/suite/io/npy.h"
#include "conformance/suite/subject/subject_spec.h"
#include "reference/base/memory.h"
#include "reference/format/file.h"
#include "reference/format/model.h"
#include "reference/format/read.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct repro_item {
    char name[32];
    struct array array; /* owned */
};

static const char frame_names[] = { 'A', 'B' };

/* ---- directories ---- */

static enum status make_directory(const char *path, struct diag *diag)
{
    struct stat st;

    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
        return STATUS_OK;
    return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
}

enum status repro_open(struct repro *r, const struct repro_what *what, struct diag *diag)
{
    char part[PATH_MAX];
    int n;

    *r = (struct repro){ .count = 0 };
    n = snprintf(r->path, sizeof r->path, "%s/%s@%s", what->directory, what->test_case->name,
                 what->subject->label);
    if (n < 0 || (size_t)n + 32 >= sizeof r->path)
        return diag_fail(diag, STATUS_IO, "%s: the path is too long", what->directory);
    for (char *c = r->path + strlen(what->directory) + 1; *c; c++) {
        if (!isalnum((unsigned char)*c) && !strchr("._=@-", *c))
            *c = '_';
    }
    if (what->below)
        snprintf(r->path + n, sizeof r->path - (size_t)n, "/%.24s", what->below);
    for (const char *slash = strchr(r->path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - r->path), r->path);
        TRY(make_directory(part, diag));
    }
    return make_directory(r->path, diag);
}

void repro_close(struct repro *r)
{
    for (size_t i = 0; i < r->count; i++)
        array_close(&r->items[i].array);
    mem_free(r->items);
    *r = (struct repro){ .count = 0 };
}

/* ---- arrays ---- */

/* A copy for the HDF5 file. */
static enum status keep(struct repro *r, const char *name, const struct array *a, struct diag *diag)
{
    struct repro_item *const items = mem_resize(r->items, r->count + 1, sizeof *items);
    struct repro_item *item;

    if (!items)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", name);
    r->items = items;
    item = &items[r->count];
    *item = (struct repro_item){ .array = *a };
    snprintf(item->name, sizeof item->name, "%s", name);
    item->array.data = mem_alloc(a->bytes ? a->bytes : 1, 1);
    if (!item->array.data)
        return diag_fail(diag, STATUS_NO_MEMORY, "%s: out of memory", name);
    memcpy(item->array.data, a->data, a->bytes);
    r->count++;
    return STATUS_OK;
}

static enum status save_array(struct repro *r, const char *what, size_t number, int frame,
                              const struct array *a, struct diag *diag)
{
    char name[32], path[PATH_MAX + 64];
    uint8_t *bytes;
    size_t count;
    enum status s;

    snprintf(name, sizeof name, "%s%zu_%c", what, number, frame_names[frame]);
    snprintf(path, sizeof path, "%s/%s.npy", r->path, name);
    TRY(npy_write(a, &bytes, &count, diag));
    s = file_write(path, bytes, count, diag);
    mem_free(bytes);
    return s == STATUS_OK ? keep(r, name, a, diag) : s;
}

static void set_dims(struct array *a, const int *dims, size_t rank)
{
    a->rank = rank < ARRAY_RANK_MAX ? rank : ARRAY_RANK_MAX;
    a->elements = 1;
    for (size_t i = 0; i < a->rank; i++) {
        a->dims[i] = dims[i];
        a->elements *= (size_t)dims[i];
    }
}

enum status repro_save_instance(struct repro *r, const struct case_instance *instance,
                                struct diag *diag)
{
    char name[PATH_MAX + 64];
    struct model m;
    enum status s = STATUS_OK;

    snprintf(name, sizeof name, "%s/model.tflite", r->path);
    TRY(file_write(name, instance->file.bytes, instance->file.count, diag));
    TRY(tflite_read(&m, instance->file.bytes, instance->file.count, diag));
    snprintf(name, sizeof name, "%s/model.txt", r->path);
    s = model_file_write_text(&m, NULL, name, diag);
    if (s == STATUS_UNSUPPORTED) { /* a model that has no text is shown by model.tflite alone */
        diag_clear(diag);
        s = STATUS_OK;
    }
    for (size_t i = 0; i < instance->input_count && s == STATUS_OK; i++) {
        const struct model_tensor *const t = &m.subgraphs[0].tensors[m.subgraphs[0].inputs.data[i]];
        struct array a = { .type = instance->inputs[i].type, .bytes = instance->inputs[i].bytes };

        set_dims(&a, t->shape.data, t->shape.count);
        for (int frame = 0; frame < 2 && s == STATUS_OK; frame++) {
            a.data = instance->inputs[i].data[frame];
            if (a.data)
                s = save_array(r, "input", i, frame, &a, diag);
        }
    }
    model_close(&m);
    return s;
}

enum status repro_save_outputs(struct repro *r, const struct outputs *got, int frame,
                               struct diag *diag)
{
    for (size_t i = 0; i < got->count; i++) {
        struct array a = { .type = got->items[i].type,
                           .bytes = got->items[i].bytes,
                           .data = got->items[i].data };

        set_dims(&a, got->items[i].dims, (size_t)got->items[i].rank);
        TRY(save_array(r, "got", i, frame, &a, diag));
    }
    return STATUS_OK;
}

enum status repro_save_expected(struct repro *r, size_t output, int frame, const int *dims,
                                int rank, const double *value, const double *limits,
                                struct diag *diag)
{
    struct array a = { .type = kTfLiteFloat64, .data = (void *)(uintptr_t)value };

    set_dims(&a, dims, (size_t)rank);
    a.bytes = a.elements * sizeof *value;
    TRY(save_array(r, "want", output, frame, &a, diag));
    a.data = (void *)(uintptr_t)limits;
    return save_array(r, "limit", output, frame, &a, diag);
}

/* ---- the other files ---- */

/* A word of a shell, in quotes. */
static void print_word(FILE *f, const char *word)
{
    fputc('\'', f);
    for (; *word; word++) {
        if (*word == '\'')
            fputs("'\\''", f);
        else
            fputc(*word, f);
    }
    fputc('\'', f);
}

/* A comment, on one line whatever the text holds. */
static void print_comment(FILE *f, const char *text)
{
    for (; *text; text++)
        fputc(iscntrl((unsigned char)*text) ? ' ' : *text, f);
}

static void print_subject(FILE *f, const struct subject *subject)
{
    char spec[4096];

    if (!subject_spec(subject, spec, sizeof spec))
        return;
    fprintf(f, " --subject=");
    print_word(f, spec);
}

static void print_diff(FILE *f, const struct repro_what *what, const struct case_instance *x)
{
    fprintf(f, "\"${ASSAY:-assay}\" diff model.tflite");
    for (size_t i = 0; i < x->input_count; i++)
        fprintf(f, " --input=input%zu_A.npy", i);
    fprintf(f, " --runs=1 --per-node");
    print_subject(f, what->subject);
}

static void print_script(FILE *f, const struct repro_what *what, const struct case_instance *x,
                         const struct case_result *result, bool is_case)
{
    fprintf(f, "#!/bin/sh\n# %s on ", what->test_case->name);
    print_comment(f, what->subject->label);
    fprintf(f, ", %s: ", case_status_name(result->status));
    print_comment(f, result->reason);
    if (result->has_set)
        fprintf(f, "; data set %s", data_set_name(result->set));
    if (result->has_element)
        fprintf(f, "\n# frame %c, output %d at %s: got %.9g, expected %.9g, error %.3g, limit %.3g",
                result->frame, result->output, result->where, result->got, result->want,
                result->error, result->limit);
    fprintf(f, "\n# ASSAY is the path of the program, where PATH does not have it.\n");
    fprintf(f, "cd \"$(dirname \"$0\")\" || exit 2\n");
    if (is_case) {
        fprintf(f, "# The model and frame A of its inputs alone: ");
        print_diff(f, what, x);
        fprintf(f, "\nexec \"${ASSAY:-assay}\" conformance --filter='%s' --seed=%" PRIu64,
                what->test_case->name, what->seed);
        if (random_is_graph(what->test_case))
            fprintf(f, " --graphs=%" PRIu32, random_index(what->test_case) + 1);
        print_subject(f, what->subject);
    } else {
        fprintf(f, "exec ");
        print_diff(f, what, x);
    }
    fprintf(f, " \"$@\"\n");
}

static enum status save_script(struct repro *r, const struct repro_what *what,
                               const struct case_instance *x, const struct case_result *result,
                               bool is_case, struct diag *diag)
{
    char path[PATH_MAX + 64], *text = NULL;
    size_t bytes = 0;
    FILE *const f = open_memstream(&text, &bytes);
    enum status s;

    if (!f)
        return diag_fail(diag, STATUS_NO_MEMORY, "again.sh: out of memory");
    print_script(f, what, x, result, is_case);
    if (fclose(f) != 0)
        return diag_fail(diag, STATUS_NO_MEMORY, "again.sh: out of memory");
    snprintf(path, sizeof path, "%s/again.sh", r->path);
    s = file_write(path, text, bytes, diag);
    free(text);
    if (s == STATUS_OK && chmod(path, 0755) != 0)
        return diag_fail(diag, STATUS_IO, "%s: %s", path, strerror(errno));
    return s;
}

static enum status save_tensors(struct repro *r, struct diag *diag)
{
    struct array_item *const items = mem_alloc(r->count ? r->count : 1, sizeof *items);
    char path[PATH_MAX + 64];
    enum status s;

    if (!items)
        return diag_fail(diag, STATUS_NO_MEMORY, "tensors.h5: out of memory");
    for (size_t i = 0; i < r->count; i++)
        items[i] = (struct array_item){ r->items[i].name, &r->items[i].array };
    snprintf(path, sizeof path, "%s/tensors.h5", r->path);
    s = hdf5_write(path, items, r->count, diag);
    mem_free(items);
    return s;
}

enum status repro_finish(struct repro *r, const struct repro_what *what,
                         const struct case_instance *instance, const struct case_result *result,
                         bool is_case, struct diag *diag)
{
    TRY(save_tensors(r, diag));
    return save_script(r, what, instance, result, is_case, diag);
}
