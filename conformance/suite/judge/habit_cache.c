/* Starts a case with the files of itself, of another plan, and of other models. */

#include "conformance/suite/judge/habit_run.h"
#include "reference/base/builtin.h"
#include "reference/format/model.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Removes a directory that holds files alone. */
static void remove_directory(const char *path)
{
    DIR *const d = opendir(path);
    const struct dirent *entry;
    char file[PATH_MAX];

    while (d && (entry = readdir(d))) {
        if (entry->d_name[0] != '.' &&
            snprintf(file, sizeof file, "%s/%s", path, entry->d_name) < (int)sizeof file)
            unlink(file);
    }
    if (d)
        closedir(d);
    rmdir(path);
}

static enum status make_delegate(struct case_run *run, const char *path, bool tuned,
                                 TfLiteDelegate **made, struct diag *diag)
{
    const struct subject_option more[] = { { "serialization_dir", path },
                                           { "model_token", "habit" },
                                           { "in_place", "0" },
                                           { "packed_dot", "0" } };

    return case_run_create(run->judge, more, tuned ? 4 : 2, made, diag);
}

/* One start with the directory.  The delegate ends before the next begins, as programs do. */
static bool start_with_cache(struct case_run *run, const char *path, bool tuned, const char *what)
{
    struct case_run_setup setup = { .model = &run->model };
    struct engine *e = NULL;
    struct diag diag;
    bool ok;

    case_run_stage(run, "cache: %s", what);
    if (make_delegate(run, path, tuned, &setup.made, &diag) != STATUS_OK)
        return habit_refuse(run, "%s", diag.text);
    ok = habit_open(run, &setup, &e);
    if (ok && e)
        ok = habit_repeat(run, e, 0, what) && habit_repeat(run, e, 0, what);
    engine_close(e);
    subject_destroy(run->judge->subject, setup.made);
    return ok;
}

/* ---- a model that differs in one place ---- */

enum change { CHANGE_CONSTANT, CHANGE_SCALE, CHANGE_OPTION, CHANGE_ZERO, CHANGES };
static const char *const change_names[CHANGES] = { "constant", "scale", "option", "zero point" };

/* Shares what is not changed with the model of the case. */
struct changed {
    struct arena arena;
    struct model model;
    struct model_subgraph graphs[CASE_GRAPHS_MAX];
};

static void *copy_of(struct changed *c, const void *from, size_t count, size_t size)
{
    void *const to = arena_alloc(&c->arena, count, size);

    if (to && count > 0)
        memcpy(to, from, count * size);
    return to;
}

static bool holds_numbers(int32_t type)
{
    return type == TENSOR_FLOAT32 || type == TENSOR_FLOAT16 || type == TENSOR_INT8 ||
           type == TENSOR_UINT8;
}

/* The last element of a constant gets another sign, of integers another bit. */
static void change_last(int32_t type, uint8_t *bytes, size_t count)
{
    uint8_t *const top = &bytes[count - 1];
    const bool is_zero = (*top & 0x7f) == 0;

    if (type == TENSOR_FLOAT32)
        *top = is_zero ? 0x3f : *top ^ 0x80;
    else if (type == TENSOR_FLOAT16)
        *top = is_zero ? 0x3c : *top ^ 0x80;
    else
        *top ^= 0x20;
}

/* Of the constants of numbers that a node reads the one with this number, modulo how many there
 * are; -1: none. */
static int find_constant(const struct model *m, unsigned number)
{
    const struct model_subgraph *const g = &m->subgraphs[0];
    int found = -1;
    unsigned count = 0;

    for (int pass = 0; pass < 2; pass++) {
        unsigned at = 0;

        for (size_t n = 0; n < g->operator_count; n++)
            for (size_t i = 0; i < g->operators[n].inputs.count; i++) {
                const int32_t t = g->operators[n].inputs.data[i];
                size_t bytes = 0;

                if (t < 0 || !holds_numbers(g->tensors[t].type) ||
                    !model_tensor_data(m, &g->tensors[t], &bytes) || bytes == 0)
                    continue;
                if (pass == 1 && at == number % count)
                    found = t;
                at++;
            }
        count = at;
        if (count == 0)
            break;
    }
    return found;
}

static bool change_constant(struct changed *c, const struct model *m, unsigned number)
{
    const int t = find_constant(m, number);
    struct model_buffer *buffers;
    struct model_bytes *data;
    uint8_t *bytes;

    if (t < 0)
        return false;
    buffers = copy_of(c, m->buffers, m->buffer_count, sizeof *buffers);
    if (!buffers)
        return false;
    data = &buffers[c->graphs[0].tensors[t].buffer].data;
    bytes = copy_of(c, data->data, data->count, 1);
    if (!bytes)
        return false;
    change_last(c->graphs[0].tensors[t].type, bytes, data->count);
    data->data = bytes;
    c->model.buffers = buffers;
    return true;
}

/* The quantization of a tensor, in a copy of all, where it has one scale, or where it has
 * many; NULL. */
static struct model_quantization *quantization_of(struct changed *c, int32_t tensor, bool many)
{
    struct model_tensor *const tensors =
        copy_of(c, c->graphs[0].tensors, c->graphs[0].tensor_count, sizeof *tensors);
    struct model_quantization *q;

    if (!tensors || tensor < 0)
        return NULL;
    q = &tensors[tensor].quantization;
    if (!q->present || (many ? q->scale.count < 2 : q->scale.count != 1))
        return NULL;
    c->graphs[0].tensors = tensors;
    return q;
}

static int32_t first_of(struct model_ints list)
{
    return list.count > 0 ? list.data[0] : -1;
}

/* The last of a constant's scales, or that of the first output of the graph. */
static bool change_scale(struct changed *c, const struct model *m, unsigned number)
{
    struct model_quantization *q = quantization_of(c, find_constant(m, number), true);
    float *scale;

    if (!q && !(q = quantization_of(c, first_of(c->graphs[0].outputs), false)))
        return false;
    if (!(scale = copy_of(c, q->scale.data, q->scale.count, sizeof *scale)))
        return false;
    scale[q->scale.count - 1] *= 1.5F;
    q->scale.data = scale;
    return true;
}

/* Of a constant of u8, which a plan may hold without its zero point, or of the first input: all
 * their integers mean another number then. */
static bool change_zero(struct changed *c, const struct model *m, unsigned number)
{
    const int constant = find_constant(m, number);
    const bool is_u8 = constant >= 0 && c->graphs[0].tensors[constant].type == TENSOR_UINT8;
    struct model_quantization *const q =
        quantization_of(c, is_u8 ? constant : first_of(c->graphs[0].inputs), false);
    int64_t *zero;

    if (!q || q->zero_point.count != 1 || !(zero = copy_of(c, q->zero_point.data, 1, sizeof *zero)))
        return false;
    *zero += *zero > 0 ? -3 : 3;
    q->zero_point.data = zero;
    return true;
}

/* An option that leaves the shapes as they are: an activation, another factor, the other way. */
static bool change_field(const struct option_field *f, union option_value *v)
{
    static const char *const names[] = {
        "fused_activation_function", "beta", "alpha", "exclusive", "reverse", "approximate"
    };
    bool known = false;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        known = known || strcmp(f->name, names[i]) == 0;
    if (known && f->kind == OPTION_F32)
        v->f = v->f * 0.5F + 0.25F;
    else if (known)
        v->i = f->kind == OPTION_BOOL ? !v->i : v->i == 0 ? 3 : 0;
    return known;
}

static bool change_option(struct changed *c)
{
    struct model_operator *const operators =
        copy_of(c, c->graphs[0].operators, c->graphs[0].operator_count, sizeof *operators);

    c->graphs[0].operators = operators;
    for (size_t n = 0; operators && n < c->graphs[0].operator_count; n++) {
        struct options *const o = &operators[n].options;
        const struct option_table *const table = option_table_find(o->tag);

        for (int f = 0; table && f < table->field_count; f++)
            if (change_field(&table->fields[f], &o->value[f]))
                return true;
    }
    return false;
}

static bool change_model(struct changed *c, const struct case_run *run, enum change change,
                         unsigned number)
{
    *c = (struct changed){ .model = run->model };
    memcpy(c->graphs, run->model.subgraphs, run->model.subgraph_count * sizeof *c->graphs);
    c->model.subgraphs = c->graphs;
    return change == CHANGE_CONSTANT ? change_constant(c, &run->model, number)
           : change == CHANGE_SCALE  ? change_scale(c, &run->model, number)
           : change == CHANGE_ZERO   ? change_zero(c, &run->model, number)
                                     : change_option(c);
}

/* What the changed model gives without files; false where the subject does not take it, or the case
 * failed. */
static bool ask_plain(struct case_run *run, const struct model *changed, struct outputs *want)
{
    const struct case_run_setup setup = { .model = changed,
                                          .poison_word = case_run_poison_words[DELEGATE_PLAIN] };
    struct engine *e = NULL;
    struct diag diag;
    const bool taken = case_run_open(run, &setup, &e, &diag) == STATUS_OK &&
                       case_run_is_taken(run, e) && habit_infer(run, e, &run->instance, 0, want);

    engine_close(e);
    return taken;
}

static void start_changed(struct case_run *run, const char *path, const struct model *changed,
                          const struct outputs *want, const char *name)
{
    struct case_run_setup setup = { .model = changed,
                                    .poison_word = case_run_poison_words[DELEGATE_PLAIN] };
    struct outputs got = { .count = 0 };
    struct engine *e = NULL;
    struct diag diag;
    char what[96];

    snprintf(what, sizeof what, "other results with the cache of a model with another %s", name);
    case_run_stage(run, "cache: %s", what);
    if (make_delegate(run, path, false, &setup.made, &diag) != STATUS_OK ||
        case_run_open(run, &setup, &e, &diag) != STATUS_OK)
        result_fail(run->result, "%s: %s", what, diag.text);
    else if (habit_infer(run, e, &run->instance, 0, &got))
        case_run_differ(run, want, &got, want->count, what);
    engine_close(e);
    subject_destroy(run->judge->subject, setup.made);
    outputs_close(&got);
}

/* The files are those of the case, until another model has written its own: so a case has one
 * change, the first that applies from one on that follows from its name. */
static bool check_changed(struct case_run *run, const char *path)
{
    const char *name = run->test_case->name;
    unsigned number = 0;
    bool asked = false;

    for (; *name; name++)
        number = number * 31 + (unsigned char)*name;
    for (unsigned i = 0; i < CHANGES && !asked && run->result->status != CASE_FAIL; i++) {
        const enum change change = (enum change)((number + i) % CHANGES);
        struct outputs want = { .count = 0 };
        struct changed c;

        asked = change_model(&c, run, change, number) && ask_plain(run, &c.model, &want);
        if (asked)
            start_changed(run, path, &c.model, &want, change_names[change]);
        outputs_close(&want);
        arena_close(&c.arena);
    }
    return run->result->status != CASE_FAIL;
}

/* The third start finds the files of another plan, whose bits are promised to be the same.
 * Measuring, by tune=1, takes half a second a case, and is left to `make torture-cache`. */
bool habit_check_cache(struct case_run *run)
{
    const char *const base = getenv("TMPDIR");
    char path[PATH_MAX];
    bool ok;

    snprintf(path, sizeof path, "%s/assay_cache_XXXXXX", base && base[0] == '/' ? base : "/tmp");
    if (!mkdtemp(path))
        return result_fail(run->result, "%s: cannot be made", path);
    ok = start_with_cache(run, path, false, "other results with a cold cache") &&
         start_with_cache(run, path, false, "other results with a warm cache") &&
         check_changed(run, path) &&
         start_with_cache(run, path, true, "other results with a warm cache of another plan");
    remove_directory(path);
    if (ok)
        result_note_habit(run->result, HABIT_CACHE, true);
    return ok;
}
